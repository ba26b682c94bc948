#ifndef PEG_GLUE_SCENE_H
#define PEG_GLUE_SCENE_H

#include "ode_glue/world/glue.h"

/* Fills scene and link from ODE's world. Errors: NOT_FINITE, MASS, SHAPE_EMPTY,
 * CONVEX_NOT_REGISTERED, MEMORY. */
pegStatus peg_glue_collect(peg_glue *glue, double h);
/* Makes the coming shapes, to be ended by peg_shapes_end: of the geoms of the added spaces and
 * pairs, and of the bodies' geoms that are in `also` (geom, null; null: none of them). Errors: as
 * above. */
pegStatus peg_glue_meet_geoms(peg_glue *glue, const peg_map *also);

#endif
