/* The solvers of the mixed LCP against enumeration, on degenerate, contradictory and broken
 * problems. */
#include "tests/runner.h"
#include "tests/lcp_cases.h"
#include "tests/lcp_oracle.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a certified answer is held to, relative to peg_residual_unit. */
static const double TOLERANCE = 1e-12;
static const peg_solve_options unbounded = {.tolerance = 1e-12};

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

static peg_outcome solve(const lcp_case *c, pegSolver which, case_solution *s)
{
    return peg_solve(&arena, &c->problem,
                     &(peg_solve_options){.solver = which, .tolerance = TOLERANCE}, &s->solution);
}

static int solved(const lcp_case *c, pegSolver which, case_solution *s)
{
    return solve(c, which, s) == PEG_SOLVED;
}

/* A small problem; kind 1 and up: small integers, copies of rows (bit by bit, scaled, or rounded),
 * sums of rows, so that ties and dependent rows are the rule. */
static void random_island(uint64_t seed, int kind)
{
    static const double scale[3] = {1, 3, 0.1};
    case_bodies(&island, &seed, case_integer(&seed, 1, 3), kind == 2 ? 3 : 0);
    int m = case_integer(&seed, 0, 8);
    while (island.problem.m < m) {
        int had = island.problem.m;
        if (!kind || had == 0 || case_integer(&seed, 0, 2)) {
            case_add_random_row(&island, &seed, kind > 0);
            continue;
        }
        peg_lcp_row row = island.row[case_integer(&seed, 0, had - 1)];
        double f = scale[case_integer(&seed, 0, 2)];
        for (int k = 0; k < 6; k++) {
            row.Ja[k] *= f * (1 + 1e-14 * case_integer(&seed, -1, 1));
            row.Jb[k] *= f * (1 + 1e-14 * case_integer(&seed, -1, 1));
        }
        row.b = f * row.b + 1e-15 * case_integer(&seed, -1, 1);
        case_add_row(&island, row);
    }
    if (kind == 3)
        for (int i = 0; i < m; i++) island.row[i].b = 0;
}

START_TEST(both_solvers_agree_with_enumeration)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        random_island(seed, _i);
        setup();
        double found = oracle_island(&island.problem, second.v);
        peg_outcome outcome = solve(&island, PEG_SOLVER_PROJECTED, &first);
        if (found > 1e-6) {
            ck_assert_int_eq(outcome, PEG_INFEASIBLE);
            ck_assert_int_ne(solve(&island, PEG_SOLVER_LEMKE, &first), PEG_SOLVED);
        } else {
            ck_assert_int_eq(outcome, PEG_SOLVED);
            ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
            ck_assert_int_eq(solve(&island, PEG_SOLVER_LEMKE, &first), PEG_SOLVED);
            ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
        }
        teardown();
    }
}
END_TEST

/* kind 0: positive definite but not symmetric, a P-matrix: z is unique. 1: strictly copositive, not
 * semidefinite. 2: a skew matrix plus a semidefinite one of rank 2. 3: P of integers, for ties. */
static void random_matrix(uint64_t *seed, int n, int kind, double *A)
{
    double u[2][ORACLE_MAX];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) u[k][i] = case_uniform(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double x = kind == 3 ? case_integer(seed, -1, 1) : case_uniform(seed, -1, 1);
            if (kind == 1) x = case_uniform(seed, 0, 3);
            A[i * n + j] = x;
            A[j * n + i] = kind == 1 ? x * case_uniform(seed, 0, 2) : -x;
            if (i == j) A[i * n + j] = kind == 2 ? 0 : 1 + fabs(x);
        }
    for (int i = 0; i < n && kind == 2; i++)
        for (int j = 0; j < n; j++) A[i * n + j] += u[0][i] * u[0][j] + u[1][i] * u[1][j];
}

START_TEST(lemke_solves_general_problems)
{
    double A[ORACLE_MAX * ORACLE_MAX], q[ORACLE_MAX], z[ORACLE_MAX], reference[ORACLE_MAX];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed;
        int n = case_integer(&s, 1, 8);
        peg_pivoting pivoting = {.most_products = INFINITY};
        random_matrix(&s, n, _i, A);
        for (int i = 0; i < n; i++)
            q[i] = _i == 3 ? case_integer(&s, -2, 1) : case_uniform(&s, -2, 1);
        peg_outcome outcome = peg_lemke(&arena, n, A, q, z, &pivoting);
        double found = oracle_lcp(n, A, q, reference);
        if (found > 1e-6) {
            ck_assert_int_eq(outcome, PEG_RAY);
            continue;
        }
        ck_assert_msg(outcome == PEG_SOLVED, "kind %d seed %d: %s", _i, (int)seed,
                      peg_outcome_name(outcome));
        ck_assert_double_lt(oracle_residual(n, A, q, z), 1e-10);
        for (int i = 0; i < n && (_i == 0 || _i == 3); i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-10);
    }
}
END_TEST

