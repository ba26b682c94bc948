/* The rows of an island to the last digit, joints included. */
#include "peg/contact/kinematics.h"
#include "peg/contact/row_set.h"
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/warm_start.h"
#include "peg/lcp/problem.h"

/* Velocities of an island at rest, relative to what the applied forces make in a step: what an
 * answer within rounding leaves of a flush wall of 180 bricks (1e-8 of g h). */
static const double AT_REST = 1e-6;

typedef struct workspace {
    peg_problem problem;
    peg_lcp_row *row;
    peg_vec6 *target;
    peg_solution solution;
    double unit; /* peg_residual_unit */
} workspace;

static int is_compliant(const peg_island *I, const peg_lcp_row *row)
{
    return row->bounded ? I->friction_compliant && isinf(row->limit) : I->elastic;
}

static int set_up(peg_island *I, workspace *w, peg_about about)
{
    int contacts = I->rows.m, m = contacts + I->njoint;
    w->row = PEG_NEW(I->arena, peg_lcp_row, m);
    w->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->solution.v = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->solution.lambda = PEG_NEW(I->arena, double, m);
    w->solution.iterations = 0; /* some failures write none */
    if (!w->row || !w->target || !w->solution.v || !w->solution.lambda) return 0;
    if (about == PEG_ABOUT_FREE ? !peg_warm_start(I, w->solution.lambda) : 0) return 0;
    for (int i = 0; i < contacts; i++) {
        peg_row *row = &I->rows.row[i];
        double *lambda = &w->solution.lambda[i];
        if (about == PEG_ABOUT_ITERATE) *lambda = 0;
        if (!row->friction)
            peg_friction_begin(I, row, about == PEG_ABOUT_ITERATE ? row->lambda_motion : *lambda);
        peg_fill_row(I, i, &w->row[i]);
    }
    for (int i = 0; i < I->nd; i++) {
        const double *v = about == PEG_ABOUT_FREE ? I->rigid[i].target : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    if (about == PEG_ABOUT_ITERATE) peg_joints_subtract(I, w->target);
    for (int k = 0; k < I->njoint; k++) w->row[contacts + k] = I->joint_row[k];
    w->problem = (peg_problem){I->nd, m, I->mass, (const peg_vec6 *)w->target, w->row};
    for (int i = 0; i < contacts && (I->elastic || I->friction_compliant); i++)
        if (is_compliant(I, &w->row[i]))
            w->row[i].c += PEG_COMPLIANCE * peg_row_scale(&w->problem, i);
    w->unit = peg_residual_unit(&w->problem);
    return 1;
}

static void count(peg_island *I, const workspace *w, int lagged)
{
    pegStats *stats = I->stats;
    double *worst = lagged ? &stats->friction_residual_max : &stats->residual_max;
    *worst = fmax(*worst, w->solution.residual / w->unit);
    stats->cone_violation_max = fmax(stats->cone_violation_max, w->solution.cone);
    stats->lemke_solves += w->solution.method == PEG_METHOD_LEMKE;
    stats->friction_unconverged += lagged;
}

static peg_outcome run(peg_island *I, workspace *w)
{
    if (I->capture) I->capture->see(I->capture->data, &w->problem);
    peg_solve_options options = peg_island_solve_options(I);
    peg_outcome outcome = I->njoint ? peg_joints_solve(I, &w->problem, w->row, &w->solution)
                                    : peg_solve(I->arena, &w->problem, &options, &w->solution);
    peg_count_solve(I, w->problem.m);
    I->work += (double)w->problem.m * w->solution.iterations;
    if (outcome == PEG_SOLVED || outcome == PEG_LAGGED) {
        count(I, w, outcome == PEG_LAGGED);
        outcome = PEG_SOLVED;
    }
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    return outcome;
}

/* Whether the contact has friction with a limit of its own, which acts wherever the contact bears.
 */
static int limits_friction(const peg_island *I, int normal)
{
    return normal + 1 < I->rows.m && I->rows.row[normal + 1].friction &&
           I->rows.row[normal + 1].limit > 0;
}

/* A row counts as loaded above rounding, compared in the energy norm. */
static void mark_loaded(peg_island *I, const workspace *w)
{
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        row->lambda = w->solution.lambda[i];
        if (row->friction) continue;
        if (row->lambda <= 0 ||
            row->lambda * sqrt(peg_row_scale(&w->problem, i)) <= PEG_RESIDUAL_TOLERANCE * w->unit)
            row->lambda = limits_friction(I, i) ? 0 : fmax(row->lambda, 0);
        else if (!row->first_contact)
            I->pair[row->pair].active = 1;
    }
    for (int i = 0; i < I->rows.m; i = peg_next_normal(&I->rows, i))
        peg_friction_end(I, &I->rows.row[i]);
}

/* Whether v = 0 satisfies the rows, but for gaps near rounding. */
static int may_rest(const peg_island *I)
{
    /* many bodies keep the rounding of a flush start: to open it moves all of them */
    int is_many = I->nd >= PEG_COARSE_FROM;
    if (I->mode != PEG_MODE_LIMITED || I->njoint || I->recovering) return 0;
    for (int i = 0; i < I->rows.m; i++) {
        const peg_row *row = &I->rows.row[i];
        double thin = PEG_THIN * I->pair[row->pair].margin;
        if (row->prescribed != 0) return 0;
        if (row->friction) continue;
        if ((row->gap0 < 0 && !is_many) || -row->bias * I->h > 2 * thin) return 0;
    }
    return 1;
}

/* Velocities that are rounding beside what the applied forces make in a step become 0; the impulses
 * stay. */
static void come_to_rest(peg_island *I)
{
    if (!may_rest(I)) return;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        double gained[6];
        for (int k = 0; k < 6; k++) gained[k] = b->v_free[k] - b->v[k];
        if (peg_energy_product(&I->rigid[i], I->v[i], I->v[i]) >
            AT_REST * AT_REST * peg_energy_product(&I->rigid[i], gained, gained))
            return;
    }
    memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
}

peg_outcome peg_island_solve_exact(peg_island *I, peg_about about)
{
    workspace w;
    if (!set_up(I, &w, about)) {
        I->failed = 1;
        return PEG_OUT_OF_MEMORY;
    }
    peg_outcome outcome = run(I, &w);
    if (outcome != PEG_SOLVED) return outcome;
    mark_loaded(I, &w);
    if (I->njoint)
        memcpy(I->joint_lambda, w.solution.lambda + I->rows.m,
               (size_t)I->njoint * sizeof *I->joint_lambda);
    memcpy(I->v, w.solution.v, (size_t)I->nd * sizeof *I->v);
    if (about == PEG_ABOUT_FREE) come_to_rest(I);
    return outcome;
}
