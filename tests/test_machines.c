/* Joints and contacts in one problem, through the public interface. */
#include "tests/runner.h"
#include "tests/joint_cases.h"
#include "peg/base/arena.h"
#include "peg/step/stage.h"
#include "plugin/world.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
} scene;

static scene new_scene(const pegSettings *settings)
{
    scene s = {dWorldCreate(), dSimpleSpaceCreate(NULL), NULL};
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.5};
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, settings, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    dCreatePlane(s.space, 0, 0, 1, 0);
    return s;
}

static void free_scene(scene *s)
{
    pegWorldDestroy(s->peg);
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
}

static dBodyID add_box(scene *s, const double sides[3], double x, double y, double z)
{
    dMass mass;
    dBodyID body = dBodyCreate(s->world);
    dMassSetBoxTotal(&mass, 2, sides[0], sides[1], sides[2]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(dCreateBox(s->space, sides[0], sides[1], sides[2]), body);
    return body;
}

static const double CUBE[3] = {1, 1, 1};

static dJointID ball(scene *s, dBodyID a, dBodyID b, double x, double y, double z)
{
    dJointID joint = dJointCreateBall(s->world, 0);
    dJointAttach(joint, a, b);
    dJointSetBallAnchor(joint, x, y, z);
    return joint;
}

static void step(scene *s, double h, int quick)
{
    ck_assert_int_eq(quick ? pegWorldQuickStep(s->peg, h) : pegWorldStep(s->peg, h), PEG_OK);
}

/* Of the corners of the bodies' boxes. */
static double lowest_corner(const dBodyID *body, int n)
{
    double lowest = INFINITY;
    for (int i = 0; i < n; i++) {
        dVector3 sides, corner;
        dGeomBoxGetLengths(dBodyGetFirstGeom(body[i]), sides);
        for (int k = 0; k < 8; k++) {
            dBodyGetRelPointPos(body[i], (k & 1 ? 0.5 : -0.5) * sides[0],
                                (k & 2 ? 0.5 : -0.5) * sides[1], (k & 4 ? 0.5 : -0.5) * sides[2],
                                corner);
            lowest = fmin(lowest, corner[2]);
        }
    }
    return lowest;
}

static double ball_error(dJointID joint)
{
    dVector3 a, b;
    dJointGetBallAnchor(joint, a);
    dJointGetBallAnchor2(joint, b);
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* --- every type ----------------------------------------------------------------------------- */

/* Random joints with limits and motors are dropped on the floor, and fall over. */
START_TEST(every_type_falls_on_the_floor)
{
    const kind *k = &KIND[_i];
    static const double sides[3] = {0.6, 0.4, 0.5};
    for (int run = 0; run < 6; run++) {
        seed_random(100 * (unsigned)_i + (unsigned)run);
        scene s = new_scene(NULL);
        dBodyID body[2];
        for (int i = 0; i < 2; i++) {
            body[i] = add_box(&s, sides, uniform(-.5, .5), uniform(-.5, .5), uniform(.8, 1.5));
            dBodySetAngularVel(body[i], uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
        }
        dJointID joint = k->create(s.world, 0);
        dJointAttach(joint, body[0], body[1]);
        k->set(joint, peg_joint_set_at(&s.peg->glue->joints, joint));
        ck_assert_int_eq(pegJointSetReferencePose(s.peg, joint), PEG_OK);
        set_limits(k, joint, run % 3 ? STOPS | (run % 2 ? MOTOR : 0) : 0);
        /* gears between bodies that fall get faster and faster, with stock ODE as well */
        for (int n = 0; n < (k->warm ? 30 : 100); n++) {
            step(&s, 0.01, run & 1);
            ck_assert_double_ge(lowest_corner(body, 2), -1e-12);
            ck_assert(dJointIsEnabled(joint));
        }
        pegStats total;
        pegWorldGetTotals(s.peg, &total);
        ck_assert_double_le(total.max_penetration, 0);
        ck_assert_int_eq(total.joints_failed, 0);
        free_scene(&s);
    }
}
END_TEST

/* Trees of joints (_i: with loops, which contradict each other) fall on a floor. */
START_TEST(trees_fall_on_the_floor)
{
    enum { BODIES = 6 };
    static const double sides[3] = {0.4, 0.3, 0.35};
    for (unsigned run = 0; run < 12; run++) {
        seed_random(5000 + run);
        scene s = new_scene(NULL);
        dBodyID body[BODIES];
        for (int i = 0; i < BODIES; i++) {
            int row = i / 3;
            body[i] = add_box(&s, sides, 0.7 * (i % 3), 0.7 * row, uniform(0.8, 1.2));
            dBodySetAngularVel(body[i], uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
        }
        for (int i = 1; i < BODIES + 2 * _i; i++) {
            const kind *k;
            do k = &KIND[(int)uniform(0, KINDS)];
            while (k->warm);
            int other = (int)uniform(0, fmin(i, BODIES - 1));
            dJointID joint = k->create(s.world, 0);
            dJointAttach(joint, body[i < BODIES ? i : BODIES - 1], body[other]);
            k->set(joint, peg_joint_set_at(&s.peg->glue->joints, joint));
            ck_assert_int_eq(pegJointSetReferencePose(s.peg, joint), PEG_OK);
            set_limits(k, joint, (int)uniform(0, 4));
        }
        for (int n = 0; n < 60; n++) {
            step(&s, 0.01, 0);
            ck_assert_double_ge(lowest_corner(body, BODIES), -1e-12);
        }
        pegStats total;
        pegWorldGetTotals(s.peg, &total);
        ck_assert_double_le(total.max_penetration, 0);
        ck_assert_int_eq(total.joints_failed, 0);
        ck_assert_int_gt(total.wide_islands, 0);
        free_scene(&s);
    }
}
END_TEST

/* Two cubes on a ball joint fall past a box whose side they are flush with, from above its edge:
 * what opens the gap of a margin is all that bears. */
START_TEST(jointed_cubes_fall_past_a_flush_side)
{
    scene s = new_scene(NULL);
    dBodyID body[2];
    dGeomID side = dCreateBox(s.space, 2, 2, 1);
    dGeomSetPosition(side, 1.5, 0, 2.5);
    for (int i = 0; i < 2; i++) body[i] = add_box(&s, CUBE, 0, 0, 3.6 + 1.2 * i);
    ball(&s, body[0], body[1], 0, 0, 4.2);
    for (int n = 1; n <= 60; n++) {
        step(&s, 0.01, 0);
        for (int i = 0; i < 2; i++)
            ck_assert_double_eq_tol(dBodyGetLinearVel(body[i])[2], -G * 0.01 * n, 1e-6);
    }
    free_scene(&s);
}
END_TEST

/* --- feedback ------------------------------------------------------------------------------- */

/* What gravity, the contacts and the joint's feedback do to the momentum of each body, per step.
 * Returns the largest force at the joint. */
static double check_balance(scene *s, const dBodyID body[2], const dJointFeedback *feedback,
                            double h, int quick)
{
    double before[2][3], push[2][3], largest = 0;
    pegStats last;
    for (int i = 0; i < 2; i++) memcpy(before[i], dBodyGetLinearVel(body[i]), sizeof before[i]);
    step(s, h, quick);
    pegWorldGetStats(s->peg, &last);
    if (last.limited_islands)
        return 0; /* merged bodies go on as one without an impulse of a contact */
    for (int i = 0; i < 2; i++) {
        const dReal *f = i ? feedback->f2 : feedback->f1;
        for (int k = 0; k < 3; k++) push[i][k] = h * (f[k] - (k == 2 ? 2 * G : 0));
        for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(f[k]));
    }
    for (int n = 0; n < pegWorldGetContactCount(s->peg); n++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s->peg, n, &c), PEG_OK);
        for (int i = 0; i < 2; i++) {
            int side = dGeomGetBody(c.g1) == body[i] ? 1 : dGeomGetBody(c.g2) == body[i] ? -1 : 0;
            for (int k = 0; k < 3; k++)
                push[i][k] += side * (c.impulse * c.normal[k] + c.friction[k]);
        }
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(2 * (dBodyGetLinearVel(body[i])[k] - before[i][k]), push[i][k],
                                    1e-7 * (1 + h * largest));
    return largest;
}

/* _i: dWorldQuickStep */
START_TEST(feedback_knows_the_contacts)
{
    scene s = new_scene(NULL);
    dBodyID body[2] = {add_box(&s, CUBE, 0, 0, 0.6), add_box(&s, CUBE, 1.2, 0, 0.9)};
    dJointFeedback feedback;
    double largest = 0;
    dJointSetFeedback(ball(&s, body[0], body[1], 0.6, 0, 0.7), &feedback);
    dBodySetLinearVel(body[1], 0, 3, -1);
    for (int n = 0; n < 100; n++)
        largest = fmax(largest, check_balance(&s, body, &feedback, 0.01, _i));
    ck_assert_double_gt(largest, 20);
    free_scene(&s);
}
END_TEST

/* The outer loop is kept from its end: the position stage. */
START_TEST(position_stages_keep_joints_and_feedback)
{
    pegStats total;
    long stages = 0;
    for (int run = 0; run < 120 && stages < 5; run++) {
        seed_random(7 + (unsigned)run);
        scene s = new_scene(NULL);
        s.peg->glue->core->settings.max_outer_iterations = 3;
        dBodyID body[2] = {add_box(&s, CUBE, 0, 0, 1.1), add_box(&s, CUBE, 1.5, 0, 1.2)};
        dJointFeedback feedback;
        dJointID joint = ball(&s, body[0], body[1], 0.75, 0, 1.1);
        dJointSetFeedback(joint, &feedback);
        for (int i = 0; i < 2; i++) {
            dBodySetGyroscopicMode(body[i], 0);
            dBodySetAngularVel(body[i], uniform(-20, 20), uniform(-20, 20), uniform(-20, 20));
            dBodySetLinearVel(body[i], uniform(-2, 2), 0, -5);
        }
        for (int n = 0; n < 12; n++) {
            check_balance(&s, body, &feedback, 0.02, 0);
            ck_assert_double_ge(lowest_corner(body, 2), -1e-12);
            ck_assert(dJointIsEnabled(joint));
            ck_assert_double_lt(ball_error(joint), 0.3); /* it turns by .4 in a step */
        }
        pegWorldGetTotals(s.peg, &total);
        stages += total.position_stages;
        ck_assert_int_eq(total.unconverged, 0);
        ck_assert_double_le(total.max_penetration, 0);
        free_scene(&s);
    }
    ck_assert_int_ge(stages, 5);
}
END_TEST

/* --- quick steps ---------------------------------------------------------------------------- */

/* Two wheels on axles, geared to each other. */
static dJointID add_gears(dWorldID world, dBodyID wheel[2])
{
    dMass mass;
    dMassSetBoxTotal(&mass, 2, .4, .4, .1);
    for (int i = 0; i < 2; i++) {
        dJointID axle = dJointCreateHinge(world, 0);
        wheel[i] = dBodyCreate(world);
        dBodySetMass(wheel[i], &mass);
        dBodySetPosition(wheel[i], .6 * i, 0, 2);
        dJointAttach(axle, wheel[i], NULL);
        dJointSetHingeAnchor(axle, .6 * i, 0, 2);
        dJointSetHingeAxis(axle, 0, 0, 1);
    }
    dJointID gears = dJointCreateTransmission(world, 0);
    dJointAttach(gears, wheel[0], wheel[1]);
    dJointSetTransmissionMode(gears, dTransmissionParallelAxes);
    dJointSetTransmissionAxis(gears, 0, 0, 1);
    dJointSetTransmissionAnchor1(gears, 0, 0, 2);
    dJointSetTransmissionAnchor2(gears, .6, 0, 2);
    dJointSetTransmissionRatio(gears, 2);
    return gears;
}

/* Through several turns, which ODE counts in its step. _i: dWorldQuickStep */
START_TEST(gears_turn_as_in_ode)
{
    scene s = new_scene(NULL);
    dWorldID stock = dWorldCreate();
    dBodyID wheel[2], twin[2];
    dWorldSetGravity(stock, 0, 0, -G);
    ck_assert_int_eq(pegJointSetReferencePose(s.peg, add_gears(s.world, wheel)), PEG_OK);
    add_gears(stock, twin);
    dGeomSetBody(dCreateBox(s.space, .1, .1, .1), wheel[0]);
    add_box(&s, CUBE, 3, 0, .5);
    for (int i = 0; i < 300; i++) {
        dBodyAddTorque(wheel[0], 0, 0, 1);
        dBodyAddTorque(twin[0], 0, 0, 1);
        step(&s, .01, _i);
        dWorldStep(stock, .01);
    }
    ck_assert_double_gt(dBodyGetAngularVel(twin[0])[2], 10);
    for (int k = 0; k < 2; k++) {
        double was = dBodyGetAngularVel(twin[k])[2];
        ck_assert_double_eq_tol(dBodyGetAngularVel(wheel[k])[2], was, 1e-6 * fabs(was));
    }
    dWorldDestroy(stock);
    free_scene(&s);
}
END_TEST

START_TEST(quick_steps_are_exact)
{
    scene s[2];
    dBodyID body[2][2];
    dJointID joint[2];
    for (int i = 0; i < 2; i++) {
        s[i] = new_scene(NULL);
        body[i][0] = add_box(&s[i], CUBE, 0, 0, 0.6);
        body[i][1] = add_box(&s[i], CUBE, 1.2, 0.1, 1.3);
        joint[i] = ball(&s[i], body[i][0], body[i][1], 0.6, 0, 1);
    }
    for (int n = 0; n < 50; n++) {
        for (int i = 0; i < 2; i++) step(&s[i], 0.01, i);
        for (int k = 0; k < 3; k++)
            for (int b = 0; b < 2; b++)
                ck_assert_double_eq_tol(dBodyGetPosition(body[0][b])[k],
                                        dBodyGetPosition(body[1][b])[k], 1e-6);
        ck_assert(dJointIsEnabled(joint[1]));
    }
    for (int i = 0; i < 2; i++) free_scene(&s[i]);
}
END_TEST

/* --- what hangs and stands ------------------------------------------------------------------ */

/* Every second cube of a stack is fixed to the next but one. */
START_TEST(jointed_stack_stands)
{
    enum { CUBES = 8 };
    scene s = new_scene(NULL);
    dBodyID body[CUBES];
    for (int i = 0; i < CUBES; i++) {
        body[i] = add_box(&s, CUBE, 0.02 * (i % 2), 0, 0.5 + i);
        if (i < 2) continue;
        dJointID joint = dJointCreateFixed(s.world, 0);
        dJointAttach(joint, body[i - 2], body[i]);
        dJointSetFixed(joint);
        ck_assert_int_eq(pegJointSetReferencePose(s.peg, joint), PEG_OK);
    }
    for (int n = 0; n < 200; n++) {
        pegStats last;
        step(&s, 0.01, 0);
        pegWorldGetStats(s.peg, &last);
        ck_assert_double_le(last.max_penetration, 0);
        for (int i = 1; i < CUBES; i++)
            ck_assert_double_ge(dBodyGetPosition(body[i])[2] - dBodyGetPosition(body[i - 1])[2],
                                1 - 1e-9);
    }
    for (int i = 0; i < CUBES; i++)
        ck_assert_double_eq_tol(dBodyGetPosition(body[i])[2], 0.5 + i, 1e-3);
    free_scene(&s);
}
END_TEST

/* More bodies than are solved to the last digit while they tumble: a net of links and cubes. */
START_TEST(large_islands_keep_their_joints)
{
    enum { LINKS = 36, CUBES = 12 };
    static const double link_sides[3] = {0.4, 0.3, 0.2}, sides[3] = {0.5, 0.5, 0.5};
    scene s = new_scene(NULL);
    dBodyID body[LINKS + CUBES];
    dJointID joint[LINKS];
    double error = 0;
    int joints = 0;
    for (int i = 0; i < CUBES; i++)
        body[LINKS + i] = add_box(&s, sides, 0.7 * (i % 4), 0.7 * (i / 4), 0.3);
    for (int i = 0; i < LINKS; i++) {
        double x = 0.5 * (i % 6), y = 0.4 * (i / 6), z = 0.8 + 0.02 * (i % 6);
        body[i] = add_box(&s, link_sides, x, y, z);
        dBodySetAngularVel(body[i], 1, -2, 1);
        if (i % 6) joint[joints++] = ball(&s, body[i - 1], body[i], x - 0.25, y, z);
    }
    pegStats total;
    for (int n = 0; n < 80; n++) {
        step(&s, 0.01, 0);
        for (int i = 0; i < joints; i++) error = fmax(error, ball_error(joint[i]));
        ck_assert_double_ge(lowest_corner(body, LINKS + CUBES), -1e-12);
    }
    pegWorldGetTotals(s.peg, &total);
    ck_assert_int_gt(total.pgs_solves, 0);
    ck_assert_int_eq(total.limited_islands, 0);
    ck_assert_double_le(total.max_penetration, 0);
    ck_assert_double_lt(error, 0.02);
    free_scene(&s);
}
END_TEST

/* A weight without shape hangs on a cube. */
START_TEST(body_without_shape_weighs)
{
    scene s = new_scene(NULL);
    dBodyID cube = add_box(&s, CUBE, 0, 0, 0.5), weight = dBodyCreate(s.world);
    dMass mass;
    dMassSetSphereTotal(&mass, 10, 0.1);
    dBodySetMass(weight, &mass);
    dBodySetPosition(weight, 0.1, 0, 0.4);
    dJointID joint = dJointCreateFixed(s.world, 0);
    dJointAttach(joint, weight, cube);
    dJointSetFixed(joint);
    for (int n = 0; n < 100; n++) step(&s, 0.01, 0);
    double force = 0;
    for (int n = 0; n < pegWorldGetContactCount(s.peg); n++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s.peg, n, &c), PEG_OK);
        force += c.impulse / 0.01;
    }
    ck_assert_double_eq_tol(force, 12 * G, 1e-6);
    ck_assert_double_eq_tol(dBodyGetPosition(weight)[2], 0.4, 1e-4);
    free_scene(&s);
}
END_TEST