/* Sparse, of half the rank (integers: ties), with a known w and z; w is unique. Sizes at which the
 * method has columns of every kind. */
START_TEST(lemke_solves_wide_problems)
{
    enum { WIDEST = 120 };
    static double N[WIDEST][WIDEST], A[WIDEST * WIDEST], q[WIDEST], z[WIDEST], w[WIDEST];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t s = seed;
        int n = case_integer(&s, 10, WIDEST), rank = n / 2;
        peg_pivoting pivoting = {.most_products = INFINITY};
        for (int k = 0; k < rank; k++)
            for (int i = 0; i < n; i++)
                N[k][i] = case_integer(&s, 0, 9) ? 0
                          : _i == 0              ? case_integer(&s, -1, 1)
                                                 : case_uniform(&s, -1, 1);
        for (int i = 0; i < n * n; i++) {
            A[i] = 0;
            for (int k = 0; k < rank; k++) A[i] += N[k][i / n] * N[k][i % n];
        }
        for (int i = 0; i < n; i++) {
            int carries = case_integer(&s, 0, 1);
            z[i] = carries ? case_integer(&s, 1, 3) : 0;
            w[i] = carries ? 0 : case_integer(&s, 0, 3);
        }
        for (int i = 0; i < n; i++) {
            q[i] = w[i];
            for (int j = 0; j < n; j++) q[i] -= A[i * n + j] * z[j];
        }
        ck_assert_int_eq(peg_lemke(&arena, n, A, q, z, &pivoting), PEG_SOLVED);
        ck_assert_double_lt(oracle_residual(n, A, q, z), 1e-9);
        for (int i = 0; i < n; i++) {
            double found = q[i];
            for (int j = 0; j < n; j++) found += A[i * n + j] * z[j];
            ck_assert_double_eq_tol(found, w[i], 1e-8);
        }
    }
}
END_TEST

/* Hilbert's matrices, with conditions up to 1e12, and z = 1: pivots gather 6e-12, which the last
 * factorisation (LAPACK's) takes out again. */
START_TEST(lemke_leaves_no_more_than_rounding)
{
    double A[81], q[9], z[9];
    for (int n = 3; n <= 9; n++) {
        peg_pivoting pivoting = {.most_products = INFINITY};
        for (int i = 0; i < n; i++) {
            q[i] = 0;
            for (int j = 0; j < n; j++) q[i] -= A[i * n + j] = 1.0 / (i + j + 1);
        }
        ck_assert_int_eq(peg_lemke(&arena, n, A, q, z, &pivoting), PEG_SOLVED);
        ck_assert_double_lt(oracle_residual(n, A, q, z), 5e-15);
    }
}
END_TEST

/* What the problem finds in its memory. */
static void fill_memory(int byte)
{
    const size_t bytes = (size_t)1 << 20;
    peg_arena_mark mark = peg_arena_here(&arena);
    void *memory = peg_arena_alloc(&arena, bytes);
    ck_assert_ptr_nonnull(memory);
    memset(memory, byte, bytes);
    peg_arena_back(&arena, mark);
}

/* Out of a step of the model `paper`: a w that had the last column of the tableau enters where a z
 * leaves. */
START_TEST(lemke_needs_nothing_of_what_its_memory_held)
{
    static const struct entry {
        int row, column;
        double value;
    } entry[] = {{0, 0, 0.5865520945453326},
                 {0, 4, -0.3061},
                 {0, 6, -0.30609957438236757},
                 {1, 1, 0.33927098746507256},
                 {1, 4, 0.00073},
                 {1, 6, 0.0007283930755237825},
                 {3, 0, 0.28045252016296507},
                 {3, 1, -0.3385425943895489},
                 {3, 3, 1},
                 {3, 4, 0.37897241842433554},
                 {3, 6, 0.37897241842433554},
                 {4, 0, -0.30609957438236757},
                 {4, 1, 0.0007283930755237825},
                 {4, 3, 1},
                 {4, 4, 0.6858},
                 {4, 6, 0.6858003858822268},
                 {5, 0, 0.04053822424399822},
                 {5, 1, -0.02791160578481813},
                 {5, 4, -0.008},
                 {5, 5, 1},
                 {5, 6, -0.007898162312903747},
                 {6, 0, -0.30609957438236757},
                 {6, 1, 0.0007283930755237825},
                 {6, 4, 0.6858003858822268},
                 {6, 5, 1},
                 {6, 6, 0.6858003858822268},
                 {7, 7, 1},
                 {8, 8, 0.7}};
    static const double q[9] = {-0.002096960374199782,
                                -0.0020969603741997672,
                                0,
                                1.38e-14,
                                1.23e-14,
                                -4e-14,
                                1.23e-14,
                                -0.0001,
                                0.8};
    double A[81] = {0}, z[2][9];
    int pivots[2];
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
        A[9 * entry[i].row + entry[i].column] = entry[i].value;
    for (int k = 0; k < 2; k++) {
        peg_pivoting pivoting = {.most_products = INFINITY};
        fill_memory(k ? 0x3f : 0);
        ck_assert_int_eq(peg_lemke(&arena, 9, A, q, z[k], &pivoting), PEG_SOLVED);
        ck_assert_double_lt(oracle_residual(9, A, q, z[k]), 1e-12);
        pivots[k] = pivoting.pivots;
    }
    ck_assert_int_eq(pivots[0], pivots[1]);
    ck_assert_int_eq(memcmp(z[0], z[1], sizeof z[0]), 0);
}
END_TEST

