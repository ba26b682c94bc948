/* Projected Gauss-Seidel that visits only the rows of what changed: against visits of all rows, and
 * against the certificate, which is computed from the problem alone. */
#include "tests/runner.h"
#include "tests/lcp_cases.h"
#include "peg/lcp/gauss_seidel.h"

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

static void solve(const peg_pgs_goal *goal, case_solution *s)
{
    ck_assert_int_eq(peg_solve_pgs(&arena, &island.problem, goal, &s->solution), PEG_SOLVED);
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
            row[i - begin] = (peg_lcp_row){.b = from->b, .mu = from->mu, .limit = from->limit};
        else
            row[i - begin] = *from;
        s->again += again;
        s->to->lambda[i] = s->lambda ? s->lambda[i] : 0;
    }
}

static void find_groups(peg_pgs_group *group)
{
    for (int i = 0; i < BOXES; i++) {
        const peg_lcp_row *row = &island.row[ROWS_A_PAIR * i];
        group[i] = (peg_pgs_group){.begin = ROWS_A_PAIR * i,
                                   .end = ROWS_A_PAIR * (i + 1),
                                   .a = row->body_a,
                                   .b = row->body_b};
    }
}

/* The same numbers wherever the rows come from. */
START_TEST(rows_by_the_group)
{
    peg_pgs_group group[BOXES];
    source from = {.to = &second};
    build_towers((double[]){.1, 0, -.1});
    find_groups(group);
    solve(&(peg_pgs_goal){.speed = speed, .max_iterations = 10000}, &first);
    check_answer(&first);
    peg_problem rowless = island.problem;
    rowless.row = NULL;
    peg_pgs_goal goal = {.speed = speed,
                         .max_iterations = 10000,
                         .group = group,
                         .groups = BOXES,
                         .fill = fill,
                         .context = &from};
    ck_assert_int_eq(peg_solve_pgs(&arena, &rowless, &goal, &second.solution), PEG_SOLVED);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    ck_assert_int_eq(
        memcmp(first.lambda, second.lambda, (size_t)island.problem.m * sizeof *first.lambda), 0);
    for (int i = 0; i < island.problem.m; i++) ck_assert_int_eq(from.asked[i], 1);
}
END_TEST

/* What was computed of rows once serves other speeds and targets, wherever the rows are. */
START_TEST(rows_that_are_kept)
{
    peg_pgs_group group[BOXES];
    build_towers((double[]){.1, 0, -.1});
    find_groups(group);
    for (int i = 0; i < BOXES; i++) group[i].pgs = peg_pgs_cache_create(&arena, ROWS_A_PAIR);
    source from = {.to = &first};
    peg_pgs_goal goal = {.speed = speed,
                         .max_iterations = 10000,
                         .group = group,
                         .groups = BOXES,
                         .fill = fill,
                         .context = &from};
    solve(&goal, &first);
    ck_assert_int_eq(from.again, 0);
    /* the last tower comes first, and its ground moves; so does its top box */
    peg_lcp_row moved[ROWS_A_PAIR * BOXES];
    peg_pgs_group turned[BOXES];
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
    for (int i = 0; i < BOXES; i++) turned[i].pgs = NULL;
    from = (source){.to = &second};
    solve(&goal, &second);
    ck_assert_int_eq(from.again, 0);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    check_answer(&first);
}
END_TEST

/* Who has little patience gets the answer as far as it came: of impulses within their bounds, with
 * the velocities that they make. */
START_TEST(little_patience)
{
    peg_pgs_goal goal = {.speed = speed, .max_iterations = 10000};
    build_towers((double[]){.1, 0, -.1});
    ck_assert_int_eq(peg_solve_pgs(&arena, &island.problem, &goal, &first.solution), PEG_SOLVED);
    goal.stall = 1;
    ck_assert_int_eq(peg_solve_pgs(&arena, &island.problem, &goal, &second.solution),
                     PEG_ITERATION_LIMIT);
    ck_assert_int_lt(second.solution.iterations, first.solution.iterations);
    for (int i = 0; i < BOXES; i++) {
        double v[6];
        memcpy(v, island.target[i], sizeof v);
        for (int r = 0; r < island.problem.m; r++) {
            const peg_lcp_row *row = &island.row[r];
            const double *J = row->body_a == i ? row->Ja : row->body_b == i ? row->Jb : NULL;
            const double *turn = island.mass[i].inv_inertia;
            for (int k = 0; k < 3 && J; k++) {
                v[k] += island.mass[i].inv_mass * J[k] * second.lambda[r];
                for (int j = 0; j < 3; j++)
                    v[3 + k] += turn[3 * k + j] * J[3 + j] * second.lambda[r];
            }
        }
        for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(second.v[i][k], v[k], 1e-12);
    }
    for (int r = 0; r < island.problem.m; r++) {
        const peg_lcp_row *row = &island.row[r];
        double most = row->bounded ? row->mu * second.lambda[row->normal] : INFINITY;
        ck_assert_double_ge(second.lambda[r], row->bounded ? -most : 0);
        ck_assert_double_le(second.lambda[r], most);
    }
}
END_TEST

