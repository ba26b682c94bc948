/* An island out of the scene: its bodies (dynamic ones first, then what they can touch), its parts,
 * its pairs. */
#include "peg/step/assemble.h"

#include "peg/base/arena.h"
#include "peg/contact/friction_axis.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch_polytope.h"
#include "peg/island/outer_loop.h"
#include "peg/island/island_step.h"
#include "peg/paper/models.h"
#include "peg/shape/mesh_orientation.h"
#include "peg/shape/polytope.h"
#include "peg/step/candidate.h"
#include "peg/step/joint_groups.h"
#include "peg/step/mesh_overlaps.h"
#include "peg/step/rounds.h"

static void number_body(peg_assembly *a, int body)
{
    a->worker->rigid_of[body] = a->island.nr;
    a->body_of[a->island.nr++] = body;
}

/* Where it is at rest for ever: then its pieces share the stage's views. */
static int is_static(const peg_assembly *a, int body)
{
    const peg_scene *scene = a->stage->scene;
    return body == scene->nb || scene->body[body].kind == PEG_STATIC;
}

static void number_part(peg_assembly *a, int part)
{
    peg_island *I = &a->island;
    const peg_placed *placed = &a->stage->placed[part];
    int body = placed->body < 0 ? a->stage->scene->nb : placed->body;
    if (a->worker->piece_of[part] >= 0) return;
    if (a->worker->rigid_of[body] < 0) number_body(a, body);
    a->worker->piece_of[part] = I->npiece;
    a->numbers_at[I->npiece] = a->numbers_used;
    a->part_of[I->npiece++] = part;
    if (!is_static(a, body))
        a->numbers_used +=
            (placed->has_view ? 2 : 3) * (size_t)peg_view_numbers(a->stage->part[part].shape);
}

static void set_rigid(const peg_assembly *a, int i)
{
    const peg_scene *scene = a->stage->scene;
    peg_rigid *r = &a->island.rigid[i];
    int body = a->body_of[i];
    memset(r, 0, sizeof *r);
    r->body = body;
    if (body < scene->nb) {
        r->state = scene->body[body];
        memcpy(r->state.v_free, a->stage->v_no_contact[body], sizeof r->state.v_free);
        memcpy(r->target, scene->body[body].v_free, sizeof r->target);
        if (a->stage->woken_by_joint[body]) r->state.asleep = 0;
    } else {
        r->state = (peg_body){.kind = PEG_STATIC, .q = {1, 0, 0, 0}};
    }
    peg_rigid_prepare(r, a->island.h);
}

static void set_rigids(void *data, int begin, int end)
{
    for (int i = begin; i < end; i++) set_rigid(data, i);
}

static void set_piece(const peg_assembly *a, int i)
{
    const peg_placed *placed = &a->stage->placed[a->part_of[i]];
    int body = placed->body < 0 ? a->stage->scene->nb : placed->body;
    peg_piece *piece = &a->island.piece[i];
    memset(piece, 0, sizeof *piece);
    piece->part = &a->stage->part[a->part_of[i]];
    piece->rigid = a->worker->rigid_of[body];
    piece->arm = placed->arm;
    peg_copy3(placed->extent, piece->extent);
    piece->start = piece->free_ = piece->now = placed->view;
    piece->has_start = placed->has_view; /* in the same pose, it is not written to */
    if (is_static(a, body)) return;
    const peg_polytope *shape = piece->part->shape;
    double *numbers = a->numbers + a->numbers_at[i];
    peg_view_use(numbers, shape, &piece->free_);
    peg_view_use(numbers + peg_view_numbers(shape), shape, &piece->now);
    if (!piece->has_start)
        peg_view_use(numbers + 2 * peg_view_numbers(shape), shape, &piece->start);
}

static void set_pieces(void *data, int begin, int end)
{
    for (int i = begin; i < end; i++) set_piece(data, i);
}

