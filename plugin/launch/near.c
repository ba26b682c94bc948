/* dSpaceCollide and dSpaceCollide2: the pairs of boxes that overlap, as ODE reports them, and those
 * that could in the coming step. The step's length is that of the step before.
 *
 * A pair must be met before its parts overlap, and only while the program is collecting pairs may
 * its callback be called: what it is given as data need not live longer. */
#include "peg/sweep.h"
#include "plugin/launch/launch.h"

/* A geom or space, as the broad phase sees it. */
typedef struct item {
    dGeomID geom;
    dBodyID body;
    double motion; /* m, in the coming step */
    double size;   /* m */
    int group;     /* of dSpaceCollide2: only pairs of different groups count */
} item;

/* ---- how far things get ---------------------------------------------------------------------- */

double peg_box_size(const dReal box[6])
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (box[2 * k + 1] - box[2 * k]) * (box[2 * k + 1] - box[2 * k]);
    return .5 * sqrt(square);
}

static double length_of(const dReal v[3])
{
    double square = peg_dot(v, v);
    return square > 0 ? sqrt(square) : 0;
}

/* What all bodies of a world have in common. */
typedef struct common {
    dWorldID world;
    double h, falling; /* s; m/s that gravity adds in a step */
} common;

static void look_up(common *c, dWorldID world)
{
    dVector3 g;
    peg_ward *ward = peg_ward_of(world);
    dWorldGetGravity(world, g);
    c->world = world;
    c->h = ward ? ward->h : 0;
    c->falling = c->h * length_of(g);
}

static double motion_of(common *c, dBodyID body, const dReal box[6])
{
    if (!dBodyIsEnabled(body)) return 0;
    if (dBodyGetWorld(body) != c->world) look_up(c, dBodyGetWorld(body));
    double speed = length_of(dBodyGetLinearVel(body));
    double turn = length_of(dBodyGetAngularVel(body));
    if (!dBodyIsKinematic(body)) {
        double push = length_of(dBodyGetForce(body));
        dMass mass;
        if (c->falling > 0 && dBodyGetGravityMode(body)) speed += c->falling;
        if (push > 0) {
            dBodyGetMass(body, &mass);
            speed += c->h * push / mass.mass;
        }
    }
    if (turn > 0) {
        const dReal *x = dBodyGetPosition(body);
        double far = 0; /* squared distance of the box's farthest corner */
        for (int k = 0; k < 3; k++) {
            double arm = fmax(x[k] - box[2 * k], box[2 * k + 1] - x[k]);
            far += arm * arm;
        }
        speed += turn * sqrt(far);
    }
    return PEG_NEAR_MOTION * c->h * speed;
}

double peg_geom_motion(dGeomID geom, const dReal box[6])
{
    common c = {NULL, 0, 0};
    dBodyID body = dGeomGetBody(geom);
    return body ? motion_of(&c, body, box) : 0;
}

/* ---- the items of a space -------------------------------------------------------------------- */

typedef struct items {
    struct items *next; /* in the pool */
    peg_arena arena;
    item *of;
    peg_aabb *box; /* as ODE has them */
    size_t n, room;
    int lost;   /* memory ran out */
    common now; /* of the body that was met last */
} items;

typedef void each_function(void *context, dGeomID geom);

typedef struct probe {
    dGeomID geom;
    each_function *each;
    void *context;
} probe;

static void meet_probe(void *data, dGeomID a, dGeomID b)
{
    const probe *p = data;
    p->each(p->context, a == p->geom ? b : a);
}

/* dSpaceGetGeom aborts for quad-tree spaces; a sphere that fills the world meets their geoms. */
static void each_by_probe(dSpaceID space, each_function *each, void *context)
{
    probe p = {dCreateSphere(NULL, dInfinity), each, context};
    peg_ode->dSpaceCollide2(p.geom, (dGeomID)space, &p, meet_probe);
    peg_ode->dGeomDestroy(p.geom);
}

void peg_each_geom(dSpaceID space, each_function *each, void *context)
{
    if (dSpaceGetClass(space) == dQuadTreeSpaceClass) {
        each_by_probe(space, each, context);
        return;
    }
    int n = dSpaceGetNumGeoms(space);
    for (int i = 0; i < n; i++) each(context, dSpaceGetGeom(space, i));
}

/* Largest motion and size in a space. */
static void widen(void *context, dGeomID geom)
{
    item *it = context;
    dReal box[6];
    if (!dGeomIsEnabled(geom)) return;
    if (dGeomIsSpace(geom)) {
        peg_each_geom((dSpaceID)geom, widen, it);
        return;
    }
    dGeomGetAABB(geom, box);
    it->motion = fmax(it->motion, peg_geom_motion(geom, box));
    it->size = fmax(it->size, peg_box_size(box));
}

static int make_room(items *list)
{
    if (list->n < list->room) return 1;
    size_t room = list->room ? 2 * list->room : 64;
    item *of = peg_realloc(list->of, room * sizeof *of);
    if (of) list->of = of;
    peg_aabb *box = of ? peg_realloc(list->box, room * sizeof *box) : NULL;
    if (!box) {
        list->lost = 1;
        return 0;
    }
    list->box = box;
    list->room = room;
    return 1;
}

