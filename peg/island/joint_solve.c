/* Solving an island's rows with those of joints.
 *
 * Bilateral rows are bounded rows without limit. Loops of joints are redundant and may contradict
 * each other, and contacts may contradict the correction of joint errors. Since v = 0 violates no
 * contact, the joints are relaxed then: their compliance grows until there is an answer, and the
 * joint error stays for that step.
 *
 * Friction without a consistent answer must not separate joints, however: where no solver certifies
 * an answer, the friction impulses found so far are fixed, which leaves a convex problem of normal
 * impulses and joints. */
#include "peg/base/arena.h"
#include "peg/island/joint_row.h"
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/lcp/problem.h"

/* Least compliance of a joint's row, relative to its scale J M^-1 J^T + c, by relaxation level. The
 * first has none but the joint's own: redundant rows, as of closed loops, the solvers handle, and
 * with 1e-8 a joint creeps by up to 1e-10 m under a steady load. */
static const double YIELD[] = {0, 1e-6, 1e-3, 1};
enum { LEVELS = sizeof YIELD / sizeof *YIELD };

/* Corrections of fixed friction: the first OPPOSING against the sliding, by the share OPPOSE of the
 * impulse that would stop it, then only reductions, from BELOW on by a further share STRIDE each.
 * EXCESS: accepted change, relative to the largest. */
enum { CORRECTIONS = 40, OPPOSING = 10, BELOW = 16 };
static const double OPPOSE = 0.3, STRIDE = 0.01, EXCESS = 1e-11;

static double residual(const peg_problem *problem, int i, const peg_solution *solution)
{
    const peg_lcp_row *row = &problem->row[i];
    double root = sqrt(peg_row_scale(problem, i)), lambda = solution->lambda[i];
    double w = peg_lcp_speed(row, (const peg_vec6 *)solution->v) + row->b + row->c * lambda;
    double moved = lambda * root - w / root, bound = row->bounded ? row->limit * root : INFINITY;
    return fabs(lambda * root - fmin(fmax(moved, row->bounded ? -bound : 0), bound));
}

/* Friction may lag in an answer; joints may not. */
static int is_answer(peg_outcome outcome, const peg_problem *problem, int first,
                     const peg_solution *solution)
{
    if (outcome != PEG_LAGGED) return outcome == PEG_SOLVED;
    double most = PEG_NEAR_EXACT * peg_residual_unit(problem);
    for (int i = first; i < problem->m; i++)
        if (!(residual(problem, i, solution) <= most)) return 0;
    return 1;
}

/* --- friction held --------------------------------------------------------------------------- */

/* The problem without the rows whose impulses are fixed; these act on the target. */
typedef struct leftover {
    peg_problem problem;
    peg_solution solution;
    peg_vec6 *target;
    peg_lcp_row *row;
    int *of; /* indices in the whole problem */
    int first;
} leftover;

static int is_held(const peg_problem *problem, int first, int all, int i)
{
    return i < first && (all || problem->row[i].bounded);
}

static int take_rest(peg_island *I, const peg_problem *problem, int first, int all, leftover *p)
{
    int nb = problem->nb;
    p->solution = (peg_solution){0};
    p->target = PEG_NEW(I->arena, peg_vec6, nb);
    p->row = PEG_NEW(I->arena, peg_lcp_row, problem->m);
    p->of = PEG_NEW(I->arena, int, problem->m);
    p->solution.v = PEG_NEW(I->arena, peg_vec6, nb);
    p->solution.lambda = PEG_NEW(I->arena, double, problem->m);
    if (!p->target || !p->row || !p->of || !p->solution.v || !p->solution.lambda) return 0;
    int m = 0;
    for (int i = 0; i < problem->m; i++) {
        if (is_held(problem, first, all, i)) continue;
        if (i == first) p->first = m;
        p->row[m] = problem->row[i];
        p->of[m++] = i;
    }
    p->problem = (peg_problem){nb, m, problem->mass, (const peg_vec6 *)p->target, p->row};
    return 1;
}

/* Moves friction against the sliding, or removes what drives it, then clamps it to the bounds of
 * the normal impulses. Returns whether any of it changed. */
