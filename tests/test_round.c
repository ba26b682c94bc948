/* Steps of round shapes, meshes and given contacts: closed forms, and what once went wrong. */
#include <check.h>

#include "tests/step_scene.h"
#include "tests/test_step.h"

static const double G = 9.81;

static peg_polytope *keep(pegStatus status)
{
    ck_assert_int_eq(status, PEG_OK);
    return S.shape[S.shapes++];
}

static void fall_and_advance(void)
{
    scene_fall(G);
    scene_step();
    scene_advance();
}

/* --- closed forms --- */

/* Down a slope: a = 5/7 g sin of it while friction holds. */
START_TEST(a_sphere_rolls)
{
    const double slope = .2, r = .5, m = 2;
    scene_begin(.01);
    scene_add_ground();
    S.surface.mu = .5;
    peg_body *b = scene_add_body(PEG_DYNAMIC, m, (double[]){1, 1, 1});
    for (int k = 0; k < 9; k += 4) b->inertia[k] = .4 * m * r * r;
    b->x[2] = r + 1e-5 * r;
    scene_add_part(0, keep(peg_polytope_sphere(r, &S.shape[S.shapes])), 0, 0, 0);
    for (int k = 0; k < 100; k++) {
        memcpy(b->v_free, b->v, sizeof b->v);
        b->v_free[0] += S.s.h * G * sin(slope);
        b->v_free[2] -= S.s.h * G * cos(slope);
        scene_step();
        scene_advance();
    }
    ck_assert_double_eq_tol(b->v[0], 5. / 7 * G * sin(slope), 1e-7);
    ck_assert_double_eq_tol(b->v[4] * r, b->v[0], 1e-7);
    ck_assert_double_eq_tol(b->x[2], r, 1.1e-5 * r);
    scene_end();
}
END_TEST

/* A sphere that hits a free one, both frictionless: momentum along the line of centres only. */
START_TEST(spheres_meet)
{
    scene_begin(.01);
    for (int i = 0; i < 2; i++) {
        peg_body *b = scene_add_body(PEG_DYNAMIC, 1 + i, (double[]){1, 1, 1});
        b->x[0] = 1.2 * i, b->x[1] = .3 * i;
        scene_add_part(i, keep(peg_polytope_sphere(.5, &S.shape[S.shapes])), 0, 0, 0);
    }
    scene_set_velocity(&S.body[0], 5, 0, 0);
    for (int k = 0; k < 20; k++) {
        scene_fall(0);
        scene_step();
        scene_advance();
    }
    const double *u = S.body[0].v, *v = S.body[1].v;
    ck_assert_double_gt(v[0], 1);
    ck_assert_double_eq_tol(u[0] + 2 * v[0], 5, 1e-12);
    ck_assert_double_eq_tol(u[1] + 2 * v[1], 0, 1e-12);
    for (int k = 3; k < 6; k++) ck_assert_double_eq_tol(fabs(u[k]) + fabs(v[k]), 0, 1e-12);
    scene_end();
}
END_TEST

/* --- cylinders --- */

/* Upright ones on each other, offset: caps that lie flat on each other touch at their rims. */
START_TEST(a_stack_of_cylinders_rests)
{
    const double offset[] = {0, .1, .3};
    scene_begin(.01);
    scene_add_ground();
    peg_polytope *shape = keep(peg_polytope_cylinder(.5, 1, &S.shape[S.shapes]));
    for (int i = 0; i < 3; i++) {
        peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){1, 1, 1});
        b->x[0] = i % 2 ? offset[_i] : 0;
        b->x[2] = .5 + i;
        scene_add_part(i, shape, 0, 0, 0);
    }
    for (int k = 0; k < 60; k++) {
        fall_and_advance();
        ck_assert_int_eq(S.stats.limited_islands, 0);
        ck_assert_double_ge(S.stats.min_separation, 0);
    }
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(S.body[i].x[2], .5 + i, 1e-4);
    scene_end();
}
END_TEST

/* What lies on a cap, and how far its middle is off that of the cap: a wedge, of which one edge is
 * over it, a plank and a cylinder. */
