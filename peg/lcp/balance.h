/* Impulses that hold bodies at rest, found by passing their loads on from the top to the bottom. */
#ifndef PEG_BALANCE_H
#define PEG_BALANCE_H

#include "peg/lcp/problem.h"

/* Writes impulses within their cones that make v = 0 an answer, where every body can pass its own
 * load and that of the bodies above it on to contacts below it. Returns 0, and writes nothing,
 * where this finds none: rows that v = 0 does not satisfy, loads that go round, bodies that tip or
 * lean on each other; also without memory. The certificate is the caller's. */
int peg_balance(peg_arena *arena, const peg_problem *problem, double *lambda);

#endif
