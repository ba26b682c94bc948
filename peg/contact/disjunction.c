/* The alternative of a pair: which facet of the Minkowski difference keeps its parts apart. One
 * pair is one inter-contact constraint [W 19] over all its applicable feature pairs: at least one
 * separation is to be non-negative. The chosen facet names it; the rules below choose and change
 * it. */
#include "peg/contact/disjunction.h"

#include "peg/collide/closest_features.h"
#include "peg/collide/normal_cone.h"
#include "peg/collide/separation.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/patch_external.h"

/* AWAY: cosine of the angle to the chosen direction from which on a facet is another alternative.
 * TURNED: rotation of the bodies, rad, up to which the bound on the other alternatives holds
 * without a new search. SEARCHED: depth of overlap up to which the first search lists facets, L. */
static const double AWAY = 0.999;
static const double TURNED = 0.03;
static const double SEARCHED = 0.2;

/* A facet releases a pair from a trap if its separation exceeds max(s_n, 0) by this, L. */
static const double TRAP = 1e-7;

static const peg_piece *piece_a(const peg_island *I, const peg_pair *p)
{
    return &I->piece[p->a];
}

static const peg_piece *piece_b(const peg_island *I, const peg_pair *p)
{
    return &I->piece[p->b];
}

static double along_start(const peg_island *I, const peg_pair *p, const double *n)
{
    return peg_separation_along(&piece_a(I, p)->start, &piece_b(I, p)->start, n);
}

static double along_now(const peg_island *I, const peg_pair *p, const double *n)
{
    return peg_separation_along(&piece_a(I, p)->now, &piece_b(I, p)->now, n);
}

static int is_round(const peg_island *I, const peg_pair *p)
{
    return peg_is_dilated(piece_a(I, p)->part->shape) || peg_is_dilated(piece_b(I, p)->part->shape);
}

/* Separation at q_0, m, of the features of a facet found at q_k. Of round features: their distance,
 * negative if they have passed each other since. */
static double facet_at_start(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    const peg_view *A = &piece_a(I, p)->start, *B = &piece_b(I, p)->start;
    if (facet->kind < PEG_FEATURES_VV) return peg_facet_at(A, B, facet).s;
    double a[3], b[3], d[3];
    peg_nearest_points(A, B, facet->kind, facet->i, facet->j, a, b);
    peg_sub(a, b, d);
    return copysign(peg_norm(d), peg_dot(d, facet->n)) - peg_radius_of_a(A, facet->kind) -
           peg_radius_of_b(B, facet->kind);
}

/* Whether the support feature of a mesh along n can be in contact along n. Otherwise n is a
 * separating direction, but neighbouring triangles shield the feature and no contact forms along
 * it. */
static int can_touch(const peg_island *I, const peg_pair *p, const peg_view *A, const peg_view *B,
                     const double n[3])
{
    double slope = I->settings->relative_rotation, back[3] = {-n[0], -n[1], -n[2]};
    const peg_slope_tolerance of_a = {slope, NULL, p->from_out[0]},
                              of_b = {slope, NULL, p->from_out[1]};
    return peg_support_can_touch(B, n, &of_b) && peg_support_can_touch(A, back, &of_a);
}

static int can_touch_now(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    return p->tried.stuck || can_touch(I, p, &piece_a(I, p)->now, &piece_b(I, p)->now, facet->n);
}

/* Whether an overlapping pair may change its direction of recovery. */
static int gives_way(const peg_island *I, const peg_pair *p)
{
    return peg_pair_recovers(p) && I->progress.iteration >= PEG_RECOVERY_FREE_FROM;
}

/* A facet may be chosen if it separated the pair at q_0, or was no deeper than the starting
 * overlap. */
static int held_at_start(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    return gives_way(I, p) || facet_at_start(I, p, facet) >= fmin(p->s0, 0) - PEG_TOUCH * p->L;
}

