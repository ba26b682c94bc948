/* Polytopes: topology, planes, mass; what is merged and what is refused; memory exhausted. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/geometry_cases.h"
#include "tests/geometry_oracle.h"
#include "peg/base/arena.h"
#include "tests/runner.h"
#include "tests/test_geometry.h"

/* Topology and planes of any polytope; faces planar to `flat` of the radius. */
static void check_polytope(const peg_polytope *p, double flat)
{
    ck_assert_int_eq(p->nv - p->ne + p->nf, 2);
    ck_assert_int_eq(p->face_start[p->nf], 2 * p->ne);
    double tolerance = flat * p->radius;
    int faces_at[2048] = {0};
    for (int f = 0; f < p->nf; f++) {
        const int *v = p->face_vertex + p->face_start[f];
        int n = p->face_start[f + 1] - p->face_start[f];
        ck_assert_int_ge(n, 3);
        ck_assert_double_eq_tol(peg_norm(p->normal[f]), 1, 1e-14);
        double most = -INFINITY;
        for (int i = 0; i < p->nv; i++)
            most = fmax(most, peg_dot(p->normal[f], p->vertex[i]) - p->offset[f]);
        ck_assert_double_eq(most, 0);
        for (int k = 0; k < n; k++) {
            faces_at[v[k]]++;
            ck_assert_double_ge(peg_dot(p->normal[f], p->vertex[v[k]]), p->offset[f] - tolerance);
            /* convex, counter-clockwise seen from outside */
            peg_vec3 a, b, c;
            peg_sub(p->vertex[v[(k + 1) % n]], p->vertex[v[k]], a);
            peg_sub(p->vertex[v[(k + 2) % n]], p->vertex[v[(k + 1) % n]], b);
            peg_cross(a, b, c);
            ck_assert_double_gt(peg_dot(c, p->normal[f]), -20 * tolerance * p->radius);
        }
    }
    for (int v = 0; v < p->nv; v++) ck_assert_int_ge(faces_at[v], 3);
}

/* Face f[0] of an edge runs from v[0] to v[1], face f[1] back. */
static void check_edges(const peg_polytope *p)
{
    for (int e = 0; e < p->ne; e++)
        for (int side = 0; side < 2; side++) {
            int f = p->edge[e].f[side], tail = p->edge[e].v[side], head = p->edge[e].v[1 - side];
            int found = 0, begin = p->face_start[f], end = p->face_start[f + 1];
            for (int k = begin; k < end; k++)
                found += p->face_vertex[k] == tail &&
                         p->face_vertex[k + 1 < end ? k + 1 : begin] == head;
            ck_assert_int_eq(found, 1);
        }
}

static peg_polytope *hull_of(double (*points)[3], int n)
{
    peg_polytope *p;
    ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])points, n, &p), PEG_OK);
    check_edges(p);
    return p;
}

static pegStatus hull_status(double (*points)[3], int n)
{
    peg_polytope *p;
    pegStatus status = peg_polytope_from_points((const double(*)[3])points, n, &p);
    ck_assert_ptr_null(p);
    return status;
}

