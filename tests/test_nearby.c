/* Triangles that are kept from step to step change nothing, whatever is done to what they are near
 * to. */
#include <check.h>
#include <stdlib.h>

#include "peg/scene.h"
#include "step_scene.h"

enum { SIDE = 25, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
enum { STEPS = 200, MOVED = 6 };

/* Hilly ground of 4 m x 4 m; the triangles are numbered along x or against it. */
static peg_complex *ground(double low, double along)
{
    static double point[POINTS][3];
    static int triangle[TRIANGLES][3];
    peg_complex *mesh;
    int n = 0;
    for (int i = 0; i < POINTS; i++) {
        double *p = point[i];
        p[0] = 4. * (i % SIDE) / (SIDE - 1) - 2, p[1] = 4. * (i / SIDE) / (SIDE - 1) - 2;
        p[0] *= along;
        p[2] = .15 * sin(3 * p[0] + 1) * cos(4 * p[1]) - low;
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        for (int k = 0; k < 2; k++, n++) {
            triangle[n][0] = i;
            triangle[n][1] = k ? i + 1 + SIDE : i + 1;
            triangle[n][2] = k ? i + SIDE : i + 1 + SIDE;
        }
    }
    ck_assert_int_eq(peg_complex_create((const double(*)[3])point, POINTS,
                                        (const int(*)[3])triangle, n, 0, &mesh),
                     PEG_OK);
    return mesh;
}

static peg_polytope *solid(int kind, double size)
{
    static const double corner[5][3] = {
        {1, 0, -.5}, {-.6, .8, -.5}, {-.6, -.8, -.5}, {.2, .1, 1}, {-.4, 0, .9}};
    double point[5][3];
    peg_polytope **p = &S.shape[S.shapes++];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) point[i][k] = size * corner[i][k];
    if (kind == 0) ck_assert_int_eq(peg_polytope_sphere(size, p), PEG_OK);
    if (kind == 1) ck_assert_int_eq(peg_polytope_capsule(.5 * size, size, p), PEG_OK);
    if (kind == 2) ck_assert_int_eq(peg_polytope_cylinder(.6 * size, size, p), PEG_OK);
    if (kind == 3)
        ck_assert_int_eq(peg_polytope_from_points((const double(*)[3])point, 5, p), PEG_OK);
    if (kind > 3) S.shapes--, *p = scene_box(size, 1.5 * size, .8 * size);
    return *p;
}

static void add_bodies(void)
{
    for (int i = 0; i < MOVED; i++) {
        double size = .15 + .02 * i;
        peg_body *b =
            scene_add_body(PEG_DYNAMIC, 1, (const double[3]){2 * size, 2 * size, 2 * size});
        b->x[0] = i % 3 - 1., b->x[1] = i / 3 - .5, b->x[2] = .5;
        scene_set_velocity(b, .5 - .2 * i, .3 * i - .6, 0);
        scene_add_part(S.s.nb - 1, solid(i, size), 0, 0, 0);
    }
}

/* What a program may do between steps. */
static void meddle(int step, peg_complex **mesh)
{
    peg_part *of_ground = &S.part[0];
    if (step == 70) S.body[4].x[0] += .7, S.body[4].x[2] += .3;
    if (step == 90) S.part[4].shape = solid(3, .25), S.body[3].x[2] += .2;
    if (step == 110) {
        peg_complex_free(*mesh);
        of_ground->complex = *mesh = ground(1e-3, -1);
    }
    if (step == 150) {
        of_ground->offset[0] += .05;
        for (int i = 0; i < MOVED; i++) S.body[i].x[2] += .1;
    }
}

/* Lists that served in a step that did not make them. */
static int count_used(const peg_nearby_table *table)
{
    int n = 0;
    for (size_t i = 0; i < table->lists; i++)
        n += table->list[i].used == table->step && isfinite(table->list[i].path) &&
             table->list[i].path > 0;
    return n;
}

/* Returns how often lists were used. */
static int run(int keep, peg_body (*history)[MOVED])
{
    int used = 0;
    scene_begin(.01);
    S.surface.mu = S.surface.mu2 = .6;
    peg_complex *mesh = ground(0, 1);
    scene_add_part(-1, NULL, 0, 0, 0);
    S.part[0].complex = mesh;
    add_bodies();
    for (int i = 0; i < STEPS; i++) {
        meddle(i, &mesh);
        if (!keep) peg_nearby_free(&S.context->nearby);
        scene_fall(9.81);
        scene_step();
        used += count_used(&S.context->nearby);
        scene_advance();
        memcpy(history[i], S.body, sizeof *history);
    }
    peg_complex_free(mesh);
    scene_end();
    return used;
}

