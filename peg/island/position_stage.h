/* The position stage: how a step ends whose outer loop does not converge.
 *
 * Velocities and positions are found one after the other. The velocities after the step are those
 * of the mixed LCP about v_f, solved to the certificate where few bodies have no joints, else by
 * projected Gauss-Seidel, with rows that v = 0 satisfies, so that they gain nothing; the positions
 * are moved out of violation by normal rows alone, an exact projection in the energy norm. Pairs
 * that are still violated then limit the bodies that take part: two zones of dynamic bodies are
 * merged into one that moves as a rigid body, and zones against obstacles move by a smaller share
 * of their motion. All others go on.
 *
 * It ends. A zone's share takes one of seven values; let its rank be the number of values below it,
 * 6 to 0. Each round that finds a violation merges two zones or lowers a share. The sum of 1 + rank
 * over the zones, 7 n at the start with n bodies, falls by at least 1 in both cases: a merged zone
 * has the smaller of two ranks. So there are at most 7 n rounds. It ends without violation: zones
 * with the share 0 are where they started, or, where nothing but the island's own bodies takes
 * part, translated together, and the start poses are free of violation; pairs within a zone keep
 * their distance. Only moving kinematic bodies can leave one: the step then ends with it, and it is
 * counted. */
#ifndef PEG_POSITION_STAGE_H
#define PEG_POSITION_STAGE_H

#include "peg/contact/island.h"

typedef enum peg_limits { PEG_UNLIMITED_ONLY, PEG_LIMITS_ALLOWED } peg_limits;

/* Ends the step: v leads to the poses, v_end are the velocities after it. Not converged: without
 * memory, or where bodies had to be limited and that is not allowed. */
peg_result peg_position_stage(peg_island *island, peg_limits limits);

#endif
