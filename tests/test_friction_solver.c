/* Bounded rows of the mixed LCP: against enumeration, against closed forms, and what must hold
 * without a reference. */
#include "tests/runner.h"
#include "tests/friction_oracle.h"
#include "tests/lcp_cases.h"
#include "peg/lcp/balance.h"
#include "peg/lcp/friction_cone.h"
#include "peg/lcp/scaled.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a certified answer is held to, relative to peg_residual_unit. */
static const double TOLERANCE = 1e-10;

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

static peg_outcome solve(pegSolver which, case_solution *s)
{
    return peg_solve(&arena, &island.problem,
                     &(peg_solve_options){.solver = which, .tolerance = TOLERANCE}, &s->solution);
}

/* 1: solved to the tolerance, with friction inside its cones. */
static int solved(case_solution *s)
{
    return solve(PEG_SOLVER_AUTO, s) == PEG_SOLVED && s->solution.cone == 0 &&
           peg_cone_excess(&island.problem, &s->solution) == 0;
}

static void rub(int a, int b, const double *pa, const double *pb, const double *t, int normal,
                double mu)
{
    case_add_contact(&island, a, b, pa, pb, t, 0);
    peg_lcp_row *row = &island.row[island.problem.m - 1];
    row->bounded = 1;
    row->normal = normal;
    row->mu = mu;
}

/* A contact with normal z and friction along x and y. */
static void contact(int a, int b, const double *pa, const double *pb, double mu)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    int normal = island.problem.m;
    case_add_contact(&island, a, b, pa, pb, z, 0);
    rub(a, b, pa, pb, x, normal, mu);
    rub(a, b, pa, pb, y, normal, mu);
}

/* case_stack with friction, every contact `copies` times. */
static void stack(int count, double mass_ratio, double mu, int copies)
{
    case_stack(&island, count, 2, mass_ratio);
    island.problem.m = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4 * copies; k++) {
            double x = k % 2 - 0.5, y = k / 2 % 2 - 0.5;
            contact(i, i - 1, (double[]){x, y, -0.5}, (double[]){x, y, 0.5}, mu);
        }
}

static void kick(uint64_t *seed, double speed)
{
    for (int i = 0; i < island.problem.nb; i++)
        for (int k = 0; k < 6; k++) island.target[i][k] += case_uniform(seed, -speed, speed);
}

/* --- loads that are passed on --- */

/* Whether the impulses of peg_balance make v = 0 an answer; what it does not find it leaves. */
static int is_balanced(void)
{
    case_clear(&first);
    for (int i = 0; i < island.problem.m; i++) first.lambda[i] = -1 - i;
    if (!peg_balance(&arena, &island.problem, first.lambda)) {
        for (int i = 0; i < island.problem.m; i++) ck_assert_double_eq(first.lambda[i], -1 - i);
        return 0;
    }
    ck_assert_double_le(peg_residual(&island.problem, &first.solution),
                        1e-12 * peg_residual_unit(&island.problem));
    ck_assert_double_le(peg_cone_excess(&island.problem, &first.solution), 1e-15);
    return 1;
}

/* Turns what applied forces do by an angle about y, as for bodies on a slope. */
static void lean(double angle)
{
    for (int i = 0; i < island.problem.nb; i++) {
        double *v = island.target[i], down = -v[2];
        v[0] = down * sin(angle), v[2] = -down * cos(angle);
    }
}

START_TEST(loads_are_passed_on_to_the_ground)
{
    static const double ratio[] = {1, 1e6, 1e-6};
    for (int k = 0; k < 3; k++)
        for (int count = 1; count <= 30; count += 7)
            for (int copies = 1; copies <= 3; copies++) {
                stack(count, ratio[k], 0.5, copies);
                ck_assert(is_balanced());
            }
    for (double mu = 0.1; mu < 0.9; mu += 0.2) {
        stack(1, 1, mu, 1);
        lean(0.999 * atan(mu));
        ck_assert(is_balanced());
        stack(1, 1, mu, 1);
        lean(1.001 * atan(mu));
        ck_assert(!is_balanced());
    }
}
END_TEST

