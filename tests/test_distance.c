/* The lab's signed distances against closed forms, dense sampling of directions, shapes that hold
 * each other, and identities. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/runner.h"
#include "demos/oracle/distance.h"
#include "peg/collide/separation.h"
#include "peg/base/math.h"
#include "tests/geometry_cases.h"

static const double unit_matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double here[3] = {0, 0, 0};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void random_unit(uint64_t *state, double n[3])
{
    double l;
    do {
        for (int k = 0; k < 3; k++) n[k] = 2 * uniform(state) - 1;
        l = peg_norm(n);
    } while (l > 1 || l < .1);
    peg_normalise(n);
}

static void random_matrix(uint64_t *state, double R[9])
{
    double a[3], b[3];
    random_unit(state, a);
    do random_unit(state, b);
    while (fabs(peg_dot(a, b)) > .9);
    peg_cross(a, b, R);
    peg_normalise(R);
    peg_cross(a, R, R + 3);
    peg_copy3(a, R + 6);
}

/* Frees the shape it is given. */
static lab_shape *moved(lab_shape *own, const double x[3], const double R[9])
{
    lab_shape *s = lab_shape_copy(own);
    lab_shape_move(own, x, R, s);
    lab_shape_free(own);
    return s;
}

static lab_shape *at(lab_shape *own, double x, double y, double z)
{
    return moved(own, (double[3]){x, y, z}, unit_matrix);
}

/* Turned by degrees about an axis, then moved. */
static lab_shape *turned(lab_shape *own, double ax, double ay, double az, double degrees, double x,
                         double y, double z)
{
    double q[4], R[9], n[3] = {ax, ay, az};
    peg_normalise(n);
    q[0] = cos(degrees * acos(-1) / 360);
    for (int k = 0; k < 3; k++) q[k + 1] = n[k] * sin(degrees * acos(-1) / 360);
    peg_quat_to_mat(q, R);
    return moved(own, (double[3]){x, y, z}, R);
}

static lab_shape *box(double x, double y, double z)
{
    return lab_shape_box((double[3]){x, y, z});
}

static lab_shape *half_space(double x, double y, double z, double offset)
{
    return lab_shape_half_space((double[3]){x, y, z}, offset);
}

/* Both ways round; frees both. */
static double distance(lab_shape *a, lab_shape *b)
{
    double s = lab_distance(a, NULL, b, NULL, INFINITY),
           t = lab_distance(b, NULL, a, NULL, INFINITY);
    ck_assert_double_eq_tol(s, t, 2e-14 * (1 + fabs(s)));
    lab_shape_free(a);
    lab_shape_free(b);
    return s;
}

#define ck_assert_distance(a, b, want) ck_assert_double_eq_tol(distance(a, b), want, 1e-13)

/* ---- closed forms ---------------------------------------------------------------------------- */

START_TEST(spheres)
{
    ck_assert_distance(lab_shape_sphere(1), at(lab_shape_sphere(.5), 3, 4, 0), 3.5);
    ck_assert_distance(lab_shape_sphere(1), at(lab_shape_sphere(.5), .3, .4, 0), -1);
    ck_assert_distance(lab_shape_sphere(1), lab_shape_sphere(.5), -1.5); /* one centre */
    ck_assert_distance(at(lab_shape_sphere(.5), 0, 0, .7), half_space(0, 0, 2, 1), -.3);
    /* a box: beside a face, an edge, a corner; inside; its centre on a face, an edge, a corner */
    ck_assert_distance(at(lab_shape_sphere(.5), 2, .1, .2), box(2, 2, 2), .5);
    ck_assert_distance(at(lab_shape_sphere(.5), 4, 5, .2), box(2, 2, 2), 4.5);
    ck_assert_distance(at(lab_shape_sphere(.5), 2, 3, 3), box(2, 2, 2), 2.5);
    ck_assert_distance(at(lab_shape_sphere(.5), .8, .1, 0), box(2, 2, 2), -.7);
    ck_assert_distance(at(lab_shape_sphere(.5), 1, .1, 0), box(2, 2, 2), -.5);
    ck_assert_distance(at(lab_shape_sphere(.5), 1, 1, 0), box(2, 2, 2), -.5);
    ck_assert_distance(at(lab_shape_sphere(.5), 1, 1, 1), box(2, 2, 2), -.5);
}
END_TEST

