/* Pairs that met in the step where they had no contact at its start: those that are deep in each
 * other at the iterate, and those that passed through each other on the way there. From then on
 * they are held (wide_held.c). */
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/island/wide_state.h"

/* Depth, in L, from which a pair that had no contact is held and the velocities are found anew:
 * what is less deep the positions part, and it has its contact in the next step. With 0.2 a pile of
 * 1000 boxes limits 1860 bodies in 4 s of its fall at h .1, with this none. */
static const double DEEP = 0.1;
/* Depth, in widths of the narrower part, from which a held pair has passed on its way between poses
 * that are apart: corners of what turns dip in by less than half of that, a part whose holding face
 * has turned round goes through all of it. Without it one in a hundred bullets of 1 x 2 x 3 cm that
 * come together at 50 to 900 m/s goes through a wall of 2 cm (bullets_stay_before_a_wall). */
static const double THROUGH = 0.5;

/* Depth, in widths, from which a pair that is apart at both poses has passed between them. */
static double passing_depth(const peg_wide *w, int index)
{
    int may_dip = peg_wide_is_held(w, index, PEG_WIDE_NOW) && w->is_coarse;
    return may_dip ? THROUGH : PEG_HIT_DEPTH;
}

int peg_wide_hold_meetings(peg_wide *w)
{
    int n = 0;
    for (int k = 0; k < w->violations; k++) {
        int i = w->violated[k];
        const peg_wide_pair *p = &w->pair[i];
        if (w->held[i] || w->search[i] == PEG_WIDE_VIEWS) continue;
        if (p->s0 <= p->reach || p->s >= -DEEP * p->L) continue;
        peg_wide_hold(w, i);
        n++;
    }
    return n;
}

/* The separation of a pair in lanes at the share t of the step, by any of its directions. */
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

/* Whether a pair with these separations at both ends of a motion has one in all of it: at its share
 * x that is at least s_t - x motion and at least s_u - (1 - x) motion. */
static int stays_apart(double s_t, double s_u, double motion)
{
    return s_t + s_u >= motion;
}

/* A pair on its way. */
typedef struct way {
    int index;
    double depth; /* m: from which it meets */
} way;

/* Whether the pair meets between the shares t and u of the step, where its separations are s_t and
 * s_u, and it moves by `motion`. As in contact/first_contact.c nothing deeper than `depth` and
 * PEG_STRIDE widths is missed. Where no strides are left it counts as met. */
static int meets(peg_wide *w, const way *of, double t, double u, double s_t, double s_u,
                 double motion)
{
    const peg_pair *p = &w->I->pair[of->index];
    if (stays_apart(s_t, s_u, motion) || motion <= PEG_STRIDE * p->width) return 0;
    if (peg_strides_are_over(w->I)) return 1;
    w->I->progress.strides++;
    double between = 0.5 * (t + u), s = separation_at(w, of->index, between);
    return s < -of->depth || meets(w, of, t, between, s_t, s, 0.5 * motion) ||
           meets(w, of, between, u, s, s_u, 0.5 * motion);
}

/* Whether the pair, apart at both poses, is so many widths deep on the way. */
static int passes(peg_wide *w, int index, double widths)
{
    peg_island *I = w->I;
    const peg_vec6 *v = (const peg_vec6 *)I->v;
    const peg_wide_pair *pair = &w->pair[index];
    peg_pair *p = &I->pair[index];
    int is_by_views = w->search[index] == PEG_WIDE_VIEWS;
    double motion = peg_wide_motion(w, pair, v);
    if (stays_apart(pair->s0, pair->s, motion)) return 0;
    if (!is_by_views && !(motion > pair->fast)) return 0;
    p->s0 = pair->s0, p->s = pair->s;
    if (is_by_views && !peg_pair_is_fast(I, p, v)) return 0;
    way of = {index, widths * p->width};
    return peg_wide_in_lanes(w->search[index])
               ? meets(w, &of, 0, 1, p->s0, p->s, motion)
               : peg_conservative_advancement(I, p, v, of.depth).hit;
}

/* A pair that was not checked is farther apart at the start than it moves; one that is violated now
 * is moved apart first; corners of one that is held at both poses may dip in on the way as it
 * turns: islands of fewer than 30 bodies make other attempts then. */
int peg_wide_hold_passes(peg_wide *w, int *fresh)
{
    int n = 0;
    *fresh = 0;
    peg_wide_find_turning(w, (const peg_vec6 *)w->I->v);
    for (int i = 0; i < w->I->npair; i++) {
        if (!w->checked[i] || peg_wide_is_violated(w, i) || w->pair[i].is_soft) continue;
        if (!passes(w, i, passing_depth(w, i))) continue;
        if (!w->held[i]) peg_wide_hold(w, i), ++*fresh;
        n++;
    }
    return n;
}
