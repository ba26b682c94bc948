/* ODE has just written a body's numbers one by one: read by twos they would be waited for, longer
 * than all that is done with them takes. */
#ifndef __clang__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "plugin/launch/near/search.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/space_geoms.h"

/* Limits that a geom gets: it may move for as many steps at its pace, but not much more than its
 * size (or one step); get faster by a share, and by gravity in some steps; and at rest, move by a
 * share of its size, and in a step by another (m/m, rad). */
#define ROOM_STEPS 12
#define ROOM_REST  0.05
#define PACE_MORE  1.25
#define PACE_FALLS 4
#define PACE_REST  0.005
/* Leavers meet all others one by one while that is fewer tests than this, for each geom and in all:
 * a sweep costs more. */
#define FEW_EACH 4
#define FEW      256

/* Rooms of geoms that were fast are wide. All get new ones where pairs that share some are more
 * than so many times those that are near, but not sooner than after so many runs. */
#define WASTE      3
#define WASTE_RUNS 32

/* What most calls do not need is kept out of their way. */
#define RARE __attribute__((noinline, cold))

/* ---- the geoms ------------------------------------------------------------------------------- */

static peg_item *new_item(peg_search *s, peg_items *list)
{
    peg_item *of = peg_grow(list->of, list->n + 1, &list->room, sizeof *of);
    if (!of) {
        s->lost = 1;
        return NULL;
    }
    list->of = of;
    of[list->n] = (peg_item){.left = 1, .way = -1};
    return &of[list->n++];
}

/* Of a class whose boxes change with the pose alone, and by calls that are seen. */
static int is_rigid(dGeomID geom)
{
    int class = dGeomGetClass(geom);
    return class == dSphereClass || class == dBoxClass || class == dCapsuleClass ||
           class == dCylinderClass || class == dPlaneClass;
}

static void see_body(peg_search *s, peg_item *it)
{
    it->rigid = is_rigid(it->geom);
    it->body = dGeomGetBody(it->geom);
    if (!it->body) return;
    dWorldID world = dBodyGetWorld(it->body);
    if (s->worlds == 0) s->world = world;
    if (s->worlds == 0 || s->world != world) s->worlds++;
    it->x = dBodyGetPosition(it->body);
    it->q = dBodyGetQuaternion(it->body);
    it->v = dBodyGetLinearVel(it->body);
    it->w = dBodyGetAngularVel(it->body);
    it->force = dBodyGetForce(it->body);
}

typedef struct collection {
    peg_search *search;
    int group, met;
} collection;

static void look_into(collection *c, dGeomID space, void (*each)(void *context, dGeomID geom))
{
    peg_search *s = c->search;
    struct peg_count *grown = peg_grow(s->count, s->counts + 1, &s->count_room, sizeof *s->count);
    if (!grown) {
        s->lost = 1;
        return;
    }
    s->count = grown;
    collection inner = {s, c->group, 0};
    int geoms = dSpaceGetNumGeoms((dSpaceID)space);
    s->count[s->counts++] = (struct peg_count){(dSpaceID)space, geoms};
    peg_each_geom((dSpaceID)space, each, &inner);
    if (inner.met != geoms) s->lasting = 0; /* a quad tree does not show disabled ones */
}

static void add_part(void *context, dGeomID geom)
{
    collection *c = context;
    c->met++;
    if (dGeomIsSpace(geom)) {
        look_into(c, geom, add_part);
        return;
    }
    peg_item *it = new_item(c->search, &c->search->part);
    if (dGeomIsEnabled(geom)) peg_geom_number(geom, 0);
    if (!it) return;
    it->geom = geom;
    it->within = c->search->item.n - 1;
    c->search->item.of[it->within].parts++;
    see_body(c->search, it);
}

static void add(void *context, dGeomID geom)
{
    collection *c = context;
    c->met++;
    peg_item *it = new_item(c->search, &c->search->item);
    if (!it) return;
    it->geom = geom;
    it->group = c->group;
    it->within = c->search->item.n - 1;
    it->first = c->search->part.n;
    if (dGeomIsSpace(geom)) {
        look_into(c, geom, add_part);
        return;
    }
    if (dGeomIsEnabled(geom)) peg_geom_number(geom, 0);
    see_body(c->search, it);
}

