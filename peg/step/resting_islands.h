/* Islands that rest: their last results are taken over. */
#ifndef PEG_RESTING_ISLANDS_H
#define PEG_RESTING_ISLANDS_H

#include "peg/step/stage.h"

/* Compares the scene with that of the last step: which islands go on resting. */
void peg_resting_compare(peg_context *context, const peg_scene *scene);
/* If all do: writes the results of the step and returns 1. */
int peg_resting_repeat(peg_context *context, peg_scene *scene, pegStats *stats);
/* Hands the islands that rest their results. */
void peg_resting_take(peg_stage *stage);
/* Wakes the islands that something is near to; returns whether there are such. */
int peg_resting_wake(peg_stage *stage);
/* Whether a body, if it is dynamic, goes on resting. */
int peg_is_resting(const peg_stage *stage, int body);
/* Remembers what is remembered of the pairs that rest; 0 without memory. */
int peg_resting_remember(peg_stage *stage);
/* Keeps the islands of a committed step that rest; without memory they are not kept. */
void peg_resting_keep(peg_stage *stage);

#endif
