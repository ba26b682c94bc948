/* Messages to the program, each cause once. */
#ifndef PEG_MESSAGES_H
#define PEG_MESSAGES_H

#include "peg/base/types.h"
#include <ode/ode.h>
#include <stdint.h>

/* What a message is about; null where it does not apply. */
typedef struct peg_subject {
    dBodyID body;
    dGeomID geom, other; /* of a pair: both */
    dJointID joint;
} peg_subject;

/* text lives until the callback returns. */
typedef void peg_message_function(void *data, pegSeverity severity, pegStatus status,
                                  const char *text, const peg_subject *about);

typedef struct peg_report {
    peg_message_function *callback; /* null: silence */
    void *data;
    uint64_t said;        /* bit c: cause c was reported */
    uint32_t said_status; /* bit s: a call that failed with s was reported */
    uint32_t said_class;  /* bit k: geoms of ODE's class k were reported */
    peg_subject culprit;  /* of the error under way */
    peg_subject told;     /* that of the last one reported */
} peg_report;

typedef enum peg_cause {
    PEG_CAUSE_NO_SPACE,
    PEG_CAUSE_JOINTS,
    PEG_CAUSE_AXIS,
    PEG_CAUSE_APPROX,
    PEG_CAUSE_BOUNCE,
    PEG_CAUSE_FORCE_LIMIT,
    PEG_CAUSE_FRICTIONLESS,
    PEG_CAUSE_SOFT_KEPT,
    PEG_CAUSE_SOFT_RIGID,
    PEG_CAUSE_LAYER,
    PEG_CAUSE_CORRECTING_SPEED,
    PEG_CAUSE_ZERO_SIZE,
    PEG_CAUSE_OVERLAP,
    PEG_CAUSE_SQUEEZED,
    PEG_CAUSE_UNCONVERGED,
    PEG_CAUSE_ROUGH,
    PEG_CAUSE_LIMITED,
    PEG_CAUSE_JOINT_POSE,
    PEG_CAUSE_JOINT_UNTOLD,
    PEG_CAUSE_JOINT_MODEL,
    PEG_CAUSE_JOINTS_RELAXED,
    PEG_CAUSE_OWN_CONTACTS,
    PEG_CAUSE_STATE,
    PEG_CAUSE_COUNT
} peg_cause;

_Static_assert((int)PEG_CAUSE_COUNT <= 64 && (int)PEG_STATUS_COUNT <= 32, "one bit each");

/* Reports the cause if it was not reported yet. The text is preceded by the id and class of what it
 * is about (may be null). */
void peg_say(peg_report *report, peg_cause cause, pegSeverity severity, pegStatus status,
             const peg_subject *about, const char *text);
/* The same once for each of ODE's classes of geoms: how such geoms are treated. */
void peg_say_class(peg_report *report, int class, pegStatus status, const peg_subject *about,
                   const char *text);
/* Reports an error by its own text, with the culprit, once for each in a row; returns it. */
pegStatus peg_fail(peg_report *report, pegStatus status);

#endif
