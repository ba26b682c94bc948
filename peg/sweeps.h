/* Projected Gauss-Seidel for large islands: an answer to a tolerance that the check of the poses
 * can live with, in a time that grows with what is not yet settled. */
#ifndef PEG_SWEEPS_H
#define PEG_SWEEPS_H

#include "peg/problem.h"

typedef struct peg_sweep_goal {
    const double *speed;       /* m; m/s: what a row may fail by */
    int sweeps;                /* at most */
    const double (*gained)[6]; /* v_f - v_0; if not null v = 0 is an answer where every body's force
                                  balance fails by at most the share `rest` of M gained: only for
                                  rows that v = 0 satisfies */
    double rest;
} peg_sweep_goal;

/* From the warm start. solution->residual is the natural residual of the last sweep, sqrt(J).
 * PEG_ITERATION_LIMIT: the answer is less exact, but every impulse lies within its bounds and v =
 * v_f + M^-1 G^T lambda to rounding, as for PEG_SOLVED (but for v = 0, see above). PEG_SINGULAR:
 * not for these rows (of one body with itself, or without a Jacobian). */
peg_outcome peg_solve_sweeps(peg_arena *arena, const peg_problem *problem,
                             const peg_sweep_goal *goal, peg_solution *solution);

#endif
