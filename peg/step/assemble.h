/* Islands out of the stage, and their results back to it. */
#ifndef PEG_ASSEMBLE_H
#define PEG_ASSEMBLE_H

#include "peg/step/stage.h"

/* Asks for the surfaces of an island's pairs. */
void peg_query_surfaces(peg_stage *stage, int root);
/* Builds and steps the island of a root, and takes its results. Touches nothing of other islands,
 * and calls nobody: islands may run on several threads, each with a worker of its own, or one on
 * all (pool). */
void peg_run_island(peg_stage *stage, peg_worker *worker, int root, peg_pool *pool);

/* --- between assemble.c and results.c --- */

typedef struct peg_assembly {
    peg_stage *stage;
    peg_worker *worker;
    peg_island_result *solved;
    peg_island island;
    int *body_of;       /* nr */
    int *part_of;       /* npiece */
    size_t *numbers_at; /* npiece: of its views, among .. */
    double *numbers;    /* .. all */
    size_t numbers_used;
    peg_choice *choice; /* npair: of the results */
    int *candidate_of;  /* npair */
    int *normal_row;    /* by contact: its normal row */
    int has_points;     /* a piece is a particle */
} peg_assembly;
/* Of a step that was made: to the stage. */
void peg_take_results(peg_assembly *a);

#endif
