/* Saved and restored states: a run that goes on from one has the same bits as the run that went on;
 * what is no state is refused and changes nothing. */
#include "peg/base/arena.h"
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 24, STEPS = 60 };
static const double H = .01;

typedef struct scene {
    dWorldID world;
    dSpaceID space, nested;
    pegWorldID peg;
    dTriMeshDataID mesh;
    dBodyID body[BODIES];
    dJointID joint[3];
    int quick;
} scene;

static scene S;

static dGeomID add_geom(scene *s, int i)
{
    dSpaceID space = i % 5 ? s->space : s->nested;
    if (i % 4 == 0) return dCreateSphere(space, .2);
    if (i % 4 == 1) return dCreateCylinder(space, .2, .3);
    return i % 4 == 2 ? dCreateCapsule(space, .15, .3) : dCreateBox(space, .4, .3, .35);
}

static void add_floor(scene *s)
{
    static const dReal at[] = {-9, -9, 0, 9, -9, 0, 0, 12, 0};
    static const dTriIndex corner[] = {0, 1, 2};
    s->mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(s->mesh, at, 3 * sizeof *at, 3, corner, 3, 3 * sizeof *corner);
    dCreateTriMesh(s->space, s->mesh, NULL, NULL, NULL);
    dGeomID wall = dCreateBox(s->space, .2, 4, 2);
    dGeomSetPosition(wall, 1.5, 0, 1);
}

/* Bodies that fall onto a mesh, some of them linked by joints, one driven, some that are put to
 * sleep when they rest. */
static void open_scene(scene *s, int quick)
{
    *s = (scene){.world = dWorldCreate(), .space = dHashSpaceCreate(NULL), .quick = quick};
    s->nested = dSimpleSpaceCreate(s->space);
    dWorldSetGravity(s->world, 0, 0, -9.81);
    s->peg = pegWorldCreate(s->world, NULL);
    pegWorldAddSpace(s->peg, s->space);
    pegWorldSetDefaultSurface(s->peg, &(dSurfaceParameters){.mode = dContactApprox1, .mu = .5});
    add_floor(s);
    for (int i = 0; i < BODIES; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1 + .1 * i, .4, .3, .35);
        s->body[i] = dBodyCreate(s->world);
        dBodySetMass(s->body[i], &mass);
        dGeomSetBody(add_geom(s, i), s->body[i]);
        dBodySetPosition(s->body[i], .5 * (i % 3) - .5, .6 * (i / 3 % 3) - .6, .4 + .6 * (i / 9));
        dQuaternion q;
        dQFromAxisAndAngle(q, 1, i, 2, .4 * i);
        dBodySetQuaternion(s->body[i], q);
        if (i > 5) dBodySetAutoDisableFlag(s->body[i], i % 2);
    }
    for (int i = 0; i < 3; i++) {
        s->joint[i] = i ? dJointCreateHinge(s->world, NULL) : dJointCreateFixed(s->world, NULL);
        dJointAttach(s->joint[i], s->body[2 * i], s->body[2 * i + 1]);
        if (!i) dJointSetFixed(s->joint[i]);
        pegJointSetReferencePose(s->peg, s->joint[i]);
    }
    dBodySetKinematic(s->body[20]);
    dBodySetLinearVel(s->body[20], .1, 0, 0);
}

static void close_scene(scene *s)
{
    pegWorldDestroy(s->peg);
    dSpaceDestroy(s->space);
    dGeomTriMeshDataDestroy(s->mesh);
    dWorldDestroy(s->world);
}

static void advance(scene *s, int steps)
{
    for (int i = 0; i < steps; i++)
        ck_assert_int_eq(s->quick ? pegWorldQuickStep(s->peg, H) : pegWorldStep(s->peg, H), PEG_OK);
}

/* Everything that a program sees of the bodies, as bits. */
typedef struct view {
    struct {
        double x[3], q[4], R[12], v[3], w[3];
        int enabled;
    } of[BODIES];
    unsigned long seed;
} view;

