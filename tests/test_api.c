/* The public interface with what programs should not do: null pointers, numbers that are not
 * finite, a second peg world; and what messages say of it. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"
#include <math.h>
#include <string.h>

static struct {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dGeomID box, plane;
    dGeomID loose; /* in no space, or null */
    dBodyID body;
} S;

static void set_up(void)
{
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    S.world = dWorldCreate();
    S.space = dSimpleSpaceCreate(NULL);
    S.peg = pegWorldCreate(S.world, NULL);
    dWorldSetGravity(S.world, 0, 0, -9.81);
    S.body = dBodyCreate(S.world);
    S.box = dCreateBox(S.space, 1, 1, 1);
    dGeomSetBody(S.box, S.body);
    dBodySetPosition(S.body, 0, 0, .5001);
    S.plane = dCreatePlane(S.space, 0, 0, 1, 0);
    pegWorldAddSpace(S.peg, S.space);
}

static void tear_down(void)
{
    pegWorldDestroy(S.peg);
    if (S.loose) dGeomDestroy(S.loose);
    S.loose = NULL;
    dSpaceDestroy(S.space);
    dWorldDestroy(S.world);
    dCloseODE();
}

/* The last message, and how many there were. */
static struct {
    int n;
    pegMessage last;
    char text[512];
} heard;

static void hear(void *data, const pegMessage *message)
{
    (void)data;
    heard.n++;
    heard.last = *message;
    strncpy(heard.text, message->text, sizeof heard.text - 1);
}

static void listen(void)
{
    memset(&heard, 0, sizeof heard);
    pegWorldSetMessageHandler(S.peg, NULL, hear);
}

/* ---- null pointers --------------------------------------------------------------------------- */

