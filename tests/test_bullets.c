/* What moves by many times its size in a step does not pass through a thin wall, also where bullets
 * hit each other and spin on the way. The oracle are the straight lines between the steps. */
#include "tests/geometry_cases.h"
#include "tests/runner.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <string.h>

enum { MOST = 60, STEPS = 5, SEEDS = 40 };

static const double WALL = 3, THIN = .02; /* m */

static dBodyID bullet[MOST];

static dGeomID new_shape(dSpaceID space, int k, dMass *mass)
{
    static const double density = 8000;
    switch (k % 4) {
    case 1:
        dMassSetSphere(mass, density, .01);
        return dCreateSphere(space, .01);
    case 2:
        dMassSetCapsule(mass, density, 3, .01, .03);
        return dCreateCapsule(space, .01, .03);
    case 3:
        dMassSetCylinder(mass, density, 3, .01, .02);
        return dCreateCylinder(space, .01, .02);
    default:
        dMassSetBox(mass, density, .02, .03, .01);
        return dCreateBox(space, .02, .03, .01);
    }
}

static void add_bullet(dWorldID world, dSpaceID space, int i, int shape, double fastest,
                       cases_random *r)
{
    dMass mass;
    dQuaternion q;
    double axis[3];
    dBodyID b = bullet[i] = dBodyCreate(world);
    dGeomSetBody(new_shape(space, shape, &mass), b);
    dBodySetMass(b, &mass);
    dBodySetPosition(b, cases_uniform(r, -3, -1), cases_uniform(r, -1, 1), cases_uniform(r, -1, 1));
    cases_direction(r, axis);
    dQFromAxisAndAngle(q, axis[0], axis[1], axis[2], cases_uniform(r, 0, 3));
    dBodySetQuaternion(b, q);
    dBodySetLinearVel(b, cases_uniform(r, .05 * fastest, fastest),
                      .2 * fastest * cases_uniform(r, -1, 1),
                      .2 * fastest * cases_uniform(r, -1, 1));
}

/* Whether a bullet that was at `from` is behind the wall, and has gone through it. */
static int is_through(const double from[3], const dReal *to)
{
    if (!(from[0] < 0 && to[0] > 0)) return 0;
    double t = from[0] / (from[0] - to[0]);
    for (int k = 1; k < 3; k++)
        if (!(fabs(from[k] + t * (to[k] - from[k])) < .48 * WALL)) return 0;
    return 1;
}

/* Bullets of all shapes, or of the first one alone, and how many of them. */
static const struct {
    int mixed, n;
    double h, fastest;
} salvos[] = {{0, 8, .02, 900}, {0, 29, .02, 900}, {0, 30, .02, 900}, {0, 60, .01, 900},
              {0, 60, .05, 90}, {1, 8, .02, 900},  {1, 30, .01, 900}, {1, 60, .02, 900}};
enum { SALVOS = sizeof salvos / sizeof *salvos };

START_TEST(bullets_stay_before_a_wall)
{
    int n = salvos[_i].n;
    for (int seed = 1; seed <= SEEDS; seed++) {
        cases_random r = {(unsigned long long)seed * 7919};
        dWorldID world = dWorldCreate();
        dSpaceID space = dSimpleSpaceCreate(0);
        pegWorldID peg = pegWorldCreate(world, NULL);
        ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
        dCreateBox(space, THIN, WALL, WALL);
        for (int i = 0; i < n; i++)
            add_bullet(world, space, i, salvos[_i].mixed ? i : 0, salvos[_i].fastest, &r);
        for (int step = 0; step < STEPS; step++) {
            double from[MOST][3];
            for (int i = 0; i < n; i++)
                memcpy(from[i], dBodyGetPosition(bullet[i]), sizeof from[i]);
            ck_assert_int_eq(pegWorldStep(peg, salvos[_i].h), PEG_OK);
            for (int i = 0; i < n; i++)
                ck_assert_msg(!is_through(from[i], dBodyGetPosition(bullet[i])),
                              "seed %d: bullet %d is through in step %d", seed, i, step);
        }
        pegWorldDestroy(peg);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bullets");
    TCase *tests = tcase_create("bullets");
    dInitODE();
    test_at_end(dCloseODE);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, bullets_stay_before_a_wall, 0, SALVOS);
    suite_add_tcase(suite, tests);
    return suite;
}
