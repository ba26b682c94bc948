/* The results of an island, back to the stage: velocities, contacts, what the next step remembers.
 */
#include "peg/collide/features.h"
#include "peg/contact/friction_axis.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/patch.h"
#include "peg/contact/row_set.h"
#include "peg/step/assemble.h"
#include "peg/step/joint_groups.h"
#include "peg/step/rounds.h"

static void add_friction(const peg_row *row, peg_contact *contact)
{
    double *sum = row->rolls ? contact->torque : contact->friction;
    peg_add_scaled(sum, row->lambda, row->normal, sum);
}

/* The number of a feature of a triangle in its mesh. */
static int number_in_mesh(const peg_polytope *P, peg_feature_type feature, int i)
{
    const peg_triangle_mesh *m = P->mesh;
    if (!m) return i;
    return feature == PEG_VERTEX ? m->triangle[P->triangle][i]
           : feature == PEG_EDGE ? m->side[P->triangle][i]
                                 : m->source[P->triangle];
}

static void name_features(const peg_island *I, int pair, peg_feature_kind kind, int i, int j,
                          peg_contact *contact)
{
    const peg_pair *p = &I->pair[pair];
    contact->kind = kind == PEG_FEATURES_POINTS ? PEG_FEATURES_EXTERNAL : kind;
    contact->i = i, contact->j = j;
    if (kind >= PEG_FEATURES_EXTERNAL || !p->of_mesh) return;
    const peg_polytope *A = I->piece[p->a].part->shape, *B = I->piece[p->b].part->shape;
    int swap = kind == PEG_FEATURES_FV;
    contact->i = number_in_mesh(swap ? B : A, peg_feature_of(kind, 0), i);
    contact->j = number_in_mesh(swap ? A : B, peg_feature_of(kind, 1), j);
}

static const peg_candidate *candidate(const peg_assembly *a, int pair)
{
    return &a->stage->candidate[a->candidate_of[pair]];
}

/* One of a row; i: the normal one. */
static void take_row(const peg_assembly *a, int i, peg_contact *out)
{
    const peg_island *I = &a->island;
    const peg_row *row = &I->impulse.row[i];
    const peg_candidate *c = candidate(a, row->pair);
    /* what the row's impulse does to A: its normal may be the mean of those on the way */
    int is_on_a = I->piece[I->pair[row->pair].a].rigid < I->nd,
        end = peg_next_normal(&I->impulse, i);
    double push[3];
    *out = (peg_contact){.part_a = a->stage->scene_part[c->a],
                         .part_b = a->stage->scene_part[c->b],
                         .gap = peg_row_gap(I, row)};
    name_features(I, row->pair, row->kind, row->i, row->j, out);
    peg_copy3(row->point, out->point);
    for (int k = 0; k < 3; k++) push[k] = row->lambda * (is_on_a ? row->Ga[k] : -row->Gb[k]);
    out->impulse = peg_normalise(push);
    peg_copy3(out->impulse > 0 ? push : row->normal, out->normal);
    for (int k = i + 1; k < end; k++) add_friction(&I->impulse.row[k], out);
}

static void take_load(const peg_assembly *a, const peg_loaded_contact *load, peg_contact *out)
{
    const peg_candidate *c = candidate(a, load->pair);
    *out = (peg_contact){.part_a = a->stage->scene_part[c->a],
                         .part_b = a->stage->scene_part[c->b],
                         .gap = load->end_gap,
                         .impulse = load->lambda[0]};
    name_features(&a->island, load->pair, load->kind, load->i, load->j, out);
    peg_copy3(load->point, out->point);
    peg_copy3(load->normal, out->normal);
    peg_loaded_friction(load, out->friction);
    peg_loaded_rolling(load, out->torque);
}

static void fill_contacts(void *data, int begin, int end)
{
    const peg_assembly *a = data;
    int rows = a->solved->contacts - a->island.loads;
    for (int k = begin; k < end; k++) {
        peg_contact *out = &a->solved->contact[k];
        if (k < rows)
            take_row(a, a->normal_row[k], out);
        else
            take_load(a, &a->island.load[k - rows], out);
    }
}

