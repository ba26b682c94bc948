/* Resting islands: all their bodies ended the last step with v = 0, nothing about them,
 * their parts, pairs and surfaces has changed since, to the bit, and nothing else comes near to
 * them. Then this step is the last one over again, its certificate included: the results are taken
 * over, and no pairs are looked for among them. */
#include "peg/step/resting_islands.h"

#include <float.h>
#include <stdlib.h>

#include "peg/base/arena.h"
#include "peg/base/tolerance.h"
#include "peg/contact/kinematics.h"
#include "peg/step/candidate.h"
#include "peg/step/pair_cache.h"
#include "peg/base/union_find.h"

static const double REST[6] = {0};
/* Share of the momentum that a body would have without contact which its contacts may lack where it
 * rests (bodies_without_support_do_not_rest); in piles, walls and arches they lack less than .01.
 */
static const double SUPPORT = 0.05;

static int same(const double *a, const double *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* ODE scales quaternions to unit length over and over, which may change the last bit. */
static int same_turn(const double *a, const double *b)
{
    int equal = 1;
    for (int k = 0; k < 4; k++) equal &= fabs(a[k] - b[k]) <= 4 * DBL_EPSILON;
    return equal;
}

static int same_body(const peg_body *a, const peg_body *b)
{
    return a->kind == b->kind && a->asleep == b->asleep && same(a->x, b->x, 3) &&
           same_turn(a->q, b->q) && same(a->v, b->v, 6) && same(a->v_free, b->v_free, 6) &&
           a->mass == b->mass && same(a->inertia, b->inertia, 9) &&
           a->gyroscopic == b->gyroscopic && a->max_angular_speed == b->max_angular_speed &&
           a->finite_rotation == b->finite_rotation && same(a->finite_axis, b->finite_axis, 3);
}

static int same_part(const peg_part *a, const peg_part *b)
{
    return a->shape == b->shape && a->triangle_mesh == b->triangle_mesh && a->round == b->round &&
           a->body == b->body && a->id == b->id && same(a->offset, b->offset, 3) &&
           same(a->rotation, b->rotation, 9);
}

/* What the last bits of quaternions may change of a joint's row, whose numbers have this size: its
 * Jacobian, and the error that it corrects in a step. With 0 chains that lie still on the floor are
 * solved in each step (chains_rest_in_any_direction). */
static const double LAST_BITS = 32 * DBL_EPSILON;

static int nearly_same(const double *a, const double *b, int n, double size)
{
    int near = 1;
    for (int k = 0; k < n; k++) near &= fabs(a[k] - b[k]) <= LAST_BITS * size;
    return near;
}

static double largest(const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < 6; k++) most = fmax(most, fmax(fabs(a[k]), fabs(b[k])));
    return most;
}

/* All but the impulses, which are a start. */
static int same_joint_row(const peg_joint_row *a, const peg_joint_row *b, double h)
{
    double size = largest(a->Ja, a->Jb);
    return a->body_a == b->body_a && a->body_b == b->body_b && nearly_same(a->Ja, b->Ja, 6, size) &&
           nearly_same(a->Jb, b->Jb, 6, size) && nearly_same(&a->rhs, &b->rhs, 1, size / h) &&
           a->c == b->c && a->lo == b->lo && a->hi == b->hi && a->push == b->push;
}

/* --- what has changed --- */

static int is_dynamic(const peg_body *body, int i)
{
    return i >= 0 && body[i].kind == PEG_DYNAMIC;
}

/* The island of a body does not go on resting. body: those of the step that linked it. */
static void activate(peg_resting *last, const peg_body *body, int i)
{
    if (is_dynamic(body, i)) last->rest[last->root[i]] = PEG_ACTIVE;
}

static int is_active(const peg_resting *last, const peg_body *body, int i)
{
    return is_dynamic(body, i) && last->rest[last->root[i]] == PEG_ACTIVE;
}

static void compare_bodies(peg_resting *last, const peg_scene *scene)
{
    for (int i = 0; i < scene->nb; i++) {
        if (last->rest[i] != PEG_ACTIVE && same_body(&last->body[i], &scene->body[i])) continue;
        last->rest[i] = PEG_ACTIVE;
        activate(last, last->body, i);
    }
}

/* A row counts for those on whom it acted and for those on whom it acts, also where only the other
 * body has changed: that may be an immovable one. */