/* Two fixed joints hold a body of 37 g and 1e-7 kg m^2: a world's default CFM is lost beside
 * J M^-1 J', and ODE's own factors of the redundant rows hold NaN, on which it aborts. */
START_TEST(redundant_joints_of_a_light_body_are_solved)
{
    scene s = new_scene(NULL);
    dBodyID body = dBodyCreate(s.world);
    dBodySetPosition(body, .19, .22, .22);
    dMass mass;
    dMassSetParameters(&mass, .0367, 0, 0, 0, 1.62e-7, 2.58e-8, 1.59e-7, 0, 0, 0);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateSphere(s.space, .01), body);
    dBodySetLinearVel(body, 1, 2, 3);
    for (int i = 0; i < 2; i++) {
        dJointID joint = dJointCreateFixed(s.world, 0);
        dJointAttach(joint, body, 0);
        dJointSetFixed(joint);
    }
    for (int i = 0; i < 100; i++) ck_assert_int_eq(pegWorldStep(s.peg, .06), PEG_OK);
    const dReal *x = dBodyGetPosition(body);
    ck_assert_double_eq_tol(x[0], .19, 1e-6);
    ck_assert_double_eq_tol(x[1], .22, 1e-6);
    ck_assert_double_eq_tol(x[2], .22, 1e-6);
    free_scene(&s);
}
END_TEST

