/* Bodies that overlap at the start, as many as are solved by PGS: they are moved apart in a
 * bounded number of steps, and nothing of that speed stays. */
#include "tests/runner.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 100 };

static const double MASS = 2, SIZE = .4;

/* Pairs open at the size (the radius of the bounding sphere) of the smaller part a second. */
static const double SPEED = .2;

/* Thin gaps of many bodies may take this share of their energy in a step to grow, and rounding this
 * of what the opening would have if it were motion. */
static const double GROWTH = 1e-10, ROUNDING = 1e-12;

static dWorldID world;
static dSpaceID space;
static pegWorldID peg;
static dBodyID body[MOST];
static int bodies;
static double at_first[3]; /* momentum */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void momentum(double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < bodies; i++)
        for (int k = 0; k < 3; k++) sum[k] += MASS * dBodyGetLinearVel(body[i])[k];
}

/* Kinetic energy about the mean velocity. */
static double energy(void)
{
    double sum = 0, mean[3];
    momentum(mean);
    for (int i = 0; i < bodies; i++) {
        const dReal *v = dBodyGetLinearVel(body[i]), *w = dBodyGetAngularVel(body[i]);
        for (int k = 0; k < 3; k++) {
            double d = v[k] - mean[k] / (MASS * bodies);
            sum += .5 * MASS * (d * d + SIZE * SIZE / 6 * w[k] * w[k]);
        }
    }
    return sum;
}

static void open_world(double gravity)
{
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    dWorldSetGravity(world, 0, 0, -gravity);
    peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    if (gravity > 0) dCreatePlane(space, 0, 0, 1, 0);
    bodies = 0;
}

static void close_world(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

static dBodyID add_body(int ball, double x, double y, double z, double speed)
{
    dBodyID b = body[bodies++] = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, MASS, SIZE, SIZE, SIZE);
    dBodySetMass(b, &mass);
    dGeomSetBody(ball ? dCreateSphere(space, SIZE / 2) : dCreateBox(space, SIZE, SIZE, SIZE), b);
    dBodySetPosition(b, x, y, z);
    dBodySetLinearVel(b, 0, 0, speed);
    return b;
}

/* Steps until nothing overlaps any more, at most so many, and then for another `after`. In the void
 * the momentum stays in every one, and what moves about the mean is what thin gaps may take.
 * Returns the least separation at the end, in m. */
static double move_apart(double h, int most, int after, double gravity, double speed)
{
    double moving = .5 * MASS * bodies, unit = MASS * bodies * fmax(speed, SPEED);
    pegStats stats = {.recovered = 1};
    int step = 0, apart = most;
    momentum(at_first);
    for (; step < apart + after; step++) {
        double now[3];
        ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        pegWorldGetStats(peg, &stats);
        ck_assert_int_eq(stats.frozen_islands, 0);
        if (stats.recovered == 0 && apart == most) apart = step;
        /* exact solves of many overlaps took .3 s a step */
        if (step == 0 && stats.islands == 1) ck_assert_int_eq(stats.solves, stats.pgs_solves);
        if (gravity > 0) continue;
        momentum(now);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(now[k], at_first[k], (step + 1) * ROUNDING * unit);
        ck_assert_double_le(
            energy(), moving * ((step + 1) * GROWTH * speed * speed + ROUNDING * SPEED * SPEED));
    }
    ck_assert_int_eq(stats.recovered, 0);
    return stats.min_separation;
}

static const int counts[] = {30, 60, 100};
static const double sizes[] = {.002, .01, .05}, depths[] = {.02, .15};
enum { ROWS = 2 * 3 * 3 * 2 }; /* shape, bodies, step size, depth */

/* The least separation at the end, in m. */
static double row(int i, double gravity, double speed)
{
    int ball = i % 2, n = counts[i / 2 % 3];
    double h = sizes[i / 6 % 3], depth = depths[i / 18];
    open_world(gravity);
    for (int k = 0; k < n; k++) add_body(ball, k * (SIZE - depth), 0, SIZE / 2, speed);
    double separation = move_apart(h, 20 + (int)(4 * depth / (SPEED * h)), 60, gravity, speed);
    /* boxes may have risen while they opened */
    double risen = ball ? 0 : MASS * bodies * gravity * depth;
    ck_assert(gravity == 0 || energy() <= risen + ROUNDING * MASS * bodies);
    close_world();
    return separation;
}