static int correct_friction(const peg_problem *problem, int first, int pass,
                            const peg_solution *now, double *lambda)
{
    double largest = 0, cut = 0, share = pass < BELOW ? 1 : 1 - STRIDE * (pass - BELOW);
    for (int i = 0; i < first; i++) {
        const peg_lcp_row *row = &problem->row[i];
        if (!row->bounded) continue;
        double most = row->limit + (row->mu > 0 ? row->mu * fmax(0, lambda[row->normal]) : 0);
        double w = peg_lcp_speed(row, (const peg_vec6 *)now->v) + row->b + row->c * lambda[i];
        double was = isfinite(lambda[i]) ? lambda[i] : 0, next = was;
        if (pass < OPPOSING)
            next -= OPPOSE * w / peg_row_scale(problem, i);
        else if (was * w > 0)
            next = 0;
        if (fabs(next) > most) next = copysign(pass < OPPOSING ? most : share * most, next);
        largest = fmax(largest, most);
        cut = fmax(cut, fabs(next - was));
        lambda[i] = next;
    }
    return !(cut <= EXCESS * largest);
}

static void push_target(const peg_problem *problem, int first, int all, const double *lambda,
                        peg_vec6 *target)
{
    for (int i = 0; i < problem->nb; i++) memcpy(target[i], problem->target[i], sizeof target[i]);
    for (int i = 0; i < first; i++) {
        const peg_lcp_row *row = &problem->row[i];
        int a = row->body_a, b = row->body_b;
        if (!is_held(problem, first, all, i)) continue;
        if (a >= 0) peg_add_impulse(&problem->mass[a], row->Ja, lambda[i], target[a]);
        if (b >= 0) peg_add_impulse(&problem->mass[b], row->Jb, lambda[i], target[b]);
    }
}

/* lambda of the friction rows: what is held. PEG_LAGGED: solution is an answer but for friction;
 * the last one that was found. */
static peg_outcome hold_friction(peg_island *I, const peg_problem *problem, int first,
                                 peg_solution *solution)
{
    leftover p = {0};
    int is_known = 0;
    double *held = PEG_NEW(I->arena, double, problem->m);
    if (!held || !take_rest(I, problem, first, 0, &p)) return PEG_OUT_OF_MEMORY;
    if (p.problem.m == problem->m || peg_work_is_spent(I)) return PEG_NOT_CERTIFIED;
    memcpy(held, solution->lambda, (size_t)problem->m * sizeof *held);
    for (int k = 0; k < p.problem.m; k++) p.solution.lambda[k] = solution->lambda[p.of[k]];
    for (int passes = 0; passes <= CORRECTIONS && !peg_work_is_spent(I); passes++) {
        push_target(problem, first, 0, held, p.target);
        for (int k = p.first; k < p.problem.m; k++)
            p.solution.lambda[k] = I->joints.lambda[k - p.first];
        peg_outcome outcome = peg_island_lcp(I, &p.problem, &p.solution);
        if (!is_answer(outcome, &p.problem, p.first, &p.solution)) break;
        for (int k = 0; k < p.problem.m; k++) held[p.of[k]] = p.solution.lambda[k];
        memcpy(solution->lambda, held, (size_t)problem->m * sizeof *held);
        memcpy(solution->v, p.solution.v, (size_t)problem->nb * sizeof *solution->v);
        is_known = 1;
        if (passes == CORRECTIONS || !correct_friction(problem, first, passes, &p.solution, held))
            break;
    }
    if (!is_known) return PEG_NOT_CERTIFIED;
    solution->residual = peg_residual(problem, solution);
    solution->cone = peg_cone_excess(problem, solution);
    return PEG_LAGGED;
}

