/* Resting islands, whose last results are used again. */
#ifndef PEG_RESTING_ISLANDS_H
#define PEG_RESTING_ISLANDS_H

#include "peg/step/stage.h"

/* Compares the scene with that of the last step, and finds the islands that stay at rest. */
void peg_resting_compare(peg_context *context, const peg_scene *scene);
/* If all islands do: writes the results of the step and returns 1. */
int peg_resting_repeat(peg_context *context, peg_scene *scene, pegStats *stats);
/* Copies the last results of resting islands to the stage. */
void peg_resting_take(peg_stage *stage);
/* Wakes the resting islands that have a pair with something that moves; returns whether there are
 * any. */
int peg_resting_wake(peg_stage *stage);
/* Whether a body is dynamic and its island stays at rest. */
int peg_is_resting(const peg_stage *stage, int body);
/* Copies the pairs of resting islands to the next cache, from the entry *next of this one on and up
 * to those that a candidate precedes, or null: all that are left. 0 without memory. */
int peg_resting_remember(peg_stage *stage, size_t *next, const peg_candidate *until);
/* Keeps the islands that are at rest after a committed step; without memory none. */
void peg_resting_keep(peg_stage *stage);

#endif
