/* What the files that write a trace share. */
#ifndef PEG_LAUNCH_TRACE_WRITE_H
#define PEG_LAUNCH_TRACE_WRITE_H

#include "plugin/launch/launch.h"
#include "plugin/launch/trace.h"

#include <stdio.h>

/* A body, or a geom without one; both null: gone. */
typedef struct peg_trace_body {
    dBodyID body;
    dGeomID geom;
} peg_trace_body;

/* 17 digits; null for what JSON cannot say. */
void peg_trace_put_number(FILE *file, double x);
void peg_trace_put_numbers(FILE *file, const double *x, int n);
/* A line of .bodies. */
void peg_trace_put_body(FILE *file, const peg_trace_body *body, size_t number);

#endif
