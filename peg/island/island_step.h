/* The step of an island. */
#ifndef PEG_ISLAND_STEP_H
#define PEG_ISLAND_STEP_H

#include "peg/contact/island.h"

/* The whole step, whatever it takes: results in v_pose and v_end, impulses in `impulse`. */
void peg_island_step(peg_island *island);

#endif
