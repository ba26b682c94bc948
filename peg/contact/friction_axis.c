/* The first axis of a contact's friction is laid along what it would slide without its own
 * friction,
 *
 *     u = f_A - f_B + r,
 *
 * where f are the velocities after the step without contact, and r, the reaction, is what all
 * impulses but the pair's own friction F made of its relative velocity in the step before, at the
 * middle of its contacts:
 *
 *     r = (v - f)_A - (v - f)_B - (1/m_A + 1/m_B) F.
 *
 * Without r a body in a groove would slide down both of its sides, where each is in the way of the
 * other, and of a stack that is pushed above, whose bodies fall alike, only the lowest would slide.
 * Inverse masses of points, which turn, would let what others hold turn freely: with them boxes in
 * a corner slip from 0.6 of Coulomb's limit on. An impact says nothing of the next step: r is
 * shortened as the step has changed the velocity by more than applied forces do. */
#include "peg/contact/friction_axis.h"

#include <stdlib.h>

#include "peg/contact/friction.h"
#include "peg/contact/jacobian.h"

/* Friction below this share of the normal impulse has no defined direction. */
#define NO_FRICTION 1e-3
/* Share of the cone inside which friction holds and leaves the axis as it is, where nothing slides
 * by more than this share of what it would without: what rests repeats its step. */
#define INSIDE 0.98
#define HELD   0.01
/* Sine of the angle up to which the old axis is kept; the cone's radius along u falls by as much.
 * With 0 rounding turns axes in each step: 4 of 63 chains of four bars never rest, as u follows
 * friction, which follows the axis. */
#define ALIGNED 1e-3
/* Cosine of the angle from which on axes are far from each other. */
#define FAR 0.87

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

