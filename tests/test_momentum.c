/* Many bodies in one island that is solved by PGS: what they do to each other in the void adds
 * up to nothing, bounces add no energy, and they bounce and are moved apart as few bodies are. */
#include "tests/runner.h"
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

static double energy_of(dBodyID b)
{
    const dReal *v = dBodyGetLinearVel(b), *w = dBodyGetAngularVel(b);
    double sum = 0;
    dMass mass;
    dVector3 turn;
    dBodyGetMass(b, &mass);
    dBodyVectorFromWorld(b, w[0], w[1], w[2], turn);
    for (int k = 0; k < 3; k++)
        sum += .5 * (MASS * v[k] * v[k] + mass.I[5 * k] * turn[k] * turn[k]);
    return sum;
}

static double energy(void)
{
    double sum = 0;
    for (int i = 0; i < BODIES; i++) sum += energy_of(body[i]);
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

/* What PGS is exact to with so many, of the speeds. */
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
    long by_pgs = 0;
    build((uint64_t)(_i / 2), _i % 2 ? .5 : 0, CUBE);
    for (int step = 0; step < STEPS; step++) {
        pegStats stats;
        double had = energy(), unit = sqrt(2 * had * MASS * BODIES);
        momentum(before);
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        pegWorldGetStats(peg, &stats);
        ck_assert_double_le(stats.max_penetration, 0);
        by_pgs += stats.pgs_solves;
        momentum(after);
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(after[k], before[k], 1e-12 * unit);
        ck_assert_double_le(energy(), had * (1 + 1e-9));
    }
    ck_assert_int_gt(by_pgs, 0);
    tear_down();
}
END_TEST

/* --- two bodies in the void ---
 *
 * Impulses, friction included, act on both bodies at one point, where these are at the start of the
 * step, by which ODE moves them, or on the way to its end. What bodies whose inertia is the same
 * about all axes gain of angular momentum tells how far apart the two points are, also where poses
 * are moved apart beside the velocities. */
typedef struct pair_state {
    double x[2][3], v[2][3], w[2][3];
} pair_state;

enum { BOX, CYLINDER, CAPSULE, SHAPES };

static const double INERTIA = .2; /* of mass 2 and radius .5; kg m^2, about all axes */

static void add_to_pair(int i, int shape, uint64_t *seed)
{
    dMass mass;
    dMatrix3 R;
    dMassSetSphereTotal(&mass, MASS, .5); /* 2/5 m r^2 */
    body[i] = dBodyCreate(world);
    dBodySetMass(body[i], &mass);
    dGeomID geom = shape == BOX        ? dCreateBox(space, .8, .6, .5)
                   : shape == CYLINDER ? dCreateCylinder(space, .4, .7)
                                       : dCreateCapsule(space, .3, .4);
    dGeomSetBody(geom, body[i]);
    dRFromAxisAndAngle(R, uniform(seed), uniform(seed), uniform(seed), 3 * uniform(seed));
    dBodySetRotation(body[i], R);
    dBodySetPosition(body[i], 1.8 * i, .2 * uniform(seed), .2 * uniform(seed));
    dBodySetLinearVel(body[i], i ? -2 : 2, .3 * uniform(seed), .3 * uniform(seed));
    dBodySetAngularVel(body[i], 5 * uniform(seed), 5 * uniform(seed), 5 * uniform(seed));
}

static pair_state state_of_pair(void)
{
    pair_state s;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            s.x[i][k] = dBodyGetPosition(body[i])[k];
            s.v[i][k] = dBodyGetLinearVel(body[i])[k];
            s.w[i][k] = dBodyGetAngularVel(body[i])[k];
        }
    return s;
}

/* The angular momentum that the pair gains, relative to impulse and size, with arms from where the
 * bodies are at the share t of their way, for the best t; impulse: between them, N s. */
static double gained_moment(const pair_state *from, const pair_state *to, double *impulse)
{
    double start[3] = {0}, way[3] = {0}, square = 0, along = 0, size = .5, rest = 0;
    *impulse = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            double da = to->v[i][a] - from->v[i][a], db = to->v[i][b] - from->v[i][b];
            start[k] += MASS * (from->x[i][a] * db - from->x[i][b] * da);
            start[k] += INERTIA * (to->w[i][k] - from->w[i][k]);
            way[k] +=
                MASS * ((to->x[i][a] - from->x[i][a]) * db - (to->x[i][b] - from->x[i][b]) * da);
            *impulse += i ? pow(MASS * (to->v[i][k] - from->v[i][k]), 2) : 0;
        }
    *impulse = sqrt(*impulse);
    for (int k = 0; k < 3; k++) square += way[k] * way[k], along += start[k] * way[k];
    double t = square > 0 ? fmin(1, fmax(0, -along / square)) : 0;
    for (int k = 0; k < 3; k++) rest += pow(start[k] + t * way[k], 2);
    return sqrt(rest) / (*impulse * size);
}