/* What rests with joints rests to the bit, and its step is not made anew. */
START_TEST(jointed_bodies_rest)
{
    scene s = new_scene(NULL);
    dBodyID a = add_box(&s, CUBE, 0, 0, 0.5), b = add_box(&s, CUBE, 1.2, 0, 0.5);
    dJointFeedback feedback;
    dJointSetFeedback(ball(&s, a, b, 0.6, 0, 0.5), &feedback);
    for (int n = 0; n < 100; n++) step(&s, 0.01, 0);
    double x[3];
    pegStats last;
    memcpy(x, dBodyGetPosition(b), sizeof x);
    for (int n = 0; n < 100; n++) step(&s, 0.01, 0);
    ck_assert(!memcmp(x, dBodyGetPosition(b), sizeof x));
    pegWorldGetStats(s.peg, &last);
    ck_assert_int_eq(last.resting_islands, 1);
    dBodyAddForce(b, 0, 0, 100); /* the step before is no answer any more */
    step(&s, 0.01, 0);
    ck_assert_double_gt(dBodyGetLinearVel(b)[2], 0.1);
    free_scene(&s);
}
END_TEST

/* Chains of four bars that fall askew come to rest, and their steps are repeated, though ODE scales
 * quaternions over and over, so that rows of joints change by their last bits. */
