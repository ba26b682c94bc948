/* Boxes and convex geoms with a radius: drops of every pair of classes against an oracle that knows
 * them by their support functions alone, drops onto a mesh against all its triangles, and closed
 * forms. */
#include "tests/runner.h"
#include "tests/geom_cases.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"
#include "peg/shape/polytope.h"
#include "tests/geometry_cases.h"

/* --- an oracle --- */

enum { OF_ROUNDED, OF_HULL, OF_BOX, OF_SPHERE, OF_CAPSULE, OF_CYLINDER, CLASSES };

typedef struct solid {
    int is;
    double size[3], round;
    dGeomID geom;
} solid;

static double support(const solid *s, const double *n)
{
    double l[3];
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    for (int k = 0; k < 3; k++) l[k] = R[k] * n[0] + R[4 + k] * n[1] + R[8 + k] * n[2];
    double at = peg_dot(x, n) + s->round, half = .5 * s->size[2] * fabs(l[2]);
    if (s->is == OF_SPHERE) return at + s->size[0];
    if (s->is == OF_CAPSULE) return at + s->size[0] + half;
    if (s->is == OF_CYLINDER) return at + s->size[0] * hypot(l[0], l[1]) + half;
    for (int k = 0; k < 3; k++) at += .5 * s->size[k] * fabs(l[k]);
    return at;
}

static double along(const solid *a, const solid *b, const double *n)
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return -support(a, back) - support(b, n);
}

/* The point of what is inside of a radius that is nearest to p. */
static void nearest_inside(const solid *s, const double *p, double *out)
{
    double d[3], l[3], across;
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    peg_sub(p, x, d);
    for (int k = 0; k < 3; k++) l[k] = R[k] * d[0] + R[4 + k] * d[1] + R[8 + k] * d[2];
    for (int k = 0; k < 3 && s->is <= OF_BOX; k++)
        l[k] = fmin(fmax(l[k], -.5 * s->size[k]), .5 * s->size[k]);
    if (s->is >= OF_SPHERE) {
        double half = s->is == OF_SPHERE ? 0 : .5 * s->size[2];
        across = s->is == OF_CYLINDER ? s->size[0] / hypot(l[0], l[1]) : 0;
        for (int k = 0; k < 2; k++) l[k] *= fmin(across, 1);
        l[2] = fmin(fmax(l[2], -half), half);
    }
    for (int k = 0; k < 3; k++)
        out[k] = x[k] + R[4 * k] * l[0] + R[4 * k + 1] * l[1] + R[4 * k + 2] * l[2];
}

/* The separation along the direction between the nearest points of what is inside, found by
 * projections from one onto the other in turn, and improved by climbing: the distance, or less. */
static double try_separation(const solid *a, const solid *b, cases_random *r, int effort)
{
    double p[3], q[3], n[3], best[3] = {1, 0, 0}, s = -INFINITY;
    peg_copy3(dGeomGetPosition(a->geom), p);
    for (int round = 0; round < 2000 * effort && s < 0; round++) {
        nearest_inside(b, p, q);
        nearest_inside(a, q, p);
        peg_sub(p, q, n);
        if (!(peg_normalise(n) > 0) || along(a, b, n) <= s) continue;
        s = along(a, b, n);
        peg_copy3(n, best);
    }
    for (double step = .1; step > 1e-11 && s < 0; step *= .8)
        for (int i = 0; i < 60 * effort; i++) {
            for (int k = 0; k < 3; k++) n[k] = best[k] + step * cases_uniform(r, -1, 1);
            peg_normalise(n);
            if (along(a, b, n) <= s) continue;
            s = along(a, b, n);
            peg_copy3(n, best);
            i = 0;
        }
    return s;
}

static double separation(const solid *a, const solid *b, cases_random *r)
{
    double s = -INFINITY;
    for (int effort = 1; effort <= 64 && s < 0; effort *= 4)
        s = fmax(s, try_separation(a, b, r, effort));
    return s;
}

static void point_of(const dReal *x, const dReal *R, const double *local, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = x[k] + R[4 * k] * local[0] + R[4 * k + 1] * local[1] + R[4 * k + 2] * local[2];
}

