/* Coulomb friction [F 5]: at every contact a friction impulse in the tangent plane that opposes
 * sliding, inside a polyhedral cone.
 *
 * The cone of nd directions has a regular polygon as its section, whose corners are the directions
 * d_j at distance mu lambda_n. A regular polygon of nd corners is the sum of nd/2 segments, so that
 * the friction of [F 5] splits into nd/2 rows of their own, |beta_k| <= mu sin(pi/nd) lambda_n,
 * beta_k opposes e_k . v, with e_k at angles (k - (nd/2 - 1)/2) 2 pi/nd from the first direction:
 * their sum is the corner that opposes the sliding most, which is what the maximum dissipation of
 * [F 5] asks for. Every row is bounded by its normal row and coupled to nothing else. The first
 * direction is laid along the sliding that would happen without the pair's own friction
 * (friction_axis.h): along it the cone has its full radius.
 *
 * ODE's friction pyramid (dContactApprox1) has two rows, |f_1| <= mu f_n and |f_2| <= mu2 f_n;
 * without Approx1 the bounds are forces. Rolling and spinning friction are rows on the relative
 * angular velocity. */
#include "peg/contact/friction.h"

#include "peg/base/arena.h"
#include "peg/contact/friction_axis.h"
#include "peg/contact/jacobian.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"

/* Speed, relative to that of the points, down to which a contact without friction before slides:
 * rounding. */
#define LEAST_SLIDING 1e-9
/* Friction below this share of the normal impulse has no defined direction. */
#define NO_FRICTION 1e-3

int peg_has_friction(const peg_surface *s)
{
    return s->mu > 0 || s->mu2 > 0 || s->rho > 0 || s->rho2 > 0 || s->rhoN > 0;
}

/* A unit vector normal to n: the first axis of a surface without given axes. */
static void any_tangent(const double *n, double *t)
{
    peg_plane_space(n, t);
    peg_normalise(t);
}

static const double *free_velocity(const peg_island *I, int rigid)
{
    return rigid < I->nd ? I->rigid[rigid].state.v_free : I->v[rigid];
}

/* Friction impulse of the nearest contact of the last step; 0 if there was none. */
static void carried_friction(const peg_pair *pair, const double *local, double *f)
{
    int best = -1;
    double nearest = INFINITY;
    f[0] = f[1] = f[2] = 0;
    for (int k = 0; k < pair->cached_contacts; k++) {
        double apart[3];
        peg_sub(pair->cached[k].local, local, apart);
        double square = peg_dot(apart, apart);
        if (square < nearest) nearest = square, best = k;
    }
    if (best >= 0) peg_copy3(pair->cached[best].sliding, f);
    if (best >= 0 && !(peg_norm(f) > NO_FRICTION * pair->cached[best].lambda))
        f[0] = f[1] = f[2] = 0;
}

/* First axis: along the sliding without contact; without that along the sliding without the pair's
 * own friction; of pairs that have no such axis along the friction of the last step. */
static void first_tangent(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                          const peg_friction_frame *frame, const double *local, double *t)
{
    double a[3], b[3], slide[3];
    const peg_surface *s = pair->surface;
    if (peg_part_across(s->axis, frame->normal, 0, t)) return;
    any_tangent(frame->normal, t);
    if (!peg_has_free_axes(s)) return;
    peg_point_velocity(&I->rigid[at->a.rigid], at->a.x, free_velocity(I, at->a.rigid),
                       frame->mid_point, a);
    peg_point_velocity(&I->rigid[at->b.rigid], at->b.x, free_velocity(I, at->b.rigid),
                       frame->mid_point, b);
    if (peg_contact_friction_axis(pair, frame->normal, a, b, t)) return;
    peg_sub(a, b, slide);
    double carried[3];
    carried_friction(pair, local, carried);
    if (peg_part_across(carried, frame->normal, 0, t)) return;
    peg_part_across(slide, frame->normal, LEAST_SLIDING * (peg_norm(a) + peg_norm(b)), t);
}

/* Appends a friction row after the last normal row. */
typedef struct friction_builder {
    peg_island *I;
    const peg_pair *pair;
    const peg_pair_pose *at;
    const peg_friction_frame *frame;
    peg_row_set *out;
    peg_row normal;
    int count;
} friction_builder;

