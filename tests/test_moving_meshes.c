/* Meshes that move by their size in a step: nothing overlaps or is passed through, by tests of
 * edges against triangles that share no code with the search; and few pairs are looked at. */
#include "peg/base/arena.h"
#include "peg/collide/triangle_distance.h"
#include "peg/contact/pose.h"
#include "peg/peg.h"
#include "tests/geometry_cases.h"
#include "tests/runner.h"

enum { ROUND = 9, ACROSS = 6, VERTICES = ROUND * ACROSS, TRIANGLES = 2 * VERTICES, MOST = 27 };

typedef struct heap {
    peg_scene s;
    peg_body body[MOST];
    peg_part part[MOST];
    peg_triangle_mesh *torus;
    peg_context *context;
    pegStats stats;
} heap;

/* --- the scene --- */

static void make_torus(heap *c)
{
    peg_vec3 vertex[VERTICES];
    int triangle[TRIANGLES][3], nt = 0;
    for (int i = 0; i < ROUND; i++)
        for (int j = 0; j < ACROSS; j++) {
            double a = 2 * PEG_PI * i / ROUND, b = 2 * PEG_PI * j / ACROSS;
            int k = i * ACROSS + j, next = (i + 1) % ROUND * ACROSS;
            int up = next + j, right = i * ACROSS + (j + 1) % ACROSS,
                both = next + (j + 1) % ACROSS;
            vertex[k][0] = (1 + .3 * cos(b)) * cos(a);
            vertex[k][1] = (1 + .3 * cos(b)) * sin(a);
            vertex[k][2] = .3 * sin(b);
            memcpy(triangle[nt++], (int[]){k, up, both}, sizeof *triangle);
            memcpy(triangle[nt++], (int[]){k, both, right}, sizeof *triangle);
        }
    ck_assert_int_eq(peg_triangle_mesh_create((const peg_vec3 *)vertex, VERTICES,
                                              (const int(*)[3])triangle, nt, 0, &c->torus),
                     PEG_OK);
}

/* Tori on a lattice, that move `travel` times their size in a step. */
static heap *new_heap(int count, double travel, unsigned long seed)
{
    heap *c = calloc(1, sizeof *c);
    cases_random r = {seed};
    ck_assert_ptr_nonnull(c);
    make_torus(c);
    c->s = (peg_scene){.body = c->body, .part = c->part, .nb = count, .np = count, .h = .01};
    int side = 1;
    while (side * side * side < count) side++;
    for (int i = 0; i < count; i++) {
        peg_body *b = &c->body[i];
        double speed = 2 * travel / c->s.h, n[3];
        *b = (peg_body){.kind = PEG_DYNAMIC,
                        .x = {3 * (i % side), 3 * (i / side % side), 3 * (i / side / side)},
                        .mass = 1,
                        .max_angular_speed = INFINITY};
        for (int k = 0; k < 9; k += 4) b->inertia[k] = .4;
        cases_direction(&r, n);
        for (int k = 0; k < 3; k++) b->v[k] = speed * n[k];
        double angle = cases_uniform(&r, 0, 3);
        cases_direction(&r, n);
        b->q[0] = cos(angle / 2);
        for (int k = 0; k < 3; k++) b->q[k + 1] = sin(angle / 2) * n[k];
        c->part[i] = (peg_part){.triangle_mesh = c->torus, .body = i, .id = (unsigned long)i + 1};
        for (int k = 0; k < 9; k += 4) c->part[i].rotation[k] = 1;
    }
    ck_assert_int_eq(peg_context_create(NULL, &c->context), PEG_OK);
    return c;
}

static void free_heap(heap *c)
{
    peg_context_destroy(c->context);
    peg_triangle_mesh_free(c->torus);
    free(c);
}

static void step(heap *c)
{
    for (int i = 0; i < c->s.nb; i++) memcpy(c->body[i].v_free, c->body[i].v, sizeof(peg_vec6));
    ck_assert_int_eq(peg_step(c->context, &c->s, &c->stats), PEG_OK);
}

static void advance(heap *c)
{
    for (int i = 0; i < c->s.nb; i++) {
        peg_body *b = &c->body[i];
        double x[3], q[4];
        peg_body_pose(b, b->v_pose, c->s.h, x, q);
        peg_copy3(x, b->x);
        memcpy(b->q, q, sizeof q);
        memcpy(b->v, b->v_end, sizeof b->v);
    }
}

