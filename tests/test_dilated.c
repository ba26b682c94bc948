/* Spheres, capsules, cylinders and triangles against an oracle that knows them by their support
 * functions alone and climbs over the directions. */
#include <check.h>
#include <stdlib.h>

#include "peg/shape/triangle_mesh.h"
#include "peg/collide/disc.h"
#include "peg/collide/separation.h"
#include "tests/geometry_cases.h"
#include "tests/test_geometry.h"

typedef enum kind { SPHERE, CAPSULE, CYLINDER, ROUNDED, BOX, TRIANGLE, KINDS } kind;

/* Radius about the box in a rounded one. */
static const double ROUND = .15;

/* A solid of the oracle: size[0] radius and size[1] length, or sides. */
typedef struct solid {
    kind is;
    double size[3], corner[3][3], x[3], R[9];
} solid;

static double support(const solid *s, const double *n)
{
    double l[3], most = -INFINITY;
    for (int k = 0; k < 3; k++) l[k] = s->R[k] * n[0] + s->R[3 + k] * n[1] + s->R[6 + k] * n[2];
    double at = peg_dot(s->x, n), half = .5 * s->size[1] * fabs(l[2]);
    if (s->is == SPHERE) return at + s->size[0];
    if (s->is == CAPSULE) return at + s->size[0] + half;
    if (s->is == CYLINDER) return at + s->size[0] * hypot(l[0], l[1]) + half;
    if (s->is == BOX || s->is == ROUNDED) {
        for (int k = 0; k < 3; k++) at += .5 * s->size[k] * fabs(l[k]);
        return at + (s->is == ROUNDED ? ROUND : 0);
    }
    for (int v = 0; v < 3; v++) most = fmax(most, peg_dot(l, s->corner[v]));
    return at + most;
}

static double along(const solid *a, const solid *b, const double *n)
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return -support(a, back) - support(b, n);
}

/* The largest separation over all directions, by climbing from the best of many: exact to about
 * 1e-7 where the parts are apart, as there is one top only. */
static double climb(const solid *a, const solid *b, cases_random *r)
{
    double best[3], s = -INFINITY;
    for (int i = 0; i < 400; i++) {
        double n[3];
        cases_direction(r, n);
        if (along(a, b, n) <= s) continue;
        s = along(a, b, n);
        peg_copy3(n, best);
    }
    for (double step = .3; step > 1e-8;) {
        int better = 0;
        for (int i = 0; i < 20; i++) {
            double n[3];
            for (int k = 0; k < 3; k++) n[k] = best[k] + step * cases_uniform(r, -1, 1);
            peg_normalise(n);
            if (along(a, b, n) <= s) continue;
            s = along(a, b, n);
            peg_copy3(n, best);
            better = 1;
        }
        if (!better) step *= .6;
    }
    return s;
}

/* --- the same in the module --- */

typedef struct made {
    peg_polytope *shape, triangle;
    peg_triangle_mesh *mesh;
    peg_vec3 vertex[8], normal[6], corner[3], face[2];
    double offset[6], plane[2];
    peg_view view;
} made;

