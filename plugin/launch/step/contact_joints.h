/* Contact joints of the program's: recorded when they are made, detached while a step makes exact
 * contacts of them. */
#ifndef PEG_LAUNCH_CONTACT_JOINTS_H
#define PEG_LAUNCH_CONTACT_JOINTS_H

#include "plugin/launch/world/world_registry.h"

/* Stand-ins of ODE's functions. */
dJointID peg_create_contact(dWorldID world, dJointGroupID group, const dContact *contact);
void peg_destroy_joint(dJointID joint);
void peg_empty_group(dJointGroupID group);
void peg_destroy_group(dJointGroupID group);

/* Hands the records over to the peg world and detaches their joints; how many. The others stay
 * joints of ODE's. */
size_t peg_contacts_take(peg_world_entry *entry);
/* The joints are again as the program left them; stepped: with the feedback of the step. */
void peg_contacts_give_back(peg_world_entry *entry, int stepped);
void peg_records_free(peg_world_entry *entry);

#endif
