/* The islands of a step: solved on the workers, and gathered. */
#ifndef PEG_ISLANDS_H
#define PEG_ISLANDS_H

#include "peg/step/stage.h"

/* Empties the workers; 0 without memory. */
int peg_workers_begin(peg_stage *stage);
/* Solves the dirty islands. */
void peg_run_islands(peg_stage *stage);
/* Whether an island with this root was solved in this step. */
int peg_is_island_solved(const peg_stage *stage, int root);
/* Takes the islands' contacts and impulses to the context; 0 without memory. */
int peg_gather_islands(peg_stage *stage);

#endif
