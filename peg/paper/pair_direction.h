/* The direction of the signed separation of a pair. */
#ifndef PEG_PAIR_DIRECTION_H
#define PEG_PAIR_DIRECTION_H

#include "peg/contact/island.h"
#include "peg/paper/signed_separation.h"

/* Unit direction of a pair (n) and its s, from that of the step before; 0: there is none. Where the
 * polytopes inside of parts with a radius are apart, it is the direction of their nearest features
 * and a and b are points of the surfaces, a - b = s n; else the answer of its program. */
int peg_pair_direction(peg_island *island, peg_pair *pair, const peg_view *A, const peg_view *B,
                       peg_ssh *out);

/* Whether the parts have a radius, and s says that the polytopes inside are apart. */
int peg_cores_are_apart(const peg_view *A, const peg_view *B, double s);

#endif
