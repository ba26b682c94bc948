/* The step of an island that moves, in lanes: see wide_attempt.c. */
#ifndef PEG_WIDE_ATTEMPT_H
#define PEG_WIDE_ATTEMPT_H

#include "peg/contact/island.h"

/* What restorations open gaps to: the usual reserve, no more than they had at q_0, hardly anything,
 * and that of a shorter motion. Near rest a motion has not the energy for the former. */
typedef enum peg_reserve {
    PEG_RESERVE_WHOLE,
    PEG_RESERVE_KEPT,
    PEG_RESERVE_NONE,
    PEG_RESERVE_SHORTER,
    PEG_RESERVES
} peg_reserve;

/* Steps the island if it suits. Returns 0, and leaves the island to other attempts, if it does not
 * suit, the poses cannot be found so, or it stops unconverged and may not. by_pgs: by coarse PGS,
 * whatever its bodies. */
int peg_wide_attempt(peg_island *island, int may_stop, int by_pgs);
/* Whether an unconverged answer was shortened to rest. */
int peg_stops_unconverged(const peg_island *island);

#endif