START_TEST(rows_that_fly)
{
    ck_assert_double_ge(row(_i, 0, 5), 0);
}
END_TEST

START_TEST(rows_at_rest)
{
    ck_assert_double_ge(row(_i, 0, 0), 0);
}
END_TEST

START_TEST(rows_on_the_ground)
{
    ck_assert_double_ge(row(_i, 9.81, 0), 0);
}
END_TEST

/* Heaps of boxes and balls in each other, in the void. */
START_TEST(heaps_come_apart)
{
    uint64_t seed = (uint64_t)_i + 1;
    double half = (.5 + .25 * (_i % 3)) * SIZE * cbrt(60), speed = _i % 2 ? 5 : 0, h = .01;
    open_world(0);
    for (int k = 0; k < 60; k++) {
        double x[3], axis[3];
        dMatrix3 R;
        for (int j = 0; j < 3; j++) x[j] = half * uniform(&seed), axis[j] = uniform(&seed);
        dBodyID b = add_body(k % 2, x[0], x[1], x[2], speed);
        dRFromAxisAndAngle(R, axis[0], axis[1], axis[2], 3 * uniform(&seed));
        dBodySetRotation(b, R);
    }
    ck_assert_double_ge(move_apart(h, (int)(4 * SIZE / (SPEED * h)), 60, 0, speed), 0);
    close_world();
}
END_TEST

/* A light body deep in a heavy one is moved out by what may open in a step, not by what its rows
 * allow: friction that holds it there, and corners that dip past it, let it leap by 5 to 172 m. */
START_TEST(light_bodies_do_not_leap)
{
    static const struct {
        double h, mu, x, y, z, second; /* where the heavy body has another box, or 0 */
    } cases[] = {{.1, INFINITY, .1, .05, .05, 0},
                 {.01, .5, .1, .05, .55, .7},
                 {.002, .5, .1, .05, .65, .7},
                 {.1, INFINITY, .1, .05, .55, .7},
                 {.05, 0, .1, .05, .55, .7}};
    double h = cases[_i].h, last[3];
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = cases[_i].mu};
    dMass mass;
    dMatrix3 R;
    open_world(9.81);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
    dBodyID heavy = dBodyCreate(world), light = dBodyCreate(world);
    dMassSetBoxTotal(&mass, 1000, 1, 1, 1);
    dBodySetMass(heavy, &mass);
    dGeomSetBody(dCreateBox(space, 1, 1, 1), heavy);
    if (cases[_i].second > 0) {
        dGeomID second = dCreateBox(space, .6, .6, .6);
        dGeomSetBody(second, heavy);
        dGeomSetOffsetPosition(second, cases[_i].second, 0, 0);
    }
    dBodySetPosition(heavy, 0, 0, .5001);
    dMassSetBoxTotal(&mass, .1, .5, .5, .5);
    dBodySetMass(light, &mass);
    dGeomSetBody(_i ? dCreateCapsule(space, .2, .3) : dCreateCylinder(space, .25, .5), light);
    dBodySetPosition(light, cases[_i].x, cases[_i].y, cases[_i].z);
    dRFromAxisAndAngle(R, 1, .5, .2, .3);
    dBodySetRotation(light, R);
    for (double t = 0; t < 2; t += h) {
        const dReal *x = dBodyGetPosition(light);
        for (int k = 0; k < 3; k++) last[k] = x[k];
        double speed = dCalcVectorLength3(dBodyGetLinearVel(light));
        ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
        double moved = hypot(hypot(x[0] - last[0], x[1] - last[1]), x[2] - last[2]);
        ck_assert_double_le(moved, h * (10 + speed + 9.81 * h)); /* pairs of 1 m open by h */
    }
    close_world();
}
END_TEST

