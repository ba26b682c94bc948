/* The bodies of a world. ODE keeps them in a list and has no function that tells of it: where the
 * list begins and goes on in the objects' memory is found out once, with a world of our own. */
#ifndef PEG_WORLD_BODIES_H
#define PEG_WORLD_BODIES_H

#include <ode/ode.h>

/* To be called before the others. 0: the list was not found; then there are no bodies. */
int peg_world_bodies_find(void);
/* The newest body, and the one that was created before it; null: none. */
dBodyID peg_world_first_body(dWorldID world);
dBodyID peg_world_next_body(dBodyID body);

#endif