static view look(const scene *s)
{
    view all;
    memset(&all, 0, sizeof all);
    for (int i = 0; i < BODIES; i++) {
        memcpy(all.of[i].x, dBodyGetPosition(s->body[i]), sizeof all.of[i].x);
        memcpy(all.of[i].q, dBodyGetQuaternion(s->body[i]), sizeof all.of[i].q);
        memcpy(all.of[i].R, dBodyGetRotation(s->body[i]), sizeof all.of[i].R);
        memcpy(all.of[i].v, dBodyGetLinearVel(s->body[i]), sizeof all.of[i].v);
        memcpy(all.of[i].w, dBodyGetAngularVel(s->body[i]), sizeof all.of[i].w);
        all.of[i].enabled = dBodyIsEnabled(s->body[i]);
    }
    all.seed = dRandGetSeed();
    return all;
}

static int is_view(const scene *s, const view *wanted)
{
    view now = look(s);
    return !memcmp(&now, wanted, sizeof now);
}

static void *save(const scene *s, size_t *size, pegStatus expected)
{
    ck_assert_int_eq(pegWorldSaveState(s->peg, NULL, size), PEG_OK);
    void *state = malloc(*size);
    ck_assert_int_eq(pegWorldSaveState(s->peg, state, size), expected);
    return state;
}

static void set_up(void)
{
    dInitODE();
    dRandSetSeed(7);
    open_scene(&S, 0);
}

static void tear_down(void)
{
    close_scene(&S);
    dCloseODE();
}

/* --- the same bits --- */

/* While they fall, while they slide, when most rest and some sleep. */
static const int AT[] = {5, 60, 500};
enum { TIMES = sizeof AT / sizeof *AT };

/* How many steps after a restored state were the same as before, in two turns. */
static int steps_that_agree(int quick, int from)
{
    size_t size;
    if (quick) {
        close_scene(&S);
        open_scene(&S, 1);
    }
    advance(&S, from);
    view start = look(&S);
    int asleep = 0;
    for (int i = 0; i < BODIES; i++) asleep += !start.of[i].enabled;
    ck_assert_int_eq(asleep > 0, from == AT[TIMES - 1]);
    void *state = save(&S, &size, PEG_OK);
    int agree = 0;
    view way[STEPS];
    for (int i = 0; i < STEPS; i++) {
        advance(&S, 1);
        way[i] = look(&S);
    }
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(pegWorldRestoreState(S.peg, state, size), PEG_OK);
        ck_assert(is_view(&S, &start));
        ck_assert_int_eq(pegWorldGetContactCount(S.peg), 0);
        for (int i = 0; i < STEPS; i++) {
            advance(&S, 1);
            agree += is_view(&S, &way[i]);
        }
    }
    free(state);
    return agree;
}

START_TEST(goes_on)
{
    ck_assert_int_eq(steps_that_agree(0, AT[_i]), 2 * STEPS);
}
END_TEST

START_TEST(goes_on_with_quickstep)
{
    ck_assert_int_eq(steps_that_agree(1, AT[_i]), 2 * STEPS);
}
END_TEST

/* As in a process that was started anew. */
START_TEST(goes_on_in_a_new_world)
{
    size_t size;
    advance(&S, AT[_i]);
    void *state = save(&S, &size, PEG_OK);
    advance(&S, STEPS);
    view end = look(&S);
    scene old = S;
    open_scene(&S, 0); /* beside the old one, so that no address is the same */
    ck_assert_int_eq(pegWorldRestoreState(S.peg, state, size), PEG_OK);
    advance(&S, STEPS);
    ck_assert(is_view(&S, &end));
    close_scene(&old);
    free(state);
}
END_TEST

/* A quarter of quaternions change in their last bits when ODE scales them; without what the peg
 * world keeps the run comes out otherwise: else the tests above would show little. */
