/* Which side of a closed mesh is out, and that contact from within it holds nothing back. */
#include "peg/shape/mesh_orientation.h"
#include "peg/peg.h"
#include "tests/geometry_cases.h"
#include "tests/runner.h"

enum { MOST = 5, VERTICES = 2 * MOST, TRIANGLES = 4 * MOST - 4 };

static const double UPRIGHT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A prism over an outline in the plane x, y (counter-clockwise), from z = -deep to deep. */
typedef struct prism {
    peg_vec3 vertex[VERTICES];
    int triangle[TRIANGLES][3], nv, nt;
} prism;

static prism make_prism(int corners, const double outline[][2], double deep)
{
    prism p = {.nv = 2 * corners};
    for (int i = 0; i < p.nv; i++) {
        memcpy(p.vertex[i], outline[i % corners], 2 * sizeof(double));
        p.vertex[i][2] = i < corners ? -deep : deep;
    }
    for (int i = 0; i < corners; i++) {
        int next = (i + 1) % corners;
        memcpy(p.triangle[p.nt++], (int[]){i, next, next + corners}, sizeof *p.triangle);
        memcpy(p.triangle[p.nt++], (int[]){i, next + corners, i + corners}, sizeof *p.triangle);
    }
    for (int i = 1; i + 1 < corners; i++) {
        memcpy(p.triangle[p.nt++], (int[]){0, i + 1, i}, sizeof *p.triangle);
        memcpy(p.triangle[p.nt++], (int[]){corners, corners + i, corners + i + 1},
               sizeof *p.triangle);
    }
    return p;
}

static prism make_box(double x, double y, double z)
{
    return make_prism(4, (const double[][2]){{-x, -y}, {x, -y}, {x, y}, {-x, y}}, z);
}

static void turn_round(prism *p, int triangle)
{
    int swap = p->triangle[triangle][1];
    p->triangle[triangle][1] = p->triangle[triangle][2];
    p->triangle[triangle][2] = swap;
}

static peg_triangle_mesh *mesh_of(const peg_vec3 *vertex, int nv, const int (*triangle)[3], int nt)
{
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create(vertex, nv, triangle, nt, 0, &mesh), PEG_OK);
    return mesh;
}

static peg_triangle_mesh *mesh_of_prism(const prism *p, int nt)
{
    return mesh_of((const peg_vec3 *)p->vertex, p->nv, (const int(*)[3])p->triangle, nt);
}

/* Triangles of a box, and its vertices. */
enum { BOX = 12, BOX_CORNERS = 8 };

/* Of a box all vertices and edges that are not in a face look out from its middle. */
static void check_out(const peg_triangle_mesh *m)
{
    for (int v = 0; v < m->nv; v++) ck_assert_double_gt(peg_dot(m->vertex_out[v], m->vertex[v]), 0);
    for (int e = 0; e < m->ne; e++)
        ck_assert_double_gt(peg_dot(m->edge_out[e], m->vertex[m->edge[e][0]]), 0);
}

START_TEST(closed_meshes_of_one_turn_have_an_outside)
{
    prism box = make_box(1, 2, 3);
    peg_triangle_mesh *m = mesh_of_prism(&box, BOX);
    ck_assert_int_eq(m->sense, 1);
    check_out(m);
    peg_triangle_mesh_free(m);

    m = mesh_of_prism(&box, BOX - 1);
    ck_assert(m->is_whole && m->sense == 0);
    peg_triangle_mesh_free(m);

    turn_round(&box, 5);
    m = mesh_of_prism(&box, BOX);
    ck_assert(m->is_whole && m->sense == 0);
    peg_triangle_mesh_free(m);

    for (int t = 0; t < BOX; t++)
        if (t != 5) turn_round(&box, t);
    m = mesh_of_prism(&box, BOX);
    ck_assert_int_eq(m->sense, -1);
    check_out(m);
    peg_triangle_mesh_free(m);
}
END_TEST

