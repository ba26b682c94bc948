#ifndef PEG_GLUE_SCENE_H
#define PEG_GLUE_SCENE_H

#include "ode_glue/world/glue.h"

/* Fills scene and link from ODE's world. Errors: NOT_FINITE, MASS, SHAPE_EMPTY,
 * CONVEX_NOT_REGISTERED, MEMORY. */
pegStatus peg_glue_collect(peg_glue *glue, double h);

#endif
