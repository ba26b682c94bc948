/* Pairs that meet in the step where they had no contact at its start. Faces meet as they move, so
 * that what parts two parts last before they meet is, of the faces that part them at the start, the
 * one whose separation ends last. It holds the pair from then on: its separation is that along this
 * face alone, in the rows of the velocities and, of 30 bodies and more, of the positions. By their
 * own axis of least depth parts that are half through each other would be moved out on the wrong
 * side. In islands of fewer bodies other attempts take over: held so, a body of world 2848 hangs in
 * the air for 4 steps. */
#include "peg/contact/disjunction.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/island/begin.h"
#include "peg/island/wide_state.h"

/* Depth, in L, from which a pair that had no contact is held and the velocities are found anew:
 * what is less deep the positions part, and it has its contact in the next step. With 0.2 a pile of
 * 1000 boxes limits 1860 bodies in 4 s of its fall at h .1, with this none. */
static const double DEEP = 0.1;

/* --- what holds a pair --- */

/* Share of the step at which what is s0 >= 0 at the start and s at the iterate becomes 0. */
static double time_of_zero(double s0, double s)
{
    return s < 0 ? s0 / (s0 - s) : INFINITY;
}

/* Where no face parts them the widest axis. */
static void hold_boxes(peg_wide *w, int index)
{
    const peg_wide_pair *p = &w->pair[index];
    const peg_box *a0 = &w->box[PEG_WIDE_START][p->a], *b0 = &w->box[PEG_WIDE_START][p->b],
                  *a = &w->box[PEG_WIDE_NOW][p->a], *b = &w->box[PEG_WIDE_NOW][p->b];
    double latest = -1, apart[3], n[3];
    const double no_bias = 0;
    peg_box_axis *best = &w->axis[index];
    peg_sub(a0->x, b0->x, apart);
    for (int k = 0; k < 6; k++) {
        peg_box_axis axis = {.sign = 1, .axis = k};
        peg_box_axis_direction(a0, b0, &axis, n);
        axis.sign = peg_dot(n, apart) < 0 ? -1 : 1;
        peg_box_axis_direction(a0, b0, &axis, n);
        axis.s = peg_box_separation_along(a0, b0, n);
        if (axis.s < 0) continue;
        peg_box_axis_direction(a, b, &axis, n);
        double time = time_of_zero(axis.s, peg_box_separation_along(a, b, n));
        if (time > latest) latest = time, *best = axis;
    }
    if (latest < 0) peg_box_separations(&a0, &b0, &no_bias, 1, best);
}

/* Where no face parts them the widest facet. */
static void hold_facets(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    const peg_piece *a = &w->I->piece[p->a], *b = &w->I->piece[p->b];
    double latest = -1;
    for (int side = 0; side < 2; side++) {
        const peg_polytope *of = (side ? b : a)->part->shape, *other = (side ? a : b)->part->shape;
        for (int k = 0; k < of->nf && !peg_is_half_space(other); k++) {
            peg_facet facet = {.kind = side ? PEG_FEATURES_VF : PEG_FEATURES_FV, .i = k};
            facet = peg_facet_at(&a->start, &b->start, &facet);
            if (facet.s < 0) continue;
            double time = time_of_zero(facet.s, peg_facet_at(&a->now, &b->now, &facet).s);
            if (time > latest) latest = time, p->facet = facet;
        }
    }
    if (latest < 0)
        p->facet = peg_separation_of_faces_first(&a->start, &b->start, p->start_facet, 0);
}

/* Others keep the direction of the start. */
static void hold(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    w->held[index] = 1;
    if (w->search[index] == PEG_WIDE_BOXES)
        hold_boxes(w, index);
    else if (w->search[index] == PEG_WIDE_FACETS)
        hold_facets(w, index);
    else if (p->start_facet)
        p->facet = *p->start_facet;
    else if (w->search[index] == PEG_WIDE_VIEWS)
        peg_pair_begin(w->I, p);
}

/* --- which are held --- */

