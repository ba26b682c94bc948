/* The models lp and ratio through the public interface, against closed forms; pegSeparation. */
#include <check.h>
#include <math.h>
#include <ode/ode.h>
#include <string.h>

#include "plugin/ode-peg.h"
#include "tests/runner.h"

static dWorldID world;
static dSpaceID space;
static pegWorldID peg;

static void open_world(const pegSettings *settings, double gx, double gz, double mu)
{
    world = dWorldCreate();
    space = dSimpleSpaceCreate(NULL);
    dWorldSetGravity(world, gx, 0, gz);
    ck_assert_int_eq(pegWorldCreateStatus(world, settings, &peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu};
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
    dCreatePlane(space, 0, 0, 1, 0);
}

static void close_world(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
}

static dBodyID add_box(double side, double x, double z)
{
    dMass mass;
    dBodyID body = dBodyCreate(world);
    dGeomID geom = dCreateBox(space, side, side, side);
    dMassSetBoxTotal(&mass, 1, side, side, side);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, x, 0, z);
    return body;
}

static dBodyID add_round(double radius, double length, double x, double z)
{
    dMass mass;
    dBodyID body = dBodyCreate(world);
    dGeomID geom =
        length > 0 ? dCreateCapsule(space, radius, length) : dCreateSphere(space, radius);
    if (length > 0)
        dMassSetCapsuleTotal(&mass, 1, 3, radius, length);
    else
        dMassSetSphereTotal(&mass, 1, radius);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, x, 0, z);
    return body;
}

static void step(double h)
{
    dSpaceCollide(space, peg, &pegNearCallback);
    ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
}

static pegSettings settings_of(pegContactModel model)
{
    pegSettings settings;
    pegSettingsDefault(&settings);
    settings.contact = model;
    return settings;
}

/* A box over a plane, pressed on it: the row holds with equality, and the gap becomes
 * g_0 (1 - gamma (g_0 + c) / c), c the distance of the inner points at touch. */
START_TEST(gap_after_a_step_of_ratio)
{
    static const double gammas[] = {1, .5, .1};
    pegSettings settings = settings_of(PEG_CONTACT_RATIO);
    settings.ratio_gamma = gammas[_i];
    open_world(&settings, 0, -1e4, 0);
    double g = .02, c = .5 + sqrt(.75);
    dBodyID box = add_box(1, 0, .5 + g);
    step(.01);
    double after = dBodyGetPosition(box)[2] - .5;
    ck_assert_double_eq_tol(after, g * (1 - gammas[_i] * (g + c) / c), 1e-12);
    close_world();
}
END_TEST

/* v = (sin - mu cos) g t on an incline, in both models. */
START_TEST(slides_as_coulomb_says)
{
    double angle = .5, mu = .3, h = .01;
    pegSettings settings = settings_of(_i ? PEG_CONTACT_RATIO : PEG_CONTACT_LP);
    open_world(&settings, 9.81 * sin(angle), -9.81 * cos(angle), mu);
    dBodyID box = add_box(1, 0, .5);
    for (int i = 0; i < 50; i++) step(h);
    double wanted = 9.81 * (sin(angle) - mu * cos(angle)) * .5;
    ck_assert_double_eq_tol(dBodyGetLinearVel(box)[0], wanted, 1e-6);
    ck_assert_double_eq_tol(dBodyGetPosition(box)[2], .5, 1e-9);
    pegStats stats;
    pegWorldGetTotals(peg, &stats);
    ck_assert_int_eq(stats.unconverged, 0);
    ck_assert_int_eq(stats.friction_unconverged, 0);
    ck_assert_int_gt(stats.linear_programs, 0);
    close_world();
}
END_TEST

/* A row of boxes, one thrown along it: the passes of friction settle, and in few where something
 * slides, of starts that differ by less than a hair: one step of a run decides by rounding. */
START_TEST(friction_settles)
{
    long steps = 0, unsettled = 0;
    for (int start = 0; start < 10; start++) {
        pegSettings settings = settings_of(PEG_CONTACT_RATIO);
        open_world(&settings, 0, -9.81, .2);
        dBodyID thrown = add_box(.5, -.7, .27 + 1e-7 * start);
        for (int i = 0; i < 4; i++) add_box(.5, .55 * i, .251);
        dBodySetLinearVel(thrown, 3, .1, 0);
        dBodySetAngularVel(thrown, 0, 0, .4);
        for (int i = 0; i < 150; i++) step(.005);
        pegStats stats;
        pegWorldGetTotals(peg, &stats);
        ck_assert_int_eq(stats.unconverged, 0);
        ck_assert_int_gt(stats.sliding_islands, 50);
        long more = stats.friction_passes - stats.friction_islands + stats.sliding_islands;
        ck_assert_int_le(more, 10 * stats.sliding_islands);
        steps += stats.steps;
        unsettled += stats.friction_unconverged;
        close_world();
    }
    ck_assert_int_le(unsettled, steps / 100);
}
END_TEST

