/* Exact solve of an island's rows, joints included. */
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/joints.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/warm_start.h"
#include "peg/lcp/problem.h"

typedef struct workspace {
    peg_problem problem;
    int *at;      /* index in the problem of a row of the island; -1: left out */
    int contacts; /* rows of contacts in the problem; those of joints follow */
    peg_lcp_row *row;
    peg_vec6 *target;
    peg_solution solution;
    double unit; /* peg_residual_unit */
} workspace;

static int allocate(peg_island *I, workspace *w)
{
    int m = I->rows.m + I->joints.n;
    w->at = PEG_NEW(I->arena, int, I->rows.m);
    w->row = PEG_NEW(I->arena, peg_lcp_row, m);
    w->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->solution.v = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->solution.lambda = PEG_NEW(I->arena, double, m);
    return w->at && w->row && w->target && w->solution.v && w->solution.lambda;
}

/* A restoration, which moves poses only, projects onto the nearest separated ones, without friction
 * except friction without limit. */
/* What moves the poses only, of what a row asks for, m/s. In islands of many bodies that is all
 * that standing still would not do: to open flush sides against the friction of a load takes
 * impulses as large as the load's. */
static double asked_for_gaps(const peg_island *I, const peg_row *row)
{
    if (I->mode != PEG_MODE_LIMITED) return row->recovery;
    int waits = !row->friction && !I->pair[row->pair].surface->soft;
    return waits ? fmin(0, row->bias - row->prescribed) : 0;
}

static void fill_contacts(peg_island *I, workspace *w, peg_about about, const double *warm)
{
    int moves_poses = about == PEG_ABOUT_ITERATE && peg_keeps_motion(I);
    w->contacts = 0;
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        int kept = peg_is_iterative(I) && (I->pair[row->pair].rows_kept || row->first_contact);
        double lambda = about == PEG_ABOUT_ITERATE ? 0 : kept ? row->lambda_motion : warm[i];
        if (!row->friction)
            peg_friction_begin(I, row, about == PEG_ABOUT_ITERATE ? row->lambda_motion : lambda);
        int slides = row->friction && moves_poses && !(peg_row_limit(I, i) >= I->most_friction);
        w->at[i] = slides ? -1 : w->contacts++;
        if (w->at[i] < 0) continue;
        peg_fill_row(I, i, &w->row[w->at[i]]);
        if (about == PEG_ABOUT_FREE && peg_keeps_motion(I))
            w->row[w->at[i]].b -= asked_for_gaps(I, row);
        w->solution.lambda[w->at[i]] = lambda;
    }
}

static int set_up(peg_island *I, workspace *w, peg_about about)
{
    double *warm = PEG_NEW(I->arena, double, I->rows.m);
    if (!allocate(I, w) || !warm) return 0;
    if (about == PEG_ABOUT_FREE && !peg_warm_start(I, warm)) return 0;
    fill_contacts(I, w, about, warm);
    for (int i = 0; i < I->nd; i++) {
        const double *v = about == PEG_ABOUT_FREE ? peg_free_velocity(I, i) : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    if (about == PEG_ABOUT_ITERATE) peg_joints_subtract(I, w->target);
    for (int k = 0; k < I->joints.n; k++) w->row[w->contacts + k] = I->joints.row[k];
    w->problem = (peg_problem){I->nd, w->contacts + I->joints.n, I->mass,
                               (const peg_vec6 *)w->target, w->row};
    peg_problem contacts = w->problem;
    contacts.m = w->contacts;
    peg_yield_rows(I, &contacts, w->row);
    return 1;
}

static peg_outcome run(peg_island *I, workspace *w)
{
    if (I->common.capture) I->common.capture->see(I->common.capture->data, &w->problem);
    peg_outcome outcome = I->joints.n ? peg_joints_solve(I, &w->problem, w->row, &w->solution)
                                      : peg_island_lcp(I, &w->problem, &w->solution);
    w->unit = I->joints.n ? peg_residual_unit(&w->problem) : w->solution.unit;
    peg_count_solve(I, w->problem.m);
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    if (!peg_is_answer(outcome)) return outcome;
    pegStats *stats = I->stats;
    int lagged = outcome == PEG_LAGGED;
    double *worst = lagged ? &stats->friction_residual_max : &stats->residual_max;
    *worst = fmax(*worst, w->solution.residual / w->unit);
    stats->cone_violation_max = fmax(stats->cone_violation_max, w->solution.cone);
    stats->lemke_solves += w->solution.method == PEG_METHOD_LEMKE;
    stats->friction_unconverged += lagged;
    return PEG_SOLVED;
}

/* Whether the contact has friction with a fixed limit, which acts while the contact is loaded. */
static int limits_friction(const peg_island *I, int normal)
{
    return normal + 1 < I->rows.m && I->rows.row[normal + 1].friction &&
           I->rows.row[normal + 1].limit > 0;
}

/* Whether the impulse of a row is rounding in the energy norm. */
static int is_rounding(const workspace *w, int at, double lambda)
{
    return fabs(lambda) * sqrt(peg_row_scale(&w->problem, at)) <= PEG_RESIDUAL_TOLERANCE * w->unit;
}

/* A row is loaded if its impulse is above rounding; friction that is rounding, too, goes with it.
 */
static void mark_loaded(peg_island *I, const workspace *w)
{
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        int at = w->at[i];
        row->lambda = at < 0 ? 0 : w->solution.lambda[at];
        if (row->friction) {
            int loaded = row[-row->friction].lambda > 0;
            if (!loaded && at >= 0 && is_rounding(w, at, row->lambda)) row->lambda = 0;
        } else if (row->lambda <= 0 || is_rounding(w, at, row->lambda)) {
            row->lambda = limits_friction(I, i) ? 0 : fmax(row->lambda, 0);
        } else if (!row->first_contact) {
            I->pair[row->pair].active = 1;
        }
    }
    for (int i = 0; i < I->rows.m; i = peg_next_normal(&I->rows, i))
        peg_friction_end(I, &I->rows.row[i]);
}