START_TEST(lemke_reports_a_ray)
{
    double z[2];
    peg_pivoting pivoting = {.most_products = INFINITY};
    static const double none[4] = {0}, negative[2] = {-1, 1}, opposed[4] = {1, -1, -1, 1};
    ck_assert_int_eq(peg_lemke(&arena, 2, none, negative, z, &pivoting), PEG_RAY);
    ck_assert_int_eq(peg_lemke(&arena, 2, opposed, (double[]){-1, -1}, z, &pivoting), PEG_RAY);
    ck_assert_int_eq(peg_lemke(&arena, 2, opposed, (double[]){NAN, -1}, z, &pivoting),
                     PEG_SINGULAR);
    ck_assert_int_eq(peg_lemke(&arena, 0, none, negative, z, &pivoting), PEG_SOLVED);
}
END_TEST

/* Every box of a stack rests, whatever the number of points that carry it. */
START_TEST(flush_stacks_rest)
{
    static const double ratio[3] = {1, 1e6, 1e-6};
    for (int count = 1; count <= 30; count += count < 10 ? 3 : 20)
        for (int points = 2; points <= 4; points++)
            for (int copies = 1; copies <= 2; copies++) {
                case_stack(&island, count, points, ratio[_i]);
                int m = island.problem.m;
                for (int i = 0; i < m && copies == 2; i++) case_add_row(&island, island.row[i]);
                for (pegSolver which = PEG_SOLVER_PROJECTED; which <= PEG_SOLVER_LEMKE; which++) {
                    case_clear(&first);
                    ck_assert_int_eq(
                        peg_solve(&arena, &island.problem,
                                  &(peg_solve_options){.solver = which, .tolerance = 1e-10},
                                  &first.solution),
                        PEG_SOLVED);
                    ck_assert_double_lt(case_difference(&island, &first, &second),
                                        which == PEG_SOLVER_PROJECTED ? 1e-12 : 1e-10);
                }
            }
}
END_TEST

START_TEST(contradicting_rows_are_recognised)
{
    case_walls(&island, 1);
    first.v[0][0] = 7;
    ck_assert_int_eq(solve(&island, PEG_SOLVER_AUTO, &first), PEG_INFEASIBLE);
    ck_assert_int_eq(solve(&island, PEG_SOLVER_LEMKE, &first), PEG_INFEASIBLE);
    ck_assert_double_eq(first.v[0][0], 7);
    /* With impulses of 1e6 units that cancel, the residual cannot be known better than 1e-10; the
     * condition of Lemke's matrix is the square of the rows'. */
    static const double limit[] = {[PEG_SOLVER_PROJECTED] = 1e-9, [PEG_SOLVER_LEMKE] = 1e-6};
    for (int i = 0; i < island.problem.m; i++) island.row[i].c = 1e-6;
    for (pegSolver which = PEG_SOLVER_PROJECTED; which <= PEG_SOLVER_LEMKE; which++) {
        ck_assert_int_eq(peg_solve(&arena, &island.problem,
                                   &(peg_solve_options){.solver = which, .tolerance = limit[which]},
                                   &first.solution),
                         PEG_SOLVED);
        for (int k = 0; k < 6; k++) ck_assert_double_eq_tol(first.v[0][k], 0, 1e-6);
    }
}
END_TEST

/* However stiff, and however many rows share the contradiction. */
START_TEST(compliant_rows_never_contradict)
{
    static const double down[3] = {0, 0, -1};
    for (int points = 2; points <= 12; points += 5) {
        case_stack(&island, 2, points, 1);
        for (int k = 0; k < points * points; k++) {
            peg_lcp_row row = island.row[points * points + k];
            case_add_contact(&island, 1, -1, (double[]){row.Ja[4], -row.Ja[3], 0.5}, down, down,
                             -1);
        }
        for (int i = 0; i < island.problem.m; i++)
            island.row[i].c = pow(10, -_i) * peg_row_scale(&island.problem, i);
        case_clear(&first);
        ck_assert_int_eq(
            peg_solve(&arena, &island.problem,
                      &(peg_solve_options){.solver = PEG_SOLVER_AUTO, .tolerance = 1e-8},
                      &first.solution),
            PEG_SOLVED);
        ck_assert_int_eq(first.solution.method, PEG_METHOD_ACTIVE_SET);
    }
}
END_TEST