/* A stack between walls that are too near: what cannot open is given up early in each step. */
START_TEST(jams_take_little_work)
{
    pegStats stats;
    open_world(9.81);
    dCreatePlane(space, 1, 0, 0, -.45 * SIZE);
    dCreatePlane(space, -1, 0, 0, -.45 * SIZE);
    for (int k = 0; k < 3; k++) add_body(0, 0, 0, (k + .5) * SIZE, 0);
    for (int step = 0; step < 40; step++) {
        ck_assert_int_eq(pegWorldStep(peg, .01), PEG_OK);
        pegWorldGetStats(peg, &stats);
        ck_assert_int_eq(stats.recovered, 6);
        ck_assert(step < 4 || stats.outer_iterations <= 16);
    }
    close_world();
}
END_TEST

/* Three heavy bodies that fly into each other and one of a thousandth of their mass between them,
 * deep in all of them: it becomes no faster than their points, and what opens. */
START_TEST(light_bodies_are_not_shot_away)
{
    const double radius = SIZE * sqrt(3) / 2, opening = radius;
    uint64_t seed = (uint64_t)_i + 1;
    open_world(0);
    for (int k = 0; k < 4; k++) {
        double x[3], v[3], axis[3], far = k ? .3 * SIZE : .05 * SIZE;
        dMatrix3 R;
        dMass mass;
        for (int j = 0; j < 3; j++) {
            x[j] = far * uniform(&seed), v[j] = 2 * uniform(&seed), axis[j] = uniform(&seed);
        }
        dBodyID b = add_body(0, x[0], x[1], x[2], 0);
        dMassSetBoxTotal(&mass, k ? 50 : .05, SIZE, SIZE, SIZE);
        dBodySetMass(b, &mass);
        dBodySetLinearVel(b, v[0], v[1], v[2]);
        dRFromAxisAndAngle(R, axis[0], axis[1], axis[2], 3 * uniform(&seed));
        dBodySetRotation(b, R);
    }
    for (int step = 0; step < 40; step++) {
        double fastest = 0;
        for (int k = 0; k < bodies; k++) {
            const dReal *v = dBodyGetLinearVel(body[k]), *w = dBodyGetAngularVel(body[k]);
            fastest = fmax(fastest, sqrt(dCalcVectorLengthSquare3(v)) +
                                        radius * sqrt(dCalcVectorLengthSquare3(w)));
        }
        ck_assert_int_eq(pegWorldStep(peg, .01), PEG_OK);
        double speed = sqrt(dCalcVectorLengthSquare3(dBodyGetLinearVel(body[0])));
        ck_assert_msg(speed <= fastest + opening, "step %d: %g m/s, before %g m/s", step, speed,
                      fastest);
    }
    close_world();
}
END_TEST

static dBodyID add_needle(double thick, double x, double y, double z)
{
    static const double length = 1;
    dBodyID b = body[bodies++] = dBodyCreate(world);
    dMass mass;
    dMassSetBox(&mass, 8000, length, thick, thick);
    dBodySetMass(b, &mass);
    dGeomSetBody(dCreateBox(space, length, thick, thick), b);
    dBodySetPosition(b, x, y, z);
    return b;
}

/* A needle that turns about its axis by 2 rad in a step gets no farther than it is thick. */
START_TEST(spinning_needles_reach_nothing)
{
    pegStats stats;
    open_world(0);
    for (int k = 0; k < 2; k++) dBodySetAngularVel(add_needle(.001, 0, 0, .1 * k), 200, 0, 0);
    ck_assert_int_eq(pegWorldStep(peg, .01), PEG_OK);
    pegWorldGetStats(peg, &stats);
    ck_assert_int_eq(stats.pairs, 0);
    close_world();
}
END_TEST

/* Thirty needles that cross, some of them in each other, fall on the ground as a tangle that moves
 * twenty times its thickness in a step: searches for what they meet on the way used up their bound,
 * and all of them stopped. */