/* The pair of a contact. */
static int pair_of(const peg_assembly *a, int k)
{
    const peg_island *I = &a->island;
    int rows = a->solved->contacts - I->loads;
    return k < rows ? I->impulse.row[a->normal_row[k]].pair : I->load[k - rows].pair;
}

static int take_contacts(peg_assembly *a)
{
    const peg_island *I = &a->island;
    int n = 0;
    a->normal_row = PEG_NEW(I->arena, int, I->impulse.m);
    if (!a->normal_row) return 0;
    for (int i = 0; i < I->impulse.m; i = peg_next_normal(&I->impulse, i)) a->normal_row[n++] = i;
    n += I->loads;
    a->solved->contact = PEG_NEW(&a->worker->results, peg_contact, n);
    if (!a->solved->contact) return 0;
    a->solved->contacts = n;
    for (int k = 0, last = -1; k < n; k++) {
        int pair = pair_of(a, k);
        if (pair == last) continue;
        const peg_candidate *c = candidate(a, last = pair);
        for (int side = 0; side < 2; side++) {
            const peg_placed *p = &a->stage->placed[side ? c->b : c->a];
            if (p->moves) a->stage->result[p->body].moved = 1;
        }
    }
    peg_pool_loop(I->pool, fill_contacts, a, n);
    return 1;
}

/* Whom the island's impulses reach from what is awake or moves: sleepers among them wake. A sleeper
 * that would move although nothing pushes it wakes too. */
static void find_woken(peg_assembly *a)
{
    peg_stage *s = a->stage;
    const peg_island *I = &a->island;
    int sleepers = 0;
    for (int i = 0; i < I->nr; i++) {
        const peg_body *b = &I->rigid[i].state;
        int asleep = i < I->nd ? b->asleep : !peg_is_moving_obstacle(b);
        if (i < I->nd && asleep) {
            double h = I->h, size = I->rigid[i].size;
            asleep = h * peg_norm(I->result.v_pose[i]) < PEG_TOUCH * size &&
                     h * peg_norm(I->result.v_pose[i] + 3) < PEG_TOUCH;
        }
        I->rigid[i].awake = !asleep;
        sleepers += i < I->nd && asleep;
    }
    for (int changed = sleepers > 0; changed;) {
        changed = 0;
        for (int i = 0; i < a->solved->contacts; i++) {
            const peg_pair *p = &I->pair[pair_of(a, i)];
            peg_rigid *x = &I->rigid[I->piece[p->a].rigid], *y = &I->rigid[I->piece[p->b].rigid];
            if (x->awake == y->awake) continue;
            peg_rigid *sleeper = x->awake ? y : x;
            if (sleeper - I->rigid >= I->nd) continue;
            sleeper->awake = 1;
            changed = 1;
        }
        for (int k = 0; k < I->joints.n; k++) {
            int x = I->joints.row[k].body_a, y = I->joints.row[k].body_b;
            if (x < 0 || y < 0 || I->rigid[x].awake == I->rigid[y].awake) continue;
            I->rigid[x].awake = I->rigid[y].awake = changed = 1;
        }
    }
    for (int i = 0; i < I->nd; i++) {
        peg_body_result *r = &s->result[I->rigid[i].body];
        const peg_body *b = &s->scene->body[I->rigid[i].body];
        r->woken = b->asleep && I->rigid[i].awake;
        if (!b->asleep || I->rigid[i].awake) continue;
        memcpy(r->v_pose, b->v, sizeof r->v_pose);
        memcpy(r->v_end, b->v, sizeof r->v_end);
        r->moved = r->held = 0;
    }
}

/* Rest is compared to the bit: zeros lose their sign. */
static void take_velocity(double *to, const double *from)
{
    for (int k = 0; k < 6; k++) to[k] = from[k] + 0.0;
}

/* What the next step is to know of them. */
static void take_pairs(void *data, int begin, int end)
{
    const peg_assembly *a = data;
    for (int i = begin; i < end; i++) {
        const peg_pair *p = &a->island.pair[i];
        peg_candidate *c = &a->stage->candidate[a->candidate_of[i]];
        peg_copy3(p->facet.n, c->n);
        peg_copy3(p->tangent, c->tangent);
        c->choice = p->choice;
        c->count = 0;
    }
}

