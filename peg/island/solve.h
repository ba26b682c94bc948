/* Solves the rows of an island: solve.c, by way of solve_exact.c or solve_iterative.c. */
#ifndef PEG_SOLVE_H
#define PEG_SOLVE_H

#include "peg/contact/island.h"

/* PGS ends where rows fail by less than this share of the bodies' speed, of fewer than
 * PEG_COARSE_FROM bodies. */
#define PEG_FINE 1e-5

/* PGS iterations of coarse solves at most, in restorations twice as many in each pass after the
 * second, in the wide attempt at least; of those for the velocities of slow islands, which friction
 * is to hold: with as few as active ones pile-convex of 40 bodies with mu infinite (h .02, seed 6)
 * freezes in 41 steps. */
enum { PEG_COARSE_ITERATIONS = 40, PEG_SLOW_ITERATIONS = 80 };

typedef enum peg_about { PEG_ABOUT_FREE, PEG_ABOUT_ITERATE } peg_about;
/* Solves the rows about v_f (or v_k: restoration) and writes the velocities to v. On anything but
 * PEG_SOLVED nothing is written. */
peg_outcome peg_island_solve(peg_island *island, peg_about about);
/* Takes the impulses of the last solve into `impulse`: one about v_f starts the account anew, one
 * about v_k adds to it. */
void peg_island_accumulate(peg_island *island, peg_about about);
/* Both; what restores poses only is no part of the account. */
peg_outcome peg_solve_and_accumulate(peg_island *island, peg_about about);

/* The two methods. Both write the velocities and the rows' impulses; they use up memory of the
 * arena.
 */
peg_outcome peg_island_solve_exact(peg_island *island, peg_about about);
peg_outcome peg_island_solve_iterative(peg_island *island, peg_about about);

#endif