/* --- an oracle --- */

/* The share of an edge at which it passes through a triangle, farther than `depth` from its ends
 * and inside of its sides; 0 if it does not. */
static int passes(const double *p, const double *q, const double *const t[3], double depth)
{
    double u[3], v[3], n[3], d[3], x[3];
    peg_sub(t[1], t[0], u);
    peg_sub(t[2], t[0], v);
    peg_cross(u, v, n);
    peg_normalise(n);
    peg_sub(p, t[0], d);
    double up = peg_dot(n, d);
    peg_sub(q, t[0], d);
    double down = peg_dot(n, d);
    if (!(up > depth && down < -depth) && !(up < -depth && down > depth)) return 0;
    peg_sub(q, p, d);
    peg_add_scaled(p, up / (up - down), d, x);
    for (int k = 0; k < 3; k++) {
        double along[3], out[3];
        peg_sub(t[(k + 1) % 3], t[k], along);
        peg_cross(along, n, out);
        peg_sub(x, t[k], d);
        if (peg_dot(out, d) > -depth * peg_norm(out)) return 0;
    }
    return 1;
}

static void place(const heap *c, int body, double t, peg_vec3 out[VERTICES])
{
    double v[6], x[3], q[4], R[9];
    for (int k = 0; k < 6; k++) v[k] = t * c->body[body].v_pose[k];
    peg_body_pose(&c->body[body], v, c->s.h, x, q);
    peg_quat_to_mat(q, R);
    for (int i = 0; i < VERTICES; i++) {
        peg_rotate(R, c->torus->vertex[i], out[i]);
        peg_add_scaled(out[i], 1, x, out[i]);
    }
}

/* The least height of the torus' corners above the sheet, which is long enough for all of them. */
static double side_of_sheet(const heap *c)
{
    double R[9], Rs[9], least = INFINITY;
    peg_quat_to_mat(c->body[0].q, R);
    peg_quat_to_mat(c->body[1].q, Rs);
    for (int i = 0; i < VERTICES; i++) {
        double at[3], up[3] = {Rs[1], Rs[4], Rs[7]};
        peg_rotate(R, c->torus->vertex[i], at);
        peg_add_scaled(at, 1, c->body[0].x, at);
        least = fmin(least, peg_dot(at, up));
    }
    return least;
}

/* How many edges of one torus pass through triangles of the other. */
static int count_passes(const heap *c, const peg_vec3 *a, const peg_vec3 *b, double depth)
{
    int count = 0;
    for (int e = 0; e < c->torus->ne; e++)
        for (int t = 0; t < c->torus->nt; t++) {
            const int *edge = c->torus->edge[e], *corner = c->torus->triangle[t];
            const double *const face[3] = {b[corner[0]], b[corner[1]], b[corner[2]]};
            count += passes(a[edge[0]], a[edge[1]], face, depth);
        }
    return count;
}

/* The same of all tori at the share t of their motion. */
static int count_overlaps(const heap *c, double t, double depth)
{
    static peg_vec3 at[MOST][VERTICES];
    int count = 0;
    for (int i = 0; i < c->s.nb; i++) place(c, i, t, at[i]);
    for (int i = 0; i < c->s.nb; i++)
        for (int j = 0; j < c->s.nb; j++) {
            double d[3];
            for (int k = 0; k < 3; k++)
                d[k] = c->body[i].x[k] - c->body[j].x[k] +
                       t * c->s.h * (c->body[i].v_pose[k] - c->body[j].v_pose[k]);
            if (i != j && peg_norm(d) < 2.6)
                count += count_passes(c, (const peg_vec3 *)at[i], (const peg_vec3 *)at[j], depth);
        }
    return count;
}

/* --- tests --- */

static const struct {
    int count;
    double travel;
} heaps[] = {{8, 1}, {8, 3}, {27, 1}, {8, .3}};

enum { HEAPS = sizeof heaps / sizeof *heaps, STEPS = 3, LOOKS = 24 };

