/* Every class of geoms, alone and in pairs, through the public interface. */
#include "tests/runner.h"
#include "tests/geom_cases.h"
#include "tests/test_geoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* transforms */

static void choose_narrow_phase(const scene *s, pegNarrowPhase narrow)
{
    pegSettings settings;
    pegWorldGetSettings(s->peg, &settings);
    settings.narrow_phase = narrow;
    ck_assert_int_eq(pegWorldSetSettings(s->peg, &settings), PEG_OK);
}

/* Falls, never gets deeper than its place of rest, and comes to rest there; with libccd and
 * without. */
START_TEST(rests_on_what_it_falls_on)
{
    int mover = _i % MOVERS, kind = _i / MOVERS % STATICS;
    scene s = new_scene(0.5);
    choose_narrow_phase(&s, (pegNarrowPhase)(_i / (MOVERS * STATICS)));
    add_static(&s, kind);
    dBodyID body = add_mover(&s, mover);
    dBodySetPosition(body, 0, 0, 0.55);
    double low = INFINITY;
    for (int i = 0; i < 60; i++) {
        make_step(&s, 0.01);
        low = fmin(low, dBodyGetPosition(body)[2]);
    }
    ck_assert_msg(low >= 0.5 - 1e-9, "mover %d, static %d: down to %.12g", mover, kind, low);
    ck_assert_msg(fabs(dBodyGetPosition(body)[2] - 0.5) < 1e-4, "mover %d, static %d: at %.12g",
                  mover, kind, dBodyGetPosition(body)[2]);
    const dReal *v = dBodyGetLinearVel(body);
    ck_assert_msg(fabs(v[2]) < 1e-6, "mover %d, static %d: %g m/s", mover, kind, v[2]);

    double carried = 0; /* by what it lies on, whichever geom is named first */
    for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
        ck_assert_double_gt(fabs(c.normal[2]), 0.999);
        carried += c.impulse;
    }
    ck_assert_double_eq_tol(carried, 2 * G * 0.01, 1e-4);
    free_scene(&s);
}
END_TEST

START_TEST(movers_stack)
{
    int low = _i % MOVERS, high = _i / MOVERS;
    scene s = new_scene(0.5);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID a = add_mover(&s, low), b = add_mover(&s, high);
    dBodySetPosition(a, 0, 0, 0.5001);
    dBodySetPosition(b, 0, 0, 1.51);
    for (int i = 0; i < 30; i++) {
        make_step(&s, 0.01);
        double gap = dBodyGetPosition(b)[2] - dBodyGetPosition(a)[2] - 1;
        ck_assert_msg(gap >= -1e-9, "%d on %d: gap %g", high, low, gap);
    }
    ck_assert_msg(fabs(dBodyGetPosition(b)[2] - 1.5) < 1e-3, "%d on %d: at %.12g", high, low,
                  dBodyGetPosition(b)[2]);
    free_scene(&s);
}
END_TEST

/* A ball that rolls without sliding: 5/7 g sin; without friction: g sin. */
START_TEST(ball_on_an_incline)
{
    double angle = 0.3, h = 0.01, share = _i & 1 ? 1 : 5. / 7;
    scene s = new_scene(_i & 1 ? 0 : 1);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, 1, 0, angle);
    if (_i & 2) {
        dGeomSetRotation(add_grid(&s, 40, flat), R);
    } else {
        dCreatePlane(s.space, sin(angle), 0, cos(angle), 0);
    }
    dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.5));
    dBodySetPosition(ball, 0.50001 * sin(angle), 0.01, 0.50001 * cos(angle));
    for (int i = 0; i < 100; i++) make_step(&s, h);
    double speed = share * G * sin(angle);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], speed * cos(angle), 1e-4 * speed);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[2], -speed * sin(angle), 1e-4 * speed);
    ck_assert_double_eq_tol(dBodyGetAngularVel(ball)[1], _i & 1 ? 0 : speed / 0.5, 1e-3 * speed);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[1], 0, 1e-6);
    free_scene(&s);
}
END_TEST