static void make_triangle(const solid *s, made *m)
{
    static int start[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
    static int next_start[4] = {0, 2, 4, 6}, next[6] = {1, 2, 2, 0, 0, 1};
    static peg_edge edge[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    static const int only[1][3] = {{0, 1, 2}};
    double a[3], b[3];
    ck_assert_int_eq(peg_triangle_mesh_create(s->corner, 3, only, 1, 0, &m->mesh), PEG_OK);
    memcpy(m->corner, s->corner, sizeof m->corner);
    peg_sub(m->corner[1], m->corner[0], a);
    peg_sub(m->corner[2], m->corner[0], b);
    peg_cross(a, b, m->face[0]);
    peg_normalise(m->face[0]);
    for (int k = 0; k < 3; k++) m->face[1][k] = -m->face[0][k];
    m->plane[0] = peg_dot(m->face[0], m->corner[0]);
    m->plane[1] = -m->plane[0];
    m->triangle = (peg_polytope){
        .kind = PEG_SHAPE_TRIANGLE, .nv = 3, .nf = 2, .ne = 3, .radius = 4, .mesh = m->mesh};
    for (int k = 0; k < 9; k++) m->triangle.centre[k % 3] += m->corner[k / 3][k % 3] / 3;
    m->triangle.vertex = m->corner, m->triangle.normal = m->face, m->triangle.offset = m->plane;
    m->triangle.face_start = start, m->triangle.face_vertex = corner, m->triangle.edge = edge;
    m->triangle.next_start = next_start, m->triangle.next = next;
}

static void make(const solid *s, made *m)
{
    *m = (made){0};
    pegStatus status = PEG_OK;
    if (s->is == SPHERE) status = peg_polytope_sphere(s->size[0], &m->shape);
    if (s->is == CAPSULE) status = peg_polytope_capsule(s->size[0], s->size[1], &m->shape);
    if (s->is == CYLINDER) status = peg_polytope_cylinder(s->size[0], s->size[1], &m->shape);
    if (s->is == BOX) status = peg_polytope_box(s->size, &m->shape);
    if (s->is == ROUNDED) {
        peg_polytope *core;
        ck_assert_int_eq(peg_polytope_box(s->size, &core), PEG_OK);
        status = peg_polytope_rounded(core, ROUND, &m->shape);
        peg_polytope_free(core);
    }
    if (s->is == TRIANGLE) make_triangle(s, m);
    ck_assert_int_eq(status, PEG_OK);
    m->view = (peg_view){.shape = m->shape ? m->shape : &m->triangle,
                         .vertex = m->vertex,
                         .normal = m->normal,
                         .offset = m->offset};
    peg_view_set(&m->view, s->x, s->R);
}

static void drop(made *m)
{
    peg_polytope_free(m->shape);
    peg_triangle_mesh_free(m->mesh);
}

static void some_solid(cases_random *r, kind is, int level, solid *s)
{
    s->is = is;
    for (int k = 0; k < 3; k++) s->size[k] = cases_uniform(r, .2, .9);
    for (int v = 0; v < 3; v++)
        for (int k = 0; k < 3; k++) s->corner[v][k] = cases_uniform(r, -1, 1);
    cases_rotation(r, s->R);
    for (int k = 0; k < 9 && level; k++) s->R[k] = k % 4 == 0;
    for (int k = 0; k < 3; k++) s->x[k] = cases_uniform(r, -1.2, 1.2);
}

/* Pairs of every two kinds, turned and level (where axes and faces are parallel). What the module
 * says is true along its direction, and where the parts are apart no direction is better; between
 * polytopes the facets only tell whether they are apart. */
START_TEST(largest_separation)
{
    cases_random r = {11 + (uint64_t)_i};
    kind first = (kind)(_i / KINDS), second = (kind)(_i % KINDS);
    int apart = 0, polytopes = first >= BOX && second >= BOX;
    for (int trial = 0; trial < 60; trial++) {
        solid a, b;
        made A, B;
        some_solid(&r, first, trial % 3 == 0, &a);
        some_solid(&r, second, trial % 3 == 0, &b);
        make(&a, &A);
        make(&b, &B);
        peg_facet best = peg_separation(&A.view, &B.view, -INFINITY, NULL, NULL);
        double s = climb(&a, &b, &r);
        ck_assert_double_eq_tol(best.s, along(&a, &b, best.n), 1e-13);
        ck_assert_double_eq_tol(peg_norm(best.n), 1, 1e-13);
        if (s > 1e-6) {
            apart++;
            if (polytopes)
                ck_assert_double_gt(best.s, 0);
            else
                ck_assert_double_ge(best.s, s - 1e-12);
        }
        if (s > 1e-3) ck_assert(!polytopes ? best.s < s + 1e-2 : best.s <= s + 1e-2);
        if (s < -1e-6) ck_assert_double_lt(best.s, 0);
        drop(&A);
        drop(&B);
    }
    ck_assert_int_gt(apart, 5);
}
END_TEST

/* Where features meet or directions vanish there is still a true answer. */
START_TEST(degenerate_pairs)
{
    static const struct {
        kind a, b;
        double x[3], s;
    } of[] = {
        {SPHERE, SPHERE, {0, 0, 0}, -1},      /* the same centre */
        {SPHERE, CAPSULE, {0, 0, .2}, -1},    /* on the axis */
        {CAPSULE, CAPSULE, {0, 0, .3}, -1},   /* along one line */
        {CAPSULE, CAPSULE, {1.5, 0, .3}, .5}, /* side by side */
        {CYLINDER, CYLINDER, {0, 0, 1}, 0},   /* cap on cap */
        {CYLINDER, CYLINDER, {1, 0, .25}, 0}, /* lines that touch */
        {CYLINDER, SPHERE, {0, 0, 1}, 0},     /* above the middle of a cap */
        {CYLINDER, BOX, {0, 0, 1}, 0},        /* flush */
        {CYLINDER, BOX, {1, 0, 0}, 0},        /* its side on a face */
        {SPHERE, BOX, {1, 0, 0}, 0},          /* on a face */
        {SPHERE, BOX, {1, .5, 0}, 0},         /* over an edge */
        {ROUNDED, BOX, {1.15, 0, 0}, 0},      /* flush */
        {ROUNDED, ROUNDED, {1.3, .2, 0}, 0},  /* flush */
        {ROUNDED, SPHERE, {1.15, .5, 0}, 0},  /* over an edge */
        {ROUNDED, CAPSULE, {1.15, 0, .2}, 0}, /* along a face */
    };
    made A, B;
    solid a = {.is = of[_i].a, .size = {.5, 1, 1}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, b = a;
    b.is = of[_i].b;
    a.size[0] = a.is == ROUNDED ? 1 : .5;
    b.size[0] = b.is == BOX || b.is == ROUNDED ? 1 : .5;
    peg_copy3(of[_i].x, a.x);
    make(&a, &A);
    make(&b, &B);
    peg_facet best = peg_separation(&A.view, &B.view, -INFINITY, NULL, NULL);
    ck_assert_double_eq_tol(best.s, of[_i].s, 1e-12);
    ck_assert_double_eq_tol(best.s, along(&a, &b, best.n), 1e-13);
    drop(&A);
    drop(&B);
}
END_TEST

/* A rim over an edge at a thin gap: the direction between them is told by what they extend along,
 * not by the difference of two points that are nearly one. */
START_TEST(thin_gaps)
{
    static const double gaps[] = {1e-3, 1e-6, 1e-9, 1e-12};
    cases_random r = {7 + (unsigned)_i};
    double gap = gaps[_i];
    for (int trial = 0; trial < 200; trial++) {
        solid a, b = {.is = TRIANGLE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        made A, B;
        some_solid(&r, CYLINDER, 0, &a);
        double turn = cases_uniform(&r, -3, 3), lean = cases_uniform(&r, .3, 1.2);
        double radial[3] = {cos(turn), sin(turn), 0}, rim[3], down[3], n[3], e[3], side[3];
        double along = cases_uniform(&r, -1, 1), third[3];
        for (int k = 0; k < 3; k++) {
            rim[k] = a.size[0] * radial[k] - (k == 2) * .5 * a.size[1];
            down[k] = cos(lean) * radial[k] - (k == 2) * sin(lean);
        }
        peg_rotate(a.R, rim, side);
        peg_add_scaled(a.x, 1, side, rim);
        peg_rotate(a.R, down, n);
        for (int k = 0; k < 3; k++) n[k] = -n[k];
        cases_direction(&r, e);
        peg_cross(n, e, side);
        peg_normalise(side);
        peg_cross(side, n, e);
        for (int k = 0; k < 3; k++) {
            double foot = rim[k] - gap * n[k];
            third[k] = foot - n[k] + along * side[k];
            b.corner[0][k] = foot - .3 * e[k];
            b.corner[1][k] = foot + .4 * e[k];
            b.corner[2][k] = third[k];
        }
        make(&a, &A);
        make(&b, &B);
        peg_facet best = peg_separation(&A.view, &B.view, -INFINITY, NULL, NULL);
        ck_assert_double_eq_tol(best.s, gap, 1e-9 * gap + 1e-14);
        drop(&A);
        drop(&B);
    }
}
END_TEST

/* --- edges near to rims --- */

/* Distance of a disc in the plane z = 0 about the origin. */
static double from_disc(const double *p, double radius)
{
    return hypot(p[2], fmax(hypot(p[0], p[1]) - radius, 0));
}

/* How far along a line, from x to y, it is nearest, by samples from beyond x to beyond y. */
static double sampled_nearest(const double *x, const double *y, double radius, double *step)
{
    enum { SAMPLES = 3000 };
    double best = 0, least = INFINITY;
    *step = 3. / SAMPLES;
    for (int i = 0; i <= SAMPLES; i++) {
        double t = -1 + i * *step, p[3];
        for (int k = 0; k < 3; k++) p[k] = (1 - t) * x[k] + t * y[k];
        double d = from_disc(p, radius);
        if (d < least) least = d, best = t;
    }
    return best;
}

START_TEST(edges_are_nearest_to_a_disc_between_their_ends)
{
    cases_random r = {23};
    double centre[3] = {0};
    int inside = 0, outside = 0;
    for (int n = 0; n < 300; n++) {
        peg_disc disc = {.centre = centre, .axis = {0, 0, 1}, .radius = cases_uniform(&r, 0, 1)};
        double x[3], y[3], step;
        for (int k = 0; k < 3; k++) {
            x[k] = cases_uniform(&r, -1.5, 1.5);
            y[k] = x[k] + cases_uniform(&r, -1, 1);
        }
        double t = sampled_nearest(x, y, disc.radius, &step);
        int says = peg_disc_is_between(&disc, x, y);
        if (t > step && t < 1 - step) {
            inside++;
            ck_assert_int_eq(says, 1);
        } else if (t < -step || t > 1 + step) {
            outside++;
            ck_assert_int_eq(says, 0);
        }
    }
    ck_assert_int_gt(inside, 50);
    ck_assert_int_gt(outside, 50);
    /* along a cap, anywhere */
    peg_disc disc = {.centre = centre, .axis = {0, 0, 1}, .radius = 1};
    ck_assert_int_eq(peg_disc_is_between(&disc, (double[3]){-.3, .1, .2}, (double[3]){.4, -.2, .2}),
                     1);
}
END_TEST

/* The least distance of a line through x and y from the disc, and where: of a convex function. */
static double searched_distance(const double *x, const double *y, double radius, double *where)
{
    double lo = -1e4, hi = 1e4, p[3];
    for (int step = 0; step < 200; step++) {
        double at[2] = {lo + (hi - lo) / 3, hi - (hi - lo) / 3}, d[2];
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++) p[k] = x[k] + at[i] * (y[k] - x[k]);
            d[i] = from_disc(p, radius);
        }
        if (d[0] > d[1])
            lo = at[0];
        else
            hi = at[1];
    }
    *where = .5 * (lo + hi);
    for (int k = 0; k < 3; k++) p[k] = x[k] + *where * (y[k] - x[k]);
    return from_disc(p, radius);
}

/* Lines of all slopes, from level to upright, that pierce the disc, pass over it, beside it, by its
 * axis and along its rim. */
START_TEST(lines_are_nearest_to_a_disc_where_a_search_finds_it)
{
    cases_random r = {29};
    double centre[3] = {0};
    int pierce = 0;
    for (int n = 0; n < 4000; n++) {
        double x[3], y[3], a[3], b[3], where, apart[3];
        double slope = pow(10, cases_uniform(&r, -14, 3)),
               close = pow(10, cases_uniform(&r, -14, 0));
        peg_disc disc = {.centre = centre, .axis = {0, 0, 1}, .radius = cases_uniform(&r, .1, 1)};
        double angle = cases_uniform(&r, 0, 7), beside = n % 3 ? cases_uniform(&r, -1.5, 1.5) : 0;
        if (n % 3 == 1) beside = disc.radius + (n % 2 ? close : -close);
        double d[3] = {cos(angle), sin(angle), slope};
        double off = cases_uniform(&r, -3, 3), height = cases_uniform(&r, -1, 1);
        for (int k = 0; k < 3; k++) {
            x[k] = (k == 0 ? -beside * d[1] : k == 1 ? beside * d[0] : height) + off * d[k];
            y[k] = x[k] + d[k];
        }
        double least = searched_distance(x, y, disc.radius, &where);
        double t = peg_disc_line(&disc, x, y, a, b);
        peg_sub(a, b, apart);
        double size = 1 + fabs(off) * (1 + slope);
        ck_assert_double_le(fabs(peg_norm(apart) - least), 1e-14 * size);
        ck_assert_double_le(from_disc(a, disc.radius), 1e-15);
        for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(b[k] - x[k] - t * d[k]), 1e-14 * size);
        pierce += least < 1e-12;
    }
    ck_assert_int_gt(pierce, 300);
    peg_disc disc = {.centre = centre, .axis = {0, 0, 1}, .radius = 1};
    double a[3], b[3],
        t = peg_disc_line(&disc, (double[3]){-1, .5, .2}, (double[3]){3, .5, .2}, a, b);
    ck_assert_double_eq_tol(t, .25, 1e-15); /* over the disc, level: nearest to its centre */
    ck_assert_double_eq_tol(b[2] - a[2], .2, 1e-15);
}
END_TEST

/* Distance of the point at an angle of a disc's rim, with axes u and v, from a disc about the
 * origin. */
static double from_rim(const double *centre, const double *u, const double *v, double rim,
                       double angle, double radius)
{
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = centre[k] + rim * (cos(angle) * u[k] + sin(angle) * v[k]);
    return from_disc(p, radius);
}

/* Two rims of all inclinations, from parallel to upright, apart, close to each other and linked. */
START_TEST(rims_are_nearest_where_a_search_finds_it)
{
    enum { PLACES = 720 };
    cases_random r = {31};
    double origin[3] = {0}, pi = acos(-1);
    int on_both = 0;
    for (int n = 0; n < 1000; n++) {
        double centre[3], a[3], b[3], apart[3], lean = pow(10, cases_uniform(&r, -6, .19));
        double radius = cases_uniform(&r, .1, 1), rim = cases_uniform(&r, .1, 1);
        double way = cases_uniform(&r, 0, 7), u[3] = {cos(way), sin(way), 0};
        double v[3] = {-sin(way) * cos(lean), cos(way) * cos(lean), sin(lean)};
        for (int k = 0; k < 3; k++) centre[k] = cases_uniform(&r, -1.5, 1.5);
        peg_disc first = {.centre = centre, .radius = rim};
        peg_disc second = {.centre = origin, .axis = {0, 0, 1}, .radius = radius};
        peg_cross(u, v, first.axis);
        peg_disc_disc(&first, &second, a, b);
        peg_sub(a, b, apart);
        double least = INFINITY, distance = peg_norm(apart);
        for (int i = 0; i < PLACES; i++)
            least = fmin(least, from_rim(centre, u, v, rim, 2 * pi * i / PLACES, radius));
        ck_assert_double_le(distance, least + .03 * rim);
        if (hypot(b[0], b[1]) < radius * (1 - 1e-9)) continue;
        on_both++;
        double from[3], at, lo, hi;
        peg_sub(a, centre, from);
        at = atan2(peg_dot(from, v), peg_dot(from, u));
        lo = at - .05, hi = at + .05;
        for (int step = 0; step < 100; step++) {
            double x = lo + (hi - lo) / 3, y = hi - (hi - lo) / 3;
            if (from_rim(centre, u, v, rim, x, radius) > from_rim(centre, u, v, rim, y, radius))
                lo = x;
            else
                hi = y;
        }
        ck_assert_double_eq_tol(peg_norm(from), rim, 1e-15);
        ck_assert_double_eq_tol(distance, from_rim(centre, u, v, rim, lo, radius), 1e-14);
    }
    ck_assert_int_gt(on_both, 300);
}
END_TEST

/* --- meshes --- */

static void count_triangle(void *context, int triangle)
{
    ((int *)context)[triangle]++;
}

/* The boxes find what a look at every triangle finds. */
START_TEST(boxes_of_a_mesh_miss_nothing)
{
    enum { N = 40, NV = N * N, NT = 2 * (N - 1) * (N - 1) };
    static double vertex[NV][3];
    static int triangle[NT][3], met[NT];
    cases_random r = {5};
    int nt = 0;
    for (int v = 0; v < NV; v++) {
        vertex[v][0] = v / N, vertex[v][1] = v % N;
        vertex[v][2] = cases_uniform(&r, 0, 2);
    }
    for (int i = 0; i + 1 < N; i++)
        for (int j = 0; j + 1 < N; j++) {
            int a = N * i + j, t[2][3] = {{a, a + N, a + 1}, {a + N, a + N + 1, a + 1}};
            memcpy(triangle[nt], t, sizeof t);
            nt += 2;
        }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])vertex, NV,
                                              (const int(*)[3])triangle, nt, 0, &mesh),
                     PEG_OK);
    ck_assert_int_eq(mesh->nt, nt);
    ck_assert_int_eq(mesh->nv - mesh->ne + mesh->nt, 1); /* Euler: a disc */
    for (int trial = 0; trial < 200; trial++) {
        peg_aabb box;
        for (int k = 0; k < 3; k++) {
            double at = cases_uniform(&r, -2, k == 2 ? 4 : N), size = cases_uniform(&r, 0, 3);
            box.lo[k] = at, box.hi[k] = at + size;
        }
        memset(met, 0, sizeof met);
        peg_aabb_tree_overlap(mesh, &box, count_triangle, met);
        for (int t = 0; t < nt; t++) {
            int inside = 1;
            for (int k = 0; k < 3; k++) {
                double lo = INFINITY, hi = -INFINITY;
                const int *corner = triangle[mesh->source[t]];
                for (int c = 0; c < 3; c++) {
                    lo = fmin(lo, vertex[corner[c]][k]);
                    hi = fmax(hi, vertex[corner[c]][k]);
                }
                inside &= lo <= box.hi[k] && hi >= box.lo[k];
            }
            ck_assert_int_ge(met[t], inside);
            ck_assert_int_le(met[t], 1);
        }
    }
    peg_triangle_mesh_free(mesh);
}
END_TEST