static void add(items *list, dGeomID geom, int group)
{
    dReal box[6];
    if (!dGeomIsEnabled(geom) || !make_room(list)) return;
    item *it = &list->of[list->n];
    *it = (item){.geom = geom, .group = group};
    dGeomGetAABB(geom, box);
    if (dGeomIsSpace(geom)) {
        widen(it, geom);
    } else {
        it->body = dGeomGetBody(geom);
        if (it->body) it->motion = motion_of(&list->now, it->body, box);
        it->size = peg_box_size(box);
    }
    peg_aabb *b = &list->box[list->n++];
    for (int k = 0; k < 3; k++) {
        b->lo[k] = box[2 * k];
        b->hi[k] = box[2 * k + 1];
    }
}

static void add_to_first(void *context, dGeomID geom)
{
    add(context, geom, 0);
}

static void add_to_second(void *context, dGeomID geom)
{
    add(context, geom, 1);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct search {
    items *list;
    int two_groups;
    void *data;
    dNearCallback *near;
} search;

void peg_call_near(dNearCallback *near, void *data, dGeomID a, dGeomID b)
{
    int inside = peg_inside;
    peg_inside = 0;
    near(data, a, b);
    peg_inside = inside;
}

static int bits_match(dGeomID a, dGeomID b)
{
    return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) ||
           (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
}

/* How far apart the boxes may lie. */
static double reach_of(const item *a, const item *b)
{
    double size = fmin(a->size, b->size);
    return a->motion + b->motion + (isfinite(size) ? PEG_NEAR_MARGIN * size : 0);
}

static void visit(void *context, int i, int j)
{
    const search *s = context;
    const item *a = &s->list->of[i], *b = &s->list->of[j];
    const peg_aabb *p = &s->list->box[i], *q = &s->list->box[j];
    if (a->geom == b->geom || (s->two_groups && a->group == b->group)) return;
    if ((a->body && a->body == b->body) || !bits_match(a->geom, b->geom)) return;
    double reach = reach_of(a, b);
    for (int k = 0; k < 3; k++)
        if (p->lo[k] - q->hi[k] > reach || q->lo[k] - p->hi[k] > reach) return;
    peg_call_near(s->near, s->data, a->geom, b->geom);
}

/* Calls near for all pairs; the callback may start searches of its own. */
static void search_pairs(items *list, int two_groups, void *data, dNearCallback *near)
{
    search s = {list, two_groups, data, near};
    peg_aabb *wide = PEG_NEW(&list->arena, peg_aabb, list->n + 1);
    unsigned char *fixed = PEG_NEW(&list->arena, unsigned char, list->n + 1);
    if (!wide || !fixed || list->lost) {
        peg_log("out of memory: pairs are lost");
        return;
    }
    for (size_t i = 0; i < list->n; i++) {
        const item *it = &list->of[i];
        double by = it->motion + (isfinite(it->size) ? PEG_NEAR_MARGIN * it->size : 0);
        wide[i] = list->box[i];
        fixed[i] = 0;
        for (int k = 0; k < 3; k++) {
            wide[i].lo[k] -= by;
            wide[i].hi[k] += by;
        }
    }
    if (!peg_sweep_pairs(&list->arena, wide, fixed, (int)list->n, visit, &s))
        peg_log("out of memory: pairs are lost");
}

/* Lists that are not in use: a search takes one, and one of its callbacks may take another. */
static struct {
    pthread_mutex_t lock;
    items *first;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Null without memory, which is said. */
static items *take_list(void)
{
    pthread_mutex_lock(&pool.lock);
    items *list = pool.first;
    if (list) pool.first = list->next;
    pthread_mutex_unlock(&pool.lock);
    if (!list) list = peg_alloc_zero(1, sizeof *list);
    if (!list) peg_log("out of memory: pairs are lost");
    return list;
}

static void give_back(items *list)
{
    peg_arena_reset(&list->arena);
    list->n = 0;
    list->lost = 0;
    list->now.world = NULL;
    pthread_mutex_lock(&pool.lock);
    list->next = pool.first;
    pool.first = list;
    pthread_mutex_unlock(&pool.lock);
}

void peg_space_collide(dSpaceID space, void *data, dNearCallback *near)
{
    if (peg_inside) {
        peg_ode->dSpaceCollide(space, data, near);
        return;
    }
    if (peg_launch_options.trace) peg_trace_space(space);
    items *list = take_list();
    if (!list) return;
    dSpaceClean(space);
    peg_each_geom(space, add_to_first, list);
    search_pairs(list, 0, data, near);
    give_back(list);
}

static void add_all(items *list, dGeomID geom, int group)
{
    if (dGeomIsSpace(geom))
        peg_each_geom((dSpaceID)geom, group ? add_to_second : add_to_first, list);
    else
        add(list, geom, group);
}

void peg_space_collide2(dGeomID a, dGeomID b, void *data, dNearCallback *near)
{
    if (peg_inside) {
        peg_ode->dSpaceCollide2(a, b, data, near);
        return;
    }
    if (a == b && dGeomIsSpace(a)) {
        peg_space_collide((dSpaceID)a, data, near);
        return;
    }
    items *list = take_list();
    if (!list) return;
    add_all(list, a, 0);
    add_all(list, b, 1);
    search_pairs(list, 1, data, near);
    give_back(list);
}
