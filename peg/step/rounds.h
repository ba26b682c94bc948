/* What a round of a step hands on to the next one, in which islands are solved with more pairs:
 * velocities, and the rows of their impulses. */
#ifndef PEG_ROUNDS_H
#define PEG_ROUNDS_H

#include "peg/step/assemble.h"

/* Keeps those of an island that was solved, where little of the step's work is left: another round
 * goes on from them. 0 without memory. */
int peg_round_keep(peg_assembly *assembly);
/* Gives an island those of its bodies, if all of them have some. 0 without memory. */
int peg_round_recall(peg_assembly *assembly);

#endif