/* State of a search over facets. */
typedef struct search {
    const peg_island *I;
    const peg_pair *p;
    peg_facet best;
    double value; /* of `best` */
    int touches;  /* contact can form along `best` */
    double align; /* least or greatest n . n_chosen accepted */
} search;

/* --- the first direction --- */

static double first_value(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    if (!peg_has_rule(I, PEG_RULE_FREE_MOTION)) return facet->s;
    const peg_view *A = &piece_a(I, p)->free_, *B = &piece_b(I, p)->free_;
    return fmin(facet->s, peg_separation_along(A, B, facet->n));
}

/* Facets listed by the first search; more than these give no bound. */
enum { MOST_MET = 64 };

typedef struct meeting {
    search first;
    double least; /* least separation of a candidate, m */
    int count;
    struct met {
        double n[3], s;
    } met[MOST_MET]; /* as many as counted, the others are not set */
} meeting;

static void begin_meeting(meeting *m, const search *first, double least)
{
    m->first = *first;
    m->least = least;
    m->count = 0;
}

static void meet(meeting *m, const peg_facet *facet)
{
    if (m->count < MOST_MET) {
        peg_copy3(facet->n, m->met[m->count].n);
        m->met[m->count].s = facet->s;
    }
    m->count++;
}

static void consider_first(void *context, const peg_facet *facet)
{
    meeting *m = context;
    search *c = &m->first;
    meet(m, facet);
    if (facet->s < m->least) return;
    /* once one touches, only what has more can be better; whether it touches takes longest */
    double enough = c->value + PEG_TOUCH * c->p->L;
    if (c->touches && facet->s <= enough) return;
    double value = first_value(c->I, c->p, facet);
    if (c->touches && value <= enough) return;
    int touches =
        can_touch(c->I, c->p, &piece_a(c->I, c->p)->start, &piece_b(c->I, c->p)->start, facet->n);
    if (touches < c->touches) return;
    if (touches == c->touches && value <= enough) return;
    c->value = value;
    c->touches = touches;
    c->best = *facet;
}

/* Three vertices, or the plane of a half-space: they identify the pose of a part. */
static void find_place(const peg_view *view, peg_vec3 at[3])
{
    memset(at, 0, 3 * sizeof *at);
    for (int k = 0; k < 3 && k < view->shape->nv; k++) peg_copy3(view->vertex[k], at[k]);
    if (!peg_is_half_space(view->shape)) return;
    peg_copy3(view->normal[0], at[0]);
    at[1][0] = view->offset[0];
}

/* Whether the part is at the pose of the end of the last step: the program has not moved it. */
static int is_where_left(const peg_view *view, const peg_vec3 at[3], double L)
{
    peg_vec3 now[3];
    int same = 1;
    find_place(view, now);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) same &= fabs(now[k][i] - at[k][i]) <= PEG_TOUCH * L;
    return same;
}

/* Whether the last direction may do without a search. Of other pairs it may be a trap, by which
 * joined bodies move by 1e-6 m. */
static int may_skip_search(const peg_island *I, const peg_pair *p)
{
    return is_round(I, p) || peg_is_coarse(I) || peg_is_triangle(piece_a(I, p)->part->shape) ||
           peg_is_triangle(piece_b(I, p)->part->shape);
}

/* Reuses the last direction, without a search, if it separates the pair at q_0 and after the free
 * motion. 1 if it does. */
static int is_left_apart(peg_island *I, peg_pair *p)
{
    peg_facet facet = p->choice->facet;
    if (!may_skip_search(I, p) || peg_dot(facet.n, facet.n) == 0) return 0;
    if (!is_round(I, p)) facet.kind = PEG_FEATURES_NONE;
    facet.s = along_start(I, p, facet.n);
    if (!(facet.s >= 0) || !(first_value(I, p, &facet) >= PEG_TOUCH * p->L)) return 0;
    p->facet = facet;
    p->s0 = p->s = facet.s;
    p->others = INFINITY;
    p->turned = 0;
    return 1;
}

