/* One step of a scene: near pairs, islands, the outer loop of each, and the check that no motion
 * meets what its island did not know. Results are committed only when the step is whole. */
#include "peg/base/arena.h"
#include "peg/base/clock.h"
#include "peg/base/settings.h"
#include "peg/collide/separation.h"
#include "peg/peg.h"
#include "peg/step/box_pairs.h"
#include "peg/step/broad_phase.h"
#include "peg/step/candidate.h"
#include "peg/step/context.h"
#include "peg/step/island_graph.h"
#include "peg/step/islands.h"
#include "peg/step/joint_groups.h"
#include "peg/step/pair_cache.h"
#include "peg/step/parts.h"
#include "peg/step/planar.h"
#include "peg/step/resting_islands.h"
#include "peg/base/union_find.h"
#include "peg/step/deferred_triangles.h"

/* --- input --- */

static int all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* Sylvester's criterion. */
static int positive_definite(const double *A)
{
    double c[3];
    peg_cross(A + 3, A + 6, c);
    return A[0] > 0 && A[0] * A[4] - A[1] * A[3] > 0 && peg_dot(A, c) > 0;
}

static pegStatus check_body(const peg_body *b)
{
    if (!all_finite(b->x, 3) || !all_finite(b->q, 4) || !all_finite(b->v, 6))
        return PEG_ERROR_NOT_FINITE;
    if (b->kind != PEG_DYNAMIC) return PEG_OK;
    if (!all_finite(b->v_free, 6) || !isfinite(b->mass) || !all_finite(b->inertia, 9))
        return PEG_ERROR_NOT_FINITE;
    return b->mass > 0 && positive_definite(b->inertia) ? PEG_OK : PEG_ERROR_MASS;
}

static pegStatus check_joints(const peg_scene *scene)
{
    for (int i = 0; i < scene->njoint_row; i++) {
        const peg_joint_row *row = &scene->joint_row[i];
        if (row->body_a < -1 || row->body_a >= scene->nb || row->body_b < -1 ||
            row->body_b >= scene->nb || !(row->c >= 0) || !(row->lo <= 0) || !(row->hi >= 0))
            return PEG_ERROR_ARGUMENT;
        if (!all_finite(row->Ja, 6) || !all_finite(row->Jb, 6) || !isfinite(row->rhs) ||
            !isfinite(row->c) || !isfinite(row->push) || !isfinite(row->lambda))
            return PEG_ERROR_NOT_FINITE;
    }
    return PEG_OK;
}

static pegStatus check_given(const peg_scene *scene)
{
    for (int i = 0; i < scene->nexternal; i++) {
        const peg_external *g = &scene->external[i];
        int a = g->part_a, b = g->part_b;
        if (a < 0 || a >= scene->np || b < 0 || b >= scene->np || a == b) return PEG_ERROR_ARGUMENT;
        if (!scene->part[a].opaque && !scene->part[b].opaque) return PEG_ERROR_ARGUMENT;
        if (!all_finite(g->point, 3) || !all_finite(g->normal, 3) || !isfinite(g->gap))
            return PEG_ERROR_NOT_FINITE;
    }
    return PEG_OK;
}

static pegStatus check_scene(const peg_scene *scene)
{
    pegStatus status = PEG_OK;
    if (!isfinite(scene->h) || scene->h <= 0) return PEG_ERROR_STEP_SIZE;
    if (!peg_planar_check(scene) || (scene->planar && scene->njoint_row)) return PEG_ERROR_ARGUMENT;
    for (int i = 0; i < scene->nb; i++) {
        status = check_body(&scene->body[i]);
        if (status != PEG_OK) return status;
    }
    for (int i = 0; i < scene->np; i++) {
        const peg_part *part = &scene->part[i];
        if (!!part->shape + !!part->triangle_mesh + !!part->opaque != 1 || part->body < -1 ||
            part->body >= scene->nb)
            return PEG_ERROR_ARGUMENT;
        if (!all_finite(part->offset, 3) || !all_finite(part->rotation, 9))
            return PEG_ERROR_NOT_FINITE;
    }
    status = check_given(scene);
    return status == PEG_OK ? check_joints(scene) : status;
}

/* --- the step --- */