/* An equation is two opposed rows. */
START_TEST(equations_are_held_beside_other_rows)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        random_island(seed, 0);
        setup();
        int m = island.problem.m, equations = 1 + (int)(seed % 2);
        for (int i = 0; i < equations && i < m; i++) {
            peg_lcp_row back = island.row[i];
            for (int k = 0; k < 6; k++) back.Ja[k] *= -1, back.Jb[k] *= -1;
            back.b *= -1;
            case_add_row(&island, back);
        }
        int known = solve(&island, PEG_SOLVER_LEMKE, &second) == PEG_SOLVED;
        island.problem.m = m;
        for (int i = 0; i < equations && i < m; i++) {
            island.row[i].bounded = 1;
            island.row[i].normal = -1;
            island.row[i].limit = INFINITY;
        }
        case_clear(&first);
        if (known) {
            ck_assert_int_eq(
                peg_solve_active_set(&arena, &island.problem, &unbounded, &first.solution),
                PEG_SOLVED);
            ck_assert_double_lt(peg_residual(&island.problem, &first.solution),
                                1e-10 * peg_residual_unit(&island.problem));
            ck_assert_double_lt(case_difference(&island, &first, &second), 1e-8);
            solved++;
        }
        teardown();
    }
    ck_assert_int_gt(solved, 100);
}
END_TEST

/* What Newton's method may do is bounded to one factorisation. */
START_TEST(work_is_bounded)
{
    case_stack(&island, 30, 3, 1e4);
    peg_solve_options options = {.solver = PEG_SOLVER_AUTO, .tolerance = 1e-10};
    for (int i = 0; i < 30; i++) island.target[i][0] = i % 3;
    ck_assert_int_eq(peg_solve_newton(&arena, &island.problem, &options, &first.solution),
                     PEG_SOLVED);
    double whole = first.solution.work, one = whole / first.solution.iterations;
    for (double most = one; most < 0.5 * whole; most *= 2) {
        case_clear(&second);
        options.most_work = most;
        ck_assert_int_eq(peg_solve_newton(&arena, &island.problem, &options, &second.solution),
                         PEG_ITERATION_LIMIT);
        ck_assert_double_le(second.solution.work, most + 2 * one);
    }
}
END_TEST

/* A method by itself, which may take so much work. */
typedef peg_outcome (*method)(peg_arena *, const peg_problem *, const peg_solve_options *,
                              peg_solution *);

START_TEST(work_of_pivoting_is_bounded)
{
    static const method methods[] = {peg_solve_lemke, peg_solve_active_set};
    peg_solve_options options = {.tolerance = 1e-10};
    case_stack(&island, 12, 2, 2);
    ck_assert_int_eq(methods[_i](&arena, &island.problem, &options, &first.solution), PEG_SOLVED);
    double whole = first.solution.work;
    ck_assert_double_gt(whole, 0);
    for (options.most_work = whole / 64; options.most_work < 0.6 * whole; options.most_work *= 2) {
        case_clear(&second);
        ck_assert_int_eq(methods[_i](&arena, &island.problem, &options, &second.solution),
                         PEG_ITERATION_LIMIT);
        ck_assert_double_le(second.solution.work, options.most_work + 0.3 * whole);
    }
    case_clear(&second); /* other methods have taken all of it */
    second.solution.work = options.most_work = whole;
    ck_assert_int_eq(methods[_i](&arena, &island.problem, &options, &second.solution),
                     PEG_ITERATION_LIMIT);
    ck_assert_double_le(second.solution.work, 1.3 * whole);
}
END_TEST

/* A row that is 1e12 units from active does not loosen what the others are held to. */
START_TEST(idle_rows_do_not_loosen_the_others)
{
    case_walls(&island, 1);
    case_add_row(&island, (peg_lcp_row){.body_a = 0, .body_b = -1, .Ja = {1}, .b = 1e12});
    ck_assert_int_eq(peg_solve_active_set(&arena, &island.problem, &unbounded, &first.solution),
                     PEG_INFEASIBLE);
    island.row[6].b = island.row[8].b = island.row[10].b = 1;
    island.row[4].b = 1;
    ck_assert_int_eq(peg_solve_active_set(&arena, &island.problem, &unbounded, &first.solution),
                     PEG_SOLVED);
    ck_assert_double_eq_tol(first.v[0][2], 0, 1e-14);
    ck_assert_double_eq_tol(first.v[0][0], -1, 1e-14);
}
END_TEST

