/* Messages to the program, each cause once. */
#ifndef PEG_MESSAGES_H
#define PEG_MESSAGES_H

#include "peg/base/types.h"
#include <stdint.h>

typedef void peg_message_function(void *data, pegStatus status, const char *text);

typedef struct peg_report {
    peg_message_function *callback; /* null: silence */
    void *data;
    uint64_t said; /* bit c: cause c was reported */
} peg_report;

enum {
    PEG_CAUSE_CLASS = 0,   /* + ODE's geom class, below 32 */
    PEG_CAUSE_STATUS = 32, /* + the status of a failed call, below 16 */
    PEG_CAUSE_NO_SPACE = 48,
    PEG_CAUSE_JOINTS,
    PEG_CAUSE_AXIS,
    PEG_CAUSE_APPROX,
    PEG_CAUSE_BOUNCE,
    PEG_CAUSE_LAYER,
    PEG_CAUSE_CORRECTING_SPEED,
    PEG_CAUSE_ZERO_SIZE,
    PEG_CAUSE_OVERLAP,
    PEG_CAUSE_SQUEEZED,
    PEG_CAUSE_UNCONVERGED,
    PEG_CAUSE_JOINT_POSE,
    PEG_CAUSE_JOINT_UNTOLD,
    PEG_CAUSE_JOINT_MODEL,
    PEG_CAUSE_JOINTS_YIELD
};

_Static_assert((int)PEG_STATUS_COUNT <= 16, "statuses and causes share the bits of `said`");

void peg_say(peg_report *report, int cause, pegStatus status, const char *text);
/* Reports an error by its own text; returns it. */
pegStatus peg_fail(peg_report *report, pegStatus status);

#endif