/* The first pair of the same parts of the scene. */
static int group_of(const peg_assembly *a, int pair)
{
    const peg_stage *s = a->stage;
    if (pair == 0) return 0;
    const peg_candidate *c = &s->candidate[a->candidate_of[pair]],
                        *d = &s->candidate[a->candidate_of[pair - 1]];
    int same =
        s->scene_part[c->a] == s->scene_part[d->a] && s->scene_part[c->b] == s->scene_part[d->b];
    return same ? a->island.pair[pair - 1].group : pair;
}

/* Size of a pair with an opaque part: of the other one, or the largest arm of a contact. */
static double size_of_given(const peg_assembly *a, const peg_candidate *c)
{
    double size = peg_candidate_size(a->stage, c), arm = 0;
    if (size > 0 && isfinite(size)) return size;
    for (int i = 0; i < c->nexternal; i++)
        for (int side = 0; side < 2; side++) {
            const peg_placed *placed = &a->stage->placed[side ? c->b : c->a];
            double r[3];
            if (!placed->moves) continue;
            peg_sub(c->external[i].point, a->stage->scene->body[placed->body].x, r);
            arm = peg_max(arm, peg_max(peg_norm(r), fabs(c->external[i].gap)));
        }
    return arm > 0 ? arm : 1;
}

static void set_pair(const peg_assembly *a, int pair)
{
    const peg_island *I = &a->island;
    const peg_candidate *c = &a->stage->candidate[a->candidate_of[pair]];
    peg_pair *p = &I->pair[pair];
    memset(p, 0, sizeof *p);
    p->a = a->worker->piece_of[c->a], p->b = a->worker->piece_of[c->b];
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    p->L = c->nexternal ? size_of_given(a, c) : peg_candidate_size(a->stage, c);
    p->width = peg_pair_width(A, B);
    p->of_mesh = A->mesh || B->mesh;
    p->margin = I->settings->margin * p->L;
    p->reach = p->whole_reach = peg_candidate_reach(a->stage, c);
    int is_warm = I->settings->warm_start;
    if (is_warm) p->cached = c->cached, p->cached_contacts = c->cached_contacts;
    p->choice = &a->choice[pair];
    if (is_warm && c->choice)
        peg_choice_copy(c->choice, p->choice);
    else
        peg_choice_clear(p->choice);
    p->surface = c->surface;
    if (is_warm) peg_pair_friction_axis(I, c->n, c->tangent, c->reaction, p);
    p->from_out[0] = c->out_of_a, p->from_out[1] = c->out_of_b;
    p->start_axis = c->has_axis ? &c->axis : NULL;
    p->start_facet = c->has_facet ? &c->facet : NULL;
    p->external = c->external, p->nexternal = c->nexternal;
    if (p->nexternal) p->width = INFINITY;
}

static void set_pairs(void *data, int begin, int end)
{
    const peg_assembly *a = data;
    for (int i = begin; i < end; i++) set_pair(a, i);
}

/* The pairs of the candidates. */
static void make_pairs(peg_assembly *a)
{
    peg_island *I = &a->island;
    peg_pool_loop(I->pool, set_pairs, a, I->npair);
    for (int i = 0; i < I->npair; i++) I->pair[i].group = group_of(a, i);
}

/* A particle is as large as what it meets. */
static void set_size_of_points(peg_assembly *a)
{
    peg_island *I = &a->island;
    for (int i = 0; i < 2 * I->npair; i++) {
        const peg_pair *p = &I->pair[i / 2];
        const peg_piece *piece = &I->piece[i % 2 ? p->b : p->a];
        peg_rigid *r = &I->rigid[piece->rigid];
        if (peg_is_point(piece->part->shape)) r->size = fmax(r->size, 2 * p->L);
    }
}