/* Reuses the facet of the last step; 0 if it no longer separates the pair or another one could be
 * wider. */
static int keeps_choice(peg_island *I, peg_pair *p)
{
    peg_choice *old = p->choice;
    if (old->facet.kind == PEG_FEATURES_NONE || !(old->turned <= TURNED)) return 0;
    if (!is_where_left(&piece_a(I, p)->start, (const peg_vec3 *)old->at[0], p->L) ||
        !is_where_left(&piece_b(I, p)->start, (const peg_vec3 *)old->at[1], p->L))
        return 0;
    peg_facet now = peg_facet_at(&piece_a(I, p)->start, &piece_b(I, p)->start, &old->facet);
    if (!(now.s >= 0) || !(first_value(I, p, &now) >= old->others)) return 0;
    p->facet = now;
    p->s0 = p->s = now.s;
    p->others = old->others;
    p->turned = old->turned;
    return 1;
}

/* Upper bound on the separation of the alternatives other than n, m: of the listed facets, and of
 * those beyond the reach of the search. */
static double find_others(const meeting *m, const double *n, double away, double reach)
{
    double others = reach;
    if (m->count > MOST_MET) return INFINITY;
    for (int i = 0; i < m->count; i++)
        if (m->met[i].s > others && peg_dot(m->met[i].n, n) < away) others = m->met[i].s;
    return others;
}

/* Considers a direction that is no facet at q_0. */
static void consider_direction(const peg_island *I, const peg_pair *p, const double *n, meeting *m)
{
    peg_facet facet = {.kind = PEG_FEATURES_NONE, .s = along_start(I, p, n)};
    peg_copy3(n, facet.n);
    if (facet.s >= fmin(p->s0, 0) - PEG_TOUCH * p->L) consider_first(m, &facet);
}

static void choose_first(peg_island *I, peg_pair *p)
{
    const peg_view *A = &piece_a(I, p)->start, *B = &piece_b(I, p)->start;
    double touch = PEG_TOUCH * p->L, reach = -SEARCHED * p->L;
    meeting m;
    search *c = &m.first;
    begin_meeting(&m, &(search){.I = I, .p = p, .value = -INFINITY}, -touch);
    /* what is deeper bounds other alternatives, which round pairs do not ask for */
    double keep = is_round(I, p) ? m.least : reach;
    peg_facet widest = peg_separation(A, B, keep, consider_first, &m);
    p->s0 = p->s = widest.s;
    p->widest = widest;
    if (c->value == -INFINITY) {
        m.count = 0;
        m.least = p->s0 - 1e-3 * touch;
        reach = fmin(reach, m.least);
        peg_separation(A, B, is_round(I, p) ? m.least : reach, consider_first, &m);
    }
    if (!c->touches && p->surface->soft) { /* deeper than it is beside a triangle's inner edge */
        m.least = -INFINITY;
        peg_separation(A, B, -INFINITY, consider_first, &m);
    }
    if (c->value == -INFINITY) c->best = widest;
    const double *n = p->choice->facet.n;
    if (peg_dot(n, n) > 0) consider_direction(I, p, n, &m);
    if (is_round(I, p)) {
        const peg_view *free_a = &piece_a(I, p)->free_, *free_b = &piece_b(I, p)->free_;
        peg_facet after = peg_widest_facet(free_a, free_b, I->settings->narrow_phase, NULL);
        consider_direction(I, p, after.n, &m);
    }
    p->facet = c->best;
    p->others = is_round(I, p) ? INFINITY : find_others(&m, p->facet.n, AWAY, reach);
    p->turned = 0;
}

/* Later attempts of the step begin with what the first one has found: islands with meshes have ten
 * thousand pairs. */