static double point_and_triangle(const double *p, const double (*v)[3])
{
    double a[3], b[3], n[3], d[3], at[3], least = INFINITY;
    int inside = 1;
    peg_sub(v[1], v[0], a), peg_sub(v[2], v[0], b);
    peg_cross(a, b, n);
    peg_normalise(n);
    peg_sub(p, v[0], d);
    double height = peg_dot(n, d);
    peg_add_scaled(p, -height, n, at);
    for (int k = 0; k < 3; k++) {
        double out[3];
        least = fmin(least, cases_point_segment_distance(p, v[k], v[(k + 1) % 3]));
        peg_sub(v[(k + 1) % 3], v[k], a);
        peg_cross(a, n, out);
        peg_sub(at, v[k], d);
        inside &= peg_dot(out, d) <= 0;
    }
    return inside ? fabs(height) : least;
}

static double point_and_box(const double *p, const dReal *x, const dReal *R, const double *size)
{
    double d[3], sum = 0;
    peg_sub(p, x, d);
    for (int k = 0; k < 3; k++) {
        double l = fabs(R[k] * d[0] + R[4 + k] * d[1] + R[8 + k] * d[2]) - .5 * size[k];
        sum += fmax(l, 0) * fmax(l, 0);
    }
    return sqrt(sum);
}

static void corners_of(const solid *s, double corner[8][3])
{
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    for (int i = 0; i < 8; i++) {
        double local[3];
        for (int k = 0; k < 3; k++) local[k] = (i >> k & 1 ? .5 : -.5) * s->size[k];
        point_of(x, R, local, corner[i]);
    }
}

/* Of two boxes that are apart. */
static double two_boxes(const solid *a, const solid *b)
{
    double u[8][3], w[8][3], least = INFINITY;
    corners_of(a, u), corners_of(b, w);
    const dReal *x = dGeomGetPosition(a->geom), *R = dGeomGetRotation(a->geom);
    const dReal *y = dGeomGetPosition(b->geom), *Q = dGeomGetRotation(b->geom);
    for (int i = 0; i < 8; i++) {
        least = fmin(least, point_and_box(u[i], y, Q, b->size));
        least = fmin(least, point_and_box(w[i], x, R, a->size));
        for (int j = 0; j < 8; j++)
            for (int of_a = 1; of_a < 8; of_a *= 2)
                for (int of_b = 1; of_b < 8; of_b *= 2)
                    if (!(i & of_a) && !(j & of_b))
                        least = fmin(least,
                                     cases_segment_distance(u[i], u[i | of_a], w[j], w[j | of_b]));
    }
    return least;
}

/* --- drops of pairs --- */

static dGeomID box_hull(scene *s, const double *size, dReal plane[24], dReal point[24])
{
    memcpy(plane, planes, sizeof planes);
    memcpy(point, points, sizeof points);
    for (int i = 0; i < 24; i++) point[i] *= size[i % 3];
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 3; k++)
            if (planes[4 * f + k] != 0) plane[4 * f + 3] *= size[k];
    return pegCreateConvex(s->space, plane, 6, point, 8, polygons, NULL);
}

/* The arrays of convex geoms are the caller's. */
static dReal arrays[2][2][24];

static solid some_solid(scene *s, cases_random *r, int is, int which)
{
    solid a = {.is = is};
    for (int k = 0; k < 3; k++) a.size[k] = cases_uniform(r, .2, .9);
    if (is == OF_SPHERE) a.geom = dCreateSphere(s->space, a.size[0]);
    if (is == OF_CAPSULE) a.geom = dCreateCapsule(s->space, a.size[0], a.size[2]);
    if (is == OF_CYLINDER) a.geom = dCreateCylinder(s->space, a.size[0], a.size[2]);
    if (is == OF_BOX || is == OF_ROUNDED)
        a.geom = dCreateBox(s->space, a.size[0], a.size[1], a.size[2]);
    if (is == OF_HULL) a.geom = box_hull(s, a.size, arrays[which][0], arrays[which][1]);
    if (is <= OF_HULL) a.round = cases_magnitude(r, -3, 0) * .5;
    if (a.round > 0) ck_assert_int_eq(pegGeomSetRadius(a.geom, a.round), PEG_OK);
    return a;
}

