/* Sweeps that look only at what changed: against sweeps of everything, and against the certificate,
 * which is computed from the problem alone. */
#include "lcp_cases.h"
#include "peg/sweeps.h"

#include <check.h>
#include <stdlib.h>

enum { TOWERS = 3, HEIGHT = 4, BOXES = TOWERS * HEIGHT, ROWS_A_PAIR = 12 };

/* Rows are allowed to fail by so much, m/s; answers agree to a multiple of it. */
static const double FINE = 1e-10, AGREE = 1e-6;

static lcp_case island;
static case_solution first, second;
static double speed[CASE_ROWS];
static peg_arena arena;

static void set_up(void)
{
    memset(&arena, 0, sizeof arena);
    case_clear(&first);
    case_clear(&second);
    for (int i = 0; i < CASE_ROWS; i++) speed[i] = FINE;
}

static void tear_down(void)
{
    peg_arena_free(&arena);
}

/* One corner of a box on what is below it, with friction. */
static void add_corner(int a, int b, double x, double y)
{
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    int normal = island.problem.m;
    for (int k = 0; k < 3; k++) {
        case_add_contact(&island, a, b, (double[]){x, y, -.5}, (double[]){x, y, .5}, axis[k], 0);
        peg_lcp_row *row = &island.row[island.problem.m - 1];
        row->bounded = k > 0;
        row->normal = k > 0 ? normal : 0;
        row->mu = k > 0 ? .5 : 0;
    }
}

/* Towers of boxes that touch nothing of each other; `ground`: at which speed each is to rise. */
static void build_towers(const double ground[TOWERS])
{
    case_stack(&island, BOXES, 2, 1);
    island.problem.m = 0;
    for (int t = 0; t < TOWERS; t++)
        for (int i = 0; i < HEIGHT; i++) {
            int a = t * HEIGHT + i, b = i ? a - 1 : -1, from = island.problem.m;
            for (int k = 0; k < 4; k++) add_corner(a, b, k % 2 - .5, k / 2 - .5);
            for (int row = from; row < island.problem.m && !i; row++)
                if (!island.row[row].bounded) island.row[row].b = -ground[t];
        }
}

static void solve(const peg_sweep_goal *goal, case_solution *s)
{
    ck_assert_int_eq(peg_solve_sweeps(&arena, &island.problem, goal, &s->solution), PEG_SOLVED);
}

static void check_answer(const case_solution *s)
{
    ck_assert_double_le(peg_residual(&island.problem, &s->solution),
                        AGREE * peg_residual_unit(&island.problem));
}

/* --- rows by the group --- */

typedef struct source {
    int asked[CASE_ROWS];
    int again;            /* rows of which not all was wanted */
    const double *lambda; /* warm start */
    case_solution *to;
} source;

static void fill(void *context, int begin, int end, int again, peg_lcp_row *row)
{
    source *s = context;
    for (int i = begin; i < end; i++) {
        const peg_lcp_row *from = &island.row[i];
        s->asked[i]++;
        if (again)
            row[i - begin] = (peg_lcp_row){.b = from->b, .limit = from->limit};
        else
            row[i - begin] = *from;
        s->again += again;
        s->to->lambda[i] = s->lambda ? s->lambda[i] : 0;
    }
}

static void find_groups(peg_sweep_group *group)
{
    for (int i = 0; i < BOXES; i++) {
        const peg_lcp_row *row = &island.row[ROWS_A_PAIR * i];
        group[i] = (peg_sweep_group){.begin = ROWS_A_PAIR * i,
                                     .end = ROWS_A_PAIR * (i + 1),
                                     .a = row->body_a,
                                     .b = row->body_b};
    }
}

/* The same numbers wherever the rows come from. */
START_TEST(rows_by_the_group)
{
    peg_sweep_group group[BOXES];
    source from = {.to = &second};
    build_towers((double[]){.1, 0, -.1});
    find_groups(group);
    solve(&(peg_sweep_goal){.speed = speed, .sweeps = 10000}, &first);
    check_answer(&first);
    peg_problem rowless = island.problem;
    rowless.row = NULL;
    peg_sweep_goal goal = {.speed = speed,
                           .sweeps = 10000,
                           .group = group,
                           .groups = BOXES,
                           .fill = fill,
                           .context = &from};
    ck_assert_int_eq(peg_solve_sweeps(&arena, &rowless, &goal, &second.solution), PEG_SOLVED);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    ck_assert_int_eq(
        memcmp(first.lambda, second.lambda, (size_t)island.problem.m * sizeof *first.lambda), 0);
    for (int i = 0; i < island.problem.m; i++) ck_assert_int_eq(from.asked[i], 1);
}
END_TEST

