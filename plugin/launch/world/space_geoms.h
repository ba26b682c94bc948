/* The geoms of a space, of any class of space. */
#ifndef PEG_LAUNCH_SPACE_GEOMS_H
#define PEG_LAUNCH_SPACE_GEOMS_H

#include <ode/ode.h>

void peg_each_geom(dSpaceID space, void (*each)(void *context, dGeomID geom), void *context);

#endif
