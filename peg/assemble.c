/* An island out of the scene: its bodies (dynamic ones first, then what they can touch), its parts,
 * its pairs; and its results back to the stage. */
#include "peg/scene.h"

typedef struct assembly {
    peg_stage *stage;
    peg_island island;
    int *rigid_of;     /* nb + 1: index in the island, or -1; the last entry is the world */
    int *piece_of;     /* np */
    int *candidate_of; /* npair */
} assembly;

static void set_rigid(assembly *a, int body)
{
    peg_island *I = &a->island;
    const peg_scene *scene = a->stage->scene;
    peg_rigid *r = &I->rigid[I->nr];
    memset(r, 0, sizeof *r);
    r->body = body;
    if (body < scene->nb)
        r->state = scene->body[body];
    else
        r->state = (peg_body){.kind = PEG_STATIC, .q = {1, 0, 0, 0}};
    a->rigid_of[body] = I->nr++;
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

static void set_masses(peg_island *I)
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
    const peg_scene *scene = a->stage->scene;
    const peg_placed *placed = &a->stage->placed[part];
    int body = placed->body < 0 ? scene->nb : placed->body;
    if (a->piece_of[part] >= 0) return 1;
    if (a->rigid_of[body] < 0) set_rigid(a, body);
    peg_piece *piece = &I->piece[I->npiece];
    memset(piece, 0, sizeof *piece);
    piece->part = &scene->part[part];
    piece->rigid = a->rigid_of[body];
    piece->arm = placed->arm;
    piece->start = piece->free_ = piece->now = placed->view;
    a->piece_of[part] = I->npiece++;
    double size = 2 * piece->part->shape->radius;
    if (size > I->rigid[piece->rigid].size) I->rigid[piece->rigid].size = size;
    if (I->rigid[piece->rigid].state.kind == PEG_STATIC) return 1;
    const peg_polytope *shape = piece->part->shape;
    return peg_view_allocate(I->arena, shape, &piece->start) &&
           peg_view_allocate(I->arena, shape, &piece->free_) &&
           peg_view_allocate(I->arena, shape, &piece->now);
}

static void set_pair(assembly *a, int candidate)
{
    peg_island *I = &a->island;
    const peg_candidate *c = &a->stage->candidate[candidate];
    peg_pair *p = &I->pair[I->npair];
    memset(p, 0, sizeof *p);
    p->a = a->piece_of[c->a], p->b = a->piece_of[c->b];
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    p->L = peg_candidate_size(a->stage, c);
    p->width = fmin(A->width, B->width);
    p->margin = I->settings->margin * p->L;
    p->reach = peg_candidate_reach(a->stage, c);
    if (I->settings->warm_start) peg_copy3(c->n, p->remembered);
    const peg_scene *scene = a->stage->scene;
    if (scene->surface)
        scene->surface(scene->filter_context, &scene->part[c->a], &scene->part[c->b], &p->surface);
    a->candidate_of[I->npair++] = candidate;
}

static int allocate(assembly *a, int bodies, int pairs)
{
    peg_island *I = &a->island;
    const peg_scene *scene = a->stage->scene;
    int largest = 0, nr = bodies + 2 * pairs;
    for (int i = 0; i < scene->np; i++) {
        const peg_polytope *shape = scene->part[i].shape;
        largest = shape->nv > largest ? shape->nv : largest;
        largest = shape->nf > largest ? shape->nf : largest;
    }
    peg_polytope room = {.nv = largest, .nf = largest};
    I->rigid = PEG_NEW(I->arena, peg_rigid, nr);
    I->piece = PEG_NEW(I->arena, peg_piece, 2 * pairs);
    I->pair = PEG_NEW(I->arena, peg_pair, pairs);
    I->mass = PEG_NEW(I->arena, peg_mass_block, bodies);
    I->v = PEG_NEW(I->arena, double[6], nr);
    I->v_last = PEG_NEW(I->arena, double[6], nr);
    I->v_end = PEG_NEW(I->arena, double[6], bodies);
    I->v_pose = PEG_NEW(I->arena, double[6], bodies);
    a->rigid_of = PEG_NEW(I->arena, int, scene->nb + 1);
    a->piece_of = PEG_NEW(I->arena, int, scene->np);
    a->candidate_of = PEG_NEW(I->arena, int, pairs);
    if (I->arena->failed) return 0;
    for (int i = 0; i <= scene->nb; i++) a->rigid_of[i] = -1;
    for (int i = 0; i < scene->np; i++) a->piece_of[i] = -1;
    return peg_view_allocate(I->arena, &room, &I->scratch[0]) &&
           peg_view_allocate(I->arena, &room, &I->scratch[1]);
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
    set_masses(I);
    /* energy scale: motion, and weights lifted by the bodies' sizes */
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double change[3];
        peg_sub(r->state.v_free, r->state.v, change);
        I->gain_unit += 0.5 * r->state.mass * peg_dot(r->state.v_free, r->state.v_free) +
                        r->state.mass * peg_norm(change) / I->h * r->size;
    }
    return 1;
}

