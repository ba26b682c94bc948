/* Triangles that a mesh is said to be touched at, against all of its triangles, at random poses
 * that a part may get to. */
#include <check.h>
#include <stdlib.h>

#include "peg/base/tolerance.h"
#include "peg/collide/mesh_cull.h"
#include "peg/collide/mesh_mesh.h"
#include "peg/collide/separation.h"
#include "tests/geometry_cases.h"
#include "tests/test_geometry.h"

enum { SPHERE, CAPSULE, CYLINDER, HULL, KINDS };

enum { SIDE = 11, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* Rough, smooth or flat ground of cells of 1 m x 1 m, its triangles any way round. */
static peg_triangle_mesh *ground(cases_random *r, double rough)
{
    double point[POINTS][3], slope[2] = {cases_uniform(r, -.3, .3), cases_uniform(r, -.3, .3)};
    double bend = rough > 0 ? cases_uniform(r, -.1, .1) : 0;
    int triangle[TRIANGLES][3], n = 0;
    for (int i = 0; i < POINTS; i++) {
        double *p = point[i], even = rough == 0;
        p[0] = i % SIDE - .5 * (SIDE - 1), p[1] = i / SIDE - .5 * (SIDE - 1);
        p[2] = even ? 0 : slope[0] * p[0] + slope[1] * p[1];
        p[2] += bend * (p[0] * p[0] - p[1] * p[1]) + rough * cases_uniform(r, -1, 1);
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        int corner[4] = {i, i + 1, i + 1 + SIDE, i + SIDE}, turn = cases_below(r, 2);
        for (int k = 0; k < 2; k++, n++) {
            triangle[n][0] = corner[turn];
            triangle[n][1] = corner[(turn + 1 + k) % 4];
            triangle[n][2] = corner[(turn + 2 + k) % 4];
        }
    }
    peg_triangle_mesh *mesh;
    ck_assert_int_eq(peg_triangle_mesh_create((const double(*)[3])point, POINTS,
                                              (const int(*)[3])triangle, n, 0, &mesh),
                     PEG_OK);
    return mesh;
}

/* Smaller than the ground. */
static peg_polytope *solid(cases_random *r, int kind)
{
    peg_polytope *p = NULL;
    double radius = cases_magnitude(r, -.7, .5), length = cases_magnitude(r, -.7, .7),
           points[14][3];
    if (kind == SPHERE) ck_assert_int_eq(peg_polytope_sphere(radius, &p), PEG_OK);
    if (kind == CAPSULE) ck_assert_int_eq(peg_polytope_capsule(radius, length, &p), PEG_OK);
    if (kind == CYLINDER) ck_assert_int_eq(peg_polytope_cylinder(radius, length, &p), PEG_OK);
    while (kind == HULL && !p) {
        int n = cases_shape(r, points);
        if (peg_polytope_from_points((const double(*)[3])points, n, &p) != PEG_OK) p = NULL;
        if (!p || p->radius < 4) continue;
        peg_polytope_free(p);
        p = NULL;
    }
    return p;
}

typedef struct world {
    const peg_triangle_mesh *mesh;
    double round;
    peg_view triangle[TRIANGLES];
    peg_polytope shape[TRIANGLES];
} world;

static void make_world(const peg_triangle_mesh *mesh, double round, world *w)
{
    static int start[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
    static int next_start[4] = {0, 2, 4, 6}, next[6] = {1, 2, 2, 0, 0, 1};
    static peg_edge edge[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    w->mesh = mesh, w->round = round;
    for (int t = 0; t < mesh->nt; t++) {
        w->shape[t] = (peg_polytope){.kind = PEG_SHAPE_TRIANGLE,
                                     .nv = 3,
                                     .nf = 2,
                                     .ne = 3,
                                     .radius = 2 + round,
                                     .mesh = mesh};
        w->shape[t].round = w->shape[t].inner = round;
        w->shape[t].triangle = t;
        w->shape[t].face_start = start, w->shape[t].face_vertex = corner, w->shape[t].edge = edge;
        w->shape[t].next_start = next_start, w->shape[t].next = next;
        w->triangle[t] = cases_view(&w->shape[t]);
        peg_view *v = &w->triangle[t];
        peg_vec3 a, b;
        for (int k = 0; k < 3; k++) {
            peg_copy3(mesh->vertex[mesh->triangle[t][k]], v->vertex[k]);
            for (int i = 0; i < 3; i++) v->centre[i] += v->vertex[k][i] / 3;
        }
        peg_sub(v->vertex[1], v->vertex[0], a);
        peg_sub(v->vertex[2], v->vertex[0], b);
        peg_cross(a, b, v->normal[0]);
        peg_normalise(v->normal[0]);
        for (int k = 0; k < 3; k++) v->normal[1][k] = -v->normal[0][k];
        v->offset[0] = peg_dot(v->normal[0], v->vertex[0]);
        v->offset[1] = -v->offset[0];
    }
}

static void drop_world(world *w)
{
    for (int t = 0; t < w->mesh->nt; t++) cases_view_free(&w->triangle[t]);
}

/* The least separation over the triangles, all or only those that are needed. */
static double least(const world *w, const peg_view *part, const unsigned char *needed)
{
    double s = INFINITY;
    for (int t = 0; t < w->mesh->nt; t++) {
        double apart[3];
        peg_sub(w->triangle[t].centre, part->centre, apart);
        if ((needed && !needed[t]) || peg_norm(apart) > part->shape->radius + 3 + w->round)
            continue;
        s = fmin(s, peg_separation(part, &w->triangle[t], INFINITY, NULL, NULL).s);
    }
    return s;
}

/* Another pose none of whose points is farther from x, R than `way`. */
static void move(cases_random *r, const peg_polytope *p, double way, const double x[3],
                 const double R[9], double x1[3], double R1[9])
{
    double axis[3], d[3], turn[9], q[4], share = cases_uniform(r, 0, 1);
    if (cases_below(r, 3) == 0) share = 0;
    double angle = fmin(share * way / p->radius, 1);
    cases_direction(r, axis);
    cases_direction(r, d);
    q[0] = cos(.5 * angle);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(.5 * angle) * axis[k];
    peg_quat_to_mat(q, turn);
    peg_mat_mul(turn, R, R1);
    /* about the centre of the shape */
    double c0[3], c1[3];
    peg_rotate(R, p->centre, c0);
    peg_rotate(R1, p->centre, c1);
    for (int k = 0; k < 3; k++)
        x1[k] = x[k] + c0[k] - c1[k] + (1 - share) * way * cases_uniform(r, .5, 1) * d[k];
}

/* Part over ground: lies nearly in place, so that many features are near. */
static void lay(cases_random *r, const world *w, peg_view *part, double gap, double x[3],
                double R[9])
{
    static const double up[3] = {0, 0, 1};
    double from[3] = {0, 0, 1};
    int flat = cases_below(r, 2);
    cases_rotation(r, R);
    if (flat && part->shape->nf) {
        for (int k = 0; k < 3; k++) from[k] = -part->shape->normal[0][k];
        cases_rotation_between(r, from, up, R);
    } else if (flat) {
        cases_rotation_between(r, (const double[3]){1, 0, 0}, up, R);
    }
    x[0] = cases_uniform(r, -1.5, 1.5), x[1] = cases_uniform(r, -1.5, 1.5);
    double low = -5, high = 12;
    for (int i = 0; i < 40; i++) {
        x[2] = .5 * (low + high);
        peg_view_set(part, x, R);
        if (x[2] < 3 + part->shape->radius + w->round && least(w, part, NULL) < gap)
            low = x[2];
        else
            high = x[2];
    }
    x[2] = high;
    peg_view_set(part, x, R);
}

static int count(const unsigned char *needed, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += needed[i];
    return sum;
}

/* How a triangle counts: 1, or 2 if it has been met. */
static void take_need(void *needs, int triangle, int deep)
{
    unsigned char *need = needs;
    if (need[triangle] != 1) need[triangle] = deep ? 2 : 1;
}

typedef struct asker {
    const peg_mesh_cull *cover;
    unsigned char *needed;
} asker;

static void ask(void *context, int triangle)
{
    const asker *a = context;
    peg_mesh_cull_needs(a->cover, triangle, take_need, a->needed);
}

static void find_needed(const peg_mesh_cull *cover, unsigned char *needed)
{
    peg_region region;
    peg_mesh_cull_region(cover, &region);
    peg_aabb_tree_search(cover->mesh, &region, ask, &(asker){cover, needed});
}

typedef struct tally {
    int near, needed, met;
} tally;

/* A part that is apart from the ground, and what it meets at poses within `way` of being shifted.
 */
static void try_part(cases_random *r, const world *w, const peg_polytope *p, tally *sum)
{
    static const double origin[3] = {0}, straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    unsigned char needed[TRIANGLES] = {0};
    peg_arena arena = {0};
    peg_view part = cases_view(p), moved = cases_view(p);
    double way = p->inner * cases_magnitude(r, -3, -.5), shift[3], x[3], R[9], x1[3], R1[9];
    peg_mesh_cull cover;
    lay(r, w, &part, cases_uniform(r, 0, 1) * way, x, R);
    cases_direction(r, shift);
    for (int k = 0; k < 3; k++) shift[k] *= cases_uniform(r, 0, way), x[k] += shift[k];
    double turn = way / p->radius;
    ck_assert(peg_mesh_cull_begin(&arena, &(peg_placed_mesh){w->mesh, w->round, origin, straight},
                                  &part, shift, way, turn, PEG_SLOPE_TOLERANCE, &cover));
    find_needed(&cover, needed);
    for (int t = 0; t < w->mesh->nt; t++) {
        double s = peg_separation(&part, &w->triangle[t], INFINITY, NULL, NULL).s;
        if (needed[t] == 2) needed[t] = s < 0;
        sum->near += s < cover.reach;
    }
    sum->needed += count(needed, w->mesh->nt);
    for (int k = 0; k < 12; k++) {
        move(r, p, way, x, R, x1, R1);
        peg_view_set(&moved, x1, R1);
        double s = least(w, &moved, NULL), of_needed = least(w, &moved, needed);
        sum->met += s < 0;
        if (s < -1e-12 * p->size) ck_assert_double_lt(of_needed, 0);
        if (s > 0 && s < cover.reach - way && p->round + w->round > 0)
            ck_assert_double_lt(of_needed - s, 1e-12 * p->size);
    }
    cases_view_free(&part);
    cases_view_free(&moved);
    peg_arena_free(&arena);
}

START_TEST(what_is_left_out_is_kept_apart_by_the_rest)
{
    static world w;
    cases_random r = {1000 + (unsigned)_i};
    tally sum = {0};
    for (int round = 0; round < 12; round++) {
        double rough = round % 3 == 0 ? 0 : cases_magnitude(&r, -2.5, -.3);
        peg_triangle_mesh *mesh = ground(&r, rough);
        make_world(mesh, _i < 3 * KINDS ? 0 : cases_magnitude(&r, -2, 0), &w);
        for (int i = 0; i < 4; i++) {
            peg_polytope *p = solid(&r, _i % KINDS);
            try_part(&r, &w, p, &sum);
            peg_polytope_free(p);
        }
        drop_world(&w);
        peg_triangle_mesh_free(mesh);
    }
    ck_assert_int_gt(sum.met, 5);
    if (_i % KINDS == SPHERE) ck_assert_int_lt(sum.needed, sum.near);
}
END_TEST

/* Parts that are in the ground from the start. */
START_TEST(what_has_been_met_is_needed)
{
    static const double origin[3] = {0}, straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static world w;
    cases_random r = {2000 + (unsigned)_i};
    peg_triangle_mesh *mesh = ground(&r, cases_uniform(&r, 0, .3));
    int met = 0;
    make_world(mesh, _i % 2 ? .1 : 0, &w);
    for (int i = 0; i < 10; i++) {
        peg_polytope *p = solid(&r, CYLINDER + i % 2);
        peg_view part = cases_view(p);
        peg_arena arena = {0};
        double x[3], R[9], way = 1e-3 * p->inner;
        unsigned char needed[TRIANGLES] = {0};
        peg_mesh_cull cover;
        cases_rotation(&r, R);
        for (int k = 0; k < 3; k++) x[k] = cases_uniform(&r, -1, 1);
        peg_view_set(&part, x, R);
        ck_assert(peg_mesh_cull_begin(&arena, &(peg_placed_mesh){mesh, w.round, origin, straight},
                                      &part, origin, way, 0, PEG_SLOPE_TOLERANCE, &cover));
        find_needed(&cover, needed);
        for (int t = 0; t < mesh->nt; t++) {
            double s = peg_separation(&part, &w.triangle[t], INFINITY, NULL, NULL).s;
            if (s > -1e-5 * p->size) continue;
            ck_assert_int_ne(needed[t], 0);
            met++;
        }
        cases_view_free(&part);
        peg_arena_free(&arena);
        peg_polytope_free(p);
    }
    ck_assert_int_gt(met, 50);
    drop_world(&w);
    peg_triangle_mesh_free(mesh);
}
END_TEST

static void mark(void *context, const peg_near_triangle *of, int triangle)
{
    unsigned char(*near)[TRIANGLES] = context;
    near[of->triangle][triangle]++;
}

/* Takes a view to y = R x + at. */
static void carry(peg_view *view, const double R[9], const double at[3])
{
    for (int v = 0; v < 3; v++) {
        peg_rotate(R, view->vertex[v], view->vertex[v]);
        peg_add_scaled(view->vertex[v], 1, at, view->vertex[v]);
    }
    peg_rotate(R, view->centre, view->centre);
    peg_add_scaled(view->centre, 1, at, view->centre);
    for (int f = 0; f < 2; f++) {
        peg_rotate(R, view->normal[f], view->normal[f]);
        view->offset[f] = peg_dot(view->normal[f], view->vertex[0]);
    }
}

/* The least distance between some points of two triangles. */
static double sampled_distance(const peg_view *a, const peg_view *b)
{
    enum { PARTS = 3, SAMPLES = (PARTS + 1) * (PARTS + 2) / 2 };
    double point[2][SAMPLES][3], least = INFINITY;
    for (int side = 0; side < 2; side++) {
        peg_vec3 *corner = side ? b->vertex : a->vertex;
        for (int i = 0, n = 0; i <= PARTS; i++)
            for (int j = 0; i + j <= PARTS; j++, n++)
                for (int k = 0; k < 3; k++)
                    point[side][n][k] =
                        (i * corner[0][k] + j * corner[1][k] + (PARTS - i - j) * corner[2][k]) /
                        PARTS;
    }
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < SAMPLES; j++) {
            double d[3];
            peg_sub(point[0][i], point[1][j], d);
            least = fmin(least, peg_norm(d));
        }
    return least;
}

/* Two meshes across each other, against all pairs of triangles. */
START_TEST(triangles_near_another_mesh_are_found)
{
    static const peg_aabb all = {{-100, -100, -100}, {100, 100, 100}};
    static world of, other;
    cases_random r = {3000 + (unsigned)_i};
    peg_triangle_mesh *mesh = ground(&r, .2), *beside = ground(&r, .2);
    peg_mesh_pair c = {.mesh = {mesh, beside}, .arm = {100, 100}, .slope = PEG_PI};
    static unsigned char near[TRIANGLES][TRIANGLES];
    int left_out = 0, found = 0, close = 0;
    memset(near, 0, sizeof near);
    make_world(mesh, 0, &of);
    make_world(beside, 0, &other);
    c.by = cases_uniform(&r, .1, .4);
    cases_rotation(&r, c.R);
    for (int k = 0; k < 3; k++) c.at[k] = cases_uniform(&r, -.3, .3);
    peg_mesh_pair_search(&c, &all, PEG_MESH_SEARCH_BOUNDS, mark, near);
    for (int t = 0; t < mesh->nt; t++) {
        carry(&of.triangle[t], c.R, c.at);
        for (int u = 0; u < beside->nt; u++) {
            int is_near = sampled_distance(&of.triangle[t], &other.triangle[u]) < c.by;
            if (is_near) ck_assert_int_eq(near[t][u], 1);
            ck_assert_int_le(near[t][u], 1);
            close += is_near, found += near[t][u], left_out += !near[t][u];
        }
    }
    ck_assert_int_gt(close, 0);
    ck_assert_int_gt(left_out, 20 * found);
    drop_world(&of);
    drop_world(&other);
    peg_triangle_mesh_free(mesh);
    peg_triangle_mesh_free(beside);
}
END_TEST

TCase *cover_tests(void)
{
    TCase *t = tcase_create("cover");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, what_is_left_out_is_kept_apart_by_the_rest, 0, 6 * KINDS);
    tcase_add_loop_test(t, what_has_been_met_is_needed, 0, 4);
    tcase_add_loop_test(t, triangles_near_another_mesh_are_found, 0, 6);
    return t;
}
