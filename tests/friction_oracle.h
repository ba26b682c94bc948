/* Reference solutions of island problems with bounded rows by trying every state of every row: an
 * unbounded one rests or carries, a bounded one is at its lower bound, sticks, or is at its upper
 * bound. It shares no code with the solvers. */
#ifndef FRICTION_ORACLE_H
#define FRICTION_ORACLE_H

#include "peg/lcp/problem.h"

enum { FRICTION_ORACLE_ROWS = 9, FRICTION_ORACLE_BODIES = 4 };

/* Smallest distance of v, largest entry, from the velocities of a state that satisfies all
 * conditions to 1e-9 with a matrix that is not singular; *found: how many such states there are.
 * Infinite if there is none. */
double friction_oracle_distance(const peg_problem *problem, const double (*v)[6], int *found);

#endif
