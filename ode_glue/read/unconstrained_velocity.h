/* Velocities that ODE's coming step gives a body without contacts and joints. */
#ifndef PEG_UNCONSTRAINED_VELOCITY_H
#define PEG_UNCONSTRAINED_VELOCITY_H

#include "peg/peg.h"
#include <ode/ode.h>

/* Reads the body's pose, velocity, mass and integration modes. `asleep` is set for a disabled
 * dynamic body; a disabled kinematic one and a body of another world stand still (PEG_STATIC).
 * Errors: NOT_FINITE (also a force or torque), MASS. */
pegStatus peg_read_body(dWorldID world, dBodyID id, double h, peg_body *out);

/* Stops the body as ODE does when it falls asleep: asleep, velocity 0, v_free accordingly. */
void peg_stop_body(dWorldID world, dBodyID id, double h, peg_body *b);

/* Inertia about the centre of mass in world coordinates, row-major. */
void peg_world_inertia(const peg_body *body, const double R[9], double out[9]);

/* v_end as it would stand if ODE's step had ended with it: the cap of the angular speed, then the
 * damping that ODE applied to v_pose. */
void peg_end_velocity(dBodyID id, const peg_body *b, double v[6]);

#endif
