/* What the mode of an island and the state of a pair mean for the rows. */
#ifndef PEG_MODE_H
#define PEG_MODE_H

#include "peg/contact/island.h"

int peg_is_iterative(const peg_island *island);
int peg_is_coarse(const peg_island *island);
/* The iterative mode for an island of this size. */
peg_solve_mode peg_pgs_mode(const peg_island *island);
/* Whether the bodies go on with v_motion: what restored their poses is no part of the motion. */
int peg_keeps_motion(const peg_island *island);
/* Whether it overlapped at q_0 and should not; by how much it may open in the step, m. */
int peg_pair_recovers(const peg_pair *pair);
double peg_pair_opening(const peg_island *island, const peg_pair *pair);

#endif