START_TEST(capsules)
{
    /* parallel side by side, in line, one in the other, crossed, parallel to within a hair */
    ck_assert_distance(lab_shape_capsule(.25, 2), at(lab_shape_capsule(.5, 1), 3, 4, .3), 4.25);
    ck_assert_distance(lab_shape_capsule(.25, 2), at(lab_shape_capsule(.5, 1), 0, 0, 2), -.25);
    ck_assert_distance(lab_shape_capsule(.25, 2), lab_shape_capsule(.5, 1), -.75);
    ck_assert_distance(lab_shape_capsule(.25, 2),
                       turned(lab_shape_capsule(.5, 1), 1, 0, 0, 90, .1, 0, 0), -.65);
    ck_assert_distance(lab_shape_capsule(.25, 2),
                       turned(lab_shape_capsule(.5, 1), 1, 0, 0, 90, 0, 0, 0), -.75);
    for (double angle = 1e-14; angle < 10; angle *= 3) {
        double slope = sin(angle * acos(-1) / 180), rise = cos(angle * acos(-1) / 180) - 1;
        ck_assert_distance(lab_shape_capsule(.25, 2),
                           turned(lab_shape_capsule(.25, 2), 1, 0, 0, angle, 1, 0, .2 * rise), .5);
        ck_assert_distance(lab_shape_capsule(.25, 2),
                           turned(lab_shape_capsule(.25, 2), 1, 0, 0, angle, 0, 1, 0), .5 - slope);
    }
    /* on a plane: upright, flat, tilted; flush on a box, through it, its end on a corner */
    ck_assert_distance(at(lab_shape_capsule(.25, 2), 0, 0, 1.5), half_space(0, 0, 1, 0), .25);
    ck_assert_distance(turned(lab_shape_capsule(.25, 2), 1, 1, 0, 90, 0, 0, .2),
                       half_space(0, 0, 1, 0), -.05);
    ck_assert_distance(turned(lab_shape_capsule(.25, 2), 1, 0, 0, 30, 0, 0, 1),
                       half_space(0, 0, 1, 0), .75 - cos(acos(-1) / 6));
    ck_assert_distance(turned(lab_shape_capsule(.25, 1), 1, 0, 0, 90, .3, 0, 1.25), box(2, 2, 2),
                       0);
    ck_assert_distance(lab_shape_capsule(.25, 9), box(1, 2, 3), -.75);
    ck_assert_distance(at(lab_shape_capsule(.25, 2), 1, 1, 2), box(2, 2, 2), -.25);
}
END_TEST