/* Boxes that reach over the one below by `over` in the direction x. */
static void stairs(int count, double over)
{
    stack(count, 1, 0.5, 1);
    for (int i = 0; i < island.problem.m; i++) {
        peg_lcp_row *row = &island.row[i];
        const double *n = row->Ja;
        double side = i / 3 % 2 ? 0.5 : -0.5, y = i / 6 % 2 ? 0.5 : -0.5;
        double a[3] = {side < 0 ? -0.5 : 0.5 - over, y, -0.5}, b[3] = {a[0] + over, y, 0.5};
        if (row->body_b < 0) continue;
        peg_cross(a, n, row->Ja + 3);
        for (int k = 0; k < 3; k++) row->Jb[k] = -n[k];
        peg_cross(b, row->Jb, row->Jb + 3);
    }
}

/* The centre of what lies above a box is (count - 1) over / 2 beyond it. */
START_TEST(what_tips_is_not_balanced)
{
    for (int count = 2; count <= 6; count++) {
        stairs(count, 0.999 / count);
        ck_assert(is_balanced());
        stairs(count, 1 / (double)count); /* above the very edge */
        ck_assert(is_balanced());
        stairs(count, 1.001 / count);
        ck_assert(!is_balanced());
    }
}
END_TEST

START_TEST(what_moves_is_not_balanced)
{
    static const double x[3] = {1, 0, 0}, half[3] = {0.5, 0, 0}, back[3] = {-0.5, 0, 0};
    stack(3, 1, 0.5, 1);
    island.row[3].b = -0.01; /* an overlap that opens */
    ck_assert(!is_balanced());
    stack(3, 1, 0.5, 1);
    island.row[4].b = 0.01; /* a conveyor */
    ck_assert(!is_balanced());
    stack(3, 1, 0.5, 1);
    for (int i = 0; i < 12; i++) island.row[i].b = island.row[i].bounded ? 0 : 0.01; /* a gap */
    ck_assert(!is_balanced());
    stack(2, 1, 0.5, 1);
    case_add_contact(&island, 1, 0, half, back, x, 0); /* beside each other */
    ck_assert(is_balanced());
    for (int i = 0; i < island.problem.nb; i++) memset(island.target[i], 0, 6 * sizeof(double));
    ck_assert(!is_balanced());
}
END_TEST

/* A joint of two bodies: a row of equality along x, behind the rows of contacts. */
static void join(double b)
{
    static const double x[3] = {1, 0, 0}, top[3] = {0, 0, 0.5}, bottom[3] = {0, 0, -0.5};
    case_add_contact(&island, 1, 0, bottom, top, x, b);
    peg_lcp_row *row = &island.row[island.problem.m - 1];
    row->bounded = 1;
    row->normal = -1;
    row->limit = INFINITY;
}

START_TEST(joints_bear_no_load)
{
    stack(3, 1, 0.5, 1);
    join(0);
    ck_assert(is_balanced());
    lean(0.1);
    ck_assert(is_balanced());
}
END_TEST

/* --- against enumeration --- */

/* Contacts of one or two friction rows, of all kinds of bounds. */
static void random_contacts(uint64_t *seed, double mu_most)
{
    case_bodies(&island, seed, case_integer(seed, 1, 3), 0);
    int m = case_integer(seed, 1, 7);
    while (island.problem.m < m) {
        int normal = island.problem.m;
        case_add_random_row(&island, seed, 0);
        for (int rows = case_integer(seed, 0, 2); rows > 0; rows--) {
            peg_lcp_row row = island.row[normal];
            for (int k = 0; k < 6; k++) {
                row.Ja[k] = case_uniform(seed, -1, 1);
                row.Jb[k] = case_uniform(seed, -1, 1);
            }
            row.b = case_integer(seed, 0, 3) ? 0 : case_uniform(seed, -0.3, 0.3);
            row.c = case_integer(seed, 0, 4) ? 0 : case_uniform(seed, 0, 1);
            row.bounded = 1;
            row.normal = normal;
            row.mu = case_integer(seed, 0, 5) ? case_uniform(seed, 0, mu_most) : 0;
            row.limit = case_integer(seed, 0, 2) ? 0 : case_uniform(seed, 0, 0.5);
            if (case_integer(seed, 0, 9) == 0) row.limit = INFINITY, row.mu = 0;
            case_add_row(&island, row);
        }
    }
}

