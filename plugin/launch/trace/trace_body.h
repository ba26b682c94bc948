/* A body as a trace shows it. */
#ifndef PEG_LAUNCH_TRACE_BODY_H
#define PEG_LAUNCH_TRACE_BODY_H

#include <ode/ode.h>
#include <stdio.h>

/* A body, or a geom without one; both null: gone. */
typedef struct peg_trace_body {
    dBodyID body;
    dGeomID geom;
} peg_trace_body;

/* A line of .bodies. */
void peg_trace_put_body(FILE *file, const peg_trace_body *body, size_t number);

#endif