static void find_start(peg_island *I, peg_pair *p)
{
    peg_pair_start *start = &p->start;
    int known = may_skip_search(I, p) ? 1 : 2;
    if (start->known == known) {
        p->facet = start->facet, p->widest = start->widest;
        p->s0 = p->s = start->s0;
        p->others = start->others, p->turned = start->turned;
        return;
    }
    memset(&p->widest, 0, sizeof p->widest);
    if (!is_left_apart(I, p) && !keeps_choice(I, p)) choose_first(I, p);
    *start = (peg_pair_start){known, p->facet, p->widest, p->s0, p->others, p->turned};
}

/* The facet that separates the pair at q_0 and suits the free motion best: largest min(s(q_0),
 * s(q_free)). With the closest-point normal a body that falls past a flush wall would be in contact
 * with it. */
void peg_pair_begin(peg_island *I, peg_pair *p)
{
    if (p->nexternal)
        peg_external_begin(I, p);
    else
        find_start(I, p);
    p->contact_time = -1;
    p->tried = (peg_pair_tried){0};
    p->violated = p->active = p->checked = p->has_first_contact = p->friction_pending = 0;
    p->friction_slips = 0;
    p->shortfall = p->moved_since_rows = p->moved_since_tilt = p->moved_since_check = 0;
    p->fast = 0;
    p->beside = INFINITY, p->clear = -INFINITY;
}

/* Upper bound on the rotation of the two bodies in the step, rad. */
static double turning(const peg_island *I, const peg_pair *p)
{
    return I->h *
           (peg_norm(I->v[piece_a(I, p)->rigid] + 3) + peg_norm(I->v[piece_b(I, p)->rigid] + 3));
}

/* Upper bound at q_k on the separation of the other alternatives, m. */
static double others_now(const peg_island *I, const peg_pair *p)
{
    if (!(p->turned + turning(I, p) <= TURNED)) return INFINITY;
    return p->others + peg_pair_motion(I, p, (const peg_vec6 *)I->v);
}

void peg_pair_keep_choice(const peg_island *I, peg_pair *p)
{
    p->choice->facet = p->facet;
    p->start.known = 0;
    if (p->facet.kind == PEG_FEATURES_NONE) return; /* a direction is looked at anew */
    p->choice->turned = p->turned + turning(I, p);
    p->choice->others = p->others + peg_pair_motion(I, p, (const peg_vec6 *)I->v);
    find_place(&piece_a(I, p)->now, p->choice->at[0]);
    find_place(&piece_b(I, p)->now, p->choice->at[1]);
}

/* --- check --- */

/* Least gap at q_k of a facet with start_gap at q_0, m: a share of the margin, at most half of
 * start_gap; from an overlap no deeper than rounding. */
static double least_gap(const peg_pair *p, double start_gap)
{
    double floor = PEG_FLOOR * p->margin, rounding = PEG_ROUNDING * p->L;
    if (start_gap >= 2 * floor) return floor;
    return 0.5 * fmax(start_gap, 0) - rounding;
}

static search search_from(const peg_island *I, const peg_pair *p, double value, double align)
{
    search c = {.I = I, .p = p, .value = value, .align = align};
    c.best.kind = PEG_FEATURES_NONE;
    return c;
}

static void consider_start(void *context, const peg_facet *facet)
{
    search *c = context;
    c->value = fmin(c->value, facet_at_start(c->I, c->p, facet));
}

static int is_at_start(const peg_rigid *r)
{
    return r->state.kind == PEG_STATIC ||
           (memcmp(r->x, r->x0, sizeof r->x) == 0 && memcmp(r->R, r->R0, sizeof r->R) == 0);
}

/* The widest facet at q_k: of bodies that stand still that at q_0. */
static peg_facet widest_now(const peg_island *I, const peg_pair *p)
{
    const peg_piece *a = piece_a(I, p), *b = piece_b(I, p);
    if (peg_dot(p->widest.n, p->widest.n) > 0 && is_at_start(&I->rigid[a->rigid]) &&
        is_at_start(&I->rigid[b->rigid]))
        return p->widest;
    return peg_widest_facet(&a->now, &b->now, I->settings->narrow_phase, p->facet.n);
}

