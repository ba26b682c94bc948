/* The step of an active island of many boxes, in lanes: see the source. */
#ifndef PEG_WIDE_ATTEMPT_H
#define PEG_WIDE_ATTEMPT_H

#include "peg/contact/island.h"

/* Needs the poses of the start, not the pieces' views. 0: the island is none for it, or its pairs
 * could not be brought apart in bounded work; nothing is changed then but the iterate. */
int peg_wide_attempt(peg_island *island);

#endif