START_TEST(chains_rest_in_any_direction)
{
    for (int k = 0; k < 8; k++) {
        scene s = new_scene(NULL);
        dBodyID bar[4];
        double angle = 0.3 + 0.7 * k, c = cos(angle), d = sin(angle);
        for (int i = 0; i < 4; i++) {
            dMatrix3 R;
            bar[i] = add_box(&s, (double[]){0.9, 0.2, 0.1}, i * c, i * d, 0.6);
            dRFromAxisAndAngle(R, 0, 0, 1, angle);
            dBodySetRotation(bar[i], R);
            if (i) ball(&s, bar[i], bar[i - 1], (i - 0.5) * c, (i - 0.5) * d, 0.6);
        }
        dBodySetAngularVel(bar[0], 0.5 * d, 0.3, 0.2);
        pegStats last;
        int rests = 0;
        for (int n = 0; n < 1500 && !rests; n++) {
            step(&s, 0.01, 0);
            pegWorldGetStats(s.peg, &last);
            rests = n > 100 && last.resting_islands == 1;
        }
        ck_assert_msg(rests, "turned by %g rad", angle);
        free_scene(&s);
    }
}
END_TEST

/* _i: dWorldQuickStep */
START_TEST(jointed_bodies_sleep_and_wake_together)
{
    scene s = new_scene(NULL);
    dWorldSetAutoDisableFlag(s.world, 1);
    dBodyID body[3] = {add_box(&s, CUBE, 0, 0, 0.5), add_box(&s, CUBE, 1.2, 0, 0.5)};
    ball(&s, body[0], body[1], 0.6, 0, 0.5);
    for (int n = 0; n < 100; n++) step(&s, 0.01, _i);
    ck_assert(!dBodyIsEnabled(body[0]) && !dBodyIsEnabled(body[1]));
    body[2] = add_box(&s, CUBE, -0.4, 0, 2.5);
    for (int n = 0; n < 60 && !dBodyIsEnabled(body[0]); n++) step(&s, 0.01, _i);
    ck_assert(dBodyIsEnabled(body[0]));
    step(&s, 0.01, _i);
    ck_assert(dBodyIsEnabled(body[1]));
    for (int n = 0; n < 300; n++) {
        step(&s, 0.01, _i);
        ck_assert_double_ge(lowest_corner(body, 3), -1e-12);
    }
    ck_assert(!dBodyIsEnabled(body[0]) && !dBodyIsEnabled(body[1]));
    free_scene(&s);
}
END_TEST

