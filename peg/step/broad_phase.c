/* Which parts can touch in the coming step: swept boxes, the caller's filter, then exact nearness.
 */
#include "peg/step/broad_phase.h"

#include "peg/base/sweep_and_prune.h"
#include "peg/step/box_pairs.h"
#include "peg/step/broad_phase_mesh.h"
#include "peg/step/candidate.h"
#include "peg/step/context.h"
#include "peg/step/moving_meshes.h"
#include "peg/step/parts.h"
#include "peg/step/resting_islands.h"

/* --- boxes --- */

static void inflate(peg_aabb *box, double by)
{
    for (int k = 0; k < 3; k++) box->lo[k] -= by, box->hi[k] += by;
}

typedef struct boxes {
    const peg_stage *stage;
    peg_aabb *box;
} boxes;

static void find_start_boxes(void *data, int begin, int end)
{
    const peg_stage *s = ((const boxes *)data)->stage;
    peg_aabb *box = ((const boxes *)data)->box;
    for (int i = begin; i < end; i++) {
        peg_box_of_part(s, i, &box[i]);
        /* half of the reach each; all of it where the other may be a point, which has no size */
        double share = s->scene->planar ? 1 : 0.5;
        if (isfinite(peg_size_of_part(s, i)))
            inflate(&box[i],
                    s->placed[i].travel + share * peg_reach_margin(s) * peg_size_of_part(s, i));
    }
}

void peg_start_boxes(const peg_stage *s, peg_aabb *box)
{
    int np = s->scene->np;
    peg_pool_loop(peg_threads_for(s->context, np), find_start_boxes, &(boxes){s, box}, np);
}

/* Boxes of the motion that was found: everything a body passes through lies within its distance of
 * travel from the start. */
/* From the second round on the boxes reach this share of the motion and of the size farther, twice
 * as far in each: the next motion is another one. */
static const double FARTHER = 0.1;
enum { MOST_DOUBLINGS = 4 };

static double farther(const peg_stage *s)
{
    return s->round > 0 ? ldexp(FARTHER, s->round < MOST_DOUBLINGS ? s->round : MOST_DOUBLINGS) : 0;
}

static void find_end_boxes(void *data, int begin, int end)
{
    const peg_stage *s = ((const boxes *)data)->stage;
    peg_aabb *box = ((const boxes *)data)->box;
    const peg_scene *scene = s->scene;
    for (int i = begin; i < end; i++) {
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
        double swing = turn > 0 ? peg_min(turn, 2) * p->arm : 0;
        double more = p->moves ? farther(s) * (scene->h * peg_norm(v) + swing + p->arm) : 0;
        inflate(&box[i], swing + more);
    }
}

void peg_end_boxes(const peg_stage *s, peg_aabb *box)
{
    int np = s->scene->np;
    peg_pool_loop(peg_threads_for(s->context, np), find_end_boxes, &(boxes){s, box}, np);
}

/* --- pairs of the scene --- */

/* The papers' models know polytopes only, one of them spheres and capsules, too. */
static int has_model(const peg_stage *s, const peg_part *part)
{
    const pegSettings *settings = &s->context->settings;
    if (settings->contact == PEG_CONTACT_PEG) return 1;
    if (part->triangle_mesh) return 0;
    return peg_is_round(part->shape) ? peg_model_knows_round(settings)
                                     : !peg_is_dilated(part->shape);
}

static void meet(void *context, int i, int j)
{
    peg_pair_search *f = context;
    peg_stage *s = f->stage;
    int ordered = s->part[i].id < s->part[j].id;
    int a = ordered ? i : j, b = ordered ? j : i;
    const peg_part *pa = &s->part[a], *pb = &s->part[b];
    int meshes = pa->triangle_mesh || pb->triangle_mesh;
    if (!s->placed[a].moves && !s->placed[b].moves) return;
    if (pa->body == pb->body || !has_model(s, pa) || !has_model(s, pb)) return;
    if (!meshes && peg_is_point(pa->shape) && peg_is_point(pb->shape)) return;
    if (peg_is_box_pair(s, a, b)) {
        if (!f->before || !peg_aabb_overlap(&f->before[a], &f->before[b]))
            peg_box_pair_add(f, a, b);
        return;
    }
    peg_need_view(s, a);
    peg_need_view(s, b);
    peg_candidate *old = meshes ? peg_find_candidate(s, f->known, a, b) : NULL;
    peg_candidate *c = old ? NULL : peg_new_candidate(f, a, b);
    if (c) {
        c->is_mesh_pair = meshes;
        peg_ask_filter(s, c);
    }
    if (!(old ? !old->excluded : c && !c->excluded)) return;
    if (meshes && peg_is_sought_along_motion(s, old ? old : c)) return;
    if (!meshes)
        c->is_new = 1;
    else if (!old || (f->exceeds && (f->exceeds[a] || f->exceeds[b])))
        peg_find_triangle_pairs(f, a, b);
}

