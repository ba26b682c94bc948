/* Random sequences of calls: null pointers, numbers that are not finite, memory that runs out,
 * objects that come and go. Nothing crashes, ODE does not abort, and statuses are those of the
 * header. API_FUZZ: how many sequences [300], API_FUZZ_FIRST: the first seed [1]. */
#include "peg/base/arena.h"
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CALLS = 50, THINGS = 12, PARTS = 20 };

typedef struct state {
    uint64_t random;
    dWorldID world;
    dSpaceID space, other;
    pegWorldID peg;
    dBodyID body[THINGS];
    dGeomID geom[THINGS];
    dJointID joint[THINGS];
    int bodies, geoms, joints;
    int pending;          /* pairs were added: their geoms must live until the step */
    int spoiled;          /* a body or geom holds what is not finite */
    unsigned char *saved; /* a state, or null */
    size_t saved_size;
    const char *broken; /* the first promise that did not hold, or null */
} state;

#define PROMISE(condition) ((condition) || s->broken ? (void)0 : (void)(s->broken = #condition))

static uint64_t next(state *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    return s->random ^= s->random << 17;
}

static int below(state *s, int n)
{
    return (int)(next(s) >> 33) % n;
}

/* Mostly sensible, now and then beyond. */
static double number(state *s)
{
    static const double odd[] = {0, -1, 1e-320, 1e308, -1e200, NAN, INFINITY};
    if (below(s, 25) == 0) return odd[below(s, (int)(sizeof odd / sizeof *odd))];
    return (double)(next(s) >> 11) * 0x1p-53 * 4 - 2;
}

static double size(state *s)
{
    return .1 + (double)(next(s) >> 11) * 0x1p-53;
}

#define ANY(list, count) (below(s, 8) == 0 || !(count) ? NULL : (list)[below(s, count)])

