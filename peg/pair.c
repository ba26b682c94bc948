/* The alternative of a pair: which facet of the Minkowski difference keeps its parts apart. One
 * pair is one inter-contact constraint [W 19] over all its applicable feature pairs: at least one
 * separation is to be non-negative. The chosen facet names it; the rules below choose and change
 * it. */
#include "peg/island.h"

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

double peg_facet_at_start(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    return peg_facet_at(&piece_a(I, p)->start, &piece_b(I, p)->start, facet).s;
}

/* A facet may be chosen if it held at the start (or was no worse than the starting overlap). */
static int held_at_start(const peg_island *I, const peg_pair *p, const peg_facet *facet)
{
    return peg_facet_at_start(I, p, facet) >= fmin(p->s0, 0) - PEG_TOUCH * p->L;
}

/* What a visitor of facets looks for. */
typedef struct search {
    const peg_island *I;
    const peg_pair *p;
    peg_facet best;
    double value; /* of the best */
    double align; /* least or greatest n . n_chosen that is wanted */
} search;

/* --- the first direction --- */

static void consider_first(void *context, const peg_facet *facet)
{
    search *c = context;
    double s_free =
        peg_separation_along(&piece_a(c->I, c->p)->free_, &piece_b(c->I, c->p)->free_, facet->n);
    double value = c->I->without & PEG_RULE_FREE_MOTION ? facet->s : fmin(facet->s, s_free);
    if (value <= c->value + PEG_TOUCH * c->p->L) return;
    c->value = value;
    c->best = *facet;
}

/* The facet that held at q_0 and serves the free motion best: largest min(s(q_0), s(q_free)). The
 * closest-point normal instead would make a contact of a body that falls past a flush wall. */
void peg_pair_begin(peg_island *I, peg_pair *p)
{
    const peg_view *A = &piece_a(I, p)->start, *B = &piece_b(I, p)->start;
    double touch = PEG_TOUCH * p->L;
    search c = {.I = I, .p = p, .value = -INFINITY};
    peg_facet widest = peg_separation(A, B, -touch, consider_first, &c);
    p->s0 = p->s = widest.s;
    if (c.value == -INFINITY) peg_separation(A, B, p->s0 - 1e-3 * touch, consider_first, &c);
    if (c.value == -INFINITY) c.best = widest;
    if (peg_dot(p->remembered, p->remembered) > 0) {
        peg_facet old = {.kind = PEG_FACET_NONE, .s = along_start(I, p, p->remembered)};
        peg_copy3(p->remembered, old.n);
        if (old.s >= fmin(p->s0, 0) - touch) consider_first(&c, &old);
    }
    p->facet = c.best;
    p->contact_time = -1;
    p->causes = p->switches = p->locked = p->no_traps = p->violated = p->loaded = 0;
}

/* --- check --- */

/* What a facet that kept start_gap at q_0 must keep at q_k: a share of the margin, but no more than
 * half of what there was; nothing but rounding below 0. */
static double least_gap(const peg_pair *p, double start_gap)
{
    double floor = PEG_FLOOR * p->margin, rounding = PEG_ROUNDING * p->L;
    if (start_gap >= floor) return floor;
    return start_gap > 0 ? fmax(0.5 * start_gap, rounding) - rounding : -rounding;
}

int peg_pair_recovers(const peg_pair *p)
{
    return !p->surface.soft && p->s0 < -PEG_TOUCH * p->L;
}

double peg_pair_shortfall(peg_island *I, peg_pair *p)
{
    const peg_view *A = &piece_a(I, p)->now, *B = &piece_b(I, p)->now;
    double apart[3], floor = least_gap(p, INFINITY);
    peg_sub(A->centre, B->centre, apart);
    p->s = peg_norm(apart) - A->shape->radius - B->shape->radius;
    if (!(p->s >= floor)) p->s = along_now(I, p, p->facet.n);
    if (p->s >= floor) return floor - p->s;
    peg_facet widest = peg_separation(A, B, INFINITY, NULL, NULL);
    p->s = widest.s;
    if (p->surface.soft) return -INFINITY;
    if (p->s0 < -PEG_TOUCH * p->L) return p->s0 - PEG_TOUCH * p->L - p->s;
    return least_gap(p, peg_facet_at_start(I, p, &widest)) - p->s;
}

/* --- tilt --- */

static void consider_tilt(void *context, const peg_facet *facet)
{
    search *c = context;
    if (facet->s <= c->value || peg_dot(facet->n, c->p->facet.n) <= c->align) return;
    if (!held_at_start(c->I, c->p, facet)) return;
    c->value = facet->s;
    c->best = *facet;
}

static void take(peg_pair *p, const search *c)
{
    if (c->best.kind != PEG_FACET_NONE) p->facet = c->best;
}

static search search_from(const peg_island *I, const peg_pair *p, double value, double align)
{
    search c = {.I = I, .p = p, .value = value, .align = align};
    c.best.kind = PEG_FACET_NONE;
    return c;
}

/* Better facets within 60 degrees that held at the start. */
void peg_pair_tilt(peg_island *I, peg_pair *p)
{
    double here = along_now(I, p, p->facet.n) + PEG_TOUCH * p->L;
    search c = search_from(I, p, here, 0.5);
    peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, here, consider_tilt, &c);
    if (c.best.kind == PEG_FACET_NONE) return;
    take(p, &c);
    I->stats->tilts++;
}

/* --- switch --- */

/* Directions closer than this are the same alternative. */
#define SAME_DIRECTION 0.995

static void consider_switch(void *context, const peg_facet *facet)
{
    search *c = context;
    if (facet->s <= c->value || peg_dot(facet->n, c->p->facet.n) >= c->align) return;
    if (c->p->locked && peg_facet_at_start(c->I, c->p, facet) < -PEG_TOUCH * c->p->L) return;
    c->value = facet->s;
    c->best = *facet;
}

/* A loaded pair for which another facet holds better than max(s_n, 0) was held by a trap. */
int peg_pair_switch(peg_island *I, peg_pair *p)
{
    double here = fmax(along_now(I, p, p->facet.n), 0) + PEG_TRAP * p->L;
    search c = search_from(I, p, here, SAME_DIRECTION);
    peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, here, consider_switch, &c);
    if (c.best.kind == PEG_FACET_NONE) return 0;
    take(p, &c);
    p->switches++;
    I->stats->switches++;
    return 1;
}

/* --- lock and traps --- */

static void consider_held(void *context, const peg_facet *facet)
{
    search *c = context;
    if (facet->s <= c->value || !held_at_start(c->I, c->p, facet)) return;
    c->value = facet->s;
    c->best = *facet;
}

void peg_pair_name(peg_island *I, peg_pair *p)
{
    search c = search_from(I, p, -INFINITY, 0);
    peg_separation(&piece_a(I, p)->now, &piece_b(I, p)->now, -INFINITY, consider_held, &c);
    take(p, &c);
}

/* A row that pushes a body through to the far side: from now on only facets that held at the start.
 */
void peg_pair_lock(peg_island *I, peg_pair *p)
{
    p->locked = 1;
    p->switches++;
    I->stats->locks++;
    peg_pair_name(I, p);
}

/* The step gains energy through rows behind the start: they go, and the pair falls back to the
 * facet that separates it best at the start. */
void peg_pair_drop_traps(peg_island *I, peg_pair *p)
{
    p->no_traps = p->locked = 1;
    p->facet = peg_separation(&piece_a(I, p)->start, &piece_b(I, p)->start, INFINITY, NULL, NULL);
    I->stats->dropped_traps++;
}
