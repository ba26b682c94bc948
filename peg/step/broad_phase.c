/* Which parts can touch in the coming step: swept boxes, the caller's filter, then exact nearness.
 */
#include <stdlib.h>

#include "peg/step/broad_phase.h"

/* Reach beyond what the motion can close, in L: features this near always make rows. */
#define REACH_MARGIN 0.02
/* The same, for the model in force. */
double peg_reach_margin(const peg_stage *s)
{
    const pegSettings *set = &s->context->settings;
    return set->contact == PEG_CONTACT_PEG ? REACH_MARGIN : peg_max(REACH_MARGIN, set->reach);
}

/* --- boxes --- */

static void inflate(peg_aabb *box, double by)
{
    for (int k = 0; k < 3; k++) box->lo[k] -= by, box->hi[k] += by;
}

/* Infinite of a half-space. */
double peg_size_of_part(const peg_stage *s, int i)
{
    const peg_part *part = &s->part[i];
    return part->complex ? part->complex->radius : part->shape->size;
}

void peg_start_boxes(const peg_stage *s, peg_aabb *box)
{
    for (int i = 0; i < s->scene->np; i++) {
        peg_box_of_part(s, i, &box[i]);
        /* half of the reach each; all of it where the other may be a point, which has no size */
        double share = s->scene->planar ? 1 : 0.5;
        if (isfinite(peg_size_of_part(s, i)))
            inflate(&box[i],
                    s->placed[i].sweep + share * peg_reach_margin(s) * peg_size_of_part(s, i));
    }
}

/* Boxes of the motion that was found: everything a body passes through lies within its distance of
 * travel from the start. */
void peg_end_boxes(const peg_stage *s, peg_aabb *box)
{
    const peg_scene *scene = s->scene;
    for (int i = 0; i < scene->np; i++) {
        const peg_placed *p = &s->placed[i];
        peg_box_of_part(s, i, &box[i]);
        if (p->body < 0 || scene->body[p->body].kind == PEG_STATIC) continue;
        const peg_body *b = &scene->body[p->body];
        const double *v = p->moves ? s->result[p->body].v_pose : b->v;
        double turn = scene->h * peg_norm(v + 3);
        for (int k = 0; k < 3; k++) {
            double d = scene->h * v[k];
            box[i].lo[k] += peg_min(d, 0);
            box[i].hi[k] += peg_max(d, 0);
        }
        inflate(&box[i], turn > 0 ? peg_min(turn, 2) * p->arm : 0);
    }
}

/* --- candidates --- */

double peg_candidate_size(const peg_stage *s, const peg_candidate *c)
{
    return peg_pair_size(s->placed[c->a].view.shape, s->placed[c->b].view.shape);
}

double peg_candidate_reach(const peg_stage *s, const peg_candidate *c)
{
    if (c->reach > 0) return c->reach;
    return s->placed[c->a].sweep + s->placed[c->b].sweep +
           peg_reach_margin(s) * peg_candidate_size(s, c);
}