static const double wedge[6][3] = {{-.8, 0, -.1}, {-.8, 0, .1},  {.4, -.1, -.1},
                                   {.4, -.1, .1}, {.4, .1, -.1}, {.4, .1, .1}};
static const double off_cap[] = {.35, 0, 0};

static peg_polytope *laid_on_cap(int kind)
{
    if (kind == 0) return keep(peg_polytope_from_points(wedge, 6, &S.shape[S.shapes]));
    if (kind == 1) return keep(peg_polytope_box((double[]){2, .2, .2}, &S.shape[S.shapes]));
    return keep(peg_polytope_cylinder(.1, 2, &S.shape[S.shapes]));
}

/* The cap bears them where their edges cross its rim, at none of the points that are spread evenly
 * over that. */
START_TEST(a_cap_bears_what_its_rim_cuts)
{
    const double turn = PEG_PI / 16, c = cos(turn), s = sin(turn), lies = sqrt(.5);
    scene_begin(.01);
    S.surface.mu = .5;
    scene_add_part(-1, keep(peg_polytope_cylinder(.5, 1, &S.shape[S.shapes])), 0, 0, -.5);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){2, .2, .2});
    scene_add_part(0, laid_on_cap(_i), 0, 0, 0);
    double q[2][4] = {{c, 0, 0, s}, {c * lies, -s * lies, c * lies, s * lies}};
    memcpy(b->q, q[_i == 2], sizeof b->q);
    b->x[0] = off_cap[_i] * cos(2 * turn), b->x[1] = off_cap[_i] * sin(2 * turn);
    b->x[2] = .1 + 1e-5;
    for (int k = 0; k < 100; k++) {
        fall_and_advance();
        ck_assert_int_eq(S.stats.limited_bodies, 0);
        ck_assert_double_ge(scene_separation(1, 0), 0);
    }
    ck_assert_double_eq_tol(b->x[2], .1, 2e-5);
    for (int k = 0; k < 6; k++) ck_assert_double_le(fabs(b->v[k]), 1e-7);
    scene_end();
}
END_TEST

/* Over the seam of two flush boxes, frictionless: standing, nothing stops it. */
START_TEST(a_cylinder_slides_over_a_seam)
{
    scene_begin(.01);
    peg_polytope *tile = scene_box(4, 4, 1);
    scene_add_part(-1, tile, -2, 0, -.5);
    scene_add_part(-1, tile, 2, 0, -.5);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){.4, .4, .4});
    b->x[0] = -.5 + .001 * _i;
    b->x[2] = .2;
    scene_set_velocity(b, _i % 2 ? 1 : 3, 0, 0);
    double speed = b->v[0];
    scene_add_part(0, keep(peg_polytope_cylinder(.2, .4, &S.shape[S.shapes])), 0, 0, 0);
    for (int k = 0; k < 60; k++) fall_and_advance();
    ck_assert_double_eq_tol(b->v[0], speed, SOLVED);
    ck_assert_double_eq_tol(b->x[2], .2, 1e-4);
    scene_end();
}
END_TEST

/* --- meshes --- */

static const int two[2][3] = {{0, 1, 2}, {0, 2, 3}};

/* A square of two triangles. */
static peg_triangle_mesh *sheet(double half)
{
    const double vertex[4][3] = {
        {-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}};
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, 4, two, 2, 0, &mesh), PEG_OK);
    return mesh;
}

static void add_mesh(int body, const peg_triangle_mesh *mesh)
{
    scene_add_part(body, NULL, 0, 0, 0);
    S.part[S.s.np - 1].triangle_mesh = mesh;
}

