/* What rests in ODE's world beside what moves: the program changes something, and the next step
 * knows of it. */
#include "plugin/ode-peg.h"
#include "tests/geometry_cases.h"
#include "tests/test_still.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, H = .01;

/* Two stacks of two boxes of 2 kg, the first one on a shelf; a box that flies for ever. */
typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dBodyID shelf, first[2], second[2], flyer;
    dGeomID shelf_geom, refused;
    dJointFeedback feedback;
    double overlap; /* m, of the start */
    pegStats stats;
} scene;

static dBodyID add_box(scene *s, double x, double z, double height)
{
    dMass mass;
    dMassSetBoxTotal(&mass, 2, 1, 1, height);
    dBodyID body = dBodyCreate(s->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, 0, z);
    dGeomSetBody(dCreateBox(s->space, 1, 1, height), body);
    return body;
}

static void step(scene *s)
{
    ck_assert_int_eq(pegWorldStep(s->peg, H), PEG_OK);
    pegWorldGetStats(s->peg, &s->stats);
    ck_assert_double_ge(s->stats.min_separation, -s->overlap);
}

static void settle(scene *s, int islands)
{
    for (int i = 0; i < 100 && s->stats.resting_islands != islands; i++) step(s);
    ck_assert_int_eq(s->stats.resting_islands, islands);
}

static void begin(scene *s)
{
    dInitODE2(0);
    *s = (scene){.world = dWorldCreate(), .space = dSimpleSpaceCreate(NULL)};
    dWorldSetGravity(s->world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s->world, NULL, &s->peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s->peg, s->space), PEG_OK);
    dCreatePlane(s->space, 0, 0, 1, 0);
    s->shelf = add_box(s, 0, 2, 1);
    s->shelf_geom = dBodyGetFirstGeom(s->shelf);
    dBodySetKinematic(s->shelf);
    for (int k = 0; k < 2; k++) s->first[k] = add_box(s, 0, 3.0001 + 1.0001 * k, 1);
    for (int k = 0; k < 2; k++) s->second[k] = add_box(s, 10, .5001 + 1.0001 * k, 1);
    s->flyer = add_box(s, 0, 50, 1);
    dBodySetGravityMode(s->flyer, 0);
    dBodySetLinearVel(s->flyer, 1, 0, 0);
}

static void end(scene *s)
{
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    pegWorldDestroy(s->peg);
    dCloseODE();
}

/* Upward impulse of all contacts on a body. */
static double carried(const scene *s, dBodyID body)
{
    double sum = 0;
    for (int i = 0; i < pegWorldGetContactCount(s->peg); i++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s->peg, i, &c), PEG_OK);
        if (dGeomGetBody(c.g1) == body) sum += c.impulse * c.normal[2];
        if (dGeomGetBody(c.g2) == body) sum -= c.impulse * c.normal[2];
    }
    return sum;
}

static void check_second(const scene *s)
{
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq(dBodyGetLinearVel(s->second[k])[2], 0);
        ck_assert_double_eq_tol(carried(s, s->second[k]), 2 * G * H, 1e-8);
    }
}

START_TEST(programs_see_what_rests)
{
    scene s;
    double x[3];
    begin(&s);
    settle(&s, 2);
    memcpy(x, dBodyGetPosition(s.first[1]), sizeof x);
    for (int i = 0; i < 50; i++) {
        step(&s);
        ck_assert_int_eq(s.stats.resting_islands, 2);
        for (int k = 0; k < 2; k++)
            ck_assert_double_eq_tol(carried(&s, s.first[k]), 2 * G * H, 1e-8);
        check_second(&s);
    }
    ck_assert(!memcmp(x, dBodyGetPosition(s.first[1]), sizeof x));
    end(&s);
}
END_TEST

static void near(void *data, dGeomID a, dGeomID b)
{
    scene *s = data;
    if (a == s->refused || b == s->refused) return;
    dContact contact = {.geom = {.g1 = a, .g2 = b}};
    ck_assert_int_eq(pegWorldAddPairContact(s->peg, &contact, &s->feedback), PEG_OK);
}

/* Feedback comes in every step, and the callback may change its mind. */
START_TEST(callbacks_are_asked_on)
{
    scene s;
    begin(&s);
    pegWorldSetNearCallback(s.peg, &s, near);
    settle(&s, 2);
    for (int i = 0; i < 5; i++) {
        memset(&s.feedback, 0, sizeof s.feedback);
        step(&s);
        ck_assert_int_eq(s.stats.resting_islands, 2);
        ck_assert_double_ge(fabs(s.feedback.f1[2]), 2 * G - 1e-6);
    }
    s.refused = s.shelf_geom;
    step(&s);
    ck_assert_int_eq(s.stats.resting_islands, 1);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(dBodyGetLinearVel(s.first[k])[2], -G * H, 1e-9);
    end(&s);
}
END_TEST

