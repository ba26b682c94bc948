/* What holds a pair that met in the step where it had no contact at its start. Faces meet as they
 * move, so that what parts two parts last before they meet is, of the faces that part them at the
 * start, the one whose separation ends last. It holds the pair from then on: its separation is that
 * along this face alone, in the rows of the velocities and, of 30 bodies and more, of the
 * positions. By their own axis of least depth parts that are half through each other would be moved
 * out on the wrong side. In islands of fewer bodies other attempts take over: held so, a body of
 * world 2848 hangs in the air for 4 steps.
 *
 * Of parts that only two edges part at the start the axis of these turns far as the bodies turn a
 * little. Their side of it holds them: in positions, of the axis and the faces in this half-space
 * of directions the one that parts them most. Held by the axis alone, 1000 boxes that fall without
 * friction at h .1 for 4 s limit 1991 bodies instead of none. */
#include "peg/contact/disjunction.h"
#include "peg/island/begin.h"
#include "peg/island/wide_state.h"

enum { BOX_FACES = 6 }; /* axes of both boxes */

/* Share of the step at which what is s0 >= 0 at the start and s at the iterate becomes 0. */
static double time_of_zero(double s0, double s)
{
    return s < 0 ? s0 / (s0 - s) : INFINITY;
}

/* The face axis k of two boxes on the side of a direction. */
static peg_box_axis box_face(const peg_box *a, const peg_box *b, int k, const double side[3],
                             double n[3])
{
    peg_box_axis axis = {.sign = 1, .axis = k};
    peg_box_axis_direction(a, b, &axis, n);
    if (peg_dot(n, side) < 0) axis.sign = -1;
    peg_box_axis_direction(a, b, &axis, n);
    axis.s = peg_box_separation_along(a, b, n);
    return axis;
}

/* Returns 0 if no face parts them at the start. */
static int hold_boxes(peg_wide *w, int index)
{
    const peg_wide_pair *p = &w->pair[index];
    const peg_box *a0 = &w->box[PEG_WIDE_START][p->a], *b0 = &w->box[PEG_WIDE_START][p->b],
                  *a = &w->box[PEG_WIDE_NOW][p->a], *b = &w->box[PEG_WIDE_NOW][p->b];
    double latest = -1, apart[3], n[3];
    peg_sub(a0->x, b0->x, apart);
    for (int k = 0; k < BOX_FACES; k++) {
        peg_box_axis axis = box_face(a0, b0, k, apart, n);
        if (axis.s < 0) continue;
        peg_box_axis_direction(a, b, &axis, n);
        double time = time_of_zero(axis.s, peg_box_separation_along(a, b, n));
        if (time > latest) latest = time, w->axis[index] = axis;
    }
    if (latest < 0) w->held[index] = PEG_WIDE_BY_SIDE;
    return latest >= 0;
}

void peg_wide_separate_held_boxes(peg_wide *w, peg_wide_time time, int pair)
{
    const peg_wide_pair *p = &w->pair[pair];
    const peg_box *a = &w->box[time][p->a], *b = &w->box[time][p->b];
    peg_box_axis *held = &w->axis[pair];
    double side[3], n[3];
    const double no_bias = 0;
    int is_by_side = w->held[pair] == PEG_WIDE_BY_SIDE;
    if (is_by_side && time == PEG_WIDE_START) peg_box_separations(&a, &b, &no_bias, 1, held);
    peg_box_axis_direction(a, b, held, side);
    held->s = peg_box_separation_along(a, b, side);
    for (int k = 0; k < BOX_FACES && is_by_side && time == PEG_WIDE_NOW; k++) {
        peg_box_axis axis = box_face(a, b, k, side, n);
        if (axis.s > held->s) *held = axis;
    }
    w->pair[pair].s = held->s;
}

/* Of two parts, one after the other. */
typedef struct facets {
    const peg_piece *a, *b;
    int side, k; /* of A (0) or B (1), and the last one */
} facets;

