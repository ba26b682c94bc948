/* Candidates: pairs of parts that boxes met, in the order of their ids. */
#include "peg/step/candidate.h"

#include <stdlib.h>

#include "peg/base/thread_pool.h"
#include "peg/collide/box_box.h"
#include "peg/collide/separation.h"
#include "peg/contact/patch_facet.h"
#include "peg/step/context.h"
#include "peg/step/pair_cache.h"

/* Reach beyond what the motion can close, in L, for the model in force. */
double peg_reach_margin(const peg_stage *s)
{
    const pegSettings *set = &s->context->settings;
    return set->contact == PEG_CONTACT_PEG ? PEG_NEAR : peg_max(PEG_NEAR, set->reach);
}

/* Infinite of a half-space. */
double peg_size_of_part(const peg_stage *s, int i)
{
    const peg_part *part = &s->part[i];
    return part->triangle_mesh ? part->triangle_mesh->radius + part->round : part->shape->size;
}

double peg_candidate_size(const peg_stage *s, const peg_candidate *c)
{
    return peg_pair_size(s->placed[c->a].view.shape, s->placed[c->b].view.shape);
}

double peg_candidate_reach(const peg_stage *s, const peg_candidate *c)
{
    if (c->reach > 0) return c->reach;
    return s->placed[c->a].travel + s->placed[c->b].travel +
           peg_reach_margin(s) * peg_candidate_size(s, c);
}

static peg_candidate *add_candidate(peg_stage *s)
{
    if (s->candidates == s->candidate_capacity) {
        int last = (int)s->context->cache.count; /* as many as in the step before, and some */
        int capacity = s->candidate_capacity ? 2 * s->candidate_capacity : 256 + last + last / 4;
        peg_candidate *grown = PEG_NEW(&s->context->kept, peg_candidate, capacity);
        if (!grown) {
            s->failed = 1;
            return NULL;
        }
        if (s->candidates) memcpy(grown, s->candidate, (size_t)s->candidates * sizeof *grown);
        s->candidate = grown;
        s->sorted = NULL;
        s->candidate_capacity = capacity;
    }
    return &s->candidate[s->candidates++];
}