/* What lies in a space stands for it. */
static void watch(peg_search *s, const peg_items *list)
{
    if (list->n == 0) return;
    peg_item **grown = peg_grow(s->watch, s->watched + list->n, &s->watch_room, sizeof *grown);
    if (!grown) {
        s->lost = 1;
        return;
    }
    s->watch = grown;
    for (size_t i = 0; i < list->n; i++) {
        peg_item *it = &list->of[i];
        if (!it->parts && (it->body || !it->rigid)) s->watch[s->watched++] = it;
    }
}

RARE static void collect(peg_search *s)
{
    s->item.n = s->part.n = s->counts = s->pairs = s->watched = 0;
    s->worlds = 0;
    s->world = NULL;
    s->changes = peg_geom_changes();
    for (int group = 0; group < 2; group++) {
        collection c = {s, group, 0};
        dGeomID geom = group ? s->b : s->a;
        if (group) s->second = s->item.n;
        if (geom && dGeomIsSpace(geom))
            look_into(&c, geom, add);
        else if (geom)
            add(&c, geom);
    }
    watch(s, &s->item);
    watch(s, &s->part);
}

/* Whether the geoms that were collected are those that there are now. */
static int is_valid(const peg_search *s)
{
    if (!s->valid || s->changes != peg_geom_changes()) return 0;
    for (size_t i = 0; i < s->counts; i++)
        if (dSpaceGetNumGeoms(s->count[i].space) != s->count[i].geoms) return 0;
    return 1;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static double margin_of(double size)
{
    return isfinite(size) ? PEG_NEAR_MARGIN * size : 0;
}

static double square(double x)
{
    return x * x;
}

/* Squared distance of the farthest corner of the box. */
static inline double arm_of(const peg_item *it)
{
    double arm[3];
    for (int k = 0; k < 3; k++)
        arm[k] = peg_max(it->x[k] - it->box[2 * k], it->box[2 * k + 1] - it->x[k]);
    return peg_dot(arm, arm);
}

static inline int lies_in(const dReal box[6], const peg_aabb *in)
{
    return in->lo[0] <= box[0] && in->lo[1] <= box[2] && in->lo[2] <= box[4] &&
           in->hi[0] >= box[1] && in->hi[1] >= box[3] && in->hi[2] >= box[5];
}

/* The box as it was when the search began, or is at the first look. */
static inline void see_box(const peg_search *s, peg_item *it)
{
    if (it->run == s->run) return;
    it->run = s->run;
    it->motion = -1;
    dGeomGetAABB(it->geom, it->box);
}

/* How far the body may go and turn from where it is, and its geom still lies in the calm box:
 * points at a distance r from its middle get no farther than |dx| + 2 r |dq|. */
static void remember_pose(const peg_search *s, peg_item *it)
{
    double slack = INFINITY, arm = sqrt(arm_of(it));
    for (int k = 0; k < 3; k++) {
        slack = fmin(slack, it->box[2 * k] - it->calm.lo[k]);
        slack = fmin(slack, it->calm.hi[k] - it->box[2 * k + 1]);
        it->x_seen[k] = it->x[k];
    }
    for (int k = 0; k < 4; k++) it->q_seen[k] = it->q[k];
    double go = peg_length(it->v) + s->now.falling + PACE_REST / s->now.h * it->size;
    double turn = arm * peg_length(it->w) + PACE_REST / s->now.h * it->size;
    if (!it->rigid) return;
    it->way = square(slack * go / (go + turn));
    it->turned = square(slack * turn / (go + turn) / (2 * arm));
}

/* These are also false where something is not a number. */
static inline int keeps_place(const peg_item *it)
{
    double x[3], turned = 0;
    for (int k = 0; k < 3; k++) x[k] = it->x[k] - it->x_seen[k];
    for (int k = 0; k < 4; k++) turned += square(it->q[k] - it->q_seen[k]);
    double way = peg_dot(x, x);
    return way <= it->way && turned <= it->turned;
}

static inline int keeps_pace(const peg_search *s, const peg_item *it)
{
    return peg_dot(it->v, it->v) <= it->speed && peg_dot(it->w, it->w) <= it->turn &&
           (peg_dot(it->force, it->force) == 0 ||
            peg_push(s->now.h, it->body, it->force) <= it->push);
}

RARE static int keeps_box(const peg_search *s, peg_item *it)
{
    see_box(s, it);
    if (!lies_in(it->box, &it->calm)) return 0;
    if (!it->body) return 1;
    if (!(arm_of(it) <= it->arm) || !keeps_pace(s, it)) return 0;
    remember_pose(s, it);
    return 1;
}

/* moved: geoms may have been moved or changed otherwise than by their bodies. */
static inline int keeps_limits(const peg_search *s, peg_item *it, int moved)
{
    return (!moved && it->body && keeps_place(it) && keeps_pace(s, it)) || keeps_box(s, it);
}

/* An enabled body that falls: others move less. */
static void limit_motion(peg_search *s, peg_item *it)
{
    peg_common *now = &s->now;
    dWorldID world = dBodyGetWorld(it->body);
    if (world != now->world) peg_look_up(now, world);
    double rest = PACE_REST / now->h, arm = PACE_MORE * sqrt(arm_of(it));
    double speed = PACE_MORE * peg_length(it->v) + PACE_FALLS * now->falling + rest * it->size;
    double turn = PACE_MORE * peg_length(it->w) + rest;
    it->push = PACE_MORE * peg_push(now->h, it->body, it->force);
    it->most = PEG_NEAR_MOTION * now->h * (speed + it->push + now->falling + turn * arm);
    it->speed = square(speed);
    it->turn = square(turn);
    it->arm = square(arm);
}

static void limit(peg_search *s, peg_item *it)
{
    double by = 0;
    see_box(s, it);
    it->size = peg_box_size(it->box);
    if (it->body) limit_motion(s, it);
    if (isfinite(it->size))
        by = fmax(it->most, fmin(ROOM_STEPS * it->most, it->size)) + ROOM_REST * it->size;
    it->reach = it->most + margin_of(it->size + sqrt(3) * by);
    for (int k = 0; k < 3; k++) {
        it->calm.lo[k] = it->box[2 * k] - by;
        it->calm.hi[k] = it->box[2 * k + 1] + by;
    }
    if (it->body) remember_pose(s, it);
}

/* Of a space: those of its parts together. The box of a quad tree holds more. */
static void limit_space(peg_search *s, peg_item *it)
{
    see_box(s, it);
    it->most = it->reach = it->size = 0;
    for (int k = 0; k < 3; k++) {
        it->calm.lo[k] = it->box[2 * k];
        it->calm.hi[k] = it->box[2 * k + 1];
    }
    for (size_t i = it->first; i < it->first + it->parts; i++) {
        peg_item *part = &s->part.of[i];
        if (part->left) limit(s, part);
        part->left = 0;
        it->most = fmax(it->most, part->most);
        it->reach = fmax(it->reach, part->reach);
        it->size = fmax(it->size, part->size);
        for (int k = 0; k < 3; k++) {
            it->calm.lo[k] = fmin(it->calm.lo[k], part->calm.lo[k]);
            it->calm.hi[k] = fmax(it->calm.hi[k], part->calm.hi[k]);
        }
    }
}

static void give_room(peg_search *s, peg_item *it)
{
    if (it->parts)
        limit_space(s, it);
    else
        limit(s, it);
    for (int k = 0; k < 3; k++) {
        it->room.lo[k] = it->calm.lo[k] - it->reach;
        it->room.hi[k] = it->calm.hi[k] + it->reach;
    }
}

RARE static void begin_anew(peg_search *s, double h, double gravity)
{
    s->gravity = gravity;
    s->now = (peg_common){.h = h};
    if (s->world) peg_look_up(&s->now, s->world);
}

/* Whether all limits that were set are void. */
static int begin(peg_search *s)
{
    double h = PEG_FIRST_STEP, gravity = 0;
    if (s->world) {
        const peg_world_entry *entry = peg_world_entry_of(s->world);
        dVector3 g;
        dWorldGetGravity(s->world, g);
        gravity = peg_dot(g, g);
        if (entry) h = entry->h;
    }
    if (s->worlds <= 1 && h == s->now.h && gravity == s->gravity) return 0;
    begin_anew(s, h, gravity);
    return 1;
}

/* Items that are beyond their limits. */
RARE static void all_left(peg_search *s)
{
    for (size_t i = 0; i < s->item.n; i++) s->item.of[i].left = 1;
    for (size_t i = 0; i < s->part.n; i++) s->part.of[i].left = 1;
}

RARE static int have_left(peg_search *s, const peg_items *list)
{
    int left = 0;
    for (size_t i = 0; i < list->n; i++) {
        peg_item *it = &list->of[i];
        if (it->parts || keeps_limits(s, it, 1)) continue;
        left = it->left = s->item.of[it->within].left = 1;
    }
    return left;
}

static int watched_have_left(peg_search *s)
{
    int left = 0;
    for (size_t i = 0; i < s->watched; i++) {
        peg_item *it = s->watch[i];
        if (keeps_limits(s, it, 0)) continue;
        left = it->left = s->item.of[it->within].left = 1;
    }
    return left;
}

/* Whether any is beyond its limits: of a space, one of its parts. */
static int observe(peg_search *s, int fresh)
{
    unsigned long moves = peg_geom_moves();
    int moved = moves != s->moves;
    s->moves = moves;
    int wasteful = s->pairs > WASTE * s->near + FEW && s->run - s->limited >= WASTE_RUNS;
    if (begin(s) || fresh || wasteful) {
        s->limited = s->run;
        all_left(s);
        return 1;
    }
    return moved ? have_left(s, &s->part) | have_left(s, &s->item) : watched_have_left(s);
}

/* ---- pairs whose rooms overlap --------------------------------------------------------------- */

static void add_pair(void *context, int i, int j)
{
    peg_search *s = context;
    const peg_item *a = &s->item.of[i], *b = &s->item.of[j];
    if (a->geom == b->geom || (s->b && a->group == b->group)) return;
    if (a->body && a->body == b->body) return;
    struct peg_near *grown = peg_grow(s->pair, s->pairs + 1, &s->pair_room, sizeof *s->pair);
    if (!grown) {
        s->lost = 1;
        return;
    }
    s->pair = grown;
    s->pair[s->pairs++] = (struct peg_near){(size_t)i, (size_t)j};
}

static void sweep(peg_search *s)
{
    size_t n = s->item.n;
    peg_aabb *box = PEG_NEW(&s->arena, peg_aabb, n);
    unsigned char *fixed = PEG_NEW(&s->arena, unsigned char, n);
    if (!box || !fixed) {
        s->lost = 1;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        give_room(s, &s->item.of[i]);
        box[i] = s->item.of[i].room;
        fixed[i] = 0;
    }
    s->pairs = 0;
    if (!peg_sweep_pairs(&s->arena, NULL, box, fixed, (int)n, add_pair, s)) s->lost = 1;
    peg_arena_reset(&s->arena);
}

/* The items that one of a group may meet. */
static void others_of(const peg_search *s, int group, size_t *begin, size_t *end)
{
    *begin = s->b && group == 0 ? s->second : 0;
    *end = s->b && group == 1 ? s->second : s->item.n;
}

static void meet_others(peg_search *s, size_t i)
{
    const peg_item *a = &s->item.of[i];
    size_t begin, end;
    others_of(s, a->group, &begin, &end);
    for (size_t j = begin; j < end; j++) {
        const peg_item *b = &s->item.of[j];
        if (j == i || (b->left && j < i) || !peg_aabb_overlap(&a->room, &b->room)) continue;
        add_pair(s, (int)(i < j ? i : j), (int)(i < j ? j : i));
    }
}

static void meet_one_by_one(peg_search *s)
{
    const peg_item *of = s->item.of;
    size_t kept = 0;
    for (size_t i = 0; i < s->pairs; i++)
        if (!of[s->pair[i].a].left && !of[s->pair[i].b].left) s->pair[kept++] = s->pair[i];
    s->pairs = kept;
    for (size_t i = 0; i < s->item.n; i++)
        if (of[i].left) give_room(s, &s->item.of[i]);
    for (size_t i = 0; i < s->item.n; i++)
        if (of[i].left) meet_others(s, i);
}

RARE static void find_pairs(peg_search *s)
{
    size_t n = s->item.n;
    /* how often leavers meet others, one by one */
    size_t tests = 0, others[2];
    for (int group = 0; group < 2; group++) {
        size_t begin, end;
        others_of(s, group, &begin, &end);
        others[group] = end - begin;
    }
    for (size_t i = 0; i < s->item.n; i++)
        if (s->item.of[i].left) tests += others[s->item.of[i].group];
    if (tests <= FEW_EACH * n + FEW)
        meet_one_by_one(s);
    else
        sweep(s);
    for (size_t i = 0; i < n; i++) s->item.of[i].left = 0;
}

/* ---- pairs that are near --------------------------------------------------------------------- */

/* As they are, beyond the limits that they keep. */
static void measure(peg_search *s, peg_item *it)
{
    if (it->motion >= 0) return;
    it->motion = it->body ? peg_body_motion(&s->now, it->body, it->box) : it->most;
    if (!it->parts) it->size = peg_box_size(it->box);
}

static int are_near(const peg_item *a, const peg_item *b, double reach)
{
    for (int k = 0; k < 6; k += 2)
        if (a->box[k] - b->box[k + 1] > reach || b->box[k] - a->box[k + 1] > reach) return 0;
    return 1;
}

static int may_meet(dGeomID a, dGeomID b)
{
    return dGeomIsEnabled(a) && dGeomIsEnabled(b) &&
           ((dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) ||
            (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a)));
}

