#ifndef PEG_FEEDBACK_H
#define PEG_FEEDBACK_H

#include "ode_glue/world/glue.h"

/* Adds the forces of the last peg_step's contacts to the feedback structures of the pairs. */
void peg_glue_fill_feedback(const peg_glue *glue);

#endif