/* --- joints that contradict ----------------------------------------------------------------- */

/* _i: dWorldQuickStep. A cube is fixed to the world twice, in two places, and to a cube that stands
 * in its way. */
START_TEST(contradictions_have_an_answer)
{
    scene s = new_scene(NULL);
    dBodyID body[2] = {add_box(&s, CUBE, 0, 0, 1), add_box(&s, CUBE, 0.3, 0, 2.2)};
    for (int i = 0; i < 3; i++) {
        dJointID joint = dJointCreateFixed(s.world, 0);
        dJointAttach(joint, body[0], i == 2 ? body[1] : NULL);
        dBodySetPosition(body[0], 0.1 * i, 0, 1 - 0.3 * i);
        dJointSetFixed(joint);
        pegJointSetReferencePose(s.peg, joint);
    }
    dBodySetPosition(body[0], 0, 0, 1);
    for (int n = 0; n < 100; n++) {
        step(&s, 0.01, _i);
        ck_assert_double_ge(lowest_corner(body, 2), -1e-12);
        for (int i = 0; i < 2; i++) {
            const dReal *v = dBodyGetLinearVel(body[i]);
            ck_assert_double_lt(hypot(hypot(v[0], v[1]), v[2]), 20);
        }
    }
    pegStats total;
    pegWorldGetTotals(s.peg, &total);
    ck_assert_int_eq(total.unconverged, 0);
    free_scene(&s);
}
END_TEST

