/* An island out of the scene: its bodies (dynamic ones first, then what they can touch), its parts,
 * its pairs; and its results back to the stage. */
#include "peg/step/stage.h"

typedef struct assembly {
    peg_stage *stage;
    peg_worker *worker;
    peg_solved *solved;
    peg_island island;
    int *candidate_of; /* npair */
} assembly;

static void set_rigid(assembly *a, int body)
{
    peg_island *I = &a->island;
    const peg_scene *scene = a->stage->scene;
    peg_rigid *r = &I->rigid[I->nr];
    memset(r, 0, sizeof *r);
    r->body = body;
    if (body < scene->nb) {
        r->state = scene->body[body];
        memcpy(r->state.v_free, a->stage->alone[body], sizeof r->state.v_free);
        memcpy(r->target, scene->body[body].v_free, sizeof r->target);
        if (a->stage->roused[body]) r->state.asleep = 0;
    } else {
        r->state = (peg_body){.kind = PEG_STATIC, .q = {1, 0, 0, 0}};
    }
    a->worker->rigid_of[body] = I->nr++;
}

/* Inverse of a symmetric positive definite matrix by cofactors. */
static void invert(const double *A, double *out)
{
    double c[9];
    peg_cross(A + 3, A + 6, c);
    peg_cross(A + 6, A, c + 3);
    peg_cross(A, A + 3, c + 6);
    double det = peg_dot(A, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = c[3 * j + i] / det;
}

void peg_island_set_masses(peg_island *I)
{
    for (int i = 0; i < I->nd; i++) {
        peg_rigid *r = &I->rigid[i];
        I->mass[i].inv_mass = 1 / r->state.mass;
        invert(r->state.inertia, r->inv_inertia);
    }
}

/* Views of a moving piece are its own; those of an immovable one are the stage's. */
static int set_piece(assembly *a, int part)
{
    peg_island *I = &a->island;
    const peg_placed *placed = &a->stage->placed[part];
    int body = placed->body < 0 ? a->stage->scene->nb : placed->body;
    if (a->worker->piece_of[part] >= 0) return 1;
    if (a->worker->rigid_of[body] < 0) set_rigid(a, body);
    peg_piece *piece = &I->piece[I->npiece];
    memset(piece, 0, sizeof *piece);
    piece->part = &a->stage->part[part];
    piece->rigid = a->worker->rigid_of[body];
    piece->arm = placed->arm;
    piece->start = piece->free_ = piece->now = placed->view;
    a->worker->piece_of[part] = I->npiece++;
    double size = 2 * piece->part->shape->size;
    if (size > I->rigid[piece->rigid].size) I->rigid[piece->rigid].size = size;
    if (I->rigid[piece->rigid].state.kind == PEG_STATIC) return 1;
    const peg_polytope *shape = piece->part->shape;
    return peg_view_allocate(I->arena, shape, &piece->start) &&
           peg_view_allocate(I->arena, shape, &piece->free_) &&
           peg_view_allocate(I->arena, shape, &piece->now);
}

/* The first pair of the same parts of the scene. */
static int group_of(const assembly *a, const peg_candidate *c)
{
    const peg_stage *s = a->stage;
    int last = a->island.npair - 1;
    if (last < 0) return 0;
    const peg_candidate *d = &s->candidate[a->candidate_of[last]];
    int same = s->whole[c->a] == s->whole[d->a] && s->whole[c->b] == s->whole[d->b];
    return same ? a->island.pair[last].group : last + 1;
}

/* Size of a pair with an opaque part: of the other one, or the largest arm of a contact. */
static double size_of_given(const assembly *a, const peg_candidate *c)
{
    double size = peg_candidate_size(a->stage, c), arm = 0;
    if (size > 0 && isfinite(size)) return size;
    for (int i = 0; i < c->ngiven; i++)
        for (int side = 0; side < 2; side++) {
            const peg_placed *placed = &a->stage->placed[side ? c->b : c->a];
            double r[3];
            if (!placed->moves) continue;
            peg_sub(c->given[i].point, a->stage->scene->body[placed->body].x, r);
            arm = peg_max(arm, peg_max(peg_norm(r), fabs(c->given[i].gap)));
        }
    return arm > 0 ? arm : 1;
}

static void set_pair(assembly *a, int candidate)
{
    peg_island *I = &a->island;
    peg_candidate *c = &a->stage->candidate[candidate];
    peg_pair *p = &I->pair[I->npair];
    memset(p, 0, sizeof *p);
    p->a = a->worker->piece_of[c->a], p->b = a->worker->piece_of[c->b];
    p->group = group_of(a, c);
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    p->L = c->ngiven ? size_of_given(a, c) : peg_candidate_size(a->stage, c);
    p->width = peg_pair_width(A, B);
    p->margin = I->settings->margin * p->L;
    p->reach = p->whole_reach = peg_candidate_reach(a->stage, c);
    if (I->settings->warm_start) {
        if (c->choice) p->remembered = *c->choice;
        p->old = c->old, p->olds = c->olds;
    }
    p->surface = *c->surface;
    p->given = c->given, p->ngiven = c->ngiven;
    if (p->ngiven) p->width = INFINITY;
    /* a particle is as large as what it meets */
    for (int side = 0; side < 2; side++) {
        const peg_piece *piece = &I->piece[side ? p->b : p->a];
        peg_rigid *r = &I->rigid[piece->rigid];
        if (peg_is_point(piece->part->shape)) r->size = fmax(r->size, 2 * p->L);
    }
    a->candidate_of[I->npair++] = candidate;
}

static int allocate(assembly *a, int bodies, int pairs)
{
    peg_island *I = &a->island;
    int largest = a->stage->largest, parts = a->stage->parts, nb = a->stage->scene->nb;
    int nr = bodies + 2 * pairs < nb + 1 ? bodies + 2 * pairs : nb + 1;
    peg_polytope room = {.nv = largest, .nf = largest};
    I->rigid = PEG_NEW(I->arena, peg_rigid, nr);
    I->piece = PEG_NEW(I->arena, peg_piece, 2 * pairs < parts ? 2 * pairs : parts);
    I->pair = PEG_NEW(I->arena, peg_pair, pairs);
    I->mass = PEG_NEW(I->arena, peg_mass_block, bodies);
    I->v = PEG_NEW(I->arena, double[6], nr);
    I->v_last = PEG_NEW(I->arena, double[6], nr);
    I->v_main = PEG_NEW(I->arena, double[6], bodies);
    I->v_end = PEG_NEW(I->arena, double[6], bodies);
    I->v_pose = PEG_NEW(I->arena, double[6], bodies);
    I->on_the_way = PEG_NEW(I->arena, double[6], nr);
    I->awake = PEG_NEW(I->arena, unsigned char, nr);
    I->touched = PEG_NEW(I->arena, unsigned char, nr);
    I->stirred = PEG_NEW(I->arena, unsigned char, nr);
    a->candidate_of = PEG_NEW(I->arena, int, pairs);
    if (I->arena->failed) return 0;
    return peg_patch_room(I, largest) && peg_view_allocate(I->arena, &room, &I->scratch[0]) &&
           peg_view_allocate(I->arena, &room, &I->scratch[1]);
}

/* Bodies whose parts are near nothing, or that have none: joints hang them on the others. */
static void set_sizes(peg_island *I)
{
    double largest = 0;
    for (int i = 0; i < I->nd; i++) largest = fmax(largest, I->rigid[i].size);
    for (int i = 0; i < I->nd; i++)
        if (I->rigid[i].size == 0) I->rigid[i].size = largest;
}

static int assemble(assembly *a, int root)
{
    peg_stage *s = a->stage;
    peg_island *I = &a->island;
    int bodies = 0, pairs = 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) bodies++;
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) pairs++;
    if (!allocate(a, bodies, pairs)) return 0;
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b]) set_rigid(a, b);
    I->nd = I->nr;
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) {
        if (!set_piece(a, s->candidate[c].a) || !set_piece(a, s->candidate[c].b)) return 0;
        set_pair(a, c);
    }
    for (int i = 0; i < I->nr; i++) peg_rigid_prepare(&I->rigid[i], I->h);
    peg_island_set_masses(I);
    peg_island_place_mass(I);
    if (!peg_take_joints(s, I, a->worker->rigid_of, root)) return 0;
    set_sizes(I);
    /* energy scale: motion, and weights lifted by the bodies' sizes */
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double change[3];
        peg_sub(r->target, r->state.v, change);
        I->gain_unit += 0.5 * peg_energy_product(r, r->state.v_free, r->state.v_free) +
                        r->state.mass * peg_norm(change) / I->h * r->size;
    }
    return 1;
}

