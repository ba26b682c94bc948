/* Rows that turn during a step take motion from the bodies; half of that turn is given back. */
#ifndef PEG_TURNED_ROWS_H
#define PEG_TURNED_ROWS_H

#include "peg/contact/island.h"

/* Lets v_end, which is the iterate's v, go on as the contacts turn. Applies to islands that were
 * solved exactly, without joints. The impulses of the account become those that lead to v_end. */
void peg_follow_turned_rows(peg_island *island);

#endif
