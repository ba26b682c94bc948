/* How joints were set. */
#ifndef PEG_LAUNCH_JOINTS_H
#define PEG_LAUNCH_JOINTS_H

#include "plugin/launch/world/world_registry.h"

/* Puts the stand-ins of the joints' setters into the table. */
void peg_take_joints_over(peg_calls *calls);
/* Tells the peg world of the joints that it does not know. */
void peg_tell_joints(peg_world_entry *entry);
void peg_forget_joint(dJointID joint);
/* Bodies in the largest group that joints connect, counted when joints were set and now and then.
 */
int peg_joint_group_size(peg_world_entry *entry);

#endif