START_TEST(solvers_agree_with_enumeration)
{
    int solved = 0, unsolvable = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed + 1000 * (uint64_t)_i;
        random_contacts(&s, _i ? 0.5 : 2);
        for (pegSolver which = PEG_SOLVER_AUTO; which <= PEG_SOLVER_LEMKE; which++) {
            setup();
            peg_outcome outcome = solve(which, &first);
            int found;
            double distance =
                friction_oracle_distance(&island.problem, (const double(*)[6])first.v, &found);
            if (!found) {
                ck_assert_int_ne(outcome, PEG_SOLVED);
                unsolvable++;
            } else if (outcome == PEG_SOLVED) {
                ck_assert_msg(distance < 1e-7, "seed %d solver %d: %g", (int)seed, which, distance);
                solved++;
            } else {
                /* that Lemke's method finds a solution is known for b = 0 only */
                ck_assert_msg(which == PEG_SOLVER_LEMKE || !_i, "seed %d: %s", (int)seed,
                              peg_outcome_name(outcome));
            }
            teardown();
        }
    }
    ck_assert_int_gt(solved, 500);
    ck_assert_int_lt(unsolvable, 300);
}
END_TEST

/* --- closed forms --- */

/* A unit box on a plane: gravity times h of 0.1, tilted; start speed along x. */
static void slope(double angle, double speed, double mu)
{
    stack(1, 1, mu, 1);
    double g = 0.0981;
    memcpy(island.target[0], (double[]){speed + g * sin(angle), 0, -g * cos(angle), 0, 0, 0},
           sizeof island.target[0]);
}

START_TEST(a_block_holds_below_the_angle_of_friction)
{
    const double mu = 0.5, critical = atan(mu);
    for (double angle = 0; angle < 0.78; angle += 0.02) {
        slope(angle, 0, mu);
        ck_assert(solved(&first));
        double expected = fmax(0, 0.0981 * (sin(angle) - mu * cos(angle)));
        if (angle < critical) ck_assert_double_eq(expected, 0);
        ck_assert_double_eq_tol(first.v[0][0], expected, 1e-12);
        for (int k = 1; k < 6; k++) ck_assert_double_eq_tol(first.v[0][k], 0, 1e-12);
    }
}
END_TEST

START_TEST(a_sliding_block_is_slowed_by_mu_g)
{
    for (double speed = 0.001; speed < 100; speed *= 1.7)
        for (double mu = 0; mu < 0.95; mu += 0.1) { /* it tips over at 1 */
            slope(0, speed, mu);
            ck_assert(solved(&first));
            double expected = fmax(0, speed - mu * 0.0981);
            ck_assert_double_eq_tol(first.v[0][0], expected, 1e-9 * (1 + speed));
            ck_assert_double_eq_tol(first.v[0][2], 0, 1e-9 * (1 + speed));
        }
}
END_TEST

/* |lambda| <= limit, whatever the normal impulse. */
START_TEST(a_force_limit_is_kept)
{
    slope(0, 1, 0);
    for (int i = 0; i < island.problem.m; i++)
        if (island.row[i].bounded) island.row[i].limit = 0.02;
    ck_assert(solved(&first));
    ck_assert_double_eq_tol(first.v[0][0], 1 - 4 * 0.02, 1e-12);
}
END_TEST

/* A conveyor: friction drags the block along until it moves with the belt. */
START_TEST(a_conveyor_drags)
{
    for (double belt = 0.01; belt < 1; belt *= 2) {
        slope(0, 0, 0.5);
        for (int i = 0; i < island.problem.m; i++)
            if (island.row[i].bounded && island.row[i].Ja[0] == 1) island.row[i].b = -belt;
        ck_assert(solved(&first));
        ck_assert_double_eq_tol(first.v[0][0], fmin(belt, 0.5 * 0.0981), 1e-12);
    }
}
END_TEST

/* --- equivalences --- */

START_TEST(infinite_limits_are_bilateral)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t s = seed;
        stack(4, 1, 0, 1);
        kick(&s, 1);
        int m = island.problem.m;
        for (int i = 0; i < m; i++)
            if (island.row[i].bounded) island.row[i].limit = INFINITY;
        ck_assert(solved(&first));
        for (int i = 0; i < m; i++) {
            peg_lcp_row *row = &island.row[i];
            if (!row->bounded) continue;
            row->bounded = 0, row->limit = 0;
            peg_lcp_row other = *row;
            for (int k = 0; k < 6; k++) other.Ja[k] *= -1, other.Jb[k] *= -1;
            case_add_row(&island, other);
        }
        case_clear(&second);
        ck_assert(solved(&second));
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
    }
}
END_TEST

