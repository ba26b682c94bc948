/* Choice of the solver, and the certificate that every answer needs. */
#include <float.h>

#include "peg/lcp/balance.h"
#include "peg/lcp/delassus.h"
#include "peg/lcp/equations.h"
#include "peg/lcp/problem.h"

/* Large impulses that cancel (a block squeezed between compliant rows, or in a wedge) leave a force
 * balance that can neither be met nor evaluated to better than the rounding of its terms: so much
 * of their sum is granted beside the tolerance, ... */
static const double ROUNDING = 2 * DBL_EPSILON;
/* ... but never more than so many tolerances altogether. */
static const double MOST = 100;

/* Bodies up to which the active set is faster than Newton's method; bodies up to which it follows
 * where that fails: with masses of 12 g and 55 kg it solves at once what Newton's method does not.
 */
enum { SMALL = 40, MEDIUM = 60 };
/* Coordinates up to which it follows: six of a body, one of each equation, as of joints. */
enum { MOST_COORDINATES = 500 };
/* Iterations of Newton's method before it where no bound is finite: the problem is convex then, and
 * the active set ends; of flush grids Newton's method circles among redundant rows. */
enum { CONVEX_ITERATIONS = 32 };

/* What an answer is held to. */
typedef struct certificate {
    const peg_problem *problem;
    peg_norms norms;
    double least; /* sqrt(J): largest residual of an answer without impulses that cancel */
} certificate;

/* sqrt(J): what the residual of the solution may be. */
static double allowed(const certificate *c, const peg_solution *solution)
{
    const peg_problem *problem = c->problem;
    double largest = 0;
    for (int body = 0; body < problem->nb; body++) {
        double sum = 0;
        for (int i = 0; i < problem->m; i++)
            if (problem->row[i].body_a == body || problem->row[i].body_b == body)
                sum += fabs(solution->lambda[i]) * c->norms.row[i];
        largest = fmax(largest, sum);
    }
    return fmin(c->least + ROUNDING * largest, MOST * c->least);
}

/* Takes an answer only with its certificate. */
static peg_outcome certify(const certificate *c, peg_outcome outcome, peg_method method,
                           peg_solution *solution)
{
    double least = c->least;
    solution->method = method;
    if (!peg_is_answer(outcome)) return outcome;
    solution->cone = peg_cone_excess(c->problem, solution);
    solution->residual = peg_residual_up_to(c->problem, &c->norms, solution, INFINITY);
    int good = isfinite(least) &&
               (solution->residual <= least ||
                (solution->residual <= MOST * least && solution->residual <= allowed(c, solution)));
    return good ? PEG_SOLVED : outcome == PEG_LAGGED ? PEG_LAGGED : PEG_NOT_CERTIFIED;
}

/* What rested goes on resting: v = 0 with the impulses of the warm start. */
static int rests(const certificate *c, peg_solution *solution)
{
    const peg_problem *problem = c->problem;
    double most = MOST * c->least;
    int pushed = 0;
    for (int i = 0; i < problem->m && !pushed; i++) pushed = solution->lambda[i] != 0;
    if (!pushed) return 0;
    memset(solution->v, 0, (size_t)problem->nb * sizeof *solution->v);
    solution->iterations = 0;
    if (!(peg_residual_up_to(problem, &c->norms, solution, most) <= most)) return 0;
    return certify(c, PEG_SOLVED, PEG_METHOD_NONE, solution) == PEG_SOLVED;
}

static int is_settled(peg_outcome outcome)
{
    return outcome == PEG_SOLVED || outcome == PEG_INFEASIBLE || outcome == PEG_OUT_OF_MEMORY;
}

/* Rows with bounds, and with finite ones. */
typedef struct kinds {
    int bounded, limited;
} kinds;

