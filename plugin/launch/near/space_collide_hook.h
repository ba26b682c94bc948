/* Stand-ins of dSpaceCollide and dSpaceCollide2. */
#ifndef PEG_LAUNCH_SPACE_COLLIDE_HOOK_H
#define PEG_LAUNCH_SPACE_COLLIDE_HOOK_H

#include <ode/ode.h>

void peg_space_collide(dSpaceID space, void *data, dNearCallback *near);
void peg_space_collide2(dGeomID a, dGeomID b, void *data, dNearCallback *near);
/* A geom or space that may be searched is about to be destroyed. */
void peg_searches_drop(dGeomID geom);

#endif