static void begin_bodies(void *data, int begin, int end)
{
    peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        s->result[i] = (peg_body_result){0};
        s->solved[i] = NULL;
        s->woken_by_joint[i] = 0;
        s->work[i] = 0;
        memcpy(s->v_no_contact[i], s->scene->body[i].v_free, sizeof s->v_no_contact[i]);
    }
}

/* Until an island has more to say: of those in motion the velocity that joints alone lead to. */
static void set_motions(void *data, int begin, int end)
{
    peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        const peg_body *b = &s->scene->body[i];
        int moves = b->kind == PEG_DYNAMIC && (!b->asleep || s->result[i].woken);
        const double *v = moves ? s->v_no_contact[i] : b->v;
        memcpy(s->result[i].v_pose, v, sizeof b->v);
        memcpy(s->result[i].v_end, v, sizeof b->v);
    }
}

static int set_stage(peg_stage *s, peg_context *context, peg_scene *scene)
{
    peg_arena *arena = &context->arena;
    int nb = scene->nb, meshes = 0;
    *s = (peg_stage){.context = context, .scene = scene};
    s->stats.steps = 1;
    peg_context_reset(context);
    context->contacts = 0;
    s->root = PEG_NEW(arena, int, nb);
    s->first_body = PEG_NEW(arena, int, nb);
    s->next_body = PEG_NEW(arena, int, nb);
    s->first_pair = PEG_NEW(arena, int, nb);
    s->dirty = PEG_NEW(arena, unsigned char, nb);
    s->work = PEG_NEW(arena, double, nb);
    s->solved = PEG_NEW(arena, peg_island_result *, nb);
    s->woken_by_joint = PEG_NEW(arena, unsigned char, nb);
    s->v_no_contact = PEG_NEW(arena, peg_vec6, nb);
    s->result = PEG_NEW(arena, peg_body_result, nb);
    if (arena->failed || !peg_workers_begin(s)) return 0;
    s->largest = 3; /* triangles */
    for (int i = 0; i < scene->np; i++) {
        const peg_polytope *shape = scene->part[i].shape;
        meshes |= scene->part[i].triangle_mesh != NULL;
        if (!shape) continue;
        s->largest = shape->nv > s->largest ? shape->nv : s->largest;
        s->largest = shape->nf > s->largest ? shape->nf : s->largest;
        s->largest = shape->ne > s->largest ? shape->ne : s->largest;
    }
    if (meshes && !(s->found = PEG_NEW(arena, peg_prediction, scene->np))) return 0;
    if (meshes) memset(s->found, 0, (size_t)scene->np * sizeof *s->found);
    for (int i = 0; i < nb; i++) s->stats.bodies += scene->body[i].kind == PEG_DYNAMIC;
    peg_pool *pool = peg_threads_for(context, nb);
    peg_pool_loop(pool, begin_bodies, s, nb);
    if (!peg_step_joints(s) || !peg_place_parts(s)) return 0;
    peg_pool_loop(pool, set_motions, s, nb);
    peg_resting_take(s);
    return 1;
}

/* How much nearer two parts can come in the motion that was found, at most, m. */
static double closing(const peg_stage *s, int a, int b)
{
    double v[2][6] = {{0}}, turning[2][6] = {{0}};
    for (int side = 0; side < 2; side++) {
        peg_found_velocity(s, side ? b : a, v[side]);
        memcpy(turning[side] + 3, v[side] + 3, 3 * sizeof **v);
    }
    for (int k = 0; k < 3; k++) v[0][k] -= v[1][k];
    return s->scene->h * peg_norm(v[0]) + peg_travel(s, a, turning[0]) +
           peg_travel(s, b, turning[1]);
}

/* What is this near after the motion that was found, of the size, counts as if it were to meet. */
static const double LEFT = 0.01;

/* Separation of a pair at the share t of the motion that was found, m. */
static double separation_on_way(peg_stage *s, const peg_candidate *c, double t)
{
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    peg_view a, b;
    double separation = -INFINITY;
    if (peg_place_on_way(s, c->a, t, &a) && peg_place_on_way(s, c->b, t, &b))
        separation = peg_widest_facet(&a, &b, s->context->settings.narrow_phase, NULL).s;
    else
        s->failed = 1;
    peg_arena_back(arena, mark);
    return separation;
}

