/* What steps so far tell of a pair of geoms. */
#ifndef PEG_LAUNCH_PAIR_HISTORY_H
#define PEG_LAUNCH_PAIR_HISTORY_H

#include "plugin/launch/world/world_registry.h"

/* The least depth at which the program made a contact joint of the pair, since it does so in every
 * step; 0: it does not. */
double peg_usual_depth(const peg_world_entry *entry, dGeomID a, dGeomID b);
/* A contact joint was made; nothing is kept without memory. */
void peg_keep_depth(peg_world_entry *entry, const dContactGeom *contact);
/* Depths of this step become those of the last one. */
void peg_turn_depths(peg_world_entry *entry);

/* Contacts of the pair cannot be taken over: they are ODE's from now on. */
void peg_leave_to_ode(peg_world_entry *entry, dGeomID a, dGeomID b);
int peg_is_left_to_ode(const peg_world_entry *entry, dGeomID a, dGeomID b);

#endif