/* --- results --- */

/* What the row's impulse does to A: its normal may be the mean of those on the way. */
static void take_push(const peg_island *I, const peg_row *row, peg_contact *contact)
{
    int a = I->piece[I->pair[row->pair].a].rigid;
    double push[3];
    for (int k = 0; k < 3; k++) push[k] = row->lambda * (a < I->nd ? row->Ga[k] : -row->Gb[k]);
    contact->impulse = peg_normalise(push);
    peg_copy3(contact->impulse > 0 ? push : row->normal, contact->normal);
}

static void add_friction(const peg_row *row, peg_contact *contact)
{
    double *sum = row->rolls ? contact->torque : contact->friction;
    peg_add_scaled(sum, row->lambda, row->normal, sum);
}

/* The number of a feature of a triangle in its mesh. */
static int number_in_mesh(const peg_polytope *P, peg_part_feature feature, int i)
{
    const peg_complex *m = P->mesh;
    if (!m) return i;
    return feature == PEG_A_VERTEX  ? m->triangle[P->triangle][i]
           : feature == PEG_AN_EDGE ? m->side[P->triangle][i]
                                    : m->source[P->triangle];
}

static void name_features(const peg_island *I, const peg_row *row, peg_contact *contact)
{
    const peg_pair *p = &I->pair[row->pair];
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    contact->kind = row->kind;
    contact->i = row->i, contact->j = row->j;
    if (row->kind == PEG_ROW_GIVEN) return;
    int swap = row->kind == PEG_ROW_FV;
    contact->i = number_in_mesh(swap ? B : A, peg_row_feature(row->kind, 0), row->i);
    contact->j = number_in_mesh(swap ? A : B, peg_row_feature(row->kind, 1), row->j);
}

