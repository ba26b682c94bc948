/* Capturing the contact problems of a run (peg/lcp/problem.h): every one that goes to the solver.
 */
#ifndef LAB_CAPTURE_H
#define LAB_CAPTURE_H

#include "peg/lcp/problem.h"

#include <threads.h>

/* Files DIR/NNNNNN.txt in the order of the solves, for peg_problem_read. */
typedef struct lab_capture {
    peg_capture hook; /* for lab_options.capture */
    const char *dir;
    int rows_min, rows_max; /* problems of fewer or more rows are left out */
    long written, lost;     /* files; problems that could not be written */
    mtx_t lock;             /* islands may be solved in several threads */
} lab_capture;

/* Makes the folder. 0, or 1 if nothing can be written there. rows: "MIN:MAX", either may be left
 * out; null: all. 2 if it is something else. */
int lab_capture_begin(lab_capture *capture, const char *dir, const char *rows);
void lab_capture_end(lab_capture *capture);

#endif
