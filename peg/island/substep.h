#ifndef PEG_SUBSTEP_H
#define PEG_SUBSTEP_H

#include "peg/contact/island.h"

/* The whole step of an island, fallbacks included: results in v_pose and v_end, impulses in
 * impulse. The rigids' states are those of the last sub-step. */
void peg_island_step(peg_island *island);

#endif