static void take_results(peg_assembly *a)
{
    peg_stage *s = a->stage;
    const peg_island *I = &a->island;
    pegStats *stats = I->stats;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &s->scene->body[I->rigid[i].body];
        peg_body_result *r = &s->result[I->rigid[i].body];
        take_velocity(r->v_pose, I->result.v_pose[i]);
        take_velocity(r->v_end, I->result.v_end[i]);
        r->moved = I->joints.n == 0 && memcmp(r->v_pose, b->v_free, sizeof r->v_pose) != 0;
        r->held |= (I->result.notes & PEG_NOTE_HELD) && I->joints.n > 0;
        r->limited = I->rigid[i].limited, r->unconverged = stats->unconverged > 0;
    }
    if (I->joints.n) peg_give_joints(s, I);
    peg_pool_loop(I->pool, take_pairs, a, I->npair);
    stats->min_separation = INFINITY;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        stats->recovered += peg_pair_recovers(p);
        if (p->buried) continue;
        stats->min_separation = fmin(stats->min_separation, p->s);
        stats->max_penetration = fmax(stats->max_penetration, -p->s);
    }
    stats->pairs = I->npair;
    stats->islands = 1;
    stats->energy_gain_max = I->result.energy_gain;
}

/* Where no velocities were found the next step starts with the impulses of this one. */
static int remember_old_impulses(peg_assembly *a)
{
    const peg_island *I = &a->island;
    peg_island_result *solved = a->solved;
    size_t n = 0;
    for (int p = 0; p < I->npair; p++) n += (size_t)I->pair[p].cached_contacts;
    solved->row = PEG_NEW(&a->worker->results, peg_cached_contact, n);
    if (!solved->row) return 0;
    for (int p = 0; p < I->npair; p++) {
        const peg_pair *pair = &I->pair[p];
        peg_candidate *c = &a->stage->candidate[a->candidate_of[p]];
        c->first = solved->rows, c->count = pair->cached_contacts;
        for (int k = 0; k < pair->cached_contacts; k++)
            solved->row[solved->rows++] = pair->cached[k];
    }
    return 1;
}

/* Residual of an answer (peg_note_left), in what applied forces change in a step, above which its
 * impulses are no start for the next solve: rows that contradict each other drive those of PGS ever
 * further. Without it 23 bodies of world 1351 without meshes stand still for 18 steps, as impulses
 * grow to 1e6 times the weights. */
static const double DIVERGED = 1;

/* Nothing is kept of what opened an overlap, and of impulses that have diverged. */
static peg_cached_contact cached_contact(const peg_assembly *a, int k)
{
    const peg_island *I = &a->island;
    int rows = a->solved->contacts - I->loads;
    if (k >= rows) return peg_loaded_to_cache(I, &I->load[k - rows]);
    int recovers = (I->forms & PEG_FORM_RECOVERY) != 0;
    peg_cached_contact c = peg_contact_to_cache(&I->impulse, a->normal_row[k], recovers);
    if ((recovers && !peg_is_iterative(I)) || I->result.residual > DIVERGED) {
        c.lambda = 0;
        memset(c.sliding, 0, sizeof c.sliding);
        memset(c.rolling, 0, sizeof c.rolling);
    }
    return c;
}

static int is_limited(const peg_island *I)
{
    for (int i = 0; i < I->nd; i++)
        if (I->rigid[i].limited) return 1;
    return 0;
}

/* Room for a contact of the pair: those of one candidate lie together. Null: it is of a later
 * solve, or a first contact, and is passed over. */
static peg_cached_contact *add_contact(peg_assembly *a, int pair)
{
    peg_island_result *solved = a->solved;
    peg_candidate *c = &a->stage->candidate[a->candidate_of[pair]];
    if (c->count == 0) c->first = solved->rows;
    if (c->first + (size_t)c->count != solved->rows) return NULL;
    c->count++;
    return &solved->row[solved->rows++];
}