/* Without the passes (Anitescu's relaxation) what slides is lifted off: mu v h in a step. */
START_TEST(relaxation_lifts_off)
{
    double height[2];
    for (int passes = 0; passes < 2; passes++) {
        pegSettings settings = settings_of(PEG_CONTACT_RATIO);
        settings.ratio_passes = passes ? 50 : 1;
        open_world(&settings, 0, -9.81, .3);
        dBodyID box = add_box(1, 0, .5);
        dBodySetLinearVel(box, 2, 0, 0);
        step(.01);
        height[passes] = dBodyGetPosition(box)[2] - .5;
        close_world();
    }
    ck_assert_double_gt(height[0], 1e-3);
    ck_assert_double_eq_tol(height[1], 0, 1e-9);
}
END_TEST

/* A flush stack rests. */
START_TEST(stack_rests)
{
    pegSettings settings = settings_of(_i ? PEG_CONTACT_RATIO : PEG_CONTACT_LP);
    dBodyID box[10];
    int n = _i ? 5 : 10;
    open_world(&settings, 0, -9.81, .5);
    for (int i = 0; i < n; i++) box[i] = add_box(1, 0, .5 + i);
    for (int i = 0; i < 40; i++) step(.01);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq_tol(dBodyGetPosition(box[i])[2], .5 + i, 1e-7);
        ck_assert_double_eq_tol(dBodyGetPosition(box[i])[0], 0, 1e-7);
    }
    close_world();
}
END_TEST

/* --- round geoms ----------------------------------------------------------------------------- */

/* A sphere that is thrown along the floor slides until it rolls, at 5/7 of its speed. */
START_TEST(sphere_slides_and_rolls)
{
    pegSettings settings = settings_of(PEG_CONTACT_LP);
    open_world(&settings, 0, -9.81, .3);
    dBodyID ball = add_round(.25, 0, 0, .25);
    dBodySetLinearVel(ball, 2, 0, 0);
    step(.01);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], 2 - .3 * 9.81 * .01, 1e-9);
    for (int i = 0; i < 60; i++) step(.01);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], 10. / 7, 1e-6);
    ck_assert_double_eq_tol(dBodyGetAngularVel(ball)[1], 10. / 7 / .25, 1e-5);
    ck_assert_double_eq_tol(dBodyGetPosition(ball)[2], .25, 1e-9);
    close_world();
}
END_TEST

/* Spheres and a capsule on a box on the floor stay where they are. */
START_TEST(round_geoms_rest)
{
    pegSettings settings = settings_of(PEG_CONTACT_LP);
    open_world(&settings, 0, -9.81, .5);
    dMatrix3 lie;
    add_box(1, 0, .5);
    dBodyID capsule = add_round(.2, .5, 0, 1.2), ball = add_round(.2, 0, 3, .2);
    dBodyID upper = add_round(.2, 0, 3, .6);
    dRFromAxisAndAngle(lie, 0, 1, 0, acos(-1) / 2);
    dBodySetRotation(capsule, lie);
    for (int i = 0; i < 60; i++) step(.01);
    ck_assert_double_eq_tol(dBodyGetPosition(capsule)[2], 1.2, 1e-7);
    ck_assert_double_eq_tol(fabs(dBodyGetRotation(capsule)[2]), 1, 1e-9);
    ck_assert_double_eq_tol(dBodyGetPosition(ball)[2], .2, 1e-7);
    ck_assert_double_eq_tol(dBodyGetPosition(upper)[2], .6, 1e-7);
    close_world();
}
END_TEST

/* Spheres, capsules and boxes fall upon each other: no step fails, and what they overlap falls with
 * the square of the step, as for polytopes. */
