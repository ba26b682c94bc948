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

typedef struct items {
    peg_arena arena;
    item *of;
    peg_aabb *box; /* as ODE has them */
    size_t n, room;
    int lost; /* memory ran out */
} items;

/* ---- how far things get ---------------------------------------------------------------------- */

double peg_box_size(const dReal box[6])
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (box[2 * k + 1] - box[2 * k]) * (box[2 * k + 1] - box[2 * k]);
    return .5 * sqrt(square);
}

double peg_geom_motion(dGeomID geom, const dReal box[6])
{
    dBodyID body = dGeomGetBody(geom);
    peg_ward *ward = peg_ward_of_body(body);
    if (!ward || !dBodyIsEnabled(body)) return 0;
    double h = ward->h, speed = peg_norm(dBodyGetLinearVel(body));
    double turn = peg_norm(dBodyGetAngularVel(body));
    if (!dBodyIsKinematic(body)) {
        const dReal *f = dBodyGetForce(body);
        dVector3 g = {0};
        dMass mass;
        if (dBodyGetGravityMode(body)) dWorldGetGravity(ward->world, g);
        speed += h * peg_norm(g);
        if (f[0] != 0 || f[1] != 0 || f[2] != 0) {
            dBodyGetMass(body, &mass);
            speed += h * peg_norm(f) / mass.mass;
        }
    }
    if (turn > 0) {
        const dReal *x = dBodyGetPosition(body);
        double arm[3];
        for (int k = 0; k < 3; k++) arm[k] = .5 * (box[2 * k] + box[2 * k + 1]) - x[k];
        speed += turn * (peg_norm(arm) + peg_box_size(box));
    }
    return PEG_NEAR_MOTION * h * speed;
}

/* ---- the items of a space -------------------------------------------------------------------- */

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
        it->motion = peg_geom_motion(geom, box);
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

static void release(items *list)
{
    peg_arena_free(&list->arena);
    peg_free(list->of);
    peg_free(list->box);
}

void peg_space_collide(dSpaceID space, void *data, dNearCallback *near)
{
    items list = {0};
    if (peg_inside) {
        peg_ode->dSpaceCollide(space, data, near);
        return;
    }
    if (peg_launch_options()->trace) peg_trace_space(space);
    dSpaceClean(space);
    peg_each_geom(space, add_to_first, &list);
    search_pairs(&list, 0, data, near);
    release(&list);
}

void peg_space_collide2(dGeomID a, dGeomID b, void *data, dNearCallback *near)
{
    items list = {0};
    if (peg_inside) {
        peg_ode->dSpaceCollide2(a, b, data, near);
        return;
    }
    int space_a = dGeomIsSpace(a), space_b = dGeomIsSpace(b);
    if (a == b && space_a) {
        peg_space_collide((dSpaceID)a, data, near);
        return;
    }
    if (space_a)
        peg_each_geom((dSpaceID)a, add_to_first, &list);
    else
        add(&list, a, 0);
    if (space_b)
        peg_each_geom((dSpaceID)b, add_to_second, &list);
    else
        add(&list, b, 1);
    search_pairs(&list, 1, data, near);
    release(&list);
}
