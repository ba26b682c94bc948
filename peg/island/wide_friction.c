/* What acts along a contact besides its normal impulse, as in contact/friction.c: the two rows of
 * the pyramid, or those of the cone, of which two at right angles are the contact's own and the
 * others further ones; rolling and spinning friction; slip, obstacles and surfaces that move; the
 * push of springs. */
#include "peg/contact/friction.h"
#include "peg/contact/friction_axis.h"

#include "peg/collide/closest_features.h"
#include "peg/island/wide_state.h"

enum { ROLLING = 3 }; /* rows: about t, n x t and n */

/* Rows of a cone; 0: it is the pyramid along the axes. */
static int segments_of(const peg_island *I, const peg_surface *s)
{
    int has_cone = !s->pyramid && !s->force_limit && isfinite(s->mu);
    return has_cone ? I->settings->friction_directions / 2 : 0;
}

static int rolls(const peg_surface *s)
{
    return s->rho > 0 || s->rho2 > 0 || s->rhoN > 0;
}

int peg_wide_count_furthers(const peg_island *I, const peg_surface *s)
{
    int segments = segments_of(I, s);
    return (segments > 2 ? segments - 2 : 0) + (rolls(s) ? ROLLING : 0);
}

/* The row of a cone that is its further one i: all but the first and the one at right angles. */
static int row_of(int segments, int i)
{
    return i < segments / 2 - 1 ? i + 1 : i + 2;
}

/* The direction of row k in the plane of t and u. */
static void turn_axes(int segments, int k, const double *t, const double *u, double *out)
{
    peg_cone_angle at = peg_cone_row(segments, k);
    for (int j = 0; j < 3; j++) out[j] = at.cosine * t[j] + at.sine * u[j];
}

/* What bounds a row: a share of the normal impulse, or an impulse of its own. */
static void set_bound(const peg_wide *w, int k, double coefficient, double *mu, double *limit)
{
    int pair = w->feature[k].pair, is_force = w->I->pair[pair].surface->force_limit;
    int is_limit = is_force || isinf(coefficient);
    double usual = w->gap * w->pair[pair].margin;
    *mu = is_limit ? 0 : coefficient;
    *limit = is_force ? coefficient * w->I->h : is_limit ? w->I->most_friction : 0;
    if (peg_lands_later(&w->I->pair[pair], w->feature[k].gap, usual)) *limit = 0;
}

/* Of slip: as in ODE it acts on forces. */
static double compliance_of(const peg_wide *w, double slip)
{
    return slip > 0 ? slip / w->I->h : 0;
}

/* t: the first axis; k: the contact; S: rows of the cone. */
static void set_cone(peg_wide *w, const peg_surface *s, int k, int S, const double *t)
{
    peg_wide_contact *c = &w->contact[k];
    double u[3], mu = s->mu * peg_cone_share(S), slip = compliance_of(w, s->slip);
    peg_cross(c->normal, t, u);
    turn_axes(S, 0, t, u, c->tangent);
    c->mu[0] = c->mu[1] = mu;
    c->compliance[1] = c->compliance[2] = slip;
    for (int i = 0; i < S - 2; i++) {
        peg_wide_further *f = peg_wide_further_of(w, k, i);
        *f = (peg_wide_further){.mu = mu, .compliance = slip};
        turn_axes(S, row_of(S, i), t, u, f->axis);
    }
}

static const double *free_velocity(const peg_wide *w, int rigid)
{
    return rigid < w->I->nd ? w->free[rigid] : w->I->v[rigid];
}

/* t: the first axis of sliding; becomes that of rolling. */
static void set_rolling(peg_wide *w, const peg_surface *s, int k, double *t)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_wide_pair *p = &w->pair[w->feature[k].pair];
    const double rho[ROLLING] = {s->rho, s->rho2, s->rhoN};
    double u[3];
    peg_turn_to_rolling(s, c->normal, free_velocity(w, w->piece[p->a].rigid) + 3,
                        free_velocity(w, w->piece[p->b].rigid) + 3, t);
    const double *axis[ROLLING] = {t, u, c->normal};
    peg_cross(c->normal, t, u);
    for (int i = 0; i < ROLLING; i++) {
        peg_wide_further *f = peg_wide_further_of(w, k, w->furthers - ROLLING + i);
        f->turns = 1;
        peg_copy3(axis[i], f->axis);
        set_bound(w, k, rho[i], &f->mu, &f->limit);
    }
}