/* --- worlds, memory, errors ------------------------------------------------------------------ */

static scene machine(dBodyID body[3])
{
    scene s = new_scene(NULL);
    for (int i = 0; i < 3; i++) body[i] = add_box(&s, CUBE, 1.2 * i, 0.1 * i, 1 + 0.3 * i);
    for (int i = 0; i < 2; i++) {
        dJointID joint = dJointCreateHinge(s.world, 0);
        dJointAttach(joint, body[i], body[i + 1]);
        dJointSetHingeAnchor(joint, 0.6 + 1.2 * i, 0, 1);
        dJointSetHingeAxis(joint, 0, 1, 0.1);
        dJointSetHingeParam(joint, dParamLoStop, -0.4);
        dJointSetHingeParam(joint, dParamHiStop, 0.4);
        ck_assert_int_eq(pegJointSetReferencePose(s.peg, joint), PEG_OK);
    }
    return s;
}

/* Worlds stepped in turn move like a world by itself. */
enum { BALLS = 5 };

/* Kinetic and potential energy of a door and its balls, J. */
static double energy_of(const dBodyID *body, int n)
{
    double energy = 0;
    for (int i = 0; i < n; i++) {
        dMass mass;
        dBodyGetMass(body[i], &mass);
        const dReal *v = dBodyGetLinearVel(body[i]), *w = dBodyGetAngularVel(body[i]);
        const dReal *R = dBodyGetRotation(body[i]);
        energy += mass.mass * G * dBodyGetPosition(body[i])[2];
        for (int k = 0; k < 3; k++) {
            double turn = R[k] * w[0] + R[4 + k] * w[1] + R[8 + k] * w[2];
            energy += 0.5 * (mass.mass * v[k] * v[k] + mass.I[5 * k] * turn * turn);
        }
    }
    return energy;
}

