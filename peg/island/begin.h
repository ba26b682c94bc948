#ifndef PEG_BEGIN_H
#define PEG_BEGIN_H

#include "peg/contact/island.h"

/* Views of the pieces at q_0 and at q(v_f). */
void peg_island_place_views(peg_island *island);
/* Chooses the pairs' first directions and adds first contacts of the free motion; v = 0. */
void peg_island_begin(peg_island *island);

#endif
