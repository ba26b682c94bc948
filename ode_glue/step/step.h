#ifndef PEG_GLUE_STEP_H
#define PEG_GLUE_STEP_H

#include "ode_glue/world/glue.h"

/* One step: contacts, then dWorldStep or dWorldQuickStep. On an error ODE's world is as it was. The
 * added pairs are used up either way. */
pegStatus peg_glue_step(peg_glue *glue, double h, int quick, pegStats *stats);

#endif
