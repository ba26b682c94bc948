/* Pairs of two boxes that the broad phase meets: axes tell which are near and become candidates; of
 * the others these are all that is kept. */
#ifndef PEG_BOX_PAIRS_H
#define PEG_BOX_PAIRS_H

#include "peg/step/candidate.h"

/* Whether the pair is one of them. */
int peg_is_box_pair(const peg_stage *stage, int a, int b);
/* a has the smaller id. Without memory the stage has failed. */
void peg_box_pair_add(peg_pair_search *finder, int a, int b);
/* Makes candidates of those of the search that are near; 0 without memory. */
int peg_box_pairs_sort_out(peg_pair_search *finder);
/* Makes candidates, not near ones, of those that are wanted; 0 without memory. */
int peg_box_pairs_take(peg_stage *stage,
                       int (*is_wanted)(const peg_stage *stage, const peg_box_pair *pair));

#endif
