#ifndef PEG_HEIGHTFIELD_TILING_H
#define PEG_HEIGHTFIELD_TILING_H

#include "ode_glue/world/glue.h"

/* Opens the windows of the endless heightfields among the shapes, once the bodies are known. Error:
 * MEMORY. */
pegStatus peg_glue_open_windows(peg_glue *glue, peg_shape *const *shape, int n);

#endif
