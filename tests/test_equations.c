/* Equations by factors of their envelope: against dense factors by LAPACK, in chains, loops and
 * nets. */
#include "tests/runner.h"
#include "tests/lcp_cases.h"
#include "peg/lcp/cholesky.h"
#include "peg/lcp/equations.h"

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

/* A row between two bodies, of which b may be immovable. */
static void link_bodies(uint64_t *seed, int a, int b, double c)
{
    case_add_random_row(&island, seed, 0);
    peg_lcp_row *row = &island.row[island.problem.m - 1];
    row->body_a = a, row->body_b = b;
    row->bounded = 1, row->limit = INFINITY, row->normal = -1, row->mu = 0;
    row->c = c;
}

/* Bodies in a chain that hangs from what does not move, three rows a joint; in a loop if it is
 * closed. */
static void chain(uint64_t seed, int n, int is_closed, double c)
{
    case_bodies(&island, &seed, n, 2);
    for (int i = 0; i < n + is_closed; i++)
        for (int k = 0; k < 3; k++) link_bodies(&seed, i % n, i ? i - 1 : -1, c);
}

static peg_outcome solve(case_solution *s)
{
    peg_norms norms;
    double unit = peg_residual_unit(&island.problem);
    ck_assert(peg_norms_create(&arena, &island.problem, &norms));
    return peg_solve_equations(&arena, &island.problem, &norms, options.tolerance * unit,
                               &s->solution);
}

/* v by the dense matrix J M^-1 J^T + C. */
static void solve_densely(case_solution *s)
{
    static double S[CASE_ROWS * 60], x[60];
    const peg_problem *p = &island.problem;
    int m = p->m;
    ck_assert_int_le(m, 60);
    for (int j = 0; j < m; j++) {
        peg_vec6 v[CASE_BODIES] = {{0}};
        const peg_lcp_row *row = &p->row[j];
        if (row->body_a >= 0) peg_add_impulse(&p->mass[row->body_a], row->Ja, 1, v[row->body_a]);
        if (row->body_b >= 0) peg_add_impulse(&p->mass[row->body_b], row->Jb, 1, v[row->body_b]);
        for (int i = 0; i < m; i++)
            S[j * m + i] =
                peg_lcp_speed(&p->row[i], (const peg_vec6 *)v) + (i == j ? p->row[i].c : 0);
        x[j] = -p->row[j].b - peg_lcp_speed(row, p->target);
    }
    ck_assert(peg_cholesky(m, S));
    peg_lower_solve(m, S, 1, x);
    peg_lower_solve_transposed(m, S, 1, x);
    memcpy(s->v, p->target, (size_t)p->nb * sizeof *s->v);
    for (int j = 0; j < m; j++) {
        const peg_lcp_row *row = &p->row[j];
        if (row->body_a >= 0)
            peg_add_impulse(&p->mass[row->body_a], row->Ja, x[j], s->v[row->body_a]);
        if (row->body_b >= 0)
            peg_add_impulse(&p->mass[row->body_b], row->Jb, x[j], s->v[row->body_b]);
    }
}

static double residual(const case_solution *s)
{
    return peg_residual(&island.problem, &s->solution) / peg_residual_unit(&island.problem);
}

/* _i: whether the rows yield. */
START_TEST(chains_move_as_by_dense_factors)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        chain(seed, 1 + (int)(seed % 16), 0, _i ? 0.1 : 0);
        ck_assert_int_eq(solve(&first), PEG_SOLVED);
        ck_assert_double_le(residual(&first), options.tolerance);
        solve_densely(&second);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
    }
}
END_TEST

/* Bodies that are joined by all to all: rows of the envelope begin with the first one. */
START_TEST(rows_in_any_order_are_solved)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t s = seed;
        case_bodies(&island, &s, 4, 1);
        for (int k = 0; k < 18; k++) {
            int a = case_integer(&s, 0, 3), b = case_integer(&s, -1, 3);
            link_bodies(&s, a, b, 1e-3);
        }
        ck_assert_int_eq(solve(&first), PEG_SOLVED);
        ck_assert_double_le(residual(&first), options.tolerance);
        solve_densely(&second);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-7);
    }
}
END_TEST

/* Each row twice: the velocity is that of single rows, the impulses share the load, and a warm
 * start in which one of two bears all is left as it is. */