/* Boxes before the program's callback may change them. Those of geoms without body are known. */
static void see_pairs(peg_search *s)
{
    for (size_t i = 0; i < s->pairs; i++) {
        peg_item *a = &s->item.of[s->pair[i].a], *b = &s->item.of[s->pair[i].b];
        if (!a->rigid || a->body) see_box(s, a);
        if (!b->rigid || b->body) see_box(s, b);
    }
}

/* Geoms without bodies are those of a program that only collides: ODE's pairs are all it gets. */
static int can_move(const peg_item *it)
{
    return it->body || it->parts;
}

/* The program's callback, which calls from outside. */
static void call_near(dNearCallback *near, void *data, dGeomID a, dGeomID b)
{
    int inside = peg_inside;
    peg_inside = 0;
    near(data, a, b);
    peg_inside = inside;
}

static void visit(peg_search *s, const struct peg_near *pair, void *data, dNearCallback *near)
{
    peg_item *a = &s->item.of[pair->a], *b = &s->item.of[pair->b];
    if (!are_near(a, b, a->reach + b->reach)) return;
    if (!are_near(a, b, 0)) {
        measure(s, a);
        measure(s, b);
        if (!can_move(a) && !can_move(b)) return;
        double margin = margin_of(fmin(a->size, b->size));
        if (!are_near(a, b, a->motion + b->motion + margin)) return;
    }
    if (!may_meet(a->geom, b->geom)) return;
    s->near++;
    call_near(near, data, a->geom, b->geom);
}

RARE static void tell_loss(peg_search *s)
{
    peg_log("out of memory: pairs are lost");
    s->lost = 0;
}

__attribute__((noinline)) static void visit_all(peg_search *s, void *data, dNearCallback *near)
{
    see_pairs(s);
    s->near = 0;
    for (size_t i = 0; i < s->pairs; i++) visit(s, &s->pair[i], data, near);
}

void peg_search_run(peg_search *s, void *data, dNearCallback *near)
{
    int fresh = !is_valid(s);
    if (fresh) collect(s);
    s->run++;
    int left = observe(s, fresh);
    if (left && !s->lost) find_pairs(s);
    s->valid = s->lasting && !s->lost;
    if (s->lost) tell_loss(s);
    if (s->pairs) visit_all(s, data, near);
}