/* Whether the pair stays apart between two shares of the motion, in which it closes U at most, with
 * the separations s0 and s1: at a share u of the way between them its separation is at least
 * s0 - u U and at least s1 - (1 - u) U. reach: U, and twice what is to be left. Where that does not
 * tell the way is halved, so many times. */
static int passes_by(peg_stage *s, const peg_candidate *c, const double t[2], const double at[2],
                     double reach, int halvings)
{
    if (!(at[1] > 0) || s->failed) return 0;
    if (at[0] + at[1] > reach) return 1;
    if (halvings == 0) return 0;
    double middle = 0.5 * (t[0] + t[1]), there = separation_on_way(s, c, middle);
    return passes_by(s, c, (double[]){t[0], middle}, (double[]){at[0], there}, 0.5 * reach,
                     halvings - 1) &&
           passes_by(s, c, (double[]){middle, t[1]}, (double[]){there, at[1]}, 0.5 * reach,
                     halvings - 1);
}

/* Halvings for pairs that are not near, from the second round on. */
enum { HALVINGS = 5 };

static int has_coarse_reach(const peg_stage *s, const peg_candidate *c)
{
    int shells = s->placed[c->a].view.shape->nv == 3 && s->placed[c->b].view.shape->nv == 3;
    return !c->is_deferred && (s->round == 0 || shells);
}

/* How near the pair must be now for the motion to bring it near, m. */
static double reach_of_motion(const peg_stage *s, const peg_candidate *c)
{
    return closing(s, c->a, c->b) + (has_coarse_reach(s, c) ? LEFT * peg_candidate_size(s, c) : 0);
}

/* No less than that, from how far each part gets. */
static double reach_of_travel(const peg_stage *s, const peg_candidate *c)
{
    double most = s->found_travel[c->a] + s->found_travel[c->b];
    return (1 + PEG_ROUNDING) * most +
           (has_coarse_reach(s, c) ? LEFT * peg_candidate_size(s, c) : 0);
}

/* Candidates that no island has, and that the found motion could bring near. */
static void find_within_reach(void *data, int begin, int end)
{
    peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        const peg_candidate *c = &s->candidate[i];
        const peg_view *a = &s->placed[c->a].view, *b = &s->placed[c->b].view;
        double n[3];
        s->within_reach[i] = !c->in_island && !c->excluded && !c->is_mesh_pair;
        if (!s->within_reach[i] || (c->near && has_coarse_reach(s, c))) continue;
        s->within_reach[i] = !c->is_deferred || !peg_passes_along(s, c);
        if (!s->within_reach[i]) continue;
        s->within_reach[i] = !c->has_facet || c->facet.s <= reach_of_travel(s, c);
        if (!s->within_reach[i]) continue;
        double reach = reach_of_motion(s, c);
        peg_copy3(c->n, n);
        if (c->has_axis)
            s->within_reach[i] = c->axis.s <= reach;
        else
            s->within_reach[i] = (!c->has_facet || c->facet.s <= reach) &&
                                 !peg_is_far(a, b, reach, s->context->settings.narrow_phase, n);
    }
}

/* The same of boxes. */
static int is_box_pair_within_reach(const peg_stage *s, const peg_box_pair *p)
{
    double left = s->round == 0 ? LEFT * peg_box_pair_size(s, p) : 0;
    double most = s->found_travel[p->a] + s->found_travel[p->b];
    if (p->axis.s > (1 + PEG_ROUNDING) * most + left)
        return 0; /* as closing is no more than that */
    return p->axis.s <= closing(s, p->a, p->b) + left;
}

/* Whether the found motion brings the pair near: from the second round on whether it makes it meet,
 * as every round adds others that could. Of two meshes that are sought along the motion only the
 * triangles that come near first are known. */
