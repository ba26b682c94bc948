/* The state of a world and of its peg world, as bytes: what a run needs to go on with the same
 * bits. */
#ifndef PEG_GLUE_STATE_H
#define PEG_GLUE_STATE_H

#include "ode_glue/world/glue.h"
#include "peg/base/buffer.h"

/* STATE_INCOMPLETE: written, but ODE does not tell all; report.culprit is what of. Other errors:
 * MEMORY, STATE (ODE's list of bodies was not found). */
pegStatus peg_glue_save(peg_glue *glue, peg_writer *writer);
/* Errors, which leave ODE's world as it was: STATE, MEMORY, those of a step for geoms. */
pegStatus peg_glue_restore(peg_glue *glue, peg_reader *reader);

#endif