/* Rows whose weighted sum is zero while their demands are not: no v satisfies them, however small
 * the contradiction is, down to rounding. */
START_TEST(small_contradictions_are_recognised)
{
    double size = pow(10, -_i);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t s = seed;
        case_bodies(&island, &s, 2, 2);
        peg_lcp_row last = {.body_a = 0, .body_b = 1};
        for (int i = case_integer(&s, 1, 5); i > 0; i--) {
            peg_lcp_row row = last;
            double weight = case_uniform(&s, 0.1, 1);
            for (int k = 0; k < 6; k++) {
                row.Ja[k] = case_uniform(&s, -1, 1);
                row.Jb[k] = case_uniform(&s, -1, 1);
            }
            row.b = case_uniform(&s, -1, 1);
            case_add_row(&island, row);
            for (int k = 0; k < 6; k++) {
                last.Ja[k] -= weight * row.Ja[k];
                last.Jb[k] -= weight * row.Jb[k];
            }
            last.b -= weight * row.b;
        }
        double unit = peg_residual_unit(&island.problem);
        last.b -= size * unit * sqrt(peg_row_scale(&island.problem, 0));
        case_add_row(&island, last);
        ck_assert_int_eq(solve(&island, PEG_SOLVER_AUTO, &first), PEG_INFEASIBLE);
    }
}
END_TEST

/* Flush contacts between random bodies, the normals tilted by 10^-i, that one known velocity
 * satisfies: never a contradiction, and solved unless the tilt makes impulses whose rounding is
 * larger than the tolerance, which is rare between 1e-3 and 1e-9 and does not occur elsewhere. */
START_TEST(tilted_contacts_are_no_contradiction)
{
    int unsolved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t s = seed;
        int nb = case_integer(&s, 1, 6);
        case_bodies(&island, &s, nb, 0);
        double known[7][6] = {{0}}; /* the last: the ground */
        for (int i = 0; i < 6 * nb; i++) known[i / 6][i % 6] = case_uniform(&s, -1, 1);
        for (int i = 3 * nb; i > 0; i--) {
            int a = case_integer(&s, 0, nb - 1), b = case_integer(&s, -1, nb - 1);
            int axis = case_integer(&s, 0, 2);
            double n[3] = {0}, side = case_integer(&s, 0, 1) - 0.5;
            if (a == b) b = -1;
            n[axis] = 2 * side;
            n[(axis + 1) % 3] = pow(10, -_i) * case_uniform(&s, -1, 1);
            for (int corner = 0; corner < 4; corner++) {
                double pa[3], pb[3];
                pa[axis] = -side, pb[axis] = side;
                pa[(axis + 1) % 3] = pb[(axis + 1) % 3] = corner / 2 - 0.5;
                pa[(axis + 2) % 3] = pb[(axis + 2) % 3] = corner % 2 - 0.5;
                case_add_contact(&island, a, b, pa, pb, n, 0);
                peg_lcp_row *row = &island.row[island.problem.m - 1];
                for (int k = 0; k < 6; k++)
                    row->b -= row->Ja[k] * known[a][k] + row->Jb[k] * known[b < 0 ? nb : b][k];
            }
        }
        case_clear(&first);
        peg_outcome outcome =
            peg_solve(&arena, &island.problem,
                      &(peg_solve_options){.solver = PEG_SOLVER_PROJECTED, .tolerance = 1e-9},
                      &first.solution);
        ck_assert_int_ne(outcome, PEG_INFEASIBLE);
        unsolved += outcome != PEG_SOLVED;
    }
    ck_assert_int_le(unsolved, _i < 3 || _i > 9 ? 0 : 10);
}
END_TEST

/* Walls that touch on both sides, exactly or up to rounding, leave the block free to fall. */
START_TEST(touching_walls_are_no_contradiction)
{
    static const double speed[] = {0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, -1e-16, -1e-13};
    for (size_t k = 0; k < sizeof speed / sizeof speed[0]; k++) {
        case_walls(&island, speed[k]);
        for (int i = 0; i < 4; i++) island.row[i].b = 2; /* the ground is away */
        case_clear(&first);
        ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &first));
        ck_assert_double_eq_tol(first.v[0][2], -0.981, 1e-12);
    }
}
END_TEST

static void pile(uint64_t seed)
{
    case_stack(&island, 10, 3, 1);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 6; k++) island.target[i][k] += case_uniform(&seed, -1, 1);
    for (int i = 0; i < island.problem.m; i++) island.row[i].b = case_uniform(&seed, -0.1, 0.3);
}

