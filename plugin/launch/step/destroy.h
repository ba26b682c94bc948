/* Stand-ins of what destroys worlds, bodies, geoms and spaces. */
#ifndef PEG_LAUNCH_DESTROY_H
#define PEG_LAUNCH_DESTROY_H

#include <ode/ode.h>

void peg_world_destroy(dWorldID world);
void peg_body_destroy(dBodyID body);
void peg_geom_destroy(dGeomID geom);
void peg_space_destroy(dSpaceID space);

#endif
