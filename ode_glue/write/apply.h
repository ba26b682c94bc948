#ifndef PEG_APPLY_H
#define PEG_APPLY_H

#include "ode_glue/world/glue.h"

/* Hands the solved scene (v_pose, v_end, woken) to ODE and steps it. Errors: MEMORY (ODE's own),
 * STEP_SIZE; then ODE's world is as it was. Of stats only time_ode is written. */
pegStatus peg_glue_apply(peg_glue *glue, int quick, pegStats *stats);

#endif
