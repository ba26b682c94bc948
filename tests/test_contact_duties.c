/* What contact joints did beside the surfaces: feedback, sleep, cost. */
#include "peg/base/arena.h"
#include "tests/contact_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

static const dSurfaceParameters rough = {.mode = dContactApprox1, .mu = 0.5};

/* --- feedback --- */

/* A box off its balance on a slope, held by friction: forces and torques as ODE tells them,
 * whatever the order of the geoms. */
START_TEST(feedback_equals_ode)
{
    dJointFeedback sum[2];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        s.swap = _i;
        s.contact.surface = rough;
        contact_scene_tilt(&s, 20);
        contact_scene_ground(&s);
        contact_scene_box(&s, 1, 1, 0.5, 0, 0, 0.25);
        contact_scene_run(&s, 0.01, 2);
        sum[stock] = s.sum;
        contact_scene_free(&s);
    }
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(sum[0].f1[k], sum[1].f1[k], 1e-3);
        ck_assert_double_eq_tol(sum[0].t1[k], 0, 1e-3);
        ck_assert(sum[0].f2[k] == 0 && sum[0].t2[k] == 0);
    }
    ck_assert_double_gt(sum[0].f1[2], 18);
}
END_TEST

START_TEST(feedback_of_two_bodies_is_opposite)
{
    contact_scene s = contact_scene_new(0);
    s.contact.surface = rough;
    contact_scene_box(&s, 1, 1, 1, 0, 0, 0.5);
    dBodyID low = dGeomGetBody(dSpaceGetGeom(s.space, 0));
    dBodySetKinematic(low);
    dBodyID high = contact_scene_box(&s, 1, 1, 1, 0.3, 0.2, 1.501);
    dJointFeedback first, second;
    dContact contact = {.surface = rough,
                        .geom = {.g1 = dBodyGetFirstGeom(low), .g2 = dBodyGetFirstGeom(high)}};
    for (int i = 0; i < 100; i++) {
        first.f1[2] = 99;
        ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, &first), PEG_OK);
        ck_assert_double_eq(first.f1[2], 0);
        ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, &second), PEG_OK);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    }
    ck_assert(first.f1[2] == 0 && first.f2[2] == 0);
    ck_assert_double_eq_tol(second.f1[2], -2 * G, 1e-6);
    ck_assert_double_eq_tol(second.f2[2], 2 * G, 1e-6);
    /* the load presses on the lower box below its own centre */
    ck_assert_double_eq_tol(second.t1[0], -2 * G * 0.2, 1e-4);
    ck_assert_double_eq_tol(second.t1[1], 2 * G * 0.3, 1e-4);
    ck_assert_double_lt(fabs(second.t2[0]) + fabs(second.t2[1]), 1e-4);
    contact_scene_free(&s);
}
END_TEST

/* --- sleep --- */

/* Steps until the body sleeps, or `most`. */
static int steps_awake(contact_scene *s, dBodyID body, int most)
{
    int n = 0;
    while (dBodyIsEnabled(body) && n < most) {
        contact_scene_step(s, 0.01);
        n++;
    }
    return n;
}

static void set_sleep(contact_scene *s, int steps, double time, unsigned samples)
{
    dWorldSetAutoDisableFlag(s->world, 1);
    dWorldSetAutoDisableSteps(s->world, steps);
    dWorldSetAutoDisableTime(s->world, time);
    dWorldSetAutoDisableAverageSamplesCount(s->world, samples);
    dWorldSetAutoDisableLinearThreshold(s->world, 0.02);
    dWorldSetAutoDisableAngularThreshold(s->world, 0.02);
}

/* ODE falls asleep one step sooner: contacts are known here only after the step that had them. */
START_TEST(falls_asleep_when_ode_does)
{
    static const struct {
        int steps;
        double time;
        unsigned samples;
    } settings[] = {{10, 0, 1}, {0, 0.3, 1}, {5, 0.2, 1}, {10, 0, 7}, {1, 0, 20}};
    int n[2];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        s.contact.surface = rough;
        set_sleep(&s, settings[_i].steps, settings[_i].time, settings[_i].samples);
        contact_scene_ground(&s);
        dBodyID body = contact_scene_box(&s, 1, 1, 0.2, 0, 0, 0.1);
        n[stock] = steps_awake(&s, body, 200);
        for (int k = 0; k < 3; k++) ck_assert_double_eq(dBodyGetLinearVel(body)[k], 0);
        double z = dBodyGetPosition(body)[2];
        contact_scene_run(&s, 0.01, 1);
        ck_assert_double_eq(dBodyGetPosition(body)[2], z);
        ck_assert(!dBodyIsEnabled(body));
        /* the program wakes it: it starts counting anew */
        dBodyEnable(body);
        int again = steps_awake(&s, body, 200);
        ck_assert_int_ge(again, settings[_i].steps);
        ck_assert_int_le(again, n[stock] + 1);
        contact_scene_free(&s);
    }
    ck_assert_int_eq(n[0], n[1] + 1);
}
END_TEST