static double deepest_of_a_heap(double h)
{
    pegSettings settings = settings_of(PEG_CONTACT_LP);
    dGeomID geom[12];
    double deepest = 0;
    open_world(&settings, 0, -9.81, .3);
    for (int i = 0; i < 12; i++) {
        dMatrix3 R;
        double x = .13 * (i % 3) - .1, z = .5 + .55 * i;
        dBodyID body = i % 3 == 0 ? add_box(.4, x, z) : add_round(.2, i % 3 == 1 ? 0 : .3, x, z);
        dRFromAxisAndAngle(R, 1, .3 * i, -.2, .7 * i);
        dBodySetRotation(body, R);
        dBodySetAngularVel(body, 1, -.5, .1 * i);
        geom[i] = dBodyGetFirstGeom(body);
    }
    for (double t = 0; t < 2; t += h) {
        step(h);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < i; j++) {
                pegSeparationResult out;
                ck_assert_int_eq(pegSeparation(geom[i], geom[j], PEG_SEPARATION_EXACT, &out),
                                 PEG_OK);
                deepest = fmax(deepest, -out.value);
            }
    }
    pegStats stats;
    pegWorldGetTotals(peg, &stats);
    ck_assert_int_eq(stats.unconverged, 0);
    for (int i = 0; i < 12; i++) {
        ck_assert_double_gt(dGeomGetPosition(geom[i])[2], .15);
        ck_assert_double_lt(dGeomGetPosition(geom[i])[2], 3);
    }
    close_world();
    return deepest;
}

START_TEST(heap_of_round_geoms)
{
    double coarse = deepest_of_a_heap(.01), fine = deepest_of_a_heap(.0025);
    ck_assert_double_lt(coarse, .02);
    ck_assert_double_lt(fine, coarse / 4);
}
END_TEST

/* The potential pushes a flush box and a capsule that lies without turning them. */
START_TEST(potential_pushes_the_middle)
{
    pegSettings settings = settings_of(PEG_CONTACT_LP);
    settings.lp_stiffness = 1e4;
    open_world(&settings, 0, 0, 0);
    dMatrix3 lie;
    dBodyID box = add_box(1, 0, .51), capsule = add_round(.2, .5, 3, .21);
    dRFromAxisAndAngle(lie, 0, 1, 0, acos(-1) / 2);
    dBodySetRotation(capsule, lie);
    dBodyID body[] = {box, capsule};
    for (int i = 0; i < 2; i++) dBodySetLinearVel(body[i], 0, 0, -1);
    for (int i = 0; i < 100; i++) step(.001);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(dBodyGetLinearVel(body[i])[2], 1, 1e-2);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(dBodyGetAngularVel(body[i])[k], 0, 1e-9);
    }
    close_world();
}
END_TEST

static int told;

static void count_message(void *context, const pegMessage *message)
{
    (void)context;
    told += message->status == PEG_ERROR_GEOM_CLASS;
}

/* lp has no cylinders and no meshes, ratio no round geoms at all: one message, and they fall. */
START_TEST(others_are_refused)
{
    static const pegContactModel models[] = {PEG_CONTACT_LP, PEG_CONTACT_RATIO};
    for (int i = 0; i < 2; i++) {
        pegSettings settings = settings_of(models[i]);
        open_world(&settings, 0, -9.81, .3);
        told = 0;
        pegWorldSetMessageHandler(peg, NULL, count_message);
        dBodyID body = add_round(.2, 0, 0, .3);
        if (i == 0) {
            dGeomDestroy(dBodyGetFirstGeom(body));
            dGeomSetBody(dCreateCylinder(space, .2, .4), body);
        }
        for (int k = 0; k < 60; k++) step(.01);
        ck_assert_int_eq(told, 1);
        ck_assert_double_lt(dBodyGetPosition(body)[2], -.5);
        close_world();
    }
}
END_TEST

/* Two boxes on a ball joint fall and rest: the joint holds. */
START_TEST(joints_hold)
{
    pegSettings settings = settings_of(_i ? PEG_CONTACT_RATIO : PEG_CONTACT_LP);
    open_world(&settings, 0, -9.81, .5);
    dBodyID a = add_box(1, 0, .6), b = add_box(1, 1.1, .6);
    dJointID joint = dJointCreateBall(world, NULL);
    dJointAttach(joint, a, b);
    dJointSetBallAnchor(joint, .55, 0, .6);
    for (int i = 0; i < 60; i++) step(.01);
    dVector3 p, q;
    dJointGetBallAnchor(joint, p);
    dJointGetBallAnchor2(joint, q);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(p[k], q[k], 1e-3);
    ck_assert_double_eq_tol(dBodyGetPosition(a)[2], .5, 1e-3);
    close_world();
}
END_TEST

