/* Projected Gauss-Seidel beside joints: against the certificate and the exact solvers of the same
 * mixed LCP, whose rows know nothing of groups. */
#include "tests/runner.h"
#include "tests/lcp_cases.h"
#include "peg/lcp/wide_pgs.h"

#include <check.h>

enum { CONTACTS = 60, JOINTS = 200 };

static const peg_solve_options options = {.tolerance = 1e-10};

static lcp_case island;
static case_solution exact, found;
static peg_mass_root root[CASE_BODIES];
static peg_wide_contact contact[CONTACTS];
static peg_wide_patch patch[CONTACTS];
static peg_lcp_row joint[JOINTS];
static double joint_lambda[JOINTS];
static peg_wide_problem problem;
static peg_wide_result result;
static peg_arena arena;

static void setup(void)
{
    memset(&arena, 0, sizeof arena);
    case_clear(&exact);
    case_clear(&found);
}

static void teardown(void)
{
    peg_arena_free(&arena);
}

static void begin(uint64_t *seed, int nb)
{
    case_bodies(&island, seed, nb, 0.5);
    for (int i = 0; i < nb; i++) ck_assert(peg_mass_root_of(&island.mass[i], &root[i]));
    memset(joint_lambda, 0, sizeof joint_lambda);
    problem = (peg_wide_problem){.nb = nb,
                                 .root = root,
                                 .target = (const peg_vec6 *)island.target,
                                 .contact = contact,
                                 .patch = patch,
                                 .joint = joint,
                                 .joint_lambda = joint_lambda,
                                 .iterations = 4000,
                                 .tolerance = 1e-6};
}

/* Three equations between two bodies (b may be -1), as of a ball joint off the centres, and, if
 * there is a limit, a row with bounds: a motor, or a stop that pushes without bound. */
static void join(uint64_t *seed, int a, int b, double limit)
{
    for (int k = 0; k < 3 + (limit > 0); k++) {
        peg_lcp_row row = {.body_a = a, .body_b = b, .bounded = 1, .normal = -1};
        for (int i = 0; i < 3; i++) {
            row.Ja[i] = i == k, row.Jb[i] = -row.Ja[i];
            row.Ja[3 + i] = case_uniform(seed, -0.5, 0.5);
            row.Jb[3 + i] = case_uniform(seed, -0.5, 0.5);
        }
        row.limit = k < 3 ? INFINITY : limit;
        if (k == 3 && isinf(limit)) row.bounded = 0, row.limit = 0;
        row.b = k < 3 ? case_uniform(seed, -1e-3, 1e-3) : case_uniform(seed, -0.2, 0.2);
        row.c = k < 3 ? 0 : 1e-3;
        joint[problem.joints++] = row;
    }
}

static void touch(uint64_t *seed, int a, int b, double mu)
{
    peg_wide_contact *c = &contact[problem.patches];
    double d[3];
    *c = (peg_wide_contact){.bias = {case_uniform(seed, 0, 0.05)}, .mu = {mu, mu}};
    for (int k = 0; k < 3; k++) {
        c->normal[k] = case_uniform(seed, -1, 1), d[k] = case_uniform(seed, -1, 1);
        c->arm_a[k] = case_uniform(seed, -0.5, 0.5), c->arm_b[k] = case_uniform(seed, -0.5, 0.5);
    }
    peg_normalise(c->normal);
    peg_cross(c->normal, d, c->tangent);
    peg_normalise(c->tangent);
    patch[problem.patches] = (peg_wide_patch){a, b, problem.patches, 1};
    problem.patches++;
}

/* The same as a mixed LCP. */
static void add_contact_row(const peg_wide_patch *p, const peg_wide_contact *c, const double *d,
                            int normal, int k)
{
    peg_lcp_row row = {.body_a = p->a, .body_b = p->b, .b = c->bias[k], .c = c->compliance[k]};
    double back[3] = {-d[0], -d[1], -d[2]};
    peg_copy3(d, row.Ja);
    peg_cross(c->arm_a, d, row.Ja + 3);
    peg_copy3(back, row.Jb);
    peg_cross(c->arm_b, back, row.Jb + 3);
    if (k) row.bounded = 1, row.normal = normal, row.mu = c->mu[k - 1];
    case_add_row(&island, row);
}

