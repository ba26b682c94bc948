/* The lab's overlap measure against closed forms and identities. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/runner.h"
#include "demos/oracle/overlap.h"
#include "peg/base/math.h"

static const double unit_matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double no_shift[3] = {0, 0, 0};

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static lab_shape *box_at(double lx, double ly, double lz, double x, double y, double z)
{
    lab_shape *own = lab_shape_box((double[3]){lx, ly, lz}), *moved = lab_shape_copy(own);
    lab_shape_move(own, (double[3]){x, y, z}, unit_matrix, moved);
    lab_shape_free(own);
    return moved;
}

static lab_shape *turned_box(double side, double ax, double ay, double az, double degrees,
                             const double x[3])
{
    double q[4], R[9], n[3] = {ax, ay, az};
    peg_normalise(n);
    q[0] = cos(degrees * acos(-1) / 360);
    for (int k = 0; k < 3; k++) q[k + 1] = n[k] * sin(degrees * acos(-1) / 360);
    peg_quat_to_mat(q, R);
    lab_shape *own = lab_shape_box((double[3]){side, side, side}), *moved = lab_shape_copy(own);
    lab_shape_move(own, x, R, moved);
    lab_shape_free(own);
    return moved;
}

/* Volume both ways round; frees both. */
static double volume_of(lab_shape *a, lab_shape *b)
{
    double v = lab_overlap_volume(a, b), w = lab_overlap_volume(b, a);
    ck_assert_double_eq_tol(v, w, 1e-14 * (1 + v));
    lab_shape_free(a);
    lab_shape_free(b);
    return v;
}

START_TEST(boxes_side_by_side)
{
    /* every combination of apart, touching, overlapping, flush and inside along the three axes */
    static const double at[7] = {-1.5, -1, -.75, 0, .25, 1, 2};
    for (int i = 0; i < 7 * 7 * 7; i++) {
        double want = 1, x[3] = {at[i % 7], at[i / 7 % 7], at[i / 49]};
        for (int k = 0; k < 3; k++) want *= fmax(0, fmin(.5, x[k] + .5) - fmax(-.5, x[k] - .5));
        double v = volume_of(box_at(1, 1, 1, 0, 0, 0), box_at(1, 1, 1, x[0], x[1], x[2]));
        if (want == 0)
            ck_assert_double_eq(v, 0);
        else
            ck_assert_double_eq_tol(v, want, 1e-15);
    }
}
END_TEST

START_TEST(turned_boxes)
{
    double root = sqrt(2);
    double octagon = volume_of(box_at(1, 1, 1, 0, 0, 0), turned_box(1, 0, 0, 1, 45, no_shift));
    ck_assert_double_eq_tol(octagon, 2 * (root - 1), 1e-15);
    /* turned by 60 degrees about a space diagonal: a double pyramid over a hexagon */
    double pyramid = volume_of(box_at(1, 1, 1, 0, 0, 0), turned_box(1, 1, 1, 1, 60, no_shift));
    ck_assert_double_eq_tol(pyramid, .75, 1e-14);
    /* an edge pressed into a face: a triangular prism */
    double sunk = .1, x[3] = {0, 0, .5 + root / 2 - sunk};
    double prism = volume_of(box_at(3, 3, 1, 0, 0, 0), turned_box(1, 1, 0, 0, 45, x));
    ck_assert_double_eq_tol(prism, sunk * sunk, 1e-15);
    /* nearly flush, as in a stack that is out of true by a hair */
    for (double angle = 1e-14; angle < 1; angle *= 7) {
        double y[3] = {0, 0, 1 - 1e-6};
        double v = volume_of(box_at(1, 1, 1, 0, 0, 0), turned_box(1, 0, 0, 1, angle, y));
        double radians = angle * acos(-1) / 180;
        double want = 1e-6 * 2 / (1 + sin(radians) + cos(radians));
        ck_assert_double_eq_tol(v, want, 1e-15);
    }
}
END_TEST

