/* What programs are told of contacts: forces, points, events, and how points share their load. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>
#include <string.h>

static const double H = .01, G = 9.81, MASS = 2;
enum { ROOM = 64 };

static struct {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dGeomID floor;
} S;

static void set_up(void)
{
    dSurfaceParameters rough = {.mode = dContactApprox1, .mu = .5};
    S.world = dWorldCreate();
    S.space = dSimpleSpaceCreate(NULL);
    S.peg = pegWorldCreate(S.world, NULL);
    S.floor = dCreatePlane(S.space, 0, 0, 1, 0);
    dWorldSetGravity(S.world, 0, 0, -G);
    pegWorldAddSpace(S.peg, S.space);
    pegWorldSetDefaultSurface(S.peg, &rough);
}

static void tear_down(void)
{
    pegWorldDestroy(S.peg);
    dSpaceDestroy(S.space);
    dWorldDestroy(S.world);
}

static dBodyID add_body(dGeomID geom, double x, double y, double z)
{
    dMass mass;
    dBodyID body = dBodyCreate(S.world);
    dMassSetBoxTotal(&mass, MASS, 1, 1, 1);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, x, y, z);
    return body;
}

static dBodyID add_cube(double x, double y, double z)
{
    return add_body(dCreateBox(S.space, 1, 1, 1), x, y, z);
}

static void run(int steps)
{
    for (int i = 0; i < steps; i++) ck_assert_int_eq(pegWorldStep(S.peg, H), PEG_OK);
}

static dGeomID geom_of(dBodyID body)
{
    return dBodyGetFirstGeom(body);
}

/* ---- load at rest ---------------------------------------------------------------------------- */

/* Corners share the weight, however the cube came to lie there. */
START_TEST(cube_rests_on_four_equal_corners)
{
    pegContactForce sum;
    pegContact c[ROOM];
    dBodyID cube = add_cube(.1 * _i, 0, .5 + .02 * _i);
    dBodySetLinearVel(cube, .3 * _i, .1 * _i, 0);
    run(200);
    ck_assert_int_eq(pegWorldGetBodyForce(S.peg, cube, &sum, c, ROOM), PEG_OK);
    ck_assert_int_eq(sum.contacts, 4);
    ck_assert_double_eq_tol(sum.force[2], MASS * G, 1e-6);
    ck_assert_double_eq_tol(sum.normal_force, MASS * G, 1e-6);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(sum.torque[i], 0, 1e-6);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(c[i].impulse / c[i].h, MASS * G / 4, 1e-5);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(c[i].friction[k], 0, 1e-6);
    }
}
END_TEST

/* Three legs at known places: what they bear is a matter of levers, with nothing to choose. */
START_TEST(three_legs_bear_what_levers_say)
{
    static const double leg[3][2] = {{-.4, -.3}, {.5, -.2}, {.1, .4}};
    pegContactForce sum;
    dGeomID geom[3];
    dMass mass;
    dBodyID table = dBodyCreate(S.world);
    dMassSetBoxTotal(&mass, MASS, 1, 1, .1);
    dBodySetMass(table, &mass);
    for (int i = 0; i < 3; i++) {
        geom[i] = dCreateSphere(S.space, .05);
        dGeomSetBody(geom[i], table);
        dGeomSetOffsetPosition(geom[i], leg[i][0], leg[i][1], -.25);
    }
    dBodySetPosition(table, 0, 0, .3001);
    run(300);
    /* shares w of the weight: sum w = 1, sum w leg = 0 */
    double a[2], b[2], c[2], w[3];
    for (int k = 0; k < 2; k++) {
        a[k] = leg[1][k] - leg[0][k], b[k] = leg[2][k] - leg[0][k], c[k] = -leg[0][k];
    }
    double det = a[0] * b[1] - a[1] * b[0];
    w[1] = (c[0] * b[1] - c[1] * b[0]) / det;
    w[2] = (a[0] * c[1] - a[1] * c[0]) / det;
    w[0] = 1 - w[1] - w[2];
    for (int i = 0; i < 3; i++) {
        ck_assert_double_gt(w[i], 0);
        ck_assert_int_eq(pegWorldGetPairForce(S.peg, geom[i], S.floor, &sum, NULL, 0), PEG_OK);
        ck_assert_int_eq(sum.contacts, 1);
        ck_assert_double_eq_tol(sum.force[2], w[i] * MASS * G, 1e-4);
    }
}
END_TEST

/* 2 x 2 cubes side by side, with a gap and flush: sixteen corners with a quarter of a weight each.
 */
START_TEST(grid_of_cubes_shares_alike)
{
    dBodyID cube[4];
    pegContactForce sum;
    pegContact c[ROOM];
    double by = _i ? 1 : 1.00002, z = _i ? .5 : .50001;
    for (int i = 0; i < 4; i++) cube[i] = add_cube(by * (i & 1), by * (i >> 1), z);
    run(200);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pegWorldGetPairForce(S.peg, geom_of(cube[i]), S.floor, &sum, c, ROOM),
                         PEG_OK);
        ck_assert_int_eq(sum.contacts, 4);
        ck_assert_double_eq_tol(sum.force[2], MASS * G, 1e-5);
        for (int k = 0; k < 4; k++)
            ck_assert_double_eq_tol(c[k].impulse / c[k].h, MASS * G / 4, .01 * MASS * G);
    }
}
END_TEST