START_TEST(sleeping_pile_is_woken_by_a_hit_and_sleeps_again)
{
    contact_scene s = contact_scene_new(0);
    dBodyID body[5];
    s.contact.surface = rough;
    set_sleep(&s, 10, 0, 1);
    contact_scene_ground(&s);
    for (int i = 0; i < 5; i++)
        body[i] = contact_scene_box(&s, 1, 1, 0.5, 0.1 * i, 0, 0.2501 + 0.5001 * i);
    dBodyID apart = contact_scene_box(&s, 1, 1, 0.5, 9, 0, 0.2501);
    for (int i = 0; i < 5; i++) ck_assert_int_lt(steps_awake(&s, body[i], 200), 200);
    for (int i = 0; i < 5; i++) ck_assert(!dBodyIsEnabled(body[i]));
    ck_assert_int_lt(steps_awake(&s, apart, 200), 200);
    double x = dBodyGetPosition(body[2])[0];
    contact_scene_run(&s, 0.01, 0.5);
    ck_assert(dBodyGetPosition(body[2])[0] == x && !dBodyIsEnabled(body[2]));

    dBodyID hammer = contact_scene_box(&s, 0.3, 0.3, 0.3, 0.4, 0, 3.5);
    int all_awake = 0;
    for (int i = 0; i < 60; i++) {
        int awake = 0;
        contact_scene_step(&s, 0.01);
        for (int k = 0; k < 5; k++) awake += dBodyIsEnabled(body[k]);
        all_awake |= awake == 5;
        ck_assert(!dBodyIsEnabled(apart));
    }
    ck_assert(all_awake);
    contact_scene_run(&s, 0.01, 2);
    for (int i = 0; i < 5; i++) ck_assert(!dBodyIsEnabled(body[i]));
    ck_assert(!dBodyIsEnabled(hammer));
    contact_scene_free(&s);
}
END_TEST

START_TEST(only_bodies_that_touch_fall_asleep)
{
    contact_scene s = contact_scene_new(0);
    dWorldSetGravity(s.world, 0, 0, 0);
    set_sleep(&s, 5, 0, 1);
    dGeomID ground = contact_scene_ground(&s);
    dBodyID floating = contact_scene_box(&s, 1, 1, 1, 5, 0, 3);
    contact_scene_run(&s, 0.01, 1);
    ck_assert(dBodyIsEnabled(floating));
    dWorldSetGravity(s.world, 0, 0, -G);
    dBodyID first = contact_scene_box(&s, 1, 1, 1, 0, 0, 0.5001),
            second = contact_scene_box(&s, 1, 1, 1, 0, 0, 1.5002);
    dBodySetAutoDisableFlag(second, 0);
    contact_scene_run(&s, 0.01, 1);
    /* tired, but kept awake by its neighbour, when the ground goes away */
    ck_assert(dBodyIsEnabled(first) && dBodyIsEnabled(second));
    dGeomDestroy(dBodyGetFirstGeom(second));
    dGeomDestroy(ground);
    contact_scene_step(&s, 0.01);
    ck_assert(dBodyIsEnabled(first));
    ck_assert_double_eq_tol(dBodyGetLinearVel(first)[2], -0.01 * G, 1e-9);
    contact_scene_free(&s);
}
END_TEST

/* ODE's allocator gives the address of a destroyed body to the next one. */
START_TEST(counters_do_not_outlive_the_body)
{
    contact_scene s = contact_scene_new(0);
    set_sleep(&s, 20, 0, 1);
    contact_scene_ground(&s);
    dBodyID body = contact_scene_box(&s, 1, 1, 1, 0, 0, 0.5001), old = body;
    for (int i = 0; i < 30 && dBodyIsEnabled(body); i++) contact_scene_step(&s, 0.01);
    dGeomDestroy(dBodyGetFirstGeom(body));
    dBodyDestroy(body);
    body = contact_scene_box(&s, 1, 1, 1, 0, 0, 9);
    contact_scene_step(&s, 0.01);
    ck_assert_msg(dBodyIsEnabled(body), "fell asleep in mid-air (same address: %d)", body == old);
    ck_assert_double_lt(dBodyGetLinearVel(body)[2], 0);
    contact_scene_free(&s);
}
END_TEST