/* Thrown at each other, with friction and turning: they meet, and never overlap. */
START_TEST(thrown_pairs_never_overlap)
{
    enum { DROPS = 400, STEPS = 25 };
    cases_random r = {100 + (uint64_t)_i};
    int met = 0;
    for (int drop = 0; drop < DROPS; drop++) {
        scene s = new_scene(drop % 2 ? .5 : 0);
        solid a = some_solid(&s, &r, drop % 2 ? OF_ROUNDED : OF_HULL, 0);
        solid b = some_solid(&s, &r, _i, 1);
        dBodyID first = add_turned_body(&s, &r, a.geom), second = add_turned_body(&s, &r, b.geom);
        double d[3], size = 0, touched = 0;
        for (int k = 0; k < 3; k++) size += a.size[k] + b.size[k];
        size += a.round + b.round;
        cases_direction(&r, d);
        dBodySetPosition(first, size * d[0], size * d[1], size * d[2]);
        double speed = cases_uniform(&r, 5, 30);
        dBodySetLinearVel(first, -speed * d[0], -speed * d[1], -speed * d[2]);
        dBodySetAngularVel(second, cases_uniform(&r, -5, 5), cases_uniform(&r, -5, 5), 1);
        for (int step = 0; step < STEPS; step++) {
            make_step(&s, .01);
            touched += pegWorldGetContactCount(s.peg) > 0;
            double gap =
                _i <= OF_BOX ? two_boxes(&a, &b) - a.round - b.round : separation(&a, &b, &r);
            ck_assert_msg(gap >= -1e-9 * size, "class %d, drop %d, step %d: %g", _i, drop, step,
                          gap);
        }
        met += touched > 0;
        pegUnregisterConvex(a.geom), pegUnregisterConvex(b.geom);
        free_scene(&s);
    }
    ck_assert_int_gt(met, DROPS / 2);
}
END_TEST

/* --- drops onto a mesh --- */

/* Of the core of a rounded box and the triangles of the grid. */
static double box_and_grid(const solid *s)
{
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    double corner[8][3], least = INFINITY;
    corners_of(s, corner);
    for (int t = 0; t < 2 * SIDE * SIDE; t++) {
        double v[3][3];
        for (int k = 0; k < 3; k++) peg_copy3(grid_vertex[grid_triangle[t][k]], v[k]);
        for (int k = 0; k < 3; k++) least = fmin(least, point_and_box(v[k], x, R, s->size));
        for (int i = 0; i < 8; i++) {
            least = fmin(least, point_and_triangle(corner[i], (const double(*)[3])v));
            for (int axis = 1; axis < 8; axis *= 2)
                for (int k = 0; k < 3 && !(i & axis); k++)
                    least = fmin(least, cases_segment_distance(corner[i], corner[i | axis], v[k],
                                                               v[(k + 1) % 3]));
        }
    }
    return least;
}

START_TEST(dropped_on_a_mesh)
{
    enum { DROPS = 40, STEPS = 60 };
    cases_random r = {9 + (uint64_t)_i};
    int met = 0;
    for (int drop = 0; drop < DROPS; drop++) {
        scene s = new_scene(drop % 2 ? .5 : 0);
        add_grid(&s, 6, _i ? waves : flat);
        solid a = some_solid(&s, &r, OF_ROUNDED, 0);
        dBodyID body = add_turned_body(&s, &r, a.geom);
        dBodySetPosition(body, cases_uniform(&r, -1, 1), cases_uniform(&r, -1, 1), 2);
        dBodySetLinearVel(body, cases_uniform(&r, -2, 2), 0, cases_uniform(&r, -10, 0));
        dBodySetAngularVel(body, cases_uniform(&r, -5, 5), cases_uniform(&r, -5, 5), 0);
        int touched = 0;
        for (int step = 0; step < STEPS; step++) {
            make_step(&s, .02);
            touched |= pegWorldGetContactCount(s.peg) > 0;
            double gap = box_and_grid(&a) - a.round;
            ck_assert_msg(gap >= -1e-9, "ground %d, drop %d, step %d: %g", _i, drop, step, gap);
        }
        met += touched;
        free_scene(&s);
    }
    ck_assert_int_ge(met, DROPS - 2);
}
END_TEST

/* --- closed forms --- */

/* Down a slope: a core of a thousandth of the radius rolls as a ball or as a cylinder does; a box
 * slides. */
