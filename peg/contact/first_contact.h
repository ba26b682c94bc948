/* First contact in a motion: conservative advancement. */
#ifndef PEG_FIRST_CONTACT_H
#define PEG_FIRST_CONTACT_H

#include "peg/contact/island.h"

/* Least stride of conservative advancement, in widths of the pair: overlaps deeper than it and the
 * depth sought are found. */
#define PEG_STRIDE 0.2

/* Pairs that move more than so many widths relative to each other are fast; of two triangles those
 * that move more than the depth in altitudes that is sought. The time of pours does not depend on
 * it (pour-boxes of 60 at h .1 for 20 s, seeds 1 to 8, with .15 to .4). */
#define PEG_FAST 0.3

/* Result for a pair that moves along t v, t in [0, 1]. */
typedef struct peg_passage {
    int hit;      /* it exceeds the depth allowed */
    double apart; /* last t before at which it was separated */
    double deep;  /* t at which it was deeper than allowed, or triangles had passed through */
    double n[3];  /* direction along which triangles were apart before */
    double clear; /* bound below on their separation in the whole motion, m; -infinity: not known */
} peg_passage;
/* Whether a pair moves so far along v that it could tunnel between q_0 and q_k. */
int peg_pair_is_fast(const peg_island *island, const peg_pair *pair, const peg_vec6 *v);
peg_passage peg_conservative_advancement(peg_island *island, const peg_pair *pair,
                                         const peg_vec6 *v, double depth);
/* Whether the island has made all strides that it may in the step. */
int peg_strides_are_over(const peg_island *island);
/* Adds the pair's rows at that pose to island->first. */
void peg_first_contact(peg_island *island, int pair, const peg_passage *passage, const peg_vec6 *v);
/* Removes rows that first contacts of their pairs have outdated; once after those of all pairs. */
void peg_remove_first_contacts(peg_island *island);

#endif
