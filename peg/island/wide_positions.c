/* Poses that overlap are moved apart: rows without friction of the violated pairs, and of those
 * around them, at the poses themselves. The velocities of the motion stay. */
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/island/wide_state.h"

/* Iterations of a restoration, until rows change by less than this share of the margin. */
enum { POSITION_ITERATIONS = 12 };
static const double POSITION_CHANGE = 1e-3;

/* Restorations at most. Of them the first ones move the bodies of violated pairs, later ones their
 * neighbours, too, and then those of these. */
enum { RESTORATIONS = 40, WIDER_FROM = 2, WIDEST_FROM = 6 };

/* Share of the gap that restorations aim at; gaps below which neighbours of a violated pair take
 * part: NEIGHBOUR gaps and BESIDE L. Their features within RESTORED L make rows. */
static const double AIM = 0.3, NEIGHBOUR = 3, BESIDE = 0.002, RESTORED = 0.01;

/* An axis of edges must separate by so much more than those of faces, in L. */
static const double EDGE_BIAS = 2.5e-3;

/* Pairs that move by more than this share of their width could pass through each other. */
static const double FAST = 0.3;

static double floor_of(const peg_pair *p)
{
    return PEG_FLOOR * p->margin;
}

/* Pairs that the motion could have closed, at the poses of the iterate; the others keep a bound. */
static void check_all(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        p->s = p->s0 - peg_pair_motion(I, p, (const peg_vec6 *)I->v);
        if (!(p->s >= floor_of(p))) w->list[n++] = i;
    }
    peg_wide_separate(w, w->now, w->list, n, EDGE_BIAS);
}

static int count_violated(const peg_wide *w)
{
    int n = 0;
    for (int i = 0; i < w->I->npair; i++) n += !(w->I->pair[i].s >= floor_of(&w->I->pair[i]));
    return n;
}

static int allocate_restoration(peg_wide *w)
{
    peg_island *I = w->I;
    w->first = PEG_NEW(I->arena, int, I->nr + 1);
    w->around = PEG_NEW(I->arena, int, 2 * I->npair);
    w->hot = PEG_NEW(I->arena, unsigned char, I->nr);
    w->warm = PEG_NEW(I->arena, unsigned char, I->nr);
    w->chosen = PEG_NEW(I->arena, unsigned char, I->npair);
    w->zero = PEG_NEW(I->arena, peg_vec6, I->nd);
    w->shift = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (I->arena->failed) return 0;
    memset(w->zero, 0, (size_t)I->nd * sizeof *w->zero);
    memset(w->first, 0, (size_t)(I->nr + 1) * sizeof *w->first);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < I->npair; i++)
            w->first[I->piece[side ? I->pair[i].b : I->pair[i].a].rigid]++;
    for (int i = 0, sum = 0; i <= I->nr; i++) {
        sum += i < I->nr ? w->first[i] : 0;
        w->first[i] = sum;
    }
    for (int side = 0; side < 2; side++)
        for (int i = I->npair - 1; i >= 0; i--)
            w->around[--w->first[I->piece[side ? I->pair[i].b : I->pair[i].a].rigid]] = i;
    return 1;
}

static void heat(const peg_wide *w, const peg_pair *p, unsigned char *hot)
{
    hot[w->I->piece[p->a].rigid] = hot[w->I->piece[p->b].rigid] = 1;
}

/* Bodies of violated pairs, and of those around them. */
static void find_hot(peg_wide *w, int round)
{
    peg_island *I = w->I;
    int rings = round < WIDER_FROM ? 0 : round < WIDEST_FROM ? 1 : 2;
    memset(w->hot, 0, (size_t)I->nr);
    for (int i = 0; i < I->npair; i++)
        if (!(I->pair[i].s >= floor_of(&I->pair[i]))) heat(w, &I->pair[i], w->hot);
    for (int ring = 0; ring < rings; ring++) {
        memcpy(w->warm, w->hot, (size_t)I->nr);
        for (int i = 0; i < I->nd; i++)
            for (int k = w->first[i]; k < w->first[i + 1] && w->warm[i]; k++) {
                const peg_pair *p = &I->pair[w->around[k]];
                if (p->s < NEIGHBOUR * PEG_WIDE_GAP * p->margin) heat(w, p, w->hot);
            }
    }
}