static peg_pair_impulse sum_impulses(const peg_island *I, const peg_pair *p,
                                     const peg_cached_contact *contact, int contacts)
{
    const peg_rigid *a = &I->rigid[I->piece[p->a].rigid];
    peg_pair_impulse sum = {0};
    double local[3] = {0}, arm[3];
    for (int k = 0; k < contacts; k++) {
        const peg_cached_contact *c = &contact[k];
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

/* Before the step, after it without contact, and after it. */
typedef enum velocities { START, FREE, END } velocities;

/* Of a body's point, by its pose at the start. */
static void point_velocity(const peg_island *I, int i, velocities of, const double *point,
                           double *v)
{
    const peg_rigid *r = &I->rigid[i];
    const double *u = i >= I->nd || of == START ? r->state.v
                      : of == FREE              ? r->state.v_free
                                                : I->result.v_end[i];
    peg_point_velocity(r, r->x0, u, point, v);
}

/* v_A - v_B */
static void relative_velocity(const peg_island *I, const peg_pair *p, const double *point,
                              velocities of, double *u)
{
    double b[3];
    point_velocity(I, I->piece[p->a].rigid, of, point, u);
    point_velocity(I, I->piece[p->b].rigid, of, point, b);
    peg_sub(u, b, u);
}

/* What applied forces change of both velocities, m/s. */
static double applied_change(const peg_island *I, const peg_pair *p, const double *point)
{
    double sum = 0, v[3], free[3];
    for (int side = 0; side < 2; side++) {
        int i = I->piece[side ? p->b : p->a].rigid;
        point_velocity(I, i, START, point, v);
        point_velocity(I, i, FREE, point, free);
        peg_sub(free, v, v);
        sum += peg_norm(v);
    }
    return sum;
}

/* (1/m_A + 1/m_B) F */
static void friction_change(const peg_island *I, const peg_pair *p, const double *friction,
                            double *change)
{
    double by = 0;
    for (int side = 0; side < 2; side++) {
        int i = I->piece[side ? p->b : p->a].rigid;
        if (i < I->nd) by += 1 / I->rigid[i].state.mass;
    }
    for (int k = 0; k < 3; k++) change[k] = by * friction[k];
}

void peg_pair_reaction(const peg_island *I, const peg_pair *p, const peg_cached_contact *contact,
                       int contacts, double *out)
{
    double own[3], before[3], v[3], change[3];
    peg_copy3(out, before);
    out[0] = out[1] = out[2] = 0;
    if (!contacts || !has_cone(I, p->surface)) return;
    peg_pair_impulse sum = sum_impulses(I, p, contact, contacts);
    if (!(sum.normal > 0)) return;
    friction_change(I, p, sum.friction, own);
    relative_velocity(I, p, sum.point, END, out);
    relative_velocity(I, p, sum.point, START, v);
    peg_sub(out, v, change);
    relative_velocity(I, p, sum.point, FREE, v);
    double most = applied_change(I, p, sum.point), changed = peg_norm(change);
    double share = changed > most ? most / changed : 1;
    int is_new = !(peg_dot(before, before) > 0);
    for (int k = 0; k < 3; k++) {
        double now = share * (out[k] - v[k] - own[k]);
        out[k] = is_new ? now : 0.5 * (now + before[k]);
    }
}

/* Whether friction of the step before held all: nothing slides by more than HELD of what it would
 * without. */
static int holds(const peg_island *I, const peg_pair *p, const peg_pair_impulse *sum,
                 const double *n)
{
    const peg_rigid *a = &I->rigid[I->piece[p->a].rigid], *b = &I->rigid[I->piece[p->b].rigid];
    double v[3], own[3], spin = peg_dot(a->state.v + 3, n) - peg_dot(b->state.v + 3, n);
    relative_velocity(I, p, sum->point, START, v);
    friction_change(I, p, sum->friction, own);
    return peg_norm(v) + p->L * fabs(spin) <= HELD * peg_norm(own);
}

/* What holds has its axis along its load, where that would not be inside of the cone. */
static int hold_axis(const peg_island *I, peg_pair *p, const peg_pair_impulse *sum, const double *n,
                     const double *before)
{
    double u[3], away[3];
    if (peg_dot(before, before) > 0 && is_inside(I, p, sum, n, before)) return 1;
    for (int k = 0; k < 3; k++) u[k] = -sum->friction[k];
    turn_on(I, p, n, u);
    if (!peg_part_across(u, n, 0, u)) return 0;
    peg_cross(p->tangent, u, away);
    if (!(peg_dot(p->tangent, u) > 0) || peg_norm(away) > ALIGNED) peg_copy3(u, p->tangent);
    return 1;
}

/* What slides has the middle of the last axis and of u, where these are near each other: friction
 * that drives what it follows, as that of a cylinder that slides along a groove and turns in it,
 * would change sides in each step. */
static void slide_axis(const peg_island *I, peg_pair *p, const peg_pair_impulse *sum,
                       const double *n)
{
    double u[3], t[3], along[3];
    relative_velocity(I, p, sum->point, FREE, u);
    peg_add_scaled(u, 1, p->reaction, u);
    peg_add_scaled(u, -peg_dot(u, n), n, u);
    double speed = peg_norm(u);
    if (!peg_part_across(u, n, 0, t)) return;
    double near = (peg_dot(t, p->tangent) - FAR) / (1 - FAR);
    peg_copy3(t, along);
    if (near > 0) {
        peg_add_scaled(along, near, p->tangent, along);
        peg_normalise(along);
    }
    peg_copy3(along, p->tangent);
    for (int k = 0; k < 3; k++) p->reaction[k] += speed * (p->tangent[k] - t[k]);
}

void peg_pair_friction_axis(const peg_island *I, const double *n, const double *tangent,
                            const double *reaction, peg_pair *p)
{
    peg_copy3(tangent, p->tangent);
    peg_copy3(reaction, p->reaction);
    p->holds_axis = 0;
    if (!p->cached_contacts || !has_cone(I, p->surface)) return;
    peg_pair_impulse sum = sum_impulses(I, p, p->cached, p->cached_contacts);
    if (peg_dot(tangent, tangent) > 0) turn_on(I, p, n, p->tangent);
    if (!(peg_norm(sum.friction) > NO_FRICTION * sum.normal)) return;
    int has_others = peg_dot(reaction, reaction) > 0;
    if (has_others && !holds(I, p, &sum, n))
        slide_axis(I, p, &sum, n);
    else
        p->holds_axis = hold_axis(I, p, &sum, n, tangent) && has_others;
}

int peg_contact_friction_axis(const peg_pair *p, const double *n, const double *a, const double *b,
                              double *t)
{
    double slide[3], least = PEG_NO_SLIDING * (peg_norm(a) + peg_norm(b));
    if (p->holds_axis && peg_part_across(p->tangent, n, 0, t)) return 1;
    for (int k = 0; k < 3; k++) slide[k] = a[k] - b[k] + p->reaction[k];
    return peg_part_across(slide, n, least, t) || peg_part_across(p->tangent, n, 0, t);
}
