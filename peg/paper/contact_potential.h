/* The contact potential of [J 11-13]. */
#ifndef PEG_CONTACT_POTENTIAL_H
#define PEG_CONTACT_POTENTIAL_H

#include "peg/contact/island.h"

/* V = C/2 max(0, -s)^2 with the signed separation s instead of constraints: the force C (-s) n acts
 * at the points of the subgradient, frictionless. Velocity Verlet: the poses move with the velocity
 * of the middle of the step; the forces of its end make the velocity after it. */
peg_result peg_contact_potential(peg_island *island);

#endif
