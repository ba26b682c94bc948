/* Sort and sweep against the test of all pairs. */
#include <stdlib.h>

#include "tests/geometry_cases.h"
#include "peg/base/sweep_and_prune.h"
#include "tests/test_geometry.h"

enum { BOXES = 250, SCENES = 60 };

typedef struct pairs {
    int met[BOXES][BOXES];
    unsigned long long order; /* hash of the order of the calls */
} pairs;

static void count_pair(void *context, int i, int j)
{
    pairs *p = context;
    ck_assert_int_lt(i, j);
    p->met[i][j]++;
    p->order = (p->order * 1099511628211ull) ^ (unsigned long long)(i * BOXES + j);
}

static void make_boxes(cases_random *r, peg_aabb *box, unsigned char *fixed)
{
    static const double SCALE[] = {1, 1e300, 1e-300}; /* beyond single precision, too */
    double scale = SCALE[cases_below(r, 3)];
    int most = cases_below(r, 4) ? 4 : 40; /* of large ones lots have more pairs than they keep */
    peg_vec3 spread;
    for (int k = 0; k < 3; k++) spread[k] = scale * cases_magnitude(r, -1, 1);
    for (int i = 0; i < BOXES; i++) {
        fixed[i] = cases_below(r, 3) == 0;
        for (int k = 0; k < 3; k++) {
            /* A grid, so that many boxes just touch. */
            box[i].lo[k] = spread[k] * cases_below(r, 20);
            box[i].hi[k] = box[i].lo[k] + spread[k] * cases_below(r, most);
            if (cases_below(r, 60) == 0) box[i].lo[k] = -INFINITY;
            if (cases_below(r, 60) == 0) box[i].hi[k] = INFINITY;
        }
    }
}

START_TEST(sweep_equals_all_pairs)
{
    cases_random r = {5};
    peg_pool *pool = peg_pool_create(3);
    peg_arena arena = {0};
    peg_aabb box[BOXES];
    unsigned char fixed[BOXES];
    pairs *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    for (int scene = 0; scene < SCENES; scene++) {
        make_boxes(&r, box, fixed);
        memset(first, 0, sizeof *first);
        memset(second, 0, sizeof *second);
        ck_assert(peg_sweep_pairs(&arena, NULL, box, fixed, BOXES, count_pair, first));
        ck_assert(peg_sweep_pairs(&arena, pool, box, fixed, BOXES, count_pair, second));
        ck_assert(first->order == second->order);
        for (int i = 0; i < BOXES; i++)
            for (int j = i + 1; j < BOXES; j++) {
                int meet = !(fixed[i] && fixed[j]);
                for (int k = 0; k < 3; k++)
                    meet = meet && box[i].lo[k] <= box[j].hi[k] && box[j].lo[k] <= box[i].hi[k];
                ck_assert_int_eq(first->met[i][j], meet);
            }
    }
    free(first), free(second);
    peg_pool_destroy(pool);
    peg_arena_free(&arena);
}
END_TEST

START_TEST(sweep_without_memory_or_boxes)
{
    peg_arena arena = {0};
    peg_aabb box = {{0}, {0}};
    unsigned char fixed = 0;
    ck_assert(peg_sweep_pairs(&arena, NULL, NULL, NULL, 0, count_pair, NULL));
    ck_assert(peg_sweep_pairs(&arena, NULL, &box, &fixed, 1, count_pair, NULL));
    peg_arena_free(&arena);
    peg_memory_fail_at(1, 0);
    ck_assert(!peg_sweep_pairs(&arena, NULL, &box, &fixed, 1, count_pair, NULL));
    peg_memory_fail_at(0, 0);
    peg_arena_free(&arena);
}
END_TEST

TCase *sweep_tests(void)
{
    TCase *tests = tcase_create("sweep");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, sweep_equals_all_pairs);
    tcase_add_test(tests, sweep_without_memory_or_boxes);
    return tests;
}