START_TEST(nothing_turns_from_nowhere)
{
    const double h = .002;
    int touched = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t random = seed;
        dSurfaceParameters surface = {.mode = dContactApprox1, .mu = _i < SHAPES ? 0 : .5};
        open_world(&surface);
        for (int i = 0; i < 2; i++) add_to_pair(i, _i % SHAPES, &random);
        for (int step = 0; step < 500; step++) {
            double impulse;
            pair_state from = state_of_pair();
            ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
            pair_state to = state_of_pair();
            double gained = gained_moment(&from, &to, &impulse);
            if (impulse < 1e-4) continue;
            touched++;
            ck_assert_msg(gained <= 1e-5, "seed %d, step %d: %g", (int)seed, step, gained);
        }
        tear_down();
    }
    ck_assert_int_gt(touched, 100);
}
END_TEST

/* --- many bodies --- */

/* What contacts say that they did is what happened to every body. */
START_TEST(impulses_add_up)
{
    build((uint64_t)_i, 0, CUBE);
    for (int step = 0; step < STEPS; step++) {
        double change[BODIES][3], unit = sqrt(2 * energy() * MASS);
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) change[i][k] = -MASS * dBodyGetLinearVel(body[i])[k];
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) change[i][k] += MASS * dBodyGetLinearVel(body[i])[k];
        for (int c = 0; c < pegWorldGetContactCount(peg); c++) {
            pegContact contact;
            ck_assert_int_eq(pegWorldGetContact(peg, c, &contact), PEG_OK);
            for (int i = 0; i < BODIES; i++) {
                double sign =
                    (dGeomGetBody(contact.g1) == body[i]) - (dGeomGetBody(contact.g2) == body[i]);
                for (int k = 0; k < 3; k++)
                    change[i][k] -=
                        sign * (contact.impulse * contact.normal[k] + contact.friction[k]);
            }
        }
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(change[i][k]), 1e-9 * unit);
    }
    tear_down();
}
END_TEST

/* Of two octahedra, that is meshes, which meet in the void. */
START_TEST(meshes_keep_their_momentum)
{
    static const float corner[][3] = {{.2f, 0, 0},  {-.2f, 0, 0}, {0, .2f, 0},
                                      {0, -.2f, 0}, {0, 0, .2f},  {0, 0, -.2f}};
    static const dTriIndex triangle[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                         2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    dSurfaceParameters surface = {.mode = dContactApprox1};
    double before[3] = {0}, slowed = 0;
    open_world(&surface);
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, corner, sizeof corner[0], 6, triangle, 24,
                                3 * sizeof *triangle);
    for (int i = 0; i < 2; i++) {
        dMass mass;
        dQuaternion q;
        body[i] = dBodyCreate(world);
        dMassSetSphereTotal(&mass, MASS, .15);
        dBodySetMass(body[i], &mass);
        dGeomSetBody(dCreateTriMesh(space, data, NULL, NULL, NULL), body[i]);
        dBodySetPosition(body[i], i ? .3 : -.3, i * .01 * (_i % 5), 0);
        dQFromAxisAndAngle(q, 1, .3 * i, .2 * _i, .5 * _i + i);
        dBodySetQuaternion(body[i], q);
        dBodySetLinearVel(body[i], i ? -6 : 5, 1, 0);
        for (int k = 0; k < 3; k++) before[k] += MASS * dBodyGetLinearVel(body[i])[k];
    }
    for (int step = 0; step < 30; step++) {
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        double sum[3] = {0};
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) sum[k] += MASS * dBodyGetLinearVel(body[i])[k];
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(sum[k], before[k], 1e-10);
        slowed = 11 - (dBodyGetLinearVel(body[0])[0] - dBodyGetLinearVel(body[1])[0]);
    }
    ck_assert_double_gt(slowed, 1);
    tear_down();
    dGeomTriMeshDataDestroy(data);
}
END_TEST

/* A box that spins bounces without loss, on a plane with friction. */
START_TEST(a_bouncing_box_gains_nothing)
{
    static const double G = 9.81;
    dSurfaceParameters surface = {
        .mode = dContactApprox1 | dContactBounce, .mu = .5, .bounce = 1, .bounce_vel = .01};
    uint64_t seed = (uint64_t)_i;
    dMass mass;
    open_world(&surface);
    dWorldSetGravity(world, 0, 0, -G);
    dCreatePlane(space, 0, 0, 1, 0);
    body[0] = dBodyCreate(world);
    dMassSetBoxTotal(&mass, MASS, ROD[0], ROD[1], ROD[2]);
    dBodySetMass(body[0], &mass);
    dGeomSetBody(dCreateBox(space, ROD[0], ROD[1], ROD[2]), body[0]);
    dBodySetPosition(body[0], 0, 0, 1);
    dBodySetAngularVel(body[0], 20 * uniform(&seed), 20 * uniform(&seed), 20 * uniform(&seed));
    for (int step = 0; step < 200; step++) {
        double had = energy_of(body[0]), height = dBodyGetPosition(body[0])[2];
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        double fallen = MASS * G * (height - dBodyGetPosition(body[0])[2]);
        ck_assert_double_le(energy_of(body[0]), had + fallen + 1e-9 * (had + MASS * G));
    }
    tear_down();
}
END_TEST