/* For which forces act up to the velocities of the iterate, s. */
static double force_time(const peg_island *I)
{
    return I->forms & PEG_FORM_MIDPOINT ? 0.5 * I->h : I->h;
}

static int has_fixed_limit(const peg_island *I)
{
    int found = 0;
    for (int i = 0; i < I->npair && !found; i++) {
        const peg_surface *s = I->pair[i].surface;
        found = s->force_limit || isinf(s->mu) || isinf(s->mu2) || isinf(s->rho) ||
                isinf(s->rho2) || isinf(s->rhoN);
    }
    return found;
}

/* The bodies of a pair: the first and the second one. */
static int body_of(const peg_island *I, int pair, int second)
{
    int a = I->piece[I->pair[pair].a].rigid, b = I->piece[I->pair[pair].b].rigid;
    return (a < b) == second ? b : a;
}

/* Friction without limit, in islands without joints, relative to what momentum there is: of bodies
 * at rest six times their weights in the step. More is a jam: of 1800 bodies in V grooves (h .05)
 * 15 stand on contacts that are open by up to 20 mm and carry 1e5 times the weight without it.
 * Motors may push against any friction. */
static const double MOST_FRICTION = 3;

/* What the bodies' momentum and the change of it without contact sum up to, with what obstacles and
 * surfaces that move could give them, N s. */
static double momentum_scale(const peg_island *I)
{
    double mass = 0, driven = 0, sum = 0;
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        mass += r->state.mass;
        sum += sqrt(r->state.mass) *
               (sqrt(r->start_square) + sqrt(r->free_square) + sqrt(r->gained_square));
    }
    for (int i = I->nd; i < I->nr; i++)
        driven = fmax(driven, peg_norm(I->v[i]) + I->rigid[i].size * peg_norm(I->v[i] + 3));
    for (int i = 0; i < I->npair; i++)
        for (int k = 0; k < 3; k++) driven = fmax(driven, fabs(I->pair[i].surface->motion[k]));
    return sum + mass * driven;
}

void peg_friction_limits(peg_island *I)
{
    I->most_friction = INFINITY;
    if (!has_fixed_limit(I)) return;
    if (!I->joints.n && I->nd < PEG_COARSE_FROM)
        I->most_friction = MOST_FRICTION * momentum_scale(I);
    int *first = PEG_NEW(I->arena, int, I->nr), *next = PEG_NEW(I->arena, int, I->npair);
    double *nearest = PEG_NEW(I->arena, double, I->nr); /* by the second body */
    if (!first || !next || !nearest) {
        I->failed = 1;
        return;
    }
    for (int i = 0; i < I->nr; i++) first[i] = -1, nearest[i] = INFINITY;
    for (int i = 0; i < I->npair; i++) {
        next[i] = first[body_of(I, i, 0)];
        first[body_of(I, i, 0)] = i;
    }
    for (int body = 0; body < I->nr; body++) {
        for (int i = first[body]; i >= 0; i = next[i]) {
            double *least = &nearest[body_of(I, i, 1)];
            *least = fmin(*least, I->pair[i].s0);
        }
        for (int i = first[body]; i >= 0; i = next[i])
            I->pair[i].nearest = nearest[body_of(I, i, 1)];
        for (int i = first[body]; i >= 0; i = next[i]) nearest[body_of(I, i, 1)] = INFINITY;
    }
}

/* Friction that its coefficient does not limit. */
static double own_limit(const friction_builder *r, double coefficient)
{
    double usual = (peg_is_coarse(r->I) ? PEG_COARSE_GAP : 1) * r->pair->margin;
    if (peg_lands_later(r->pair, r->normal.gap0, usual)) return 0;
    return r->pair->surface->force_limit ? coefficient * force_time(r->I) : r->I->most_friction;
}

static peg_row *add_row(friction_builder *r, const double *direction, double coefficient)
{
    peg_row *row = peg_row_set_add(r->I, r->out);
    int is_limit = r->pair->surface->force_limit || isinf(coefficient);
    if (!row) return NULL;
    *row = r->normal;
    row->friction = ++r->count;
    row->bias = row->recovery = row->gap_growth = row->prescribed = row->compliance = 0;
    row->lambda = 0;
    row->mu = is_limit ? 0 : coefficient;
    row->limit = is_limit ? own_limit(r, coefficient) : 0;
    peg_copy3(direction, row->normal);
    return row;
}