START_TEST(box_is_exact)
{
    peg_polytope *p;
    const double side[3] = {.1, .7, 1.3};
    ck_assert_int_eq(peg_polytope_box(side, &p), PEG_OK);
    ck_assert(p->nv == 8 && p->nf == 6 && p->ne == 12);
    check_polytope(p, 0);
    check_edges(p);
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) ck_assert_double_eq(fabs(p->vertex[v][k]), side[k] / 2);
    ck_assert_double_eq(p->width, .1);
    ck_assert_double_eq(peg_norm(p->centre), 0);
    ck_assert_double_eq_tol(p->volume, .1 * .7 * 1.3, 1e-16);
    peg_polytope_free(p);
    ck_assert_int_eq(peg_polytope_box((double[3]){1, NAN, 1}, &p), PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(peg_polytope_box((double[3]){1, 0, 1}, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_box((double[3]){1, -1, 1}, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_box((double[3]){1, 1e-10, 1}, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_box((double[3]){1e200, 1e200, 1e200}, &p), PEG_ERROR_SHAPE_SIZE);
}
END_TEST

START_TEST(half_space_is_scaled)
{
    peg_polytope *p;
    ck_assert_int_eq(peg_polytope_half_space((double[3]){0, 3, 4}, 10, &p), PEG_OK);
    ck_assert(peg_is_half_space(p) && p->nf == 1 && p->ne == 0);
    ck_assert_double_eq_tol(p->normal[0][1], .6, 1e-16);
    ck_assert_double_eq_tol(p->offset[0], 2, 1e-15);
    ck_assert_double_eq_tol(peg_dot(p->normal[0], p->centre), 2, 1e-15);
    peg_polytope_free(p);
    ck_assert_int_eq(peg_polytope_half_space((double[3]){0}, 1, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_half_space((double[3]){0, 0, NAN}, 1, &p), PEG_ERROR_NOT_FINITE);
}
END_TEST

/* Every face of the brute-force hull is a face, at any scale and place. */
START_TEST(hull_equals_brute_force)
{
    cases_random r = {11};
    for (int k = 0; k < 400; k++) {
        double points[14][3], scale = cases_magnitude(&r, -3, 2);
        double away = cases_below(&r, 2) ? cases_uniform(&r, -10, 10) : 0;
        int n = cases_shape(&r, points);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) points[i][c] = scale * (points[i][c] + away);
        peg_polytope *p = hull_of(points, n);
        double rounding = 1e-13 * (p->radius + 20 * scale) / p->radius;
        check_polytope(p, rounding);
        oracle_shape o;
        ck_assert(oracle_hull((const double(*)[3])points, n, 10 * rounding * p->radius, &o));
        ck_assert(p->nv == o.nv && p->nf == o.nf && p->ne == o.ne);
        for (int f = 0; f < o.nf; f++) {
            int found = 0;
            for (int g = 0; g < p->nf; g++)
                found += peg_dot(p->normal[g], o.n[f]) > 1 - 1e-6 &&
                         fabs(p->offset[g] - o.d[f]) < 1e-6 * p->radius;
            ck_assert_int_ge(found, 1);
        }
        peg_polytope_free(p);
    }
}
END_TEST

/* Duplicates, points inside of the volume, of a face and of an edge vanish. */
START_TEST(superfluous_points_vanish)
{
    cases_random r = {12};
    double points[2 * 343][3], R[9];
    int n = 0;
    cases_rotation(&r, R);
    for (int i = 0; i < 343; i++, n += 2)
        for (int copy = 0; copy < 2; copy++) {
            for (int k = 0; k < 3; k++)
                points[n + copy][k] = i / (k == 0 ? 1 : k == 1 ? 7 : 49) % 7;
            points[n + copy][2] *= 1e-3;
            peg_rotate(R, points[n + copy], points[n + copy]);
            if (copy) points[n + copy][0] += 1e-12;
        }
    peg_polytope *p = hull_of(points, n);
    ck_assert(p->nv == 8 && p->nf == 6 && p->ne == 12);
    check_polytope(p, 1e-11);
    ck_assert_double_eq_tol(p->volume, .216, 1e-10);
    peg_polytope_free(p);
}
END_TEST

START_TEST(large_and_flat_hulls)
{
    cases_random r = {13};
    static double points[1000][3];
    const double squeeze[] = {1, 1e-3, 1e-6};
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < 1000; i++) {
            cases_direction(&r, points[i]);
            points[i][2] *= squeeze[kind];
        }
        peg_polytope *p = hull_of(points, 1000);
        check_polytope(p, 3e-7);
        /* Nearly all of the 1996 triangles stay; of the flattened ones a few lie within the
         * tolerance of one plane. */
        ck_assert_int_gt(p->nf, kind == 0 ? 1990 : 1700);
        peg_polytope_free(p);
    }
    /* a needle of 1000 : 1 with six sides */
    for (int i = 0; i < 12; i++) {
        points[i][0] = 1e-3 * cos(1.0471975511965976 * i);
        points[i][1] = 1e-3 * sin(1.0471975511965976 * i);
        points[i][2] = i < 6;
    }
    peg_polytope *needle = hull_of(points, 12);
    ck_assert(needle->nv == 12 && needle->nf == 8);
    check_polytope(needle, 1e-12);
    peg_polytope_free(needle);
}
END_TEST

/* Points in clusters, on lattices, nearly coplanar and nearly the same: always a valid hull. */
START_TEST(nearly_degenerate_clouds)
{
    cases_random r = {14};
    double points[200][3];
    for (int k = 0; k < 1500; k++) {
        int n = 20 + cases_below(&r, 180);
        double noise = cases_magnitude(&r, -17, -5);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                points[i][c] = cases_below(&r, 4) + noise * cases_uniform(&r, -1, 1);
        peg_polytope *p = hull_of(points, n);
        check_polytope(p, 3e-7);
        double outside = 0;
        for (int i = 0; i < n; i++)
            for (int f = 0; f < p->nf; f++)
                outside = fmax(outside, peg_dot(p->normal[f], points[i]) - p->offset[f]);
        ck_assert_double_le(outside, 1e-6);
        peg_polytope_free(p);
    }
}
END_TEST

START_TEST(hull_errors)
{
    /* Whatever qhull has to say of these, nothing may be printed. */
    FILE *heard = tmpfile();
    fflush(stdout), fflush(stderr);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(heard), STDOUT_FILENO), dup2(fileno(heard), STDERR_FILENO);

    double p[10][3] = {{0}};
    ck_assert_int_eq(hull_status(p, 3), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_SHAPE_EMPTY);
    for (int i = 0; i < 10; i++) p[i][0] = i;
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_SHAPE_EMPTY);
    for (int i = 0; i < 10; i++) p[i][1] = i * i;
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_SHAPE_EMPTY);
    p[3][2] = 1e-9;
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_SHAPE_EMPTY);
    p[3][2] = INFINITY;
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_NOT_FINITE);
    p[3][2] = 1e200;
    ck_assert_int_eq(hull_status(p, 10), PEG_ERROR_SHAPE_SIZE);

    fflush(stdout), fflush(stderr);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(out), close(err);
    ck_assert_int_eq(lseek(fileno(heard), 0, SEEK_END), 0);
    fclose(heard);
}
END_TEST

