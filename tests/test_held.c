/* Loads just below what friction can hold, in any direction: stacks that are pushed, bodies in a
 * grip, in grooves and corners. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>

static const double G = 9.81, PI = 3.14159265358979323846;

static dWorldID world;
static dSpaceID space;
static pegWorldID peg;

static void set_up(void)
{
    dInitODE2(0);
    world = dWorldCreate();
    space = dSimpleSpaceCreate(NULL);
    peg = pegWorldCreate(world, NULL);
    ck_assert_ptr_nonnull(peg);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
}

static void tear_down(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

/* A box of 1 kg. */
static dBodyID add_box(const double edge[3], double x, double z)
{
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, 1, edge[0], edge[1], edge[2]);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateBox(space, edge[0], edge[1], edge[2]), body);
    dBodySetPosition(body, x, 0, z);
    return body;
}

static const double GROUND_MU = .15, BOX_MU = 1.5;

static void rub(void *data, dGeomID a, dGeomID b)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = BOX_MU};
    if (!dGeomGetBody(a) || !dGeomGetBody(b)) surface.mu = GROUND_MU;
    (void)data;
    ck_assert_int_eq(pegWorldAddPair(peg, a, b, &surface), PEG_OK);
}

/* A box high up in a stack is pushed by 0.97 of what the ground can hold: between ground and stack,
 * where nothing but the friction above pushes, the cone must turn its full radius against it. */
START_TEST(a_pushed_stack_stands)
{
    enum { BOXES = 4, ANGLES = 12 };
    static const double edge[3] = {1, 1, .5}, steps[] = {.002, .01, .05};
    double h = steps[_i];
    for (int k = 0; k < ANGLES; k++) {
        double angle = .05 + k * PI / ANGLES, push = .97 * GROUND_MU * BOXES * G, from[2];
        dBodyID box[BOXES];
        set_up();
        pegWorldSetNearCallback(peg, NULL, rub);
        dWorldSetGravity(world, 0, 0, -G);
        dCreatePlane(space, 0, 0, 1, 0);
        for (int i = 0; i < BOXES; i++) box[i] = add_box(edge, 0, .25 + .5 * i);
        for (int i = 0; i < 20; i++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        for (int i = 0; i < 2; i++) from[i] = dBodyGetPosition(box[1])[i];
        for (int i = 0; i < 2 / h; i++) {
            dBodyAddForce(box[1], push * cos(angle), push * sin(angle), 0);
            ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        }
        const dReal *x = dBodyGetPosition(box[1]);
        double way = hypot(x[0] - from[0], x[1] - from[1]);
        ck_assert_msg(way < 3e-3, "%g rad: %g m", angle, way);
        tear_down();
    }
}
END_TEST

/* Jaws on sliders hold a row of boxes against a weight across them, in large steps, in which the
 * force of the jaws alone would take them through the boxes: what rests keeps its impulses. */
START_TEST(a_grip_holds)
{
    enum { ANGLES = 16 };
    static const double edge[3] = {.4, .4, .4}, jaw_edge[3] = {.2, 1, 1};
    const double h = .05, mu = .5;
    const int boxes = 1 + _i;
    for (int k = 0; k < ANGLES; k++) {
        double angle = .03 + k * PI / ANGLES, force = boxes * G / (2 * mu * .85), most = 0;
        dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu};
        dBodyID jaw[2], box[4];
        set_up();
        pegWorldSetDefaultSurface(peg, &surface);
        dWorldSetGravity(world, 0, G * cos(angle), -G * sin(angle));
        for (int i = 0; i < 2; i++) {
            jaw[i] = add_box(jaw_edge, (2 * i - 1) * (boxes * .2 + .1), 0);
            dJointID slider = dJointCreateSlider(world, 0);
            dJointAttach(slider, jaw[i], NULL);
            dJointSetSliderAxis(slider, 1, 0, 0);
        }
        for (int i = 0; i < boxes; i++) box[i] = add_box(edge, .4 * i - .2 * (boxes - 1), 0);
        for (int n = 0; n < 3 / h; n++) {
            for (int i = 0; i < 2; i++) dBodyAddForce(jaw[i], i ? -force : force, 0, 0);
            ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        }
        for (int i = 0; i < boxes; i++)
            most = fmax(most, hypot(dBodyGetPosition(box[i])[1], dBodyGetPosition(box[i])[2]));
        ck_assert_msg(most < 1e-3, "%g rad: %g m", angle, most);
        tear_down();
    }
}
END_TEST

static dBodyID add_round(int is_capsule, double kg, double radius, double length)
{
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetCylinderTotal(&mass, kg, 3, radius, length);
    dBodySetMass(body, &mass);
    dGeomSetBody(is_capsule ? dCreateCapsule(space, radius, length)
                            : dCreateCylinder(space, radius, length),
                 body);
    return body;
}

/* Two jaws hold an upright cylinder or capsule along lines, with eight times the friction that its
 * weight and shaking across the grip take. Which end of a line bears, rigid bodies leave open: a
 * single one would let it swing about that end. */