START_TEST(meshes_of_two_pieces_have_no_outside)
{
    prism box = make_box(1, 1, 1);
    peg_vec3 vertex[2 * BOX_CORNERS];
    int triangle[2 * BOX][3];
    for (int i = 0; i < 2 * BOX_CORNERS; i++) {
        peg_copy3(box.vertex[i % BOX_CORNERS], vertex[i]);
        vertex[i][0] += i < BOX_CORNERS ? 0 : 3;
    }
    for (int t = 0; t < 2 * BOX; t++)
        for (int k = 0; k < 3; k++)
            triangle[t][k] = box.triangle[t % BOX][k] + (t < BOX ? 0 : BOX_CORNERS);
    peg_triangle_mesh *m =
        mesh_of((const peg_vec3 *)vertex, 2 * BOX_CORNERS, (const int(*)[3])triangle, 2 * BOX);
    ck_assert(!m->is_whole && m->sense == 0);
    peg_triangle_mesh_free(m);
}
END_TEST

/* A small box at random places about a large one, and with its corners on the planes of edges. */
START_TEST(outside_is_where_no_corner_is_inside)
{
    prism large = make_box(1, 1, 1), small = make_box(.1, .1, .1);
    peg_triangle_mesh *m = mesh_of_prism(&large, BOX), *other = mesh_of_prism(&small, BOX),
                      *open = mesh_of_prism(&small, 10);
    cases_random r = {3};
    int counts[2] = {0};
    for (int i = 0; i < 2000; i++) {
        double x[3], most = 0;
        for (int k = 0; k < 3; k++) {
            x[k] = cases_uniform(&r, -2, 2);
            if (i % 2) x[k] = .1 + round(5 * x[k]) / 5;
            most = fmax(most, fabs(x[k]));
        }
        if (most > .8 && most < 1.2) continue;
        int out = most > 1;
        ck_assert_int_eq(peg_mesh_is_outside(m, other, x, UPRIGHT), out);
        ck_assert_int_eq(peg_mesh_is_outside(m, open, x, UPRIGHT), out);
        ck_assert(!peg_mesh_is_outside(open, m, x, UPRIGHT));
        counts[out]++;
    }
    ck_assert_int_gt(counts[0], 50);
    ck_assert_int_gt(counts[1], 500);
    peg_triangle_mesh_free(m);
    peg_triangle_mesh_free(other);
    peg_triangle_mesh_free(open);
}
END_TEST

/* --- steps --- */

typedef struct scene {
    peg_scene s;
    peg_body body[3]; /* the second one moves; the third one, if there, as it is told */
    peg_part part[3];
    peg_triangle_mesh *mesh[3];
    peg_context *context;
    pegStats stats;
} scene;

static scene *new_scene(int bodies, const prism *of)
{
    static const peg_body_kind kind[] = {PEG_STATIC, PEG_DYNAMIC, PEG_KINEMATIC};
    scene *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->s = (peg_scene){.body = c->body, .part = c->part, .nb = bodies, .np = bodies, .h = .01};
    for (int i = 0; i < bodies; i++) {
        c->mesh[i] = mesh_of_prism(&of[i], of[i].nt);
        c->body[i] =
            (peg_body){.kind = kind[i], .q = {1}, .mass = 1, .max_angular_speed = INFINITY};
        c->part[i] = (peg_part){.triangle_mesh = c->mesh[i], .body = i, .id = (unsigned)i + 1};
        memcpy(c->part[i].rotation, UPRIGHT, sizeof UPRIGHT);
        for (int k = 0; k < 9; k += 4) c->body[i].inertia[k] = .1;
    }
    ck_assert_int_eq(peg_context_create(NULL, &c->context), PEG_OK);
    return c;
}

static void free_scene(scene *c)
{
    peg_context_destroy(c->context);
    for (int i = 0; i < c->s.nb; i++) peg_triangle_mesh_free(c->mesh[i]);
    free(c);
}