static int allocate(peg_assembly *a, int bodies, int pairs)
{
    peg_island *I = &a->island;
    int largest = a->stage->largest, parts = a->stage->parts, nb = a->stage->scene->nb;
    int nr = bodies + 2 * pairs < nb + 1 ? bodies + 2 * pairs : nb + 1;
    peg_polytope room = {.nv = largest, .nf = largest};
    int pieces = 2 * pairs < parts ? 2 * pairs : parts;
    a->body_of = PEG_NEW(I->arena, int, nr);
    a->part_of = PEG_NEW(I->arena, int, pieces);
    a->numbers_at = PEG_NEW(I->arena, size_t, pieces);
    I->rigid = PEG_NEW(I->arena, peg_rigid, nr);
    I->piece = PEG_NEW(I->arena, peg_piece, pieces);
    I->pair = PEG_NEW(I->arena, peg_pair, pairs);
    I->mass = PEG_NEW(I->arena, peg_mass_block, bodies);
    I->v = PEG_NEW(I->arena, peg_vec6, nr);
    I->before.v = PEG_NEW(I->arena, peg_vec6, nr);
    I->v_motion = PEG_NEW(I->arena, peg_vec6, bodies);
    I->result.v_end = PEG_NEW(I->arena, peg_vec6, bodies);
    I->result.v_pose = PEG_NEW(I->arena, peg_vec6, bodies);
    I->dirty = PEG_NEW(I->arena, unsigned char, nr);
    a->candidate_of = PEG_NEW(I->arena, int, pairs);
    a->choice = PEG_NEW(&a->worker->results, peg_choice, pairs);
    if (I->arena->failed || !a->choice) return 0;
    return peg_patch_room(I, largest) && peg_view_allocate(I->arena, &room, &I->scratch.view[0]) &&
           peg_view_allocate(I->arena, &room, &I->scratch.view[1]);
}

/* Bodies and pieces. */
static int make_bodies(peg_assembly *a)
{
    peg_island *I = &a->island;
    a->numbers = PEG_NEW(I->arena, double, a->numbers_used);
    if (!a->numbers) return 0;
    peg_pool_loop(I->pool, set_rigids, a, I->nr);
    peg_pool_loop(I->pool, set_pieces, a, I->npiece);
    for (int i = 0; i < I->npiece; i++) {
        const peg_piece *piece = &I->piece[i];
        double size = 2 * piece->part->shape->size;
        a->has_points |= peg_is_point(piece->part->shape);
        if (size > I->rigid[piece->rigid].size) I->rigid[piece->rigid].size = size;
    }
    return 1;
}

static int assemble(peg_assembly *a, int root)
{
    peg_stage *s = a->stage;
    peg_island *I = &a->island;
    int bodies = 0, pairs = 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) bodies++;
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) pairs++;
    if (!allocate(a, bodies, pairs)) return 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) {
        number_body(a, b);
        I->progress.work += s->work[b];
        s->work[b] = 0;
    }
    I->nd = I->nr;
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) {
        number_part(a, s->candidate[c].a);
        number_part(a, s->candidate[c].b);
        a->candidate_of[I->npair++] = c;
    }
    if (!make_bodies(a)) return 0;
    make_pairs(a);
    if (a->has_points) set_size_of_points(a);
    if (!peg_find_mesh_overlaps(a)) return 0;
    peg_island_set_masses(I);
    peg_island_place_mass(I); /* motors push with them */
    if (!peg_take_joints(s, I, a->worker->rigid_of, root)) return 0;
    /* bodies whose parts are near nothing, or that have none: joints hang them on the others */
    double largest = 0;
    for (int i = 0; i < I->nd; i++) largest = fmax(largest, I->rigid[i].size);
    for (int i = 0; i < I->nd; i++)
        if (I->rigid[i].size == 0) I->rigid[i].size = largest;
    /* energy scale: motion, and weights lifted by the bodies' sizes */
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double change[3];
        peg_sub(r->target, r->state.v, change);
        I->energy_unit += 0.5 * r->free_square + r->state.mass * peg_norm(change) / I->h * r->size;
    }
    return 1;
}

