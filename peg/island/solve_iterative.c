/* PGS solve of a large island's rows (lcp/gauss_seidel.h). Where only a few rows of the iterate are
 * violated, only these and what their changes reach are visited. */
#include "peg/contact/contact_row.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/warm_start.h"
#include "peg/lcp/gauss_seidel.h"

/* Largest number of PGS iterations of a fine solve; it ends when FINE_STALL of them improve little.
 * Nine of ten answers are then known to 0.1 to 0.4 % of the speed; two or three times as many
 * iterations would give 0.02 to 0.08 %. */
enum { FINE_ITERATIONS = 300 };
enum { FINE_STALL = 24 };

/* Restorations of coarse islands ask for this share of the gaps less, and may fail by PEG_RESERVE.
 */
static const double RESERVE_TAKEN = 0.25;

typedef struct workspace {
    peg_island *island;
    peg_about about;
    peg_problem problem;
    peg_lcp_row *row;
    peg_vec6 *target;
    double *speed;
    double usual; /* tolerance of a row, m/s */
    int frictionless;
    int is_cold; /* from no impulses */
    peg_pgs_group *group;
    int groups;
    unsigned char *filled; /* by row, at the beginnings of groups */
    peg_solution solution;
} workspace;

/* Whether the iterate is an answer, except for rows marked dirty since. */
static int follows(const peg_island *I, peg_about about)
{
    return !I->joints.n && (about == PEG_ABOUT_ITERATE || I->before.has_motion);
}

/* --- the problem --- */

/* Joints and captures need the whole problem. */
static int is_whole(const peg_island *I)
{
    return I->joints.n || I->common.capture;
}

/* Whether the solve is a restoration: it moves poses only, to the nearest separated ones, without
 * friction. */
static int is_for_poses(const workspace *w)
{
    return w->about == PEG_ABOUT_ITERATE && peg_keeps_motion(w->island);
}

/* The largest speed that a row asks for by itself. */
static double driven_speed(const peg_island *I)
{
    double driven = 0;
    for (int i = 0; i < I->rows.m; i++) {
        const peg_row *row = &I->rows.row[i];
        driven = fmax(driven, row->friction ? fabs(row->bias) : row->recovery - row->bias);
    }
    return driven;
}

static int has_diverged(const peg_island *I, const workspace *w)
{
    const peg_vec6 *v = (const peg_vec6 *)w->solution.v, *target = (const peg_vec6 *)w->target;
    if (w->about == PEG_ABOUT_FREE && peg_throws_bodies(I, v, target)) return 1;
    return !w->frictionless && peg_has_diverged(I, v, target, driven_speed(I));
}

/* Impulse of a kept row that is not visited. */
static double unseen(const workspace *w, const peg_row *row)
{
    if (w->about == PEG_ABOUT_FREE) return row->lambda_motion;
    return w->island->before.is_restored ? row->lambda_restored : 0;
}

/* Rows from .. to - 1 of the problem. Gaps that are restored in part keep some of their reserve: at
 * least half of what is asked for here is to be left in the end. */
static void fill(void *context, int from, int to, int again, peg_lcp_row *out)
{
    workspace *w = context;
    const peg_island *I = w->island;
    w->filled[from] = 1;
    for (int i = from; i < to; i++) {
        peg_row *row = &I->rows.row[i];
        double slack = row->target / I->h, *lambda = &w->solution.lambda[i];
        peg_lcp_row *filled = &out[i - from];
        w->speed[i] = w->usual;
        int kept = I->pair[row->pair].rows_kept || row->first_contact;
        if (w->is_cold)
            *lambda = 0;
        else if (w->about == PEG_ABOUT_ITERATE)
            *lambda = kept ? unseen(w, row) : 0;
        else if (kept)
            *lambda = row->lambda_motion;
        if (!row->friction)
            peg_friction_begin(I, row,
                               w->about == PEG_ABOUT_ITERATE ? row->lambda_motion : *lambda);
        if (again)
            filled->b = row->bias, filled->mu = row->mu, filled->limit = peg_row_limit(I, i);
        else
            peg_fill_row(I, i, filled);
        if (row->friction && w->frictionless) filled->mu = filled->limit = 0;
        if (w->about == PEG_ABOUT_FREE) filled->b -= row->recovery;
        if (!peg_is_coarse(I) || w->about == PEG_ABOUT_FREE || row->friction || slack <= 0)
            continue;
        filled->b += RESERVE_TAKEN * slack;
        w->speed[i] = PEG_RESERVE * slack;
    }
}

