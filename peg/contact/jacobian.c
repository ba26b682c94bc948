/* Levers: the part of a row of G that belongs to one body.
 *
 * Tangent: for ODE's update the derivative of n . p at the iterate u is c -> (c + c x s) / (1 +
 * |s|^2) in the angular part, c = r x n, s = h w / 2: as the quaternion of a pose is (1, s) q_0,
 * scaled, another turn t takes it to s' = (s + (t + t x s) / 2) / (1 - t . s / 2). Midpoint: with
 * the centre of mass and the point half-way between the start and the iterate, n . (v + w x r) h is
 * the exact displacement along n.
 */
#include "peg/contact/jacobian.h"

/* ODE caps the angular speed before it turns the body: w_c = k w, k = cap / |w|, whose derivative
 * is k (1 - e e^T), e = w / |w|. */
static void cap_lever(const peg_body *b, const double *w, double *J)
{
    double speed = peg_norm(w);
    if (!(speed > b->max_angular_speed)) return;
    double k = b->max_angular_speed / speed, along = peg_dot(J, w) / (speed * speed);
    for (int i = 0; i < 3; i++) J[i] = k * (J[i] - along * w[i]);
}

peg_jacobian peg_tangent_jacobian(const peg_island *I, const peg_placement *at, const double *point,
                                  const double *n, double sign)
{
    peg_jacobian l;
    const peg_body *b = &I->rigid[at->rigid].state;
    const double *u = at->v;
    double r[3], c[3], s[3], cs[3], speed = peg_norm(u + 3);
    double capped = speed > b->max_angular_speed ? b->max_angular_speed / speed : 1;
    peg_sub(point, at->x, r);
    peg_cross(r, n, c);
    for (int k = 0; k < 3; k++) s[k] = 0.5 * I->h * capped * u[3 + k];
    peg_cross(c, s, cs);
    double f = sign / (1 + peg_dot(s, s));
    for (int k = 0; k < 3; k++) l.J[k] = sign * n[k], l.J[3 + k] = f * (c[k] + cs[k]);
    cap_lever(b, u + 3, l.J + 3);
    l.Gu = peg_dot(l.J, u) + peg_dot(l.J + 3, u + 3);
    return l;
}

void peg_turn_further(double h, const double turn[3], double w[3])
{
    double s[3], across[3];
    for (int k = 0; k < 3; k++) s[k] = 0.5 * h * w[k];
    double rest = 1 - 0.5 * peg_dot(turn, s);
    peg_cross(turn, s, across);
    /* towards half a turn in the step, where s has no bound, it grows by no more than t / 2 */
    if (rest < 0.5) rest = 1, memset(across, 0, sizeof across);
    for (int k = 0; k < 3; k++) w[k] = (2 * s[k] + turn[k] + across[k]) / (h * rest);
}

static void half_way(const peg_rigid *b, const double *x, const double *point, double *r)
{
    for (int k = 0; k < 3; k++) r[k] = point[k] - 0.5 * (b->x0[k] + x[k]);
}

peg_jacobian peg_midpoint_jacobian(const peg_island *I, const peg_placement *at,
                                   const double *point, const double *n, double sign)
{
    peg_jacobian l;
    double r[3], c[3];
    half_way(&I->rigid[at->rigid], at->x, point, r);
    peg_cross(r, n, c);
    for (int k = 0; k < 3; k++) l.J[k] = sign * n[k], l.J[3 + k] = sign * c[k];
    l.Gu = peg_dot(l.J, at->v) + peg_dot(l.J + 3, at->v + 3);
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

void peg_point_velocity(const peg_rigid *rigid, const double *x, const double *v,
                        const double *point, double *out)
{
    double r[3];
    half_way(rigid, x, point, r);
    peg_cross(v + 3, r, out);
    peg_add_scaled(out, 1, v, out);
}
