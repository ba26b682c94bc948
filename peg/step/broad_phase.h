/* Pairs of parts that could touch in the step, by their swept boxes. */
#ifndef PEG_BROAD_PHASE_H
#define PEG_BROAD_PHASE_H

#include "peg/step/stage.h"

/* Adds the pairs of overlapping boxes that are no candidates yet, and marks those that are near.
 * `before`: boxes of which all pairs are candidates, or null. */
int peg_find_pairs(peg_stage *stage, const peg_aabb *box, const peg_aabb *before);
/* The same for the islands that were woken; box: those of the start. */
int peg_find_pairs_of_woken(peg_stage *stage, const peg_aabb *box);
void peg_start_boxes(const peg_stage *stage, peg_aabb *box);
void peg_end_boxes(const peg_stage *stage, peg_aabb *box);

#endif
