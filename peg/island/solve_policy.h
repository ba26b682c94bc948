/* Which solver an island's step is tried with, in which order, and with how much work. */
#ifndef PEG_SOLVE_POLICY_H
#define PEG_SOLVE_POLICY_H

#include "peg/contact/island.h"

/* Steps the island by the first attempt that applies and converges. The position stage is the last
 * one and ends every step; not converged: memory ran out. */
peg_result peg_solve_by_policy(peg_island *island);

#endif
