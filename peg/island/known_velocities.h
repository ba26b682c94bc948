/* Velocities that may end a step, and their impulses: of a pass, or of the round before. */
#ifndef PEG_KNOWN_VELOCITIES_H
#define PEG_KNOWN_VELOCITIES_H

#include "peg/contact/island.h"

/* Keeps the velocities of the iterate and their impulses. Returns 0 without memory. */
int peg_keep_velocities(peg_island *island, peg_known *kept);
/* Goes back to them. Returns 0 where none are known. */
int peg_take_velocities(peg_island *island, const peg_known *known);

#endif
