/* Many bodies in one island that is solved by sweeps: what they do to each other in the void adds
 * up to nothing, bounces add no energy, and they bounce and are moved apart as few bodies are. */
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIDE = 4, BODIES = SIDE * SIDE * SIDE, STEPS = 120 };

static const double MASS = 2, H = .01;
static const double CUBE[3] = {.5, .5, .5}, ROD[3] = {.85, .15, .1};

static dWorldID world;
static dSpaceID space;
static dBodyID body[BODIES];
static pegWorldID peg;

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void open_world(const dSurfaceParameters *surface)
{
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, surface), PEG_OK);
}

/* A grid of boxes that fly towards its middle. */
static void build(uint64_t seed, double bounce, const double edge[3])
{
    dSurfaceParameters surface = {
        .mode = dContactApprox1 | dContactBounce, .mu = .5, .bounce = bounce, .bounce_vel = .01};
    open_world(&surface);
    for (int i = 0; i < BODIES; i++) {
        double x[3] = {i % SIDE - 1.5, i / SIDE % SIDE - 1.5, i / SIDE / SIDE - 1.5};
        dMass mass;
        body[i] = dBodyCreate(world);
        dMassSetBoxTotal(&mass, MASS, edge[0], edge[1], edge[2]);
        dBodySetMass(body[i], &mass);
        dGeomSetBody(dCreateBox(space, edge[0], edge[1], edge[2]), body[i]);
        dBodySetPosition(body[i], .9 * x[0], .9 * x[1], .9 * x[2]);
        dBodySetLinearVel(body[i], -2 * x[0] + .3 * uniform(&seed), -2 * x[1] + .3 * uniform(&seed),
                          -2 * x[2] + .3 * uniform(&seed));
        dBodySetAngularVel(body[i], uniform(&seed), uniform(&seed), uniform(&seed));
    }
}

static void tear_down(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

static void momentum(double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) sum[k] += MASS * dBodyGetLinearVel(body[i])[k];
}

static double energy(void)
{
    double sum = 0;
    for (int i = 0; i < BODIES; i++) {
        const dReal *v = dBodyGetLinearVel(body[i]), *w = dBodyGetAngularVel(body[i]);
        dMass mass;
        dVector3 turn;
        dBodyGetMass(body[i], &mass);
        dBodyVectorFromWorld(body[i], w[0], w[1], w[2], turn);
        for (int k = 0; k < 3; k++)
            sum += .5 * (MASS * v[k] * v[k] + mass.I[5 * k] * turn[k] * turn[k]);
    }
    return sum;
}

/* --- balls in a row --- */

static const double RADIUS = .2;

/* `spacing` apart, moving at `speed` upwards. */
static void build_balls(int n, double spacing, double speed, double bounce)
{
    dSurfaceParameters surface = {.mode = dContactApprox1 | dContactBounce, .bounce = bounce};
    open_world(&surface);
    for (int i = 0; i < n; i++) {
        dMass mass;
        body[i] = dBodyCreate(world);
        dMassSetSphereTotal(&mass, MASS, RADIUS);
        dBodySetMass(body[i], &mass);
        dGeomSetBody(dCreateSphere(space, RADIUS), body[i]);
        dBodySetPosition(body[i], spacing * i, 0, 1 + RADIUS);
        dBodySetLinearVel(body[i], 0, 0, speed);
    }
}

/* How fast the slowest of n balls comes up again that have fallen side by side, in one island. */
static double rebound(int n)
{
    double slowest = INFINITY;
    build_balls(n, 2 * RADIUS + .001, 0, .8);
    dCreatePlane(space, 0, 0, 1, 0);
    dWorldSetGravity(world, 0, 0, -9.81);
    while (dBodyGetLinearVel(body[0])[2] <= 0) ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
    for (int i = 0; i < n; i++) slowest = fmin(slowest, dBodyGetLinearVel(body[i])[2]);
    tear_down();
    return slowest;
}

static const int crowds[] = {6, 40};

/* To what sweeps are exact with so many, of the speeds. */
static const double exact[] = {1e-4, 1e-2};

START_TEST(many_bounce_as_one)
{
    double one = rebound(1);
    ck_assert_double_gt(one, 3);
    ck_assert_double_eq_tol(rebound(crowds[_i]), one, exact[_i] * one);
}
END_TEST

/* What opens an overlap of the start leaves no speed behind. */
START_TEST(many_are_moved_apart)
{
    int n = crowds[0];
    build_balls(n, 2 * RADIUS - .02, 5, 0);
    for (int step = 0; step < 300; step++) ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
    for (int i = 0; i < n; i++) {
        const dReal *v = dBodyGetLinearVel(body[i]);
        ck_assert_double_le(fabs(v[0]), exact[0]);
        ck_assert_double_eq_tol(v[2], 5, exact[0]);
        if (i == 0) continue;
        double apart = dBodyGetPosition(body[i])[0] - dBodyGetPosition(body[i - 1])[0];
        ck_assert_double_ge(apart, 2 * RADIUS);
    }
    tear_down();
}
END_TEST

/* --- boxes in the void --- */

START_TEST(nothing_comes_from_nowhere)
{
    double before[3], after[3];
    long swept = 0;
    build((uint64_t)(_i / 2), _i % 2 ? .5 : 0, CUBE);
    for (int step = 0; step < STEPS; step++) {
        pegStats stats;
        double had = energy(), unit = sqrt(2 * had * MASS * BODIES);
        momentum(before);
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        pegWorldGetStats(peg, &stats);
        ck_assert_int_eq(stats.unconverged, 0);
        swept += stats.swept;
        momentum(after);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(after[k], before[k], 1e-12 * unit);
        ck_assert_double_le(energy(), had * (1 + 1e-9));
    }
    ck_assert_int_gt(swept, 0);
    tear_down();
}
END_TEST

/* Rods, whose energy depends on how they are turned, fall on the ground in large steps. */
START_TEST(rods_gain_nothing)
{
    static const double G = 9.81;
    long swept = 0;
    double put_in = 0;
    build((uint64_t)_i, 0, ROD);
    dCreatePlane(space, 0, 0, 1, -2);
    dWorldSetGravity(world, 0, 0, -G);
    for (int step = 0; step < STEPS; step++) {
        pegStats stats;
        double had = energy(), height = 0;
        for (int i = 0; i < BODIES; i++) height += dBodyGetPosition(body[i])[2];
        ck_assert_int_eq(pegWorldStep(peg, 5 * H), PEG_OK);
        pegWorldGetStats(peg, &stats);
        swept += stats.swept;
        for (int i = 0; i < BODIES; i++) height -= dBodyGetPosition(body[i])[2];
        double fallen = MASS * G * height;
        put_in += fmax(fallen, 0) + (step ? 0 : had);
        ck_assert_double_le(energy(), had + fallen + 1e-9 * put_in);
    }
    ck_assert_int_gt(swept, 0);
    tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("momentum");
    TCase *tc = tcase_create("many");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, rods_gain_nothing, 0, 4);
    tcase_add_loop_test(tc, many_bounce_as_one, 0, 2);
    tcase_add_test(tc, many_are_moved_apart);
    tcase_add_loop_test(tc, nothing_comes_from_nowhere, 0, 6);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