/* The problems of the papers' models of mixed LCPs: bilateral joints are eliminated, stops and
 * motors are variables. Where all contacts are half-spaces the island's own solvers know the same
 * problem, and find the same velocities: a link on a motor that is too weak, one that falls onto
 * its stop, and one that is dragged over the floor. */
static void add_links(dBodyID link[4], double stop, double most)
{
    for (int k = 0; k < 4; k++) link[k] = add_box(.4, .45 * k, .9 - .22 * k);
    for (int k = 0; k < 4; k++) {
        dJointID joint = dJointCreateHinge(world, NULL);
        dJointAttach(joint, link[k], k ? link[k - 1] : NULL);
        dJointSetHingeAnchor(joint, .45 * k - .22, 0, 1 - .22 * k);
        dJointSetHingeAxis(joint, 0, 1, 0);
        ck_assert_int_eq(pegJointSetReferencePose(peg, joint), PEG_OK);
        if (k == 1) dJointSetHingeParam(joint, dParamLoStop, -stop);
        if (k == 1) dJointSetHingeParam(joint, dParamHiStop, stop);
        if (k == 2) dJointSetHingeParam(joint, dParamVel, 2);
        if (k == 2) dJointSetHingeParam(joint, dParamFMax, most);
    }
}

START_TEST(joints_of_mixed_problems_are_those_of_the_core)
{
    static const pegContactModel models[] = {PEG_CONTACT_ST, PEG_CONTACT_AP, PEG_CONTACT_PAPER,
                                             PEG_CONTACT_LNC};
    double v[2][40][4][6];
    for (int solver = 0; solver < 2; solver++) {
        pegSettings settings = settings_of(models[_i]);
        settings.solver = solver ? PEG_SOLVER_PROJECTED : PEG_SOLVER_LEMKE;
        open_world(&settings, 0, -9.81, 0);
        dBodyID link[4];
        add_links(link, .1, 3);
        for (int i = 0; i < 40; i++) {
            step(.01);
            for (int k = 0; k < 4; k++) {
                memcpy(v[solver][i][k], dBodyGetLinearVel(link[k]), 3 * sizeof(double));
                memcpy(v[solver][i][k] + 3, dBodyGetAngularVel(link[k]), 3 * sizeof(double));
            }
        }
        pegStats total;
        pegWorldGetTotals(peg, &total);
        ck_assert_int_eq(total.unconverged, 0);
        ck_assert_int_eq(total.lemke_solves > 0, solver == 0);
        close_world();
    }
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 6; m++) ck_assert_double_eq_tol(v[0][i][k][m], v[1][i][k][m], 1e-6);
}
END_TEST

/* [A 11]: a joint that is off by d is so by (1 - gamma) d after the step. */
START_TEST(joints_are_stabilised_with_gamma)
{
    double gamma = _i ? .5 : 1, d = 1e-3;
    pegSettings settings = settings_of(PEG_CONTACT_RATIO);
    settings.ratio_gamma = gamma;
    open_world(&settings, 0, 0, 0);
    dBodyID a = add_box(1, 0, 3);
    dJointID joint = dJointCreateSlider(world, NULL);
    dJointAttach(joint, a, NULL);
    dJointSetSliderAxis(joint, 1, 0, 0);
    ck_assert_int_eq(pegJointSetReferencePose(peg, joint), PEG_OK);
    dBodySetPosition(a, 0, 0, 3 + d);
    step(.01);
    ck_assert_double_eq_tol(dBodyGetPosition(a)[2] - 3, (1 - gamma) * d, 1e-6);
    close_world();
}
END_TEST

START_TEST(settings_are_refused)
{
    pegSettings settings = settings_of(PEG_CONTACT_RATIO);
    world = dWorldCreate();
    settings.ratio_gamma = 1.5;
    ck_assert_int_eq(pegWorldCreateStatus(world, &settings, &peg), PEG_ERROR_SETTINGS);
    settings = settings_of(PEG_CONTACT_LP);
    settings.lp_stiffness = -1;
    ck_assert_int_eq(pegWorldCreateStatus(world, &settings, &peg), PEG_ERROR_SETTINGS);
    settings = settings_of(PEG_CONTACT_RATIO);
    settings.ratio_passes = 0;
    ck_assert_int_eq(pegWorldCreateStatus(world, &settings, &peg), PEG_ERROR_SETTINGS);
    dWorldDestroy(world);
}
END_TEST