/* A stack: every pair carries what lies above it, and no corner much more than a quarter. */
START_TEST(stack_carries_what_lies_above)
{
    dBodyID cube[3];
    pegContactForce sum;
    pegContact c[ROOM];
    for (int i = 0; i < 3; i++) cube[i] = add_cube(0, 0, .5001 + 1.0001 * i);
    run(200);
    for (int i = 0; i < 3; i++) {
        dGeomID below = i ? geom_of(cube[i - 1]) : S.floor;
        ck_assert_int_eq(pegWorldGetPairForce(S.peg, geom_of(cube[i]), below, &sum, c, ROOM),
                         PEG_OK);
        double load = (3 - i) * MASS * G;
        ck_assert_double_eq_tol(sum.force[2], load, 1e-5);
        for (int k = 0; k < sum.contacts; k++)
            ck_assert_double_le(c[k].impulse / c[k].h, .3 * load); /* a corner may count twice */
    }
}
END_TEST

/* What slides or lies on a slope keeps its sums and its cone. */
START_TEST(slope_keeps_its_cone)
{
    pegContactForce sum;
    pegContact c[ROOM];
    dBodyID cube = add_cube(0, 0, .5001);
    dWorldSetGravity(S.world, .3 * G, 0, -G);
    run(200);
    ck_assert_int_eq(pegWorldGetBodyForce(S.peg, cube, &sum, c, ROOM), PEG_OK);
    ck_assert_double_eq_tol(sum.force[2], MASS * G, 1e-5);
    ck_assert_double_eq_tol(sum.force[0], -.3 * MASS * G, 1e-5);
    for (int i = 0; i < sum.contacts; i++) {
        const dReal *f = c[i].friction;
        ck_assert_double_le(hypot(f[0], hypot(f[1], f[2])), .5 * c[i].impulse * (1 + 1e-6) + 1e-12);
    }
}
END_TEST

/* ---- queries --------------------------------------------------------------------------------- */

START_TEST(sides_and_places)
{
    pegContactForce one, other;
    pegContact c, back;
    dGeomID ball = dCreateSphere(S.space, .5);
    dBodyID body = add_body(ball, .3, -.2, .5);
    run(100);
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, ball, S.floor, &one, &c, 1), PEG_OK);
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, S.floor, ball, &other, &back, 1), PEG_OK);
    ck_assert(one.contacts == 1 && other.contacts == 1);
    ck_assert_ptr_eq(c.g1, ball);
    ck_assert_ptr_eq(c.body1, body);
    ck_assert_ptr_eq(back.g1, S.floor);
    ck_assert_ptr_null(back.body1);
    ck_assert_ptr_eq(back.body2, body);
    ck_assert_double_eq_tol(one.force[2], MASS * G, 1e-6);
    ck_assert_double_eq_tol(other.force[2], -MASS * G, 1e-6);
    ck_assert(c.normal[2] == 1 && back.normal[2] == -1);
    ck_assert_double_eq(c.h, H);
    const dReal *x = dBodyGetPosition(body);
    double up[3] = {c.pos1[0] - x[0], c.pos1[1] - x[1], c.pos1[2] - x[2]};
    ck_assert_double_eq_tol(hypot(up[0], hypot(up[1], up[2])), .5, 1e-9); /* on the ball */
    ck_assert_double_eq_tol(c.pos2[2], 0, 1e-9);                          /* on the floor */
    ck_assert_double_eq_tol(c.pos1[2] - c.pos2[2], c.gap, 1e-9);
    ck_assert(!memcmp(c.pos1, back.pos2, 3 * sizeof(dReal)));
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, NULL, ball, &one, NULL, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetPairForce(NULL, S.floor, ball, &one, NULL, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, S.floor, ball, NULL, NULL, 1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, S.floor, ball, NULL, NULL, 0), PEG_OK);
    ck_assert_int_eq(pegWorldGetBodyForce(S.peg, NULL, &one, NULL, 0), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetPairForce(S.peg, ball, ball, &one, NULL, 0), PEG_OK);
    ck_assert_int_eq(one.contacts, 0);
}
END_TEST

START_TEST(velocity_is_that_of_sliding)
{
    pegContact c[ROOM];
    pegContactForce sum;
    dBodyID cube = add_cube(0, 0, .50001);
    dBodySetLinearVel(cube, 3, 0, 0);
    run(5);
    ck_assert_int_eq(pegWorldGetBodyForce(S.peg, cube, &sum, c, ROOM), PEG_OK);
    ck_assert_int_gt(sum.contacts, 0);
    ck_assert_double_eq_tol(sum.force[0], -.5 * MASS * G, .05 * MASS * G);
    for (int i = 0; i < sum.contacts; i++) {
        ck_assert_double_eq_tol(c[i].velocity[0], dBodyGetLinearVel(cube)[0], 1e-2);
        ck_assert_double_eq_tol(c[i].velocity[2], 0, 1e-2);
        ck_assert_double_lt(c[i].friction[0], 0);
    }
}
END_TEST