/* _i: what the program does to the shelf */
START_TEST(what_carried_is_missed_at_once)
{
    scene s;
    begin(&s);
    dBodyID rod = dBodyCreate(s.world);
    dBodySetKinematic(rod);
    dGeomSetBody(dCreateSphere(s.space, .1), rod);
    dBodySetPosition(rod, 30, 0, 30);
    settle(&s, 2);
    if (_i == 0) dBodySetPosition(s.shelf, 5, 0, 2);
    if (_i == 1) dGeomBoxSetLengths(s.shelf_geom, 1, 1, .5);
    if (_i == 2) dGeomSetBody(s.shelf_geom, rod);
    if (_i == 3) dGeomDisable(s.shelf_geom);
    if (_i == 4) dGeomDestroy(s.shelf_geom), dGeomSetBody(dCreateBox(s.space, 1, 1, .3), rod);
    if (_i == 5) dGeomSetOffsetPosition(s.shelf_geom, 0, 3, 0);
    if (_i == 6) dGeomSetCategoryBits(s.shelf_geom, 0), dGeomSetCollideBits(s.shelf_geom, 0);
    if (_i == 7) dBodyDestroy(s.shelf), dGeomSetPosition(s.shelf_geom, 5, 0, 2);
    if (_i == 8) dBodySetDynamic(s.shelf), dBodySetPosition(s.shelf, 5, 0, 2);
    step(&s);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(dBodyGetLinearVel(s.first[k])[2], -G * H, 1e-9);
    check_second(&s);
    step(&s);
    ck_assert_double_eq_tol(dBodyGetLinearVel(s.first[0])[2], -2 * G * H, 1e-9);
    end(&s);
}
END_TEST

/* Tired stacks go to sleep while the other one is watched, and wake where something comes. */
START_TEST(sleep_comes_and_goes)
{
    scene s;
    begin(&s);
    for (int k = 0; k < 2; k++) dBodySetAutoDisableFlag(s.first[k], 1);
    settle(&s, 2);
    for (int i = 0; i < 100 && dBodyIsEnabled(s.first[0]); i++) step(&s);
    for (int i = 0; i < 3; i++) {
        ck_assert(!dBodyIsEnabled(s.first[0]) && !dBodyIsEnabled(s.first[1]));
        step(&s);
        check_second(&s);
        ck_assert_int_eq(s.stats.resting_islands, 1);
    }
    if (_i == 0) dBodySetLinearVel(s.shelf, 0, 0, .1);
    if (_i == 1) dBodySetPosition(s.flyer, 0, 0, 5.01), dBodySetLinearVel(s.flyer, 0, 0, -2);
    if (_i == 2) dBodyEnable(s.first[1]);
    step(&s);
    ck_assert_int_eq(s.stats.resting_islands, 1);
    ck_assert(dBodyIsEnabled(s.first[1]));
    if (_i == 0) ck_assert_double_eq_tol(dBodyGetLinearVel(s.first[0])[2], .1, 1e-7);
    step(&s);
    check_second(&s);
    end(&s);
}
END_TEST

/* A motor moves over to another box. */
START_TEST(joints_come_and_go)
{
    scene s;
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = .5};
    begin(&s);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &rough), PEG_OK);
    dJointID motor[2];
    for (int k = 0; k < 2; k++) {
        motor[k] = dJointCreateLMotor(s.world, 0);
        dJointSetLMotorNumAxes(motor[k], 1);
        dJointSetLMotorAxis(motor[k], 0, 0, 1, 0, 0);
        ck_assert_int_eq(pegJointSetLMotorAxis(s.peg, motor[k], 0, 0), PEG_OK);
        dJointSetLMotorParam(motor[k], dParamVel, 1);
        dJointSetLMotorParam(motor[k], dParamFMax, k ? 15 : 5);
    }
    dJointAttach(motor[0], s.first[1], NULL);
    settle(&s, 2); /* 5 N are less than what friction holds */
    dJointAttach(motor[0], NULL, NULL);
    dJointAttach(motor[1], s.second[1], NULL); /* 15 N are more: as many rows as before */
    step(&s);
    ck_assert_double_eq_tol(dBodyGetLinearVel(s.second[1])[0], (15 - .5 * 2 * G) / 2 * H, 1e-7);
    ck_assert_double_eq_tol(dBodyGetLinearVel(s.first[1])[0], 0, 1e-9);
    end(&s);
}
END_TEST

