#ifndef PEG_BEGIN_H
#define PEG_BEGIN_H

#include "peg/contact/island.h"

/* Chooses the pairs' first directions and adds first contacts of the free motion; v = 0. */
void peg_island_begin(peg_island *island);

#endif