/* --- what changed --- */

/* On from the first answer. */
static peg_pgs_goal follow(const peg_pgs_group *group, source *from, unsigned char *dirty)
{
    return (peg_pgs_goal){.speed = speed,
                          .max_iterations = 10000,
                          .group = group,
                          .groups = BOXES,
                          .fill = fill,
                          .context = from,
                          .dirty = dirty,
                          .v = (const double(*)[6])first.v};
}

/* The ground below one tower begins to move: only its rows are asked for, and only its boxes get
 * other velocities. */
START_TEST(only_what_changed)
{
    peg_pgs_group group[BOXES];
    unsigned char dirty[BOXES] = {0};
    build_towers((double[]){0, 0, 0});
    solve(&(peg_pgs_goal){.speed = speed, .max_iterations = 10000}, &first);
    build_towers((double[]){0, .1, 0});
    find_groups(group);
    source from = {.lambda = first.lambda, .to = &second};
    peg_pgs_goal goal = follow(group, &from, dirty);
    dirty[HEIGHT] = 1;
    solve(&goal, &second);
    for (int i = 0; i < BOXES; i++) {
        int moved = i / HEIGHT == 1;
        ck_assert_int_eq(dirty[i], moved);
        ck_assert_int_eq(from.asked[ROWS_A_PAIR * i], moved);
        ck_assert(moved || memcmp(first.v[i], second.v[i], sizeof *first.v) == 0);
        ck_assert_double_le(fabs(second.v[i][2] - (moved ? .1 : 0)), AGREE);
    }
    for (int i = 0; i < island.problem.m; i++)
        if (!from.asked[i]) second.lambda[i] = first.lambda[i];
    check_answer(&second);
}
END_TEST

/* Nothing is dirty up: nothing is asked for. */
START_TEST(nothing_changed)
{
    peg_pgs_group group[BOXES];
    unsigned char dirty[BOXES] = {0};
    build_towers((double[]){.1, 0, .2});
    find_groups(group);
    solve(&(peg_pgs_goal){.speed = speed, .max_iterations = 10000}, &first);
    source from = {.lambda = first.lambda, .to = &second};
    peg_pgs_goal goal = follow(group, &from, dirty);
    solve(&goal, &second);
    ck_assert_int_eq(memcmp(first.v, second.v, BOXES * sizeof *first.v), 0);
    for (int i = 0; i < island.problem.m; i++) ck_assert_int_eq(from.asked[i], 0);
    for (int i = 0; i < BOXES; i++) ck_assert_int_eq(dirty[i], 0);
}
END_TEST

/* --- slopes --- */

/* Speed that gravity adds in a step, m/s. */
static const double FALL = .1;

/* Gravity of a slope with this tangent, along x; friction everywhere. */
static void tilt(double slope, double mu)
{
    double z = -FALL / sqrt(1 + slope * slope);
    for (int i = 0; i < island.problem.m; i++)
        if (island.row[i].bounded) island.row[i].mu = mu;
    for (int i = 0; i < island.problem.nb; i++) {
        double fall[6] = {-slope * z, 0, z};
        memcpy(island.target[i], fall, sizeof fall);
    }
}

/* Towers on a slope hold while it is not as steep as friction allows, and slide as one where it is
 * a little steeper. */
START_TEST(slopes)
{
    static const double mu = .2, slope[] = {.9, .99, .999, 1.06, 1.1, 1.3};
    build_towers((double[]){0, 0, 0});
    tilt(mu * slope[_i], mu);
    solve(&(peg_pgs_goal){.speed = speed, .max_iterations = 10000}, &first);
    double slides = fmax(0, island.target[0][0] + mu * island.target[0][2]);
    for (int b = 0; b < BOXES; b++) {
        ck_assert_double_le(fabs(first.v[b][0] - slides), 1e-4 * FALL);
        for (int k = 1; k < 6; k++) ck_assert_double_le(fabs(first.v[b][k]), 1e-4 * FALL);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gauss-seidel");
    TCase *tc = tcase_create("what changed");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, little_patience);
    tcase_add_test(tc, rows_by_the_group);
    tcase_add_test(tc, rows_that_are_kept);
    tcase_add_test(tc, only_what_changed);
    tcase_add_test(tc, nothing_changed);
    suite_add_tcase(suite, tc);
    TCase *friction = tcase_create("friction");
    tcase_add_checked_fixture(friction, set_up, tear_down);
    tcase_add_loop_test(friction, slopes, 0, 6);
    suite_add_tcase(suite, friction);
    return suite;
}