START_TEST(mass_of_box_and_tetrahedron)
{
    peg_polytope *p;
    double V, c[3], I[9];
    ck_assert_int_eq(peg_polytope_box((double[3]){1, 2, 3}, &p), PEG_OK);
    peg_polytope_mass(p, &V, c, I);
    ck_assert_double_eq_tol(V, 6, 1e-14);
    const double diagonal[3] = {6 * 13 / 12., 6 * 10 / 12., 6 * 5 / 12.};
    for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(I[i], i % 4 ? 0 : diagonal[i / 4], 1e-14);
    peg_polytope_free(p);

    /* corner tetrahedron of edges a, far from the origin: V = a^3/6, centre a/4, and about it
     * I_xx = a^5/80 ... (2 * 3/80 V' a^2), I_xy = + a^5/480 (product -1/80 V') */
    double a = .5, at = 100;
    double points[4][3] = {{at, at, at}, {at + a, at, at}, {at, at + a, at}, {at, at, at + a}};
    p = hull_of(points, 4);
    peg_polytope_mass(p, &V, c, I);
    ck_assert_double_eq_tol(V, a * a * a / 6, 1e-13);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(c[k], at + a / 4, 1e-12);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol(I[i], V * a * a * (i % 4 ? 1 / 80. : 6 / 80.), 1e-13);
    peg_polytope_free(p);
}
END_TEST