START_TEST(crossing_needles_go_on)
{
    pegStats stats;
    uint64_t seed = (uint64_t)_i + 1;
    int limited = 0;
    open_world(9.81);
    for (int k = 0; k < 30; k++) {
        double x[3], axis[3];
        dMatrix3 R;
        for (int j = 0; j < 3; j++) x[j] = .1 * uniform(&seed), axis[j] = uniform(&seed);
        dBodyID b = add_needle(.001, x[0], x[1], .7 + x[2]);
        dRFromAxisAndAngle(R, axis[0], axis[1], axis[2], 3 * uniform(&seed));
        dBodySetRotation(b, R);
    }
    for (int step = 0; step < 36; step++) {
        ck_assert_int_eq(pegWorldStep(peg, .01), PEG_OK);
        pegWorldGetStats(peg, &stats);
        ck_assert_msg(stats.frozen_islands == 0, "frozen in step %d", step);
        limited += stats.limited_islands > 0;
    }
    ck_assert_int_le(limited, 2);
    close_world();
}
END_TEST

static double needle_energy(void)
{
    double sum = 0;
    for (int i = 0; i < bodies; i++) {
        const dReal *v = dBodyGetLinearVel(body[i]), *w = dBodyGetAngularVel(body[i]);
        dMass mass;
        dVector3 local, L;
        dBodyGetMass(body[i], &mass);
        dBodyVectorFromWorld(body[i], w[0], w[1], w[2], local);
        dMultiply0_331(L, mass.I, local);
        sum += .5 * (mass.mass * dCalcVectorLengthSquare3(v) + dCalcVectorDot3(L, local)) +
               mass.mass * 9.81 * dBodyGetPosition(body[i])[2];
    }
    return sum;
}

/* Needles of a tenth of a millimetre that cross and stand in the ground spin by thousands of
 * radians in a step. Poses that restorations turn elsewhere take this spin along: about another
 * axis of the needle it had up to 540 J of 0.02 J. What opens lifts by a few centimetres. */
START_TEST(thin_needles_gain_no_energy)
{
    uint64_t seed = (uint64_t)_i + 1;
    open_world(9.81);
    for (int k = 0; k < 30; k++) {
        double x[3], axis[3];
        dMatrix3 R;
        for (int j = 0; j < 3; j++) x[j] = .2 * uniform(&seed), axis[j] = uniform(&seed);
        dBodyID b = add_needle(1e-4, x[0], x[1], .3 + .05 * k);
        dRFromAxisAndAngle(R, axis[0], axis[1], 3 * axis[2], 3 * uniform(&seed));
        dBodySetRotation(b, R);
    }
    double before = needle_energy(), allowed = .1 * before;
    for (int step = 0; step < 9; step++) {
        ck_assert_int_eq(pegWorldStep(peg, .05), PEG_OK);
        double after = needle_energy();
        ck_assert_msg(after <= before + allowed, "step %d: %g J, %g J before", step, after, before);
        before = after;
    }
    close_world();
}
END_TEST

/* --- nests --- */

/* A part of a random shape and size about `size`; its mass goes into `mass`, turned. */
static dGeomID add_random_part(uint64_t *seed, double size, double density, dMass *mass,
                               dMatrix3 turn)
{
    double a = size * (1 + .5 * uniform(seed)), b = size * (1 + .5 * uniform(seed)),
           c = size * (1 + .5 * uniform(seed));
    int kind = (int)(2 + 2 * uniform(seed));
    dRFromAxisAndAngle(turn, uniform(seed), uniform(seed), uniform(seed), 3 * uniform(seed));
    if (kind == 0) dMassSetBox(mass, density, a, b, c);
    if (kind == 1) dMassSetSphere(mass, density, a / 2);
    if (kind == 2) dMassSetCapsule(mass, density, 3, a / 3, b);
    if (kind == 3) dMassSetCylinder(mass, density, 3, a / 2, b);
    dMassRotate(mass, turn);
    return kind == 0   ? dCreateBox(space, a, b, c)
           : kind == 1 ? dCreateSphere(space, a / 2)
           : kind == 2 ? dCreateCapsule(space, a / 3, b)
                       : dCreateCylinder(space, a / 2, b);
}