START_TEST(warm_start_and_order_do_not_matter)
{
    uint64_t seed = (uint64_t)_i + 1;
    pile(seed);
    ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &first));
    for (int i = 0; i < island.problem.m; i++)
        second.lambda[i] = i % 7 == 0 ? NAN : case_uniform(&seed, -10, 100);
    ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &second));
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-12);
    ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &second)); /* from the solution itself */
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-12);
    ck_assert(solved(&island, PEG_SOLVER_LEMKE, &second));
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
    for (int i = island.problem.m - 1; i > 0; i--) {
        int j = case_integer(&seed, 0, i);
        peg_lcp_row row = island.row[i];
        island.row[i] = island.row[j], island.row[j] = row;
    }
    case_clear(&second);
    ck_assert(solved(&island, PEG_SOLVER_AUTO, &second));
    ck_assert_int_eq(second.solution.method, PEG_METHOD_ACTIVE_SET);
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-12);
}
END_TEST

/* The rows that the warm start loads are the guess: of the right ones no step is left. */
START_TEST(right_guess_needs_no_step)
{
    pile((uint64_t)_i + 1);
    ck_assert_int_eq(peg_solve_active_set(&arena, &island.problem, &unbounded, &first.solution),
                     PEG_SOLVED);
    ck_assert_int_gt(first.solution.iterations, 0);
    memcpy(second.lambda, first.lambda, sizeof first.lambda);
    ck_assert_int_eq(peg_solve_active_set(&arena, &island.problem, &unbounded, &second.solution),
                     PEG_SOLVED);
    ck_assert_int_eq(second.solution.iterations, 0);
    ck_assert_double_lt(case_difference(&island, &first, &second), 1e-12);
}
END_TEST

START_TEST(same_input_gives_same_bits)
{
    for (pegSolver which = PEG_SOLVER_PROJECTED; which <= PEG_SOLVER_LEMKE; which++) {
        pile(3);
        case_clear(&first);
        case_clear(&second);
        ck_assert(solved(&island, which, &first));
        ck_assert_ptr_nonnull(peg_arena_alloc(&arena, 1234));
        ck_assert(solved(&island, which, &second));
        ck_assert_mem_eq(first.v, second.v, sizeof first.v);
        ck_assert_mem_eq(first.lambda, second.lambda, sizeof first.lambda);
    }
}
END_TEST

START_TEST(scales_do_not_matter)
{
    static const double length[] = {1e-3, 1, 1e3}, mass[] = {1e-6, 1, 1e6};
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < 3; k++) {
            pile(5);
            for (int i = 0; i < island.problem.nb; i++) {
                island.mass[i].inv_mass /= mass[k];
                for (int e = 0; e < 9; e++)
                    island.mass[i].inv_inertia[e] /= mass[k] * length[l] * length[l];
                for (int e = 0; e < 3; e++) island.target[i][e] *= length[l];
            }
            for (int i = 0; i < island.problem.m; i++) {
                island.row[i].b *= length[l];
                for (int e = 3; e < 6; e++) {
                    island.row[i].Ja[e] *= length[l];
                    island.row[i].Jb[e] *= length[l];
                }
            }
            case_clear(&first);
            case_clear(&second);
            ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &first));
            ck_assert(solved(&island, PEG_SOLVER_LEMKE, &second));
            ck_assert_double_lt(case_difference(&island, &first, &second), 1e-9);
        }
}
END_TEST

START_TEST(empty_problems_and_rows)
{
    for (pegSolver which = PEG_SOLVER_AUTO; which < PEG_SOLVER_COUNT; which++) {
        island.problem = (peg_problem){0};
        peg_solution nothing = {0};
        ck_assert_int_eq(peg_solve(&arena, &island.problem,
                                   &(peg_solve_options){.solver = which, .tolerance = TOLERANCE},
                                   &nothing),
                         PEG_SOLVED);
        case_stack(&island, 2, 2, 1);
        island.problem.m = 0;
        ck_assert(solved(&island, which, &first));
        ck_assert_mem_eq(first.v, island.target, sizeof first.v[0]);
        case_add_row(&island, (peg_lcp_row){.body_a = 0, .body_b = -1, .b = 0});
        case_add_row(&island, (peg_lcp_row){.body_a = -1, .body_b = -1, .b = 1});
        first.lambda[0] = 3;
        ck_assert(solved(&island, which, &first));
        ck_assert_mem_eq(first.v, island.target, sizeof first.v[0]);
        ck_assert_double_eq(first.lambda[0], 0);
        island.row[0].b = -1;
        ck_assert_int_eq(solve(&island, which, &first), PEG_INFEASIBLE);
    }
}
END_TEST

/* A problem of zeros: nothing moves, nothing is demanded. */
START_TEST(rest_without_gravity)
{
    case_stack(&island, 3, 3, 1);
    memset(island.target, 0, sizeof island.target);
    ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &first));
    ck_assert(solved(&island, PEG_SOLVER_LEMKE, &second));
    ck_assert_mem_eq(first.v, island.target, 3 * sizeof first.v[0]);
    ck_assert_mem_eq(second.v, island.target, 3 * sizeof first.v[0]);
}
END_TEST