static void point_velocity(const peg_wide *w, int rigid, const double *arm, double *out)
{
    const double *v = free_velocity(w, rigid);
    peg_cross(v + 3, arm, out);
    peg_add_scaled(out, 1, v, out);
}

/* The first axis, as in contact/friction.c. */
static void find_axis(const peg_wide *w, int k, double *t)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_pair *p = &w->I->pair[w->feature[k].pair];
    const peg_surface *s = p->surface;
    double a[3], b[3];
    peg_plane_space(c->normal, t);
    peg_normalise(t);
    if (!peg_has_friction(s)) return;
    point_velocity(w, w->piece[p->a].rigid, c->arm_a, a);
    point_velocity(w, w->piece[p->b].rigid, c->arm_b, b);
    if (peg_part_across(s->axis, c->normal, 0, t) || !peg_has_free_axes(s)) return;
    if (peg_contact_friction_axis(p, c->normal, a, b, t)) return;
    peg_part_across(w->feature[k].before, c->normal, 0, t);
}

/* t: the first axis. */
static void set_pyramid(peg_wide *w, const peg_surface *s, int k, const double *t)
{
    peg_wide_contact *c = &w->contact[k];
    const double mu[2] = {s->mu, s->mu2}, slip[2] = {s->slip, s->slip2};
    peg_copy3(t, c->tangent);
    for (int j = 0; j < 2; j++) {
        set_bound(w, k, mu[j], &c->mu[j], &c->limit[j]);
        c->compliance[1 + j] = compliance_of(w, slip[j]);
    }
}

double peg_wide_set_friction(peg_wide *w, int k)
{
    const peg_surface *s = w->I->pair[w->feature[k].pair].surface;
    int S = segments_of(w->I, s);
    double t[3];
    find_axis(w, k, t);
    for (int i = 0; i < w->furthers; i++) *peg_wide_further_of(w, k, i) = (peg_wide_further){0};
    if (s->soft) w->contact[k].compliance[0] = s->cfm / w->I->h;
    if (S)
        set_cone(w, s, k, S, t);
    else
        set_pyramid(w, s, k, t);
    if (rolls(s)) set_rolling(w, s, k, t);
    return S > 2 ? 2.0 / S : 1;
}

/* Speed of obstacles along a direction at a contact, or about it, as part of that of A relative to
 * B. */
static double obstacle_speed(const peg_wide *w, int k, const double *direction, int turns)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_wide_pair *p = &w->pair[w->feature[k].pair];
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int rigid = w->piece[side ? p->b : p->a].rigid;
        double u[3];
        if (rigid < w->I->nd) continue;
        if (turns)
            peg_copy3(w->I->v[rigid] + 3, u);
        else
            point_velocity(w, rigid, side ? c->arm_b : c->arm_a, u);
        sum += side ? -peg_dot(direction, u) : peg_dot(direction, u);
    }
    return sum;
}

void peg_wide_prescribe(peg_wide *w, int k)
{
    const peg_wide_contact *c = &w->contact[k];
    const peg_surface *s = w->I->pair[w->feature[k].pair].surface;
    int S = segments_of(w->I, s);
    double *prescribed = w->feature[k].prescribed, third[3];
    const double *direction[3] = {c->normal, c->tangent, third};
    peg_cross(c->normal, c->tangent, third);
    for (int j = 0; j < 3; j++) prescribed[j] = obstacle_speed(w, k, direction[j], 0);
    if (w->feature[k].gap <= 2 * w->pair[w->feature[k].pair].margin) prescribed[0] -= s->motion[2];
    double x = s->motion[0], y = s->motion[1];
    peg_cone_angle first = S ? peg_cone_row(S, 0) : (peg_cone_angle){1, 0};
    prescribed[1] -= first.cosine * x + first.sine * y;
    prescribed[2] -= first.cosine * y - first.sine * x;
    for (int i = 0; i < w->furthers; i++) {
        peg_wide_further *f = peg_wide_further_of(w, k, i);
        f->bias = obstacle_speed(w, k, f->axis, f->turns);
        if (i >= S - 2) continue;
        peg_cone_angle row = peg_cone_row(S, row_of(S, i));
        f->bias -= row.cosine * x + row.sine * y;
    }
}

/* Without the weight: ODE's erp of the overlap. */
double peg_wide_pushed(const peg_wide *w, int k)
{
    int pair = w->feature[k].pair;
    if (!w->pair[pair].is_soft) return 0;
    return w->I->pair[pair].surface->erp * fmax(0, -w->feature[k].gap);
}
