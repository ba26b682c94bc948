/* Rows of a pair in the iterate `at`. */
#ifndef PEG_PATCH_H
#define PEG_PATCH_H

#include "peg/contact/island.h"

int peg_patch_rows(peg_island *island, int pair, const peg_pair_pose *at, peg_row_set *out);
/* Rows of the chosen facet itself, within `lateral` L of the features. */
int peg_facet_rows(peg_island *island, int pair, const peg_pair_pose *at, double lateral,
                   peg_row_set *out);
/* The row of two triangles that pass each other, at the point where they touch: along the chosen
 * direction or, if that is nearly the normal of one of them, along this. */
void peg_support_row(peg_island *island, int pair, const peg_pair_pose *at, peg_row_set *out);

/* Gap of a normal row's features at q_k, m. */
double peg_row_gap(const peg_island *island, const peg_row *row);

#endif