START_TEST(rolls_and_slides)
{
    static const struct {
        double size[3], radius, mu, inertia, share;
    } of[] = {{{1e-3, 1e-3, 1e-3}, .5, 1, .4, 5. / 7},
              {{1e-3, 1, 1e-3}, .5, 1, .5, 2. / 3},
              {{1, 1, .5}, .1, 0, .4, 1},
              {{1, 1, .5}, .1, .1, .4, 0}};
    double angle = .3, r = of[_i].radius, half = r + .5 * of[_i].size[2];
    scene s = new_scene(of[_i].mu);
    dMass mass;
    dMassSetParameters(&mass, 2, 0, 0, 0, .2, 2 * of[_i].inertia * r * r, .2, 0, 0, 0);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID geom = dCreateBox(s.space, of[_i].size[0], of[_i].size[1], of[_i].size[2]);
    ck_assert_int_eq(pegGeomSetRadius(geom, r), PEG_OK);
    dBodyID body = add_body(&s, geom);
    if (_i < 2) dBodySetMass(body, &mass);
    dBodySetPosition(body, 0, 0, half + 1e-5 * r);
    dWorldSetGravity(s.world, G * sin(angle), 0, -G * cos(angle));
    for (int i = 0; i < 100; i++) make_step(&s, .01);
    double speed = G * sin(angle) * of[_i].share;
    if (_i == 3) speed = G * (sin(angle) - of[_i].mu * cos(angle));
    ck_assert_double_eq_tol(dBodyGetLinearVel(body)[0], speed, 2e-3 * speed);
    if (_i < 2) ck_assert_double_eq_tol(dBodyGetAngularVel(body)[1] * r, speed, 4e-3 * speed);
    ck_assert_double_ge(dBodyGetPosition(body)[2], half - (_i < 2 ? 1e-3 : 1e-9));
    ck_assert_double_le(dBodyGetPosition(body)[2], half + 1e-3 * r);
    free_scene(&s);
}
END_TEST

/* Of a box: Steiner's formula. */
START_TEST(volume_is_steiners)
{
    double size[3] = {1, 2, 3}, r = .5;
    peg_polytope *core, *p, *again;
    ck_assert_int_eq(peg_polytope_box(size, &core), PEG_OK);
    ck_assert_int_eq(peg_polytope_rounded(core, r, &p), PEG_OK);
    ck_assert_double_eq_tol(p->volume,
                            6 + 22 * r + 6 * PEG_PI * r * r + 4. / 3 * PEG_PI * r * r * r, 1e-12);
    ck_assert_int_eq(peg_polytope_rounded(p, r, &again), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(peg_polytope_rounded(core, 0, &again), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_rounded(core, NAN, &again), PEG_ERROR_NOT_FINITE);
    peg_polytope_free(core), peg_polytope_free(p);
}
END_TEST

START_TEST(bad_radii_are_refused)
{
    scene s = new_scene(0);
    dGeomID box = dCreateBox(s.space, 1, 1, 1), ball = dCreateSphere(s.space, 1);
    ck_assert_int_eq(pegGeomSetRadius(NULL, 1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegGeomSetRadius(box, -1), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegGeomSetRadius(box, NAN), PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(pegGeomSetRadius(ball, 1), PEG_ERROR_GEOM_CLASS);
    ck_assert_double_eq(pegGeomGetRadius(box), 0);
    ck_assert_int_eq(pegGeomSetRadius(box, .25), PEG_OK);
    ck_assert_double_eq(pegGeomGetRadius(box), .25);
    ck_assert_int_eq(pegGeomSetRadius(box, 0), PEG_OK);
    ck_assert_double_eq(pegGeomGetRadius(box), 0);
    free_scene(&s);
}
END_TEST

/* A radius that grows or goes is seen by the next step. */
START_TEST(a_radius_may_change)
{
    scene s = new_scene(0);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dGeomID box = dCreateBox(s.space, 1, 1, 1);
    dBodyID body = add_body(&s, box);
    dBodySetPosition(body, 0, 0, 1);
    static const double radius[] = {.3, .1, 0};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pegGeomSetRadius(box, radius[i]), PEG_OK);
        for (int step = 0; step < 100; step++) make_step(&s, .01);
        ck_assert_double_eq_tol(dBodyGetPosition(body)[2], .5 + radius[i], 1e-4);
    }
    free_scene(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rounded");
    TCase *tests = tcase_create("rounded"), *thrown = tcase_create("thrown");
    tcase_set_timeout(tests, 120);
    tcase_set_timeout(thrown, 120);
    test_long(thrown);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    test_at_end(dCloseODE);
    tcase_add_loop_test(thrown, thrown_pairs_never_overlap, 0, CLASSES);
    tcase_add_loop_test(thrown, dropped_on_a_mesh, 0, 2);
    tcase_add_loop_test(tests, rolls_and_slides, 0, 4);
    tcase_add_test(tests, volume_is_steiners);
    tcase_add_test(tests, bad_radii_are_refused);
    tcase_add_test(tests, a_radius_may_change);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, thrown);
    return suite;
}
