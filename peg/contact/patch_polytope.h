/* Rows of pairs of polytopes without a radius. */
#ifndef PEG_PATCH_POLYTOPE_H
#define PEG_PATCH_POLYTOPE_H

#include "peg/contact/island.h"

/* Room for shapes of so many vertices, faces and edges; 0 without memory. */
int peg_patch_room(peg_island *island, int largest);
void peg_polytope_rows(peg_island *island, int pair, const peg_pair_pose *at, peg_row_set *out);

#endif