START_TEST(redundant_rows_share_the_load)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        chain(seed, 6, 0, 0);
        ck_assert_int_eq(solve(&first), PEG_SOLVED);
        int m = island.problem.m;
        memcpy(second.lambda, first.lambda, sizeof first.lambda);
        for (int i = 0; i < m; i++) case_add_row(&island, island.row[i]);
        ck_assert_int_eq(solve(&second), PEG_SOLVED);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
        for (int i = 0; i < m; i++)
            ck_assert_double_eq_tol(second.lambda[m + i], 0, 1e-6 * fabs(first.lambda[i]) + 1e-9);
        case_clear(&second);
        ck_assert_int_eq(solve(&second), PEG_SOLVED);
        ck_assert_double_le(residual(&second), options.tolerance);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
    }
}
END_TEST

/* The certificate rejects what contradicts itself, and the other methods find no answer either. */
START_TEST(contradictions_are_no_answer)
{
    chain(3, 3, 0, 0);
    case_add_row(&island, island.row[0]);
    island.row[island.problem.m - 1].b += 1;
    ck_assert_int_ne(peg_solve(&arena, &island.problem, &options, &first.solution), PEG_SOLVED);
}
END_TEST

START_TEST(equations_alone_are_solved_by_them)
{
    chain(5, 12, 0, 0);
    ck_assert_int_eq(peg_solve(&arena, &island.problem, &options, &first.solution), PEG_SOLVED);
    ck_assert_int_eq(first.solution.method, PEG_METHOD_EQUATIONS);
    ck_assert_double_gt(first.solution.work, 0);
    island.row[4].limit = 1e3;
    ck_assert_int_eq(peg_solve(&arena, &island.problem, &options, &second.solution), PEG_SOLVED);
    ck_assert_int_eq(second.solution.method, PEG_METHOD_DELASSUS);
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
}
END_TEST

/* A closed chain of 40 bodies has one long row; a star of 40 has rows of all lengths. */
START_TEST(wide_envelopes_are_left_to_other_methods)
{
    uint64_t seed = 1;
    chain(1, 40, 1, 1e-3);
    ck_assert_int_eq(solve(&first), PEG_SOLVED);
    case_bodies(&island, &seed, 40, 1);
    for (int i = 1; i < 40; i++)
        for (int k = 0; k < 3; k++) link_bodies(&seed, i, 0, 1e-3);
    case_clear(&first);
    first.v[0][0] = 7;
    ck_assert_int_eq(solve(&first), PEG_ITERATION_LIMIT);
    ck_assert_double_eq(first.v[0][0], 7);
    ck_assert_int_eq(peg_solve(&arena, &island.problem, &options, &first.solution), PEG_SOLVED);
}
END_TEST

START_TEST(rows_without_scale_are_singular)
{
    chain(2, 3, 0, 0);
    memset(island.row[4].Ja, 0, sizeof island.row[4].Ja);
    memset(island.row[4].Jb, 0, sizeof island.row[4].Jb);
    first.v[0][0] = 7;
    ck_assert_int_eq(solve(&first), PEG_SINGULAR);
    ck_assert_double_eq(first.v[0][0], 7);
    chain(2, 3, 0, 0);
    island.target[1][2] = NAN;
    ck_assert_int_eq(solve(&first), PEG_SINGULAR);
    ck_assert_double_eq(first.v[0][0], 7);
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    chain(3, 4, 0, 0);
    for (long n = 1;; n++) {
        peg_arena own = {0};
        peg_memory_fail_at(n, 0);
        peg_outcome outcome = peg_solve(&own, &island.problem, &options, &first.solution);
        peg_memory_fail_at(0, 0);
        peg_arena_free(&own);
        if (outcome == PEG_SOLVED) break;
        ck_assert_int_eq(outcome, PEG_OUT_OF_MEMORY);
        ck_assert_int_lt(n, 100);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("equations");
    TCase *tests = tcase_create("equations");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, chains_move_as_by_dense_factors, 0, 2);
    tcase_add_test(tests, rows_in_any_order_are_solved);
    tcase_add_test(tests, redundant_rows_share_the_load);
    tcase_add_test(tests, contradictions_are_no_answer);
    tcase_add_test(tests, equations_alone_are_solved_by_them);
    tcase_add_test(tests, wide_envelopes_are_left_to_other_methods);
    tcase_add_test(tests, rows_without_scale_are_singular);
    tcase_add_test(tests, exhausted_memory_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}