START_TEST(zero_friction_is_no_friction)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t s = seed;
        stack(5, 1, 0, 1);
        kick(&s, 1);
        ck_assert(solved(&first));
        int m = 0;
        for (int i = 0; i < island.problem.m; i++)
            if (!island.row[i].bounded) island.row[m++] = island.row[i];
        island.problem.m = m;
        case_clear(&second);
        ck_assert(solved(&second));
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
    }
}
END_TEST

/* --- stacks --- */

START_TEST(stacks_rest)
{
    static const double ratio[] = {1, 1e3, 1e-3};
    for (int count = 1; count <= 30; count += count < 10 ? 3 : 20)
        for (int copies = 1; copies <= 4; copies += 3)
            for (double mu = 0.1; mu < 2; mu *= 2.5) {
                stack(count, ratio[_i], mu, copies);
                case_clear(&first);
                case_clear(&second);
                ck_assert(solved(&first));
                ck_assert_double_lt(case_difference(&island, &first, &second), _i ? 1e-5 : 1e-8);
                int before = first.solution.iterations;
                ck_assert(solved(&first)); /* from its own answer */
                ck_assert_int_le(first.solution.iterations, 8);
                ck_assert_int_ge(before, 0);
            }
}
END_TEST

/* Heavy bodies below: Newton's method from the warm start goes on switching between the bounds of
 * friction; their fixed point leads to the answer. */
START_TEST(tall_stacks_rest)
{
    for (int count = 18; count <= 30; count++) {
        stack(count, 1e-3, 0.1, 1);
        case_clear(&first);
        ck_assert(solved(&first));
    }
}
END_TEST

/* The top of a stack is pushed: what slides, slides; every answer is certified. */
START_TEST(kicked_stacks_are_solved)
{
    int lagged = 0, count = 0;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (double mu = 0.1; mu < 1.1; mu += 0.3) {
            uint64_t s = seed;
            stack(case_integer(&s, 1, 8), pow(10, case_uniform(&s, -1, 1)), mu, 1);
            kick(&s, pow(10, case_uniform(&s, -3, 0)));
            case_clear(&first);
            peg_outcome outcome = solve(PEG_SOLVER_AUTO, &first);
            ck_assert(outcome == PEG_SOLVED || outcome == PEG_LAGGED);
            ck_assert_double_eq(first.solution.cone, 0);
            lagged += outcome == PEG_LAGGED;
            count++;
        }
    ck_assert_msg(lagged * 50 <= count, "%d of %d lagged", lagged, count);
}
END_TEST

/* Largest |min(w, lambda)| of the unbounded rows, in the energy norm. */
static double normal_residual(const case_solution *s)
{
    double worst = 0;
    for (int i = 0; i < island.problem.m; i++) {
        const peg_lcp_row *row = &island.row[i];
        double w = row->b + row->c * s->lambda[i], root = sqrt(peg_row_scale(&island.problem, i));
        for (int k = 0; k < 6; k++) {
            if (row->body_a >= 0) w += row->Ja[k] * s->v[row->body_a][k];
            if (row->body_b >= 0) w += row->Jb[k] * s->v[row->body_b][k];
        }
        if (!row->bounded) worst = fmax(worst, fabs(fmin(w / root, s->lambda[i] * root)));
    }
    return worst;
}

/* Whatever comes of hard impacts with much friction: friction stays in its cone, and the normal
 * rows hold. */
START_TEST(lagged_friction_is_usable)
{
    int lagged = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t s = seed;
        stack(25, pow(10, case_uniform(&s, -2, 2)), case_uniform(&s, 0.5, 3), 1);
        kick(&s, 3);
        case_clear(&first);
        peg_outcome outcome = solve(PEG_SOLVER_AUTO, &first);
        ck_assert(outcome == PEG_SOLVED || outcome == PEG_LAGGED);
        double unit = peg_residual_unit(&island.problem);
        ck_assert_double_eq(peg_cone_excess(&island.problem, &first.solution), 0);
        ck_assert_double_le(normal_residual(&first), 1e-6 * unit);
        lagged += outcome == PEG_LAGGED;
    }
    ck_assert_int_gt(lagged, 0); /* else the test is worth nothing */
}
END_TEST