START_TEST(lists_change_nothing)
{
    static peg_body kept[STEPS][MOVED], anew[STEPS][MOVED];
    int used = run(1, kept);
    run(0, anew);
    ck_assert_int_gt(used, STEPS);
    for (int i = 0; i < STEPS; i++)
        for (int b = 0; b < MOVED; b++) {
            ck_assert_mem_eq(kept[i][b].x, anew[i][b].x, sizeof anew[i][b].x);
            ck_assert_mem_eq(kept[i][b].q, anew[i][b].q, sizeof anew[i][b].q);
            ck_assert_mem_eq(kept[i][b].v, anew[i][b].v, sizeof anew[i][b].v);
        }
    ck_assert_double_gt(kept[STEPS - 1][0].x[2], -.5);
}
END_TEST

/* Pairs come and go: what is no longer asked for makes room. */
START_TEST(lists_are_given_up_for_others)
{
    peg_nearby_table table = {0};
    for (uint64_t step = 0; step < 1000; step++) {
        peg_nearby_step(&table);
        for (uint64_t i = 0; i < 20; i++) {
            peg_nearby *list = peg_nearby_find(&table, step / 5 * 20 + i + 1, 7);
            ck_assert_ptr_nonnull(list);
            if (step % 5 == 0) {
                ck_assert(!isfinite(list->path));
                const peg_vec3 point = {(double)i, 0, 0};
                peg_outline o = {.points = 1, .point = &point, .centre = point};
                ck_assert(peg_nearby_start(list, &o, 0));
                ck_assert(peg_nearby_add(list, &(peg_nearby_item){(double)i, (int)i}));
            }
            ck_assert_int_eq(list->items, 1);
            ck_assert_int_eq(list->item[0].triangle, (int)i);
            ck_assert(list->outline.centre[0] == (double)i);
        }
    }
    ck_assert_int_le(table.capacity, 128);
    peg_nearby_free(&table);
}
END_TEST

static peg_outline outline_of(const peg_view *view)
{
    return (peg_outline){.points = view->shape->nv,
                         .planes = view->shape->nf,
                         .point = (const peg_vec3 *)view->vertex,
                         .normal = (const peg_vec3 *)view->normal,
                         .offset = view->offset,
                         .centre = view->centre};
}

static void wander(cases_random *r, double most, double x[3], double R[9])
{
    double turn[9], q[4] = {1}, old[9];
    for (int k = 0; k < 3; k++) {
        q[k + 1] = cases_uniform(r, -most, most);
        x[k] += cases_uniform(r, -most, most);
    }
    double length = sqrt(q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
    peg_quat_to_mat(q, turn);
    memcpy(old, R, sizeof old);
    peg_mat_mul(turn, old, R);
}

/* Against what a list is told to bound: how far corners get, and faces at points within the arm. */
START_TEST(path_is_as_long_as_what_it_follows)
{
    enum { POINTS_SEEN = 40 };
    const double arm = 2;
    cases_random r = {(unsigned)_i + 1};
    peg_nearby list = {.path = INFINITY};
    double sides[3], seen[POINTS_SEEN][3], R[9], x[3] = {0};
    peg_polytope *box;
    for (int k = 0; k < 3; k++) sides[k] = cases_uniform(&r, .1, 1);
    ck_assert_int_eq(peg_polytope_box(sides, &box), PEG_OK);
    peg_view first = cases_view(box), view = cases_view(box);
    cases_rotation(&r, R);
    peg_view_set(&first, x, R);
    for (int i = 0; i < POINTS_SEEN; i++) {
        double n[3];
        cases_direction(&r, n);
        for (int k = 0; k < 3; k++) seen[i][k] = first.centre[k] + arm * n[k];
    }
    peg_outline o = outline_of(&first);
    ck_assert(!peg_nearby_follow(&list, &o));
    ck_assert(peg_nearby_start(&list, &o, arm));
    for (int step = 0; step < 50; step++) {
        double most = 0;
        wander(&r, .02, x, R);
        peg_view_set(&view, x, R);
        o = outline_of(&view);
        ck_assert(peg_nearby_follow(&list, &o));
        for (int i = 0; i < POINTS_SEEN; i++)
            for (int f = 0; f < box->nf; f++) {
                double now = peg_dot(view.normal[f], seen[i]) - view.offset[f];
                double then = peg_dot(first.normal[f], seen[i]) - first.offset[f];
                most = fmax(most, fabs(now - then));
            }
        for (int v = 0; v < box->nv; v++) {
            double d[3];
            peg_sub(view.vertex[v], first.vertex[v], d);
            most = fmax(most, peg_norm(d));
        }
        ck_assert_double_le(most, list.path + 1e-12);
        if (step == 0) ck_assert_double_gt(most, .1 * list.path);
    }
    o.mesh++;
    ck_assert(!peg_nearby_follow(&list, &o));
    cases_view_free(&first);
    cases_view_free(&view);
    peg_polytope_free(box);
    peg_free(list.number);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearby");
    TCase *t = tcase_create("lists");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, lists_change_nothing);
    tcase_add_test(t, lists_are_given_up_for_others);
    tcase_add_loop_test(t, path_is_as_long_as_what_it_follows, 0, 10);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