/* Contiguous rows of one pair. */
static void find_groups(const peg_island *I, workspace *w)
{
    for (int i = 0, end; i < I->rows.m; i = end) {
        const peg_pair *p = &I->pair[I->rows.row[i].pair];
        int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
        int is_patch = i < I->rows.patches, most = is_patch ? I->rows.patches : I->rows.m;
        for (end = i; end < most && I->rows.row[end].pair == I->rows.row[i].pair;) end++;
        w->group[w->groups++] =
            (peg_pgs_group){i, end, a < I->nd ? a : -1, b < I->nd ? b : -1,
                            is_patch && !is_whole(I) ? I->rows.row[i].pgs : NULL};
        w->filled[i] = 0;
    }
    for (int k = 0; k < I->joints.n; k++) {
        const peg_lcp_row *row = &I->joints.row[k];
        int i = I->rows.m + k;
        w->group[w->groups++] = (peg_pgs_group){i, i + 1, row->body_a, row->body_b, NULL};
    }
}

static int set_up(peg_island *I, workspace *w)
{
    int m = I->rows.m + I->joints.n;
    w->row = PEG_NEW(I->arena, peg_lcp_row, is_whole(I) ? m : 0);
    w->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->speed = PEG_NEW(I->arena, double, m);
    w->group = PEG_NEW(I->arena, peg_pgs_group, m);
    w->filled = PEG_NEW(I->arena, unsigned char, m);
    w->solution = (peg_solution){.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                                 .lambda = PEG_NEW(I->arena, double, m)};
    if (!w->row || !w->target || !w->speed || !w->group || !w->filled || !w->solution.v ||
        !w->solution.lambda)
        return 0;
    if (w->about == PEG_ABOUT_FREE && !peg_warm_start(I, w->solution.lambda)) return 0;
    for (int i = 0; i < I->nd; i++) {
        const double *v = w->about == PEG_ABOUT_FREE ? I->rigid[i].target : I->v[i];
        memcpy(w->target[i], v, sizeof w->target[i]);
    }
    if (w->about == PEG_ABOUT_ITERATE) peg_joints_subtract(I, w->target);
    w->problem = (peg_problem){I->nd, m, I->mass, (const peg_vec6 *)w->target, w->row};
    find_groups(I, w);
    return 1;
}

static void fill_all(peg_island *I, workspace *w)
{
    for (int g = 0; g < w->groups; g++)
        if (w->group[g].begin < I->rows.m)
            fill(w, w->group[g].begin, w->group[g].end, 0, w->row + w->group[g].begin);
    peg_joints_fill(I, &w->problem, w->row, w->solution.lambda);
    for (int k = 0; k < I->joints.n && w->is_cold; k++) w->solution.lambda[I->rows.m + k] = 0;
    for (int k = 0; k < I->joints.n; k++)
        w->speed[I->rows.m + k] = PEG_FINE / PEG_COARSE * w->usual;
    if (I->common.capture) I->common.capture->see(I->common.capture->data, &w->problem);
}

/* --- the goal --- */

/* Whether velocities below PEG_COARSE_REST count as rest: nothing is driven. Growth of thin gaps
 * and recovery may wait. */
static int may_rest(const peg_island *I)
{
    for (int i = 0; i < I->rows.m; i++)
        if (I->rows.row[i].prescribed != 0) return 0;
    return peg_is_coarse(I) && !I->joints.n;
}

static int most_iterations(const workspace *w)
{
    const peg_island *I = w->island;
    int doublings =
        w->about == PEG_ABOUT_ITERATE && I->progress.iteration > 2 ? I->progress.iteration - 2 : 0;
    if (w->about == PEG_ABOUT_ITERATE && peg_work_is_spent(I)) return PEG_COARSE_ITERATIONS;
    if (!peg_is_coarse(I) || ((I->forms & PEG_FORM_RECOVERY) && w->about == PEG_ABOUT_ITERATE))
        return FINE_ITERATIONS;
    if (w->about == PEG_ABOUT_FREE && !(I->forms & PEG_FORM_ACTIVE)) return PEG_SLOW_ITERATIONS;
    return PEG_COARSE_ITERATIONS << (doublings < 5 ? doublings : 5);
}

/* Residual of the velocities after the step; restorations, which move poses only, do not count. */
static void note_residual(peg_island *I, const workspace *w, peg_outcome outcome)
{
    if (is_for_poses(w)) return;
    if (w->about == PEG_ABOUT_FREE) peg_note_exact(I);
    peg_note_left(I, w->solution.left);
    if (outcome == PEG_ITERATION_LIMIT) I->result.notes |= PEG_NOTE_BUDGET;
    if (w->frictionless) I->result.residual = INFINITY;
}