/* Pairs of hot bodies that are violated, or nearly so: their number, listed. */
static int choose_pairs(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0;
    memset(w->chosen, 0, (size_t)I->npair);
    for (int i = 0; i < I->nd; i++)
        for (int k = w->first[i]; k < w->first[i + 1] && w->hot[i]; k++) {
            int index = w->around[k];
            const peg_pair *p = &I->pair[index];
            if (w->chosen[index] || !(p->s < NEIGHBOUR * PEG_WIDE_GAP * p->margin + BESIDE * p->L))
                continue;
            w->chosen[index] = 1;
            w->list[n++] = index;
        }
    peg_wide_separate(w, w->now, w->list, n, EDGE_BIAS); /* some had but a bound, and no axis */
    return n;
}

/* Rows at the poses of the iterate. */
static int gather_restoration(peg_wide *w)
{
    peg_island *I = w->I;
    int n = choose_pairs(w);
    w->contacts = w->patches = 0;
    for (int k = 0; k < n; k++) {
        const peg_pair *p = &I->pair[w->list[k]];
        double gap = PEG_WIDE_GAP * p->margin, reach = 4 * gap + RESTORED * p->L;
        int violated = !(p->s >= floor_of(p)), from = w->contacts;
        peg_box_patch found;
        peg_wide_find_patch(w, w->now, w->list[k], violated ? gap : reach, violated, &found);
        if (!peg_wide_add_contacts(w, w->list[k], &found, 0)) return 0;
        for (int c = from; c < w->contacts; c++) {
            double now = w->feature[c].gap;
            w->contact[c].bias = now - (violated ? AIM * gap : peg_min(now, AIM * gap));
        }
    }
    return 1;
}

static int restore(peg_wide *w, int round)
{
    peg_island *I = w->I;
    find_hot(w, round);
    if (!gather_restoration(w)) return 0;
    peg_wide_problem problem = {.nb = I->nd,
                                .root = w->root,
                                .target = (const peg_vec6 *)w->zero,
                                .contact = w->contact,
                                .patch = w->patch,
                                .patches = w->patches,
                                .frictionless = 1,
                                .iterations = POSITION_ITERATIONS,
                                .tolerance = POSITION_CHANGE * w->margin};
    peg_wide_result result;
    for (int c = 0; c < w->contacts; c++) {
        peg_plane_space(w->contact[c].normal, w->contact[c].tangent);
        peg_normalise(w->contact[c].tangent);
    }
    if (!peg_solve_wide_pgs(I->arena, &problem, w->shift, &result)) return 0;
    memset(w->hot, 0, (size_t)I->nr);
    for (int i = 0; i < I->nd; i++) {
        if (memcmp(w->shift[i], w->zero[i], sizeof *w->shift) == 0) continue;
        for (int k = 0; k < 6; k++) I->v[i][k] += w->shift[i][k] / I->h;
        w->hot[i] = 1;
        peg_wide_place_body(w, i);
    }
    peg_wide_place_boxes(w, w->hot);
    int n = 0;
    memset(w->chosen, 0, (size_t)I->npair);
    for (int i = 0; i < I->nd; i++)
        for (int k = w->first[i]; k < w->first[i + 1] && w->hot[i]; k++) {
            if (!w->chosen[w->around[k]]) w->list[n++] = w->around[k];
            w->chosen[w->around[k]] = 1;
        }
    peg_wide_separate(w, w->now, w->list, n, EDGE_BIAS);
    return 1;
}

int peg_wide_find_positions(peg_wide *w)
{
    int round = 0;
    for (int i = 0; i < w->I->nr; i++) peg_wide_place_body(w, i);
    peg_wide_place_boxes(w, NULL);
    check_all(w);
    if (count_violated(w) == 0) return 1;
    if (!allocate_restoration(w)) return 0;
    while (count_violated(w) && round < RESTORATIONS)
        if (!restore(w, round++)) return 0;
    w->I->stats->outer_iterations += round;
    return count_violated(w) == 0;
}

/* The separation of a pair at the share t of the step. */
static double separation_at(peg_wide *w, int index, double t)
{
    peg_island *I = w->I;
    peg_pair *p = &I->pair[index];
    double end = p->s, s;
    for (int side = 0; side < 2; side++) {
        int i = side ? p->b : p->a;
        const peg_rigid *r = &I->rigid[I->piece[i].rigid];
        double x[3], R[9];
        peg_rigid_pose(r, I->v[I->piece[i].rigid], t * I->h, x, R);
        peg_wide_place_box(&I->piece[i], x, R, &w->between[i]);
    }
    peg_wide_separate(w, w->between, &index, 1, 0);
    s = p->s, p->s = end;
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

int peg_wide_passes(peg_wide *w)
{
    const peg_island *I = w->I;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        double motion = peg_pair_motion(I, p, (const peg_vec6 *)I->v);
        if (motion > FAST * p->width && meets(w, i, 0, 1, p->s0, p->s, motion)) return 1;
    }
    return 0;
}