/* Whether v = 0 leaves a row unsatisfied, except for gaps near rounding. */
static int asks_for_motion(const peg_island *I, const peg_row *row)
{
    /* many bodies keep the rounding of a flush start: opening it would move all of them */
    int is_many = I->nd >= PEG_COARSE_FROM;
    double thin = PEG_THIN * I->pair[row->pair].margin;
    if (row->prescribed != 0) return 1;
    return !row->friction && ((row->gap0 < 0 && !is_many) || -row->bias * I->h > 2 * thin);
}

static void set_velocity(peg_island *I, const workspace *w, int body)
{
    if (body >= 0) memcpy(I->v[body], w->solution.v[body], sizeof I->v[body]);
}

/* Sets velocities to 0 that are rounding beside the speed that applied forces produce in a step;
 * impulses are kept. Where they are told as exact, rounding is what the certificate leaves open: of
 * each body by itself, as what lies beside a ball that rolls would else never be still. */
static void come_to_rest(peg_island *I, const workspace *w)
{
    int asked = 0;
    if (I->joints.n) return;
    for (int i = 0; i < I->nd; i++)
        if (peg_is_slow_body(&I->rigid[i], I->v[i], PEG_RESIDUAL_TOLERANCE))
            memset(I->v[i], 0, sizeof I->v[i]);
    for (int i = 0; i < I->rows.m; i++) {
        if (!asks_for_motion(I, &I->rows.row[i])) continue;
        asked = 1;
        set_velocity(I, w, w->row[w->at[i]].body_a);
        set_velocity(I, w, w->row[w->at[i]].body_b);
    }
    if (!asked && I->mode == PEG_MODE_LIMITED && peg_is_slow(I, (const peg_vec6 *)I->v, PEG_REST))
        memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
}

/* Of a solve that ended short of an answer. */
static void note_iterate(peg_island *I, const workspace *w)
{
    for (int i = 0; i < I->rows.m; i++)
        I->rows.row[i].lambda_motion = w->at[i] < 0 ? 0 : w->solution.lambda[w->at[i]];
}

peg_outcome peg_island_solve_exact(peg_island *I, peg_about about)
{
    workspace w;
    if (!set_up(I, &w, about)) {
        I->failed = 1;
        return PEG_OUT_OF_MEMORY;
    }
    peg_outcome outcome = run(I, &w);
    if (outcome == PEG_ITERATION_LIMIT && about == PEG_ABOUT_FREE) note_iterate(I, &w);
    if (outcome != PEG_SOLVED) return outcome;
    const peg_vec6 *v = (const peg_vec6 *)w.solution.v, *target = (const peg_vec6 *)w.target;
    if (about == PEG_ABOUT_FREE && peg_throws_bodies(I, v, target)) return PEG_INFEASIBLE;
    mark_loaded(I, &w);
    memcpy(I->v, w.solution.v, (size_t)I->nd * sizeof *I->v);
    if (about == PEG_ABOUT_FREE) {
        peg_note_exact(I);
        if (w.solution.residual > PEG_NEAR_EXACT * w.unit) peg_note_left(I, w.solution.residual);
        come_to_rest(I, &w);
    }
    if (I->joints.n)
        memcpy(I->joints.lambda, w.solution.lambda + w.contacts,
               (size_t)I->joints.n * sizeof *I->joints.lambda);
    return outcome;
}