/* Rods, whose energy depends on how they are turned, fall on the ground in large steps. */
START_TEST(rods_gain_nothing)
{
    static const double G = 9.81;
    long by_pgs = 0;
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
        by_pgs += stats.pgs_solves;
        for (int i = 0; i < BODIES; i++) height -= dBodyGetPosition(body[i])[2];
        double fallen = MASS * G * height;
        put_in += fmax(fallen, 0) + (step ? 0 : had);
        ck_assert_double_le(energy(), had + fallen + 1e-9 * put_in);
    }
    ck_assert_int_gt(by_pgs, 0);
    tear_down();
}
END_TEST

/* What moves many bodies apart beside their velocities pushes, and does not rub: on a plane all of
 * it is upright. */
START_TEST(bodies_are_moved_along_normals)
{
    double moved = 0;
    build((uint64_t)_i, 0, CUBE);
    dCreatePlane(space, 0, 0, 1, -2);
    dWorldSetGravity(world, 0, 0, -9.81);
    for (int step = 0; step < STEPS; step++) {
        double sum[3] = {0}; /* N s */
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) sum[k] -= MASS * dBodyGetPosition(body[i])[k] / H;
        pegStats stats;
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
        pegWorldGetStats(peg, &stats);
        /* velocities or motions that were scaled, while the plane stands still; small islands that
         * contacts turn */
        if (stats.limited_bodies || stats.energy_returned) continue;
        if (stats.wide_islands + stats.resting_islands < stats.islands) continue;
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++)
                sum[k] += MASS * (dBodyGetPosition(body[i])[k] / H - dBodyGetLinearVel(body[i])[k]);
        for (int k = 0; k < 2; k++) ck_assert_double_eq_tol(sum[k], 0, 1e-9);
        moved += sum[2];
    }
    ck_assert_double_gt(moved, 0);
    tear_down();
}
END_TEST

/* Discs that fall on level ground without friction, and roll on their rims: whatever they do, the
 * ground pushes upwards. */
START_TEST(level_ground_pushes_upwards)
{
    static const double steps[] = {.002, .01, .02};
    dSurfaceParameters smooth = {0};
    uint64_t seed = 7;
    for (int disc = 0; disc < 20; disc++) {
        double r = .1 + .05 * uniform(&seed), length = .1 + .08 * uniform(&seed), h = steps[_i];
        double w[3] = {8 * uniform(&seed), 8 * uniform(&seed), 8 * uniform(&seed)}, along = 0;
        dMatrix3 R;
        dMass mass;
        open_world(&smooth);
        dWorldSetGravity(world, 0, 0, -9.81);
        dCreatePlane(space, 0, 0, 1, 0);
        dMassSetCylinderTotal(&mass, MASS, 3, r, length);
        body[0] = dBodyCreate(world);
        dBodySetMass(body[0], &mass);
        dGeomSetBody(dCreateCylinder(space, r, length), body[0]);
        dRFromAxisAndAngle(R, uniform(&seed), uniform(&seed), .5, 3 * uniform(&seed));
        dBodySetRotation(body[0], R);
        dBodySetPosition(body[0], 0, 0, .6);
        dBodySetAngularVel(body[0], w[0], w[1], w[2]);
        for (int n = 0; n < 1.5 / h; n++) {
            ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
            const dReal *v = dBodyGetLinearVel(body[0]);
            along = fmax(along, hypot(v[0], v[1]));
        }
        ck_assert_msg(along < 1e-9, "disc %d: %g m/s", disc, along);
        tear_down();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("momentum");
    TCase *tc = tcase_create("many");
    tcase_set_timeout(tc, 120);
    test_long(tc);
    tcase_add_loop_test(tc, bodies_are_moved_along_normals, 0, 3);
    tcase_add_loop_test(tc, rods_gain_nothing, 0, 4);
    tcase_add_loop_test(tc, impulses_add_up, 0, 3);
    tcase_add_loop_test(tc, meshes_keep_their_momentum, 0, 10);
    tcase_add_loop_test(tc, a_bouncing_box_gains_nothing, 0, 10);
    tcase_add_loop_test(tc, many_bounce_as_one, 0, 2);
    tcase_add_test(tc, many_are_moved_apart);
    tcase_add_loop_test(tc, nothing_comes_from_nowhere, 0, 6);
    tcase_add_loop_test(tc, nothing_turns_from_nowhere, 0, 2 * SHAPES);
    suite_add_tcase(suite, tc);
    TCase *few = tcase_create("few");
    tcase_set_timeout(few, 60);
    tcase_add_loop_test(few, level_ground_pushes_upwards, 0, 3);
    suite_add_tcase(suite, few);
    return suite;
}
