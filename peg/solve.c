/* Choice of the solver, and the certificate that every answer needs. */
#include "peg/problem.h"

#include <float.h>

/* Large impulses that cancel (a block squeezed between compliant rows, or in a wedge) leave a force
 * balance that can neither be met nor evaluated to better than the rounding of its terms: so much
 * of their sum is granted beside the tolerance, ... */
static const double ROUNDING = 2 * DBL_EPSILON;
/* ... but never more than so many tolerances altogether. */
static const double MOST = 100;

/* sqrt(J): what the residual of the solution may be. */
static double allowed(const peg_problem *problem, const peg_solution *solution, double tolerance)
{
    double unit = peg_residual_unit(problem), largest = 0;
    for (int body = 0; body < problem->nb; body++) {
        double sum = 0;
        for (int i = 0; i < problem->m; i++)
            if (problem->row[i].body_a == body || problem->row[i].body_b == body)
                sum += fabs(solution->lambda[i]) * sqrt(peg_row_scale(problem, i));
        largest = fmax(largest, sum);
    }
    return fmin(tolerance * unit + ROUNDING * largest, MOST * tolerance * unit);
}

typedef peg_outcome solve_fn(peg_arena *, const peg_problem *, peg_solution *);

static peg_outcome certified(solve_fn *solve, pegSolver which, peg_arena *arena,
                             const peg_problem *problem, double tolerance, peg_solution *solution)
{
    peg_outcome outcome = solve(arena, problem, solution);
    solution->used = which;
    if (outcome != PEG_SOLVED) return outcome;
    solution->residual = peg_residual(problem, solution);
    int good = solution->residual <= tolerance * peg_residual_unit(problem) ||
               solution->residual <= allowed(problem, solution, tolerance);
    return good ? PEG_SOLVED : PEG_NOT_CERTIFIED;
}

/* The projected solver first: it is the faster one and proves what it calls infeasible. */
peg_outcome peg_solve(peg_arena *arena, const peg_problem *problem, pegSolver which,
                      double tolerance, peg_solution *solution)
{
    peg_outcome outcome = PEG_NOT_CERTIFIED;
    if (which != PEG_SOLVER_LEMKE)
        outcome = certified(peg_solve_projected, PEG_SOLVER_PROJECTED, arena, problem, tolerance,
                            solution);
    int settled = outcome == PEG_SOLVED || outcome == PEG_INFEASIBLE ||
                  outcome == PEG_OUT_OF_MEMORY || which == PEG_SOLVER_PROJECTED;
    if (settled) return outcome;
    return certified(peg_solve_lemke, PEG_SOLVER_LEMKE, arena, problem, tolerance, solution);
}
