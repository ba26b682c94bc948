/* Small problems by their Delassus matrix. Symbols as in scaled.h:
 *
 *     s = W u + beta,   W = N^T N: m x m, dense, ones on its diagonal
 */
#ifndef PEG_DELASSUS_H
#define PEG_DELASSUS_H

#include "peg/lcp/problem.h"

/* Rows with bounds, and equations, up to which problems are small. A factorisation takes a third of
 * the third power of the rows that are held. With 48 rows a step of a falling pile of 100 boxes
 * takes 1.03 times the instructions, with 96 a chain of 10 links 1.16 times. */
enum { PEG_DELASSUS_ROWS = 72, PEG_DELASSUS_EQUATIONS = 128 };

/* Solves small problems; of larger ones, and where no answer is found, PEG_ITERATION_LIMIT. The
 * solution is written on PEG_SOLVED only; it is not certified. */
peg_outcome peg_solve_delassus(peg_arena *arena, const peg_problem *problem,
                               const peg_solve_options *options, peg_solution *solution);

#endif
