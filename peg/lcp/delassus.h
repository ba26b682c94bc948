/* Small problems by their Delassus matrix. Symbols as in scaled.h:
 *
 *     s = W u + beta,   W = N^T N: m x m, dense, ones on its diagonal
 */
#ifndef PEG_DELASSUS_H
#define PEG_DELASSUS_H

#include "peg/lcp/problem.h"

/* Rows with bounds, and equations, up to which problems are small. A factorisation takes a third of
 * the third power of the rows that are held. With 72 rows random worlds 1-300 limit bodies in 27
 * steps instead of 15, with 192 they take 1.18 times the time. */
enum { PEG_DELASSUS_ROWS = 128, PEG_DELASSUS_EQUATIONS = 128 };

/* Solves small problems; of larger ones, and where no answer is found, PEG_ITERATION_LIMIT. The
 * solution is written on PEG_SOLVED only; it is not certified. */
peg_outcome peg_solve_delassus(peg_arena *arena, const peg_problem *problem,
                               const peg_solve_options *options, peg_solution *solution);

#endif
