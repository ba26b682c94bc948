/* Check of the pairs at the poses of an iterate. */
#ifndef PEG_CHECK_H
#define PEG_CHECK_H

#include "peg/contact/island.h"

/* Checks every pair that moved: sets s, short_of and violated. May tilt directions. Returns the
 * largest shortfall, m; <= 0: all pairs are apart. */
double peg_check_pairs(peg_island *island, int may_tilt);
/* Whether the pair moves so far along v that it could pass through unseen. */
int peg_is_fast(const peg_island *island, const peg_pair *pair);
/* Advances pair p along v: where it gets deeper than `depth` (m), its rows there are added. Returns
 * whether it did. */
int peg_add_first_contact(peg_island *island, int p, double depth);
/* The same for all fast pairs, and late in the loop for those that stay violated. */
int peg_seek_first_contacts(peg_island *island, double shortfall);

#endif