static int take_contacts(assembly *a)
{
    const peg_island *I = &a->island;
    int most = 0;
    for (int i = 0; i < I->impulse.m; i++) most += !I->impulse.row[i].friction;
    a->solved->contact = PEG_NEW(&a->worker->results, peg_contact, most);
    if (!a->solved->contact) return 0;
    for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) {
        const peg_row *row = &I->impulse.row[i];
        int end = peg_next_normal(&I->impulse, i);
        const peg_candidate *c = &a->stage->candidate[a->candidate_of[row->pair]];
        peg_contact contact = {.part_a = a->stage->whole[c->a],
                               .part_b = a->stage->whole[c->b],
                               .gap = peg_row_gap(I, row)};
        name_features(I, row, &contact);
        peg_copy3(row->point, contact.point);
        take_push(I, row, &contact);
        for (int k = i + 1; k < end; k++) add_friction(&I->impulse.row[k], &contact);
        a->solved->contact[a->solved->contacts++] = contact;
        for (int side = 0; side < 2; side++) {
            const peg_placed *p = &a->stage->placed[side ? c->b : c->a];
            if (p->moves) a->stage->result[p->body].moved = 1;
        }
    }
    return 1;
}

/* Whom the island's impulses reach from what is awake or moves: sleepers among them wake. A sleeper
 * that would move although nothing pushes it wakes too. */
