/* The step of models whose constraints are all unilateral rows: one linearisation at the start, one
 * problem for the island's own solvers, joints included, one motion. */
#ifndef PEG_UNILATERAL_STEP_H
#define PEG_UNILATERAL_STEP_H

#include "peg/contact/island.h"

typedef struct peg_unilateral_model {
    /* Constraints of a pair at the start poses (views `start`). */
    void (*describe)(peg_island *island, int pair, void *data);
    /* Writes velocities to v and impulses to `impulse`; on anything but PEG_SOLVED nothing. */
    peg_outcome (*solve)(peg_island *island, void *data);
    void *data;
} peg_unilateral_model;

/* Where the constraints contradict each other the step is made with the least violation, which
 * compliant rows give, and where that fails with the free velocity. */
peg_result peg_unilateral_step(peg_island *island, const peg_unilateral_model *model);

/* A normal row of two points of a pair at the start poses, with its Jacobian, 0 <= G v + gap/h, and
 * without impulse; null without memory. */
peg_row *peg_add_row_of_points(peg_island *island, int pair, const double point_a[3],
                               const double point_b[3], const double n[3], double gap,
                               peg_row_set *out);

#endif