static int all_finite(const dReal *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static void add_geom(state *s)
{
    if (s->geoms == THINGS) return;
    dSpaceID in = below(s, 4) ? s->space : below(s, 2) ? s->other : NULL;
    dGeomID geom = NULL;
    switch (below(s, 6)) {
    case 0:
        geom = dCreateSphere(in, size(s));
        break;
    case 1:
        geom = dCreateBox(in, size(s), size(s), size(s));
        break;
    case 2:
        geom = dCreateCapsule(in, .5 * size(s), size(s));
        break;
    case 3:
        geom = dCreateCylinder(in, .5 * size(s), size(s));
        break;
    case 4:
        geom = dCreatePlane(in, 0, 0, 1, -3);
        break;
    case 5:
        geom = dCreateRay(in, size(s));
        break;
    }
    s->geom[s->geoms++] = geom;
    if (s->bodies && dGeomGetClass(geom) != dPlaneClass && below(s, 5))
        dGeomSetBody(geom, s->body[below(s, s->bodies)]);
}

static void remove_geom(state *s)
{
    if (s->geoms && !s->pending) dGeomDestroy(s->geom[--s->geoms]);
}

static void add_body(state *s)
{
    if (s->bodies == THINGS) return;
    dBodyID body = dBodyCreate(s->world);
    dBodySetPosition(body, 3 * size(s), 3 * size(s), 3 * size(s));
    if (below(s, 8) == 0) dBodySetKinematic(body);
    if (below(s, 4) == 0) dBodySetAutoDisableFlag(body, 1);
    s->body[s->bodies++] = body;
}

static void move_body(state *s)
{
    dBodyID body = s->bodies ? s->body[below(s, s->bodies)] : NULL;
    double v[3] = {number(s), number(s), number(s)};
    if (!body) return;
    s->spoiled |= !all_finite(v, 3);
    switch (below(s, 5)) {
    case 0:
        dBodySetPosition(body, v[0], v[1], v[2]);
        break;
    case 1:
        dBodySetLinearVel(body, v[0], v[1], v[2]);
        break;
    case 2:
        dBodySetAngularVel(body, v[0], v[1], v[2]);
        break;
    case 3:
        dBodyAddForce(body, v[0], v[1], v[2]);
        break;
    case 4:
        dBodyAddTorque(body, v[0], v[1], v[2]);
        break;
    }
}

static void add_joint(state *s)
{
    if (s->joints == THINGS || s->bodies < 2) return;
    dBodyID a = s->body[below(s, s->bodies)], b = s->body[below(s, s->bodies)];
    dJointID joint = below(s, 2) ? dJointCreateBall(s->world, 0) : dJointCreateHinge(s->world, 0);
    dJointAttach(joint, a, a == b ? NULL : b);
    s->joint[s->joints++] = joint;
}

static dSurfaceParameters surface(state *s)
{
    dSurfaceParameters f = {.mode = below(s, 1 << 14)};
    dReal *const of[] = {&f.mu,     &f.mu2,      &f.rho,      &f.rho2,      &f.rhoN,
                         &f.bounce, &f.soft_erp, &f.soft_cfm, &f.motion1,   &f.motion2,
                         &f.slip1,  &f.slip2,    &f.motionN,  &f.bounce_vel};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        *of[i] = below(s, 20) ? fabs(number(s)) : number(s);
    return f;
}

static int is_status(pegStatus status)
{
    return status >= PEG_OK && status < PEG_STATUS_COUNT;
}

static void hear(void *data, const pegMessage *message)
{
    state *s = data;
    PROMISE(message->text && *message->text && is_status(message->status));
}

/* On an error nothing has moved; after a step all is finite. */
static void step(state *s)
{
    dReal before[THINGS][3];
    s->pending = 0;
    double h = below(s, 10) ? .01 : number(s);
    for (int i = 0; i < s->bodies; i++)
        memcpy(before[i], dBodyGetPosition(s->body[i]), sizeof before[i]);
    int starved = below(s, 6) == 0;
    if (starved) peg_memory_fail_at(1 + below(s, 30), below(s, 2));
    pegStatus status = below(s, 3) ? pegWorldStep(s->peg, h) : pegWorldQuickStep(s->peg, h);
    peg_memory_fail_at(0, 0);
    PROMISE(is_status(status));
    PROMISE(starved || status != PEG_ERROR_MEMORY);
    for (int i = 0; i < s->bodies; i++) {
        if (status != PEG_OK)
            PROMISE(!memcmp(before[i], dBodyGetPosition(s->body[i]), sizeof before[i]));
        else if (dBodyIsEnabled(s->body[i]))
            PROMISE(all_finite(dBodyGetPosition(s->body[i]), 3) &&
                    all_finite(dBodyGetQuaternion(s->body[i]), 4));
    }
}

static void see_body(void *data, dBodyID body, int island, int asleep, unsigned colour)
{
    state *s = data;
    (void)colour;
    PROMISE(asleep == !dBodyIsEnabled(body));
    PROMISE(island >= -1);
}

static void see_polygon(void *data, pegDrawKind kind, const dVector3 *corner, int corners,
                        unsigned colour)
{
    state *s = data;
    (void)colour;
    PROMISE(kind == PEG_DRAW_FACET);
    for (int i = 0; i < corners; i++) PROMISE(all_finite(corner[i], 3));
}

static void ask(state *s)
{
    pegContact c[4];
    pegContactForce sum;
    pegContactEvent event;
    pegStats stats;
    pegSettings settings;
    pegWorldID peg = below(s, 10) ? s->peg : NULL;
    pegWorldGetStats(peg, below(s, 8) ? &stats : NULL);
    pegWorldGetTotals(peg, below(s, 8) ? &stats : NULL);
    pegWorldGetSettings(peg, below(s, 8) ? &settings : NULL);
    pegWorldGetBodyForce(peg, ANY(s->body, s->bodies), &sum, c, 4);
    pegWorldGetPairForce(peg, ANY(s->geom, s->geoms), ANY(s->geom, s->geoms),
                         below(s, 2) ? &sum : NULL, c, below(s, 6) - 1);
    pegWorldGetContactEvent(peg, below(s, 4) - 1, below(s, 8) ? &event : NULL);
    pegWorldGetContact(peg, below(s, 6) - 1, below(s, 8) ? c : NULL);
    PROMISE(pegWorldGetContactCount(peg) >= 0);
    pegDebugDraw draw = {
        .kinds = (unsigned)below(s, 40), .body = see_body, .polygon = see_polygon, .data = s};
    pegWorldDebugDraw(peg, below(s, 8) ? &draw : NULL);
    pegPairCollisionMode(ANY(s->geom, s->geoms), ANY(s->geom, s->geoms));
    pegClassCollisionMode(below(s, 40) - 5, below(s, 40) - 5);
    PROMISE(pegStatusMessage((pegStatus)(below(s, 60) - 20)));
}

static void add_pair(state *s)
{
    dSurfaceParameters f = surface(s);
    dContact contact = {.surface = f};
    contact.geom.g1 = ANY(s->geom, s->geoms);
    contact.geom.g2 = ANY(s->geom, s->geoms);
    for (int k = 0; k < 3; k++) contact.fdir1[k] = number(s);
    dJointFeedback *none = NULL;
    s->pending = 1;
    pegStatus status =
        below(s, 2)
            ? pegWorldAddPair(s->peg, contact.geom.g1, contact.geom.g2, below(s, 3) ? &f : NULL)
            : pegWorldAddPairContact(s->peg, below(s, 8) ? &contact : NULL, none);
    PROMISE(is_status(status));
}

static void set(state *s)
{
    pegSettings settings;
    dSurfaceParameters f = surface(s);
    pegWorldGetSettings(s->peg, &settings);
    settings.margin = below(s, 4) ? settings.margin : number(s);
    settings.soft_contacts = (pegSoftContacts)(below(s, 5) - 1);
    settings.narrow_phase = (pegNarrowPhase)(below(s, 4) - 1);
    settings.relative_rotation = below(s, 4) ? settings.relative_rotation : number(s);
    settings.mesh_search = (pegMeshSearch)(below(s, 4) - 1);
    settings.max_outer_iterations = below(s, 250);
    settings.friction_directions = below(s, 20);
    PROMISE(is_status(pegWorldSetSettings(s->peg, below(s, 8) ? &settings : NULL)));
    PROMISE(is_status(pegWorldSetDefaultSurface(s->peg, below(s, 4) ? &f : NULL)));
    PROMISE(is_status(pegWorldSetContactEvents(s->peg, below(s, 2))));
    PROMISE(is_status(pegWorldAddSpace(s->peg, below(s, 2) ? s->space : s->other)));
    PROMISE(is_status(pegWorldRemoveSpace(s->peg, below(s, 3) ? NULL : s->other)));
    pegWorldSetMessageHandler(s->peg, s, below(s, 4) ? hear : NULL);
    pegWorldSetNearCallback(s->peg, s->peg, below(s, 2) ? pegNearCallback : NULL);
}

/* States are taken back at once, or when other things have happened, or damaged. */
static void keep_state(state *s)
{
    size_t size = s->saved_size;
    if (!s->saved || below(s, 3) == 0) {
        free(s->saved);
        s->saved = NULL;
        if (pegWorldSaveState(s->peg, NULL, &size) != PEG_OK) return;
        s->saved = malloc(size);
        s->saved_size = size;
        PROMISE(is_status(pegWorldSaveState(s->peg, below(s, 20) ? s->saved : NULL, &size)));
    }
    if (below(s, 4) == 0) s->saved[(size_t)below(s, (int)s->saved_size)] ^= 4;
    if (below(s, 2)) PROMISE(is_status(pegWorldRestoreState(s->peg, s->saved, s->saved_size)));
}

static void tell_joint(state *s)
{
    dJointID joint = ANY(s->joint, s->joints);
    PROMISE(is_status(pegJointSetReferencePose(s->peg, joint)));
    PROMISE(is_status(pegJointSetLMotorAxis(s->peg, joint, below(s, 5) - 1, below(s, 5) - 1)));
    PROMISE(
        is_status(pegJointSetPlane2DParam(s->peg, joint, below(s, 5) - 1, dParamVel, number(s))));
}

static void collide(state *s)
{
    s->pending = 1;
    dSpaceCollide(s->space, s->peg, &pegNearCallback);
    pegNearCallback(s->peg, ANY(s->geom, s->geoms), ANY(s->geom, s->geoms));
}

static void call(state *s)
{
    static void (*const calls[])(state *) = {add_geom,   add_body, move_body,  add_joint,
                                             step,       step,     ask,        add_pair,
                                             keep_state, set,      tell_joint, remove_geom};
    int which = below(s, (int)(sizeof calls / sizeof *calls) + 1);
    /* ODE's own broad phase aborts on boxes that are not finite */
    if (which < (int)(sizeof calls / sizeof *calls))
        calls[which](s);
    else if (!s->spoiled)
        collide(s);
}

/* The first promise that did not hold, or null. */
static const char *run_sequence(uint64_t seed)
{
    state one = {.random = seed * 2654435769u + 88172645463325252u}, *s = &one;
    s->world = dWorldCreate();
    s->space = dSimpleSpaceCreate(NULL);
    s->other = dHashSpaceCreate(NULL);
    dWorldSetGravity(s->world, 0, 0, -9.81);
    s->peg = pegWorldCreate(s->world, NULL);
    PROMISE(s->peg);
    PROMISE(!pegWorldCreate(s->world, NULL));
    pegWorldAddSpace(s->peg, s->space);
    for (int i = 0; i < CALLS; i++) call(s);
    free(s->saved);
    pegWorldDestroy(s->peg);
    s->pending = 0;
    while (s->geoms) remove_geom(s);
    dSpaceDestroy(s->space);
    dSpaceDestroy(s->other);
    dWorldDestroy(s->world);
    return s->broken;
}

START_TEST(random_calls)
{
    const char *count = getenv("API_FUZZ"), *from = getenv("API_FUZZ_FIRST");
    long n = count ? strtol(count, NULL, 10) : 300, first = from ? strtol(from, NULL, 10) : 1;
    for (long i = _i; i < n; i += PARTS) {
        const char *broken = run_sequence((uint64_t)(first + i));
        ck_assert_msg(!broken, "sequence %ld: not %s", first + i, broken);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("api fuzz");
    TCase *tests = tcase_create("random calls");
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_set_timeout(tests, 3600);
    tcase_add_loop_test(tests, random_calls, 0, PARTS);
    suite_add_tcase(suite, tests);
    return suite;
}
