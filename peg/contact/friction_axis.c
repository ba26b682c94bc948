/* The first axis of a pair's friction is laid along what it would slide without its own friction,
 *
 *     u = v_A - v_B - (1/m_A + 1/m_B) F,
 *
 * where v are the velocities after the step before at the contacts, F the friction on A that led to
 * them; turned by half of the two bodies' rotations about the normal in a step, as what is held on
 * a turntable needs its friction along directions that turn. */
#include "peg/contact/friction_axis.h"

#include <stdlib.h>

#include "peg/contact/jacobian.h"

/* Friction below this share of the normal impulse has no defined direction. */
#define NO_FRICTION 1e-3
/* Share of the cone inside which friction leaves the axis as it is: what rests repeats its step. */
#define INSIDE 0.98
/* Sine of the angle up to which the old axis is kept; the cone's radius along u falls by as much.
 * With 0 rounding turns axes in each step: 4 of 63 chains of four bars never rest, as u follows
 * friction, which follows the axis. */
#define ALIGNED 1e-3

/* cos(m pi / (2 S)) of the odd m below S, of the cones of S = 2, 4, 8 rows. */
static const double COSINE_2[] = {0.70710678118654752};
static const double COSINE_4[] = {0.92387953251128674, 0.38268343236508977};
static const double COSINE_8[] = {0.98078528040323043, 0.83146961230254524, 0.55557023301960218,
                                  0.19509032201612825};

static double cosine(int segments, int m)
{
    int i = (m - 1) / 2;
    return segments == 8 ? COSINE_8[i] : segments == 4 ? COSINE_4[i] : COSINE_2[i];
}

peg_cone_angle peg_cone_row(int segments, int k)
{
    int turn = 2 * k - (segments - 1), m = abs(turn);
    double sine = cosine(segments, segments - m);
    return (peg_cone_angle){cosine(segments, m), turn < 0 ? -sine : sine};
}

double peg_cone_share(int segments)
{
    return cosine(segments, segments - 1);
}

int peg_has_free_axes(const peg_surface *s)
{
    return !(peg_dot(s->axis, s->axis) > 0) && s->mu == s->mu2 && s->slip == s->slip2 &&
           s->motion[0] == 0 && s->motion[1] == 0 && s->rho == s->rho2;
}

static int has_cone(const peg_island *I, const peg_surface *s)
{
    return s->mu > 0 && isfinite(s->mu) && !s->pyramid && !s->force_limit &&
           I->settings->friction_directions && peg_has_free_axes(s);
}

/* The impulses of the step before: normal ones, friction, and their middle, world frame. */
typedef struct peg_pair_impulse {
    double normal, friction[3], point[3];
} peg_pair_impulse;

static peg_pair_impulse sum_impulses(const peg_island *I, const peg_pair *p)
{
    const peg_rigid *a = &I->rigid[I->piece[p->a].rigid];
    peg_pair_impulse sum = {0};
    double local[3] = {0}, arm[3];
    for (int k = 0; k < p->cached_contacts; k++) {
        const peg_cached_contact *c = &p->cached[k];
        sum.normal += c->lambda;
        peg_add_scaled(sum.friction, 1, c->sliding, sum.friction);
        peg_add_scaled(local, c->lambda, c->local, local);
    }
    if (!(sum.normal > 0)) return sum;
    peg_rotate(a->R0, local, arm);
    for (int k = 0; k < 3; k++) sum.point[k] = a->x0[k] + arm[k] / sum.normal;
    return sum;
}

/* Whether the cone about the axis holds the friction inside. */
static int is_inside(const peg_island *I, const peg_pair *p, const peg_pair_impulse *sum,
                     const double *n, const double *axis)
{
    int segments = I->settings->friction_directions / 2;
    double t[3], u[3], bound = INSIDE * p->surface->mu * peg_cone_share(segments) * sum->normal;
    if (!peg_part_across(axis, n, 0, t)) return 0;
    peg_cross(n, t, u);
    double x = peg_dot(t, sum->friction), y = peg_dot(u, sum->friction);
    for (int k = 0; k < segments; k++) {
        peg_cone_angle row = peg_cone_row(segments, k);
        if (!(fabs(row.cosine * x + row.sine * y) <= bound)) return 0;
    }
    return 1;
}

/* Turns d about n, as a unit vector, by half of the two bodies' rotations in a step. */
static void turn_on(const peg_island *I, const peg_pair *p, const double *n, double *d)
{
    const peg_rigid *a = &I->rigid[I->piece[p->a].rigid], *b = &I->rigid[I->piece[p->b].rigid];
    double across[3];
    double by = 0.5 * I->h * (peg_dot(a->state.v + 3, n) + peg_dot(b->state.v + 3, n));
    if (by == 0) return; /* what rests keeps its bits */
    peg_cross(n, d, across);
    peg_add_scaled(d, by, across, d);
    peg_normalise(d);
}

void peg_pair_friction_axis(const peg_island *I, const peg_pair *p, const double *n,
                            const double *before, double *out)
{
    int is_known = peg_dot(before, before) > 0;
    peg_copy3(before, out);
    if (!p->cached_contacts || !has_cone(I, p->surface)) return;
    peg_pair_impulse sum = sum_impulses(I, p);
    turn_on(I, p, n, out);
    if (!(peg_norm(sum.friction) > NO_FRICTION * sum.normal)) return;
    if (is_known && is_inside(I, p, &sum, n, before)) return;
    double u[3] = {0}, v[3], away[3];
    for (int side = 0; side < 2; side++) {
        int i = I->piece[side ? p->b : p->a].rigid;
        const peg_rigid *r = &I->rigid[i];
        peg_point_velocity(r, r->x0, r->state.v, sum.point, v);
        peg_add_scaled(u, side ? -1 : 1, v, u);
        if (i < I->nd) peg_add_scaled(u, -1 / r->state.mass, sum.friction, u);
    }
    turn_on(I, p, n, u);
    if (!peg_part_across(u, n, 0, u)) return;
    peg_cross(out, u, away);
    if (!is_known || peg_norm(away) > ALIGNED) peg_copy3(u, out);
}