static void compare_joints(peg_resting *last, const peg_scene *scene)
{
    for (int i = 0; i < scene->njoint_row; i++) {
        const peg_joint_row *was = &last->joint_row[i], *is = &scene->joint_row[i];
        const int body[4] = {was->body_a, was->body_b, is->body_a, is->body_b};
        int changed = !same_joint_row(was, is, scene->h);
        for (int k = 0; k < 4; k++) changed |= body[k] >= 0 && last->rest[body[k]] == PEG_ACTIVE;
        for (int k = 0; k < 4 && changed; k++) activate(last, last->body, body[k]);
    }
}

static void compare_parts(peg_resting *last, const peg_scene *scene)
{
    for (int i = 0; i < scene->np; i++) {
        int body = scene->part[i].body;
        int same = !last->changed[i] && same_part(&last->part[i], &scene->part[i]);
        last->changed[i] = !same || (body >= 0 && last->rest[body] == PEG_ACTIVE);
        if (!same) activate(last, last->body, body);
    }
}

/* Asks about a pair again; returns whether the answer is the same. */
static int ask_again(peg_resting *last, const peg_scene *scene, peg_candidate *c)
{
    const peg_part *a = &scene->part[c->a], *b = &scene->part[c->b];
    int refused = scene->may_touch && !scene->may_touch(scene->filter_context, a, b);
    int unchanged = refused == c->excluded;
    c->excluded = refused;
    c->is_current = 1;
    if (refused || !c->surface) return unchanged;
    peg_surface surface;
    memset(&surface, 0, sizeof surface);
    if (scene->surface) scene->surface(scene->filter_context, a, b, &surface);
    unchanged = unchanged && memcmp(&surface, c->surface, sizeof surface) == 0;
    last->surface[c->surface - last->surface] = surface;
    return unchanged;
}

/* A pair with a part that has changed is no longer known, but has held a resting body. */
static void compare_pairs(peg_resting *last, const peg_scene *scene)
{
    for (int i = 0; i < last->candidates; i++) {
        peg_candidate *c = &last->candidate[i];
        int a = last->part[c->a].body, b = last->part[c->b].body;
        int changed = last->changed[c->a] || last->changed[c->b];
        c->is_current = 0;
        if (is_active(last, last->body, a) || is_active(last, last->body, b)) continue;
        if (changed ? !c->near && !c->is_mesh_pair : ask_again(last, scene, c)) continue;
        activate(last, last->body, a);
        activate(last, last->body, b);
    }
}

void peg_resting_compare(peg_context *context, const peg_scene *scene)
{
    peg_resting *last = &context->resting;
    last->valid = last->valid && last->h == scene->h && last->nb == scene->nb &&
                  last->np == scene->np && last->planar == scene->planar &&
                  last->njoint_row == scene->njoint_row && !scene->nexternal;
    if (!last->valid) return;
    compare_bodies(last, scene);
    compare_joints(last, scene);
    compare_parts(last, scene);
    compare_pairs(last, scene);
    for (int i = 0; i < scene->nb; i++)
        if (is_active(last, last->body, i)) last->rest[i] = PEG_ACTIVE;
}

/* --- results --- */

int peg_resting_repeat(peg_context *context, peg_scene *scene, pegStats *stats)
{
    const peg_resting *last = &context->resting;
    if (!last->valid) return 0;
    for (int i = 0; i < scene->nb; i++)
        if (is_dynamic(scene->body, i) && last->rest[i] != PEG_RESTING) return 0;
    for (int i = 0; i < scene->np; i++)
        if (last->changed[i]) return 0;
    for (int i = 0; i < scene->nb; i++) {
        peg_body *b = &scene->body[i];
        memcpy(b->v_pose, last->body[i].v_pose, sizeof b->v_pose);
        memcpy(b->v_end, last->body[i].v_end, sizeof b->v_end);
        b->moved_by_contact = last->body[i].moved_by_contact;
        b->woken = last->body[i].woken;
        b->woken_by_joint = last->body[i].woken_by_joint;
        b->held = last->body[i].held;
        memcpy(b->v_joints, last->body[i].v_joints, sizeof b->v_joints);
    }
    for (int i = 0; i < scene->njoint_row; i++)
        scene->joint_row[i].lambda = last->joint_row[i].lambda;
    if (stats) *stats = last->stats;
    return 1;
}