START_TEST(needs_what_is_kept)
{
    advance(&S, AT[1]);
    view start = look(&S);
    advance(&S, STEPS);
    view end = look(&S);
    close_scene(&S);
    open_scene(&S, 0);
    int scaled = 0;
    for (int i = 0; i < BODIES; i++) {
        dBodySetPosition(S.body[i], start.of[i].x[0], start.of[i].x[1], start.of[i].x[2]);
        dBodySetQuaternion(S.body[i], start.of[i].q);
        dBodySetLinearVel(S.body[i], start.of[i].v[0], start.of[i].v[1], start.of[i].v[2]);
        dBodySetAngularVel(S.body[i], start.of[i].w[0], start.of[i].w[1], start.of[i].w[2]);
        scaled += memcmp(dBodyGetQuaternion(S.body[i]), start.of[i].q, sizeof start.of[i].q) != 0;
    }
    ck_assert_int_gt(scaled, 0);
    advance(&S, STEPS);
    view other = look(&S);
    ck_assert_int_ne(memcmp(&other, &end, sizeof end), 0);
}
END_TEST

START_TEST(saving_changes_nothing)
{
    size_t size;
    advance(&S, AT[1] + STEPS);
    view end = look(&S);
    close_scene(&S);
    dRandSetSeed(7);
    open_scene(&S, 0);
    for (int i = 0; i < AT[1] + STEPS; i++) {
        advance(&S, 1);
        free(save(&S, &size, PEG_OK));
    }
    ck_assert(is_view(&S, &end));
}
END_TEST

/* --- what is refused --- */

/* 1: the status is the given one and nothing of the scene has changed. */
static int is_refused(const void *state, size_t size, pegStatus status)
{
    view before = look(&S);
    return pegWorldRestoreState(S.peg, state, size) == status && is_view(&S, &before);
}

START_TEST(refuses_damaged_buffers)
{
    size_t size, room;
    advance(&S, AT[1]);
    unsigned char *state = save(&S, &size, PEG_OK);
    advance(&S, 3);
    for (size_t i = 0; i < size; i += i < 64 ? 1 : 977) {
        state[i] ^= 0x10;
        ck_assert(is_refused(state, size, PEG_ERROR_STATE));
        state[i] ^= 0x10;
    }
    for (size_t n = 0; n < size; n += 1 + n / 3) ck_assert(is_refused(state, n, PEG_ERROR_STATE));
    ck_assert(is_refused(NULL, size, PEG_ERROR_ARGUMENT));
    ck_assert_int_eq(pegWorldRestoreState(NULL, state, size), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSaveState(NULL, state, &size), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSaveState(S.peg, state, NULL), PEG_ERROR_ARGUMENT);
    room = 10;
    ck_assert_int_eq(pegWorldSaveState(S.peg, state, &room), PEG_ERROR_ARGUMENT);
    ck_assert_uint_gt(room, 10); /* what it takes */
    free(state);
}
END_TEST

START_TEST(refuses_other_worlds)
{
    size_t size;
    dMass mass, heavy;
    advance(&S, AT[0]);
    void *state = save(&S, &size, PEG_OK);
    dBodyID more = dBodyCreate(S.world);
    ck_assert(is_refused(state, size, PEG_ERROR_STATE));
    dBodyDestroy(more);
    dJointID joint = dJointCreateBall(S.world, NULL);
    dJointAttach(joint, S.body[8], S.body[9]);
    ck_assert(is_refused(state, size, PEG_ERROR_STATE));
    dJointDestroy(joint);
    dBodyGetMass(S.body[1], &mass);
    dMassSetSphereTotal(&heavy, 50, 1);
    dBodySetMass(S.body[1], &heavy);
    ck_assert(is_refused(state, size, PEG_ERROR_STATE));
    dBodySetMass(S.body[1], &mass);
    dGeomID geom = dBodyGetFirstGeom(S.body[0]);
    double radius = dGeomSphereGetRadius(geom);
    dGeomSphereSetRadius(geom, 2 * radius);
    ck_assert(is_refused(state, size, PEG_ERROR_STATE));
    dGeomSphereSetRadius(geom, radius);
    ck_assert_int_eq(pegWorldRestoreState(S.peg, state, size), PEG_OK);
    advance(&S, 1);
    free(state);
}
END_TEST