/* Balls wedge themselves between a door, the floor and each other, where the hinge would correct
 * 1 mm against any impulse. */
START_TEST(a_wedged_ball_adds_no_energy)
{
    const double h = 0.05, mu = _i ? dInfinity : 10, sides[] = {1, .05, 2};
    scene s = new_scene(NULL);
    dBodyID body[1 + BALLS];
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = mu};
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    dMass mass;
    dMassSetBox(&mass, 100, sides[0], sides[1], sides[2]);
    body[0] = add_box(&s, sides, .51, 0, 1.05);
    dBodySetMass(body[0], &mass);
    dJointID hinge = dJointCreateHinge(s.world, 0);
    dJointAttach(hinge, body[0], NULL);
    dJointSetHingeAnchor(hinge, 0, 0, 1.05);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    ck_assert_int_eq(pegJointSetReferencePose(s.peg, hinge), PEG_OK);
    dGeomSetPosition(dCreateBox(s.space, .1, .1, 2.2), -.06, 0, 1.1);
    dMassSetSphere(&mass, 400, .1);
    for (int i = 1; i <= BALLS; i++) {
        body[i] = dBodyCreate(s.world);
        dBodySetMass(body[i], &mass);
        dBodySetPosition(body[i], .24 + .06 * i, -1.5 - .5 * i, .4 + .1 * i);
        dGeomSetBody(dCreateSphere(s.space, .1), body[i]);
        dBodySetLinearVel(body[i], 0, 6, 0);
    }
    double before = energy_of(body, 1 + BALLS), rise = 0;
    for (int k = 0; k < 120; k++) {
        step(&s, h, 0);
        double now = energy_of(body, 1 + BALLS);
        rise = fmax(rise, now - before);
        before = now;
    }
    /* 14 and 823 J of 300 without it; corrections without a wedge may add 1e-3 of all */
    ck_assert_double_lt(rise, 0.3);
    free_scene(&s);
}
END_TEST

START_TEST(worlds_are_apart)
{
    dBodyID body[3][3];
    scene s[3] = {machine(body[0]), machine(body[1]), machine(body[2])};
    dBodyAddForce(body[1][1], 50, 20, 0);
    for (int n = 0; n < 60; n++)
        for (int i = 0; i < 2; i++) step(&s[i], 0.01, 0);
    for (int n = 0; n < 60; n++) step(&s[2], 0.01, 0);
    for (int i = 0; i < 3; i++)
        ck_assert(
            !memcmp(dBodyGetPosition(body[0][i]), dBodyGetPosition(body[2][i]), 3 * sizeof(dReal)));
    for (int i = 0; i < 3; i++) free_scene(&s[i]);
}
END_TEST

/* A chain that swings beside a wall without touching it moves as without the wall, to the bit: what
 * closes no contact is the motion that joints alone lead to. */
START_TEST(contacts_that_stay_open_move_no_bit)
{
    scene s[2];
    dBodyID body[2][3];
    for (int i = 0; i < 2; i++) {
        s[i] = new_scene(NULL);
        for (int k = 0; k < 3; k++) {
            body[i][k] = add_box(&s[i], (double[]){0.2, 0.2, 0.8}, 0, 0, 4 - k);
            ball(&s[i], body[i][k], k ? body[i][k - 1] : NULL, 0, 0, 4.5 - k);
        }
        dBodySetLinearVel(body[i][2], 0, 2, 0);
    }
    dGeomID wall = dCreateBox(s[0].space, 1, 6, 6);
    dGeomSetPosition(wall, 0.6 + 2e-4, 0, 3);
    for (int n = 0; n < 100; n++) {
        for (int i = 0; i < 2; i++) step(&s[i], 0.01, 0);
        for (int k = 0; k < 3; k++)
            ck_assert(!memcmp(dBodyGetPosition(body[0][k]), dBodyGetPosition(body[1][k]),
                              3 * sizeof(dReal)));
    }
    pegStats total;
    pegWorldGetTotals(s[0].peg, &total);
    ck_assert_int_ge(total.islands, 100); /* the wall is in reach all the time */
    for (int i = 0; i < 2; i++) free_scene(&s[i]);
}
END_TEST