START_TEST(cylinders)
{
    double root = sqrt(.5);
    /* a plane: flush, upright, flat, tilted onto the rim */
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), 0, 0, 1), half_space(0, 0, 1, 0), 0);
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), 0, 0, .9), half_space(0, 0, 1, 0), -.1);
    ck_assert_distance(turned(lab_shape_cylinder(.5, 2), 1, 1, 0, 90, 0, 0, .5),
                       half_space(0, 0, 1, 0), 0);
    ck_assert_distance(turned(lab_shape_cylinder(.5, 2), 1, 0, 0, 45, 0, 0, 1.5),
                       half_space(0, 0, 1, 0), 1.5 - 1.5 * root);
    /* a sphere: over a cap, beside the side, off the rim, inside near cap, near side, at the
     * centre, with its centre on the rim */
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), .2, .1, 2), .75);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), 3, 4, .7), 4.25);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), .5 + .3, 0, 1.4), .25);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), .1, 0, .9), -.35);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), 0, .3, .5), -.45);
    ck_assert_distance(lab_shape_cylinder(.5, 2), lab_shape_sphere(.25), -.75);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_sphere(.25), .3, .4, 1), -.25);
    /* a box: flush on it, standing in it, side on an edge, rim against an edge */
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), .8, 0, 2), box(2, 2, 2), 0);
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), .8, 0, 1.9), box(2, 2, 2), -.1);
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), .4, 1.3, .2), box(2, 2, 2), -.2);
    ck_assert_distance(turned(lab_shape_cylinder(.5, 2), 0, 1, 0, 90, 0, 1.3, 1.4), box(2, 2, 2),
                       0);
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), 1 + .3, 1 + .4, 0), box(2, 2, 2), 0);
    ck_assert_distance(at(lab_shape_cylinder(.5, 2), 1.8, 0, 2.4), box(2, 2, 2), .5);
    /* two: side by side, end to end, crossed, one in the other, a cap on a side, rim over rim */
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_cylinder(1, 3), 3, 4, 1), 3.5);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_cylinder(1, 3), .2, 0, 2.4), -.1);
    ck_assert_distance(lab_shape_cylinder(.5, 2),
                       turned(lab_shape_cylinder(1, 3), 1, 0, 0, 90, 1.4, 0, 0), -.1);
    ck_assert_distance(lab_shape_cylinder(.5, 2), lab_shape_cylinder(1, 9), -1.5);
    ck_assert_distance(lab_shape_cylinder(.5, 2),
                       turned(lab_shape_cylinder(1, 3), 1, 0, 0, 90, 0, 0, 2.2), .2);
    ck_assert_distance(lab_shape_cylinder(.5, 2), at(lab_shape_cylinder(.5, 2), 1.3, 0, 2.4), .5);
}
END_TEST

/* Nothing that is close but apart counts as an overlap, and the other way round. */
START_TEST(thin_gaps)
{
    for (double gap = 1e-15; gap < 1; gap *= 10)
        for (int sign = -1; sign <= 1; sign += 2) {
            double s = sign * gap, root = sqrt(.5);
            lab_shape *(*const round[])(double, double) = {lab_shape_capsule, lab_shape_cylinder};
            ck_assert_double_eq_tol(distance(box(2, 2, 2), at(box(1, 1, 1), .2, .3, 1.5 + s)), s,
                                    4e-16);
            ck_assert_double_eq_tol(
                distance(box(2, 2, 2), turned(box(1, 1, 1), 1, 0, 0, 45, .2, .3, 1 + root + s)), s,
                1e-15);
            for (int k = 0; k < 2; k++) {
                double end = k ? 1 : 1.5;
                ck_assert_double_eq_tol(
                    distance(box(2, 2, 2), at(round[k](.5, 2), .2, .3, 1 + end + s)), s, 1e-15);
                ck_assert_double_eq_tol(
                    distance(round[k](.5, 2), at(round[k](.5, 2), 1 + s, 0, .1)), s, 1e-15);
                ck_assert_double_eq_tol(
                    distance(round[k](.5, 2), turned(round[k](.5, 2), 1, 0, 0, 90, 1 + s, 0, .2)),
                    s, 1e-15);
            }
            /* the rim of a tilted cylinder on a face */
            ck_assert_double_eq_tol(
                distance(box(2, 2, 2), turned(lab_shape_cylinder(.5, 2), 1, 0, 0, 45, .1, .2,
                                              1 + 1.5 * root + s)),
                s, 2e-15);
        }
}
END_TEST

/* ---- meshes ---------------------------------------------------------------------------------- */

static lab_shape *triangle(double x, double y, double z)
{
    const double v[3][3] = {{x - 1, y - 1, z}, {x + 1, y - 1, z}, {x, y + 1, z}};
    const int t[1][3] = {{0, 1, 2}};
    return lab_shape_mesh(v, 3, t, 1);
}