/* The gap at q_0 is the smallest one of the chosen facet and of those within the floor of the
 * widest at q_k: of nearly coincident facets any may be the widest. */
double peg_pair_shortfall(peg_island *I, peg_pair *p, const peg_facet *known, const double *along)
{
    const peg_view *A = &piece_a(I, p)->now, *B = &piece_b(I, p)->now;
    double apart[3], floor = least_gap(p, INFINITY);
    if (p->nexternal) return peg_external_shortfall(I, p);
    if (p->buried) {
        p->s = along_now(I, p, p->facet.n);
        return -INFINITY;
    }
    peg_sub(A->centre, B->centre, apart);
    p->s = peg_norm(apart) - A->shape->radius - B->shape->radius;
    if (!(p->s >= floor)) p->s = along ? *along : along_now(I, p, p->facet.n);
    if (p->s >= floor) return floor - p->s;
    peg_facet widest = known && known->kind != PEG_FEATURES_NONE ? *known : widest_now(I, p);
    p->s = widest.s;
    if (p->s >= 0 && p->s < floor) p->s = peg_max(p->s, peg_separation_beside(A, B));
    if (p->s >= floor) return floor - p->s;
    if (p->surface->soft) return -INFINITY;
    if (peg_pair_recovers(p)) {
        p->s = fmax(p->s, along ? *along : along_now(I, p, p->facet.n));
        return p->s0 - PEG_TOUCH * p->L - p->s;
    }
    search c = search_from(I, p, facet_at_start(I, p, &widest), 0);
    if (p->facet.kind != PEG_FEATURES_NONE) consider_start(&c, &p->facet);
    if (is_round(I, p)) peg_separation(A, B, widest.s - floor, consider_start, &c);
    double least = least_gap(p, c.value);
    /* a starting overlap of rounding, which the position stage and walls without clearance cannot
     * open; of many bodies to open it would move all that bears on it */
    int stays =
        I->nd >= PEG_COARSE_FROM || (I->forms & (PEG_FORM_POSITIONS_APART | PEG_FORM_CLEARANCE));
    if (p->s0 < 0 && stays) least = fmin(least, p->s0);
    return least - p->s;
}

/* --- tilt --- */

/* Cosine: closer directions are the same alternative. */
#define SAME_DIRECTION 0.995 /* smaller than AWAY by more than TURNED */

static void consider_tilt(void *context, const peg_facet *facet)
{
    meeting *m = context;
    search *c = &m->first;
    meet(m, facet);
    if (facet->s <= c->value || peg_dot(facet->n, c->p->facet.n) <= c->align) return;
    if (!held_at_start(c->I, c->p, facet) || !can_touch_now(c->I, c->p, facet)) return;
    c->value = facet->s;
    c->best = *facet;
}

static void take(peg_pair *p, const search *c)
{
    if (c->best.kind == PEG_FEATURES_NONE) return;
    p->facet = c->best;
    p->others = p->beside = INFINITY;
    p->checked = 0;
}

/* Wider facets within 60 degrees of the chosen one (of a recovering pair: any) that separated it at
 * q_0. A facet found at a nearby pose is kept while it separates the pair and no neighbour can be
 * wider. */
peg_facet peg_pair_tilt(peg_island *I, peg_pair *p, double along)
{
    static const peg_facet unknown = {.kind = PEG_FEATURES_NONE};
    double here = along + PEG_TOUCH * p->L;
    if (p->nexternal || p->buried || others_now(I, p) <= here) return unknown;
    int near = along >= PEG_FLOOR * p->margin && p->moved_since_tilt <= PEG_ROW_REUSE * p->L;
    if (near && p->beside + p->moved_since_tilt <= here) return unknown;
    meeting m;
    search first = search_from(I, p, here, gives_way(I, p) ? -2 : 0.5);
    begin_meeting(&m, &first, -INFINITY);
    peg_facet widest =
        peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, here, consider_tilt, &m);
    if (m.first.best.kind != PEG_FEATURES_NONE) {
        take(p, &m.first);
        I->stats->tilts++;
    }
    p->beside = find_others(&m, p->facet.n, SAME_DIRECTION, here);
    p->moved_since_tilt = 0;
    return widest;
}