static void make_lcp(void)
{
    int rows = problem.frictionless ? 1 : 3;
    island.problem.m = 0;
    for (int i = 0; i < problem.patches; i++) {
        const peg_wide_contact *c = &contact[i];
        double third[3];
        const double *d[3] = {c->normal, c->tangent, third};
        peg_cross(c->normal, c->tangent, third);
        for (int k = 0; k < rows; k++) {
            add_contact_row(&patch[i], c, d[k], rows * i, k);
            found.lambda[island.problem.m - 1] = c->lambda[k];
        }
    }
    for (int k = 0; k < problem.joints; k++) {
        case_add_row(&island, joint[k]);
        found.lambda[island.problem.m - 1] = joint_lambda[k];
    }
}

/* What the answer leaves, in the unit of the problem. */
static double solve(void)
{
    ck_assert(peg_solve_wide_pgs(&arena, &problem, found.v, &result));
    make_lcp();
    return peg_residual(&island.problem, &found.solution) / peg_residual_unit(&island.problem);
}

/* Of the equations alone: they hold to rounding, whatever the contacts leave. */
static double joint_error(void)
{
    double worst = 0;
    for (int k = 0; k < problem.joints; k++) {
        const peg_lcp_row *row = &joint[k];
        if (!row->bounded || isfinite(row->limit)) continue;
        worst = fmax(worst, fabs(peg_lcp_speed(row, (const peg_vec6 *)found.v) + row->b));
    }
    return worst;
}

/* Contacts of springs on what moves, with slip. */
static void drive(uint64_t *seed)
{
    for (int i = 0; i < problem.patches; i++)
        for (int k = 0; k < 3; k++) {
            contact[i].bias[k] += case_uniform(seed, -0.1, 0.1);
            contact[i].compliance[k] = case_uniform(seed, 0, 0.5);
        }
}

/* A chain that hangs, a tree, and a body alone, with contacts between all. */
static void random_case(uint64_t *seed, double mu, double limit)
{
    begin(seed, 14);
    for (int i = 0; i < 6; i++) join(seed, i, i - 1, i % 2 ? limit : 0);
    for (int i = 7; i < 13; i++) join(seed, i, i == 7 ? 12 : 6 + (i - 6) / 2, i % 2 ? 0 : limit);
    for (int k = 0; k < 12; k++) {
        int a = case_integer(seed, 0, 13), b = case_integer(seed, -1, 13);
        touch(seed, a, b == a ? -1 : b, mu);
    }
}

/* _i: without friction, with it, with motors, with stops, with springs. */
START_TEST(answers_satisfy_all_rows)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t s = seed;
        random_case(&s, _i ? 0.4 : 0, _i == 2 ? 0.05 : _i == 3 ? INFINITY : 0);
        problem.frictionless = _i == 0;
        if (_i == 4) drive(&s);
        double left = solve();
        ck_assert_double_le(joint_error(), 1e-8);
        if (result.change > problem.tolerance) continue; /* friction may have no answer */
        ck_assert_msg(left < 1e-4, "seed %d leaves %g", (int)seed, left);
        solved++;
        if (_i) continue;
        ck_assert_int_eq(peg_solve(&arena, &island.problem, &options, &exact.solution), PEG_SOLVED);
        ck_assert_double_lt(case_difference(&island, &exact, &found), 1e-3);
    }
    ck_assert_int_ge(solved, _i ? 50 : 55);
}
END_TEST

/* A body on a ball joint that hangs from what does not move is pushed by a wall: the closed form of
 * a pendulum of one direction. */
START_TEST(pendulum_meets_a_wall)
{
    uint64_t seed = 1;
    begin(&seed, 1);
    double m = 2, I = 0.5, arm = 1, v = 3;
    island.mass[0] = (peg_mass_block){1 / m, {1 / I, 0, 0, 0, 1 / I, 0, 0, 0, 1 / I}};
    ck_assert(peg_mass_root_of(&island.mass[0], &root[0]));
    memset(island.target[0], 0, sizeof island.target[0]);
    island.target[0][0] = v;
    for (int k = 0; k < 3; k++) { /* the point `arm` above the centre stays */
        peg_lcp_row row = {.body_a = 0, .body_b = -1, .bounded = 1, .limit = INFINITY};
        double up[3] = {0, 0, arm};
        row.Ja[k] = 1;
        peg_cross(up, row.Ja, row.Ja + 3);
        joint[problem.joints++] = row;
    }
    contact[0] = (peg_wide_contact){.normal = {-1, 0, 0}, .tangent = {0, 1, 0}, .bias = {0.25}};
    patch[0] = (peg_wide_patch){0, -1, 0, 1};
    problem.patches = 1;
    problem.tolerance = 1e-9;
    ck_assert_double_lt(solve(), 1e-6);
    /* it would swing with v m / (m + I / arm^2); the wall lets it go on with the bias */
    double free_speed = v * m / (m + I / (arm * arm));
    ck_assert_double_eq_tol(found.v[0][0], 0.25, 1e-6);
    ck_assert_double_eq_tol(found.v[0][4], -0.25 / arm, 1e-6);
    ck_assert_double_eq_tol(contact[0].lambda[0], (m + I / (arm * arm)) * (free_speed - 0.25),
                            1e-5);
}
END_TEST