int peg_is_resting(const peg_stage *s, int body)
{
    const peg_resting *last = &s->context->resting;
    return last->valid && is_dynamic(s->scene->body, body) && last->rest[body] == PEG_RESTING;
}

void peg_resting_take(peg_stage *s)
{
    const peg_resting *last = &s->context->resting;
    for (int i = 0; i < s->scene->nb; i++) {
        if (!peg_is_resting(s, i)) continue;
        const peg_body *b = &last->body[i];
        peg_body_result *r = &s->result[i];
        memcpy(r->v_pose, b->v_pose, sizeof r->v_pose);
        memcpy(r->v_end, b->v_end, sizeof r->v_end);
        memcpy(r->v_joints, b->v_joints, sizeof r->v_joints);
        r->moved = b->moved_by_contact, r->woken = b->woken, r->held = b->held;
        s->woken_by_joint[i] = (unsigned char)b->woken_by_joint;
        if (last->root[i] == i) s->solved[i] = last->solved[i];
    }
    for (int i = 0; i < s->scene->njoint_row; i++) {
        const peg_joint_row *row = &s->scene->joint_row[i];
        if (peg_is_resting(s, row->body_a) || peg_is_resting(s, row->body_b))
            s->joint_lambda[i] = last->joint_row[i].lambda;
    }
}

static void wake(peg_stage *s, int body)
{
    peg_resting *last = &s->context->resting;
    int root = last->root[body];
    s->solved[root] = NULL;
    for (int i = 0; i < s->scene->nb; i++) {
        if (!is_dynamic(s->scene->body, i) || last->root[i] != root) continue;
        last->rest[i] = PEG_WOKEN;
        s->dirty[i] = 1;
    }
}

int peg_resting_wake(peg_stage *s)
{
    peg_resting *last = &s->context->resting;
    int woken = 0;
    if (!last->valid) return 0;
    for (int i = 0; i < s->scene->nb; i++)
        if (last->rest[i] == PEG_WOKEN) last->rest[i] = PEG_ACTIVE;
    for (int i = 0; i < s->candidates; i++) {
        const peg_candidate *c = &s->candidate[i];
        for (int side = 0; side < 2 && c->near; side++) {
            int body = s->placed[side ? c->b : c->a].body;
            if (!peg_is_resting(s, body)) continue;
            wake(s, body);
            woken = 1;
        }
    }
    return woken;
}

/* --- pairs --- */

static int is_at_rest(const peg_resting *last, const peg_scene *scene, int part)
{
    int body = scene->part[part].body;
    return !last->changed[part] &&
           (!is_dynamic(scene->body, body) || last->rest[body] == PEG_RESTING);
}

static int is_before(const peg_cached_pair *old, const peg_candidate *c)
{
    return old->low != c->low ? old->low < c->low : old->high < c->high;
}

int peg_resting_remember(peg_stage *s, size_t *next, const peg_candidate *until)
{
    const peg_resting *last = &s->context->resting;
    const peg_pair_cache *memory = &s->context->cache;
    for (; last->valid && *next < memory->count; ++*next) {
        const peg_cached_pair *old = &memory->entry[*next];
        if (until && !is_before(old, until)) break;
        if (!is_at_rest(last, s->scene, old->a) || !is_at_rest(last, s->scene, old->b)) continue;
        peg_cached_pair *entry = peg_pair_cache_add(&s->context->next_cache, old->low, old->high);
        if (!entry) return 0;
        *entry = *old;
        entry->first = s->context->next_cache.rows;
        if (!peg_pair_cache_add_rows(&s->context->next_cache, memory->row + old->first,
                                     (size_t)old->count))
            return 0;
    }
    return 1;
}

/* --- what the next step can repeat --- */

/* What a step, or an island, that repeats this one would say of itself. */
static pegStats repeated(const pegStats *stats)
{
    pegStats s = {.steps = stats->steps,
                  .bodies = stats->bodies,
                  .pairs = stats->pairs,
                  .islands = stats->islands,
                  .resting_islands = stats->islands,
                  .min_separation = stats->min_separation,
                  .max_penetration = stats->max_penetration};
    return s;
}

static int is_at_rest_body(const peg_body *b)
{
    return same(b->v, REST, 6) && same(b->v_pose, REST, 6) && same(b->v_end, REST, 6);
}

/* What contacts give to a body, N s: the sum, and that of its terms' magnitudes. Joints bear what
 * they hold. */
typedef struct support {
    double sum[3], all;
    int has_joints;
} support;

