/* Jacobians of rows, body by body. */
#ifndef PEG_JACOBIAN_H
#define PEG_JACOBIAN_H

#include "peg/contact/island.h"

typedef struct peg_jacobian {
    double J[6];
    double Gu; /* J . u */
} peg_jacobian;
/* Force along sign n at the point of a body, half-way between the start and the iterate u. */
peg_jacobian peg_midpoint_jacobian(const peg_island *island, int rigid, const double *point,
                                   const double *n, double sign, const double *u);
/* The derivative of the gap at the pose of the iterate u: force along sign n at the point. */
peg_jacobian peg_tangent_jacobian(const peg_island *island, int rigid, const double *u,
                                  const double *point, const double *n, double sign);
/* Splits G v into the unknown part (to J) and that of immovable bodies, whose velocity is given:
 * returns the latter. */
double peg_fold_jacobian(const peg_island *island, int rigid, const peg_jacobian *lever, double *J);
/* Velocity of a body's point, taken half-way between the start and the iterate. */
void peg_point_velocity(const peg_island *island, int rigid, const double *u, const double *point,
                        double *out);

#endif
