#ifndef PEG_OUTER_LOOP_H
#define PEG_OUTER_LOOP_H

#include "peg/contact/island.h"

peg_result peg_outer_loop(peg_island *island);
/* Rows of the pairs at the start pose; first contacts of fast pairs. */
void peg_island_begin(peg_island *island);

#endif