static void step(scene *c)
{
    for (int i = 0; i < c->s.nb; i++) memcpy(c->body[i].v_free, c->body[i].v, sizeof(peg_vec6));
    ck_assert_int_eq(peg_step(c->context, &c->s, &c->stats), PEG_OK);
    ck_assert_int_eq(c->stats.unconverged + c->stats.infeasible_islands + c->stats.limited_bodies,
                     0);
    ck_assert_int_eq(c->stats.fallback_elastic, 0);
}

/* A piston whose lower side is a groove across the middle, `below` under the origin there. Its
 * wall, at x = -gap there, leans away from the bore. */
static prism make_piston(double below, double gap, double lean)
{
    const double deep = .1, tall = .5, half = .5, thick = .5;
    prism p = make_prism(MOST,
                         (const double[MOST][2]){{0, -below},
                                                 {half, -below - deep},
                                                 {half, tall},
                                                 {-half, tall},
                                                 {-half, -below - deep}},
                         1);
    for (int i = 0; i < p.nv; i++) {
        double *at = p.vertex[i], z = at[0];
        at[0] = -gap - lean * at[1] - (at[2] < 0 ? thick : 0);
        at[2] = z;
    }
    return p;
}

/* It stands out of its bore by 2.4 mm, leans by up to a third of a degree, and is pushed in by ten
 * times as much. Its wall slides on the bore's rim, which leads it off; its lower rim lies a little
 * beyond the plane of the bore's wall. The groove looks away from the bore's rim: seen from within
 * it is a ridge, but nothing touches that, where the rim and what pushes would contradict each
 * other. Each mesh either way round. */
START_TEST(the_inside_of_a_face_touches_nothing)
{
    static const double leans[] = {1e-5, 1e-3, 2e-3, 4e-3, 6e-3};
    double speed = 2.7;
    prism of[3] = {make_prism(4, (const double[][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1),
                   make_piston(2.4e-3, 1e-6, leans[_i % 5]), make_box(.4, .1, .6)};
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < of[k].nt; t++)
            if (_i / 5 >> k & 1) turn_round(&of[k], t);
    scene *c = new_scene(3, of);
    c->body[2].x[0] = -.45, c->body[2].x[1] = -.2 - 2.5e-3;
    c->body[1].v[1] = c->body[2].v[1] = speed;
    step(c);
    const double *v = c->body[1].v_end;
    ck_assert_msg(v[1] > .999 * speed, "of %g m/s %g are left", speed, v[1]);
    ck_assert_double_le(peg_norm(v), speed);
    free_scene(c);
}
END_TEST

/* What is in a closed mesh stays there. */
START_TEST(what_is_inside_stays_inside)
{
    prism large = make_box(1, 1, 1), small = make_box(.1, .1, .1);
    scene *c = new_scene(2, (const prism[2]){large, small});
    cases_random r = {(unsigned long)_i + 1};
    double n[3];
    cases_direction(&r, n);
    for (int k = 0; k < 3; k++) c->body[1].v[k] = (_i % 2 ? 20 : 200) * n[k];
    for (int i = 0; i < 20; i++) {
        peg_body *b = &c->body[1];
        step(c);
        for (int k = 0; k < 3; k++) {
            b->x[k] += c->s.h * b->v_pose[k];
            ck_assert_double_le(fabs(b->x[k]), .9);
            b->v[k] = b->v_end[k] + .3 * n[(k + 1) % 3];
        }
    }
    free_scene(c);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mesh-orientation");
    TCase *tests = tcase_create("mesh-orientation");
    tcase_add_test(tests, closed_meshes_of_one_turn_have_an_outside);
    tcase_add_test(tests, meshes_of_two_pieces_have_no_outside);
    tcase_add_test(tests, outside_is_where_no_corner_is_inside);
    tcase_add_loop_test(tests, the_inside_of_a_face_touches_nothing, 0, 20);
    tcase_add_loop_test(tests, what_is_inside_stays_inside, 0, 6);
    suite_add_tcase(suite, tests);
    return suite;
}