/* --- a ball in a bowl --- */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance_to_segment(const double *p, const double *a, const double *b)
{
    double d[3], e[3], t = 0, sum = 0;
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k], e[k] = p[k] - a[k];
    t = fmin(1, fmax(0, dot(d, e) / dot(d, d)));
    for (int k = 0; k < 3; k++) sum += (e[k] - t * d[k]) * (e[k] - t * d[k]);
    return sqrt(sum);
}

/* Distance to a triangle: to its plane if the foot lies inside, else to the nearest side. */
static double distance_to_triangle(const double *p, const double *const v[3])
{
    double a[3], b[3], e[3], n[3], best = INFINITY;
    for (int k = 0; k < 3; k++) {
        a[k] = v[1][k] - v[0][k];
        b[k] = v[2][k] - v[0][k];
        e[k] = p[k] - v[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), det = aa * bb - ab * ab;
    double s = (dot(e, a) * bb - dot(e, b) * ab) / det, t = (dot(e, b) * aa - dot(e, a) * ab) / det;
    if (s >= 0 && t >= 0 && s + t <= 1) return fabs(dot(e, n)) / sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) best = fmin(best, distance_to_segment(p, v[k], v[(k + 1) % 3]));
    return best;
}

static double distance_to_grid(const double *p)
{
    double best = INFINITY;
    for (int t = 0; t < 2 * SIDE * SIDE; t++) {
        const double *v[3];
        for (int k = 0; k < 3; k++) v[k] = grid_vertex[grid_triangle[t][k]];
        best = fmin(best, distance_to_triangle(p, v));
    }
    return best;
}

/* As a mesh (also on a body that stands still) and as a heightfield, whose cells are cut alike. */
START_TEST(ball_in_a_bowl)
{
    double samples[(SIDE + 1) * (SIDE + 1)];
    scene s = new_scene(0.5);
    if (_i < 2) {
        dGeomID grid = add_grid(&s, 4, bowl);
        if (_i == 1) {
            dBodyID holder = add_body(&s, grid);
            dBodySetKinematic(holder);
            dGeomSetOffsetPosition(grid, 1, 2, 3);
            dBodySetPosition(holder, -1, -2, -3);
        }
    } else {
        pegHeightfield f = sampled(4, bowl, samples);
        add_field(&s, &f);
        fill_grid(4, bowl);
        for (unsigned t = 0; t < 2 * SIDE * SIDE; t += 2) { /* cut the other way, y turned round */
            unsigned a = grid_triangle[t][0], b = a + 1, c = a + SIDE + 1, d = c + 1;
            unsigned half[2][3] = {{a, b, d}, {a, d, c}};
            memcpy(grid_triangle[t], half, sizeof half);
        }
    }
    dBodyID ball = add_body(&s, dCreateSphere(s.space, 0.3));
    dBodySetPosition(ball, 0.9, -0.4, 0.8);
    dBodySetLinearDamping(ball, 0.01);
    dBodySetAngularDamping(ball, 0.01);
    for (int i = 0; i < 800; i++) {
        make_step(&s, 0.01);
        double gap = distance_to_grid(dBodyGetPosition(ball)) - 0.3;
        ck_assert_msg(gap > -1e-8, "case %d, step %d: %g", _i, i, gap);
        if (i % 10 == 9) ck_assert_double_lt(gap, 0.3);
    }
    const dReal *x = dBodyGetPosition(ball);
    ck_assert_double_lt(fabs(distance_to_grid(x) - 0.3), 1e-4);
    ck_assert_double_lt(hypot(x[0], x[1]), 0.26); /* in one of the cells about the lowest point */
    free_scene(&s);
}
END_TEST

/* --- where geoms may lie --- */

