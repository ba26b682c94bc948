/* First contact on the way. */
#ifndef PEG_FIRST_CONTACT_H
#define PEG_FIRST_CONTACT_H

#include "peg/contact/island.h"

/* First contact is sought with strides of at least so many widths: nothing deeper than them and the
 * depth that is sought is missed. */
#define PEG_STRIDE 0.2

/* What a pair meets on its way along t v, t in [0, 1]. */
typedef struct peg_passage {
    int hit;      /* it gets deeper than it may */
    double apart; /* last t before that at which it was separated */
    double deep;  /* t at which it was too deep */
} peg_passage;
/* Whether a pair moves so far along v that it could pass through each other unseen. */
int peg_pair_is_fast(const peg_island *island, const peg_pair *pair, const peg_vec6 *v);
peg_passage peg_conservative_advancement(peg_island *island, const peg_pair *pair,
                                         const peg_vec6 *v, double depth);
/* Takes the pair's rows there into island->first. */
void peg_first_contact(peg_island *island, int pair, const peg_passage *passage, const peg_vec6 *v);

#endif
