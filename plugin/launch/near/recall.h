/* Keeps what was found of a pair, and gives it again while the pair has hardly moved. */
#ifndef PEG_LAUNCH_RECALL_H
#define PEG_LAUNCH_RECALL_H

#include "plugin/launch/near/meeting.h"
#include "plugin/launch/world/findings.h"

/* Whether findings of the geom can be kept: all that changes it is seen. */
int peg_can_recall(dGeomID geom);
/* n contacts across gaps, with depths < 0; also none. */
void peg_finding_keep(peg_finding *f, const peg_meeting *m, const peg_output *out, int n);
/* What was answered, if both geoms rest: n contacts with depths as the program sees them. */
void peg_finding_keep_answer(peg_finding *f, const peg_world_entry *entry, const dGeomID pair[2],
                             const peg_output *out, int n);
/* 1: the pair rests as it did at the last answer, which is given again. */
int peg_finding_answer(const peg_finding *f, const peg_world_entry *entry, const dGeomID pair[2],
                       const peg_output *out, int *n);
/* 1: they hold still, and are put where they belong now, with depths as expected. */
int peg_finding_recall(const peg_finding *f, const peg_meeting *m, const peg_output *out, int *n);

#endif