START_TEST(null_peg_worlds)
{
    pegStats stats = {.steps = 7};
    pegSettings settings = {0};
    pegContact contact;
    pegWorldDestroy(NULL);
    ck_assert_ptr_null(pegWorldCreate(NULL, NULL));
    ck_assert_ptr_null(pegWorldGetWorld(NULL));
    ck_assert_int_eq(pegWorldSetSettings(NULL, &settings), PEG_ERROR_ARGUMENT);
    pegWorldGetSettings(NULL, &settings);
    ck_assert_double_eq(settings.margin, 1e-5);
    ck_assert_int_eq(pegWorldAddSpace(NULL, S.space), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldRemoveSpace(NULL, S.space), PEG_ERROR_ARGUMENT);
    pegNearCallback(NULL, S.box, S.plane);
    pegWorldSetNearCallback(NULL, NULL, NULL);
    ck_assert_int_eq(pegWorldAddPair(NULL, S.box, S.plane, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldAddPairContact(NULL, NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSetDefaultSurface(NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetReferencePose(NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetLMotorAxis(NULL, NULL, 0, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetPlane2DParam(NULL, NULL, 0, 0, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldStep(NULL, .01), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldQuickStep(NULL, .01), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegTriMeshUpdate(NULL, NULL), PEG_ERROR_ARGUMENT);
    pegWorldSetMessageCallback(NULL, NULL, NULL);
    pegWorldSetMessageHandler(NULL, NULL, NULL);
    pegWorldGetStats(NULL, &stats);
    ck_assert_int_eq(stats.steps, 0);
    pegWorldGetTotals(NULL, &stats);
    pegWorldResetTotals(NULL);
    ck_assert_int_eq(pegWorldGetContactCount(NULL), 0);
    ck_assert_int_eq(pegWorldGetContact(NULL, 0, &contact), PEG_ERROR_ARGUMENT);
}
END_TEST

START_TEST(null_arguments)
{
    pegContact contact;
    pegWorldID out = S.peg;
    pegStatus status = PEG_OK;
    pegSettingsDefault(NULL);
    ck_assert_int_eq(pegWorldCreateStatus(NULL, NULL, &out), PEG_ERROR_ARGUMENT);
    ck_assert_ptr_null(out);
    ck_assert_int_eq(pegWorldCreateStatus(S.world, NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSetSettings(S.peg, NULL), PEG_ERROR_ARGUMENT);
    pegWorldGetSettings(S.peg, NULL);
    ck_assert_int_eq(pegWorldAddSpace(S.peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldRemoveSpace(S.peg, NULL), PEG_ERROR_ARGUMENT);
    pegNearCallback(S.peg, NULL, S.box);
    pegNearCallback(S.peg, S.box, NULL);
    ck_assert_int_eq(pegWorldAddPair(S.peg, NULL, S.box, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldAddPair(S.peg, S.box, NULL, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetReferencePose(S.peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetLMotorAxis(S.peg, NULL, 0, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetPlane2DParam(S.peg, NULL, 0, 0, 0), PEG_ERROR_ARGUMENT);
    ck_assert_ptr_null(pegCreateConvex(S.space, NULL, 0, NULL, 0, NULL, NULL));
    ck_assert_ptr_null(pegCreateConvex(S.space, NULL, 0, NULL, 0, NULL, &status));
    ck_assert_int_eq(status, PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegSetConvex(NULL, NULL, 0, NULL, 0, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegSetConvex(S.box, NULL, 0, NULL, 0, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegRegisterConvex(NULL, NULL, 0, NULL, 0, NULL), PEG_ERROR_ARGUMENT);
    pegUnregisterConvex(NULL);
    pegUnregisterConvex(S.box);
    ck_assert_int_eq(pegRegisterHeightfield(NULL, NULL), PEG_ERROR_ARGUMENT);
    pegUnregisterHeightfield(NULL);
    ck_assert_int_eq(pegTriMeshUpdate(S.peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegTriMeshUpdate(S.peg, S.box), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegPairCollisionMode(NULL, S.box), PEG_COLLISION_NONE);
    ck_assert_int_eq(pegPairCollisionMode(S.box, NULL), PEG_COLLISION_NONE);
    pegWorldGetStats(S.peg, NULL);
    pegWorldGetTotals(S.peg, NULL);
    ck_assert_int_eq(pegWorldGetContact(S.peg, 0, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetContact(S.peg, -1, &contact), PEG_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(pegStatusMessage((pegStatus)-7));
    ck_assert_ptr_nonnull(pegStatusMessage((pegStatus)(1 << 20)));
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
}
END_TEST

/* ---- numbers --------------------------------------------------------------------------------- */

typedef enum victim { WITH_GEOM, NO_GEOM, KINEMATIC, OUT_OF_SPACE, JOINTED, VICTIMS } victim;

/* Another body of the world, which pegWorldStep must look at, since ODE steps it. */
static dBodyID make(victim which)
{
    dBodyID body = dBodyCreate(S.world);
    dBodySetPosition(body, 5, 0, 3);
    if (which == WITH_GEOM || which == KINEMATIC) dGeomSetBody(dCreateSphere(S.space, .5), body);
    if (which == OUT_OF_SPACE) dGeomSetBody(S.loose = dCreateSphere(NULL, .5), body);
    if (which == KINEMATIC) dBodySetKinematic(body);
    if (which == JOINTED) {
        dJointID ball = dJointCreateBall(S.world, 0);
        dJointAttach(ball, body, S.body);
        dJointSetBallAnchor(ball, 1, 0, 2);
    }
    return body;
}

static void spoil(dBodyID body, int how)
{
    dQuaternion q = {NAN, 0, 0, 0};
    switch (how) {
    case 0:
        dBodySetPosition(body, NAN, 0, 0);
        break;
    case 1:
        dBodySetLinearVel(body, 0, INFINITY, 0);
        break;
    case 2:
        dBodySetAngularVel(body, 0, NAN, 0);
        break;
    case 3:
        dBodyAddForce(body, 0, 0, NAN);
        break;
    case 4:
        dBodyAddTorque(body, -INFINITY, 0, 0);
        break;
    case 5:
        dBodySetAngularVel(body, 1e200, 1, 0);
        break;
    case 6:
        memcpy((void *)(size_t)dBodyGetQuaternion(body), q, sizeof q);
        break;
    case 7:
        dBodySetLinearDamping(body, NAN);
        break;
    case 8:
        dBodySetAngularDamping(body, NAN);
        break;
    }
}
enum { SPOILS = 9 };

/* ODE's assertions would abort the process. */
START_TEST(not_finite_bodies_are_named)
{
    victim which = (victim)(_i / SPOILS);
    dBodyID body = make(which);
    dReal before[3];
    listen();
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    heard.n = 0;
    memcpy(before, dBodyGetPosition(S.body), sizeof before);
    spoil(body, _i % SPOILS);
    for (int quick = 0; quick < 2; quick++)
        ck_assert_int_eq(quick ? pegWorldQuickStep(S.peg, .01) : pegWorldStep(S.peg, .01),
                         PEG_ERROR_NOT_FINITE);
    ck_assert(!memcmp(before, dBodyGetPosition(S.body), sizeof before));
    ck_assert_int_eq(heard.n, 1);
    ck_assert_int_eq(heard.last.severity, PEG_SEVERITY_ERROR);
    ck_assert_int_eq(heard.last.status, PEG_ERROR_NOT_FINITE);
    ck_assert(heard.last.body == body || heard.last.joint ||
              (heard.last.geom && dGeomGetBody(heard.last.geom) == body));
}
END_TEST

START_TEST(sleeping_bodies_are_left_alone)
{
    dBodyID body = make(NO_GEOM);
    dBodyAddForce(body, NAN, 0, 0);
    dBodyDisable(body);
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
}
END_TEST

START_TEST(absurd_steps)
{
    static const double bad[] = {0, -.01, NAN, INFINITY, -INFINITY, 1e308, 1e-320};
    dReal before[3];
    memcpy(before, dBodyGetPosition(S.body), sizeof before);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(pegWorldStep(S.peg, bad[i]), PEG_ERROR_STEP_SIZE);
        ck_assert_int_eq(pegWorldQuickStep(S.peg, bad[i]), PEG_ERROR_STEP_SIZE);
    }
    ck_assert(!memcmp(before, dBodyGetPosition(S.body), sizeof before));
    ck_assert_int_eq(pegWorldStep(S.peg, 1e-6), PEG_OK);
}
END_TEST

/* ---- worlds ---------------------------------------------------------------------------------- */

START_TEST(one_peg_world_per_world)
{
    pegWorldID other = S.peg;
    ck_assert_int_eq(pegWorldCreateStatus(S.world, NULL, &other), PEG_ERROR_WORLD);
    ck_assert_ptr_null(other);
    ck_assert_ptr_null(pegWorldCreate(S.world, NULL));
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    pegWorldDestroy(S.peg);
    ck_assert_int_eq(pegWorldCreateStatus(S.world, NULL, &S.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(S.peg, S.space), PEG_OK);
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
}
END_TEST

START_TEST(frictionless_pairs_are_told)
{
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = .5};
    listen();
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(heard.n, 1);
    ck_assert_ptr_nonnull(strstr(heard.text, "pegWorldSetDefaultSurface"));
    ck_assert_int_eq(heard.last.severity, PEG_SEVERITY_NOTE);
    ck_assert(heard.last.geom && heard.last.other_geom);
    pegWorldDestroy(S.peg);
    S.peg = pegWorldCreate(S.world, NULL);
    pegWorldAddSpace(S.peg, S.space);
    listen();
    ck_assert_int_eq(pegWorldSetDefaultSurface(S.peg, _i ? &rough : NULL), PEG_OK);
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(heard.n, 0);
}
END_TEST

/* ODE solves the program's joint beside the exact contacts: told once; here both keep the box up.
 */
START_TEST(own_contact_joints_are_told)
{
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = .5};
    dJointGroupID group = dJointGroupCreate(0);
    listen();
    pegWorldSetDefaultSurface(S.peg, &rough);
    for (int i = 0; i < 200; i++) {
        dContact contact[4] = {{.surface = rough}};
        int n = dCollide(S.box, S.plane, 4, &contact[0].geom, sizeof *contact);
        for (int k = 0; k < n; k++) {
            contact[k].surface = rough;
            dJointAttach(dJointCreateContact(S.world, group, &contact[k]), S.body, NULL);
        }
        ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
        ck_assert_int_eq(heard.n, n ? 1 : heard.n);
        dJointGroupEmpty(group);
    }
    ck_assert_double_eq_tol(dBodyGetPosition(S.body)[2], .5, 1e-3);
    if (heard.n) {
        ck_assert_int_eq(heard.last.severity, PEG_SEVERITY_WARNING);
        ck_assert_ptr_nonnull(strstr(heard.text, "(contact)"));
    }
    dJointGroupDestroy(group);
}
END_TEST

/* A box in the plane, with the program's joint of the overlap. */
START_TEST(own_contact_joint_is_named)
{
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = .5}};
    contact.geom = (dContactGeom){.pos = {0, 0, 0}, .normal = {0, 0, 1}, .depth = .001};
    contact.geom.g1 = S.box, contact.geom.g2 = S.plane;
    pegWorldSetDefaultSurface(S.peg, &contact.surface);
    listen();
    dJointID joint = dJointCreateContact(S.world, 0, &contact);
    dJointAttach(joint, S.body, NULL);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(heard.n, 1);
    ck_assert_ptr_eq(heard.last.joint, joint);
    ck_assert_int_eq(heard.last.severity, PEG_SEVERITY_WARNING);
}
END_TEST

START_TEST(both_kinds_of_callback_hear)
{
    dCreateSphere(S.space, 0);
    listen();
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(heard.n, 2); /* no surface, radius 0 */
    pegWorldSetMessageHandler(S.peg, NULL, NULL);
    dGeomDestroy(S.box);
    S.box = dCreateSphere(S.space, 1);
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(heard.n, 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("api");
    TCase *tests = tcase_create("misuse");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, null_peg_worlds);
    tcase_add_test(tests, null_arguments);
    tcase_add_loop_test(tests, not_finite_bodies_are_named, 0, VICTIMS * SPOILS);
    tcase_add_test(tests, sleeping_bodies_are_left_alone);
    tcase_add_test(tests, absurd_steps);
    tcase_add_test(tests, one_peg_world_per_world);
    tcase_add_loop_test(tests, frictionless_pairs_are_told, 0, 2);
    tcase_add_test(tests, own_contact_joints_are_told);
    tcase_add_test(tests, own_contact_joint_is_named);
    tcase_add_test(tests, both_kinds_of_callback_hear);
    suite_add_tcase(suite, tests);
    return suite;
}