START_TEST(tetrahedra)
{
    static const double even[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    static const double odd[4][3] = {{1, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ck_assert_double_eq_tol(volume_of(lab_shape_hull(even, 4), lab_shape_hull(odd, 4)), 1. / 6,
                            1e-15);
    ck_assert_double_eq_tol(volume_of(lab_shape_hull(even, 4), lab_shape_hull(even, 4)), 1. / 3,
                            1e-15);
    ck_assert_double_eq_tol(volume_of(lab_shape_hull(corner, 4), box_at(1, 1, 1, 0, 0, 0)),
                            1. / 6 - 3. / 48, 1e-15);
    /* face on face, from both sides of z = 0 */
    static const double below[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    ck_assert_double_eq(volume_of(lab_shape_hull(corner, 4), lab_shape_hull(below, 4)), 0);
}
END_TEST

START_TEST(inside_and_touching)
{
    ck_assert_double_eq_tol(volume_of(box_at(9, 9, 9, .3, 0, 0), box_at(1, 2, 3, 0, .2, 0)), 6,
                            1e-14);
    /* an edge on an edge, crossed; a corner on a corner; a corner on a face */
    double root = sqrt(2), x[3] = {0, 0, root};
    ck_assert_double_le(
        volume_of(turned_box(1, 1, 0, 0, 45, no_shift), turned_box(1, 0, 1, 0, 45, x)), 1e-18);
    ck_assert_double_eq(volume_of(box_at(1, 1, 1, 0, 0, 0), box_at(1, 1, 1, 1, 1, 1)), 0);
    static const double top[4][3] = {{0, 0, .5}, {-1, 0, 2}, {1, -1, 2}, {1, 1, 2}};
    ck_assert_double_eq(volume_of(box_at(3, 3, 1, 0, 0, 0), lab_shape_hull(top, 4)), 0);
}
END_TEST

START_TEST(half_spaces)
{
    double n[3] = {1, 1, 1};
    /* the plane through the centre halves a box, the one near a corner cuts off a tetrahedron */
    ck_assert_double_eq_tol(volume_of(lab_shape_half_space(n, 0), box_at(1, 1, 1, 0, 0, 0)), .5,
                            1e-15);
    ck_assert_double_eq_tol(volume_of(lab_shape_half_space(n, -1.2), box_at(1, 1, 1, 0, 0, 0)),
                            .3 * .3 * .3 / 6, 1e-16);
    double z[3] = {0, 0, 2}; /* a length that is not 1: z <= .25 */
    lab_shape *plane = lab_shape_half_space(z, .5), *box = box_at(1, 1, 1, 0, 0, .5);
    ck_assert_double_eq_tol(lab_separation(plane, box, 0), -.25, 1e-16);
    ck_assert_double_eq(lab_overlap_volume(plane, plane), 0);
    ck_assert_double_eq_tol(volume_of(plane, box), .25, 1e-15);
    ck_assert_ptr_null(lab_shape_half_space(no_shift, 1));
}
END_TEST

START_TEST(depth)
{
    lab_shape *a = box_at(2, 2, 2, 0, 0, 0), *b = box_at(1, 1, 1, 1.4, .2, .3);
    ck_assert_double_eq_tol(lab_separation(a, b, 0), -.1, 1e-15);
    lab_shape_free(b);
    b = box_at(1, 1, 1, 1.75, 0, 0);
    ck_assert_double_eq_tol(lab_separation(a, b, INFINITY), .25, 1e-15);
    lab_shape_free(a);
    lab_shape_free(b);
    /* edges crossed at a right angle: only the edge pair tells the depth */
    double root = sqrt(2), x[3] = {0, 0, root - .01};
    a = turned_box(1, 1, 0, 0, 45, no_shift), b = turned_box(1, 0, 1, 0, 45, x);
    ck_assert_double_eq_tol(lab_separation(a, b, 0), -.01, 1e-14);
    lab_shape_free(a);
    lab_shape_free(b);
}
END_TEST

static lab_shape *random_hull(uint64_t *state, double size, const double shift[3])
{
    double p[14][3];
    int n = 5 + (int)(10 * random_unit(state));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) p[i][k] = size * (random_unit(state) - .5) + shift[k];
    return lab_shape_hull((const double(*)[3])p, n);
}

START_TEST(parts_add_up)
{
    uint64_t state = 7;
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, 8 * random_unit(&state) - 4), cut = size * (random_unit(&state) - .5);
        lab_shape *hull = random_hull(&state, size, no_shift);
        lab_shape *whole = box_at(size, size, size, 0, 0, 0);
        double low = cut + size / 2, high = size / 2 - cut;
        lab_shape *below = box_at(low, size, size, cut - low / 2, 0, 0);
        lab_shape *above = box_at(high, size, size, cut + high / 2, 0, 0);
        double one = lab_overlap_volume(hull, below), two = lab_overlap_volume(hull, above);
        lab_moments m;
        lab_shape_moments(hull, &m);
        double unit = size * size * size;
        ck_assert_double_eq_tol(one + two, m.volume, 1e-13 * unit);
        ck_assert_double_eq_tol(lab_overlap_volume(hull, whole), m.volume, 1e-13 * unit);
        ck_assert_double_eq(lab_separation(below, above, 0) > 1e-15 * size, 0);
        lab_shape_free(hull);
        lab_shape_free(whole);
        lab_shape_free(below);
        lab_shape_free(above);
    }
}
END_TEST

/* Depth and volume say the same, and moving apart by the depth along any direction is enough only
 * where the test says so. */
START_TEST(depth_and_volume_agree)
{
    uint64_t state = 11;
    int apart = 0;
    for (int i = 0; i < 4000; i++) {
        double shift[3];
        for (int k = 0; k < 3; k++) shift[k] = 1.6 * (random_unit(&state) - .5);
        lab_shape *a = random_hull(&state, 1, no_shift), *b = random_hull(&state, 1, shift);
        double s = lab_separation(a, b, 0), v = lab_overlap_volume(a, b);
        ck_assert(v >= 0);
        if (s > 0) ck_assert_double_eq(v, 0);
        if (s < -.05) ck_assert_double_gt(v, 1e-7);
        apart += s > 0;
        ck_assert_double_eq_tol(v, lab_overlap_volume(b, a), 1e-15);
        lab_shape_free(a);
        lab_shape_free(b);
    }
    ck_assert_int_gt(apart, 400);
    ck_assert_int_lt(apart, 3600);
}
END_TEST

START_TEST(hulls)
{
    double p[140][3];
    for (int i = 0; i < 64; i++)
        for (int z = 0; z < 2; z++) {
            double angle = i * acos(-1) / 32;
            p[2 * i + z][0] = cos(angle), p[2 * i + z][1] = sin(angle), p[2 * i + z][2] = z;
        }
    for (int i = 128; i < 140; i++) /* inside, and twice the same corner */
        for (int k = 0; k < 3; k++) p[i][k] = i < 134 ? .1 * k : p[5][k];
    lab_shape *prism = lab_shape_hull((const double(*)[3])p, 140);
    ck_assert_int_eq(prism->nf, 66);
    ck_assert_int_eq(prism->nv, 128);
    lab_moments m;
    lab_shape_moments(prism, &m);
    ck_assert_double_eq_tol(m.volume, 32 * sin(acos(-1) / 32), 1e-13);
    for (int f = 0; f < prism->nf; f++) ck_assert_double_gt(prism->offset[f], -1e-15);
    lab_shape_free(prism);
    for (int i = 0; i < 140; i++) p[i][2] = 3;
    ck_assert_ptr_null(lab_shape_hull((const double(*)[3])p, 140));
    p[7][2] = NAN;
    ck_assert_ptr_null(lab_shape_hull((const double(*)[3])p, 140));
    ck_assert_ptr_null(lab_shape_hull((const double(*)[3])p, 3));
}
END_TEST

START_TEST(moments)
{
    lab_shape *box = box_at(1, 2, 3, .5, 0, -1);
    lab_moments m;
    lab_shape_moments(box, &m);
    ck_assert_double_eq_tol(m.volume, 6, 1e-14);
    ck_assert_double_eq_tol(m.first[0], 3, 1e-14);
    ck_assert_double_eq_tol(m.first[2], -6, 1e-14);
    ck_assert_double_eq_tol(m.second[0], 6 * (1. / 12 + .25), 1e-14);
    ck_assert_double_eq_tol(m.second[8], 6 * (9. / 12 + 1), 1e-13);
    ck_assert_double_eq_tol(m.second[2], 6 * .5 * -1, 1e-14);
    lab_shape_free(box);
}
END_TEST

/* Exact for a ball on a half-space; for others the depth is exact, and the estimate says whether
 * there is an overlap. */
START_TEST(round_shapes)
{
    lab_shape *ball = lab_shape_sphere(.5),
              *floor = lab_shape_half_space((double[3]){0, 0, 1}, -.3);
    double cap = acos(-1) * .2 * .2 * (.5 - .2 / 3);
    ck_assert_double_eq_tol(lab_separation(ball, floor, 0), -.2, 1e-15);
    ck_assert_double_eq_tol(lab_overlap_volume(ball, floor), cap, 1e-15);
    ck_assert_double_eq_tol(lab_overlap_volume(floor, ball), cap, 1e-15);
    lab_shape *rod = lab_shape_cylinder(.1, 2), *block = box_at(1, 1, 1, 0, .65, 0);
    ck_assert_double_eq(lab_overlap_volume(rod, block), 0);
    ck_assert_double_eq(lab_overlap_volume(ball, rod) > 0, 1);
    ck_assert_double_eq_tol(lab_separation(rod, block, INFINITY), .05, 1e-15);
    const double v[3][3] = {{-1, -1, .3}, {1, -1, .3}, {0, 1, .3}};
    const int t[1][3] = {{0, 1, 2}};
    lab_shape *sheet = lab_shape_mesh(v, 3, t, 1);
    ck_assert_double_eq_tol(lab_separation(ball, sheet, 0), -.2, 1e-15);
    ck_assert_double_eq_tol(lab_overlap_volume(sheet, ball), cap, 1e-15);
    lab_shape_free(ball);
    lab_shape_free(floor);
    lab_shape_free(rod);
    lab_shape_free(block);
    lab_shape_free(sheet);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("overlap");
    TCase *tests = tcase_create("overlap");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, boxes_side_by_side);
    tcase_add_test(tests, turned_boxes);
    tcase_add_test(tests, tetrahedra);
    tcase_add_test(tests, inside_and_touching);
    tcase_add_test(tests, half_spaces);
    tcase_add_test(tests, depth);
    tcase_add_test(tests, parts_add_up);
    tcase_add_test(tests, depth_and_volume_agree);
    tcase_add_test(tests, hulls);
    tcase_add_test(tests, moments);
    tcase_add_test(tests, round_shapes);
    return suite;
}