/* What was computed of rows once serves other speeds and targets, wherever the rows are. */
START_TEST(rows_that_are_kept)
{
    peg_sweep_group group[BOXES];
    build_towers((double[]){.1, 0, -.1});
    find_groups(group);
    for (int i = 0; i < BOXES; i++) group[i].swept = peg_swept_create(&arena, ROWS_A_PAIR);
    source from = {.to = &first};
    peg_sweep_goal goal = {.speed = speed,
                           .sweeps = 10000,
                           .group = group,
                           .groups = BOXES,
                           .fill = fill,
                           .context = &from};
    solve(&goal, &first);
    ck_assert_int_eq(from.again, 0);
    /* the last tower comes first, and its ground moves; so does its top box */
    peg_lcp_row moved[ROWS_A_PAIR * BOXES];
    peg_sweep_group turned[BOXES];
    build_towers((double[]){-.2, 0, .3});
    island.target[BOXES - 1][2] -= .1;
    for (int i = 0; i < BOXES; i++) {
        int to = (i + HEIGHT) % BOXES, shift = ROWS_A_PAIR * (to - i);
        turned[to] = group[i];
        turned[to].begin += shift, turned[to].end += shift;
        for (int k = 0; k < ROWS_A_PAIR; k++) {
            peg_lcp_row *row = &moved[ROWS_A_PAIR * to + k];
            *row = island.row[ROWS_A_PAIR * i + k];
            if (row->bounded) row->normal += shift;
        }
    }
    memcpy(island.row, moved, sizeof moved);
    goal.group = turned;
    solve(&goal, &first);
    ck_assert_int_eq(from.again, island.problem.m);
    for (int i = 0; i < BOXES; i++) turned[i].swept = NULL;
    from = (source){.to = &second};
    solve(&goal, &second);
    ck_assert_int_eq(from.again, 0);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    check_answer(&first);
}
END_TEST

/* --- what changed --- */

/* On from the first answer. */
static peg_sweep_goal follow(const peg_sweep_group *group, source *from, unsigned char *stirred)
{
    return (peg_sweep_goal){.speed = speed,
                            .sweeps = 10000,
                            .group = group,
                            .groups = BOXES,
                            .fill = fill,
                            .context = from,
                            .stirred = stirred,
                            .v = (const double(*)[6])first.v};
}

/* The ground below one tower begins to move: only its rows are asked for, and only its boxes get
 * other velocities. */
START_TEST(only_what_changed)
{
    peg_sweep_group group[BOXES];
    unsigned char stirred[BOXES] = {0};
    build_towers((double[]){0, 0, 0});
    solve(&(peg_sweep_goal){.speed = speed, .sweeps = 10000}, &first);
    build_towers((double[]){0, .1, 0});
    find_groups(group);
    source from = {.lambda = first.lambda, .to = &second};
    peg_sweep_goal goal = follow(group, &from, stirred);
    stirred[HEIGHT] = 1;
    solve(&goal, &second);
    for (int i = 0; i < BOXES; i++) {
        int moved = i / HEIGHT == 1;
        ck_assert_int_eq(stirred[i], moved);
        ck_assert_int_eq(from.asked[ROWS_A_PAIR * i], moved);
        ck_assert(moved || memcmp(first.v[i], second.v[i], sizeof *first.v) == 0);
        ck_assert_double_le(fabs(second.v[i][2] - (moved ? .1 : 0)), AGREE);
    }
    for (int i = 0; i < island.problem.m; i++)
        if (!from.asked[i]) second.lambda[i] = first.lambda[i];
    check_answer(&second);
}
END_TEST

/* The change of a box in the middle gets to its neighbours, whose other rows are not looked at. */
START_TEST(only_near_what_changed)
{
    enum { MIDDLE = HEIGHT + 1 };
    peg_sweep_group group[BOXES];
    unsigned char stirred[BOXES] = {0};
    build_towers((double[]){0, 0, 0});
    solve(&(peg_sweep_goal){.speed = speed, .sweeps = 10000}, &first);
    island.target[MIDDLE][2] += .1;
    find_groups(group);
    source from = {.lambda = first.lambda, .to = &second};
    peg_sweep_goal goal = follow(group, &from, stirred);
    goal.local = 1;
    stirred[MIDDLE] = 1;
    solve(&goal, &second);
    for (int i = 0; i < BOXES; i++) {
        ck_assert_int_eq(stirred[i], abs(i - MIDDLE) <= 1);
        ck_assert_int_eq(from.asked[ROWS_A_PAIR * i], i == MIDDLE || i == MIDDLE + 1);
        int same = memcmp(first.v[i], second.v[i], sizeof *first.v) == 0;
        ck_assert_int_eq(same, abs(i - MIDDLE) > 1);
    }
}
END_TEST

/* Nothing is stirred up: nothing is asked for. */
START_TEST(nothing_changed)
{
    peg_sweep_group group[BOXES];
    unsigned char stirred[BOXES] = {0};
    build_towers((double[]){.1, 0, .2});
    find_groups(group);
    solve(&(peg_sweep_goal){.speed = speed, .sweeps = 10000}, &first);
    source from = {.lambda = first.lambda, .to = &second};
    peg_sweep_goal goal = follow(group, &from, stirred);
    solve(&goal, &second);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    for (int i = 0; i < island.problem.m; i++) ck_assert_int_eq(from.asked[i], 0);
    for (int i = 0; i < BOXES; i++) ck_assert_int_eq(stirred[i], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweeps");
    TCase *tc = tcase_create("what changed");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, rows_by_the_group);
    tcase_add_test(tc, rows_that_are_kept);
    tcase_add_test(tc, only_what_changed);
    tcase_add_test(tc, only_near_what_changed);
    tcase_add_test(tc, nothing_changed);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