START_TEST(mass_by_sampling)
{
    enum { SAMPLES = 200000 };
    cases_random r = {15};
    double points[20][3];
    for (int i = 0; i < 20; i++) cases_direction(&r, points[i]);
    peg_polytope *p = hull_of(points, 20);
    double V, c[3], I[9], sum[3] = {0}, second[9] = {0};
    peg_polytope_mass(p, &V, c, I);
    int inside = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double x[3];
        int in = 1;
        for (int i = 0; i < 3; i++) x[i] = cases_uniform(&r, -1, 1);
        for (int f = 0; f < p->nf && in; f++) in = peg_dot(p->normal[f], x) <= p->offset[f];
        if (!in) continue;
        inside++;
        for (int i = 0; i < 3; i++) sum[i] += x[i];
        for (int i = 0; i < 9; i++) second[i] += (x[i / 3] - c[i / 3]) * (x[i % 3] - c[i % 3]);
    }
    double each = 8. / SAMPLES, trace = each * (second[0] + second[4] + second[8]);
    ck_assert_double_eq_tol(each * inside, V, .02);
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(sum[i] / inside, c[i], .005);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol((i % 4 ? 0 : trace) - each * second[i], I[i], .02);
    peg_polytope_free(p);
}
END_TEST

/* A unit cube as ODE's arrays, its top in two triangles; the cases break it one way each. */
typedef struct ode_cube {
    double planes[7 * 4], points[9 * 3];
    unsigned polygons[6 * 5 + 2 * 4];
    int nplanes, npoints;
} ode_cube;

static ode_cube make_cube(void)
{
    ode_cube cube = {.planes = {-1, 0, 0, 0, 1,  0, 0, 1, 0, -1, 0, 0, 0, 1,
                                0,  1, 0, 0, -1, 0, 0, 0, 1, 1,  0, 0, 1, 1},
                     .polygons = {4, 0, 4, 6, 2, 4, 1, 3, 7, 5, 4, 0, 1, 5, 4, 4, 2,
                                  6, 7, 3, 4, 0, 2, 3, 1, 3, 4, 5, 7, 3, 4, 7, 6},
                     .nplanes = 7,
                     .npoints = 8};
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) cube.points[3 * v + k] = v >> k & 1;
    return cube;
}

static pegStatus read_cube(const ode_cube *c, peg_polytope **p)
{
    return peg_polytope_from_ode_convex(c->planes, c->nplanes, c->points, c->npoints, c->polygons,
                                        p);
}

static void refuse(const ode_cube *cube, pegStatus expected)
{
    peg_polytope *p;
    ck_assert_int_eq(read_cube(cube, &p), expected);
    ck_assert_ptr_null(p);
}

START_TEST(ode_convex_is_merged)
{
    ode_cube cube = make_cube();
    peg_polytope *p;
    ck_assert_int_eq(read_cube(&cube, &p), PEG_OK);
    ck_assert(p->nv == 8 && p->nf == 6 && p->ne == 12);
    ck_assert_double_eq_tol(p->volume, 1, 1e-15);
    check_polytope(p, 1e-15);
    check_edges(p);
    peg_polytope_free(p);

    /* the planes in another order than the polygons, as in ODE's demos */
    for (int k = 0; k < 4; k++) {
        double plane = cube.planes[k];
        cube.planes[k] = cube.planes[8 + k];
        cube.planes[8 + k] = plane;
    }
    ck_assert_int_eq(read_cube(&cube, &p), PEG_OK);
    ck_assert(p->nv == 8 && p->nf == 6 && p->ne == 12);
    check_polytope(p, 1e-15);
    peg_polytope_free(p);

    /* vertex 4 twice, a rounding apart: one polygon uses the copy */
    cube.npoints = 9;
    for (int k = 0; k < 3; k++) cube.points[24 + k] = cube.points[12 + k] + 2e-8;
    cube.polygons[2] = 8;
    ck_assert_int_eq(read_cube(&cube, &p), PEG_OK);
    ck_assert(p->nv == 8 && p->nf == 6 && p->ne == 12);
    peg_polytope_free(p);
}
END_TEST

