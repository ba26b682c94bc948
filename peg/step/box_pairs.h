/* Pairs of two boxes from the broad phase. Their separating axes are found at once; pairs in reach
 * become candidates, of the others only parts and axis are kept. */
#ifndef PEG_BOX_PAIRS_H
#define PEG_BOX_PAIRS_H

#include "peg/step/candidate.h"

/* Whether both parts are boxes. */
int peg_is_box_pair(const peg_stage *stage, int a, int b);
/* Size of the pair, as of two shapes. */
double peg_box_pair_size(const peg_stage *stage, const peg_box_pair *pair);
/* a has the smaller id. Without memory the stage has failed. */
void peg_box_pair_add(peg_pair_search *finder, int a, int b);
/* Makes candidates of the search's pairs in reach; 0 without memory. */
int peg_box_pairs_sort_out(peg_pair_search *finder);
/* Makes candidates of the kept pairs that are wanted; 0 without memory. */
int peg_box_pairs_take(peg_stage *stage,
                       int (*is_wanted)(const peg_stage *stage, const peg_box_pair *pair));

#endif