/* The next facet of either part that faces the other one; 0: there is none. */
static int next_facet(facets *f, peg_facet *facet)
{
    for (; f->side < 2; f->side++, f->k = -1) {
        const peg_polytope *of = (f->side ? f->b : f->a)->part->shape,
                           *other = (f->side ? f->a : f->b)->part->shape;
        if (peg_is_half_space(other) || ++f->k >= of->nf) continue;
        *facet = (peg_facet){.kind = f->side ? PEG_FEATURES_VF : PEG_FEATURES_FV, .i = f->k};
        return 1;
    }
    return 0;
}

static int hold_facets(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    facets f = {&w->I->piece[p->a], &w->I->piece[p->b], 0, -1};
    peg_facet facet;
    double latest = -1;
    while (next_facet(&f, &facet)) {
        facet = peg_facet_at(&f.a->start, &f.b->start, &facet);
        if (facet.s < 0) continue;
        double time = time_of_zero(facet.s, peg_facet_at(&f.a->now, &f.b->now, &facet).s);
        if (time > latest) latest = time, p->facet = facet;
    }
    if (latest < 0) w->held[index] = PEG_WIDE_BY_SIDE;
    return latest >= 0;
}

void peg_wide_separate_held_facets(peg_wide *w, peg_wide_time time, int pair)
{
    peg_pair *p = &w->I->pair[pair];
    facets f = {&w->I->piece[p->a], &w->I->piece[p->b], 0, -1};
    const peg_view *A = time == PEG_WIDE_START ? &f.a->start : &f.a->now,
                   *B = time == PEG_WIDE_START ? &f.b->start : &f.b->now;
    int is_by_side = w->held[pair] == PEG_WIDE_BY_SIDE;
    if (is_by_side && time == PEG_WIDE_START)
        p->facet = peg_separation_of_faces_first(A, B, p->start_facet, 0);
    else
        p->facet = peg_facet_at(A, B, &p->facet);
    peg_facet facet, held = p->facet;
    while (is_by_side && time == PEG_WIDE_NOW && next_facet(&f, &facet)) {
        facet = peg_facet_at(A, B, &facet);
        if (peg_dot(facet.n, held.n) > 0 && facet.s > p->facet.s) p->facet = facet;
    }
    w->pair[pair].s = p->facet.s;
}

/* By the direction of the start, as round parts have no face: in the rows of the velocities their
 * features there do that. A triangle ends beside such a direction: where it held one, step 1 of
 * world 1933 was solved 25 times and took 3.7 s. */
static void hold_views(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    if (!p->start_facet) peg_pair_begin(w->I, p);
    peg_copy3(p->start_facet ? p->start_facet->n : p->facet.n, w->side[index]);
    if (peg_is_triangle(w->I->piece[p->a].part->shape) ||
        peg_is_triangle(w->I->piece[p->b].part->shape))
        w->held[index] = PEG_WIDE_AT_START;
}

void peg_wide_separate_held_views(peg_wide *w, int pair)
{
    peg_pair *p = &w->I->pair[pair];
    const peg_view *A = &w->I->piece[p->a].now, *B = &w->I->piece[p->b].now;
    const double *side = w->side[pair];
    p->facet = (peg_facet){.kind = PEG_FEATURES_NONE, .s = peg_separation_along(A, B, side)};
    peg_copy3(side, p->facet.n);
    int is_above_plane = peg_is_half_space(A->shape) || peg_is_half_space(B->shape);
    if (is_above_plane || p->facet.s < peg_wide_floor(&w->pair[pair])) {
        peg_facet widest = peg_widest_facet(A, B, w->I->settings->narrow_phase, side);
        int is_wider = peg_dot(widest.n, side) > 0 && widest.s > p->facet.s;
        if (is_above_plane || is_wider) p->facet = widest;
    }
    p->others = INFINITY;
    w->pair[pair].s = p->facet.s;
}

void peg_wide_hold(peg_wide *w, int index)
{
    w->held[index] = PEG_WIDE_BY_FACE;
    switch (w->search[index]) {
    case PEG_WIDE_BOXES:
        if (!hold_boxes(w, index)) peg_wide_separate_held_boxes(w, PEG_WIDE_START, index);
        break;
    case PEG_WIDE_FACETS:
        if (!hold_facets(w, index)) peg_wide_separate_held_facets(w, PEG_WIDE_START, index);
        break;
    case PEG_WIDE_VIEWS:
        hold_views(w, index);
        break;
    default:; /* a half-space has one face */
    }
}