/* --- pegSeparation --------------------------------------------------------------------------- */

START_TEST(separation_of_boxes)
{
    dGeomID a = dCreateBox(NULL, 1, 1, 1), b = dCreateBox(NULL, 2, 2, 2);
    static const double apart[] = {-.1, .25};
    for (int i = 0; i < 2; i++) {
        double value[3];
        dGeomSetPosition(a, .2, .1, 1.5 + apart[i]);
        for (int method = 0; method < 3; method++) {
            pegSeparationResult out;
            ck_assert_int_eq(pegSeparation(a, b, (pegSeparationMethod)method, &out), PEG_OK);
            value[method] = out.value;
            ck_assert_double_eq_tol(out.normal[2], 1, 1e-12);
            if (method < 2) ck_assert_double_eq_tol(out.point1[2] - out.point2[2], apart[i], 1e-12);
        }
        ck_assert_double_eq_tol(value[0], apart[i], 1e-12);
        ck_assert_double_eq_tol(value[1], apart[i], 1e-9);
        ck_assert_double_eq_tol(value[2], apart[i] / (1.5 + apart[i]), 1e-12);
    }
    dGeomDestroy(a);
    dGeomDestroy(b);
}
END_TEST

START_TEST(separation_of_others)
{
    dGeomID ball = dCreateSphere(NULL, .5), plane = dCreatePlane(NULL, 0, 0, 1, 0);
    dGeomID capsule = dCreateCapsule(NULL, .25, 1), cylinder = dCreateCylinder(NULL, .5, 1);
    pegSeparationResult out = {.value = 77};
    dGeomSetPosition(ball, 3, 0, .4);
    ck_assert_int_eq(pegSeparation(ball, plane, PEG_SEPARATION_LP, &out), PEG_OK);
    ck_assert_double_eq_tol(out.value, -.1, 1e-12);
    dGeomSetPosition(ball, 3, 0, 0);
    ck_assert_int_eq(pegSeparation(ball, capsule, PEG_SEPARATION_LP, &out), PEG_OK);
    ck_assert_double_eq_tol(out.value, 2.25, 1e-8);
    out.value = 77;
    ck_assert_int_eq(pegSeparation(ball, plane, PEG_SEPARATION_RATIO, &out), PEG_ERROR_GEOM_CLASS);
    ck_assert_int_eq(pegSeparation(cylinder, plane, PEG_SEPARATION_LP, &out), PEG_ERROR_GEOM_CLASS);
    ck_assert_int_eq(pegSeparation(NULL, plane, PEG_SEPARATION_LP, &out), PEG_ERROR_ARGUMENT);
    dSpaceID all = dSimpleSpaceCreate(NULL);
    ck_assert_int_eq(pegSeparation((dGeomID)all, plane, PEG_SEPARATION_LP, &out),
                     PEG_ERROR_ARGUMENT);
    ck_assert_double_eq(out.value, 77);
    dSpaceDestroy(all);
    dGeomDestroy(ball);
    dGeomDestroy(plane);
    dGeomDestroy(capsule);
    dGeomDestroy(cylinder);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("gap models");
    TCase *models = tcase_create("models");
    dInitODE2(0);
    tcase_add_loop_test(models, gap_after_a_step_of_ratio, 0, 3);
    tcase_add_loop_test(models, slides_as_coulomb_says, 0, 2);
    tcase_add_test(models, friction_settles);
    tcase_add_test(models, relaxation_lifts_off);
    tcase_add_loop_test(models, stack_rests, 0, 2);
    tcase_add_test(models, sphere_slides_and_rolls);
    tcase_add_test(models, round_geoms_rest);
    tcase_add_test(models, heap_of_round_geoms);
    tcase_add_test(models, potential_pushes_the_middle);
    tcase_add_test(models, others_are_refused);
    tcase_add_loop_test(models, joints_hold, 0, 2);
    tcase_add_loop_test(models, joints_of_mixed_problems_are_those_of_the_core, 0, 4);
    tcase_add_loop_test(models, joints_are_stabilised_with_gamma, 0, 2);
    tcase_add_test(models, settings_are_refused);
    tcase_set_timeout(models, 60);
    suite_add_tcase(s, models);
    TCase *separation = tcase_create("separation");
    tcase_add_test(separation, separation_of_boxes);
    tcase_add_test(separation, separation_of_others);
    suite_add_tcase(s, separation);
    return s;
}
