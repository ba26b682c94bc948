/* Deferred triangles. Of the triangles in reach of 100 bodies on a fine mesh two thirds make no
 * row, and one in twelve is loaded: what keeps a body from the others keeps it from those, too. A
 * supported body goes on about as it did in the step before. A triangle that stays apart in that
 * motion along some direction is not needed; along the same direction the motion that was found
 * tells whether that was right. */
#include "peg/step/deferred_triangles.h"

#include "peg/collide/separation.h"
#include "peg/contact/pose.h"
#include "peg/step/candidate.h"
#include "peg/step/context.h"
#include "peg/step/parts.h"

/* --- motions --- */

/* A point at a distance r from the centre that turns evenly by an angle a gets off its chord by
 * r a^2 / 8; twice that leaves room for ODE's updates, which do not turn evenly. */
static peg_motion motion_of(const peg_stage *s, int part, const double v[6])
{
    static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const peg_placed *p = &s->placed[part];
    double x[3], q[4], before[9], after[9], angle = s->scene->h * peg_norm(v + 3);
    peg_motion m = {.bend = 0};
    memcpy(m.turn, upright, sizeof m.turn);
    if (p->body < 0 || s->scene->body[p->body].kind == PEG_STATIC) return m;
    const peg_body *body = &s->scene->body[p->body];
    peg_body_pose(body, v, s->scene->h, x, q);
    peg_copy3(body->x, m.centre);
    peg_sub(x, body->x, m.shift);
    if (!(angle > 0)) return m;
    m.bend = .25 * p->arm * angle * angle;
    peg_quat_to_mat(body->q, before);
    peg_quat_to_mat(q, after);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m.turn[3 * i + k] = peg_dot(after + 3 * i, before + 3 * k);
    return m;
}

/* n as a part sees it after the motion. Returns what that adds to the part's extent along it, m. */
static double see(const peg_motion *m, const double n[3], double seen[3])
{
    peg_rotate_back(m->turn, n, seen);
    return peg_dot(n, m->shift) + peg_dot(n, m->centre) - peg_dot(seen, m->centre);
}

/* The least separation of a pair along n in a motion, m. */
static double least_along(const peg_stage *s, const peg_candidate *c, const peg_motion *of_a,
                          const peg_motion *of_b, const double n[3])
{
    const peg_view *a = &s->placed[c->a].view, *b = &s->placed[c->b].view;
    double seen_a[3], seen_b[3], start = peg_separation_along(a, b, n);
    if (!(start > 0)) return start;
    double by = see(of_a, n, seen_a) - see(of_b, n, seen_b);
    double end = by + peg_separation_seen(a, b, seen_a, seen_b);
    return peg_min(start, end) - of_a->bend - of_b->bend;
}

/* What touching parts keep, m. */
static double margin_of(const peg_stage *s, const peg_candidate *c)
{
    return s->context->settings.margin * peg_candidate_size(s, c);
}

/* --- what is expected --- */

/* By how much a body may do other than it did: shares of what contact has to keep it from, and of
 * its motion. In 200 steps of `mesh-100k --mu .5` islands get 114 000 pairs, and later in the step
 * 7 600, some of these again; with twice the shares 127 000 and 7 500, with a quarter of them
 * 102 000 and 8 100, and 340 islands are solved again, not 241. Where no triangle is deferred they
 * get 258 000 and 11 400. */
#define OTHER  0.05
#define VARIES 0.02

peg_motion peg_expected_motion(const peg_stage *s, int part)
{
    static const double none[6] = {0};
    const peg_placed *p = &s->placed[part];
    const double *v = p->body < 0 ? none : s->scene->body[p->body].v;
    peg_motion m = motion_of(s, part, v);
    if (!p->moves) return m;
    const double *unconstrained = s->v_no_contact[p->body];
    double change[6];
    for (int k = 0; k < 6; k++) change[k] = unconstrained[k] - v[k];
    m.spare = s->scene->h * (OTHER * (peg_norm(change) + p->arm * peg_norm(change + 3)) +
                             VARIES * (peg_norm(v) + p->arm * peg_norm(v + 3)));
    return m;
}

/* The triangle's normal, from B to A. */
static void normal_of_triangle(const peg_view *a, const peg_view *b, double n[3])
{
    double between[3];
    peg_copy3(peg_is_triangle(b->shape) ? b->normal[0] : a->normal[0], n);
    peg_sub(a->centre, b->centre, between);
    double sign = peg_dot(between, n) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] *= sign;
}

/* The directions: the last one, the triangle's own, the widest. What was loaded, or touches along
 * the last one, is needed. */
int peg_is_expected_apart(const peg_stage *s, const peg_motion *of_a, const peg_motion *of_b,
                          peg_candidate *c)
{
    const peg_view *a = &s->placed[c->a].view, *b = &s->placed[c->b].view;
    double touch = 2 * margin_of(s, c), spare = of_a->spare + of_b->spare + touch, n[3];
    int is_known = peg_dot(c->n, c->n) > 0;
    if (c->cached_contacts > 0) return 0;
    if (is_known && least_along(s, c, of_a, of_b, c->n) > spare) return 1;
    normal_of_triangle(a, b, n);
    if (!(least_along(s, c, of_a, of_b, n) > spare)) {
        if (is_known && peg_separation_along(a, b, c->n) <= touch) return 0;
        peg_facet widest = peg_widest_facet(a, b, s->context->settings.narrow_phase, n);
        peg_copy3(widest.n, n);
        if (!(widest.s > spare && least_along(s, c, of_a, of_b, n) > spare)) return 0;
    }
    peg_copy3(n, c->n);
    return 1;
}

/* --- what was found --- */

int peg_passes_along(const peg_stage *s, const peg_candidate *c)
{
    double v[2][6];
    peg_found_velocity(s, c->a, v[0]);
    peg_found_velocity(s, c->b, v[1]);
    peg_motion of_a = motion_of(s, c->a, v[0]), of_b = motion_of(s, c->b, v[1]);
    return least_along(s, c, &of_a, &of_b, c->n) > margin_of(s, c);
}
