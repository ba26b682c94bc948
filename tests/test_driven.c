/* Stacks on what moves, that slide and spin, on slippery ground and on springs, beside closed
 * forms: islands of several bodies, which the wide attempt solves. A plate is the lowest body, with
 * eight cubes, or forty, on it. */
#include "plugin/ode-peg.h"
#include "tests/runner.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81, H = .01, GRIP = .9, MU = .3;
static const double PLATE[3] = {1.2, 1.2, .1}, CUBE = .1;

enum { MOST = 41 };

typedef struct scene {
    dWorldID world;
    dSpaceID space;
    pegWorldID peg;
    dBodyID body[MOST]; /* the plate is the first one */
    int bodies;
    double mass; /* of all, kg */
    dGeomID ground;
    dBodyID carrier;            /* null: the ground is static */
    dSurfaceParameters surface; /* of the ground; all else grips */
    dReal fdir1[3];
} scene;

static scene S;

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    dContact contact = {.geom = {.g1 = a, .g2 = b}};
    (void)data;
    if (a == S.ground || b == S.ground) {
        if (a == S.ground) contact.geom.g1 = b, contact.geom.g2 = a;
        contact.surface = S.surface;
        memcpy(contact.fdir1, S.fdir1, sizeof S.fdir1);
    } else {
        contact.surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = GRIP};
    }
    ck_assert_int_eq(pegWorldAddPairContact(S.peg, &contact, NULL), PEG_OK);
}

static void add_body(const double sides[3], double x, double y, double z)
{
    dMass mass;
    dBodyID body = S.body[S.bodies++] = dBodyCreate(S.world);
    dMassSetBox(&mass, 1000, sides[0], sides[1], sides[2]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(dCreateBox(S.space, sides[0], sides[1], sides[2]), body);
    S.mass += mass.mass;
}

/* The plate starts `gap` above the ground, cubes stand side by side on it. */
static void start(int cubes, double gap)
{
    const double sides[3] = {CUBE, CUBE, CUBE};
    memset(&S, 0, sizeof S);
    S.world = dWorldCreate();
    S.space = dSimpleSpaceCreate(NULL);
    dWorldSetGravity(S.world, 0, 0, -G);
    S.peg = pegWorldCreate(S.world, NULL);
    ck_assert_ptr_nonnull(S.peg);
    ck_assert_int_eq(pegWorldAddSpace(S.peg, S.space), PEG_OK);
    pegWorldSetNearCallback(S.peg, NULL, near_callback);
    S.ground = dCreateBox(S.space, 40, 40, 1);
    dGeomSetPosition(S.ground, 0, 0, -.5);
    S.surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = MU};
    add_body(PLATE, 0, 0, gap + .5 * PLATE[2]);
    for (int i = 0; i < cubes; i++)
        add_body(sides, .15 * (i % 7 - 3), .15 * (i / 7 % 7 - 3),
                 gap + PLATE[2] + 1e-4 + .5 * CUBE);
}

static void carry(double vx, double vz)
{
    S.carrier = dBodyCreate(S.world);
    dBodySetKinematic(S.carrier);
    dBodySetPosition(S.carrier, 0, 0, -.5);
    dGeomSetBody(S.ground, S.carrier);
    dBodySetLinearVel(S.carrier, vx, 0, vz);
}

static void finish(void)
{
    pegStats sum;
    pegWorldGetTotals(S.peg, &sum);
    ck_assert_int_eq(sum.limited_bodies, 0);
    ck_assert_int_eq(sum.unconverged, 0);
    ck_assert_int_gt(sum.wide_islands, 0);
    pegWorldDestroy(S.peg);
    dSpaceDestroy(S.space);
    dWorldDestroy(S.world);
}

static void run(int steps)
{
    for (int i = 0; i < steps; i++) ck_assert_int_eq(pegWorldStep(S.peg, H), PEG_OK);
}

/* Largest difference of a body's velocity from (vx, 0, vz). */
static double error_of(double vx, double vz)
{
    double worst = 0;
    for (int i = 0; i < S.bodies; i++) {
        const dReal *v = dBodyGetLinearVel(S.body[i]);
        worst = fmax(worst, fmax(fabs(v[0] - vx), fmax(fabs(v[1]), fabs(v[2] - vz))));
    }
    return worst;
}

static int cubes_of(int i)
{
    return i ? MOST - 1 : 8;
}

/* mu g until all move with the belt, which is a surface that moves or (_i & 2) a kinematic body. */
START_TEST(belt_carries_a_plate_with_cubes)
{
    const double speed = 1;
    start(cubes_of(_i & 1), 1e-4);
    if (_i & 2) {
        carry(speed, 0);
    } else {
        S.surface.mode |= dContactMotion1 | dContactFDir1;
        S.surface.motion1 = speed;
        S.fdir1[0] = 1;
    }
    run(10);
    for (int i = 0; i < 50; i++) {
        double before = dBodyGetLinearVel(S.body[0])[0];
        run(1);
        /* of each step, as the landing takes some of the first ones */
        ck_assert_double_le(error_of(fmin(speed, before + MU * G * H), 0), 2e-3);
    }
    ck_assert_double_le(error_of(speed, 0), 2e-3);
    finish();
}
END_TEST