/* 1/2 |v|_M^2 - v^T M v_f, which is 0 at v = 0, J. */
static double objective(const case_solution *s)
{
    double sum = 0;
    for (int i = 0; i < island.problem.nb; i++) {
        peg_mass_root root;
        double v[6], f[6];
        ck_assert(peg_mass_root_of(&island.problem.mass[i], &root));
        peg_mass_root_solve(&root, s->v[i], v);
        peg_mass_root_solve(&root, island.problem.target[i], f);
        for (int k = 0; k < 6; k++) sum += (0.5 * v[k] - f[k]) * v[k];
    }
    return sum;
}

/* Newton's method ends within 1e-4 of the unit, or from the fixed point of friction bounds and
 * normal impulses cones find impulses that keep bounds of their own, nearly always as closely;
 * nothing is gained, and what is not as close holds to 2e-3 of the unit. */
START_TEST(fixed_points_lead_to_answers)
{
    enum { SEEDS = 60 };
    int close = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t s = seed;
        stack(25, pow(10, case_uniform(&s, -2, 2)), case_uniform(&s, 0.5, 3), 1);
        kick(&s, 3);
        case_clear(&first);
        peg_solve_options options = {
            .solver = PEG_SOLVER_AUTO, .tolerance = TOLERANCE, .rescue = PEG_RESCUE_FIXED_POINT};
        peg_outcome outcome = peg_solve(&arena, &island.problem, &options, &first.solution);
        double unit = peg_residual_unit(&island.problem);
        if (!peg_is_answer(outcome)) continue;
        ck_assert_double_le(objective(&first), 1e-9 * unit * unit);
        ck_assert_double_eq(peg_cone_excess(&island.problem, &first.solution), 0);
        double residual = peg_residual(&island.problem, &first.solution);
        ck_assert_double_le(residual, 2e-3 * unit);
        close += residual <= 1e-4 * unit;
    }
    ck_assert_int_ge(close * 10, 9 * SEEDS);
}
END_TEST

/* The velocity does not depend on where the iteration starts, where it is unique: little friction.
 */
START_TEST(warm_start_does_not_matter)
{
    uint64_t seed = (uint64_t)_i + 1;
    case_bodies(&island, &seed, 3, 0);
    for (int i = 0; i < 3; i++) island.target[i][2] -= 1;
    for (int i = 0; i < 3; i++) {
        double p[3] = {case_uniform(&seed, -1, 1), case_uniform(&seed, -1, 1), -0.5};
        contact(i, i - 1, p, (double[]){p[0], p[1], 0.5}, 0.2);
    }
    ck_assert(solved(&first));
    for (int k = 0; k < 5; k++) {
        case_clear(&second);
        for (int i = 0; i < island.problem.m; i++)
            second.lambda[i] = i == k ? NAN : case_uniform(&seed, -10, 10);
        ck_assert(solved(&second));
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
    }
}
END_TEST

/* --- contradictions, broken input, memory --- */

START_TEST(contradicting_rows_are_recognised)
{
    stack(3, 1, 0.5, 1);
    static const double down[3] = {0, 0, -1};
    case_add_contact(&island, 2, -1, down, down, down, -1); /* a ceiling that comes down */
    ck_assert_int_eq(solve(PEG_SOLVER_AUTO, &first), PEG_INFEASIBLE);
    for (int i = 0; i < island.problem.m; i++)
        if (!island.row[i].bounded) island.row[i].c = 1e-6;
    ck_assert(solved(&first));
}
END_TEST

START_TEST(rows_without_a_jacobian_do_nothing)
{
    stack(2, 1, 0.5, 1);
    case_add_row(&island, (peg_lcp_row){.body_a = 0, .body_b = -1, .b = 1});
    int normal = island.problem.m - 1;
    case_add_row(&island, (peg_lcp_row){.body_a = 0, .body_b = -1, .b = -1, .bounded = 1});
    case_add_row(
        &island,
        (peg_lcp_row){
            .body_a = 0, .body_b = -1, .Ja = {1}, .bounded = 1, .normal = normal, .mu = 1});
    ck_assert(solved(&first));
    ck_assert_double_eq(first.lambda[normal + 1], 0);
    ck_assert_double_eq(first.lambda[normal + 2], 0);
    island.row[normal + 1].limit = INFINITY;
    ck_assert_int_eq(solve(PEG_SOLVER_AUTO, &first), PEG_INFEASIBLE);
}
END_TEST

