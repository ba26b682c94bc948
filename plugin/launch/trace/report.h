/* What is reported of steps: a line of figures per second, the summary, the trace. */
#ifndef PEG_LAUNCH_REPORT_H
#define PEG_LAUNCH_REPORT_H

#include "plugin/launch/world/world_registry.h"

#include <stdio.h>

void peg_report_begin(void);
/* Before and after each step. */
void peg_report_before(peg_world_entry *entry, double h);
void peg_report_step(peg_world_entry *entry);
/* Before a body or geom is destroyed: what moves is listed while all of them are there. */
void peg_report_moving(peg_world_entry *entry);
/* The world is about to be destroyed. */
void peg_report_end(peg_world_entry *entry);

/* summary.c. wall: s since the program began. */
void peg_put_summary(FILE *file, const peg_world_entry *entry, const pegStats *totals, double wall);

#endif
