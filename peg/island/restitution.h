#ifndef PEG_RESTITUTION_H
#define PEG_RESTITUTION_H

#include "peg/contact/island.h"

/* Velocities after the step, to v_end: v, but without what opened a starting overlap, and with
 * bounce. */
void peg_end_velocities(peg_island *island);
/* Adds the bounce to v_end; may use up the rows. */
void peg_bounce(peg_island *island);

#endif
