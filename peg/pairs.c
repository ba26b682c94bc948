/* Which parts can touch in the coming step: swept boxes, the caller's filter, then exact nearness.
 */
#include <stdlib.h>

#include "peg/scene.h"

/* Reach beyond what the motion can close, in L: features this near always make rows. */
#define REACH_MARGIN 0.02
/* Bodies may get faster by contact than they are or would be: the sweep counts their motion this
 * often. */
#define REACH_MOTION 1.5

/* The same, for the model in force. */
static double reach_margin(const peg_stage *s)
{
    const pegSettings *set = &s->context->settings;
    return set->contact == PEG_CONTACT_PEG ? REACH_MARGIN : peg_max(REACH_MARGIN, set->reach);
}

/* --- parts in the world --- */

int peg_view_allocate(peg_arena *arena, const peg_polytope *shape, peg_view *view)
{
    view->shape = shape;
    view->vertex = PEG_NEW(arena, peg_vec3, shape->nv);
    view->normal = PEG_NEW(arena, peg_vec3, shape->nf);
    view->offset = PEG_NEW(arena, double, shape->nf);
    return view->vertex && view->normal && view->offset;
}

/* alone: the body's velocity after the step if it touches nothing. */
static double body_speed(const peg_body *b, const double alone[6], double arm)
{
    if (b->kind == PEG_STATIC) return 0;
    double linear = peg_norm(b->v), angular = peg_norm(b->v + 3);
    if (b->kind == PEG_DYNAMIC) {
        linear = peg_max(linear, peg_norm(alone));
        angular = peg_max(angular, peg_norm(alone + 3));
    }
    return linear + (angular > 0 ? angular * arm : 0);
}

int peg_place_parts(peg_stage *s)
{
    const peg_scene *scene = s->scene;
    for (int i = 0; i < scene->np; i++) {
        const peg_part *part = &scene->part[i];
        peg_placed *placed = &s->placed[i];
        static const double origin[3] = {0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (!peg_view_allocate(&s->context->arena, part->shape, &placed->view)) return 0;
        double R[9], centre[3];
        const peg_body *body = part->body < 0 ? NULL : &scene->body[part->body];
        if (body) peg_quat_to_mat(body->q, R);
        peg_piece piece = {.part = part};
        peg_piece_place(&piece, body ? body->x : origin, body ? R : identity, &placed->view);
        peg_rotate(part->rotation, part->shape->centre, centre);
        peg_add_scaled(centre, 1, part->offset, centre);
        placed->body = part->body;
        placed->moves = body && body->kind == PEG_DYNAMIC;
        placed->arm = peg_norm(centre) + part->shape->radius;
        if (body)
            placed->sweep =
                REACH_MOTION * scene->h * body_speed(body, s->alone[part->body], placed->arm);
        else
            placed->sweep = 0;
    }
    return 1;
}

/* --- boxes --- */

static void box_of_view(const peg_view *view, peg_aabb *box)
{
    for (int k = 0; k < 3; k++) {
        int unbounded = peg_is_half_space(view->shape);
        box->lo[k] = unbounded ? -INFINITY : INFINITY;
        box->hi[k] = -box->lo[k];
    }
    for (int v = 0; v < view->shape->nv; v++)
        for (int k = 0; k < 3; k++) {
            box->lo[k] = peg_min(box->lo[k], view->vertex[v][k]);
            box->hi[k] = peg_max(box->hi[k], view->vertex[v][k]);
        }
}

static void inflate(peg_aabb *box, double by)
{
    for (int k = 0; k < 3; k++) box->lo[k] -= by, box->hi[k] += by;
}

void peg_start_boxes(const peg_stage *s, peg_aabb *box)
{
    for (int i = 0; i < s->scene->np; i++) {
        const peg_placed *p = &s->placed[i];
        box_of_view(&p->view, &box[i]);
        /* half of the reach each; all of it where the other may be a point, which has no size */
        double share = s->scene->planar ? 1 : 0.5;
        if (!peg_is_half_space(p->view.shape))
            inflate(&box[i], p->sweep + share * reach_margin(s) * p->view.shape->radius);
    }
}

/* Boxes of the motion that was found: everything a body passes through lies within its distance of
 * travel from the start. */
void peg_end_boxes(const peg_stage *s, peg_aabb *box)
{
    const peg_scene *scene = s->scene;
    for (int i = 0; i < scene->np; i++) {
        const peg_placed *p = &s->placed[i];
        box_of_view(&p->view, &box[i]);
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
    return s->placed[c->a].sweep + s->placed[c->b].sweep +
           reach_margin(s) * peg_candidate_size(s, c);
}

static peg_candidate *add_candidate(peg_stage *s)
{
    if (s->candidates == s->candidate_capacity) {
        int capacity = s->candidate_capacity ? 2 * s->candidate_capacity : 256;
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

typedef struct finder {
    peg_stage *stage;
    size_t known; /* candidates of earlier sweeps, sorted */
} finder;

static int is_known(const finder *f, int a, int b)
{
    peg_candidate key = {.a = a, .b = b};
    return f->known && bsearch(&key, f->stage->candidate, f->known, sizeof key, peg_by_parts);
}

static void meet(void *context, int i, int j)
{
    finder *f = context;
    peg_stage *s = f->stage;
    const peg_scene *scene = s->scene;
    int ordered = scene->part[i].id < scene->part[j].id;
    int a = ordered ? i : j, b = ordered ? j : i;
    const peg_part *pa = &scene->part[a], *pb = &scene->part[b];
    if (pa->body == pb->body || is_known(f, a, b)) return;
    if (peg_is_point(pa->shape) && peg_is_point(pb->shape)) return;
    peg_candidate *c = add_candidate(s);
    if (!c) return;
    memset(c, 0, sizeof *c);
    c->a = a, c->b = b;
    const peg_candidate *answer = peg_still_answer(&s->context->still, a, b);
    if (answer)
        c->refused = answer->refused;
    else
        c->refused = scene->may_touch && !scene->may_touch(scene->filter_context, pa, pb);
    if (c->refused) return;
    const peg_memory_entry *old = peg_recall(&s->context->memory, pa->id, pb->id);
    if (old) {
        peg_copy3(old->n, c->n);
        c->choice = old->choice;
        c->old = s->context->memory.row + old->first;
        c->olds = old->count;
    }
    double n[3];
    peg_copy3(c->n, n);
    c->near = !peg_is_far(&s->placed[a].view, &s->placed[b].view, peg_candidate_reach(s, c), n);
    if (!c->near) peg_copy3(n, c->n);
}

int peg_find_pairs(peg_stage *s, const peg_aabb *box)
{
    int np = s->scene->np;
    peg_arena *arena = &s->context->arena;
    unsigned char *fixed = PEG_NEW(arena, unsigned char, np);
    if (!fixed) return 0;
    for (int i = 0; i < np; i++) fixed[i] = !s->placed[i].moves;
    finder f = {s, (size_t)s->candidates};
    if (!peg_sweep_pairs(arena, box, fixed, np, meet, &f) || s->failed) return 0;
    if (s->candidates)
        qsort(s->candidate, (size_t)s->candidates, sizeof *s->candidate, peg_by_parts);
    return 1;
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