/* _i: all allocations after the n-th fail, too. */
START_TEST(step_without_memory)
{
    long n = 1;
    for (int refused = 1; refused; n++) {
        dBodyID body[3];
        scene s = machine(body);
        double x[3][3];
        for (int i = 0; i < 3; i++) memcpy(x[i], dBodyGetPosition(body[i]), sizeof x[i]);
        peg_memory_fail_at(n, _i);
        pegStatus status = pegWorldStep(s.peg, 0.01);
        refused = peg_memory_fail_at(0, 0) >= n;
        if (status != PEG_OK) {
            ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            for (int i = 0; i < 3; i++)
                ck_assert(!memcmp(x[i], dBodyGetPosition(body[i]), sizeof x[i]));
            ck_assert(dJointIsEnabled(dBodyGetJoint(body[0], 0)));
        }
        for (int k = 0; k < 30; k++) step(&s, 0.02, k & 1);
        ck_assert_double_ge(lowest_corner(body, 3), -1e-12);
        free_scene(&s);
    }
    ck_assert_int_gt(n, 10);
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    scene s = new_scene(NULL);
    dBodyID body = add_box(&s, CUBE, 0, 0, 1);
    dJointID hinge = dJointCreateHinge(s.world, 0), plane = dJointCreatePlane2D(s.world, 0);
    dJointID motor = dJointCreateLMotor(s.world, 0);
    dJointAttach(hinge, body, NULL);
    ck_assert_int_eq(pegJointSetReferencePose(NULL, hinge), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetReferencePose(s.peg, NULL), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetReferencePose(s.peg, hinge), PEG_OK);
    ck_assert_int_eq(pegJointSetLMotorAxis(s.peg, hinge, 0, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetLMotorAxis(s.peg, motor, 3, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetLMotorAxis(s.peg, motor, 0, 3), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetLMotorAxis(s.peg, motor, 2, 1), PEG_OK);
    ck_assert_int_eq(pegJointSetPlane2DParam(s.peg, motor, 0, dParamVel, 1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetPlane2DParam(s.peg, plane, -1, dParamVel, 1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegJointSetPlane2DParam(s.peg, plane, 0, dParamVel, NAN),
                     PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(pegJointSetPlane2DParam(s.peg, plane, 2, dParamVel, 1), PEG_OK);
    peg_memory_fail_at(1, 1);
    dJointID other = dJointCreateSlider(s.world, 0);
    for (int i = 0; i < 100; i++) pegJointSetReferencePose(s.peg, other);
    peg_memory_fail_at(0, 0);
    free_scene(&s);
}
END_TEST

Suite *test_suite(void)
{
    dInitODE2(0);
    test_at_end(dCloseODE);
    Suite *suite = suite_create("machines");
    TCase *use = tcase_create("use");
    tcase_set_timeout(use, 60);
    test_long(use);
    tcase_add_loop_test(use, every_type_falls_on_the_floor, 0, KINDS);
    tcase_add_loop_test(use, trees_fall_on_the_floor, 0, 2);
    tcase_add_loop_test(use, feedback_knows_the_contacts, 0, 2);
    tcase_add_test(use, position_stages_keep_joints_and_feedback);
    tcase_add_loop_test(use, gears_turn_as_in_ode, 0, 2);
    tcase_add_test(use, jointed_cubes_fall_past_a_flush_side);
    tcase_add_test(use, quick_steps_are_exact);
    tcase_add_test(use, jointed_stack_stands);
    tcase_add_test(use, large_islands_keep_their_joints);
    tcase_add_test(use, body_without_shape_weighs);
    tcase_add_test(use, redundant_joints_of_a_light_body_are_solved);
    tcase_add_test(use, jointed_bodies_rest);
    tcase_add_test(use, chains_rest_in_any_direction);
    tcase_add_loop_test(use, jointed_bodies_sleep_and_wake_together, 0, 2);
    tcase_add_loop_test(use, contradictions_have_an_answer, 0, 2);
    tcase_add_loop_test(use, a_wedged_ball_adds_no_energy, 0, 2);
    tcase_add_test(use, worlds_are_apart);
    tcase_add_test(use, contacts_that_stay_open_move_no_bit);
    tcase_add_loop_test(use, step_without_memory, 0, 2);
    tcase_add_test(use, wrong_calls_are_refused);
    suite_add_tcase(suite, use);
    return suite;
}