/* A turned prism of 32 sides whose coordinates went through single precision, in triangles: its two
 * ends become one face each, its sides too. */
START_TEST(single_precision_prism)
{
    enum { SIDES = 32, TRIANGLES = 4 * SIDES - 4 };
    cases_random r = {17};
    for (int k = 0; k < 50; k++) {
        double points[2 * SIDES][3], planes[4 * TRIANGLES], R[9];
        unsigned polygons[4 * TRIANGLES], *c = polygons;
        cases_rotation(&r, R);
        for (int i = 0; i < 2 * SIDES; i++) {
            double angle = 6.283185307179586 * (i / 2) / SIDES;
            double x[3] = {cos(angle), sin(angle), i % 2 ? .5 : -.5};
            peg_rotate(R, x, x);
            for (int j = 0; j < 3; j++) points[i][j] = (float)x[j];
        }
        for (unsigned i = 0; i < SIDES; i++) {
            unsigned a = 2 * i, b = 2 * ((i + 1) % SIDES);
            const unsigned side[8] = {3, a, b, b + 1, 3, a, b + 1, a + 1};
            const unsigned ends[8] = {3, 0, b, a, 3, 1, a + 1, b + 1};
            memcpy(c, side, sizeof side);
            c += 8;
            if (i == 0 || i == SIDES - 1) continue;
            memcpy(c, ends, sizeof ends);
            c += 8;
        }
        for (int f = 0; f < TRIANGLES; f++) {
            peg_vec3 a, b;
            peg_sub(points[polygons[4 * f + 2]], points[polygons[4 * f + 1]], a);
            peg_sub(points[polygons[4 * f + 3]], points[polygons[4 * f + 1]], b);
            peg_cross(a, b, planes + 4 * f);
            planes[4 * f + 3] = peg_dot(planes + 4 * f, points[polygons[4 * f + 1]]);
        }
        peg_polytope *p;
        ck_assert_int_eq(
            peg_polytope_from_ode_convex(planes, TRIANGLES, points[0], 2 * SIDES, polygons, &p),
            PEG_OK);
        ck_assert(p->nv == 2 * SIDES && p->nf == SIDES + 2);
        check_polytope(p, 3e-7);
        peg_polytope_free(p);
        p = hull_of(points, 2 * SIDES);
        ck_assert(p->nv == 2 * SIDES && p->nf == SIDES + 2);
        peg_polytope_free(p);
    }
}
END_TEST