/* ---- events ---------------------------------------------------------------------------------- */

static pegContactEvent only_event(void)
{
    pegContactEvent e = {0};
    ck_assert_int_eq(pegWorldGetContactEventCount(S.peg), 1);
    ck_assert_int_eq(pegWorldGetContactEvent(S.peg, 0, &e), PEG_OK);
    return e;
}

START_TEST(events_begin_persist_and_end)
{
    pegContactEvent e;
    dBodyID cube = add_cube(0, 0, .6);
    run(1);
    ck_assert_int_eq(pegWorldGetContactEventCount(S.peg), 0); /* not asked for */
    ck_assert_int_eq(pegWorldSetContactEvents(S.peg, 1), PEG_OK);
    int begun = -1, steps = 0;
    for (; steps < 100 && begun < 0; steps++) {
        run(1);
        if (pegWorldGetContactEventCount(S.peg)) begun = steps;
    }
    e = only_event();
    ck_assert_int_eq(e.type, PEG_CONTACT_BEGIN);
    ck_assert(e.body1 == cube || e.body2 == cube);
    ck_assert(e.points == e.new_points && e.points > 0 && e.lost_points == 0);
    run(100);
    e = only_event();
    ck_assert_int_eq(e.type, PEG_CONTACT_PERSIST);
    ck_assert(e.points == 4 && e.new_points == 0 && e.lost_points == 0);
    dBodySetLinearVel(cube, 0, 0, 5);
    run(1);
    e = only_event();
    ck_assert_int_eq(e.type, PEG_CONTACT_END);
    ck_assert(e.points == 0 && e.lost_points == 4);
    run(1);
    ck_assert_int_eq(pegWorldGetContactEventCount(S.peg), 0);
    ck_assert_int_eq(pegWorldGetContactEvent(S.peg, 0, &e), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSetContactEvents(S.peg, 0), PEG_OK);
    ck_assert_int_eq(pegWorldSetContactEvents(NULL, 1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldGetContactEventCount(NULL), 0);
}
END_TEST

/* A cube that tips about an edge loses two corners and keeps two. */
START_TEST(features_are_matched)
{
    dBodyID cube = add_cube(0, 0, .50001);
    pegWorldSetContactEvents(S.peg, 1);
    run(50);
    pegContactEvent e = only_event();
    ck_assert_int_eq(e.points, 4);
    dBodySetAngularVel(cube, 0, 2, 0);
    dBodySetLinearVel(cube, 1, 0, 1);
    run(1);
    e = only_event();
    ck_assert_int_eq(e.type, PEG_CONTACT_PERSIST);
    ck_assert(e.points == 2 && e.new_points == 0 && e.lost_points == 2);
}
END_TEST

START_TEST(sleepers_have_no_events)
{
    dBodyID cube = add_cube(0, 0, .50001);
    dGeomID ball = dCreateSphere(S.space, .5);
    add_body(ball, 5, 0, .5001);
    dBodySetAutoDisableFlag(cube, 1);
    pegWorldSetContactEvents(S.peg, 1);
    int i = 0;
    for (; i < 500 && dBodyIsEnabled(cube); i++) run(1);
    ck_assert(!dBodyIsEnabled(cube));
    for (i = 0; i < 5; i++) {
        run(1);
        pegContactEvent e = only_event(); /* the ball's alone */
        ck_assert_int_eq(e.type, PEG_CONTACT_PERSIST);
        ck_assert(e.g1 == ball || e.g2 == ball);
    }
    dBodyEnable(cube);
    run(1);
    ck_assert_int_eq(pegWorldGetContactEventCount(S.peg), 2);
    for (i = 0; i < 2; i++) {
        pegContactEvent e;
        pegWorldGetContactEvent(S.peg, i, &e);
        ck_assert_int_eq(e.type, PEG_CONTACT_PERSIST);
    }
    dBodyDestroy(cube);
    dGeomDestroy(ball);
    run(1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contacts");
    TCase *load = tcase_create("load at rest"), *ask = tcase_create("queries and events");
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_add_checked_fixture(load, set_up, tear_down);
    tcase_add_checked_fixture(ask, set_up, tear_down);
    tcase_add_loop_test(load, cube_rests_on_four_equal_corners, 0, 5);
    tcase_add_test(load, three_legs_bear_what_levers_say);
    tcase_add_loop_test(load, grid_of_cubes_shares_alike, 0, 2);
    tcase_add_test(load, stack_carries_what_lies_above);
    tcase_add_test(load, slope_keeps_its_cone);
    tcase_add_test(ask, sides_and_places);
    tcase_add_test(ask, velocity_is_that_of_sliding);
    tcase_add_test(ask, events_begin_persist_and_end);
    tcase_add_test(ask, features_are_matched);
    tcase_add_test(ask, sleepers_have_no_events);
    suite_add_tcase(suite, load);
    suite_add_tcase(suite, ask);
    return suite;
}