START_TEST(meshes_that_move_far_do_not_overlap)
{
    for (unsigned long seed = 1; seed <= 3; seed++) {
        heap *c = new_heap(heaps[_i].count, heaps[_i].travel, seed);
        long touched = 0;
        for (int i = 0; i < STEPS; i++) {
            step(c);
            touched += c->stats.pairs;
            ck_assert_double_le(c->stats.max_penetration, 0);
            ck_assert_int_eq(count_overlaps(c, 1, 1e-9), 0);
            for (int k = 1; k < LOOKS; k++) {
                int n = count_overlaps(c, (double)k / LOOKS, .02);
                ck_assert_msg(n == 0, "seed %lu step %d, at %d of %d: %d", seed, i, k, LOOKS, n);
            }
            advance(c);
        }
        ck_assert_int_gt(touched, 0);
        free_heap(c);
    }
}
END_TEST

/* All pairs of triangles would be 12 000 for each pair of tori. */
START_TEST(meshes_that_move_far_have_few_pairs)
{
    for (unsigned long seed = 1; seed <= 3; seed++) {
        heap *c = new_heap(heaps[_i].count, heaps[_i].travel, seed);
        for (int i = 0; i < STEPS; i++) {
            step(c);
            advance(c);
            ck_assert_msg(c->stats.pairs <= 60 * c->s.nb, "%ld pairs", c->stats.pairs);
            ck_assert_msg(c->stats.memory <= (size_t)c->s.nb << 18, "%zu bytes", c->stats.memory);
        }
        free_heap(c);
    }
}
END_TEST

/* What the largest step needed is given back once some steps have needed less. */
START_TEST(memory_of_one_large_step_is_given_back)
{
    heap *c = new_heap(27, 1, 1);
    size_t most = 0;
    for (int i = 0; i < 4 * PEG_MEMORY_USES; i++) {
        step(c);
        advance(c);
        if (c->stats.memory > most) most = c->stats.memory;
    }
    ck_assert_msg(c->stats.memory * 4 < most, "%zu of %zu bytes", c->stats.memory, most);
    free_heap(c);
}
END_TEST

/* --- turning sheets --- */

/* A sheet of two triangles, 12 m long, turns by a degree a step about its middle and pushes a
 * torus. The way of the torus is straight and that of the sheet bent, so that between the two ends
 * of a step they may touch: that is no passage. */
START_TEST(a_turning_sheet_pushes)
{
    static const peg_vec3 corner[4] = {{-6, 0, -2}, {6, 0, -2}, {6, 0, 2}, {-6, 0, 2}};
    static const int triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const double spin = 3.5;
    heap *c = new_heap(2, 0, 1);
    peg_triangle_mesh *sheet;
    ck_assert_int_eq(peg_triangle_mesh_create(corner, 4, triangle, 2, 0, &sheet), PEG_OK);
    c->s.h = .005;
    c->part[1].triangle_mesh = sheet;
    c->body[1] = (peg_body){
        .kind = PEG_KINEMATIC, .q = {1}, .v = {0, 0, 0, 0, 0, spin}, .max_angular_speed = INFINITY};
    peg_copy3((double[]){2, 1.4, 0}, c->body[0].x);
    double least = INFINITY;
    for (int i = 0; i < 60; i++) {
        step(c);
        ck_assert_int_eq(c->stats.unconverged + c->stats.infeasible_islands, 0);
        ck_assert_msg(c->stats.limited_bodies == 0, "step %d is limited", i);
        advance(c);
        memcpy(c->body[1].v, (double[6]){0, 0, 0, 0, 0, spin}, sizeof(peg_vec6));
        least = fmin(least, side_of_sheet(c));
    }
    ck_assert_double_ge(least, 0);
    ck_assert_double_gt(peg_norm(c->body[0].v), 1);
    free_heap(c);
    peg_triangle_mesh_free(sheet);
}
END_TEST

/* A corner of a triangle that moves up passes the edge of another one beside it, at a gap that
 * does not close, both tilted against each other by little or nothing. A way beside an edge is no
 * passage: nothing holds the moving one back. */