START_TEST(single_triangles)
{
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_sphere(.5), .1, .1, 2), 1.5);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_sphere(.5), .1, .1, -.2), -.3);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_sphere(.5), .1, .1, 0),
                       -.5); /* centre in the plane */
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_sphere(.5), .1, -2, 0), .5);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_sphere(.5), 0, 4, -4), 4.5);
    /* edge-on, in one plane, crossed, flush */
    ck_assert_distance(triangle(0, 0, 0), turned(triangle(0, 0, 0), 1, 0, 0, 90, 0, -3, 0), 2);
    ck_assert_distance(triangle(0, 0, 0), triangle(3, 0, 0), 1);
    ck_assert_distance(triangle(0, 0, 0), triangle(0, -3, 0), 1);
    ck_assert_distance(triangle(0, 0, 0), turned(triangle(0, 0, 0), 1, 0, 0, 90, 0, 0, .9), -.1);
    ck_assert_distance(triangle(0, 0, 0), triangle(0, 0, 0), 0);
    ck_assert_distance(triangle(0, 0, 0), at(box(1, 1, 1), 0, 0, .5), 0);
    ck_assert_distance(triangle(0, 0, 0), at(box(1, 1, 1), 0, 0, .4), -.1);
    ck_assert_distance(triangle(0, 0, .3), box(8, 8, 8), -3.7);
    ck_assert_distance(triangle(0, 0, 0), turned(box(2, 2, 2), 1, 0, 0, 45, 0, -1 - sqrt(2), 0), 0);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_cylinder(.5, 2), 0, 0, 1), 0);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_cylinder(.5, 2), 0, -2, .3), .5);
    ck_assert_distance(triangle(0, 0, 0), at(lab_shape_capsule(.5, 2), 0, 0, .3),
                       -.5 - 1 / sqrt(5));
    ck_assert_distance(triangle(0, 0, 2), half_space(0, 0, 1, 1), 1);
    ck_assert_distance(triangle(0, 0, 2), half_space(0, 1, 0, .5), -1.5);
}
END_TEST

enum { GRID = 40 };

static lab_shape *bumpy(uint64_t *state, double bump)
{
    static double v[(GRID + 1) * (GRID + 1)][3];
    static int t[2 * GRID * GRID][3];
    int nt = 0;
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            double *p = v[i * (GRID + 1) + j];
            p[0] = i * 4. / GRID - 2, p[1] = j * 4. / GRID - 2, p[2] = bump * uniform(state);
        }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            int a = i * (GRID + 1) + j, b = a + GRID + 1;
            t[nt][0] = a, t[nt][1] = b, t[nt++][2] = b + 1;
            t[nt][0] = a, t[nt][1] = b + 1, t[nt++][2] = a + 1;
        }
    return lab_shape_mesh((const double(*)[3])v, (GRID + 1) * (GRID + 1), (const int(*)[3])t, nt);
}

/* ---- random shapes --------------------------------------------------------------------------- */

enum { BOX, HULL, SPHERE, CAPSULE, CYLINDER, CLASSES };

static lab_shape *random_hull(uint64_t *state)
{
    double p[12][3];
    int n = 5 + (int)(8 * uniform(state));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) p[i][k] = uniform(state) - .5;
    return lab_shape_hull((const double(*)[3])p, n);
}

static lab_shape *random_shape(uint64_t *state, int class)
{
    double a = .1 + uniform(state), b = .1 + uniform(state), c = .1 + uniform(state);
    switch (class) {
    case BOX:
        return box(a, b, c);
    case HULL:
        return random_hull(state);
    case SPHERE:
        return lab_shape_sphere(a / 2);
    case CAPSULE:
        return lab_shape_capsule(a / 2, b);
    default:
        return lab_shape_cylinder(a / 2, b);
    }
}

