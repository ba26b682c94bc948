/* ODE's pose update, reproduced to rounding.
 *
 *   x' = x + h v
 *   mode 0  q' = |q + h/2 (0,w) q|                 (a Cayley map [W 10])
 *   mode 1  q' = |e(h w) q|,  e(r) = (cos |r|/2, sin |r|/2 r/|r|)
 *   mode 2  p = e(h (a.w) a) q;  q' = |p + h/4 (0, w - (a.w) a) p|,  a the finite axis
 *
 * |.| scales to unit length. The h/4 of mode 2 is ODE's: it halves the step once for the finite
 * part and once more for the rest, so that the rest turns the body only half as far as w says. */
#include "peg/contact/pose.h"

/* Below this angle two terms of the series of sin t / t are exact to the last bit: t^4/120 < 1e-18.
 */
static const double SMALL_ANGLE = 1e-4;

static double sin_over(double t)
{
    return fabs(t) < SMALL_ANGLE ? 1 - t * t / 6 : sin(t) / t;
}

/* q turned by the angle s about the vector r of length s / h. */
static void turn(const double r[3], double s, double h, double q[4])
{
    double half = sin_over(s / 2) * (h / 2);
    double e[4] = {cos(s / 2), half * r[0], half * r[1], half * r[2]}, p[4];
    peg_quat_mul(e, q, p);
    memcpy(q, p, sizeof p);
}

/* q += s (0,r) q */
static void add_turn(const double r[3], double s, double q[4])
{
    double e[4] = {0, r[0], r[1], r[2]}, p[4];
    peg_quat_mul(e, q, p);
    for (int i = 0; i < 4; i++) q[i] += s * p[i];
}

void peg_body_pose(const peg_body *body, const double v[6], double h, double x[3], double q[4])
{
    double w[3], rest[3];
    peg_copy3(v + 3, w);
    double speed = peg_norm(w);
    if (speed > body->max_angular_speed)
        for (int i = 0; i < 3; i++) w[i] *= body->max_angular_speed / speed;

    peg_add_scaled(body->x, h, v, x);
    memcpy(q, body->q, 4 * sizeof *q);
    if (body->finite_rotation == 1) {
        turn(w, peg_norm(w) * h, h, q);
    } else if (body->finite_rotation == 2) {
        const double *a = body->finite_axis;
        double k = peg_dot(a, w), along[3] = {k * a[0], k * a[1], k * a[2]};
        turn(along, k * h, h, q);
        peg_sub(w, along, rest);
        add_turn(rest, h / 4, q);
    } else {
        add_turn(w, h / 2, q);
    }

    double scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] *= scale;
}
