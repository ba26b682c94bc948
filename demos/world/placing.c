/* Moves the shapes of bodies to their poses, at the end of a step and inside of it. */
#include "demos/world/world.h"

#include <math.h>

#include "demos/oracle/distance.h"
#include "peg/base/math.h"

void lab_place(lab_body *b, const double x[3], const double q[4])
{
    double R[9];
    peg_quat_to_mat(q, R);
    for (int i = 0; i < b->parts; i++) {
        lab_part *p = &b->part[i];
        for (int k = 0; k < 3; k++) p->low[k] = -INFINITY, p->high[k] = INFINITY;
        if (b->is_plane) continue;
        lab_shape_move(p->shape, x, R, p->placed);
        lab_shape_bounds(p->placed, p->low, p->high);
        if (p->placed->kind != LAB_SHAPE_MESH) continue;
        if (p->tree)
            lab_tree_fit(p->tree, p->placed);
        else
            p->tree = lab_tree_new(p->placed); /* it only saves time: null is no error */
    }
}

/* ODE's update turns by q1 = normalise(q0 + h/2 (0, w) q0), so inside of the step q1 q0^-1 is
 * (1, s u) normalised, with u known from both ends. */
void lab_between(const lab_body *b, double fraction, double x[3], double q[4])
{
    const lab_state *a = &b->before, *e = &b->now;
    double back[4] = {a->q[0], -a->q[1], -a->q[2], -a->q[3]}, d[4];
    for (int k = 0; k < 3; k++) x[k] = a->x[k] + fraction * (e->x[k] - a->x[k]);
    peg_quat_mul(e->q, back, d);
    for (int k = 1; k < 4; k++) d[k] *= fraction;
    peg_quat_mul(d, a->q, q);
    double l = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= l;
}