START_TEST(broken_numbers_are_never_solved)
{
    static const double broken[] = {NAN, -1, INFINITY};
    for (int k = 0; k < 3; k++)
        for (int place = 0; place < 3; place++) {
            stack(2, 1, 0.5, 1);
            double *x[] = {&island.row[1].mu, &island.row[2].limit, &island.row[1].b};
            if (isfinite(broken[k]) && place == 2) continue;
            if (isinf(broken[k]) && place == 1) continue;
            *x[place] = broken[k];
            for (pegSolver which = PEG_SOLVER_AUTO; which < PEG_SOLVER_COUNT; which++)
                ck_assert_int_ne(solve(which, &first), PEG_SOLVED);
        }
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    uint64_t seed = 1;
    stack(6, 1, 0.5, 1);
    kick(&seed, 0.1);
    for (pegSolver which = PEG_SOLVER_PROJECTED; which <= PEG_SOLVER_LEMKE; which++)
        for (long n = 1, failed = 1; failed; n++) {
            teardown();
            setup();
            peg_memory_fail_at(n, 1);
            peg_outcome outcome = solve(which, &first);
            failed = peg_memory_fail_at(0, 0) >= n;
            ck_assert_int_eq(outcome, failed ? PEG_OUT_OF_MEMORY : PEG_SOLVED);
        }
    peg_arena_mark mark = peg_arena_here(&arena);
    ck_assert(solved(&first));
    ck_assert_ptr_eq(mark.block, arena.current);
    ck_assert_uint_eq(mark.used, arena.used);
    peg_memory_fail_at(0, 0);
    ck_assert(solved(&first));
    ck_assert_int_eq(peg_memory_fail_at(0, 0), 0);
}
END_TEST

START_TEST(same_input_gives_same_bits)
{
    uint64_t seed = 3;
    stack(20, 1, 0.5, 1);
    kick(&seed, 0.01);
    ck_assert(solved(&first));
    ck_assert_ptr_nonnull(peg_arena_alloc(&arena, 1234));
    ck_assert(solved(&second));
    ck_assert_mem_eq(first.v, second.v, sizeof first.v);
    ck_assert_mem_eq(first.lambda, second.lambda, sizeof first.lambda);
}
END_TEST

/* --- the certificate --- */

START_TEST(residual_sees_every_fault)
{
    uint64_t seed = 5;
    stack(4, 1, 0.5, 1);
    kick(&seed, 0.1);
    ck_assert(solved(&first));
    double unit = peg_residual_unit(&island.problem);
    for (int i = 0; i < island.problem.m; i++) {
        double kept = first.lambda[i], step = 1e-6 * unit / sqrt(peg_row_scale(&island.problem, i));
        for (int sign = -1; sign <= 1; sign += 2) {
            first.lambda[i] = kept + sign * step;
            ck_assert_double_gt(peg_residual(&island.problem, &first.solution), 1e-8 * unit);
        }
        first.lambda[i] = NAN;
        ck_assert(isinf(peg_residual(&island.problem, &first.solution)));
        first.lambda[i] = kept;
    }
}
END_TEST

START_TEST(excess_is_relative_to_the_bound)
{
    slope(0.6, 0, 0.5);
    ck_assert(solved(&first));
    for (int i = 0; i < island.problem.m; i++)
        if (island.row[i].bounded) first.lambda[i] *= 1.25;
    ck_assert_double_eq_tol(peg_cone_excess(&island.problem, &first.solution), 0.25, 1e-6);
    first.lambda[0] = 0;
    ck_assert(isinf(peg_cone_excess(&island.problem, &first.solution)));
}
END_TEST

/* Frictionless islands of this size go to Newton's method; the projected solver agrees. */
START_TEST(large_islands_agree_with_the_projected_solver)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t s = seed;
        case_stack(&island, 30, 2, pow(10, case_uniform(&s, -1, 1)));
        kick(&s, 1);
        case_clear(&first);
        case_clear(&second);
        ck_assert(solved(&first));
        ck_assert_int_eq(solve(PEG_SOLVER_PROJECTED, &second), PEG_SOLVED);
        ck_assert_double_lt(case_difference(&island, &first, &second), 1e-7);
    }
}
END_TEST