START_TEST(broken_numbers_are_never_solved)
{
    static const double broken[3] = {NAN, INFINITY, -INFINITY};
    for (int place = 0; place < 7; place++)
        for (int k = 0; k < 3; k++) {
            case_stack(&island, 3, 2, 1);
            double *x[] = {&island.row[3].b,
                           &island.row[5].Ja[4],
                           &island.row[5].Jb[0],
                           &island.row[2].c,
                           &island.target[1][3],
                           &island.mass[1].inv_mass,
                           &island.mass[2].inv_inertia[4]};
            *x[place] = broken[k];
            for (pegSolver which = PEG_SOLVER_AUTO; which < PEG_SOLVER_COUNT; which++)
                ck_assert_int_ne(solve(&island, which, &first), PEG_SOLVED);
        }
    case_stack(&island, 3, 2, 1);
    island.mass[0].inv_mass = 0;
    ck_assert_int_eq(solve(&island, PEG_SOLVER_AUTO, &first), PEG_SINGULAR);
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
    pile(1);
    for (pegSolver which = PEG_SOLVER_PROJECTED; which <= PEG_SOLVER_LEMKE; which++)
        for (long n = 1, failed = 1; failed; n++) {
            teardown();
            setup();
            peg_memory_fail_at(n, 1);
            peg_outcome outcome = solve(&island, which, &first);
            failed = peg_memory_fail_at(0, 0) >= n;
            ck_assert_int_eq(outcome, failed ? PEG_OUT_OF_MEMORY : PEG_SOLVED);
            ck_assert(solved(&island, which, &first)); /* the arena is whole */
        }
}
END_TEST

START_TEST(arena_is_handed_back)
{
    pile(2);
    ck_assert(solved(&island, PEG_SOLVER_LEMKE, &first));
    peg_arena_mark mark = peg_arena_here(&arena);
    peg_memory_fail_at(0, 0);
    ck_assert(solved(&island, PEG_SOLVER_LEMKE, &first));
    ck_assert_int_eq(peg_memory_fail_at(0, 0), 0);
    ck_assert_ptr_eq(mark.block, arena.current);
    ck_assert_uint_eq(mark.used, arena.used);
}
END_TEST

/* The certificate: each way in which an answer can be wrong shows. */
START_TEST(residual_sees_every_fault)
{
    pile(4);
    ck_assert(solved(&island, PEG_SOLVER_PROJECTED, &first));
    double unit = peg_residual_unit(&island.problem);
    ck_assert_double_le(first.solution.residual, TOLERANCE * unit);
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
    first.v[4][2] += 1e-6;
    ck_assert_double_gt(peg_residual(&island.problem, &first.solution), 1e-7);
}
END_TEST

/* Closed forms: unit box, contact at a corner and at the centre of a face. */
START_TEST(row_scale_is_the_inverse_effective_mass)
{
    case_stack(&island, 2, 2, 1);
    ck_assert_double_eq_tol(peg_row_scale(&island.problem, 0), 1 + 6 * 0.5, 1e-14);
    ck_assert_double_eq_tol(peg_row_scale(&island.problem, 4), 2 * (1 + 6 * 0.5), 1e-14);
    island.row[4].c = 0.25;
    ck_assert_double_eq_tol(peg_row_scale(&island.problem, 4), 8.25, 1e-14);
    ck_assert_double_eq_tol(peg_residual_unit(&island.problem), 0.981, 1e-14);
}
END_TEST

START_TEST(large_problems_are_affordable)
{
    case_stack(&island, 30, _i ? 4 : 8, 1); /* 1920 rows; 480 for Lemke */
    uint64_t seed = 9;
    for (int i = 0; i < 30; i++)
        for (int k = 0; k < 6; k++) island.target[i][k] += case_uniform(&seed, -1, 1);
    ck_assert(solved(&island, _i ? PEG_SOLVER_LEMKE : PEG_SOLVER_PROJECTED, &first));
}
END_TEST

static void temporary_path(char *path)
{
    strcpy(path, "/tmp/peg-problem-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
}

START_TEST(problems_survive_a_file)
{
    char path[32];
    peg_problem read;
    temporary_path(path);
    random_island(17, 2);
    island.row[0].b = -0.0;
    island.row[0].c = 5e-324;
    ck_assert_int_eq(peg_problem_write(&island.problem, path), PEG_OK);
    ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_OK);
    remove(path);
    int nb = island.problem.nb, m = island.problem.m;
    ck_assert_int_eq(read.nb, nb);
    ck_assert_int_eq(read.m, m);
    ck_assert_mem_eq(read.mass, island.mass, (size_t)nb * sizeof *read.mass);
    ck_assert_mem_eq(read.target, island.target, (size_t)nb * sizeof *read.target);
    ck_assert_mem_eq(read.row, island.row, (size_t)m * sizeof *read.row);
}
END_TEST

