/* Small problems by their Delassus matrix: by itself, against enumeration and the method that
 * follows where it fails. */
#include "tests/runner.h"
#include "tests/friction_oracle.h"
#include "tests/lcp_cases.h"
#include "peg/lcp/delassus.h"

#include <check.h>

static const peg_solve_options options = {.tolerance = 1e-10};

static lcp_case island;
static case_solution first, second;
static peg_arena arena;

static void setup(void)
{
    memset(&arena, 0, sizeof arena);
    case_clear(&first);
    case_clear(&second);
}

static void teardown(void)
{
    peg_arena_free(&arena);
}

static void bind(int normal, double mu, double limit)
{
    peg_lcp_row *row = &island.row[island.problem.m - 1];
    row->bounded = 1;
    row->normal = normal;
    row->mu = mu;
    row->limit = limit;
}

/* A contact with a normal and two friction rows, with ties if they are integers. */
static void random_contact(uint64_t *seed, double mu, int integers)
{
    int normal = island.problem.m;
    case_add_random_row(&island, seed, integers);
    peg_lcp_row at = island.row[normal];
    for (int k = 0; k < 2; k++) {
        case_add_random_row(&island, seed, integers);
        peg_lcp_row *row = &island.row[island.problem.m - 1];
        row->body_a = at.body_a, row->body_b = at.body_b;
        row->b = 0;
        bind(normal, mu, 0);
    }
}

/* A joint row of two bodies, or of one and what does not move. */
static void random_equation(uint64_t *seed)
{
    case_add_random_row(&island, seed, 0);
    bind(-1, 0, INFINITY);
}

static peg_outcome solve(case_solution *s)
{
    return peg_solve_delassus(&arena, &island.problem, &options, &s->solution);
}

static double residual(const case_solution *s)
{
    return peg_residual(&island.problem, &s->solution) / peg_residual_unit(&island.problem);
}

/* Every answer is one of the enumerated ones; where there is one, it is found. */
START_TEST(answers_are_among_the_enumerated_ones)
{
    int solved = 0, lost = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t s = seed + 1000 * (uint64_t)_i;
        int found;
        case_bodies(&island, &s, case_integer(&s, 1, 3), 0);
        for (int k = case_integer(&s, 1, 2); k > 0; k--) random_contact(&s, _i ? 0.5 : 2, 0);
        for (int k = case_integer(&s, 0, 3); k > 0; k--) random_equation(&s);
        setup();
        peg_outcome outcome = solve(&first);
        double off = friction_oracle_distance(&island.problem, (const double(*)[6])first.v, &found);
        if (outcome == PEG_SOLVED) {
            ck_assert_msg(off < 1e-7, "seed %d: %g from any answer", (int)seed, off);
            ck_assert_double_le(residual(&first), options.tolerance);
            solved++;
        }
        lost += outcome != PEG_SOLVED && found;
        teardown();
    }
    ck_assert_int_gt(solved, 300);
    ck_assert_int_le(lost, _i ? 0 : 4);
}
END_TEST

/* Boxes on each other, each hung from the one before by an equation at its centre, kicked. */
static void kicked_stack(uint64_t seed, int count, int copies, int equations)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    case_stack(&island, count, 2, 1);
    island.problem.m = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4 * copies; k++) {
            double x = k % 2 - 0.5, y = k / 2 % 2 - 0.5;
            double a[3] = {x, y, -0.5}, b[3] = {x, y, 0.5};
            int normal = island.problem.m;
            case_add_contact(&island, i, i - 1, a, b, axis[2], 0);
            for (int t = 0; t < 2; t++) {
                case_add_contact(&island, i, i - 1, a, b, axis[t], 0);
                bind(normal, 0.5, 0);
            }
        }
    for (int k = 0; k < equations; k++) {
        case_add_contact(&island, count - 1, -1, (double[]){0.1, 0.3, 0}, (double[]){0, 0, 0},
                         axis[k % 3], 0);
        bind(-1, 0, INFINITY);
        island.row[island.problem.m - 1].c = 1e-8;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 6; k++) island.target[i][k] += case_uniform(&seed, -0.1, 0.1);
}

/* The corners of a face, and the joint, are redundant, once more if there are copies. */
START_TEST(redundant_rows_share_the_load)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int copies = 1; copies <= 2; copies++) {
            kicked_stack(seed, copies == 1 ? 3 : 2, copies, _i);
            setup();
            ck_assert_int_eq(solve(&first), PEG_SOLVED);
            ck_assert_double_le(residual(&first), options.tolerance);
            ck_assert_double_le(peg_cone_excess(&island.problem, &first.solution), 0);
            if (peg_solve_newton(&arena, &island.problem, &options, &second.solution) == PEG_SOLVED)
                ck_assert_double_lt(case_difference(&island, &first, &second), 1e-6);
            teardown();
        }
}
END_TEST

/* From the answer, and from an impulse that is far off. */
START_TEST(the_warm_start_does_not_matter)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        kicked_stack(seed, 2, 1, 2);
        setup();
        ck_assert_int_eq(solve(&first), PEG_SOLVED);
        memcpy(second.lambda, first.lambda, sizeof first.lambda);
        ck_assert_int_eq(solve(&second), PEG_SOLVED);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
        for (int i = 0; i < island.problem.m; i++) second.lambda[i] = 1e3 * (i % 7 - 3);
        ck_assert_int_eq(solve(&second), PEG_SOLVED);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-6);
        teardown();
    }
}
END_TEST

/* Without an answer nothing is written. */
START_TEST(what_is_not_solved_is_left_alone)
{
    case_walls(&island, 1);
    first.v[0][0] = 7;
    first.lambda[0] = 3;
    ck_assert_int_ne(solve(&first), PEG_SOLVED);
    ck_assert_double_eq(first.v[0][0], 7);
    ck_assert_double_eq(first.lambda[0], 3);
    kicked_stack(1, 12, 1, 0);
    ck_assert_int_gt(island.problem.m, PEG_DELASSUS_ROWS);
    ck_assert_int_eq(solve(&first), PEG_ITERATION_LIMIT);
    ck_assert_double_eq(first.lambda[0], 3);
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    kicked_stack(3, 2, 1, 2);
    for (long n = 1;; n++) {
        setup();
        peg_memory_fail_at(n, 0);
        peg_outcome outcome = solve(&first);
        peg_memory_fail_at(0, 0);
        teardown();
        if (outcome == PEG_SOLVED) break;
        ck_assert_int_eq(outcome, PEG_OUT_OF_MEMORY);
        ck_assert_int_lt(n, 100);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("delassus");
    TCase *tests = tcase_create("delassus");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, answers_are_among_the_enumerated_ones, 0, 2);
    tcase_add_loop_test(tests, redundant_rows_share_the_load, 0, 5);
    tcase_add_test(tests, the_warm_start_does_not_matter);
    tcase_add_test(tests, what_is_not_solved_is_left_alone);
    tcase_add_test(tests, exhausted_memory_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}