int peg_wide_hold_meetings(peg_wide *w)
{
    int n = 0;
    for (int k = 0; k < w->violations; k++) {
        int i = w->violated[k];
        const peg_wide_pair *p = &w->pair[i];
        if (w->held[i] || w->search[i] == PEG_WIDE_VIEWS) continue;
        if (p->s0 <= p->reach || p->s >= -DEEP * p->L) continue;
        hold(w, i);
        n++;
    }
    return n;
}

/* The separation of a pair in lanes at the share t of the step. */
static double separation_at(peg_wide *w, int index, double t)
{
    peg_island *I = w->I;
    peg_wide_pair *p = &w->pair[index];
    peg_box_axis axis = w->axis[index];
    double end = p->s, s;
    for (int side = 0; side < 2; side++) {
        int i = side ? p->b : p->a;
        const peg_rigid *r = &I->rigid[I->piece[i].rigid];
        double x[3], R[9];
        peg_rigid_pose(r, I->v[I->piece[i].rigid], t * I->h, x, R);
        peg_wide_place_box(&I->piece[i], x, R, &w->box[PEG_WIDE_BETWEEN][i]);
    }
    peg_wide_separate(w, PEG_WIDE_BETWEEN, &index, 1, 0);
    s = p->s, p->s = end;
    w->axis[index] = axis;
    return s;
}

/* Whether the pair meets between the shares t and u of the step, where its separations are s_t and
 * s_u, and it moves by `motion`: at the share x of that its separation is at least s_t - x motion
 * and at least s_u - (1 - x) motion. As in contact/first_contact.c nothing deeper than
 * PEG_HIT_DEPTH + PEG_STRIDE widths is missed. */
static int meets(peg_wide *w, int index, double t, double u, double s_t, double s_u, double motion)
{
    const peg_pair *p = &w->I->pair[index];
    if (s_t + s_u >= motion || motion <= PEG_STRIDE * p->width) return 0;
    double between = 0.5 * (t + u), s = separation_at(w, index, between);
    return s < -PEG_HIT_DEPTH * p->width || meets(w, index, t, between, s_t, s, 0.5 * motion) ||
           meets(w, index, between, u, s, s_u, 0.5 * motion);
}

/* Whether the pair, apart at both poses, is not so on the way. */
static int passes(peg_wide *w, int index)
{
    peg_island *I = w->I;
    const peg_vec6 *v = (const peg_vec6 *)I->v;
    const peg_wide_pair *pair = &w->pair[index];
    peg_pair *p = &I->pair[index];
    int is_by_views = w->search[index] == PEG_WIDE_VIEWS;
    double motion = peg_wide_motion(w, pair, v);
    if (!is_by_views && !(motion > pair->fast)) return 0;
    p->s0 = pair->s0, p->s = pair->s;
    if (is_by_views && !peg_pair_is_fast(I, p, v)) return 0;
    return peg_wide_in_lanes(w->search[index])
               ? meets(w, index, 0, 1, p->s0, p->s, motion)
               : peg_conservative_advancement(I, p, v, PEG_HIT_DEPTH * p->width).hit;
}

/* A pair that a face or edges hold at both poses has not passed, though corners may dip in on the
 * way as it turns: islands of fewer than 30 bodies make other attempts then. */
static int stays_held(const peg_wide *w, int index)
{
    return w->held[index] && w->is_many && w->search[index] != PEG_WIDE_VIEWS;
}

/* A pair that was not checked is farther apart at the start than it moves. */
int peg_wide_hold_passes(peg_wide *w, int *fresh)
{
    int n = 0;
    *fresh = 0;
    peg_wide_find_turning(w, (const peg_vec6 *)w->I->v, w->I->nr);
    for (int i = 0; i < w->I->npair; i++) {
        if (!w->checked[i] || stays_held(w, i) || !passes(w, i)) continue;
        if (!w->held[i]) hold(w, i), ++*fresh;
        n++;
    }
    return n;
}