START_TEST(a_triangle_passes_flush_beside_another)
{
    static const double gaps[] = {1e-7, 4e-6, 1e-4, 1e-2}, tilts[] = {0, 1e-9, 1e-7, 1e-5, 1e-3};
    static const peg_vec3 edge[3] = {{.3, .23, 0}, {.4, .23, 0}, {.293, .167, 0}};
    static const int triangle[1][3] = {{0, 1, 2}};
    const double v[6] = {0, 0, 4, _i < 40 ? 0 : 1e-3, 0, .02}, gap = gaps[_i % 4],
                 tilt = tilts[_i / 4 % 5];
    double along = (.2 - .167) / .063, x = .293 + .007 * along - gap * hypot(1, .007 / .063);
    peg_vec3 corner[3] = {{-.29, .2, 0}, {x, .2, 0}, {-.277, .14, 0}};
    heap *c = new_heap(2, 0, 1);
    peg_triangle_mesh *mesh[2];
    for (int k = 0; k < 3; k++) corner[k][2] = tilt * (_i % 40 < 20 ? corner[k][0] : corner[k][1]);
    ck_assert_int_eq(peg_triangle_mesh_create(edge, 3, triangle, 1, 0, &mesh[0]), PEG_OK);
    ck_assert_int_eq(
        peg_triangle_mesh_create((const peg_vec3 *)corner, 3, triangle, 1, 0, &mesh[1]), PEG_OK);
    for (int i = 0; i < 2; i++) {
        c->part[i].triangle_mesh = mesh[i];
        memcpy(c->body[i].q, (double[4]){1}, sizeof c->body[i].q);
        memset(c->body[i].x, 0, sizeof c->body[i].x);
        memset(c->body[i].v, 0, sizeof c->body[i].v);
    }
    c->body[0].kind = PEG_STATIC;
    c->body[1].x[2] = -.0144;
    memcpy(c->body[1].v, v, sizeof v);
    step(c);
    ck_assert_int_eq(c->stats.unconverged + c->stats.infeasible_islands + c->stats.limited_bodies,
                     0);
    for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(c->body[1].v_end[k], v[k], 1e-12);
    free_heap(c);
    for (int i = 0; i < 2; i++) peg_triangle_mesh_free(mesh[i]);
}
END_TEST

/* --- a motion that nobody expected --- */

/* Height of the prism's centre of mass over corner 0, m. */
static const double MIDDLE = .25;

enum { SIDES = 5 };

/* A prism along y, its centre of mass at the origin. It stands on corner 0. On one side of it
 * corner 4 is little higher; on the other side a line from it to corner 1 is steeper than one to
 * corner 2, and no triangle has both corner 0 and corner 2. */
static peg_triangle_mesh *new_prism(double height)
{
    const double profile[SIDES][2] = {{0, 0}, {.45, .15}, {.9, .2}, {.3, .7}, {-.7, height}};
    peg_vec3 vertex[2 * SIDES];
    int triangle[4 * SIDES][3], nt = 0;
    peg_triangle_mesh *prism;
    for (int i = 0; i < 2 * SIDES; i++) {
        vertex[i][0] = profile[i % SIDES][0] - .35;
        vertex[i][1] = i < SIDES ? -.5 : .5;
        vertex[i][2] = profile[i % SIDES][1] - MIDDLE;
    }
    for (int i = 0; i < SIDES; i++) {
        int k = (i + 1) % SIDES;
        memcpy(triangle[nt++], (int[]){i, k, SIDES + k}, sizeof *triangle);
        memcpy(triangle[nt++], (int[]){i, SIDES + k, SIDES + i}, sizeof *triangle);
        if (i == 3 || k == 3) continue; /* the ends are fans of corner 3 */
        memcpy(triangle[nt++], (int[]){3, k, i}, sizeof *triangle);
        memcpy(triangle[nt++], (int[]){SIDES + 3, SIDES + i, SIDES + k}, sizeof *triangle);
    }
    ck_assert_int_eq(peg_triangle_mesh_create((const peg_vec3 *)vertex, 2 * SIDES,
                                              (const int(*)[3])triangle, nt, 0, &prism),
                     PEG_OK);
    return prism;
}

/* A prism topples from rest on a sheet, within the step, farther than a body at rest is expected to
 * move. The triangles of corner 4 are near at the start, and deferred, as they get away: they must
 * not hide those of corner 2, which comes down. At 11.5 and 12 mm they did. */