static peg_outcome run(peg_island *I, workspace *w)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < I->nd; i++) {
        sum += I->rigid[i].free_square;
        mass += I->rigid[i].state.mass;
    }
    w->usual = (peg_is_coarse(I) ? PEG_COARSE : PEG_FINE) * sqrt(sum / mass);
    int may_end_early =
        !peg_is_coarse(I) && !(I->forms & (PEG_FORM_RECOVERY | PEG_FORM_POSITIONS_APART));
    peg_pgs_goal goal = {.speed = w->speed,
                         .max_iterations = most_iterations(w),
                         .stall = may_end_early ? FINE_STALL : 0,
                         .group = w->group,
                         .groups = w->groups};
    if (is_whole(I))
        fill_all(I, w);
    else
        goal.fill = fill, goal.context = w;
    if (follows(I, w->about)) {
        goal.dirty = I->dirty;
        goal.v = (const peg_vec6 *)(w->about == PEG_ABOUT_FREE ? I->v_motion
                                    : I->before.is_restored    ? I->before.v
                                                               : I->v);
    }
    peg_outcome outcome = peg_solve_pgs(I->arena, &w->problem, &goal, &w->solution);
    peg_count_solve(I, w->problem.m);
    I->progress.work += w->solution.work;
    I->stats->pgs_solves++;
    I->stats->pgs_iterations += w->solution.iterations;
    note_residual(I, w, outcome);
    if (outcome == PEG_ITERATION_LIMIT) outcome = PEG_SOLVED;
    if (outcome != PEG_SOLVED) return outcome;
    /* the extent of recovery is no error */
    double changed = sum > 0 ? w->solution.residual / sqrt(0.5 * sum) : 0;
    if (w->about == PEG_ABOUT_FREE || !(I->forms & PEG_FORM_RECOVERY))
        I->stats->pgs_residual_max = fmax(I->stats->pgs_residual_max, changed);
    return I->joints.n ? peg_joints_polish(I, &w->problem, &w->solution) : outcome;
}

/* --- the answer --- */

/* Rows that were not visited keep the impulses of the last solve about v_f, or of its restoration.
 * If a solve about v_f changes the answer that was restored, the restoration is repeated. */
static void take(peg_island *I, const workspace *w)
{
    int contacts = I->rows.m;
    if (w->about == PEG_ABOUT_FREE && may_rest(I) &&
        peg_is_slow(I, (const peg_vec6 *)w->solution.v, PEG_COARSE_REST))
        memset(w->solution.v, 0, (size_t)I->nd * sizeof *w->solution.v);
    const peg_vec6 *before =
        (const peg_vec6 *)(w->about == PEG_ABOUT_FREE && I->before.is_restored ? I->v_motion
                                                                               : I->v);
    for (int i = 0; i < I->nd; i++) {
        I->dirty[i] |= memcmp(before[i], w->solution.v[i], sizeof before[i]) != 0;
        memcpy(I->v[i], w->solution.v[i], sizeof I->v[i]);
    }
    if (I->joints.n)
        memcpy(I->joints.lambda, w->solution.lambda + contacts,
               (size_t)I->joints.n * sizeof *I->joints.lambda);
    for (int g = 0; g < w->groups && w->group[g].begin < contacts; g++) {
        int begin = w->group[g].begin, end = w->group[g].end, seen = w->filled[begin];
        int ends = seen && !is_for_poses(w); /* else without friction */
        peg_pair *p = &I->pair[I->rows.row[begin].pair];
        for (int i = begin; i < end; i++) {
            peg_row *row = &I->rows.row[i];
            row->lambda = seen ? w->solution.lambda[i] : unseen(w, row);
            if (row->friction) continue;
            row->lambda = peg_max(row->lambda, 0);
            if (row->lambda > 0 && !row->first_contact) p->active = 1;
        }
        for (int i = begin; i < end && ends; i = peg_next_normal(&I->rows, i))
            peg_friction_end(I, &I->rows.row[i]);
    }
}

static peg_outcome attempt(peg_island *I, peg_about about, int frictionless)
{
    workspace w = {.island = I, .about = about};
    w.is_cold = frictionless;
    w.frictionless = frictionless || is_for_poses(&w);
    if (!set_up(I, &w)) return PEG_OUT_OF_MEMORY;
    peg_outcome outcome = run(I, &w);
    if (outcome != PEG_SOLVED) return outcome;
    if (has_diverged(I, &w)) return PEG_NOT_CERTIFIED;
    take(I, &w);
    return outcome;
}

peg_outcome peg_island_solve_iterative(peg_island *I, peg_about about)
{
    peg_outcome outcome = attempt(I, about, 0);
    if (outcome == PEG_NOT_CERTIFIED) {
        memset(I->dirty, 1, (size_t)I->nr);
        I->before.has_motion = I->before.is_restored = 0;
        I->stats->friction_unconverged++;
        outcome = attempt(I, about, 1);
    }
    if (outcome == PEG_OUT_OF_MEMORY) I->failed = 1;
    return outcome;
}