START_TEST(problems_survive_a_file)
{
    char path[] = "/tmp/peg-problem-XXXXXX";
    peg_problem read;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    stack(2, 1, 1 / 3.0, 1);
    island.row[4].limit = INFINITY;
    ck_assert_int_eq(peg_problem_write(&island.problem, path), PEG_OK);
    ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_OK);
    remove(path);
    ck_assert_int_eq(read.m, island.problem.m);
    ck_assert_mem_eq(read.row, island.row, (size_t)read.m * sizeof *read.row);
}
END_TEST

/* No point of the cone is nearer: (z - p) . (q - p) <= 0 for all q in it, in the metric of the
 * weights. */
START_TEST(the_nearest_impulse_of_a_cone_is_found)
{
    enum { ROWS = 4, OTHERS = 50 };
    uint64_t seed = 7;
    for (int trial = 0; trial < 2000; trial++) {
        double mu[ROWS], limit[ROWS], weight[ROWS], z[ROWS], p[ROWS], q[ROWS];
        unsigned char state[ROWS];
        for (int i = 0; i < ROWS; i++) {
            mu[i] = i ? case_uniform(&seed, 0, 2) : 0;
            limit[i] = i && trial % 3 == 0 ? case_uniform(&seed, 0, 1) : 0;
            weight[i] = case_uniform(&seed, 0.1, 10);
            z[i] = case_uniform(&seed, -2, 2);
        }
        peg_cone_project(ROWS, mu, limit, weight, z, p, state);
        ck_assert(p[0] >= 0 && (p[0] > 0) == (state[0] == PEG_ROW_LINEAR));
        for (int n = 0; n < OTHERS; n++) {
            double product = 0;
            q[0] = n ? case_uniform(&seed, 0, 3) : 0;
            for (int i = 0; i < ROWS; i++) {
                double bound = limit[i] + mu[i] * q[0];
                if (i) q[i] = bound * case_uniform(&seed, -1, 1);
                ck_assert(!i || fabs(p[i]) <= (limit[i] + mu[i] * p[0]) * (1 + 1e-12));
                product += weight[i] * (z[i] - p[i]) * (q[i] - p[i]);
            }
            ck_assert_msg(product <= 1e-12, "trial %d: %g", trial, product);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("friction-solver");
    TCase *tests = tcase_create("friction-solver");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, solvers_agree_with_enumeration, 0, 2);
    tcase_add_test(tests, a_block_holds_below_the_angle_of_friction);
    tcase_add_test(tests, a_sliding_block_is_slowed_by_mu_g);
    tcase_add_test(tests, a_force_limit_is_kept);
    tcase_add_test(tests, a_conveyor_drags);
    tcase_add_test(tests, infinite_limits_are_bilateral);
    tcase_add_test(tests, zero_friction_is_no_friction);
    tcase_add_loop_test(tests, stacks_rest, 0, 3);
    tcase_add_test(tests, tall_stacks_rest);
    tcase_add_test(tests, loads_are_passed_on_to_the_ground);
    tcase_add_test(tests, what_tips_is_not_balanced);
    tcase_add_test(tests, what_moves_is_not_balanced);
    tcase_add_test(tests, joints_bear_no_load);
    tcase_add_test(tests, kicked_stacks_are_solved);
    tcase_add_test(tests, lagged_friction_is_usable);
    tcase_add_test(tests, fixed_points_lead_to_answers);
    tcase_add_loop_test(tests, warm_start_does_not_matter, 0, 10);
    tcase_add_test(tests, contradicting_rows_are_recognised);
    tcase_add_test(tests, rows_without_a_jacobian_do_nothing);
    tcase_add_test(tests, broken_numbers_are_never_solved);
    tcase_add_test(tests, exhausted_memory_is_reported);
    tcase_add_test(tests, same_input_gives_same_bits);
    tcase_add_test(tests, residual_sees_every_fault);
    tcase_add_test(tests, excess_is_relative_to_the_bound);
    tcase_add_test(tests, large_islands_agree_with_the_projected_solver);
    tcase_add_test(tests, problems_survive_a_file);
    tcase_add_test(tests, the_nearest_impulse_of_a_cone_is_found);
    suite_add_tcase(suite, tests);
    return suite;
}
