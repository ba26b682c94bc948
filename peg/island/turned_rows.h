/* Steps of islands whose contacts turn, by the midpoint rule. */
#ifndef PEG_TURNED_ROWS_H
#define PEG_TURNED_ROWS_H

#include "peg/contact/island.h"

/* Whether contacts that bore in the last step turn in this one, of an island without joints and
 * compliant contacts. */
int peg_rows_turn(const peg_island *island);
/* Velocities without contact at mid-step, which solves with PEG_FORM_MIDPOINT are about. */
void peg_find_middle(peg_island *island);
/* v_end from the velocities of mid-step, which the exact solve with PEG_FORM_MIDPOINT has found.
 * The impulses of the account become those of the whole step. Returns 0 where nothing bears, no
 * answer is found or contact would add energy. */
int peg_follow_turned_rows(peg_island *island);

#endif