/* Cubes that touch with all sides, or bricks in running bond, rest from the first step on, with
 * the impulses of their weights, also where rounding sets them into each other. _i: which. */
START_TEST(flush_bodies_rest_at_once)
{
    static const struct {
        int along, across, high;
        double bond;
    } sizes[] = {{4, 4, 4, 0}, {6, 6, 6, 0}, {30, 1, 6, .5}, {40, 1, 10, .5}};
    static const double rounding[] = {0, 1e-15, 1e-12};
    const int kind = _i % 4, n = sizes[kind].along * sizes[kind].across * sizes[kind].high;
    cases_random r = {1};
    dInitODE2(0);
    scene s = {.world = dWorldCreate(), .space = dHashSpaceCreate(NULL)};
    s.overlap = 3 * rounding[_i / 4];
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    dGeomID ground = dCreatePlane(s.space, 0, 0, 1, 0);
    for (int i = 0; i < n; i++) {
        int row = i / sizes[kind].along, level = row / sizes[kind].across;
        dBodyID body =
            add_box(&s, i % sizes[kind].along + sizes[kind].bond * (level % 2), level + .5, 1);
        const dReal *x = dBodyGetPosition(body);
        double off[3];
        for (int d = 0; d < 3; d++) off[d] = rounding[_i / 4] * cases_uniform(&r, -1, 1);
        dBodySetPosition(body, x[0] + off[0], row % sizes[kind].across + off[1], x[2] + off[2]);
    }
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        step(&s);
        ck_assert_int_eq(s.stats.limited_bodies + s.stats.position_stages, 0);
        for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
            pegContact c;
            ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
            if (c.g1 == ground || c.g2 == ground) sum += c.impulse;
        }
        ck_assert_double_eq_tol(sum, 2 * n * G * H, 1e-9 * n);
        for (int i = 0, geoms = dSpaceGetNumGeoms(s.space); i < geoms; i++) {
            dBodyID body = dGeomGetBody(dSpaceGetGeom(s.space, i));
            for (int d = 0; d < 3 && body; d++) {
                ck_assert_double_eq(dBodyGetLinearVel(body)[d], 0);
                ck_assert_double_eq(dBodyGetAngularVel(body)[d], 0);
            }
        }
    }
    end(&s);
}
END_TEST

/* Cubes that fall side by side by half their size in a step, and could meet many others in it: at
 * rest the memory of that is given back, though no step is solved any more. */
START_TEST(memory_of_a_fall_is_given_back_at_rest)
{
    enum { SIDE = 8 };
    size_t most = 0;
    dInitODE2(0);
    scene s = {.world = dWorldCreate(), .space = dHashSpaceCreate(NULL)};
    dWorldSetGravity(s.world, 0, 0, -G);
    ck_assert_int_eq(pegWorldCreateStatus(s.world, NULL, &s.peg), PEG_OK);
    ck_assert_int_eq(pegWorldAddSpace(s.peg, s.space), PEG_OK);
    dCreatePlane(s.space, 0, 0, 1, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        dBodyID body = add_box(&s, 1.2 * (i % SIDE), 1, 1);
        dBodySetPosition(body, 1.2 * (i % SIDE), 1.2 * (double)(i / SIDE), 1);
        dBodySetLinearVel(body, 0, 0, -50);
    }
    for (int i = 0; i < 50 || s.stats.resting_islands < SIDE * SIDE; i++) {
        ck_assert_int_lt(i, 200);
        step(&s);
        if (s.stats.memory > most) most = s.stats.memory;
    }
    for (int i = 0; i < 200; i++) step(&s);
    ck_assert_msg(s.stats.memory * 4 < most, "%zu of %zu bytes", s.stats.memory, most);
    dBodyEnable(dGeomGetBody(dSpaceGetGeom(s.space, 1)));
    dBodyAddForce(dGeomGetBody(dSpaceGetGeom(s.space, 1)), 0, 0, 1000);
    step(&s);
    ck_assert_int_lt(s.stats.resting_islands, SIDE * SIDE);
    end(&s);
}
END_TEST

TCase *still_ode_case(void)
{
    TCase *t = tcase_create("ODE");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, programs_see_what_rests);
    tcase_add_test(t, callbacks_are_asked_on);
    tcase_add_loop_test(t, what_carried_is_missed_at_once, 0, 9);
    tcase_add_loop_test(t, sleep_comes_and_goes, 0, 3);
    tcase_add_test(t, joints_come_and_go);
    tcase_add_loop_test(t, flush_bodies_rest_at_once, 0, 12);
    tcase_add_test(t, memory_of_a_fall_is_given_back_at_rest);
    return t;
}
