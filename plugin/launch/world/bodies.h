/* The bodies of a world, for traces and summaries: ODE does not list them. */
#ifndef PEG_LAUNCH_BODIES_H
#define PEG_LAUNCH_BODIES_H

#include "plugin/launch/world/world_registry.h"

/* Stand-in of dBodyCreate. */
dBodyID peg_body_create(dWorldID world);
void peg_bodies_remove(peg_world_entry *entry, dBodyID body);
int peg_bodies_dynamic(const peg_world_entry *entry);
double peg_bodies_energy(const peg_world_entry *entry); /* J, kinetic and in gravity */

#endif
