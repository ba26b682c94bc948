/* The position stage: how a step ends whose outer loop does not converge.
 *
 * Velocities and positions are found one after the other. The velocities after the step are those
 * of the mixed LCP about v_f, solved to the certificate where there are no joints, else, and where
 * that takes too much work, by projected Gauss-Seidel, with rows that v = 0 satisfies, so that they
 * gain nothing: first those of q_0, then those of where the answer before has led to, if that gains
 * nothing either. Beside joints the friction that this finds is held, and corrected where it
 * drives, while normal rows and joints are solved exactly. The positions are moved out of violation
 * by normal rows alone, an exact projection in the energy norm, until the bodies are no higher than
 * there is energy for: one that lifts them by more is mixed with the one about a target that has
 * fallen for another step. Beside moving obstacles, where the rows contradict each other, to their
 * least violation, and on from there.
 *
 * Pairs that are still violated then limit the bodies that take part: two zones of dynamic bodies
 * are merged into one that moves as a rigid body in this step, zones against obstacles move by a
 * smaller share of their motion, and after the step the pairs that were violated close no more.
 * Bodies that joints hold to the world move by a smaller share each, as they could not move as one.
 * All others go on. Where moving obstacles are left room for, as long as no violation remains, they
 * carry the zones that they meet: the share is then one of the motion relative to the obstacle.
 * Their velocities are those that contact gives them all the same: nothing is gained by being
 * carried.
 *
 * It ends. A zone's share takes one of seven values; let its rank be the number of values below it,
 * 6 to 0. Each round that finds a violation merges two zones, lowers a share, or lets an obstacle
 * carry a zone that none carried, with the share 1 again. The sum of 1 + rank over the zones, and
 * of 7 more for each that nothing carries or holds, 14 n at most at the start with n bodies, falls
 * by at least 1 in all cases: a merged zone has the smaller of two ranks. So there are at most 14 n
 * rounds. It ends without violation where nothing moves but the island's own bodies: zones with the
 * share 0 are where they started, or, without obstacles, translated together, and the start poses
 * are free of violation; pairs within a zone keep their distance. So it does where one moving
 * obstacle is all that bodies meet: zones with the share 0 move with it as a rigid body. Else what
 * moving obstacles meet can keep a violation: bodies that are squeezed. The step then ends with it,
 * with zones at rest, and it is counted. */
#ifndef PEG_POSITION_STAGE_H
#define PEG_POSITION_STAGE_H

#include "peg/contact/island.h"

typedef enum peg_limits {
    PEG_UNLIMITED_ONLY, /* no limited bodies while work is left, no violation */
    PEG_APART_ONLY,     /* no violation; obstacles carry what they meet */
    PEG_LIMITS_ALLOWED  /* whatever remains is counted */
} peg_limits;

/* Keeps the velocities of the iterate and their impulses. Returns 0 without memory. */
int peg_keep_velocities(peg_island *island, peg_known *kept);
/* Ends the step: v leads to the poses, v_end are the velocities after it. Not converged: without
 * memory, or with what is not allowed. */
peg_result peg_position_stage(peg_island *island, peg_limits limits);

#endif