static kinds count_kinds(const peg_problem *problem)
{
    kinds k = {0, 0};
    for (int i = 0; i < problem->m; i++) {
        k.bounded += problem->row[i].bounded != 0;
        k.limited += problem->row[i].bounded && isfinite(problem->row[i].limit);
    }
    return k;
}

static peg_outcome run_newton(peg_arena *arena, const certificate *c,
                              const peg_solve_options *options, int is_followed,
                              peg_solution *solution)
{
    peg_solve_options of = *options;
    double share = (double)CONVEX_ITERATIONS * c->problem->m;
    if (is_followed && !(of.most_work > 0 && of.most_work < share)) of.most_work = share;
    return certify(c, peg_solve_working_set(arena, c->problem, &of, c->least, solution),
                   PEG_METHOD_NEWTON, solution);
}

/* Equations alone: factors of their envelope. Bounded rows of small problems: their Delassus
 * matrix. Where that finds no answer, and of large
 * islands: Newton's method, whose cost grows least. Where it fails, and first where no row is
 * bounded and the island small, the active set: it is the fastest there and proves what it calls
 * infeasible. */
static peg_outcome solve(peg_arena *arena, const certificate *c, const peg_solve_options *options,
                         peg_solution *solution)
{
    const peg_problem *problem = c->problem;
    peg_outcome outcome = PEG_NOT_CERTIFIED;
    pegSolver solver = options->solver;
    kinds k = count_kinds(problem);
    int is_large = problem->nb > SMALL, uses_lemke = solver == PEG_SOLVER_LEMKE;
    int is_limited = options->rescue != PEG_RESCUE_ALL && is_large;
    int is_last = (k.bounded || is_limited) && (k.limited || problem->nb > MEDIUM ||
                                                6 * problem->nb + k.bounded > MOST_COORDINATES);
    if (rests(c, solution)) return PEG_SOLVED;
    if (options->rescue != PEG_RESCUE_ALL && peg_balance(arena, problem, solution->lambda) &&
        rests(c, solution))
        return PEG_SOLVED;
    if (problem->m > 0 && k.bounded - k.limited == problem->m && !uses_lemke)
        outcome = certify(c, peg_solve_equations(arena, problem, &c->norms, c->least, solution),
                          PEG_METHOD_EQUATIONS, solution);
    if (is_settled(outcome)) return outcome;
    if (k.bounded && !uses_lemke)
        outcome = certify(c, peg_solve_delassus(arena, problem, options, solution),
                          PEG_METHOD_DELASSUS, solution);
    if (is_settled(outcome)) return outcome;
    if (k.bounded ? !uses_lemke : solver == PEG_SOLVER_AUTO && is_large)
        outcome = run_newton(arena, c, options, k.bounded && !is_last, solution);
    is_last |= options->most_work > 0 && solution->work >= options->most_work;
    if (is_settled(outcome) || (is_last && !uses_lemke)) return outcome;
    if (!uses_lemke)
        outcome = certify(c, peg_solve_active_set(arena, problem, options, solution),
                          PEG_METHOD_ACTIVE_SET, solution);
    if (is_settled(outcome) || solver == PEG_SOLVER_PROJECTED) return outcome;
    if ((k.bounded || is_limited) && !uses_lemke) return outcome;
    return certify(c, peg_solve_lemke(arena, problem, options, solution), PEG_METHOD_LEMKE,
                   solution);
}

peg_outcome peg_solve(peg_arena *arena, const peg_problem *problem,
                      const peg_solve_options *options, peg_solution *solution)
{
    certificate c = {.problem = problem};
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = PEG_OUT_OF_MEMORY;
    solution->unit = INFINITY;
    solution->work = 0;
    if (peg_norms_create(arena, problem, &c.norms)) {
        solution->unit = peg_residual_unit_by(problem, &c.norms);
        c.least = options->tolerance * solution->unit;
        outcome = solve(arena, &c, options, solution);
    }
    peg_arena_back(arena, mark);
    return outcome;
}
