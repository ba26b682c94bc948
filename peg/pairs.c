/* Which parts can touch in the coming step: swept boxes, the caller's filter, then exact nearness.
 */
#include <stdlib.h>

#include "peg/cover.h"
#include "peg/crossing.h"
#include "peg/scene.h"

/* Reach beyond what the motion can close, in L: features this near always make rows. */
#define REACH_MARGIN 0.02
/* The same, for the model in force. */
static double reach_margin(const peg_stage *s)
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
static double size_of_part(const peg_stage *s, int i)
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
        if (isfinite(size_of_part(s, i)))
            inflate(&box[i], s->placed[i].sweep + share * reach_margin(s) * size_of_part(s, i));
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
           reach_margin(s) * peg_candidate_size(s, c);
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
        s->candidate_capacity = capacity;
    }
    return &s->candidate[s->candidates++];
}

int peg_by_parts(const void *left, const void *right)
{
    const peg_candidate *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

typedef struct order {
    int a, b, index;
} order;

static int by_order(const void *left, const void *right)
{
    const order *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

typedef struct finder {
    peg_stage *stage;
    const peg_aabb *box;
    int known; /* candidates of earlier sweeps, sorted */
} finder;

static peg_candidate *find_candidate(const peg_stage *s, int sorted, int a, int b)
{
    peg_candidate key = {.a = a, .b = b};
    if (sorted == 0) return NULL;
    return bsearch(&key, s->candidate, (size_t)sorted, sizeof key, peg_by_parts);
}

peg_candidate *peg_candidate_of(const peg_stage *s, int a, int b)
{
    return find_candidate(s, s->candidates, a, b);
}

/* Adds a pair; null if it is known or without memory. */
static peg_candidate *new_candidate(const finder *f, int a, int b)
{
    if (find_candidate(f->stage, f->known, a, b)) return NULL;
    peg_candidate *c = add_candidate(f->stage);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->a = a, c->b = b;
    return c;
}

/* Of parts of the scene. */
static void ask_filter(const peg_stage *s, peg_candidate *c)
{
    const peg_scene *scene = s->scene;
    const peg_candidate *answer = peg_still_answer(&s->context->still, c->a, c->b);
    if (answer)
        c->refused = answer->refused;
    else
        c->refused = scene->may_touch && !scene->may_touch(scene->filter_context,
                                                           scene->part + c->a, scene->part + c->b);
}

static void recall(const peg_stage *s, peg_candidate *c)
{
    const peg_memory_entry *old =
        peg_recall(&s->context->memory, s->part[c->a].id, s->part[c->b].id);
    if (!old) return;
    peg_copy3(old->n, c->n);
    c->choice = old->choice;
    c->old = s->context->memory.row + old->first;
    c->olds = old->count;
}

/* Of convex parts or triangles. */
static void find_nearness(const peg_stage *s, peg_candidate *c)
{
    double n[3];
    recall(s, c);
    peg_copy3(c->n, n);
    c->near =
        !peg_is_far(&s->placed[c->a].view, &s->placed[c->b].view, peg_candidate_reach(s, c), n);
    if (!c->near) peg_copy3(n, c->n);
}

/* --- meshes --- */

/* A body that contact stops moves by something between nothing and what it would do without, and
 * turns no faster than it does or would; this leaves it room for some more of either. */
#define SPARE 1.3

/* How a part's body moves in the step: by `shift`, give or take `beside`; it turns by `spin`, of
 * which `turn` is not about the part's own axis. */
typedef struct course {
    double shift[3], beside, spin, turn; /* m, rad */
} course;

/* How much of turning by `spin` (rad) along w is not about a part's own axis. */
static double across_axis(const peg_stage *s, int part, const double *w, double spin)
{
    const peg_view *view = &s->placed[part].view;
    double axis[3], across[3];
    if (s->part[part].complex || spin == 0 || view->shape->nv > 2) return spin;
    if (view->shape->nv == 1) return 0;
    peg_sub(view->vertex[1], view->vertex[0], axis);
    peg_cross(axis, w, across);
    return spin * peg_norm(across) / (peg_norm(axis) * peg_norm(w));
}

/* How far from the body's centre the part's own is, m. */
static double off_centre(const peg_stage *s, int part)
{
    const peg_polytope *shape = s->part[part].shape;
    return s->placed[part].arm - (shape->radius - shape->round);
}

/* The most of what is there and a motion with v comes to; returns whether that is more. */
static int widen(const peg_stage *s, int part, const double *v, double share, course *c)
{
    double h = s->scene->h, off[3], spin = share * h * peg_norm(v + 3);
    for (int k = 0; k < 3; k++) off[k] = h * v[k] - c->shift[k];
    double beside = share * peg_norm(off), turn = across_axis(s, part, v + 3, spin);
    int more = beside > c->beside || turn > c->turn || (spin > c->spin && off_centre(s, part) > 0);
    c->beside = peg_max(c->beside, beside);
    c->spin = peg_max(c->spin, spin);
    c->turn = peg_max(c->turn, turn);
    return more;
}

/* A body that moves by less than this share of what contact has kept it from is held there, and is
 * thought to go on moving as little: by twice as much, or by a smaller share. */
#define HELD   0.2
#define LITTLE 0.1

/* Of a body that is held: how fast its points may get without being found to do more; else 0. */
static double slowness(const peg_stage *s, int part)
{
    const peg_placed *p = &s->placed[part];
    const double *v = s->scene->body[p->body].v, *alone = s->alone[p->body];
    double change[6];
    for (int k = 0; k < 6; k++) change[k] = alone[k] - v[k];
    double kept = peg_norm(change) + p->arm * peg_norm(change + 3);
    return peg_norm(v) + p->arm * peg_norm(v + 3) <= HELD * kept ? LITTLE * kept : 0;
}

/* What it is thought to do before it is known; returns whether it has been found to do more, which
 * then counts, too. */
static int find_course(const peg_stage *s, int part, course *c)
{
    const peg_placed *p = &s->placed[part];
    const peg_body *body = p->body < 0 ? NULL : &s->scene->body[p->body];
    double turning[6] = {0}, slow = p->moves ? slowness(s, part) : 0;
    *c = (course){.spin = 0};
    if (!body || body->kind == PEG_STATIC) return 0;
    const double *alone = p->moves ? s->alone[p->body] : body->v;
    if (slow > 0) {
        c->beside = s->scene->h * slow;
        if (p->arm > 0) c->spin = c->turn = c->beside / p->arm;
        widen(s, part, body->v, 2, c);
    } else {
        for (int k = 0; k < 3; k++) c->shift[k] = .5 * s->scene->h * alone[k];
        widen(s, part, alone, SPARE, c);
        for (int k = 0; k < 3; k++) turning[k] = .5 * alone[k], turning[k + 3] = body->v[k + 3];
        widen(s, part, turning, SPARE, c);
    }
    if (s->searches == 1 || !p->moves) return 0;
    return widen(s, part, s->result[p->body].v_pose, 1, c);
}

/* How far a course takes the points of a part. */
static double way_of_course(const peg_stage *s, int part, const course *c)
{
    const peg_polytope *shape = s->part[part].shape;
    if (c->spin == 0) return c->beside;
    return c->beside + c->spin * off_centre(s, part) + c->turn * (shape->radius - shape->round);
}

static int did_more(const peg_stage *s, int part)
{
    course ignored;
    return find_course(s, part, &ignored);
}

/* How far a part may get, or has been found to get, m. */
static double way_of_part(const peg_stage *s, int part)
{
    const peg_placed *p = &s->placed[part];
    if (!p->moves) return p->sweep;
    return peg_max(p->sweep, peg_travel(s, part, s->result[p->body].v_pose));
}

/* How near to a mesh, or its motion, a part of a size counts, m. */
static double reach_of_mesh(const finder *f, int mesh, double size)
{
    return way_of_part(f->stage, mesh) + reach_margin(f->stage) * size;
}

/* The box about what of another part, in a world box, may come near to a mesh, in its frame. */
static void box_in_mesh(const finder *f, int mesh, const peg_aabb *world, double size,
                        peg_aabb *out)
{
    const peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    double centre[3], half[3], by = reach_of_mesh(f, mesh, size);
    for (int k = 0; k < 3; k++) {
        centre[k] = .5 * (world->lo[k] + world->hi[k]) - m->x[k];
        half[k] = .5 * (world->hi[k] - world->lo[k]) + by;
        out->lo[k] = out->hi[k] = 0;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            out->lo[k] += m->R[3 * i + k] * centre[i] - fabs(m->R[3 * i + k]) * half[i];
            out->hi[k] += m->R[3 * i + k] * centre[i] + fabs(m->R[3 * i + k]) * half[i];
        }
}

typedef struct expansion {
    const finder *f;
    int mesh, other; /* parts; the other one may be a mesh, too, or a triangle of one */
    peg_cover cover; /* of the other part over the mesh, unless that is a mesh or a half-space */
} expansion;

static int are_in_order(const expansion *x, int part)
{
    const peg_part *of = x->f->stage->part;
    return of[part].id < of[x->other].id;
}

static peg_candidate *new_triangle_candidate(const expansion *x, int part)
{
    int ordered = are_in_order(x, part);
    return new_candidate(x->f, ordered ? part : x->other, ordered ? x->other : part);
}

/* A pair that was known before the motion was. */
static void see_farther(const expansion *x, int part)
{
    int ordered = are_in_order(x, part);
    peg_candidate *c = find_candidate(x->f->stage, x->f->known, ordered ? part : x->other,
                                      ordered ? x->other : part);
    if (c) c->reach = peg_max(c->reach, x->cover.from_start);
}

/* A pair that is needed counts as near in the first sweep; what comes up later is looked at when
 * the motion is known. */
static void add_triangle(void *context, int triangle, int deep)
{
    const expansion *x = context;
    peg_stage *s = x->f->stage;
    int part = peg_triangle_part(s, x->mesh, triangle);
    if (part < 0) return;
    if (s->placed[part].met == x->other + 1) {
        see_farther(x, part);
        return;
    }
    const peg_view *T = &s->placed[part].view, *other = &s->placed[x->other].view;
    double n[3] = {0}, touch = PEG_TOUCH * other->shape->size;
    if (deep && peg_separation(T, other, INFINITY, NULL, NULL).s >= -touch) return;
    if (x->cover.all && peg_is_far(T, other, x->cover.from_start, n)) return;
    s->placed[part].met = x->other + 1;
    peg_candidate *c = new_triangle_candidate(x, part);
    if (!c) {
        see_farther(x, part);
        return;
    }
    recall(s, c);
    c->reach = x->cover.from_start;
    c->near = s->searches == 1;
}

static void meet_triangle(void *context, int triangle)
{
    const expansion *x = context;
    peg_cover_needs(&x->cover, triangle, add_triangle, context);
}

static void meet_triangle_of_plane(void *context, int triangle)
{
    const expansion *x = context;
    int part = peg_triangle_part(x->f->stage, x->mesh, triangle);
    if (part < 0) return;
    peg_candidate *c = new_triangle_candidate(x, part);
    if (c) find_nearness(x->f->stage, c);
}

/* A half-space against the triangles of a mesh that come near to it. */
static void meet_plane(const finder *f, int mesh, int plane)
{
    const peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    const peg_view *view = &s->placed[plane].view;
    expansion x = {.f = f, .mesh = mesh, .other = plane};
    double n[3],
        by = reach_of_mesh(f, mesh, s->part[mesh].complex->radius) + s->placed[plane].sweep;
    peg_rotate_back(m->R, view->normal[0], n);
    double offset = view->offset[0] - peg_dot(view->normal[0], m->x);
    peg_complex_below(s->part[mesh].complex, n, offset + by, meet_triangle_of_plane, &x);
}

/* How far the points of a part get in the frame of a mesh that turns. */
static double way_in_mesh(const peg_stage *s, int mesh, int other, const course *of_mesh)
{
    const peg_placed *m = &s->placed[mesh];
    const peg_view *view = &s->placed[other].view;
    double arm[3];
    if (!(of_mesh->spin > 0)) return of_mesh->beside;
    peg_sub(view->centre, s->scene->body[m->body].x, arm);
    return of_mesh->beside + of_mesh->spin * (peg_norm(arm) + view->shape->radius);
}

static void meet_mesh(const finder *f, int mesh, int other)
{
    peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    const peg_complex *complex = s->part[mesh].complex;
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    expansion x = {.f = f, .mesh = mesh, .other = other};
    course own, of_mesh;
    double shift[3];
    peg_region near;
    if (peg_is_half_space(s->part[other].shape)) {
        meet_plane(f, mesh, other);
        return;
    }
    find_course(s, other, &own);
    find_course(s, mesh, &of_mesh);
    peg_sub(own.shift, of_mesh.shift, shift);
    double way = way_of_course(s, other, &own) + way_in_mesh(s, mesh, other, &of_mesh);
    if (peg_cover_begin(arena, complex, m->x, m->R, &s->placed[other].view, shift, way,
                        own.turn + of_mesh.spin, &x.cover)) {
        peg_cover_region(&x.cover, &near);
        peg_complex_search(complex, &near, meet_triangle, &x);
    } else {
        s->failed = 1;
    }
    peg_arena_back(arena, mark);
}

/* A triangle of one mesh against those of the other. */
static void meet_triangles(void *context, int triangle)
{
    const expansion *x = context;
    peg_stage *s = x->f->stage;
    int part = peg_triangle_part(s, x->mesh, triangle);
    if (part >= 0) meet_mesh(x->f, x->other, part);
}

/* Triangles of mesh a against mesh b: those that are near to it in what both are thought to do. */
static void meet_meshes(const finder *f, int a, int b)
{
    const peg_stage *s = f->stage;
    const peg_placed *pa = &s->placed[a], *pb = &s->placed[b];
    peg_crossing c = {.mesh = s->part[a].complex, .other = s->part[b].complex, .arm = pb->arm};
    expansion x = {.f = f, .mesh = a, .other = b};
    course of_a, of_b;
    double shift[3];
    peg_aabb local;
    find_course(s, a, &of_a);
    find_course(s, b, &of_b);
    peg_sub(of_a.shift, of_b.shift, shift);
    c.by = peg_norm(shift) + of_a.beside + (of_a.spin > 0 ? of_a.spin * pa->arm : 0) + of_b.beside +
           peg_cover_room(c.mesh->radius, c.other);
    c.spin = of_b.spin;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            c.R[3 * k + i] =
                pb->R[k] * pa->R[i] + pb->R[3 + k] * pa->R[3 + i] + pb->R[6 + k] * pa->R[6 + i];
    peg_sub(pa->x, pb->x, c.at);
    peg_rotate_back(pb->R, c.at, c.at);
    if (pb->body >= 0) {
        peg_sub(s->scene->body[pb->body].x, pb->x, c.pivot);
        peg_rotate_back(pb->R, c.pivot, c.pivot);
    }
    box_in_mesh(f, a, &f->box[b], size_of_part(s, b), &local);
    peg_crossing_search(&c, &local, meet_triangles, &x);
}

static void meet_whole(const finder *f, int a, int b)
{
    const peg_part *part = f->stage->part;
    if (!part[b].complex) {
        meet_mesh(f, a, b);
    } else if (!part[a].complex) {
        meet_mesh(f, b, a);
    } else {
        meet_meshes(f, a, b);
    }
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
    finder *f = context;
    peg_stage *s = f->stage;
    int ordered = s->part[i].id < s->part[j].id;
    int a = ordered ? i : j, b = ordered ? j : i;
    const peg_part *pa = &s->part[a], *pb = &s->part[b];
    int meshes = pa->complex || pb->complex;
    if (pa->body == pb->body || !has_model(s, pa) || !has_model(s, pb)) return;
    if (!meshes && peg_is_point(pa->shape) && peg_is_point(pb->shape)) return;
    const peg_candidate *old = meshes ? find_candidate(s, f->known, a, b) : NULL;
    peg_candidate *c = old ? NULL : new_candidate(f, a, b);
    if (c) {
        c->whole = meshes;
        ask_filter(s, c);
    }
    if (!(old ? !old->refused : c && !c->refused)) return;
    if (!meshes)
        find_nearness(s, c);
    else if (!old || did_more(s, a) || did_more(s, b))
        meet_whole(f, a, b);
}

/* Pairs that somebody else found contacts for. */
static void take_given(const finder *f)
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
        peg_candidate *c = new_candidate(f, ordered ? x : y, ordered ? y : x);
        if (!c) continue;
        ask_filter(s, c);
        c->near = !c->refused;
        recall(s, c);
        c->given = given + i, c->ngiven = next - i;
    }
}

