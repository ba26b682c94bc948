/* Choice and change of the alternative of a pair. */
#ifndef PEG_DISJUNCTION_H
#define PEG_DISJUNCTION_H

#include "peg/contact/island.h"

void peg_pair_begin(peg_island *island, peg_pair *pair);
/* Hands the facet on to the next (sub-)step, which starts where the velocities v lead. */
void peg_pair_keep_choice(const peg_island *island, peg_pair *pair);
/* along: separation along the chosen direction at q_k, m. Returns the widest facet at q_k if it was
 * looked for, else one of kind NONE. */
peg_facet peg_pair_tilt(peg_island *island, peg_pair *pair, double along);
/* What the pair lacks at q_k of the gap it must keep to be accepted, m; <= 0: apart. Sets s. known:
 * the widest facet at q_k; null or of kind NONE: not known. */
double peg_pair_shortfall(peg_island *island, peg_pair *pair, const peg_facet *known);
int peg_pair_switch(peg_island *island, peg_pair *pair);
/* Takes the best facet at q_k among those that held at q_0. */
void peg_pair_choose_facet(peg_island *island, peg_pair *pair);
void peg_pair_lock(peg_island *island, peg_pair *pair);

#endif