/* Farthest point of a shape along n, written without the code under test. */
static double reach(const lab_shape *s, const double n[3])
{
    double most = -INFINITY;
    for (int i = 0; i < s->nv; i++) most = fmax(most, peg_dot(n, s->vertex[i]));
    if (s->kind != LAB_SHAPE_CYLINDER) return most + s->round;
    double a[3], c[3];
    peg_sub(s->vertex[1], s->vertex[0], a);
    peg_normalise(a);
    peg_cross(a, n, c);
    return most + s->round * peg_norm(c);
}

static double separation(const lab_shape *a, const lab_shape *b, const double n[3])
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return -reach(a, back) - reach(b, n);
}

/* Largest separation over random directions, then over ever nearer ones about the best of them. */
static double sampled_once(uint64_t *state, const lab_shape *a, const lab_shape *b)
{
    double best = -INFINITY, top[3] = {0, 0, 1}, n[3];
    for (int i = 0; i < 500; i++) {
        random_unit(state, n);
        double s = separation(a, b, n);
        if (s > best) best = s, peg_copy3(n, top);
    }
    for (double width = .2; width > 1e-9; width *= .85)
        for (int i = 0; i < 20; i++) {
            double d[3];
            random_unit(state, d);
            peg_add_scaled(top, width * uniform(state), d, n);
            peg_normalise(n);
            double s = separation(a, b, n);
            if (s > best) best = s, peg_copy3(n, top);
        }
    return best;
}

/* The search may end in a lesser maximum. */
static double sampled(uint64_t *state, const lab_shape *a, const lab_shape *b)
{
    double best = -INFINITY;
    for (int i = 0; i < 6; i++) best = fmax(best, sampled_once(state, a, b));
    return best;
}

static void random_pair(uint64_t *state, int pair, lab_shape **a, lab_shape **b)
{
    double R[9], x[3];
    random_matrix(state, R);
    *a = moved(random_shape(state, pair % CLASSES), here, R);
    random_matrix(state, R);
    random_unit(state, x);
    double far = 1.2 * uniform(state);
    for (int k = 0; k < 3; k++) x[k] *= far;
    *b = moved(random_shape(state, pair / CLASSES), x, R);
}

/* No direction separates more than the distance says, and one separates as much. */
START_TEST(directions)
{
    uint64_t state = 3 + (uint64_t)_i;
    int apart = 0, near = 0, runs = 40;
    for (int i = 0; i < runs; i++) {
        lab_shape *a, *b;
        random_pair(&state, _i, &a, &b);
        double s = lab_distance(a, NULL, b, NULL, INFINITY), found = sampled(&state, a, b);
        ck_assert_msg(found <= s + 1e-14, "class %d on %d, pair %d: %.15g, a direction says %.15g",
                      _i % CLASSES, _i / CLASSES, i, s, found);
        ck_assert_msg(found >= s - .02, "class %d on %d, pair %d: %.15g, directions %.15g",
                      _i % CLASSES, _i / CLASSES, i, s, found);
        apart += s > 0;
        near += found >= s - 1e-5;
        lab_shape_free(a);
        lab_shape_free(b);
    }
    ck_assert_int_ge(apart, 3);
    ck_assert_int_le(apart, runs - 3);
    ck_assert_int_ge(near, runs * 3 / 4);
}
END_TEST

/* The same in every frame, at every size, and either way round. */
START_TEST(frames)
{
    uint64_t state = 100 + (uint64_t)_i;
    for (int i = 0; i < 60; i++) {
        lab_shape *a, *b;
        double R[9], x[3];
        random_pair(&state, _i, &a, &b);
        double s = lab_distance(a, NULL, b, NULL, INFINITY);
        ck_assert_double_eq_tol(lab_distance(b, NULL, a, NULL, INFINITY), s, 2e-14);
        random_matrix(&state, R);
        random_unit(&state, x);
        a = moved(a, x, R), b = moved(b, x, R);
        ck_assert_double_eq_tol(lab_distance(a, NULL, b, NULL, INFINITY), s, 1e-13);
        lab_shape_free(a);
        lab_shape_free(b);
    }
}
END_TEST

