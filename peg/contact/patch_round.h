/* Rows of dilated pairs. */
#ifndef PEG_PATCH_ROUND_H
#define PEG_PATCH_ROUND_H

#include "peg/contact/island.h"

void peg_nearest_rows(peg_island *island, int pair, const peg_pair_pose *at, peg_row_set *out);

#endif