static void find_woken(assembly *a)
{
    peg_stage *s = a->stage;
    const peg_island *I = &a->island;
    for (int i = 0; i < I->nr; i++) {
        const peg_body *b = &I->rigid[i].state;
        int asleep = i < I->nd ? b->asleep : !peg_is_mover(b);
        if (i < I->nd && asleep) {
            double h = I->h, size = I->rigid[i].size;
            asleep = h * peg_norm(I->v_pose[i]) < PEG_TOUCH * size &&
                     h * peg_norm(I->v_pose[i] + 3) < PEG_TOUCH;
        }
        I->awake[i] = !asleep;
    }
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) {
            const peg_pair *p = &I->pair[I->impulse.row[i].pair];
            int x = I->piece[p->a].rigid, y = I->piece[p->b].rigid;
            if (I->awake[x] == I->awake[y]) continue;
            int sleeper = I->awake[x] ? y : x;
            if (sleeper >= I->nd) continue;
            I->awake[sleeper] = 1;
            changed = 1;
        }
        for (int k = 0; k < I->njoint; k++) {
            int x = I->joint[k].whole.body_a, y = I->joint[k].whole.body_b;
            if (x < 0 || y < 0 || I->awake[x] == I->awake[y]) continue;
            I->awake[x] = I->awake[y] = changed = 1;
        }
    }
    for (int i = 0; i < I->nd; i++) {
        peg_outcome_of_body *r = &s->result[I->rigid[i].body];
        const peg_body *b = &s->scene->body[I->rigid[i].body];
        r->woken = b->asleep && I->awake[i];
        if (!b->asleep || I->awake[i]) continue;
        memcpy(r->v_pose, b->v, sizeof r->v_pose);
        memcpy(r->v_end, b->v, sizeof r->v_end);
        r->moved = r->held = 0;
    }
}

static void take_results(assembly *a)
{
    peg_stage *s = a->stage;
    const peg_island *I = &a->island;
    pegStats *stats = I->stats;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &s->scene->body[I->rigid[i].body];
        peg_outcome_of_body *r = &s->result[I->rigid[i].body];
        memcpy(r->v_pose, I->v_pose[i], sizeof r->v_pose);
        memcpy(r->v_end, I->v_end[i], sizeof r->v_end);
        r->moved = I->njoint == 0 && memcmp(r->v_pose, b->v_free, sizeof r->v_pose) != 0;
        r->held = I->held && I->njoint > 0;
    }
    if (I->njoint) peg_give_joints(s, I);
    stats->min_separation = INFINITY;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        peg_copy3(p->facet.n, s->candidate[a->candidate_of[i]].n);
        stats->recovered += peg_pair_recovers(p);
        stats->min_separation = fmin(stats->min_separation, p->s);
        stats->max_penetration = fmax(stats->max_penetration, -p->s);
    }
    stats->pairs = I->npair;
    stats->islands = 1;
    stats->energy_gain_max = I->gain;
}

static int remember_choices(assembly *a)
{
    const peg_island *I = &a->island;
    peg_choice *choice = PEG_NEW(&a->worker->results, peg_choice, I->npair);
    for (int p = 0; p < I->npair && choice; p++) {
        choice[p] = I->pair[p].remembered;
        a->stage->candidate[a->candidate_of[p]].choice = &choice[p];
    }
    return choice != NULL;
}