/* Of two cylinders rim on rim the value may be off in its sixth digit where their axes are nearly
 * parallel, but whether they overlap is not in doubt. */
START_TEST(rims)
{
    uint64_t state = 600 + (uint64_t)_i;
    int exact = 0, runs = 400;
    for (int i = 0; i < runs; i++) {
        lab_shape *a, *b;
        random_pair(&state, CYLINDER + CLASSES * CYLINDER, &a, &b);
        double s = lab_distance(a, NULL, b, NULL, INFINITY);
        double t = lab_distance(b, NULL, a, NULL, INFINITY);
        ck_assert_double_eq_tol(s, t, 1e-5);
        ck_assert((s < 0) == (t < 0));
        ck_assert((s < 0) == (lab_distance(b, NULL, a, NULL, 0) < 0));
        exact += fabs(s - t) < 1e-13;
        lab_shape_free(a);
        lab_shape_free(b);
    }
    ck_assert_int_ge(exact, runs * 99 / 100);
}
END_TEST

/* ---- the contact module -----------------------------------------------------------------------
 */

/* The module's shape of the same class. */
static peg_polytope *module_shape(const lab_shape *s, int class)
{
    peg_polytope *p = NULL;
    double sides[3], axis[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) sides[k] = 2 * s->vertex[s->nv - 1][k];
    if (s->nv == 2) peg_sub(s->vertex[1], s->vertex[0], axis);
    pegStatus status = class == BOX ? peg_polytope_box(sides, &p)
                       : class == HULL
                           ? peg_polytope_from_points((const double(*)[3])s->vertex, s->nv, &p)
                       : class == SPHERE  ? peg_polytope_sphere(s->round, &p)
                       : class == CAPSULE ? peg_polytope_capsule(s->round, peg_norm(axis), &p)
                                          : peg_polytope_cylinder(s->round, peg_norm(axis), &p);
    ck_assert_int_eq(status, PEG_OK);
    return p;
}

/* The largest separation over the module's facets is a true one, says the same about overlap, and
 * is the depth where parts overlap, which of cylinders may be more than the least. Between
 * polytopes that are apart it is a lower bound; elsewhere the distance. */
START_TEST(module_agrees)
{
    uint64_t state = 500 + (uint64_t)_i;
    int class[2] = {_i % CLASSES, _i / CLASSES}, overlaps = 0;
    int polytopes = class[0] <= HULL && class[1] <= HULL;
    int cylinder = class[0] == CYLINDER || class[1] == CYLINDER;
    for (int i = 0; i < 300; i++) {
        lab_shape *own[2], *placed[2];
        peg_polytope *shape[2];
        peg_view view[2];
        for (int k = 0; k < 2; k++) {
            double R[9], x[3], far = k * .9 * uniform(&state);
            random_matrix(&state, R);
            random_unit(&state, x);
            for (int m = 0; m < 3; m++) x[m] *= far;
            own[k] = random_shape(&state, class[k]);
            placed[k] = lab_shape_copy(own[k]);
            lab_shape_move(own[k], x, R, placed[k]);
            shape[k] = module_shape(own[k], class[k]);
            view[k] = cases_view(shape[k]);
            peg_view_set(&view[k], x, R);
        }
        double s = lab_distance(placed[0], NULL, placed[1], NULL, INFINITY);
        double t = peg_separation(&view[0], &view[1], -INFINITY, NULL, NULL).s;
        ck_assert_msg(t <= s + 1e-13, "pair %d: the module has %.15g, %.15g is right", i, t, s);
        ck_assert_msg((t > 0) == (s > 0) || fabs(s) < 1e-13, "pair %d: %.3g, %.3g", i, t, s);
        if (s < 0 ? !cylinder : !polytopes)
            ck_assert_msg(t >= s - 1e-12, "pair %d: the module has %.15g, %.15g is right", i, t, s);
        overlaps += s < 0;
        for (int k = 0; k < 2; k++) {
            lab_shape_free(own[k]);
            lab_shape_free(placed[k]);
            cases_view_free(&view[k]);
            peg_polytope_free(shape[k]);
        }
    }
    ck_assert_int_ge(overlaps, 30);
}
END_TEST

