/* Contacts of a step as a trace shows them: see docs/trace.md. */
#ifndef PEG_LAUNCH_TRACE_CONTACTS_H
#define PEG_LAUNCH_TRACE_CONTACTS_H

#include <stdio.h>

#include "plugin/launch/world/world_registry.h"

/* Before and after a step of ODE's own: contact joints that have no feedback get one. */
void peg_trace_watch_joints(peg_world_entry *entry);
void peg_trace_unwatch_joints(peg_world_entry *entry);

/* The number of a body in the trace, or without one that of a geom; -1: none. */
typedef int peg_trace_number(const peg_trace *trace, dBodyID body, dGeomID geom);
/* The list of the contacts of the last step; that of joints before they are unwatched. */
void peg_trace_put_contacts(FILE *file, const peg_world_entry *entry, peg_trace_number *number);

#endif