/* A dumb-bell out of two balls at +-0.7 x, made in four ways. */
static dBodyID add_dumbbell(scene *s, int way)
{
    dBodyID body = add_body(s, NULL);
    dSpaceID space = way == 2 ? dHashSpaceCreate(s->space) : s->space;
    for (int side = -1; side <= 1; side += 2) {
        dGeomID ball;
        if (way == 1 || way == 3) {
            dGeomID inner = dCreateSphere(NULL, 0.4);
            dGeomSetPosition(inner, 0.7 * side, 0, 0);
            if (way == 3) {
                dGeomID middle = dCreateGeomTransform(NULL);
                dGeomTransformSetGeom(middle, inner);
                dGeomTransformSetCleanup(middle, 1);
                dGeomSetPosition(inner, 0.5 * side, 0, 0);
                dGeomSetPosition(middle, 0.2 * side, 0, 0);
                inner = middle;
            }
            ball = dCreateGeomTransform(space);
            dGeomTransformSetGeom(ball, inner);
            dGeomTransformSetCleanup(ball, 1);
            dGeomSetBody(ball, body);
        } else {
            ball = dCreateSphere(space, 0.4);
            dGeomSetBody(ball, body);
            dGeomSetOffsetPosition(ball, 0.7 * side, 0, 0);
        }
    }
    return body;
}

START_TEST(same_motion_however_geoms_are_held)
{
    double x[4][7];
    for (int way = 0; way < 4; way++) {
        scene s = new_scene(0.4);
        dCreatePlane(s.space, 0.1, 0, 1, 0);
        dGeomSetPosition(dCreateSphere(s.space, 0.5), 0, 0, 0.4);
        dBodyID body = add_dumbbell(&s, way);
        dMatrix3 R;
        dRFromAxisAndAngle(R, 1, 2, 0.3, 0.6);
        dBodySetRotation(body, R);
        dBodySetPosition(body, 0.1, 0.2, 2);
        for (int i = 0; i < 50; i++) make_step(&s, 0.01);
        memcpy(x[way], dBodyGetPosition(body), 3 * sizeof(double));
        memcpy(x[way] + 3, dBodyGetQuaternion(body), 4 * sizeof(double));
        for (int k = 0; k < 7; k++) ck_assert_double_eq_tol(x[way][k], x[0][k], 1e-6);
        free_scene(&s);
    }
}
END_TEST

/* Contacts name what ODE would name: the geom inside, or with the info mode the transform. */
START_TEST(transforms_are_named_as_ode_names_them)
{
    scene s = new_scene(0.4);
    dGeomID plane = dCreatePlane(s.space, 0, 0, 1, 0), inner = dCreateSphere(NULL, 0.5);
    dGeomID transform = held(&s, inner, 0.25);
    dBodyID body = add_body(&s, transform);
    dGeomTransformSetInfo(transform, _i);
    dBodySetPosition(body, 0, 0, 0.2);
    dContactGeom theirs;
    ck_assert_int_eq(dCollide(transform, plane, 1, &theirs, sizeof theirs), 1);
    dBodySetPosition(body, 0, 0, 0.2500001);
    make_step(&s, 0.01);
    make_step(&s, 0.01);
    pegContact c;
    ck_assert_int_eq(pegWorldGetContact(s.peg, 0, &c), PEG_OK);
    ck_assert(c.g1 == theirs.g1 || c.g2 == theirs.g1);
    ck_assert_ptr_eq(theirs.g1, _i ? transform : inner);

    /* ODE's contact leads back to the pair, with its surface */
    dContact contact = {.geom = {.g1 = theirs.g1, .g2 = plane}};
    contact.surface.mode = dContactBounce;
    contact.surface.bounce = 1;
    dBodySetPosition(body, 0, 0, 0.2600);
    dBodySetLinearVel(body, 0, 0, -5);
    ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, NULL), PEG_OK);
    make_step(&s, 0.01);
    ck_assert_double_gt(dBodyGetLinearVel(body)[2], 4.8);
    free_scene(&s);
}
END_TEST

/* A cylinder stands on the side of a lying capsule, a little off: a line bears it, at both of its
 * ends. */