static int is_missed(peg_stage *s, const peg_candidate *c)
{
    pegNarrowPhase narrow = s->context->settings.narrow_phase;
    const peg_view *a = &s->placed[c->a].view, *b = &s->placed[c->b].view;
    peg_need_view(s, c->a);
    peg_need_view(s, c->b);
    int is_first = has_coarse_reach(s, c), halvings = is_first ? 0 : HALVINGS;
    double reach = reach_of_motion(s, c);
    if (is_first && c->near) return 1;
    double at[2] = {peg_widest_facet(a, b, narrow, NULL).s, separation_on_way(s, c, 1)};
    return !passes_by(s, c, (double[]){0, 1}, at, reach, halvings);
}

static int is_of_others(const peg_stage *s, int part_a, int part_b)
{
    const peg_placed *a = &s->placed[part_a], *b = &s->placed[part_b];
    return (a->moves && !s->dirty[a->body]) || (b->moves && !s->dirty[b->body]);
}

static int is_of_missing(const peg_stage *s, const peg_box_pair *p)
{
    return !is_of_others(s, p->a, p->b);
}

/* All pairs of the bodies that have missed some, with each other and with what does not move, count
 * as near from the second round on: among the triangles of a mesh each motion found few others, ten
 * times. Islands do not grow by it. Where none were missed none join. */
static void take_whole(peg_stage *s, int missed)
{
    if (missed && s->round > 0) s->failed |= !peg_box_pairs_take(s, is_of_missing);
    for (int i = 0; i < s->candidates; i++) {
        peg_candidate *c = &s->candidate[i];
        if (c->in_island || c->excluded || c->is_mesh_pair) continue;
        if (!missed)
            c->near = 0;
        else if (s->round > 0 && !is_of_others(s, c->a, c->b))
            c->near = 1;
    }
}

static int find_travel(peg_stage *s)
{
    s->found_travel = PEG_NEW(&s->context->arena, double, s->scene->np);
    for (int i = 0; i < s->scene->np && s->found_travel; i++) {
        double v[6];
        peg_found_velocity(s, i, v);
        s->found_travel[i] = peg_travel(s, i, v);
    }
    return s->found_travel != NULL;
}

/* Pairs that the found motion could close although no island had them: marks them near and their
 * islands dirty. Returns how many. */
static int find_missed_pairs(peg_stage *s, const peg_aabb *start, peg_aabb *end)
{
    int missed = 0;
    peg_end_boxes(s, end);
    if (!peg_find_pairs(s, end, start) || !find_travel(s) ||
        !peg_box_pairs_take(s, is_box_pair_within_reach)) {
        s->failed = 1;
        return 0;
    }
    s->within_reach = PEG_NEW(&s->context->arena, unsigned char, s->candidates);
    if (!s->within_reach) {
        s->failed = 1;
        return 0;
    }
    peg_pool_loop(peg_threads_for(s->context, s->candidates), find_within_reach, s, s->candidates);
    for (int i = 0; i < s->candidates; i++) {
        peg_candidate *c = &s->candidate[i];
        if (!s->within_reach[i] || !is_missed(s, c)) continue;
        const peg_placed *a = &s->placed[c->a], *b = &s->placed[c->b];
        c->near = 1;
        missed++;
        if (a->moves) s->dirty[a->body] = 1;
        if (b->moves) s->dirty[b->body] = 1;
    }
    take_whole(s, missed);
    return missed;
}

/* Pairs of the islands that something has come near to. */
static void find_pairs_of_woken(peg_stage *s, const peg_aabb *start)
{
    while (!s->failed && peg_resting_wake(s)) s->failed |= !peg_find_pairs_of_woken(s, start);
}

static void solve_islands(peg_stage *s)
{
    peg_aabb *start = PEG_NEW(&s->context->arena, peg_aabb, s->scene->np);
    peg_aabb *end = PEG_NEW(&s->context->arena, peg_aabb, s->scene->np);
    if (!start || !end) {
        s->failed = 1;
        return;
    }
    double t0 = peg_seconds();
    peg_start_boxes(s, start);
    if (!peg_find_pairs(s, start, NULL)) s->failed = 1;
    find_pairs_of_woken(s, start);
    s->stats.time_pairs += peg_seconds() - t0;
    memset(s->dirty, 1, (size_t)s->scene->nb);
    while (!s->failed) {
        if (!peg_link_islands(s)) {
            s->failed = 1;
            return;
        }
        /* a body that was marked dirty makes its whole new island dirty */
        for (int i = 0; i < s->scene->nb; i++)
            if (s->dirty[i]) s->dirty[peg_root(s->root, i)] = 1;
        peg_run_islands(s);
        memset(s->dirty, 0, (size_t)s->scene->nb);
        if (s->failed) return;
        t0 = peg_seconds();
        int known = s->candidates, missed = find_missed_pairs(s, start, end);
        find_pairs_of_woken(s, start);
        s->stats.time_pairs += peg_seconds() - t0;
        s->round++;
        if (missed) continue;
        /* the islands know their pairs by their places */
        if (s->candidates > known && !peg_link_islands(s)) s->failed = 1;
        return;
    }
}

