/* How joints were set. */
#ifndef PEG_LAUNCH_JOINTS_H
#define PEG_LAUNCH_JOINTS_H

#include "plugin/launch/world/world_registry.h"

/* Puts the stand-ins of the joints' setters into the table. */
void peg_take_joints_over(peg_calls *calls);
/* Tells the peg world of the joints that it does not know. */
void peg_tell_joints(peg_world_entry *entry);
void peg_forget_joint(dJointID joint);

#endif
