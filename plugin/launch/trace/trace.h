/* Traces: every pose of a world, as JSON Lines.
 *
 * The first line of a trace names all bodies, those too that come later. So four files are written
 * beside it while the program runs, and peg-run makes one of them when the program has ended, in
 * whatever way (trace_join.c). A body is one of ODE's with its geoms, or a geom without a body. */
#ifndef PEG_LAUNCH_TRACE_H
#define PEG_LAUNCH_TRACE_H

#include <stddef.h>

/* FILE of the first world that is stepped, FILE.2 of the second, .. */
int peg_trace_name(char *name, size_t size, const char *file, int number);

/* What is written beside it:
 * .head    the first line up to the connected pairs
 * .joined  pairs that joints connect, a line each
 * .bodies  bodies, a line each, in the order of their numbers
 * .steps   per step: how many bodies there were so far, a space, and the line for these */
#define PEG_TRACE_PARTS ".head", ".joined", ".bodies", ".steps"
enum { PEG_TRACE_HEAD, PEG_TRACE_JOINED, PEG_TRACE_BODIES, PEG_TRACE_STEPS, PEG_TRACE_FILES };

/* Between poses and velocities, and after these, in a line of .steps. */
#define PEG_TRACE_VEL   "],\"vel\":["
#define PEG_TRACE_STATS "],\"stats\":{"

/* Joins the parts of all worlds and removes them. 0: something could not be read or written. */
int peg_trace_join(const char *file);
/* Removes parts that were left over. */
void peg_trace_clear(const char *file);

#endif