static void add_impulses(const peg_scene *scene, const peg_island_result *solved, support *of)
{
    for (int i = 0; i < solved->contacts; i++) {
        const peg_contact *c = &solved->contact[i];
        for (int side = 0; side < 2; side++) {
            int body = scene->part[side ? c->part_b : c->part_a].body, sign = side ? -1 : 1;
            if (!is_dynamic(scene->body, body)) continue;
            peg_add_scaled(of[body].sum, sign * c->impulse, c->normal, of[body].sum);
            peg_add_scaled(of[body].sum, sign, c->friction, of[body].sum);
            of[body].all += c->impulse + peg_norm(c->friction);
        }
    }
}

/* Whether the impulses of the step do not bear a body that stands: what an answer leaves may be
 * little beside all bodies, and leave a light one without support. */
static int lacks_support(const peg_body *b, const support *s)
{
    double left[3], push = b->mass * peg_norm(b->v_free);
    for (int k = 0; k < 3; k++) left[k] = b->mass * b->v_free[k] + s->sum[k];
    return peg_norm(left) > SUPPORT * push + PEG_NEAR_EXACT * s->all;
}

static int comes_to_rest(const peg_stage *s, const peg_resting *next, int i)
{
    const peg_body *body = s->scene->body;
    return is_dynamic(body, i) && !body[i].asleep && !peg_is_resting(s, i) &&
           !is_active(next, body, i);
}

/* Islands that do not bear a body that has come to rest go on being solved: of the PEG model, whose
 * contacts tell all that acts out of a plane as well. 0 without memory. */
static int find_unsupported(const peg_stage *s, peg_resting *next)
{
    const peg_scene *scene = s->scene;
    int any = 0, is_told = s->context->settings.contact == PEG_CONTACT_PEG && !scene->planar;
    for (int i = 0; i < scene->nb && is_told && !any; i++) any = comes_to_rest(s, next, i);
    if (!any) return 1;
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    support *of = PEG_NEW(arena, support, scene->nb);
    if (!of) return 0;
    memset(of, 0, (size_t)scene->nb * sizeof *of);
    for (int i = 0; i < scene->njoint_row; i++) {
        const peg_joint_row *row = &scene->joint_row[i];
        if (row->body_a >= 0) of[row->body_a].has_joints = 1;
        if (row->body_b >= 0) of[row->body_b].has_joints = 1;
    }
    for (int i = 0; i < scene->nb; i++)
        if (s->solved[i] && !peg_is_resting(s, i)) add_impulses(scene, s->solved[i], of);
    for (int i = 0; i < scene->nb; i++)
        if (comes_to_rest(s, next, i) && !of[i].has_joints &&
            lacks_support(&scene->body[i], &of[i]))
            activate(next, scene->body, i);
    peg_arena_back(arena, mark);
    return 1;
}

/* Which bodies rest after the step; returns whether a dynamic one does. */
static int find_rest(peg_stage *s, peg_resting *next)
{
    const peg_scene *scene = s->scene;
    int any = 0;
    for (int i = 0; i < scene->nb; i++) {
        next->rest[i] = peg_is_moving_obstacle(&scene->body[i]) ? PEG_ACTIVE : PEG_RESTING;
        next->root[i] = peg_is_resting(s, i) ? s->context->resting.root[i] : peg_root(s->root, i);
    }
    for (int i = 0; i < scene->nb; i++) {
        const peg_island_result *solved = s->solved[i];
        if (!is_dynamic(scene->body, i)) continue;
        if (!is_at_rest_body(&scene->body[i]) ||
            (solved && (solved->stats.unconverged || solved->stats.recovered ||
                        solved->stats.limited_bodies)))
            activate(next, scene->body, i);
    }
    if (!find_unsupported(s, next)) return 0;
    for (int i = 0; i < s->candidates; i++) {
        const peg_candidate *c = &s->candidate[i];
        int a = s->placed[c->a].body, b = s->placed[c->b].body;
        if (!c->near) continue;
        if (a >= 0 && peg_is_moving_obstacle(&scene->body[a])) activate(next, scene->body, b);
        if (b >= 0 && peg_is_moving_obstacle(&scene->body[b])) activate(next, scene->body, a);
    }
    for (int i = 0; i < scene->nb; i++) {
        if (is_active(next, scene->body, i)) next->rest[i] = PEG_ACTIVE;
        any |= is_dynamic(scene->body, i) && next->rest[i] == PEG_RESTING;
    }
    return any;
}

