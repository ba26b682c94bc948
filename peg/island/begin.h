#ifndef PEG_BEGIN_H
#define PEG_BEGIN_H

#include "peg/contact/island.h"

/* Views of a piece at q_0 and at q(v_f), and of all at both. */
void peg_piece_place_start(const peg_island *island, peg_piece *piece);
void peg_piece_place_free(const peg_island *island, peg_piece *piece);
void peg_island_place_views(peg_island *island);
/* Chooses the pairs' first directions and adds first contacts of the free motion; v = 0. */
void peg_island_begin(peg_island *island);

#endif
