/* A scene that lies still: every awake body ended the last step with v = 0, and nothing about the
 * bodies, parts, pairs and surfaces has changed since, to the bit. Then this step is the last one
 * over again, its certificate included, and the results are taken over. */
#include <float.h>
#include <stdlib.h>

#include "peg/scene.h"

static const double REST[6] = {0};

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
    return a->shape == b->shape && a->complex == b->complex && a->body == b->body &&
           a->id == b->id && same(a->offset, b->offset, 3) && same(a->rotation, b->rotation, 9);
}

/* All but the impulses, which are a start. */
static int same_joint_row(const peg_joint_row *a, const peg_joint_row *b)
{
    return a->body_a == b->body_a && a->body_b == b->body_b && same(a->Ja, b->Ja, 6) &&
           same(a->Jb, b->Jb, 6) && a->rhs == b->rhs && a->c == b->c && a->lo == b->lo &&
           a->hi == b->hi && a->push == b->push;
}

static int same_scene(const peg_still *last, const peg_scene *scene)
{
    if (!last->valid || last->h != scene->h || last->nb != scene->nb || last->np != scene->np ||
        last->planar != scene->planar || scene->ngiven)
        return 0;
    for (int i = 0; i < scene->nb; i++)
        if (!same_body(&last->body[i], &scene->body[i])) return 0;
    if (last->njoint_row != scene->njoint_row) return 0;
    for (int i = 0; i < scene->njoint_row; i++)
        if (!same_joint_row(&last->joint_row[i], &scene->joint_row[i])) return 0;
    for (int i = 0; i < scene->np; i++)
        if (!same_part(&last->part[i], &scene->part[i])) return 0;
    return 1;
}

/* Asks about all pairs again; the answers are kept for the step if one of them differs. */
static int same_pairs(peg_still *last, const peg_scene *scene)
{
    int unchanged = 1;
    for (int i = 0; i < last->candidates; i++) last->candidate[i].answered = 0;
    for (int i = 0; i < last->candidates && unchanged; i++) {
        peg_candidate *c = &last->candidate[i];
        const peg_part *a = &scene->part[c->a], *b = &scene->part[c->b];
        int refused = scene->may_touch && !scene->may_touch(scene->filter_context, a, b);
        unchanged = refused == c->refused;
        c->refused = refused;
        c->answered = 1;
        if (refused || !c->has_surface || !scene->surface) continue;
        peg_surface surface;
        memset(&surface, 0, sizeof surface);
        scene->surface(scene->filter_context, a, b, &surface);
        unchanged = unchanged && memcmp(&surface, &c->surface, sizeof surface) == 0;
        c->surface = surface;
    }
    return unchanged;
}

int peg_still_repeat(peg_context *context, peg_scene *scene, pegStats *stats)
{
    peg_still *last = &context->still;
    if (!same_scene(last, scene)) {
        last->valid = 0;
        return 0;
    }
    if (!same_pairs(last, scene)) return 0;
    for (int i = 0; i < last->candidates; i++) last->candidate[i].answered = 0;
    for (int i = 0; i < scene->nb; i++) {
        peg_body *b = &scene->body[i];
        memcpy(b->v_pose, last->body[i].v_pose, sizeof b->v_pose);
        memcpy(b->v_end, last->body[i].v_end, sizeof b->v_end);
        b->moved_by_contact = last->body[i].moved_by_contact;
        b->woken = last->body[i].woken;
        b->roused = last->body[i].roused;
        b->held = last->body[i].held;
        memcpy(b->v_joints, last->body[i].v_joints, sizeof b->v_joints);
    }
    for (int i = 0; i < scene->njoint_row; i++)
        scene->joint_row[i].lambda = last->joint_row[i].lambda;
    if (stats) *stats = last->stats;
    return 1;
}

const peg_candidate *peg_still_answer(const peg_still *last, int a, int b)
{
    peg_candidate key = {.a = a, .b = b};
    if (!last->valid || !last->candidates) return NULL;
    const peg_candidate *c =
        bsearch(&key, last->candidate, (size_t)last->candidates, sizeof key, peg_by_parts);
    return c && c->answered ? c : NULL;
}

/* What a step that repeats this one would say of itself. */
static pegStats repeated(const pegStats *stats)
{
    pegStats s = {.steps = 1,
                  .bodies = stats->bodies,
                  .pairs = stats->pairs,
                  .islands = stats->islands,
                  .repeated = stats->islands,
                  .gap_min = stats->gap_min,
                  .violation_max = stats->violation_max};
    return s;
}

void peg_still_keep(peg_context *context, const peg_stage *stage)
{
    peg_still *last = &context->still;
    const peg_scene *scene = stage->scene;
    last->valid = 0;
    if (stage->stats.unconverged || stage->stats.recovered || scene->ngiven) return;
    for (int i = 0; i < scene->nb; i++) {
        const peg_body *b = &scene->body[i];
        if (peg_is_mover(b) ||
            (b->kind == PEG_DYNAMIC &&
             (!same(b->v, REST, 6) || !same(b->v_pose, REST, 6) || !same(b->v_end, REST, 6))))
            return;
    }
    peg_arena_reset(&last->arena);
    last->body = PEG_NEW(&last->arena, peg_body, scene->nb);
    last->part = PEG_NEW(&last->arena, peg_part, scene->np);
    last->candidate = PEG_NEW(&last->arena, peg_candidate, stage->candidates);
    last->joint_row = PEG_NEW(&last->arena, peg_joint_row, scene->njoint_row);
    if (!last->body || !last->part || !last->candidate || !last->joint_row) return;
    if (scene->njoint_row)
        memcpy(last->joint_row, scene->joint_row,
               (size_t)scene->njoint_row * sizeof *last->joint_row);
    last->njoint_row = scene->njoint_row;
    memcpy(last->body, scene->body, (size_t)scene->nb * sizeof *last->body);
    memcpy(last->part, scene->part, (size_t)scene->np * sizeof *last->part);
    last->candidates = 0;
    for (int i = 0; i < stage->candidates; i++) {
        const peg_candidate *c = &stage->candidate[i];
        if (c->a < scene->np && c->b < scene->np) last->candidate[last->candidates++] = *c;
    }
    last->nb = scene->nb, last->np = scene->np;
    last->h = scene->h, last->planar = scene->planar;
    last->stats = repeated(&stage->stats);
    last->valid = 1;
}
