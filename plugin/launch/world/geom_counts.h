/* How often geoms changed: searches and shapes that were kept are valid while the counts stay. */
#ifndef PEG_LAUNCH_GEOM_COUNTS_H
#define PEG_LAUNCH_GEOM_COUNTS_H

#include "plugin/launch/base/calls.h"

/* A registered shape has changed or is gone; how often that was so. */
void peg_shapes_changed(void);
unsigned long peg_shape_changes(void);
/* A geom left a space, or its body. */
void peg_geoms_changed(void);
unsigned long peg_geom_changes(void);
/* How often the program moved a geom or its offset, or gave it another size. */
unsigned long peg_geom_moves(void);
/* How often it did the latter. */
unsigned long peg_geom_sizes(void);

/* Stand-ins of ODE's functions. */
void peg_take_movers_over(peg_calls *calls);
void peg_geom_set_body(dGeomID geom, dBodyID body);
void peg_space_remove(dSpaceID space, dGeomID geom);

#endif
