/* Effect of the island's mode and of the pair's state on rows. */
#ifndef PEG_MODE_H
#define PEG_MODE_H

#include "peg/contact/island.h"

int peg_is_iterative(const peg_island *island);
int peg_is_coarse(const peg_island *island);
/* The iterative mode for an island of this size. */
peg_solve_mode peg_pgs_mode(const peg_island *island);
/* Whether exact solves come first: of few bodies, and of fewer than PEG_COARSE_FROM with joints. */
int peg_is_small(const peg_island *island);
/* Whether velocities after the step are v_motion: restorations of the poses are no part of them. */
int peg_keeps_motion(const peg_island *island);
/* Whether the pair overlapped at q_0 and is to recover; depth that it may recover in the step, m;
 * what its rows ask for of that, by progress.opening. */
int peg_pair_recovers(const peg_pair *pair);
double peg_pair_may_open(const peg_island *island, const peg_pair *pair);
double peg_pair_opening(const peg_island *island, const peg_pair *pair);

#endif