static void sliding_row(friction_builder *r, const double *t, double coefficient, double slip,
                        double motion)
{
    const peg_friction_frame *frame = r->frame;
    peg_row *row = add_row(r, t, coefficient);
    if (!row) return;
    peg_jacobian la = peg_midpoint_jacobian(r->I, &r->at->a, frame->mid_point, t, 1);
    peg_jacobian lb = peg_midpoint_jacobian(r->I, &r->at->b, frame->mid_point, t, -1);
    double prescribed = peg_fold_jacobian(r->I, r->at->a.rigid, &la, row->Ga) +
                        peg_fold_jacobian(r->I, r->at->b.rigid, &lb, row->Gb);
    row->bias = prescribed - motion;
    row->prescribed = row->bias;
    row->compliance = slip / r->I->h;
}

static void rolling_row(friction_builder *r, const double *axis, double coefficient)
{
    if (!(coefficient > 0)) return;
    peg_row *row = add_row(r, axis, coefficient);
    if (!row) return;
    row->rolls = 1;
    peg_jacobian la = {.J = {0, 0, 0, axis[0], axis[1], axis[2]}};
    peg_jacobian lb = {.J = {0, 0, 0, -axis[0], -axis[1], -axis[2]}};
    row->bias = peg_fold_jacobian(r->I, r->at->a.rigid, &la, row->Ga) +
                peg_fold_jacobian(r->I, r->at->b.rigid, &lb, row->Gb);
    row->prescribed = row->bias;
}

static void cone_rows(friction_builder *r, const double *t1, const double *t2)
{
    int segments = r->I->settings->friction_directions / 2;
    const peg_surface *s = r->pair->surface;
    for (int k = 0; k < segments; k++) {
        peg_cone_angle row = peg_cone_row(segments, k);
        double c = row.cosine, d = row.sine, e[3];
        for (int i = 0; i < 3; i++) e[i] = c * t1[i] + d * t2[i];
        sliding_row(r, e, s->mu * peg_cone_share(segments), s->slip,
                    c * s->motion[0] + d * s->motion[1]);
    }
}

void peg_turn_to_rolling(const peg_surface *s, const double *normal, const double *wa,
                         const double *wb, double *t)
{
    double w[3];
    if (s->rho != s->rho2 || peg_dot(s->axis, s->axis) > 0) return;
    peg_sub(wa, wb, w);
    peg_part_across(w, normal, 0, t);
}

void peg_friction_rows(peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                       const peg_friction_frame *frame, peg_row_set *out)
{
    const peg_surface *s = pair->surface;
    double t1[3], t2[3];
    first_tangent(I, pair, at, frame, out->row[out->m - 1].local, t1);
    peg_cross(frame->normal, t1, t2);
    friction_builder r = {I, pair, at, frame, out, out->row[out->m - 1], 0};
    if (I->common.planar) {
        /* in a planar scene sliding has one direction and rolling one axis */
        static const double z[3] = {0, 0, 1};
        double t[3];
        any_tangent(frame->normal, t);
        if (s->mu > 0) sliding_row(&r, t, s->mu, s->slip, s->motion[0]);
        rolling_row(&r, z, s->rho2);
        return;
    }
    if (s->pyramid || s->force_limit || !I->settings->friction_directions || isinf(s->mu)) {
        if (s->mu > 0) sliding_row(&r, t1, s->mu, s->slip, s->motion[0]);
        if (s->mu2 > 0) sliding_row(&r, t2, s->mu2, s->slip2, s->motion[1]);
    } else if (s->mu > 0) {
        cone_rows(&r, t1, t2);
    }
    const double *wa = free_velocity(I, at->a.rigid) + 3, *wb = free_velocity(I, at->b.rigid) + 3;
    peg_turn_to_rolling(s, frame->normal, wa, wb, t1);
    peg_cross(frame->normal, t1, t2);
    rolling_row(&r, t1, s->rho);
    rolling_row(&r, t2, s->rho2);
    rolling_row(&r, frame->normal, s->rhoN);
}