static void keep_pair(const peg_stage *s, peg_resting *next, const peg_candidate *c)
{
    int np = s->scene->np;
    if (c->a >= np || c->b >= np || !is_at_rest(next, s->scene, c->a) ||
        !is_at_rest(next, s->scene, c->b))
        return;
    peg_candidate *kept = &next->candidate[next->candidates++];
    *kept = *c;
    kept->cached = NULL, kept->choice = NULL;
    if (!c->surface) return;
    next->surface[next->surfaces] = *c->surface;
    kept->surface = &next->surface[next->surfaces++];
}

/* What the repetition of an island comes to. */
static int keep_island(const peg_stage *s, peg_resting *next, int root)
{
    const peg_island_result *from = s->solved[root];
    next->solved[root] = NULL;
    if (!from || next->root[root] != root || next->rest[root] != PEG_RESTING) return 1;
    peg_island_result *to = PEG_NEW(&next->arena, peg_island_result, 1);
    peg_contact *contact = PEG_NEW(&next->arena, peg_contact, from->contacts);
    if (!to || !contact) return 0;
    *to = (peg_island_result){
        .stats = repeated(&from->stats), .contact = contact, .contacts = from->contacts};
    next->solved[root] = to;
    if (from->contacts)
        memcpy(to->contact, from->contact, (size_t)from->contacts * sizeof *to->contact);
    return 1;
}

static int keep_scene(const peg_stage *s, peg_resting *next)
{
    const peg_scene *scene = s->scene;
    int nb = scene->nb, np = scene->np;
    peg_arena *arena = &next->arena;
    next->body = PEG_NEW(arena, peg_body, nb);
    next->part = PEG_NEW(arena, peg_part, np);
    next->changed = PEG_NEW(arena, unsigned char, np);
    next->solved = PEG_NEW(arena, peg_island_result *, nb);
    next->joint_row = PEG_NEW(arena, peg_joint_row, scene->njoint_row);
    int pairs = s->candidates + s->context->resting.candidates;
    next->candidate = PEG_NEW(arena, peg_candidate, pairs);
    next->surface = PEG_NEW(arena, peg_surface, pairs);
    if (arena->failed) return 0;
    if (scene->njoint_row)
        memcpy(next->joint_row, scene->joint_row,
               (size_t)scene->njoint_row * sizeof *next->joint_row);
    for (int i = 0; i < nb; i++)
        if (next->rest[i] == PEG_RESTING)
            next->body[i] = scene->body[i];
        else
            next->body[i].kind = scene->body[i].kind;
    for (int i = 0; i < np; i++) {
        int body = scene->part[i].body;
        next->changed[i] = body >= 0 && next->rest[body] != PEG_RESTING;
        if (next->changed[i])
            next->part[i].body = body;
        else
            next->part[i] = scene->part[i];
    }
    next->nb = nb, next->np = np, next->njoint_row = scene->njoint_row;
    next->h = scene->h, next->planar = scene->planar;
    next->candidates = next->surfaces = 0;
    /* those of this step, and those that it repeats */
    const peg_resting *last = &s->context->resting;
    const peg_candidate *c = s->candidate, *end = c + s->candidates;
    for (int i = 0; last->valid && i < last->candidates; i++) {
        const peg_candidate *old = &last->candidate[i];
        if (!is_at_rest(last, s->scene, old->a) || !is_at_rest(last, s->scene, old->b)) continue;
        for (; c < end && peg_by_parts(c, old) < 0; c++) keep_pair(s, next, c);
        keep_pair(s, next, old);
    }
    for (; c < end; c++) keep_pair(s, next, c);
    for (int i = 0; i < nb; i++)
        if (!keep_island(s, next, i)) return 0;
    next->stats = repeated(&s->stats);
    return 1;
}

void peg_resting_keep(peg_stage *s)
{
    peg_context *context = s->context;
    peg_resting *next = &context->next_resting, last = context->resting;
    next->valid = 0;
    if (s->scene->nexternal) return;
    peg_arena_reset(&next->arena);
    next->root = PEG_NEW(&next->arena, int, s->scene->nb);
    next->rest = PEG_NEW(&next->arena, peg_activity, s->scene->nb);
    if (next->root && next->rest && find_rest(s, next)) next->valid = keep_scene(s, next);
    context->resting = *next;
    context->next_resting = last;
}