START_TEST(a_shaken_grip_holds)
{
    static const double steps[] = {.001, .002, .005, .01}, edge[3] = {.04, .12, .2};
    const double h = steps[_i / 2], radius = .05, length = _i % 2 ? .06 : .1, force = 40;
    const double shaking = 2 * PI * 2, speed = 4 / shaking;
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = .5};
    set_up();
    pegWorldSetDefaultSurface(peg, &surface);
    dWorldSetGravity(world, 0, 0, -G);
    dBodyID palm = dBodyCreate(world);
    dBodySetKinematic(palm);
    dBodySetPosition(palm, 0, 0, .2);
    for (int i = 0; i < 2; i++) {
        dBodyID jaw = add_box(edge, (2 * i - 1) * .075, .05);
        dJointID slider = dJointCreateSlider(world, 0);
        dJointAttach(slider, jaw, palm);
        dJointSetSliderAxis(slider, i ? -1 : 1, 0, 0);
        dJointSetSliderParam(slider, dParamFMax, force);
        dJointSetSliderParam(slider, dParamVel, .2);
    }
    dBodyID held = add_round(_i % 2, .5, radius, length);
    double bottom = length / 2 + (_i % 2 ? radius : 0);
    dGeomID table = dCreateBox(space, .08, .08, .4);
    dGeomSetPosition(table, 0, 0, -bottom - .2001);
    for (int n = 0; n < .5 / h; n++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    dGeomDisable(table);
    double z = dBodyGetPosition(held)[2];
    for (int n = 0; n < 2 / h; n++) {
        dBodySetLinearVel(palm, 0, speed * sin(shaking * n * h), 0);
        ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        const dReal *x = dBodyGetPosition(held), *at = dBodyGetPosition(palm);
        double slip = hypot(x[1] - at[1], x[2] - z);
        ck_assert_msg(slip < 1e-6 && dBodyGetRotation(held)[10] > 1 - 1e-9, "slips by %g m", slip);
    }
    tear_down();
}
END_TEST

/* Bodies in a groove of half the angle b stay below Coulomb's limit tan(slope) = mu / sin(b): both
 * sides would be slid down without the other one. The axis is found within some steps. */
START_TEST(a_body_in_a_groove_stays)
{
    static const double mu[] = {.3, .5, .8}, half[] = {.5, PI / 4, 1.2}, steps[] = {.002, .01};
    static const double edge[3] = {.4, .2, .2};
    const double h = steps[_i / 3 % 2], b = half[_i % 3], share = .95;
    const int kind = _i / 6; /* capsule, cylinder, box */
    for (int k = 0; k < 3; k++) {
        double slope = atan(share * mu[k] / sin(kind < 2 ? b : PI / 4)), radius = .1;
        double across = kind < 2 ? b : PI / 4;
        dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu[k]};
        dMatrix3 R;
        set_up();
        pegWorldSetDefaultSurface(peg, &surface);
        dWorldSetGravity(world, G * sin(slope), 0, -G * cos(slope));
        dCreatePlane(space, 0, cos(across), sin(across), 0);
        dCreatePlane(space, 0, -cos(across), sin(across), 0);
        dBodyID body = kind < 2 ? add_round(!kind, 1, radius, .4) : add_box(edge, 0, 0);
        dRFromAxisAndAngle(R, kind == 2, kind < 2, 0, kind < 2 ? PI / 2 : PI / 4);
        dBodySetRotation(body, R);
        dBodySetPosition(body, 0, 0, radius / sin(across) + 1e-6);
        for (int n = 0; n < 4 / h; n++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        ck_assert_msg(dBodyGetLinearVel(body)[0] < 1e-9 &&
                          dBodyGetPosition(body)[0] < 15 * G * h * h,
                      "mu %g: %g m/s after %g m", mu[k], dBodyGetLinearVel(body)[0],
                      dBodyGetPosition(body)[0]);
        tear_down();
    }
}
END_TEST

/* A box in the corner of floor and wall, pressed against the wall by a multiple of its weight, is
 * pushed along both by 0.93 of what they hold. */
START_TEST(a_box_in_a_corner_stays)
{
    static const double mu[] = {.3, .5, 1}, pressed[] = {.5, 1, 2, 4}, edge[3] = {.3, .2, .2};
    const double h = .01;
    for (int k = 0; k < 4; k++) {
        double push = .93 * mu[_i] * G * (1 + pressed[k]);
        dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu[_i]};
        set_up();
        pegWorldSetDefaultSurface(peg, &surface);
        dWorldSetGravity(world, 0, 0, -G);
        dCreatePlane(space, 0, 0, 1, 0);
        dCreatePlane(space, 0, 1, 0, -.1 - 1e-6);
        dBodyID box = add_box(edge, 0, .1 + 1e-6);
        for (int n = 0; n < 3 / h; n++) {
            dBodyAddForce(box, n < .3 / h ? 0 : push, -pressed[k] * G, 0);
            ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        }
        ck_assert_msg(dBodyGetLinearVel(box)[0] < 1e-9 && dBodyGetPosition(box)[0] < .02,
                      "pressed by %g: %g m/s after %g m", pressed[k], dBodyGetLinearVel(box)[0],
                      dBodyGetPosition(box)[0]);
        tear_down();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("held");
    TCase *tests = tcase_create("held");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_pushed_stack_stands, 0, 3);
    tcase_add_loop_test(tests, a_grip_holds, 0, 4);
    tcase_add_loop_test(tests, a_shaken_grip_holds, 0, 8);
    tcase_add_loop_test(tests, a_body_in_a_groove_stays, 0, 18);
    tcase_add_loop_test(tests, a_box_in_a_corner_stays, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
