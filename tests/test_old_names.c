/* A program written against the former names: it compiles, links and runs against the installed
 * header until 1.0. Only former names here. */
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <ode-peg.h>

enum { STEPS = 40, POINTS = 4, FACES = 4 };

static const dReal points[3 * POINTS] = {-.5, -.3, -.2, .5, -.3, -.2, 0, .6, -.2, 0, 0, .6};
static const unsigned polygons[4 * FACES] = {3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3};

static struct {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dJointFeedback feedback;
} S;

static void set_up(void)
{
    pegSettings settings;
    dInitODE2(0);
    S.world = dWorldCreate();
    S.space = dSimpleSpaceCreate(NULL);
    dWorldSetGravity(S.world, 0, 0, -9.81);
    pegSettingsDefault(&settings);
    settings.recovery_speed = .5;
    settings.max_outer = 30;
    S.peg = pegWorldCreate(S.world, &settings);
    ck_assert_ptr_nonnull(S.peg);
    pegWorldGetSettings(S.peg, &settings);
    ck_assert_double_eq(settings.recovery_speed, .5);
    ck_assert_int_eq(settings.max_outer, 30);
}

static void tear_down(void)
{
    pegWorldDestroy(S.peg);
    dSpaceDestroy(S.space);
    dWorldDestroy(S.world);
    dCloseODE();
}

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = .5}};
    (void)data;
    contact.geom.g1 = a;
    contact.geom.g2 = b;
    ck_assert_int_eq(pegCollide(S.peg, a, b, &contact.surface), PEG_OK);
    ck_assert_int_eq(pegCollideContact(S.peg, &contact, &S.feedback), PEG_OK);
}

START_TEST(pairs_and_statistics)
{
    dBodyID body = dBodyCreate(S.world);
    dGeomID box = dCreateBox(S.space, 1, 1, 1), floor = dCreatePlane(S.space, 0, 0, 1, 0);
    pegTreatment treatment;
    pegStats s, sum;
    dGeomSetBody(box, body);
    dBodySetPosition(body, 0, 0, .5001);
    pegWorldAddSpace(S.peg, S.space);
    pegWorldSetNearCallback(S.peg, NULL, near_callback);
    for (int i = 0; i < STEPS; i++) ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    pegWorldGetStats(S.peg, &s);
    pegWorldGetTotals(S.peg, &sum);
    ck_assert_double_eq_tol(S.feedback.f1[2] + S.feedback.f2[2], 9.81, 1e-6);
    ck_assert_int_eq(s.repeated, 1);
    ck_assert_int_gt(sum.outer, 0);
    ck_assert_int_gt(sum.outer_max, 0);
    ck_assert_int_eq(sum.swept + sum.sweeps + sum.squeezed + sum.friction_lagged, 0);
    ck_assert_int_eq(sum.joints_yielded + sum.joints_lagged, 0);
    ck_assert(sum.swept_residual_max == 0 && sum.violation_max == 0 && sum.gap_min > 0);
    treatment = pegPairTreatment(box, floor);
    ck_assert_int_eq(treatment, PEG_TREATMENT_EXACT);
    ck_assert_int_eq(pegClassTreatment(dRayClass, dBoxClass), PEG_TREATMENT_NONE);
    ck_assert_int_eq(pegClassTreatment(dFirstUserClass, dBoxClass), PEG_TREATMENT_ODE);
}
END_TEST

START_TEST(shapes)
{
    dReal planes[4 * FACES];
    for (int f = 0; f < FACES; f++) {
        const dReal *a = points + 3 * polygons[4 * f + 1], *b = points + 3 * polygons[4 * f + 2];
        const dReal *c = points + 3 * polygons[4 * f + 3];
        dReal u[3], v[3], *n = planes + 4 * f, length;
        for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
        for (int k = 0; k < 3; k++)
            n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) n[k] /= length;
        n[3] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
    }
    dGeomID convex = dCreateConvex(S.space, planes, FACES, points, POINTS, polygons);
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dBodyID body = dBodyCreate(S.world);
    dGeomSetBody(convex, body);
    ck_assert_int_eq(pegCollide(S.peg, convex, dCreatePlane(S.space, 0, 0, 1, -5), NULL),
                     PEG_ERROR_SHAPE_UNKNOWN);
    ck_assert_int_eq(pegRegisterConvex(convex, planes, FACES, points, POINTS, polygons), PEG_OK);
    ck_assert_int_eq(pegWorldStep(S.peg, .01), PEG_OK);
    ck_assert_int_eq(pegTriMeshChanged(S.peg, convex), PEG_ERROR_ARGUMENT);
    pegForgetConvex(convex);
    pegForgetHeightfield(data);
    dGeomHeightfieldDataDestroy(data);
}
END_TEST

START_TEST(joints)
{
    dBodyID body = dBodyCreate(S.world);
    dJointID hinge = dJointCreateHinge(S.world, 0), motor = dJointCreateLMotor(S.world, 0);
    dJointID plane = dJointCreatePlane2D(S.world, 0);
    dJointAttach(hinge, body, NULL);
    ck_assert_int_eq(pegJointCapture(S.peg, hinge), PEG_OK);
    ck_assert_int_eq(pegJointLMotorAxis(S.peg, motor, 0, 1), PEG_OK);
    ck_assert_int_eq(pegJointPlane2DParam(S.peg, plane, 0, dParamVel, 1), PEG_OK);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("old names");
    TCase *tests = tcase_create("former names");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, pairs_and_statistics);
    tcase_add_test(tests, shapes);
    tcase_add_test(tests, joints);
    suite_add_tcase(suite, tests);
    return suite;
}