/* A cube whose faces are two triangles each: their diagonals are flat, its own edges are not. */
START_TEST(flat_edges_and_rubbish)
{
    static const double vertex[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const int triangle[13][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4},
                                        {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6},
                                        {1, 3, 5}, {3, 7, 5}, {0, 0, 1}};
    peg_triangle_mesh *mesh;
    int flat = 0;
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, 8, triangle, 13, 0, &mesh), PEG_OK);
    ck_assert_int_eq(mesh->nt, 12);
    ck_assert_int_eq(mesh->ne, 18);
    for (int e = 0; e < mesh->ne; e++) flat += mesh->edge_is_flat[e];
    ck_assert_int_eq(flat, 6);
    for (int v = 0; v < mesh->nv; v++) ck_assert(!mesh->vertex_is_flat[v]);
    peg_triangle_mesh_free(mesh);

    static const int beyond[1][3] = {{0, 1, 8}};
    double broken[3][3] = {{0}, {1, 0, 0}, {NAN, 1, 0}};
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, 8, beyond, 1, 0, &mesh), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, 8, triangle, 0, 0, &mesh),
                     PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, 8, triangle + 12, 1, 0, &mesh),
                     PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])broken, 3, triangle, 0, 0, &mesh),
                     PEG_ERROR_NOT_FINITE);
    ck_assert_ptr_null(mesh);
}
END_TEST