/* By way of their numbers: candidates are large. */
static int sort_candidates(peg_stage *s)
{
    int n = s->candidates;
    peg_arena *arena = &s->context->kept;
    order *by = PEG_NEW(arena, order, n);
    peg_candidate *sorted = PEG_NEW(arena, peg_candidate, s->candidate_capacity);
    if (!by || !sorted) return 0;
    for (int i = 0; i < n; i++) by[i] = (order){s->candidate[i].a, s->candidate[i].b, i};
    qsort(by, (size_t)n, sizeof *by, by_order);
    for (int i = 0; i < n; i++) sorted[i] = s->candidate[by[i].index];
    s->candidate = sorted;
    return 1;
}

static int is_within(const peg_aabb *inner, const peg_aabb *outer)
{
    int within = 1;
    for (int k = 0; k < 3; k++)
        within &= inner->lo[k] >= outer->lo[k] && inner->hi[k] <= outer->hi[k];
    return within;
}

/* Parts that get out of their boxes of before, or with meshes do more than was thought, may have
 * new pairs; two others may not. */
int peg_find_pairs(peg_stage *s, const peg_aabb *box, const peg_aabb *before)
{
    int np = s->scene->np, meshes = 0, moving = 0;
    peg_arena *arena = &s->context->arena;
    unsigned char *fixed = PEG_NEW(arena, unsigned char, np);
    if (!fixed) return 0;
    s->searches++;
    for (int i = 0; i < np; i++) meshes |= s->part[i].complex != NULL;
    for (int i = 0; i < np; i++) {
        fixed[i] = !s->placed[i].moves;
        if (before && is_within(&box[i], &before[i]) && !(meshes && did_more(s, i))) fixed[i] = 1;
        moving += !fixed[i];
    }
    if (before && !moving) return 1;
    finder f = {s, box, s->candidates};
    take_given(&f);
    if (!peg_sweep_pairs(arena, box, fixed, np, meet, &f) || s->failed) return 0;
    return s->candidates == f.known || sort_candidates(s);
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