/* What was scaled back starts the next step with the impulses that it started this one with. */
static int remember_old_impulses(assembly *a)
{
    const peg_island *I = &a->island;
    peg_solved *solved = a->solved;
    size_t n = 0;
    for (int p = 0; p < I->npair; p++) n += (size_t)I->pair[p].olds;
    solved->row = PEG_NEW(&a->worker->results, peg_row_memory, n);
    if (!solved->row) return 0;
    for (int p = 0; p < I->npair; p++) {
        const peg_pair *pair = &I->pair[p];
        peg_candidate *c = &a->stage->candidate[a->candidate_of[p]];
        c->first = solved->rows, c->count = pair->olds;
        for (int k = 0; k < pair->olds; k++) solved->row[solved->rows++] = pair->old[k];
    }
    return 1;
}

/* Rows are kept by pair: those of one candidate lie together. */
static int remember_impulses(assembly *a)
{
    peg_solved *solved = a->solved;
    const peg_row_set *impulse = &a->island.impulse;
    if (a->island.scaled) return remember_old_impulses(a);
    solved->row = PEG_NEW(&a->worker->results, peg_row_memory, impulse->m);
    if (!solved->row) return 0;
    for (int p = 0; p < a->island.npair; p++) a->stage->candidate[a->candidate_of[p]].count = 0;
    for (int i = 0; i < impulse->m; i++) {
        peg_candidate *c = &a->stage->candidate[a->candidate_of[impulse->row[i].pair]];
        if (c->count == 0) c->first = solved->rows;
        if (c->first + (size_t)c->count != solved->rows)
            continue; /* of a later solve: passed over */
        peg_row row = impulse->row[i];
        if (a->island.recovering) row.lambda = a->island.rough ? row.main : 0;
        row.lambda *= a->island.whole / a->island.h; /* of a part of the step */
        solved->row[solved->rows++] = peg_row_remembered(&row);
        c->count++;
    }
    return 1;
}

static void ask_surface(peg_stage *s, peg_candidate *c)
{
    const peg_scene *scene = s->scene;
    if (c->surface || s->failed) return;
    int a = s->whole[c->a], b = s->whole[c->b];
    const peg_candidate *answer = peg_still_answer(&s->context->still, c);
    if (a != c->a || b != c->b) {
        peg_candidate *of = peg_candidate_of(s, a, b);
        ask_surface(s, of);
        c->surface = of->surface;
    } else if (answer && answer->surface) {
        c->surface = answer->surface;
    } else {
        peg_surface *surface = PEG_NEW(&s->context->kept, peg_surface, 1);
        s->failed |= !surface;
        if (!surface) return;
        memset(surface, 0, sizeof *surface);
        if (scene->surface)
            scene->surface(scene->filter_context, &scene->part[a], &scene->part[b], surface);
        c->surface = surface;
    }
}

void peg_ask_surfaces(peg_stage *s, int root)
{
    for (int c = s->first_pair[root]; c >= 0; c = s->next_pair[c]) ask_surface(s, &s->candidate[c]);
}

void peg_run_island(peg_stage *s, peg_worker *worker, int root)
{
    peg_arena *arena = &worker->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    assembly a = {.stage = s, .worker = worker, .solved = &s->solved[root]};
    *a.solved = (peg_solved){0};
    peg_island *I = &a.island;
    I->h = s->scene->h;
    I->planar = s->scene->planar;
    I->settings = &s->context->settings;
    I->without = s->context->without;
    I->capture = s->context->capture;
    I->arena = arena;
    I->stats = &a.solved->stats;
    I->part = s->part;
    if (assemble(&a, root)) {
        peg_island_step(I);
        take_results(&a);
        if (!I->failed && (!take_contacts(&a) || !remember_choices(&a) || !remember_impulses(&a)))
            I->failed = 1;
        find_woken(&a);
    } else {
        I->failed = 1;
    }
    if (I->failed) worker->failed = 1;
    for (int i = 0; i < I->nr; i++) worker->rigid_of[I->rigid[i].body] = -1;
    for (int i = 0; i < I->npiece; i++) worker->piece_of[I->piece[i].part - s->part] = -1;
    peg_arena_back(arena, mark);
}