START_TEST(rubbish_makes_no_shape)
{
    peg_polytope *p;
    ck_assert_int_eq(peg_polytope_sphere(0, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_sphere(-1, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_sphere(NAN, &p), PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(peg_polytope_capsule(1, -1, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_capsule(1, INFINITY, &p), PEG_ERROR_NOT_FINITE);
    ck_assert_int_eq(peg_polytope_cylinder(1, 0, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_int_eq(peg_polytope_cylinder(0, 1, &p), PEG_ERROR_SHAPE_EMPTY);
    ck_assert_ptr_null(p);
}
END_TEST

TCase *dilated_tests(void)
{
    TCase *t = tcase_create("dilated parts and meshes");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, largest_separation, 0, KINDS * KINDS - 1);
    tcase_add_loop_test(t, degenerate_pairs, 0, 15);
    tcase_add_loop_test(t, thin_gaps, 0, 4);
    tcase_add_test(t, edges_are_nearest_to_a_disc_between_their_ends);
    tcase_add_test(t, lines_are_nearest_to_a_disc_where_a_search_finds_it);
    tcase_add_test(t, rims_are_nearest_where_a_search_finds_it);
    tcase_add_test(t, boxes_of_a_mesh_miss_nothing);
    tcase_add_test(t, flat_edges_and_rubbish);
    tcase_add_test(t, rubbish_makes_no_shape);
    return t;
}
