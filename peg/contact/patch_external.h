/* Pairs with external contacts: found at the start of the step by ODE or a program. */
#ifndef PEG_PATCH_EXTERNAL_H
#define PEG_PATCH_EXTERNAL_H

#include "peg/contact/island.h"

void peg_external_begin(const peg_island *island, peg_pair *pair);
double peg_external_shortfall(const peg_island *island, peg_pair *pair);
void peg_external_rows(peg_island *island, int pair, const peg_pair_pose *at, peg_row_set *out);
double peg_external_gap(const peg_island *island, const peg_pair *pair, const peg_pair_pose *at,
                        int i);
/* Of a row of two points: along its normal, which stays. */
double peg_points_gap(const peg_island *island, const peg_pair_pose *at, const peg_row *row);

#endif
