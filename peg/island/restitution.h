#ifndef PEG_RESTITUTION_H
#define PEG_RESTITUTION_H

#include "peg/contact/island.h"

/* Velocities after the step, to v_end: v, but without what opened a starting overlap, and with
 * bounce. */
void peg_end_velocities(peg_island *island);
/* Adds the bounce to v_end; may use up the rows. */
void peg_bounce(peg_island *island);

/* While overlaps open: bodies become no faster by their contacts than what they meet, and the speed
 * at which overlaps open. */
void peg_limit_opened(peg_island *island);
/* Takes the angular velocities after the step along with bodies whose poses restorations have moved
 * elsewhere. */
void peg_carry_velocities(peg_island *island);
/* Pairs that the position stage has merged or shortened meet: their features, by pair, close no
 * more after the step, and loaded contacts no faster. Adds no energy. */
void peg_stop_pairs(peg_island *island, const unsigned char *stops);

#endif
