/* Messages to the program, each cause once. */
#ifndef PEG_REPORT_H
#define PEG_REPORT_H

#include "peg/types.h"
#include <stdint.h>

typedef void peg_message_function(void *data, pegStatus status, const char *text);

typedef struct peg_report {
    peg_message_function *callback; /* null: silence */
    void *data;
    uint64_t said; /* bit c: cause c was reported */
} peg_report;

enum {
    PEG_CAUSE_CLASS = 0,   /* + ODE's geom class, below 32 */
    PEG_CAUSE_STATUS = 32, /* + the status of a failed call, below 24 */
    PEG_CAUSE_NO_SPACE = 56,
    PEG_CAUSE_JOINTS,
    PEG_CAUSE_SURFACE,
    PEG_CAUSE_ZERO_SIZE,
    PEG_CAUSE_OVERLAP,
    PEG_CAUSE_UNCONVERGED
};

void peg_say(peg_report *report, int cause, pegStatus status, const char *text);
/* Reports an error by its own text; returns it. */
pegStatus peg_fail(peg_report *report, pegStatus status);

#endif