/* Three parts of which each overlaps the next, 1000 kg / m^3. */
static void add_composite(uint64_t *seed, double z)
{
    dBodyID heavy = body[bodies++] = dBodyCreate(world);
    dGeomID part[3];
    dMass sum, mass;
    dMatrix3 turn;
    double at[3][3];
    dMassSetZero(&sum);
    for (int i = 0; i < 3; i++) {
        part[i] = add_random_part(seed, .65, 1000, &mass, turn);
        for (int k = 0; k < 3; k++) at[i][k] = .5 * uniform(seed);
        dMassTranslate(&mass, at[i][0], at[i][1], at[i][2]);
        dMassAdd(&sum, &mass);
        dGeomSetBody(part[i], heavy);
        dGeomSetOffsetRotation(part[i], turn);
    }
    for (int i = 0; i < 3; i++)
        dGeomSetOffsetPosition(part[i], at[i][0] - sum.c[0], at[i][1] - sum.c[1],
                               at[i][2] - sum.c[2]);
    dMassTranslate(&sum, -sum.c[0], -sum.c[1], -sum.c[2]);
    dBodySetMass(heavy, &sum);
    dBodySetPosition(heavy, 0, 0, z);
}

/* Bodies of 1 to 1000 kg / m^3 are created in a heavy one, which then falls: they come out, and
 * nothing stands still for that. With the nearest features of a cylinder's cap as rows, and
 * openings that were given up as a whole, these stood for 8 to 86 steps. */
START_TEST(nests_come_apart)
{
    static const struct {
        int seed;
        double h;
    } nests[] = {{150, .01}, {159, .01}, {283, .02}, {304, .01}, {437, .01}, {463, .02}};
    int seed_of = nests[_i].seed;
    double h = nests[_i].h;
    uint64_t seed = (uint64_t)seed_of + 1;
    pegStats total;
    dSurfaceParameters surface = {.mode = dContactApprox1,
                                  .mu = seed_of % 3 ? .5 + .5 * uniform(&seed) : dInfinity};
    open_world(9.81);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
    add_composite(&seed, 1.3);
    for (int i = 0; i <= seed_of % 3; i++) {
        dMass mass;
        dMatrix3 turn;
        dBodyID light = body[bodies++] = dBodyCreate(world);
        dGeomID part = add_random_part(&seed, .3, pow(10, 1.5 + 1.5 * uniform(&seed)), &mass, turn);
        dGeomSetBody(part, light);
        dBodySetRotation(light, turn);
        dBodySetMass(light, &mass);
        double x = .5 * uniform(&seed), y = .5 * uniform(&seed);
        dBodySetPosition(light, x, y, 1.3 + .5 * uniform(&seed));
    }
    for (int step = 0; step < 1.5 / h; step++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    pegWorldGetTotals(peg, &total);
    ck_assert_int_eq(total.frozen_islands, 0);
    close_world();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recovery");
    TCase *tc = tcase_create("many");
    tcase_set_timeout(tc, 120);
    test_long(tc);
    tcase_add_loop_test(tc, light_bodies_are_not_shot_away, 0, 60);
    tcase_add_loop_test(tc, rows_that_fly, 0, ROWS);
    tcase_add_loop_test(tc, rows_at_rest, 0, ROWS);
    tcase_add_loop_test(tc, rows_on_the_ground, 0, ROWS);
    tcase_add_loop_test(tc, heaps_come_apart, 0, 6);
    tcase_add_loop_test(tc, light_bodies_do_not_leap, 0, 5);
    tcase_add_test(tc, jams_take_little_work);
    tcase_add_loop_test(tc, nests_come_apart, 0, 6);
    suite_add_tcase(suite, tc);
    tc = tcase_create("needles");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, spinning_needles_reach_nothing);
    tcase_add_loop_test(tc, crossing_needles_go_on, 0, 3);
    tcase_add_loop_test(tc, thin_needles_gain_no_energy, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
