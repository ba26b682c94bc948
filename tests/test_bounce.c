/* Restitution against closed forms: of few bodies and of many, on what moves, and with joints. */
#include "tests/runner.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>

enum { MOST = 40 };

static dWorldID world;
static dSpaceID space;
static pegWorldID peg;

static void open_world(double gravity, double mu, double bounce)
{
    dSurfaceParameters surface = {
        .mode = dContactApprox1 | dContactBounce, .mu = mu, .bounce = bounce, .bounce_vel = .001};
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    dWorldSetGravity(world, 0, 0, -gravity);
    peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
}

static void close_world(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

/* Of 1 kg. */
static dBodyID add_ball(double radius, double x, double z)
{
    dBodyID b = dBodyCreate(world);
    dMass mass;
    dMassSetSphereTotal(&mass, 1, radius);
    dBodySetMass(b, &mass);
    dBodySetPosition(b, x, 0, z);
    dGeomSetBody(dCreateSphere(space, radius), b);
    return b;
}

/* A box of the sides whose speed is prescribed. */
static void add_driven_box(double a, double b, double c, double x, double z, double vx, double vz)
{
    dBodyID box = dBodyCreate(world);
    dBodySetKinematic(box);
    dGeomSetBody(dCreateBox(space, a, b, c), box);
    dBodySetPosition(box, x, 0, z);
    dBodySetLinearVel(box, vx, 0, vz);
}

/* Newton's cradle of free balls with gaps: whatever solver the island has, the first ball's speed
 * goes from one to the next. By the coarse solves of the poses 5 balls kept 0.47 of the energy, 35
 * kept 0.03. */
START_TEST(a_cradle_hands_its_speed_on)
{
    static const int counts[] = {4, 5, 8, 35};
    static const double sizes[] = {.0005, .001};
    int n = counts[_i % 4];
    double h = sizes[_i / 4];
    dBodyID ball[MOST] = {0};
    open_world(0, 0, 1);
    for (int i = 0; i < n; i++) ball[i] = add_ball(.5, 1.002 * i, 0);
    dBodySetLinearVel(ball[0], 1, 0, 0);
    for (double t = 0; t < .002 * n + .1; t += h) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(dBodyGetLinearVel(ball[i])[0], i == n - 1, 1e-4);
    close_world();
}
END_TEST

/* A paddle of the speed V hits a ball at rest, in the void: (1 + e) V. */
START_TEST(a_paddle_throws_a_ball)
{
    static const double sizes[] = {.002, .01, .02};
    double e = _i % 2 ? 1 : .5, V = 2, h = sizes[_i / 2];
    open_world(0, .3, e);
    add_driven_box(.2, 2, 2, -.5, 0, V, 0);
    dBodyID ball = add_ball(.25, 0, 0);
    for (double t = 0; t < .5; t += h) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], (1 + e) * V, 1e-9);
    close_world();
}
END_TEST

/* Steps until the ball rises. Returns its vertical speed in the step before, at the end of a step
 * of free fall. */
static double step_until_it_rises(dBodyID ball, double h)
{
    double before = 0;
    for (int i = 0; i < 2000 && !(dBodyGetLinearVel(ball)[2] > 0); i++) {
        before = dBodyGetLinearVel(ball)[2];
        ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    }
    return before;
}

/* A ball falls straight on a floor that moves sideways: it rises as from one that rests, and takes
 * up what friction gives, mu (1 + e) |v| at most and 2/7 of the floor's speed where it comes to
 * roll. */
START_TEST(a_ball_bounces_on_a_sliding_floor)
{
    static const double speeds[] = {.5, 2, 8}, mus[] = {.1, .5, INFINITY};
    double V = speeds[_i % 3], mu = mus[_i / 3], e = .8, h = .002;
    open_world(9.81, mu, e);
    add_driven_box(80, 20, 2, 0, -1, V, 0);
    dBodyID ball = add_ball(.25, 0, .6);
    double meets = -step_until_it_rises(ball, h);
    const dReal *v = dBodyGetLinearVel(ball);
    ck_assert_double_eq_tol(v[2], e * meets, .02 * meets);
    double taken = fmin(mu * (1 + e) * meets, 2.0 / 7 * V);
    ck_assert_double_eq_tol(v[0], taken, .02 * taken);
    close_world();
}
END_TEST

/* On a floor that rises or sinks a ball leaves with V + e (V - v). */
START_TEST(a_ball_bounces_on_a_lift)
{
    double V = -1.5 + .75 * _i, e = .8, h = .001;
    open_world(9.81, .5, e);
    add_driven_box(20, 20, 2, 0, -1, 0, V);
    dBodyID ball = add_ball(.25, 0, .6);
    double fall = 0;
    for (int i = 0; i < 2000; i++) {
        double before = dBodyGetLinearVel(ball)[2];
        ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        fall = before;
        if (dBodyGetLinearVel(ball)[2] > before) break;
    }
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[2], V + e * (V - fall), .02 * (V - fall));
    close_world();
}
END_TEST

/* A row of boxes that joints fix to each other bounces as one box. */
START_TEST(what_joints_fix_bounces_as_one)
{
    static const int counts[] = {2, 4, 5, 10};
    int n = counts[_i];
    double e = .5, h = .001;
    dBodyID box[MOST] = {0};
    open_world(9.81, .5, e);
    dCreatePlane(space, 0, 0, 1, 0);
    for (int i = 0; i < n; i++) {
        dMass mass;
        box[i] = dBodyCreate(world);
        dMassSetBoxTotal(&mass, 1, .4, .4, .4);
        dBodySetMass(box[i], &mass);
        dBodySetPosition(box[i], .5 * i, 0, .7);
        dGeomSetBody(dCreateBox(space, .4, .4, .4), box[i]);
        if (i == 0) continue;
        dJointID joint = dJointCreateFixed(world, 0);
        dJointAttach(joint, box[i - 1], box[i]);
        dJointSetFixed(joint);
    }
    double meets = -step_until_it_rises(box[0], h);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(dBodyGetLinearVel(box[i])[2], e * meets, .02 * meets);
    close_world();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bounce");
    TCase *tc = tcase_create("closed forms");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_cradle_hands_its_speed_on, 0, 8);
    tcase_add_loop_test(tc, a_paddle_throws_a_ball, 0, 6);
    tcase_add_loop_test(tc, a_ball_bounces_on_a_sliding_floor, 0, 9);
    tcase_add_loop_test(tc, a_ball_bounces_on_a_lift, 0, 5);
    tcase_add_loop_test(tc, what_joints_fix_bounces_as_one, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
