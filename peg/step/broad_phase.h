/* The search for pairs of parts that could touch in the step. */
#ifndef PEG_BROAD_PHASE_H
#define PEG_BROAD_PHASE_H

#include "peg/step/stage.h"

/* Adds the pairs of boxes that overlap and are not known yet; marks the near ones. `before`: boxes
 * of which all pairs are known, or null. */
int peg_find_pairs(peg_stage *stage, const peg_aabb *box, const peg_aabb *before);
/* The same for the bodies that were woken_by_joint; box: those of the start. */
int peg_find_pairs_of_woken(peg_stage *stage, const peg_aabb *box);
void peg_start_boxes(const peg_stage *stage, peg_aabb *box);
void peg_end_boxes(const peg_stage *stage, peg_aabb *box);

#endif