START_TEST(cap_stands_on_a_line)
{
    scene s = new_scene(0.5);
    dMatrix3 R;
    dMass m;
    dGeomID capsule = dCreateCapsule(s.space, 4, 3);
    dRFromAxisAndAngle(R, 0, 1, 0, M_PI / 2);
    dGeomSetRotation(capsule, R);
    dGeomSetPosition(capsule, 0, 0, -4);
    dBodyID body = dBodyCreate(s.world);
    dMassSetCylinderTotal(&m, 2, 3, .5, 1);
    dBodySetMass(body, &m);
    dGeomSetBody(dCreateCylinder(s.space, .5, 1), body);
    dBodySetPosition(body, .01, .02, .52);
    for (int n = 0; n < 40; n++) {
        pegStats stats;
        double before = dBodyGetLinearVel(body)[2], carried = 0;
        make_step(&s, 0.01);
        pegWorldGetStats(s.peg, &stats);
        ck_assert_int_eq(stats.limited_islands, 0);
        ck_assert_double_le(stats.max_penetration, 0);
        for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
            pegContact c;
            ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
            double up = c.impulse * c.normal[2] + c.friction[2];
            carried += c.body1 == body ? up : -up;
        }
        double gained = dBodyGetLinearVel(body)[2] - before;
        ck_assert_double_eq_tol(carried, 2 * (gained + G * 0.01), 1e-9);
        ck_assert_double_le(fabs(dBodyGetAngularVel(body)[1]), 1e-6);
    }
    free_scene(&s);
}
END_TEST

static double bumps(double x, double y)
{
    return .12 * sin(2.1 * x + .3) * cos(1.7 * y);
}

/* Cylinders that stand on uneven ground: on edges that end below the cap, beside ground that rises
 * beyond its rim; what rounding leaves of their velocities is rest. The last four rock for a while.
 */
START_TEST(stands_still_on_bumps)
{
    static const uint64_t seeds[] = {2, 6, 13, 22, 23, 28, 20, 37, 47, 58};
    cases_random r = {seeds[_i]};
    scene s = new_scene(0.5);
    dMass m;
    add_grid(&s, 6, bumps);
    double radius = cases_uniform(&r, .15, .3), length = cases_uniform(&r, .2, .5);
    dBodyID body = dBodyCreate(s.world);
    dMassSetCylinderTotal(&m, 2, 3, radius, length);
    dBodySetMass(body, &m);
    dGeomSetBody(dCreateCylinder(s.space, radius, length), body);
    double y = cases_uniform(&r, -1, 1), x = cases_uniform(&r, -1, 1);
    dBodySetPosition(body, x, y, .5);
    for (int n = 0; n < 500; n++) {
        pegStats stats;
        make_step(&s, .01);
        pegWorldGetStats(s.peg, &stats);
        if (n >= 400) ck_assert_int_eq(stats.position_stages, 0);
    }
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq(dBodyGetLinearVel(body)[k], 0);
        ck_assert_double_eq(dBodyGetAngularVel(body)[k], 0);
    }
    free_scene(&s);
}
END_TEST

static TCase *geom_rest_tests(void)
{
    TCase *tests = tcase_create("rest");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, rests_on_what_it_falls_on, 0,
                        MOVERS * STATICS * PEG_NARROW_PHASE_COUNT);
    tcase_add_loop_test(tests, movers_stack, 0, MOVERS * MOVERS);
    tcase_add_loop_test(tests, ball_on_an_incline, 0, 4);
    tcase_add_loop_test(tests, ball_in_a_bowl, 0, 3);
    tcase_add_test(tests, cap_stands_on_a_line);
    tcase_add_loop_test(tests, stands_still_on_bumps, 0, 10);
    tcase_add_test(tests, same_motion_however_geoms_are_held);
    tcase_add_loop_test(tests, transforms_are_named_as_ode_names_them, 0, 2);
    return tests;
}

Suite *test_suite(void)
{
    dInitODE();
    test_at_end(dCloseODE);
    Suite *suite = suite_create("geoms");
    suite_add_tcase(suite, geom_rest_tests());
    suite_add_tcase(suite, geom_change_tests());
    suite_add_tcase(suite, geom_ask_tests());
    return suite;
}