/* Whether part b, a mesh, lies outside of part a, another one. */
static int is_outside(const peg_stage *s, int a, int b)
{
    const peg_placed *pa = &s->placed[a], *pb = &s->placed[b];
    double x[3], R[9];
    if (!s->part[a].triangle_mesh || !s->part[b].triangle_mesh) return 0;
    peg_sub(pb->x, pa->x, x);
    peg_rotate_back(pa->R, x, x);
    peg_mat_mul_back(pa->R, pb->R, R);
    return peg_mesh_is_outside(s->part[a].triangle_mesh, s->part[b].triangle_mesh, x, R);
}

/* That of the pair asked about before, if it is the same. */
static const peg_surface *new_surface(peg_stage *s, int a, int b)
{
    const peg_scene *scene = s->scene;
    peg_surface now;
    memset(&now, 0, sizeof now);
    if (scene->surface)
        scene->surface(scene->filter_context, &scene->part[a], &scene->part[b], &now);
    if (s->last_surface && memcmp(s->last_surface, &now, sizeof now) == 0) return s->last_surface;
    peg_surface *surface = PEG_NEW(&s->context->kept, peg_surface, 1);
    if (surface) *surface = now;
    s->failed |= !surface;
    return s->last_surface = surface;
}

static void ask_surface(peg_stage *s, peg_candidate *c)
{
    if (c->surface || s->failed) return;
    int a = s->scene_part[c->a], b = s->scene_part[c->b];
    c->out_of_a = is_outside(s, c->a, c->b), c->out_of_b = is_outside(s, c->b, c->a);
    const peg_candidate *answer = peg_resting_answer(&s->context->resting, c);
    if (a != c->a || b != c->b) {
        peg_candidate *of = peg_candidate_of(s, a, b);
        ask_surface(s, of);
        c->surface = of->surface;
        c->out_of_a = of->out_of_a, c->out_of_b = of->out_of_b;
    } else if (answer && answer->surface) {
        c->surface = answer->surface;
    } else {
        c->surface = new_surface(s, a, b);
    }
}

void peg_query_surfaces(peg_stage *s, int root)
{
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) ask_surface(s, &s->candidate[c]);
}

/* One step by a contact model. */
static peg_result (*iterate_of(pegContactModel model))(peg_island *)
{
    switch (model) {
    case PEG_CONTACT_ST:
        return peg_stewart_trinkle;
    case PEG_CONTACT_PAPER:
        return peg_published;
    case PEG_CONTACT_LNC:
        return peg_locally_nonconvex;
    case PEG_CONTACT_AP:
        return peg_anitescu_potra;
    case PEG_CONTACT_LP:
        return peg_johnson_ortiz_leyendecker;
    case PEG_CONTACT_RATIO:
        return peg_anitescu_hart;
    default:
        return peg_outer_loop;
    }
}

void peg_run_island(peg_stage *s, peg_worker *worker, int root, peg_pool *pool)
{
    peg_arena *arena = &worker->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    peg_assembly a = {.stage = s, .worker = worker};
    a.solved = s->solved[root] = PEG_NEW(&worker->results, peg_island_result, 1);
    if (!a.solved) {
        worker->failed = 1;
        return;
    }
    *a.solved = (peg_island_result){0};
    peg_island *I = &a.island;
    I->h = s->scene->h;
    I->settings = &s->context->settings;
    I->arena = arena;
    I->pool = pool;
    I->stats = &a.solved->stats;
    I->common = (peg_step_common){.iterate = iterate_of(I->settings->contact),
                                  .part = s->part,
                                  .capture = s->context->capture,
                                  .disabled_rules = s->context->disabled_rules,
                                  .disabled_forms = s->context->disabled_forms,
                                  .planar = s->scene->planar};
    if (assemble(&a, root) && peg_round_recall(&a)) {
        peg_island_step(I);
        s->work[root] = I->progress.work;
        peg_take_results(&a);
    } else {
        I->failed = 1;
    }
    if (I->failed) worker->failed = 1;
    if (I->unsolved) worker->unsolved = 1;
    for (int i = 0; i < I->nr; i++) worker->rigid_of[a.body_of[i]] = -1;
    for (int i = 0; i < I->npiece; i++) worker->piece_of[a.part_of[i]] = -1;
    peg_arena_back(arena, mark);
}