START_TEST(lift_carries_a_plate_with_cubes)
{
    const double up = .5;
    start(cubes_of(_i), 1e-4);
    carry(.2, up);
    run(100);
    ck_assert_double_le(error_of(.2, up), 2e-3);
    double gap =
        dBodyGetPosition(S.body[0])[2] - .5 * PLATE[2] - dBodyGetPosition(S.carrier)[2] - .5;
    ck_assert(gap >= 0 && gap < 1e-3);
    finish();
}
END_TEST

static void set_directions(int directions)
{
    pegSettings settings;
    pegWorldGetSettings(S.peg, &settings);
    settings.friction_directions = directions;
    ck_assert_int_eq(pegWorldSetSettings(S.peg, &settings), PEG_OK);
}

/* Along its velocity, by mu g, with cones of 4, 8 and 16 directions, or the pyramid along it. */
START_TEST(plate_with_cubes_slides_straight)
{
    const int directions[] = {4, 8, 16, 0};
    const double angle = .3, speed = 1.5;
    start(cubes_of(_i & 1), 1e-4);
    set_directions(directions[_i / 2]);
    for (int i = 0; i < S.bodies; i++)
        dBodySetLinearVel(S.body[i], speed * cos(angle), speed * sin(angle), 0);
    run(10);
    double before = hypot(dBodyGetLinearVel(S.body[0])[0], dBodyGetLinearVel(S.body[0])[1]);
    run(30);
    for (int i = 0; i < S.bodies; i++) {
        const dReal *v = dBodyGetLinearVel(S.body[i]);
        ck_assert_double_eq_tol(hypot(v[0], v[1]), before - 30 * MU * G * H, 5e-3);
        ck_assert_double_eq_tol(atan2(v[1], v[0]), angle, 5e-3);
    }
    finish();
}
END_TEST

/* Spinning friction alone, rhoN M g, slows what turns about the vertical; the cubes turn with the
 * plate. */
START_TEST(spinning_friction_slows_a_plate_with_cubes)
{
    const double rho = .05, spin = 1.5;
    double inertia = 0;
    start(cubes_of(_i), 1e-4);
    S.surface.mode |= dContactRolling | dContactAxisDep;
    S.surface.mu = 0;
    S.surface.rhoN = rho;
    for (int i = 0; i < S.bodies; i++) {
        dMass mass;
        const dReal *x = dBodyGetPosition(S.body[i]);
        dBodyGetMass(S.body[i], &mass);
        inertia += mass.I[10] + mass.mass * (x[0] * x[0] + x[1] * x[1]);
        dBodySetAngularVel(S.body[i], 0, 0, spin);
        dBodySetLinearVel(S.body[i], -spin * x[1], spin * x[0], 0);
    }
    run(10);
    double before = dBodyGetAngularVel(S.body[0])[2], slowing = rho * S.mass * G / inertia;
    run(30);
    ck_assert_double_gt(before, 30 * H * slowing);
    for (int i = 0; i < S.bodies; i++)
        ck_assert_double_eq_tol(dBodyGetAngularVel(S.body[i])[2], before - 30 * H * slowing,
                                .02 * spin);
    finish();
}
END_TEST

/* On a slope the plate comes to the speed slip F, F the force of each of its four corners. */
START_TEST(slip_lets_a_plate_creep)
{
    const double slope = 20 * PI / 180, slip = 1e-3;
    start(cubes_of(_i), 1e-4);
    S.surface.mode |= dContactSlip1 | dContactSlip2;
    S.surface.mu = 2;
    S.surface.slip1 = S.surface.slip2 = slip;
    dWorldSetGravity(S.world, G * sin(slope), 0, -G * cos(slope));
    run(150);
    double speed = slip * S.mass * G * sin(slope) / 4;
    ck_assert_double_le(error_of(speed, 0), .02 * speed + 2e-3);
    finish();
}
END_TEST

/* Springs of the four corners share the weight: it sinks by M g cfm h / (4 erp). */
START_TEST(springs_carry_a_plate_with_cubes)
{
    start(cubes_of(_i), 1e-4);
    S.surface.mode |= dContactSoftERP | dContactSoftCFM;
    S.surface.soft_erp = .2;
    S.surface.soft_cfm = 1e-4;
    pegSettings settings;
    pegWorldGetSettings(S.peg, &settings);
    settings.soft_contacts = PEG_SOFT_KEEP;
    ck_assert_int_eq(pegWorldSetSettings(S.peg, &settings), PEG_OK);
    run(300);
    double sunk = .5 * PLATE[2] - dBodyGetPosition(S.body[0])[2];
    double wanted = S.mass * G * S.surface.soft_cfm * H / (4 * S.surface.soft_erp);
    ck_assert_double_le(error_of(0, 0), 1e-3);
    ck_assert_double_eq_tol(sunk, wanted, .02 * wanted);
    finish();
}
END_TEST

Suite *test_suite(void)
{
    dInitODE2(0);
    Suite *suite = suite_create("driven");
    TCase *tests = tcase_create("stacks");
    tcase_add_loop_test(tests, belt_carries_a_plate_with_cubes, 0, 4);
    tcase_add_loop_test(tests, lift_carries_a_plate_with_cubes, 0, 2);
    tcase_add_loop_test(tests, plate_with_cubes_slides_straight, 0, 8);
    tcase_add_loop_test(tests, spinning_friction_slows_a_plate_with_cubes, 0, 2);
    tcase_add_loop_test(tests, slip_lets_a_plate_creep, 0, 2);
    tcase_add_loop_test(tests, springs_carry_a_plate_with_cubes, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
