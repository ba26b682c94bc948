/* The outer loop of the exact model.
 *
 * A pass makes rows at the iterate, solves them, integrates the positions, checks every pair and
 * judges:
 *
 *     verdict     | next pass
 *     ------------|------------------------------------------------------------------
 *     ACCEPT      | none: the step converged
 *     ITERATE     | solve about v_f
 *     RESTORE     | solve about the iterate; iterative solves about v_f first, once, if
 *                 | alternatives have changed
 *     RESTART     | the same with no rows known, after a change of the problem
 *     GIVE_UP     | none: not converged
 */
#ifndef PEG_OUTER_LOOP_H
#define PEG_OUTER_LOOP_H

#include "peg/contact/island.h"

/* Iterations at most where work is limited, and restorations of the position stage. */
enum { PEG_LIMITED_PASSES = 12 };

/* Steps the island from its start poses in the mode that is set. */
peg_result peg_outer_loop(peg_island *island);
/* While overlaps open: limits how far bodies turn for it in the step. */
void peg_shorten_opening(peg_island *island);

#endif
