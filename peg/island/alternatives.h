/* Change of the alternatives of an island's pairs after a solve. Each returns how many changed. */
#ifndef PEG_ALTERNATIVES_H
#define PEG_ALTERNATIVES_H

#include "peg/contact/island.h"

/* Loaded pairs for which another facet holds better. */
int peg_switch_pairs(peg_island *island);
/* Pairs with a loaded row whose features had passed each other at the start. */
int peg_lock_pairs(peg_island *island);

#endif