/* Pairs with external contacts. */
static void take_given(const peg_pair_search *f)
{
    peg_stage *s = f->stage;
    const peg_external *given = s->scene->external;
    for (int i = 0, next; i < s->scene->nexternal; i = next) {
        int x = given[i].part_a, y = given[i].part_b;
        for (next = i; next < s->scene->nexternal; next++)
            if (given[next].part_a != x || given[next].part_b != y) break;
        if (s->part[x].body == s->part[y].body || !(s->placed[x].moves || s->placed[y].moves))
            continue;
        int ordered = s->part[x].id < s->part[y].id;
        peg_candidate *c = peg_new_candidate(f, ordered ? x : y, ordered ? y : x);
        if (!c) continue;
        peg_need_view(s, x);
        peg_need_view(s, y);
        peg_ask_filter(s, c);
        c->near = !c->excluded;
        peg_recall_pair(s, c);
        c->external = given + i, c->nexternal = next - i;
    }
}

static int is_within(const peg_aabb *inner, const peg_aabb *outer)
{
    int within = 1;
    for (int k = 0; k < 3; k++)
        within &= inner->lo[k] >= outer->lo[k] && inner->hi[k] <= outer->hi[k];
    return within;
}

/* Adds the pairs of the parts that are not fixed. */
static int search(peg_stage *s, const peg_aabb *box, const peg_aabb *before,
                  const unsigned char *fixed, const unsigned char *exceeds)
{
    peg_pair_search f = {s, box, before, exceeds, s->candidates, s->box_pairs};
    int np = s->scene->np;
    take_given(&f);
    if (!peg_sweep_pairs(&s->context->arena, peg_threads_for(s->context, np), box, fixed, np, meet,
                         &f) ||
        s->failed || !peg_box_pairs_sort_out(&f))
        return 0;
    if (s->candidates == f.known) return 1;
    if (!peg_sort_candidates(s)) return 0;
    peg_find_new_nearness(s);
    return 1;
}

/* Adds the triangles of meshes that move far. */
static int search_along_motion(peg_stage *s, const peg_aabb *box)
{
    peg_pair_search f = {.stage = s, .box = box, .known = s->candidates};
    peg_find_meetings(&f);
    return !s->failed && (s->candidates == f.known || peg_sort_candidates(s));
}

/* Parts that get out of their boxes of before, or with meshes do more than was thought, may have
 * new pairs; two others may not. What goes on resting has new ones with what moves, or has been
 * moved. */
int peg_find_pairs(peg_stage *s, const peg_aabb *box, const peg_aabb *before)
{
    int np = s->scene->np, moving = 0;
    unsigned char *fixed = PEG_NEW(&s->context->arena, unsigned char, np);
    unsigned char *exceeds = PEG_NEW(&s->context->arena, unsigned char, np);
    const peg_resting *still = &s->context->resting;
    if (!fixed || !exceeds) return 0;
    s->searches++;
    for (int i = 0; i < np; i++) {
        exceeds[i] = s->found && peg_exceeds_prediction(s, i);
        fixed[i] = s->placed[i].moves ? peg_is_resting(s, s->placed[i].body)
                                      : !still->valid || !still->changed[i];
        if (before && is_within(&box[i], &before[i]) && !exceeds[i]) fixed[i] = 1;
        moving += !fixed[i];
    }
    return ((before && !moving) || search(s, box, before, fixed, exceeds)) &&
           search_along_motion(s, box);
}

int peg_find_pairs_of_woken(peg_stage *s, const peg_aabb *box)
{
    int np = s->scene->np, searches = s->searches;
    unsigned char *fixed = PEG_NEW(&s->context->arena, unsigned char, np);
    if (!fixed) return 0;
    for (int i = 0; i < np; i++)
        fixed[i] = !s->placed[i].moves || s->context->resting.rest[s->placed[i].body] != PEG_WOKEN;
    s->searches = 1; /* of these */
    int found = search(s, box, NULL, fixed, NULL) && search_along_motion(s, box);
    s->searches = searches;
    return found;
}