START_TEST(ode_convex_is_refused)
{
    ode_cube cube = make_cube();
    cube.nplanes = 6; /* one triangle of the top is missing */
    refuse(&cube, PEG_ERROR_SHAPE_OPEN);
    cube = make_cube();
    cube.polygons[1] = 2, cube.polygons[2] = 6, cube.polygons[3] = 4, cube.polygons[4] = 0;
    refuse(&cube, PEG_ERROR_SHAPE_OPEN); /* one polygon flipped */
    cube = make_cube();
    cube.polygons[7] = 8;
    refuse(&cube, PEG_ERROR_SHAPE_INDEX); /* index out of range */
    cube = make_cube();
    cube.polygons[0] = 4000000000u;
    refuse(&cube, PEG_ERROR_SHAPE_INDEX); /* a count that cannot be */
    cube = make_cube();
    cube.points[3 * 4 + 2] = .9; /* the top is a valley */
    cube.points[3 * 7 + 2] = .9;
    refuse(&cube, PEG_ERROR_SHAPE_CONCAVE);
    cube = make_cube();
    for (int v = 0; v < 8; v++) cube.points[3 * v] *= -1;
    refuse(&cube, PEG_ERROR_SHAPE_REVERSED); /* inside out */
    cube = make_cube();
    for (int k = 0; k < 3; k++) cube.planes[k] *= -1;
    refuse(&cube, PEG_ERROR_SHAPE_PLANE); /* a plane that looks inwards */
    cube = make_cube();
    cube.planes[3] += .01;
    refuse(&cube, PEG_ERROR_SHAPE_PLANE); /* a plane beside its polygon */
    cube = make_cube();
    for (int k = 0; k < 4; k++) cube.planes[k] = cube.planes[4 + k];
    refuse(&cube, PEG_ERROR_SHAPE_PLANE); /* one plane twice, another not at all */
    cube = make_cube();
    for (int v = 0; v < 24; v++) cube.points[v] *= 1e-70;
    refuse(&cube, PEG_ERROR_SHAPE_SIZE);
    cube = make_cube();
    for (int v = 0; v < 8; v++) cube.points[3 * v + 2] = 0;
    refuse(&cube, PEG_ERROR_SHAPE_EMPTY); /* flat */
    cube = make_cube();
    cube.points[5] = NAN;
    refuse(&cube, PEG_ERROR_NOT_FINITE);
    cube = make_cube();
    cube.planes[5] = INFINITY;
    refuse(&cube, PEG_ERROR_NOT_FINITE);
    cube = make_cube();
    cube.npoints = 3;
    refuse(&cube, PEG_ERROR_SHAPE_FACES);
    peg_polytope *p;
    ck_assert_int_eq(peg_polytope_from_ode_convex(NULL, 4, cube.points, 8, cube.polygons, &p),
                     PEG_ERROR_ARGUMENT);
}
END_TEST

/* Every allocation fails in turn, alone and with all that follow. */
static pegStatus build_kind(int kind, peg_polytope **p)
{
    cases_random r = {16};
    ode_cube cube = make_cube();
    static double points[3000][3];
    switch (kind) {
    case 0:
        return peg_polytope_box((double[3]){1, 2, 3}, p);
    case 1:
        return peg_polytope_half_space((double[3]){1, 2, 3}, 1, p);
    case 2:
        return read_cube(&cube, p);
    default:
        for (int i = 0; i < 3000; i++) cases_direction(&r, points[i]);
        return peg_polytope_from_points((const double(*)[3])points, kind == 3 ? 10 : 3000, p);
    }
}

START_TEST(memory_exhausted)
{
    for (int kind = 0; kind < 5; kind++)
        for (int for_good = 0; for_good < 2; for_good++) {
            pegStatus status = PEG_ERROR_MEMORY;
            int n = 1;
            for (; status != PEG_OK; n++) {
                peg_polytope *p;
                peg_memory_fail_at(n, for_good);
                status = build_kind(kind, &p);
                peg_memory_fail_at(0, 0);
                ck_assert(status == PEG_OK || status == PEG_ERROR_MEMORY);
                ck_assert((status == PEG_OK) == (p != NULL));
                peg_polytope_free(p);
            }
            ck_assert_int_ge(n, kind < 1 ? 3 : 2);
        }
}
END_TEST

TCase *polytope_tests(void)
{
    TCase *tests = tcase_create("polytope");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, box_is_exact);
    tcase_add_test(tests, half_space_is_scaled);
    tcase_add_test(tests, hull_equals_brute_force);
    tcase_add_test(tests, superfluous_points_vanish);
    tcase_add_test(tests, large_and_flat_hulls);
    tcase_add_test(tests, nearly_degenerate_clouds);
    tcase_add_test(tests, hull_errors);
    tcase_add_test(tests, mass_of_box_and_tetrahedron);
    tcase_add_test(tests, mass_by_sampling);
    tcase_add_test(tests, ode_convex_is_merged);
    tcase_add_test(tests, single_precision_prism);
    tcase_add_test(tests, ode_convex_is_refused);
    return tests;
}

TCase *polytope_memory_tests(void)
{
    TCase *tests = tcase_create("polytopes without memory");
    tcase_set_timeout(tests, 120);
    test_long(tests);
    tcase_add_test(tests, memory_exhausted);
    return tests;
}
