/* The direction of the signed separation of a pair. */
#ifndef PEG_PAIR_DIRECTION_H
#define PEG_PAIR_DIRECTION_H

#include "peg/contact/island.h"
#include "peg/paper/signed_separation.h"

/* Unit direction of a pair (n), from that of the step before, with its program's answer; 0: there
 * is none. */
int peg_pair_direction(peg_island *island, peg_pair *pair, const peg_view *A, const peg_view *B,
                       peg_ssh *out);

#endif
