/* Levers: the part of a row of G that belongs to one body. With the centre of mass and the point
 * half-way between the start and the iterate, n . (v + w x r) h is the exact displacement along n
 * for ODE's update. */
#include "peg/contact/jacobian.h"

static void half_way(const peg_rigid *b, const double *point, double *r)
{
    for (int k = 0; k < 3; k++) r[k] = point[k] - 0.5 * (b->x0[k] + b->x[k]);
}

peg_jacobian peg_midpoint_jacobian(const peg_island *I, int rigid, const double *point,
                                   const double *n, double sign, const double *u)
{
    peg_jacobian l;
    double r[3], c[3];
    half_way(&I->rigid[rigid], point, r);
    peg_cross(r, n, c);
    for (int k = 0; k < 3; k++) l.J[k] = sign * n[k], l.J[3 + k] = sign * c[k];
    l.Gu = peg_dot(l.J, u) + peg_dot(l.J + 3, u + 3);
    return l;
}

double peg_fold_jacobian(const peg_island *I, int rigid, const peg_jacobian *l, double *J)
{
    if (rigid < I->nd) {
        memcpy(J, l->J, sizeof l->J);
        return 0;
    }
    memset(J, 0, sizeof l->J);
    const double *given = I->v[rigid];
    return peg_dot(l->J, given) + peg_dot(l->J + 3, given + 3);
}

void peg_point_velocity(const peg_island *I, int rigid, const double *u, const double *point,
                        double *out)
{
    double r[3];
    half_way(&I->rigid[rigid], point, r);
    peg_cross(u + 3, r, out);
    peg_add_scaled(out, 1, u, out);
}
