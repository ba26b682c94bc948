/* The integrator: poses after a step, and the gyroscopic term (gyro.c). */
#ifndef PEG_POSE_H
#define PEG_POSE_H

#include "peg/contact/scene.h"

/* The integrator's pose update [W 10 with ODE's rounding]: x + h v, q after one step. */
void peg_body_pose(const peg_body *body, const double v[6], double h, double x[3], double q[4]);

/* Angular velocity after a torque-free step of ODE's implicit gyroscopic term: solves
 * (I + h [L]x-type matrix) w' = L with L = I w, all in the body frame at the start; never gains
 * energy. w and w_out in world coordinates; returns 0 if the matrix is singular (w_out = w). */
int peg_gyroscopic_velocity(const peg_body *body, double h, const double w[3], double w_out[3]);

#endif