/* Where bodies are limited, the next step goes on from where exact solves ended. */
static int remember_unfinished(peg_assembly *a)
{
    const peg_row_set *from = &a->island.unfinished;
    size_t n = 0;
    for (int i = 0; i < from->m; i = peg_next_normal(from, i)) n++;
    a->solved->row = PEG_NEW(&a->worker->results, peg_cached_contact, n);
    if (!a->solved->row) return 0;
    for (int i = 0; i < from->m; i = peg_next_normal(from, i)) {
        peg_cached_contact *contact = add_contact(a, from->row[i].pair);
        if (contact) *contact = peg_contact_to_cache(from, i, 1);
    }
    return 1;
}

static int remember_impulses(peg_assembly *a)
{
    peg_island_result *solved = a->solved;
    if (a->island.unfinished.m && is_limited(&a->island)) return remember_unfinished(a);
    if (a->island.result.notes & PEG_NOTE_UNSOLVED) return remember_old_impulses(a);
    solved->row = PEG_NEW(&a->worker->results, peg_cached_contact, solved->contacts);
    if (!solved->row) return 0;
    for (int k = 0; k < solved->contacts; k++) {
        peg_cached_contact *contact = add_contact(a, pair_of(a, k));
        if (contact) *contact = cached_contact(a, k);
    }
    return 1;
}

/* What bears a body, or hangs on it. */
typedef struct support {
    int is_known, other; /* the other body of its first loaded pair, and its direction */
    double n[3];
    int has_several; /* another loaded pair with another body or direction, or a joint */
} support;

/* Cosine of the angle up to which contacts of the same two bodies are one support, as those of
 * triangles side by side. */
static const double ONE_SUPPORT = 0.95;

static void add_support(support *of, int other, const double *n)
{
    if (!of->is_known) {
        of->is_known = 1;
        of->other = other;
        peg_copy3(n, of->n);
    } else if (of->other != other || peg_dot(of->n, n) < ONE_SUPPORT) {
        of->has_several = 1;
    }
}

static void find_supports(const peg_assembly *a, support *of)
{
    const peg_island *I = &a->island;
    memset(of, 0, (size_t)I->nr * sizeof *of);
    for (int i = 0; i < I->npair; i++) {
        const peg_candidate *c = &a->stage->candidate[a->candidate_of[i]];
        int b[2] = {I->piece[I->pair[i].a].rigid, I->piece[I->pair[i].b].rigid};
        double load = 0;
        for (int k = 0; k < c->count; k++) load += a->solved->row[c->first + (size_t)k].lambda;
        for (int side = 0; side < 2 && load > 0; side++) add_support(&of[b[side]], b[!side], c->n);
    }
    for (int k = 0; k < I->joints.n; k++) {
        int b[2] = {I->joints.row[k].body_a, I->joints.row[k].body_b};
        for (int side = 0; side < 2; side++)
            if (b[side] >= 0) of[b[side]].has_several = 1;
    }
}

typedef struct reactions {
    const peg_assembly *a;
    const support *of; /* nr */
} reactions;

/* None where no other contact or joint acts. */
static void take_reactions(void *data, int begin, int end)
{
    const reactions *w = data;
    const peg_island *I = &w->a->island;
    for (int i = begin; i < end; i++) {
        const peg_pair *p = &I->pair[i];
        peg_candidate *c = &w->a->stage->candidate[w->a->candidate_of[i]];
        int x = I->piece[p->a].rigid, y = I->piece[p->b].rigid;
        int others = (x < I->nd && w->of[x].has_several) || (y < I->nd && w->of[y].has_several);
        const peg_cached_contact *row = c->count ? w->a->solved->row + c->first : NULL;
        peg_pair_reaction(I, p, row, others ? c->count : 0, c->reaction);
    }
}

/* For the axes of friction of the next step. */
static int remember_reactions(peg_assembly *a)
{
    support *of = PEG_NEW(a->island.arena, support, a->island.nr);
    if (!of) return 0;
    find_supports(a, of);
    reactions w = {a, of};
    peg_pool_loop(a->island.pool, take_reactions, &w, a->island.npair);
    return 1;
}

void peg_take_results(peg_assembly *a)
{
    peg_island *I = &a->island;
    take_results(a);
    if (!I->failed && (!take_contacts(a) || !remember_impulses(a) || !peg_round_keep(a)))
        I->failed = 1;
    if (!I->failed && !remember_reactions(a)) I->failed = 1;
    find_woken(a);
}
