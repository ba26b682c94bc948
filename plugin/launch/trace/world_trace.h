/* The trace of a world, while the program runs; nothing without --trace. */
#ifndef PEG_LAUNCH_WORLD_TRACE_H
#define PEG_LAUNCH_WORLD_TRACE_H

#include "plugin/launch/world/world_registry.h"

void peg_trace_before(peg_world_entry *entry, double h);
void peg_trace_after(peg_world_entry *entry);
void peg_trace_space(dSpaceID space); /* the program collided it */
/* A body, geom or space is about to be destroyed. */
void peg_trace_gone(peg_trace *trace, void *object);
void peg_trace_end(peg_trace *trace);

#endif