/* The shapes that they were of may be gone. */
START_TEST(a_refused_state_leaves_no_contacts_to_tell_of)
{
    size_t size;
    advance(&S, AT[1]);
    ck_assert_int_gt(pegWorldGetContactCount(S.peg), 0);
    void *state = save(&S, &size, PEG_OK);
    for (int i = 0; i < BODIES; i += 4) dGeomSphereSetRadius(dBodyGetFirstGeom(S.body[i]), .1);
    ck_assert(is_refused(state, size, PEG_ERROR_STATE));
    ck_assert_int_eq(pegWorldGetContactCount(S.peg), 0);
    free(state);
}
END_TEST

START_TEST(fails_whole_without_memory)
{
    size_t size;
    advance(&S, AT[1]);
    void *state = save(&S, &size, PEG_OK);
    advance(&S, 3);
    view before = look(&S);
    pegStatus status = PEG_ERROR_MEMORY;
    long n;
    for (n = 1; status != PEG_OK; n++) {
        size_t room = size + 100000;
        void *other = malloc(room);
        peg_memory_fail_at(n, 0);
        status = pegWorldSaveState(S.peg, other, &room);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
        free(other);
    }
    ck_assert_int_gt(n, 2);
    status = PEG_ERROR_MEMORY;
    for (n = 1; status != PEG_OK; n++) {
        ck_assert(is_view(&S, &before));
        peg_memory_fail_at(n, 0);
        status = pegWorldRestoreState(S.peg, state, size);
        peg_memory_fail_at(0, 0);
        ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
    }
    ck_assert_int_gt(n, 10);
    advance(&S, 1);
    free(state);
}
END_TEST

/* --- what ODE does not tell --- */

static char said[512];
static pegMessage heard;

static void hear(void *data, const pegMessage *message)
{
    (void)data;
    snprintf(said, sizeof said, "%s", message->text);
    heard = *message;
}

START_TEST(names_what_is_unknown)
{
    size_t size;
    pegWorldSetMessageHandler(S.peg, NULL, hear);
    advance(&S, AT[0]);
    dBodySetAutoDisableFlag(S.body[2], 1); /* it has a hinge */
    void *state = save(&S, &size, PEG_STATE_INCOMPLETE);
    ck_assert_int_eq(heard.status, PEG_STATE_INCOMPLETE);
    ck_assert_ptr_eq(heard.body, S.body[2]);
    ck_assert_ptr_nonnull(strstr(said, "auto-disabling"));
    ck_assert_int_eq(pegWorldRestoreState(S.peg, state, size), PEG_STATE_INCOMPLETE);
    free(state);
    dBodySetAutoDisableFlag(S.body[2], 0);
    dJointID gears = dJointCreateTransmission(S.world, NULL);
    dJointAttach(gears, S.body[10], S.body[11]);
    state = save(&S, &size, PEG_STATE_INCOMPLETE);
    dJointDestroy(gears);
    free(state);
    free(save(&S, &size, PEG_OK));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state");
    TCase *tests = tcase_create("state");
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, goes_on, 0, TIMES);
    tcase_add_loop_test(tests, goes_on_with_quickstep, 0, TIMES);
    tcase_add_loop_test(tests, goes_on_in_a_new_world, 0, TIMES);
    tcase_add_test(tests, needs_what_is_kept);
    tcase_add_test(tests, saving_changes_nothing);
    tcase_add_test(tests, refuses_damaged_buffers);
    tcase_add_test(tests, refuses_other_worlds);
    tcase_add_test(tests, a_refused_state_leaves_no_contacts_to_tell_of);
    tcase_add_test(tests, fails_whole_without_memory);
    tcase_add_test(tests, names_what_is_unknown);
    return suite;
}