peg_outcome peg_joints_polish(peg_island *I, const peg_problem *problem, peg_solution *solution)
{
    leftover p = {0};
    int first = problem->m - I->joints.n;
    if (I->forms & PEG_FORM_POSITIONS_APART)
        return hold_friction(I, problem, first, solution) == PEG_OUT_OF_MEMORY ? PEG_OUT_OF_MEMORY
                                                                               : PEG_SOLVED;
    if (!take_rest(I, problem, first, 1, &p)) return PEG_OUT_OF_MEMORY;
    push_target(problem, first, 1, solution->lambda, p.target);
    for (int k = 0; k < I->joints.n; k++) p.solution.lambda[k] = solution->lambda[first + k];
    peg_outcome outcome = peg_island_lcp(I, &p.problem, &p.solution);
    if (!is_answer(outcome, &p.problem, 0, &p.solution)) return outcome;
    for (int k = 0; k < I->joints.n; k++) solution->lambda[first + k] = p.solution.lambda[k];
    memcpy(solution->v, p.solution.v, (size_t)problem->nb * sizeof *solution->v);
    return PEG_SOLVED;
}

/* --- all ------------------------------------------------------------------------------------- */

static int turns_only(const peg_lcp_row *row)
{
    return peg_dot(row->Ja, row->Ja) == 0 && peg_dot(row->Jb, row->Jb) == 0;
}

/* Equations of the same two bodies about axes, or along axes, of one space: which axes of it, is
 * arbitrary. */
static int are_alike(const peg_lcp_row *row, const peg_lcp_row *next)
{
    return row->body_a == next->body_a && row->body_b == next->body_b && peg_is_equation(row) &&
           peg_is_equation(next) && turns_only(row) == turns_only(next);
}

/* Rows that are alike yield alike, by their mean scale, which is the same along all axes: else a
 * body that is pressed one way would yield another way, too. */
static void yield_rows(const peg_island *I, const peg_problem *problem, double share,
                       peg_lcp_row *row)
{
    int first = problem->m - I->joints.n;
    for (int k = first, end; k < problem->m; k = end) {
        double scale = 0;
        for (end = k; end < problem->m && (end == k || are_alike(&row[k], &row[end])); end++)
            scale += peg_row_scale(problem, end);
        for (int i = k; i < end; i++) row[i].c = fmax(row[i].c, share * scale / (end - k));
    }
}

void peg_joints_fill(const peg_island *I, const peg_problem *problem, peg_lcp_row *row,
                     double *lambda)
{
    int first = problem->m - I->joints.n;
    double share = YIELD[I->joints.relaxation];
    for (int k = 0; k < I->joints.n; k++) {
        row[first + k] = I->joints.row[k];
        lambda[first + k] = I->joints.lambda[k];
    }
    if (share > 0) yield_rows(I, problem, share, row);
}

int peg_joints_relax(peg_island *I)
{
    if (!I->joints.n || I->joints.relaxation + 1 == LEVELS) return 0;
    I->joints.relaxation++;
    I->stats->joints_relaxed++;
    return 1;
}

static peg_outcome solve_level(peg_island *I, const peg_problem *problem, peg_lcp_row *row,
                               const double *start, peg_solution *solution)
{
    int first = problem->m - I->joints.n;
    peg_joints_fill(I, problem, row, solution->lambda);
    for (int i = 0; i < first; i++) solution->lambda[i] = start[i];
    peg_outcome outcome = peg_island_lcp(I, problem, solution);
    if (outcome == PEG_OUT_OF_MEMORY || is_answer(outcome, problem, first, solution))
        return outcome;
    if (I->mode == PEG_MODE_LIMITED || peg_work_is_spent(I)) return PEG_NOT_CERTIFIED;
    if (outcome != PEG_LAGGED)
        for (int i = 0; i < first; i++) solution->lambda[i] = start[i];
    return hold_friction(I, problem, first, solution);
}

peg_outcome peg_joints_solve(peg_island *I, const peg_problem *problem, peg_lcp_row *row,
                             peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    double *start = PEG_NEW(I->arena, double, problem->m);
    peg_outcome outcome = PEG_OUT_OF_MEMORY;
    if (start)
        for (int i = 0; i < problem->m - I->joints.n; i++) start[i] = solution->lambda[i];
    while (start) {
        outcome = solve_level(I, problem, row, start, solution);
        int good = peg_is_answer(outcome);
        if (good || outcome == PEG_OUT_OF_MEMORY || I->mode == PEG_MODE_LIMITED ||
            peg_work_is_spent(I) || !peg_joints_relax(I))
            break;
    }
    peg_arena_back(I->arena, mark);
    return outcome;
}
