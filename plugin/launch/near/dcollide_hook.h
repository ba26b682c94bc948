/* Stand-in of dCollide. */
#ifndef PEG_LAUNCH_DCOLLIDE_HOOK_H
#define PEG_LAUNCH_DCOLLIDE_HOOK_H

#include <ode/ode.h>

int peg_collide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip);

#endif