static void commit_bodies(void *data, int begin, int end)
{
    const peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        peg_body *b = &s->scene->body[i];
        const peg_body_result *r = &s->result[i];
        memcpy(b->v_pose, r->v_pose, sizeof b->v_pose);
        memcpy(b->v_end, r->v_end, sizeof b->v_end);
        b->moved_by_contact = r->moved;
        b->woken = r->woken;
        b->limited = r->limited, b->unconverged = r->unconverged;
        b->woken_by_joint = s->woken_by_joint[i];
        b->held = r->held;
        memcpy(b->v_joints, r->v_joints, sizeof b->v_joints);
    }
}

static void commit(peg_stage *s)
{
    peg_context *context = s->context;
    peg_pool_loop(peg_threads_for(context, s->scene->nb), commit_bodies, s, s->scene->nb);
    for (int i = 0; i < s->scene->njoint_row; i++)
        s->scene->joint_row[i].lambda = s->joint_lambda[i];
    peg_pair_cache old = context->cache;
    context->cache = context->next_cache;
    context->next_cache = old;
}

/* In the order of their ids. */
static int remember_pairs(peg_stage *s)
{
    size_t next = 0;
    for (int i = 0; i < s->candidates; i++) {
        const peg_candidate *c = &s->candidate[i];
        if (c->excluded || c->is_mesh_pair) continue;
        if (!peg_resting_remember(s, &next, c)) return 0;
        peg_cached_pair *entry = peg_pair_cache_add(&s->context->next_cache, c->low, c->high);
        if (!entry) return 0;
        peg_copy3(c->n, entry->n);
        peg_copy3(c->tangent, entry->tangent);
        peg_copy3(c->reaction, entry->reaction);
        if (c->in_island && c->choice)
            peg_choice_copy(c->choice, &entry->choice);
        else
            peg_choice_clear(&entry->choice);
        entry->first = c->first;
        entry->count = c->count;
        entry->a = s->scene_part[c->a], entry->b = s->scene_part[c->b];
    }
    return peg_resting_remember(s, &next, NULL);
}

pegStatus peg_step(peg_context *context, peg_scene *scene, pegStats *stats)
{
    peg_stage stage;
    pegStatus status = check_scene(scene);
    if (status != PEG_OK) return status;
    peg_resting_compare(context, scene);
    if (peg_resting_repeat(context, scene, stats)) {
        if (peg_context_reset(context)) context->resting.stats.memory = peg_context_memory(context);
        return PEG_OK;
    }
    int whole = set_stage(&stage, context, scene);
    if (whole) solve_islands(&stage);
    if (!whole || stage.failed || !peg_gather_islands(&stage) || !remember_pairs(&stage)) {
        context->contacts = 0;
        context->resting.valid = 0; /* its answers are those of this step, its results are not */
        return stage.unsolved ? PEG_ERROR_SOLVER : PEG_ERROR_MEMORY;
    }
    commit(&stage);
    pegStats *sum = &stage.stats;
    sum->min_separation = INFINITY;
    for (int root = 0; root < stage.scene->nb; root++)
        if (peg_is_island_solved(&stage, root)) peg_stats_add(sum, &stage.solved[root]->stats);
    sum->unconverged = sum->unconverged > 0;
    sum->budget_ended = sum->budget_ended > 0 && !sum->unconverged;
    peg_resting_keep(&stage);
    stage.stats.memory = context->resting.stats.memory = peg_context_memory(context);
    if (stats) *stats = stage.stats;
    return PEG_OK;
}