/* A prism inside of a cylinder is farther away, one about it is nearer. */
START_TEST(prisms)
{
    enum { SIDES = 48 };
    uint64_t state = 200 + (uint64_t)_i;
    for (int i = 0; i < 25; i++) {
        double radius = .1 + .5 * uniform(&state), length = .1 + uniform(&state), R[9], x[3];
        double p[2][2 * SIDES][3], outer = radius / cos(acos(-1) / SIDES);
        for (int k = 0; k < 2 * SIDES; k++)
            for (int o = 0; o < 2; o++) {
                double angle = (k / 2) * 2 * acos(-1) / SIDES, r = o ? outer : radius;
                p[o][k][0] = r * cos(angle), p[o][k][1] = r * sin(angle);
                p[o][k][2] = k % 2 ? length / 2 : -length / 2;
            }
        random_matrix(&state, R);
        lab_shape *b = moved(random_shape(&state, _i), here, R);
        random_matrix(&state, R);
        random_unit(&state, x);
        double far = uniform(&state), s[3];
        for (int k = 0; k < 3; k++) x[k] *= far;
        for (int o = 0; o < 3; o++) {
            lab_shape *own = o < 2 ? lab_shape_hull((const double(*)[3])p[o], 2 * SIDES)
                                   : lab_shape_cylinder(radius, length);
            lab_shape *c = moved(own, x, R);
            s[o] = lab_distance(c, NULL, b, NULL, INFINITY);
            lab_shape_free(c);
        }
        ck_assert_double_le(s[2], s[0] + 1e-14);
        ck_assert_double_le(s[1], s[2] + 1e-14);
        lab_shape_free(b);
    }
}
END_TEST

/* The triangles of a convex surface, apart from another shape, are as far from it as the whole. */
static lab_shape *surface_of(const lab_shape *s)
{
    int t[200][3], nt = 0;
    for (int f = 0; f < s->nf; f++)
        for (int c = s->start[f] + 1; c + 1 < s->start[f + 1]; c++, nt++) {
            t[nt][0] = s->index[s->start[f]];
            t[nt][1] = s->index[c], t[nt][2] = s->index[c + 1];
        }
    return lab_shape_mesh((const double(*)[3])s->vertex, s->nv, (const int(*)[3])t, nt);
}

START_TEST(surfaces)
{
    uint64_t state = 300 + (uint64_t)_i;
    int compared = 0;
    for (int i = 0; i < 60; i++) {
        lab_shape *a, *b;
        random_pair(&state, HULL + CLASSES * _i, &a, &b);
        lab_shape *mesh = surface_of(a), *other = b->nf ? surface_of(b) : NULL;
        double s = lab_distance(a, NULL, b, NULL, INFINITY);
        double t = lab_distance(mesh, NULL, b, NULL, INFINITY);
        if (s > 0) {
            ck_assert_double_eq_tol(t, s, 1e-14);
            if (other)
                ck_assert_double_eq_tol(lab_distance(mesh, NULL, other, NULL, INFINITY), s, 1e-14);
            compared++;
        } else if (t > 0) { /* one lies within the other: only a shell tells them apart */
            double middle[3];
            lab_shape_radius(b, middle);
            ck_assert_double_eq_tol(lab_winding(mesh, middle), 1, 1e-12);
        } else {
            ck_assert_double_ge(t, s - 1e-14);
        }
        lab_shape_free(a);
        lab_shape_free(b);
        lab_shape_free(mesh);
        lab_shape_free(other);
    }
    ck_assert_int_ge(compared, 6);
}
END_TEST

