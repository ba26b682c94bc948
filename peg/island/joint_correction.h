/* Correction of joint errors (Baumgarte stabilization) where it jams with contacts. */
#ifndef PEG_JOINT_CORRECTION_H
#define PEG_JOINT_CORRECTION_H

#include "peg/contact/island.h"

/* Whether the last answer gains energy by corrections of joint errors, which push against contacts:
 * as a ball between a door and the floor, that carries 4e5 N s for 1 mm. No joint of the island
 * corrects its error in this step then, and its rows are to be solved again. */
int peg_joints_keep_errors(peg_island *island);

#endif