int peg_by_parts(const void *left, const void *right)
{
    const peg_candidate *x = left, *y = right;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

typedef struct order {
    uint64_t low, high;
    int index;
} order;

/* By one byte of their words, which are high and then low; equal ones stay as they are. */
static void sort_by_byte(const order *from, int n, int word, int shift, order *to)
{
    int at[256] = {0}, sum = 0;
    for (int i = 0; i < n; i++) at[(word ? from[i].low : from[i].high) >> shift & 255]++;
    for (int k = 0; k < 256; k++) {
        int count = at[k];
        at[k] = sum;
        sum += count;
    }
    for (int i = 0; i < n; i++)
        to[at[(word ? from[i].low : from[i].high) >> shift & 255]++] = from[i];
}

/* Radix sort over the bytes in which they differ. Returns the sorted one of the two arrays. */
static const order *sort_order(order *by, order *scratch, int n)
{
    uint64_t differs[2] = {0};
    for (int i = 1; i < n; i++) {
        differs[0] |= by[i].high ^ by[0].high;
        differs[1] |= by[i].low ^ by[0].low;
    }
    for (int word = 0; word < 2; word++)
        for (int shift = 0; shift < 64; shift += 8) {
            if (!(differs[word] >> shift & 255)) continue;
            sort_by_byte(by, n, word, shift, scratch);
            order *swap = by;
            by = scratch, scratch = swap;
        }
    return by;
}

/* By way of their numbers: candidates are large. */
int peg_sort_candidates(peg_stage *s)
{
    int n = s->candidates;
    peg_arena *arena = &s->context->kept;
    peg_arena_mark mark = peg_arena_here(&s->context->arena);
    order *by = PEG_NEW(&s->context->arena, order, n);
    order *scratch = PEG_NEW(&s->context->arena, order, n);
    if (!s->sorted) s->sorted = PEG_NEW(arena, peg_candidate, s->candidate_capacity);
    if (!by || !scratch || !s->sorted) return 0;
    for (int i = 0; i < n; i++) by[i] = (order){s->candidate[i].low, s->candidate[i].high, i};
    const order *sorted = sort_order(by, scratch, n);
    for (int i = 0; i < n; i++) s->sorted[i] = s->candidate[sorted[i].index];
    peg_candidate *swap = s->candidate;
    s->candidate = s->sorted;
    s->sorted = swap;
    peg_arena_back(&s->context->arena, mark);
    return 1;
}

peg_candidate *peg_find_candidate(const peg_stage *s, int sorted, int a, int b)
{
    peg_candidate key = {.low = s->part[a].id, .high = s->part[b].id};
    if (sorted == 0) return NULL;
    return bsearch(&key, s->candidate, (size_t)sorted, sizeof key, peg_by_parts);
}

peg_candidate *peg_candidate_of(const peg_stage *s, int a, int b)
{
    return peg_find_candidate(s, s->candidates, a, b);
}

/* Adds a pair; null if it is known or without memory. */
peg_candidate *peg_new_candidate(const peg_pair_search *f, int a, int b)
{
    if (peg_find_candidate(f->stage, f->known, a, b)) return NULL;
    peg_candidate *c = add_candidate(f->stage);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->a = a, c->b = b;
    c->low = f->stage->part[a].id, c->high = f->stage->part[b].id;
    return c;
}

void peg_ask_filter(const peg_stage *s, peg_candidate *c)
{
    const peg_scene *scene = s->scene;
    const peg_candidate *answer = peg_resting_answer(&s->context->resting, c);
    if (answer)
        c->excluded = answer->excluded;
    else
        c->excluded = scene->may_touch && !scene->may_touch(scene->filter_context,
                                                            scene->part + c->a, scene->part + c->b);
}

static void recall(const peg_stage *s, const peg_cached_pair *old, peg_candidate *c)
{
    if (!old) return;
    peg_copy3(old->n, c->n);
    peg_copy3(old->tangent, c->tangent);
    peg_copy3(old->reaction, c->reaction);
    c->choice = &old->choice;
    c->cached = s->context->cache.row + old->first;
    c->cached_contacts = old->count;
}

void peg_recall_pair(const peg_stage *s, peg_candidate *c)
{
    recall(s, peg_pair_cache_find(&s->context->cache, c->low, c->high), c);
}

static void find_nearness(const peg_stage *s, peg_candidate *c)
{
    double n[3];
    peg_copy3(c->n, n);
    c->near = !peg_is_far(&s->placed[c->a].view, &s->placed[c->b].view, peg_candidate_reach(s, c),
                          s->context->settings.narrow_phase, n);
    if (!c->near) peg_copy3(n, c->n);
}

void peg_find_nearness(const peg_stage *s, peg_candidate *c)
{
    peg_recall_pair(s, c);
    find_nearness(s, c);
}

static int has_facets(const peg_polytope *A, const peg_polytope *B)
{
    return !peg_is_flat(A) && !peg_is_triangle(A) && !peg_is_triangle(B) &&
           !(peg_is_half_space(A) && peg_is_half_space(B));
}

/* For the wide attempt: the widest one, or if they are farther apart than a share of what the
 * motion can close, that of the step before, which leaves them so far. */
static void find_facet(const peg_stage *s, peg_candidate *c)
{
    const peg_view *a = &s->placed[c->a].view, *b = &s->placed[c->b].view;
    double reach = peg_candidate_reach(s, c), L = peg_candidate_size(s, c);
    double near = peg_min(PEG_NEAR * L, reach);
    int sharp = !peg_is_dilated(a->shape) && !peg_is_dilated(b->shape);
    peg_facet before = {.kind = PEG_FEATURES_NONE};
    peg_copy3(c->n, before.n);
    if (c->choice && peg_dot(c->choice->facet.n, c->choice->facet.n) > 0) before = c->choice->facet;
    c->facet = peg_facet_since(a, b, &before, near + PEG_CLOSING * (reach - near),
                               sharp ? PEG_EDGE_BIAS * L : 0);
    c->has_facet = 1;
    c->near = !(c->facet.s > reach);
    peg_copy3(c->facet.n, c->n);
}

static void find_nearness_of_new(void *data, int begin, int end)
{
    const peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        peg_candidate *c = &s->candidate[i];
        const peg_polytope *A = s->placed[c->a].view.shape, *B = s->placed[c->b].view.shape;
        int is_sought = c->is_new && !c->has_axis;
        c->is_new = 0;
        if (!is_sought) continue;
        if (s->scene->nb >= PEG_COARSE_FROM && has_facets(A, B))
            find_facet(s, c);
        else
            find_nearness(s, c);
    }
}

void peg_find_new_nearness(peg_stage *s)
{
    size_t at = 0;
    for (int i = 0; i < s->candidates; i++) {
        peg_candidate *c = &s->candidate[i];
        if (c->is_new)
            recall(s, peg_pair_cache_find_from(&s->context->cache, &at, c->low, c->high), c);
    }
    peg_pool_loop(peg_threads_for(s->context, s->candidates), find_nearness_of_new, s,
                  s->candidates);
}

const peg_candidate *peg_resting_answer(const peg_resting *last, const peg_candidate *c)
{
    if (!last->valid || !last->candidates) return NULL;
    const peg_candidate *same =
        bsearch(c, last->candidate, (size_t)last->candidates, sizeof *c, peg_by_parts);
    return same && same->is_current ? same : NULL;
}
