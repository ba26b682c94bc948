/* What the files that write JSON share. */
#ifndef PEG_LAUNCH_TRACE_WRITE_H
#define PEG_LAUNCH_TRACE_WRITE_H

#include "plugin/launch/world/launch.h"
#include "plugin/launch/trace/trace.h"

#include <stdio.h>

/* A body, or a geom without one; both null: gone. */
typedef struct peg_trace_body {
    dBodyID body;
    dGeomID geom;
} peg_trace_body;

/* 17 digits; null for what JSON cannot say. */
void peg_json_put_number(FILE *file, double x);
void peg_json_put_numbers(FILE *file, const double *x, int n);
/* A string, with what JSON wants to see escaped. */
void peg_json_put_string(FILE *file, const char *text);
/* A line of .bodies. */
void peg_trace_put_body(FILE *file, const peg_trace_body *body, size_t number);

/* wall: s since the program began. */
void peg_put_summary(FILE *file, const peg_ward *ward, const pegStats *totals, double wall);

#endif