/* Chains of 2 to 38 bodies fall on the ground with one end: an impulse there moves all of them. The
 * iterations do not grow with the chain. */
START_TEST(long_chains_take_few_iterations)
{
    for (int n = 2; n <= 38; n += 12) {
        uint64_t seed = 5;
        begin(&seed, n);
        for (int i = 1; i < n; i++) join(&seed, i, i - 1, 0);
        touch(&seed, n - 1, -1, 0.5);
        touch(&seed, n - 1, -1, 0.5);
        solve();
        ck_assert_double_le(result.change, problem.tolerance);
        ck_assert_int_le(result.iterations, 200);
    }
}
END_TEST

/* Warm starts from the answer are the answer. */
START_TEST(warm_starts_need_no_iterations)
{
    uint64_t seed = 9;
    random_case(&seed, 0.4, 0.05);
    problem.tolerance = 1e-5;
    solve();
    int cold = result.iterations;
    memcpy(exact.v, found.v, sizeof found.v);
    solve();
    ck_assert_int_lt(result.iterations, cold / 4 + 3);
    ck_assert_double_lt(case_difference(&island, &exact, &found), 1e-3);
}
END_TEST

START_TEST(threads_move_no_bit)
{
    uint64_t seed = 4;
    random_case(&seed, 0.4, 0.05);
    double v[CASE_BODIES][6], start[JOINTS];
    memcpy(start, joint_lambda, sizeof start);
    for (int threads = 1; threads <= 3; threads += 2) {
        problem.pool = threads > 1 ? peg_pool_create(threads) : NULL;
        for (int k = 0; k < problem.patches; k++)
            memset(contact[k].lambda, 0, sizeof contact[k].lambda);
        memcpy(joint_lambda, start, sizeof start);
        ck_assert(peg_solve_wide_pgs(&arena, &problem, found.v, &result));
        if (threads == 1) memcpy(v, found.v, sizeof v);
        ck_assert(!memcmp(v, found.v, sizeof v));
        peg_pool_destroy(problem.pool);
    }
}
END_TEST

/* Equations that contradict each other have no answer; those that repeat each other have. */
START_TEST(contradictions_are_refused)
{
    uint64_t seed = 3;
    begin(&seed, 3);
    join(&seed, 0, -1, 0);
    join(&seed, 1, 0, 0);
    touch(&seed, 1, -1, 0.5);
    for (int k = 0; k < 3; k++) joint[problem.joints++] = joint[k];
    ck_assert_double_lt(solve(), 1e-4);
    joint[problem.joints - 1].b += 1;
    ck_assert(!peg_solve_wide_pgs(&arena, &problem, found.v, &result));
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    uint64_t seed = 6;
    random_case(&seed, 0.4, 0.05);
    for (long n = 1;; n++) {
        peg_arena own = {0};
        peg_memory_fail_at(n, 0);
        int ok = peg_solve_wide_pgs(&own, &problem, found.v, &result);
        peg_memory_fail_at(0, 0);
        peg_arena_free(&own);
        if (ok) break;
        ck_assert_int_lt(n, 1000);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("wide-joined");
    TCase *tests = tcase_create("wide-joined");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, answers_satisfy_all_rows, 0, 5);
    tcase_add_test(tests, pendulum_meets_a_wall);
    tcase_add_test(tests, long_chains_take_few_iterations);
    tcase_add_test(tests, warm_starts_need_no_iterations);
    tcase_add_test(tests, threads_move_no_bit);
    tcase_add_test(tests, contradictions_are_refused);
    tcase_add_test(tests, exhausted_memory_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}
