/* Jacobians of rows, body by body. */
#ifndef PEG_JACOBIAN_H
#define PEG_JACOBIAN_H

#include "peg/contact/island.h"

typedef struct peg_jacobian {
    double J[6];
    double Gu; /* J . v of the iterate */
} peg_jacobian;
/* Force along sign n at the point of a body: the derivative of the gap at the pose of the iterate.
 */
peg_jacobian peg_tangent_jacobian(const peg_island *island, const peg_placement *at,
                                  const double *point, const double *n, double sign);
/* The same half-way between the start and the iterate. */
peg_jacobian peg_midpoint_jacobian(const peg_island *island, const peg_placement *at,
                                   const double *point, const double *n, double sign);
/* Splits G v into the unknown part (to J) and that of immovable bodies, whose velocity is given:
 * returns the latter. */
double peg_fold_jacobian(const peg_island *island, int rigid, const peg_jacobian *lever, double *J);
/* The angular velocity w of an iterate, for which its pose turns further by a small rotation
 * vector, rad, world frame: exact for ODE's update by default (mode 0 of pose.c) without a cap on
 * the speed; where the pose nears half a turn in the step, it turns less far. */
void peg_turn_further(double h, const double turn[3], double w[3]);
/* Velocity of a body's point in the motion v, taken half-way between the start and x. */
void peg_point_velocity(const peg_rigid *rigid, const double *x, const double *v,
                        const double *point, double *out);

#endif