/* Sheets have no inside in which they would be found. */
START_TEST(no_sheet_passes_through_a_sheet)
{
    cases_random r = {100 + (unsigned)_i};
    peg_triangle_mesh *ground = sheet(5), *thrown = sheet(cases_uniform(&r, .05, .5));
    scene_begin(_i % 2 ? .01 : .05);
    add_mesh(-1, ground);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){1, 1, .1});
    add_mesh(0, thrown);
    b->x[2] = cases_uniform(&r, .8, 2);
    double axis[3], angle = _i % 3 ? cases_uniform(&r, 0, 3) : cases_uniform(&r, 0, .01);
    cases_direction(&r, axis);
    b->q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) {
        b->q[1 + k] = sin(angle / 2) * axis[k];
        b->v[3 + k] = _i % 4 ? 0 : cases_uniform(&r, -60, 60);
    }
    b->v[2] = -cases_magnitude(&r, 1, 2.7);
    for (int k = 0; k < 60 && b->v[2] < 0; k++) {
        int below = 0;
        double R[9], x[3];
        scene_fall(0);
        scene_step();
        scene_advance();
        peg_quat_to_mat(b->q, R);
        for (int v = 0; v < 4; v++) {
            peg_rotate(R, thrown->vertex[v], x);
            below += b->x[2] + x[2] < 0;
        }
        ck_assert_int_eq(below, 0);
    }
    scene_end();
    peg_triangle_mesh_free(ground);
    peg_triangle_mesh_free(thrown);
}
END_TEST

/* One that slides across sinks through the other by little on the way: far less than it moves. */
START_TEST(no_sheet_slides_through_a_sheet)
{
    static const double sinks[] = {3e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1};
    static const double slides[] = {1.5, 2, 2.5, 3, 4};
    double sink = sinks[_i % 6], slide = slides[_i / 6];
    peg_triangle_mesh *ground = sheet(1), *other = sheet(1);
    scene_begin(.01);
    add_mesh(-1, ground);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){1, 1, .1});
    add_mesh(0, other);
    b->x[0] = -slide, b->x[1] = .1, b->x[2] = sink;
    scene_set_velocity(b, 2 * slide / S.s.h, 0, -2 * sink / S.s.h);
    scene_fall(0);
    scene_step();
    scene_advance();
    ck_assert_double_gt(b->x[2], 0);
    scene_end();
    peg_triangle_mesh_free(ground);
    peg_triangle_mesh_free(other);
}
END_TEST

/* Double-sided and repeated triangles are the sheet that they show; a body slides over it. */
START_TEST(a_mesh_of_repeated_triangles_is_flat)
{
    enum { N = 12, NV = (N + 1) * (N + 1) };
    static double vertex[NV][3];
    static int triangle[4 * N * N][3];
    int nt = 0;
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++) {
            vertex[(N + 1) * i + j][0] = .25 * (i - N / 2);
            vertex[(N + 1) * i + j][1] = .25 * (j - N / 2);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int a = (N + 1) * i + j, b = a + N + 1;
            const int four[4][3] = {
                {a, b, a + 1}, {b, b + 1, a + 1}, {a, a + 1, b}, {b + 1, b, a + 1}};
            memcpy(triangle[nt], four, sizeof four);
            nt += 4;
        }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])vertex, NV,
                                              (const int(*)[3])triangle, nt, 0, &mesh),
                     PEG_OK);
    ck_assert_int_eq(mesh->nt, nt / 2);
    scene_begin(.01);
    add_mesh(-1, mesh);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){.4, .4, .4});
    b->x[0] = -1, b->x[1] = .07, b->x[2] = .2;
    scene_set_velocity(b, 3, .2, 0);
    scene_add_part(0, keep(peg_polytope_cylinder(.2, .4, &S.shape[S.shapes])), 0, 0, 0);
    for (int k = 0; k < 60; k++) fall_and_advance();
    ck_assert_double_eq_tol(b->v[0], 3, SOLVED);
    ck_assert_double_eq_tol(b->v[1], .2, SOLVED);
    scene_end();
    peg_triangle_mesh_free(mesh);
}
END_TEST

/* --- external contacts --- */

