/* Choice and change of the alternative of a pair. */
#ifndef PEG_DISJUNCTION_H
#define PEG_DISJUNCTION_H

#include "peg/contact/island.h"

void peg_pair_begin(peg_island *island, peg_pair *pair);
/* Keeps the facet for the next (sub-)step, which starts at q(v). */
void peg_pair_keep_choice(const peg_island *island, peg_pair *pair);
/* along: separation along the chosen direction at q_k, m. Returns the widest facet at q_k if it was
 * looked for, else one of kind NONE. */
peg_facet peg_pair_tilt(peg_island *island, peg_pair *pair, double along);
/* Shortfall of the pair's separation at q_k from the gap at which a step is accepted, m; <= 0:
 * none. Sets s. known: the widest facet at q_k; null or of kind NONE: unknown. along: separation
 * along the chosen direction there, m; null: unknown. */
double peg_pair_shortfall(peg_island *island, peg_pair *pair, const peg_facet *known,
                          const double *along);
int peg_pair_switch(peg_island *island, peg_pair *pair);
/* Chooses the widest facet at q_k of those that separated the pair at q_0. */
void peg_pair_choose_facet(peg_island *island, peg_pair *pair);
void peg_pair_lock(peg_island *island, peg_pair *pair);

#endif
