/* Settings, status codes and statistics: settings.c, stats.c. */
#ifndef PEG_SETTINGS_H
#define PEG_SETTINGS_H

#include "peg/base/types.h"

/* Whether the contact model solves joints and contacts together. */
int peg_model_knows_joints(const pegSettings *settings);
/* Whether it knows spheres and capsules beside polytopes. */
int peg_model_knows_round(const pegSettings *settings);

void peg_settings_default(pegSettings *settings);
pegStatus peg_settings_check(const pegSettings *settings);
const char *peg_status_message(pegStatus status);

/* Sums counts and times; figures of a maximum or minimum stay one. */
void peg_stats_add(pegStats *sum, const pegStats *s);

#endif