/* Rows of joints: bounded, without a normal row; the bound may be infinite. */
START_TEST(problems_with_joints_survive_a_file)
{
    char path[32];
    peg_problem read;
    temporary_path(path);
    random_island(18, 2);
    int m = island.problem.m;
    for (int i = m / 2; i < m; i++) {
        island.row[i].bounded = 1;
        island.row[i].normal = -1;
        island.row[i].limit = i % 2 ? INFINITY : 0.5;
    }
    ck_assert_int_eq(peg_problem_write(&island.problem, path), PEG_OK);
    ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_OK);
    ck_assert_int_eq(read.m, m);
    ck_assert_mem_eq(read.row, island.row, (size_t)m * sizeof *read.row);
    island.row[m - 1].mu = 1; /* of which row? */
    ck_assert_int_eq(peg_problem_write(&island.problem, path), PEG_OK);
    ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_ERROR_FILE);
    remove(path);
}
END_TEST

START_TEST(broken_files_are_refused)
{
    static const char *const text[] = {
        "",
        "something else",
        "ode-peg-problem 2\n0 0\n",
        "ode-peg-problem 1\n-1 0\n",
        "ode-peg-problem 1\n1 0\n1 2 3\n",
        "ode-peg-problem 1\n0 1\n0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"};
    char path[32];
    peg_problem read;
    temporary_path(path);
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fputs(text[k], file);
        fclose(file);
        ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_ERROR_FILE);
    }
    remove(path);
    ck_assert_int_eq(peg_problem_read(&arena, path, &read), PEG_ERROR_FILE);
    case_stack(&island, 1, 2, 1);
    ck_assert_int_eq(peg_problem_write(&island.problem, "/nowhere/problem"), PEG_ERROR_FILE);
}
END_TEST

START_TEST(outcomes_have_names)
{
    for (peg_outcome k = PEG_SOLVED; k <= PEG_OUT_OF_MEMORY; k++)
        ck_assert_str_ne(peg_outcome_name(k), "unknown outcome");
    ck_assert_str_eq(peg_outcome_name((peg_outcome)99), "unknown outcome");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("solver");
    TCase *tests = tcase_create("solver");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, both_solvers_agree_with_enumeration, 0, 4);
    tcase_add_loop_test(tests, lemke_solves_general_problems, 0, 4);
    tcase_add_loop_test(tests, lemke_solves_wide_problems, 0, 2);
    tcase_add_test(tests, lemke_leaves_no_more_than_rounding);
    tcase_add_test(tests, lemke_needs_nothing_of_what_its_memory_held);
    tcase_add_test(tests, lemke_reports_a_ray);
    tcase_add_loop_test(tests, flush_stacks_rest, 0, 3);
    tcase_add_test(tests, contradicting_rows_are_recognised);
    tcase_add_loop_test(tests, compliant_rows_never_contradict, 0, 7);
    tcase_add_test(tests, idle_rows_do_not_loosen_the_others);
    tcase_add_loop_test(tests, small_contradictions_are_recognised, 0, 10);
    tcase_add_loop_test(tests, tilted_contacts_are_no_contradiction, 0, 17);
    tcase_add_test(tests, touching_walls_are_no_contradiction);
    tcase_add_loop_test(tests, warm_start_and_order_do_not_matter, 0, 20);
    tcase_add_loop_test(tests, right_guess_needs_no_step, 0, 20);
    tcase_add_test(tests, same_input_gives_same_bits);
    tcase_add_test(tests, scales_do_not_matter);
    tcase_add_test(tests, empty_problems_and_rows);
    tcase_add_test(tests, rest_without_gravity);
    tcase_add_test(tests, broken_numbers_are_never_solved);
    tcase_add_test(tests, exhausted_memory_is_reported);
    tcase_add_test(tests, equations_are_held_beside_other_rows);
    tcase_add_test(tests, work_is_bounded);
    tcase_add_loop_test(tests, work_of_pivoting_is_bounded, 0, 2);
    tcase_add_test(tests, arena_is_handed_back);
    tcase_add_test(tests, residual_sees_every_fault);
    tcase_add_test(tests, row_scale_is_the_inverse_effective_mass);
    tcase_add_loop_test(tests, large_problems_are_affordable, 0, 2);
    tcase_add_test(tests, problems_survive_a_file);
    tcase_add_test(tests, problems_with_joints_survive_a_file);
    tcase_add_test(tests, broken_files_are_refused);
    tcase_add_test(tests, outcomes_have_names);
    suite_add_tcase(suite, tests);
    return suite;
}
