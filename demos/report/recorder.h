/* Records a running scene: into memory, into a file, or both. */
#ifndef LAB_RECORDER_H
#define LAB_RECORDER_H

#include "demos/report/trace.h"
#include "demos/world/run.h"

typedef struct lab_recorder {
    const char *path; /* trace file; null: none */
    int compact;      /* version 2; also if the file's name says that it is packed */
    double quantum;   /* m; 0: not rounded */
    long every;       /* each so many steps, and the last one; 0: all */
    int keep;         /* keep the frames in memory */
    lab_trace *trace; /* once begun */
    trace_writer writer;
} lab_recorder;

/* What lab_run shows the run to. */
lab_observer lab_recorder_observer(lab_recorder *r);
void lab_recorder_free(lab_recorder *r);

/* The bodies of a world as a trace without frames; and its present state as another frame. Null or
 * 1: no memory. */
lab_trace *lab_trace_of(const lab_world *w);
int lab_trace_add(lab_trace *trace, lab_world *w);

#endif