/* The tree leaves nothing out, also after the mesh has moved. */
START_TEST(trees)
{
    uint64_t state = 400 + (uint64_t)_i;
    lab_shape *mesh = bumpy(&state, .4), *placed = lab_shape_copy(mesh), *other = bumpy(&state, .4);
    lab_tree *tree = lab_tree_new(mesh), *other_tree = lab_tree_new(other);
    int deep = 0;
    for (int i = 0; i < 40; i++) {
        double R[9], x[3] = {3 * uniform(&state) - 1.5, 3 * uniform(&state) - 1.5,
                             1.2 * uniform(&state) - .3};
        random_matrix(&state, R);
        lab_shape *b = moved(random_shape(&state, _i), x, R);
        double s = lab_distance(mesh, tree, b, NULL, INFINITY);
        ck_assert_double_eq(s, lab_distance(mesh, NULL, b, NULL, INFINITY));
        ck_assert_double_ge(lab_distance(b, NULL, mesh, tree, .05), fmin(s, .05) - 1e-13);
        if (s < .05) ck_assert_double_eq_tol(lab_distance(b, NULL, mesh, tree, .05), s, 1e-13);
        random_matrix(&state, R);
        lab_shape_move(mesh, x, R, placed);
        lab_tree_fit(tree, placed);
        b = moved(b, x, R);
        ck_assert_double_eq_tol(lab_distance(placed, tree, b, NULL, INFINITY), s, 1e-13);
        lab_tree_fit(tree, mesh);
        lab_shape_free(b);
        deep += s < 0;
    }
    ck_assert_int_ge(deep, 5);
    /* two meshes, crossing and stacked */
    ck_assert_double_lt(lab_distance(mesh, tree, other, other_tree, 0), 0);
    for (int i = 0; i < other->nv; i++) other->vertex[i][2] += .5;
    lab_tree_fit(other_tree, other);
    double s = lab_distance(mesh, tree, other, other_tree, INFINITY);
    ck_assert(s > .1 && s < .5);
    ck_assert_double_eq_tol(lab_distance(other, other_tree, mesh, tree, INFINITY), s, 1e-14);
    lab_tree_free(tree);
    lab_tree_free(other_tree);
    lab_shape_free(mesh);
    lab_shape_free(placed);
    lab_shape_free(other);
}
END_TEST

START_TEST(winding)
{
    lab_shape *hull = box(2, 2, 2), *mesh = surface_of(hull);
    ck_assert_double_eq_tol(lab_winding(mesh, (double[3]){.3, .9, -.5}), 1, 1e-13);
    ck_assert_double_eq_tol(lab_winding(mesh, (double[3]){.3, 1.1, -.5}), 0, 1e-13);
    lab_shape_free(hull);
    lab_shape_free(mesh);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("distance");
    TCase *forms = tcase_create("forms"), *random = tcase_create("random");
    tcase_set_timeout(random, 60);
    test_long(random);
    tcase_add_test(forms, spheres);
    tcase_add_test(forms, capsules);
    tcase_add_test(forms, cylinders);
    tcase_add_test(forms, thin_gaps);
    tcase_add_test(forms, single_triangles);
    tcase_add_test(forms, winding);
    tcase_add_loop_test(random, directions, 0, CLASSES * CLASSES);
    tcase_add_loop_test(random, frames, 0, CLASSES * CLASSES);
    tcase_add_loop_test(random, rims, 0, 3);
    tcase_add_loop_test(random, module_agrees, 0, CLASSES * CLASSES);
    tcase_add_loop_test(random, prisms, 0, CLASSES);
    tcase_add_loop_test(random, surfaces, 0, CLASSES);
    tcase_add_loop_test(random, trees, 0, CLASSES);
    suite_add_tcase(suite, forms);
    suite_add_tcase(suite, random);
    return suite;
}