START_TEST(deferred_triangles_hide_no_others)
{
    static const peg_vec3 corner[3] = {{-20, -20, 0}, {20, -20, 0}, {0, 30, 0}};
    static const int triangle[1][3] = {{0, 1, 2}};
    heap *c = new_heap(2, 0, 1);
    peg_triangle_mesh *mesh[2] = {new_prism(.011 + 5e-4 * _i), NULL};
    ck_assert_int_eq(peg_triangle_mesh_create(corner, 3, triangle, 1, 0, &mesh[1]), PEG_OK);
    c->s.h = .15;
    for (int i = 0; i < 2; i++) {
        c->part[i].triangle_mesh = mesh[i];
        memcpy(c->body[i].q, (double[4]){1}, sizeof c->body[i].q);
        memset(c->body[i].x, 0, sizeof c->body[i].x);
    }
    c->body[1].kind = PEG_STATIC;
    c->body[0].x[2] = MIDDLE + 1e-6;
    for (int k = 0; k < 9; k += 4) c->body[0].inertia[k] = .1;
    c->body[0].v_free[2] = -9.81 * c->s.h;
    ck_assert_int_eq(peg_step(c->context, &c->s, &c->stats), PEG_OK);
    ck_assert_int_eq(c->stats.unconverged + c->stats.limited_bodies, 0);
    advance(c);
    double R[9], least = INFINITY;
    peg_quat_to_mat(c->body[0].q, R);
    for (int i = 0; i < 2 * SIDES; i++) {
        double at[3];
        peg_rotate(R, mesh[0]->vertex[i], at);
        least = peg_min(least, c->body[0].x[2] + at[2]);
    }
    ck_assert_double_ge(least, 0);
    free_heap(c);
    for (int i = 0; i < 2; i++) peg_triangle_mesh_free(mesh[i]);
}
END_TEST

/* Points of both triangles on a lattice: never nearer than the distance that is asked for, if they
 * are apart by it; and a little nearer if they are not. */
static double sampled_distance(const peg_vec3 *a, const peg_vec3 *b)
{
    enum { FINE = 12 };
    double least = INFINITY;
    for (int i = 0; i <= FINE; i++)
        for (int j = 0; i + j <= FINE; j++)
            for (int k = 0; k <= FINE; k++)
                for (int l = 0; k + l <= FINE; l++) {
                    double d[3];
                    for (int x = 0; x < 3; x++)
                        d[x] = (i * a[0][x] + j * a[1][x] + (FINE - i - j) * a[2][x] - k * b[0][x] -
                                l * b[1][x] - (FINE - k - l) * b[2][x]) /
                               FINE;
                    least = peg_min(least, peg_dot(d, d));
                }
    return sqrt(least);
}

START_TEST(triangles_are_apart_as_samples_say)
{
    cases_random r = {7};
    int apart = 0, near = 0;
    for (int i = 0; i < 600; i++) {
        peg_vec3 t[2][3];
        for (int k = 0; k < 18; k++)
            t[k / 9][k / 3 % 3][k % 3] = cases_uniform(&r, 0, 1) + (k / 9) * (k % 3 == 0) * (i % 3);
        if (i % 5 == 0) /* flush */
            for (int k = 0; k < 6; k++) t[k / 3][k % 3][2] = 0;
        double d = sampled_distance((const peg_vec3 *)t[0], (const peg_vec3 *)t[1]);
        const peg_vec3 *a = (const peg_vec3 *)t[0], *b = (const peg_vec3 *)t[1];
        ck_assert(!peg_triangles_are_apart(a, b, d + 1e-12));
        /* half of the lattice's widest cell on both sides */
        double slack = 2 * sqrt(3.) / 12;
        if (d > slack) ck_assert(peg_triangles_are_apart(a, b, d - slack));
        apart += d > slack;
        near += d <= slack;
    }
    ck_assert_int_gt(apart, 100);
    ck_assert_int_gt(near, 100);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("moving-meshes");
    TCase *tc = tcase_create("meshes"), *distance = tcase_create("distance");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, meshes_that_move_far_do_not_overlap, 0, HEAPS);
    tcase_add_loop_test(tc, meshes_that_move_far_have_few_pairs, 0, HEAPS);
    tcase_add_test(tc, memory_of_one_large_step_is_given_back);
    tcase_add_test(tc, a_turning_sheet_pushes);
    tcase_add_loop_test(tc, a_triangle_passes_flush_beside_another, 0, 80);
    tcase_add_loop_test(tc, deferred_triangles_hide_no_others, 0, 5);
    tcase_add_test(distance, triangles_are_apart_as_samples_say);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, distance);
    return suite;
}
