#ifndef PEG_EXTERNAL_CONTACTS_H
#define PEG_EXTERNAL_CONTACTS_H

#include "ode_glue/world/glue.h"

/* ODE's contacts of the pairs of opaque parts, to the scene. Errors: MEMORY, NOT_FINITE. */
pegStatus peg_glue_collect_given(peg_glue *glue);

#endif