/* Of an opaque ground with what is convex, a mesh, or opaque itself: it carries. */
START_TEST(given_contacts_carry)
{
    peg_triangle_mesh *mesh = sheet(1);
    const peg_external given[4] = {{1, 0, {-1, -1, 0}, {0, 0, 1}, -.01},
                                   {1, 0, {1, -1, 0}, {0, 0, 1}, -.01},
                                   {1, 0, {1, 1, 0}, {0, 0, 1}, -.01},
                                   {1, 0, {-1, 1, 0}, {0, 0, 1}, -.01}};
    scene_begin(.01);
    scene_add_part(-1, NULL, 0, 0, 0);
    S.part[0].opaque = 1;
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){2, 2, 1});
    if (_i == 0) scene_add_part(0, scene_box(2, 2, 1), 0, 0, 0);
    if (_i == 1) add_mesh(0, mesh);
    if (_i == 2) scene_add_part(0, NULL, 0, 0, 0);
    S.part[1].opaque = _i == 2;
    S.s.external = given, S.s.nexternal = 4;
    fall_and_advance();
    ck_assert_int_eq(S.stats.unconverged, 0);
    ck_assert_double_gt(b->x[2], 1e-4); /* the overlap opens */
    ck_assert_double_lt(fabs(b->v[2]), 1e-6);
    const peg_contact *contact;
    ck_assert_int_gt(peg_contacts(S.context, &contact), 0);
    ck_assert_double_ge(scene_total_impulse(), G * S.s.h - 1e-9); /* and what opens the overlap */
    scene_end();
    peg_triangle_mesh_free(mesh);
}
END_TEST

/* A cube of side 1 whose walls come first or last among its triangles. */
static peg_triangle_mesh *cube(int first)
{
    static const int corner[6][4] = {{0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7},
                                     {2, 0, 4, 6}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    double vertex[8][3];
    int triangle[12][3];
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++) vertex[v][k] = (v >> k & 1) - .5;
    for (int i = 0; i < 12; i++) {
        const int *side = corner[(i / 2 + first) % 6];
        for (int k = 0; k < 3; k++) triangle[i][k] = side[two[i % 2][k]];
    }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])vertex, 8,
                                              (const int(*)[3])triangle, 12, 0, &mesh),
                     PEG_OK);
    return mesh;
}

/* A box, a cylinder or a mesh on a cube, flush with its walls or across them. */
START_TEST(walls_that_are_flush_let_nothing_pass)
{
    static const double width[] = {.5, 1, 2}, place[] = {0, .25, .5};
    int first = _i % 6, kind = _i / 6 % 3, wide = _i / 18 % 3, at = _i / 54;
    peg_triangle_mesh *ground = cube(first), *fallen = cube((first + 3) % 6);
    scene_begin(.01);
    add_mesh(-1, ground);
    peg_body *b = scene_add_body(PEG_DYNAMIC, 1, (double[]){.4, .4, .4});
    b->x[0] = kind == 0 ? .5 * (1 - width[wide]) * (at > 0) : .3 * place[at];
    b->x[1] = kind == 0 && wide < 2 ? 0 : -.3 * place[wide];
    b->x[2] = 1.001;
    if (kind == 0) scene_add_part(0, scene_box(width[wide], wide ? 1 : 3, 1), 0, 0, 0);
    if (kind == 1)
        scene_add_part(0, keep(peg_polytope_cylinder(.5, 1, &S.shape[S.shapes])), 0, 0, 0);
    if (kind == 2) add_mesh(0, fallen);
    for (int k = 0; k < 40; k++) {
        fall_and_advance();
        ck_assert_double_ge(b->x[2], 1 - 1e-9);
    }
    ck_assert_double_lt(b->x[2], 1 + 1e-3);
    scene_end();
    peg_triangle_mesh_free(ground);
    peg_triangle_mesh_free(fallen);
}
END_TEST

TCase *round_case(void)
{
    TCase *t = tcase_create("round shapes, meshes, given contacts");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_sphere_rolls);
    tcase_add_test(t, spheres_meet);
    tcase_add_loop_test(t, a_stack_of_cylinders_rests, 0, 3);
    tcase_add_loop_test(t, a_cap_bears_what_its_rim_cuts, 0, 3);
    tcase_add_loop_test(t, a_cylinder_slides_over_a_seam, 0, 12);
    tcase_add_loop_test(t, no_sheet_slides_through_a_sheet, 0, 30);
    tcase_add_loop_test(t, no_sheet_passes_through_a_sheet, 0, 60);
    tcase_add_test(t, a_mesh_of_repeated_triangles_is_flat);
    tcase_add_loop_test(t, given_contacts_carry, 0, 3);
    tcase_add_loop_test(t, walls_that_are_flush_let_nothing_pass, 0, 162);
    return t;
}