static peg_candidate *add_candidate(peg_stage *s)
{
    if (s->candidates == s->candidate_capacity) {
        int last = (int)s->context->memory.count; /* as many as in the step before, and some */
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

static int by_order(const void *left, const void *right)
{
    const order *x = left, *y = right;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
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
peg_candidate *peg_new_candidate(const peg_finder *f, int a, int b)
{
    if (peg_find_candidate(f->stage, f->known, a, b)) return NULL;
    peg_candidate *c = add_candidate(f->stage);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->a = a, c->b = b;
    c->low = f->stage->part[a].id, c->high = f->stage->part[b].id;
    return c;
}

/* Of parts of the scene. */
static void ask_filter(const peg_stage *s, peg_candidate *c)
{
    const peg_scene *scene = s->scene;
    const peg_candidate *answer = peg_still_answer(&s->context->still, c);
    if (answer)
        c->refused = answer->refused;
    else
        c->refused = scene->may_touch && !scene->may_touch(scene->filter_context,
                                                           scene->part + c->a, scene->part + c->b);
}

void peg_recall_pair(const peg_stage *s, peg_candidate *c)
{
    const peg_memory_entry *old =
        peg_recall(&s->context->memory, s->part[c->a].id, s->part[c->b].id);
    if (!old) return;
    peg_copy3(old->n, c->n);
    c->choice = &old->choice;
    c->old = s->context->memory.row + old->first;
    c->olds = old->count;
}

/* Of convex parts or triangles. */
void peg_find_nearness(const peg_stage *s, peg_candidate *c)
{
    double n[3];
    peg_recall_pair(s, c);
    peg_copy3(c->n, n);
    c->near =
        !peg_is_far(&s->placed[c->a].view, &s->placed[c->b].view, peg_candidate_reach(s, c), n);
    if (!c->near) peg_copy3(n, c->n);
}

/* --- pairs of the scene --- */

/* The papers' models know polytopes only. */
static int has_model(const peg_stage *s, const peg_part *part)
{
    return s->context->settings.contact == PEG_CONTACT_PEG ||
           (!part->complex && !peg_is_dilated(part->shape));
}

static void meet(void *context, int i, int j)
{
    peg_finder *f = context;
    peg_stage *s = f->stage;
    int ordered = s->part[i].id < s->part[j].id;
    int a = ordered ? i : j, b = ordered ? j : i;
    const peg_part *pa = &s->part[a], *pb = &s->part[b];
    int meshes = pa->complex || pb->complex;
    if (!s->placed[a].moves && !s->placed[b].moves) return;
    if (pa->body == pb->body || !has_model(s, pa) || !has_model(s, pb)) return;
    if (!meshes && peg_is_point(pa->shape) && peg_is_point(pb->shape)) return;
    const peg_candidate *old = meshes ? peg_find_candidate(s, f->known, a, b) : NULL;
    peg_candidate *c = old ? NULL : peg_new_candidate(f, a, b);
    if (c) {
        c->whole = meshes;
        ask_filter(s, c);
    }
    if (!(old ? !old->refused : c && !c->refused)) return;
    if (!meshes)
        peg_find_nearness(s, c);
    else if (!old || peg_did_more(s, a) || peg_did_more(s, b))
        peg_meet_meshes(f, a, b);
}

/* Pairs that somebody else found contacts for. */
static void take_given(const peg_finder *f)
{
    peg_stage *s = f->stage;
    const peg_given *given = s->scene->given;
    for (int i = 0, next; i < s->scene->ngiven; i = next) {
        int x = given[i].part_a, y = given[i].part_b;
        for (next = i; next < s->scene->ngiven; next++)
            if (given[next].part_a != x || given[next].part_b != y) break;
        if (s->part[x].body == s->part[y].body || !(s->placed[x].moves || s->placed[y].moves))
            continue;
        int ordered = s->part[x].id < s->part[y].id;
        peg_candidate *c = peg_new_candidate(f, ordered ? x : y, ordered ? y : x);
        if (!c) continue;
        ask_filter(s, c);
        c->near = !c->refused;
        peg_recall_pair(s, c);
        c->given = given + i, c->ngiven = next - i;
    }
}

/* By way of their numbers: candidates are large. */
static int sort_candidates(peg_stage *s)
{
    int n = s->candidates;
    peg_arena *arena = &s->context->kept;
    order *by = PEG_NEW(&s->context->arena, order, n);
    if (!s->sorted) s->sorted = PEG_NEW(arena, peg_candidate, s->candidate_capacity);
    if (!by || !s->sorted) return 0;
    for (int i = 0; i < n; i++) by[i] = (order){s->candidate[i].low, s->candidate[i].high, i};
    qsort(by, (size_t)n, sizeof *by, by_order);
    for (int i = 0; i < n; i++) s->sorted[i] = s->candidate[by[i].index];
    peg_candidate *swap = s->candidate;
    s->candidate = s->sorted;
    s->sorted = swap;
    return 1;
}

static int is_within(const peg_aabb *inner, const peg_aabb *outer)
{
    int within = 1;
    for (int k = 0; k < 3; k++)
        within &= inner->lo[k] >= outer->lo[k] && inner->hi[k] <= outer->hi[k];
    return within;
}

/* Adds the pairs of the parts that are not fixed. */
static int search(peg_stage *s, const peg_aabb *box, const unsigned char *fixed)
{
    peg_finder f = {s, box, s->candidates};
    take_given(&f);
    if (!peg_sweep_pairs(&s->context->arena, box, fixed, s->scene->np, meet, &f) || s->failed)
        return 0;
    return s->candidates == f.known || sort_candidates(s);
}

/* Parts that get out of their boxes of before, or with meshes do more than was thought, may have
 * new pairs; two others may not. What goes on resting has new ones with what moves, or has been
 * moved. */
int peg_find_pairs(peg_stage *s, const peg_aabb *box, const peg_aabb *before)
{
    int np = s->scene->np, meshes = 0, moving = 0;
    unsigned char *fixed = PEG_NEW(&s->context->arena, unsigned char, np);
    const peg_still *still = &s->context->still;
    if (!fixed) return 0;
    s->searches++;
    for (int i = 0; i < np; i++) meshes |= s->part[i].complex != NULL;
    for (int i = 0; i < np; i++) {
        fixed[i] = s->placed[i].moves ? peg_still_rests(s, s->placed[i].body)
                                      : !still->valid || !still->changed[i];
        if (before && is_within(&box[i], &before[i]) && !(meshes && peg_did_more(s, i)))
            fixed[i] = 1;
        moving += !fixed[i];
    }
    return (before && !moving) || search(s, box, fixed);
}

int peg_find_pairs_of_roused(peg_stage *s, const peg_aabb *box)
{
    int np = s->scene->np, searches = s->searches;
    unsigned char *fixed = PEG_NEW(&s->context->arena, unsigned char, np);
    if (!fixed) return 0;
    for (int i = 0; i < np; i++)
        fixed[i] = !s->placed[i].moves || s->context->still.rest[s->placed[i].body] != PEG_ROUSED;
    s->searches = 1; /* of these */
    int found = search(s, box, fixed);
    s->searches = searches;
    return found;
}

/* --- islands --- */

int peg_root(peg_stage *s, int body)
{
    while (s->root[body] != body) {
        s->root[body] = s->root[s->root[body]];
        body = s->root[body];
    }
    return body;
}

void peg_unite(peg_stage *s, int a, int b)
{
    int ra = peg_root(s, a), rb = peg_root(s, b);
    s->root[ra > rb ? ra : rb] = ra < rb ? ra : rb;
}

int peg_link_islands(peg_stage *s)
{
    int nb = s->scene->nb;
    s->next_pair = PEG_NEW(&s->context->kept, int, s->candidates);
    if (!s->next_pair) return 0;
    for (int i = 0; i < nb; i++) s->root[i] = i, s->first_body[i] = s->first_pair[i] = -1;
    for (int i = 0; i < s->candidates; i++) {
        const peg_placed *a = &s->placed[s->candidate[i].a], *b = &s->placed[s->candidate[i].b];
        s->candidate[i].linked = s->candidate[i].near;
        if (!s->candidate[i].near || !a->moves || !b->moves) continue;
        peg_unite(s, a->body, b->body);
    }
    peg_unite_joined(s);
    for (int i = nb - 1; i >= 0; i--) {
        int root = peg_root(s, i);
        s->next_body[i] = s->first_body[root];
        s->first_body[root] = i;
    }
    for (int i = s->candidates - 1; i >= 0; i--) {
        const peg_candidate *c = &s->candidate[i];
        if (!c->near) continue;
        int body = s->placed[c->a].moves ? s->placed[c->a].body : s->placed[c->b].body;
        int root = peg_root(s, body);
        s->next_pair[i] = s->first_pair[root];
        s->first_pair[root] = i;
    }
    return 1;
}