/* --- switch --- */

static void consider_switch(void *context, const peg_facet *facet)
{
    search *c = context;
    if (facet->s <= c->value || peg_dot(facet->n, c->p->facet.n) >= c->align) return;
    if (c->p->tried.locked && facet_at_start(c->I, c->p, facet) < -PEG_TOUCH * c->p->L) return;
    if (!can_touch_now(c->I, c->p, facet)) return;
    c->value = facet->s;
    c->best = *facet;
}

static void consider_touching(void *context, const peg_facet *facet)
{
    search *c = context;
    if (facet->s <= c->value || peg_dot(facet->n, c->p->facet.n) >= c->align) return;
    double start = facet_at_start(c->I, c->p, facet);
    if (start < -PEG_TOUCH * c->p->L || start > c->p->margin || facet->s < least_gap(c->p, start))
        return;
    if (!can_touch_now(c->I, c->p, facet)) return;
    c->value = facet->s;
    c->best = *facet;
}

/* Upper bound at q_k on the separation of facets next to the chosen one, m. */
static double beside_now(const peg_island *I, const peg_pair *p)
{
    return peg_min(others_now(I, p), p->beside + p->moved_since_tilt);
}

/* Whether the pair may change to another facet that touched at q_0 and still separates it: the side
 * of the next of two flush parts does not stop a body that slides onto it. Once in a step: two such
 * facets could replace each other for ever. */
static int yields(peg_island *I, peg_pair *p, search *c)
{
    if (p->tried.yielded || !peg_has_rule(I, PEG_RULE_YIELD) || p->s0 < -PEG_TOUCH * p->L ||
        beside_now(I, p) < 0)
        return 0;
    if (facet_at_start(I, p, &p->facet) <= p->margin) return 0;
    peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, 0, consider_touching, c);
    p->tried.yielded = c->best.kind != PEG_FEATURES_NONE;
    return p->tried.yielded;
}

/* A loaded pair is in a trap if another facet separates it by more than max(s_n, 0). */
int peg_pair_switch(peg_island *I, peg_pair *p)
{
    if (p->nexternal || p->buried) return 0;
    double here = fmax(along_now(I, p, p->facet.n), 0) + TRAP * p->L;
    search c = search_from(I, p, here, SAME_DIRECTION);
    if (beside_now(I, p) > here)
        peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, here, consider_switch, &c);
    if (c.best.kind == PEG_FEATURES_NONE) {
        c.value = -INFINITY;
        if (!yields(I, p, &c)) return 0;
    }
    take(p, &c);
    p->tried.switches++;
    I->stats->switches++;
    return 1;
}

/* --- lock and traps --- */

static void consider_held(void *context, const peg_facet *facet)
{
    search *c = context;
    if (!held_at_start(c->I, c->p, facet)) return;
    int touches = can_touch_now(c->I, c->p, facet);
    if (touches < c->touches || (touches == c->touches && facet->s <= c->value)) return;
    c->value = facet->s;
    c->touches = touches;
    c->best = *facet;
}

void peg_pair_choose_facet(peg_island *I, peg_pair *p)
{
    if (p->nexternal || p->buried) return;
    search c = search_from(I, p, -INFINITY, 0);
    peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, -INFINITY, consider_held, &c);
    take(p, &c);
}

/* A row that pushes a body out at the far side: from now on only facets that separated the pair at
 * q_0. */
void peg_pair_lock(peg_island *I, peg_pair *p)
{
    p->tried.locked = 1;
    p->tried.switches++;
    I->stats->locks++;
    peg_pair_choose_facet(I, p);
}