/* --- results --- */

static int add_contact(peg_stage *s, const peg_contact *contact)
{
    peg_context *context = s->context;
    if (context->contacts == context->contact_capacity) {
        int capacity = context->contact_capacity ? 2 * context->contact_capacity : 64;
        peg_contact *grown = peg_realloc(context->contact, (size_t)capacity * sizeof *grown);
        if (!grown) return 0;
        context->contact = grown;
        context->contact_capacity = capacity;
    }
    context->contact[context->contacts++] = *contact;
    return 1;
}

/* Rolling and spinning rows have no linear part. */
static void add_friction(const peg_row *row, peg_contact *contact)
{
    int rolls = peg_dot(row->Ga, row->Ga) + peg_dot(row->Gb, row->Gb) == 0;
    double *sum = rolls ? contact->torque : contact->friction;
    peg_add_scaled(sum, row->lambda, row->normal, sum);
}

static int take_contacts(assembly *a)
{
    const peg_island *I = &a->island;
    for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) {
        const peg_row *row = &I->impulse.row[i];
        int end = peg_next_normal(&I->impulse, i);
        const peg_candidate *c = &a->stage->candidate[a->candidate_of[row->pair]];
        peg_contact contact = {.part_a = c->a,
                               .part_b = c->b,
                               .gap = row->gap,
                               .impulse = row->lambda,
                               .kind = row->kind,
                               .i = row->i,
                               .j = row->j};
        peg_copy3(row->point, contact.point);
        peg_copy3(row->normal, contact.normal);
        for (int k = i + 1; k < end; k++) add_friction(&I->impulse.row[k], &contact);
        if (!add_contact(a->stage, &contact)) return 0;
        for (int side = 0; side < 2; side++) {
            const peg_placed *p = &a->stage->placed[side ? c->b : c->a];
            if (p->moves) a->stage->result[p->body].moved = 1;
        }
    }
    return 1;
}

static void take_results(assembly *a)
{
    peg_stage *s = a->stage;
    const peg_island *I = &a->island;
    for (int i = 0; i < I->nd; i++) {
        peg_outcome_of_body *r = &s->result[I->rigid[i].body];
        memcpy(r->v_pose, I->v_pose[i], sizeof r->v_pose);
        memcpy(r->v_end, I->v_end[i], sizeof r->v_end);
        r->woken = s->scene->body[I->rigid[i].body].asleep;
        r->moved =
            memcmp(r->v_pose, s->scene->body[I->rigid[i].body].v_free, sizeof r->v_pose) != 0;
    }
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        peg_copy3(p->facet.n, s->candidate[a->candidate_of[i]].n);
        s->stats.recovered += peg_pair_recovers(p);
        s->stats.gap_min = fmin(s->stats.gap_min, p->s);
        s->stats.violation_max = fmax(s->stats.violation_max, -p->s);
    }
    s->stats.pairs += I->npair;
    s->stats.islands++;
    if (!I->recovering)
        s->stats.energy_gain_max = fmax(s->stats.energy_gain_max, peg_island_gain(I));
}

/* Contacts of an island that is solved again. */
static void forget_contacts(peg_stage *s, int root)
{
    peg_context *context = s->context;
    int kept = 0;
    for (int i = 0; i < context->contacts; i++) {
        const peg_placed *a = &s->placed[context->contact[i].part_a];
        const peg_placed *b = &s->placed[context->contact[i].part_b];
        int body = a->moves ? a->body : b->body;
        if (peg_root(s, body) != root) context->contact[kept++] = context->contact[i];
    }
    context->contacts = kept;
}

void peg_run_island(peg_stage *s, int root)
{
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    assembly a = {.stage = s};
    peg_island *I = &a.island;
    I->h = s->scene->h;
    I->settings = &s->context->settings;
    I->without = s->context->without;
    I->arena = arena;
    I->stats = &s->stats;
    forget_contacts(s, root);
    if (assemble(&a, root)) {
        peg_island_step(I);
        take_results(&a);
        if (!I->failed && !take_contacts(&a)) I->failed = 1;
    } else {
        I->failed = 1;
    }
    if (I->failed) s->failed = 1;
    peg_arena_back(arena, mark);
}