START_TEST(moving_kinematic_body_wakes_sleepers)
{
    contact_scene s = contact_scene_new(0);
    contact_scene_ground(&s);
    dBodyID lift = contact_scene_box(&s, 2, 2, 0.2, 0, 0, 0.2),
            load = contact_scene_box(&s, 1, 1, 1, 0, 0, 0.80001);
    dBodySetKinematic(lift);
    dBodyDisable(load);
    contact_scene_run(&s, 0.01, 0.1);
    ck_assert(!dBodyIsEnabled(load));
    dBodySetLinearVel(lift, 0, 0, 0.5);
    contact_scene_run(&s, 0.01, 0.5);
    ck_assert(dBodyIsEnabled(load));
    ck_assert_double_ge(dBodyGetPosition(load)[2], 0.8 + 0.25);
    contact_scene_free(&s);
}
END_TEST

START_TEST(contacts_are_no_joints_to_the_program)
{
    contact_scene s = contact_scene_new(0);
    s.contact.surface = rough;
    contact_scene_ground(&s);
    dBodyID a = contact_scene_box(&s, 1, 1, 1, 0, 0, 0.5001),
            b = contact_scene_box(&s, 1, 1, 1, 0, 0, 1.5002);
    contact_scene_run(&s, 0.01, 0.2);
    ck_assert(pegWorldGetContactCount(s.peg) > 0);
    ck_assert(!dAreConnected(a, b) && !dAreConnectedExcluding(a, b, dJointTypeContact));
    ck_assert_double_ge(dBodyGetPosition(b)[2], 1.5);
    /* what a joint connects does not touch, as the callback has it */
    dJointID joint = dJointCreateHinge(s.world, 0);
    dJointAttach(joint, a, b);
    dJointSetHingeAxis(joint, 0, 1, 0);
    ck_assert(dAreConnectedExcluding(a, b, dJointTypeContact));
    contact_scene_step(&s, 0.01);
    for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
        ck_assert(!dGeomGetBody(c.g1) || !dGeomGetBody(c.g2));
    }
    contact_scene_free(&s);
}
END_TEST

/* --- cost --- */

START_TEST(warmed_step_allocates_nothing)
{
    contact_scene s = contact_scene_new(0);
    s.contact.surface = rough;
    set_sleep(&s, 1000, 0, 5);
    contact_scene_ground(&s);
    for (int i = 0; i < 4; i++) contact_scene_box(&s, 1, 1, 0.5, 0.1 * i, 0, 0.2501 + 0.5001 * i);
    contact_scene_run(&s, 0.01, 0.5);
    peg_memory_fail_at(0, 0);
    contact_scene_run(&s, 0.01, 0.5);
    ck_assert_int_eq(peg_memory_fail_at(0, 0), 0);
    contact_scene_free(&s);
}
END_TEST

START_TEST(bodies_apart_move_as_in_ode)
{
    dReal x[2][16];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        s.contact.surface = rough;
        set_sleep(&s, 1, 0, 1);
        contact_scene_ground(&s);
        dBodyID body = contact_scene_box(&s, 1, 0.5, 0.2, 0, 0, 20);
        contact_scene_box(&s, 1, 1, 1, 3, 0, 0.5);
        dBodySetAngularVel(body, 1, 5, -3);
        contact_scene_run(&s, 0.01, 1);
        memcpy(x[stock], dBodyGetPosition(body), 3 * sizeof(dReal));
        memcpy(x[stock] + 3, dBodyGetQuaternion(body), 4 * sizeof(dReal));
        memcpy(x[stock] + 7, dBodyGetLinearVel(body), 3 * sizeof(dReal));
        memcpy(x[stock] + 10, dBodyGetAngularVel(body), 3 * sizeof(dReal));
        contact_scene_free(&s);
    }
    ck_assert(!memcmp(x[0], x[1], 13 * sizeof(dReal)));
}
END_TEST

TCase *contact_duty_tests(void)
{
    TCase *duties = tcase_create("duties");
    tcase_set_timeout(duties, 60);
    tcase_add_loop_test(duties, feedback_equals_ode, 0, 2);
    tcase_add_test(duties, feedback_of_two_bodies_is_opposite);
    tcase_add_loop_test(duties, falls_asleep_when_ode_does, 0, 5);
    tcase_add_test(duties, sleeping_pile_is_woken_by_a_hit_and_sleeps_again);
    tcase_add_test(duties, only_bodies_that_touch_fall_asleep);
    tcase_add_test(duties, counters_do_not_outlive_the_body);
    tcase_add_test(duties, moving_kinematic_body_wakes_sleepers);
    tcase_add_test(duties, contacts_are_no_joints_to_the_program);
    tcase_add_test(duties, warmed_step_allocates_nothing);
    tcase_add_test(duties, bodies_apart_move_as_in_ode);
    return duties;
}
