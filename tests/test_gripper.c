/* A gripper of two fingers with limited force lifts a cube, a cylinder or a sphere by friction and
 * holds it for 20 s: what it holds must not slip. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>

static const double MU = 1, GRIP = 30, LIFT = .4, HOLD = 20; /* N, m, s */
static const double STEP[] = {.002, .01};
enum { CUBE, CYLINDER, SPHERE, OBJECTS, STEPS = 2 };

typedef struct gripper {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dBodyID palm, finger[2], object;
    dJointID slider[2];
} gripper;

static dBodyID add_body(gripper *g, dGeomID geom, double kg, double x, double z)
{
    dMass mass;
    dBodyID body = dBodyCreate(g->world);
    dMassSetBoxTotal(&mass, kg, .1, .1, .1);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, x, 0, z);
    return body;
}

static dGeomID object_of(gripper *g, int which)
{
    if (which == CUBE) return dCreateBox(g->space, .1, .1, .1);
    return which == CYLINDER ? dCreateCylinder(g->space, .05, .1) : dCreateSphere(g->space, .05);
}

static gripper open_gripper(int which)
{
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = MU};
    gripper g = {.world = dWorldCreate(), .space = dSimpleSpaceCreate(NULL)};
    dWorldSetGravity(g.world, 0, 0, -9.81);
    g.peg = pegWorldCreate(g.world, NULL);
    pegWorldAddSpace(g.peg, g.space);
    pegWorldSetDefaultSurface(g.peg, &rough);
    dCreatePlane(g.space, 0, 0, 1, 0);
    g.palm = add_body(&g, dCreateBox(g.space, .3, .1, .02), 1, 0, .2);
    dBodySetKinematic(g.palm);
    g.object = add_body(&g, object_of(&g, which), .5, 0, .05001);
    for (int i = 0; i < 2; i++) {
        double side = i ? 1 : -1;
        g.finger[i] = add_body(&g, dCreateBox(g.space, .02, .1, .1), .1, .09 * side, .06);
        g.slider[i] = dJointCreateSlider(g.world, NULL);
        dJointAttach(g.slider[i], g.finger[i], g.palm);
        dJointSetSliderAxis(g.slider[i], side, 0, 0);
        dJointSetSliderParam(g.slider[i], dParamFMax, GRIP);
        dJointSetSliderParam(g.slider[i], dParamVel, -.1);
        pegJointSetReferencePose(g.peg, g.slider[i]);
    }
    return g;
}

static void close_gripper(gripper *g)
{
    pegWorldDestroy(g->peg);
    dSpaceDestroy(g->space);
    dWorldDestroy(g->world);
}

/* Height of the object above the fingers. */
static double height(const gripper *g)
{
    double z = dBodyGetPosition(g->object)[2];
    for (int i = 0; i < 2; i++) z -= .5 * dBodyGetPosition(g->finger[i])[2];
    return z;
}

/* The palm rises by `way`, smoothly: at most 2 m/s^2 for LIFT in a second. */
static void run(gripper *g, double seconds, double h, double way, double *slip)
{
    double start = height(g), pi = acos(-1);
    for (int i = 0; i < (int)lround(seconds / h); i++) {
        double t = (i + .5) * h / seconds;
        dBodySetLinearVel(g->palm, 0, 0, way / seconds * pi / 2 * sin(pi * t));
        ck_assert_int_eq(pegWorldStep(g->peg, h), PEG_OK);
        *slip = fmax(*slip, fabs(height(g) - start));
    }
}

START_TEST(nothing_slips)
{
    double h = STEP[_i % STEPS], lifting = 0, holding = 0, closing = 0;
    gripper g = open_gripper(_i / STEPS);
    pegStats total;
    run(&g, 1, h, 0, &closing);
    run(&g, 1, h, LIFT, &lifting);
    run(&g, HOLD, h, 0, &holding);
    ck_assert_double_gt(dBodyGetPosition(g.object)[2], .9 * LIFT);
    ck_assert_msg(lifting <= 1e-6 && holding <= 1e-6, "slip: %g m lifted, %g m held", lifting,
                  holding);
    pegWorldGetTotals(g.peg, &total);
    ck_assert_double_le(total.max_penetration, 0);
    close_gripper(&g);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gripper");
    TCase *tests = tcase_create("gripper");
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, nothing_slips, 0, OBJECTS * STEPS);
    suite_add_tcase(suite, tests);
    return suite;
}
