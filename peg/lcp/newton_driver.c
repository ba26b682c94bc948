/* The island's problem by Newton's method (newton.h) from the warm start, or from some of projected
 * Gauss-Seidel if that is far off. Where it ends short of the certificate: rows without finite
 * bounds alone by QR; with bounded rows the best friction that lies in its cone, with exact normal
 * impulses. */
#include "peg/base/arena.h"
#include "peg/lcp/gauss_seidel.h"
#include "peg/lcp/newton.h"
#include "peg/lcp/problem.h"
#include "peg/lcp/qr.h"
#include "peg/lcp/scaled.h"

enum {
    PGS_ITERATIONS = 100,
    JOINED_PGS_ITERATIONS = 16, /* with joints, at which they hardly get on: of a bridge of 15
                                   hinges the rest took a fifth of the step */
    COLD_PGS_ITERATIONS = 400
};
/* Residual of a warm start, relative to the unit, above which projected Gauss-Seidel comes first;
 * problems without friction, which are convex, do without. */
static const double COLD = 1e-3;
/* Change of an impulse, relative to the unit, at which it ends. */
static const double APPROACHED = 1e-5;
/* Residual, relative to the unit, with which the last iterate is as good as exact: rows that are
 * dependent up to so much would need huge impulses that cancel. */
static const double NEAR = 1e-6;
/* Share of the bound by which friction is taken back in the first passes; then it doubles. */
static const double LITTLE_BACK = 1.0 / 128;
enum { PATIENT = 16 };
/* Rows without finite bounds up to which QR is made of all of them: some tenths of a second. */
enum { MOST_EQUALITIES = 500 };
/* Part of a unit row that is no rounding. */
static const double INDEPENDENT = 1e-13;

static void load(const peg_scaled *scaled, const double *lambda, double *u)
{
    for (int i = 0; i < scaled->m; i++) {
        double warm = lambda[scaled->row[i].index] * scaled->row[i].root_scale;
        u[i] = isfinite(warm) ? warm : 0;
    }
}

/* Projected Gauss-Seidel from the impulses in the solution, until they change little. */
static peg_outcome approach(peg_arena *arena, const peg_problem *problem, double unit,
                            int iterations, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    double *speed = PEG_NEW(arena, double, problem->m);
    if (!speed) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < problem->m; i++)
        speed[i] = APPROACHED * unit * sqrt(peg_row_scale(problem, i));
    peg_pgs_goal goal = {.speed = speed, .max_iterations = iterations};
    peg_outcome outcome = peg_solve_pgs(arena, problem, &goal, solution);
    peg_arena_back(arena, mark);
    return outcome;
}

/* Rows with finite bounds keep their impulses. */
static peg_outcome solve_frozen(peg_newton *newton, double tolerance, double *u, double *y)
{
    newton->frozen = 1;
    peg_outcome outcome = peg_newton_solve(newton, tolerance, u, y);
    newton->frozen = 0;
    return outcome;
}

/* Friction as good as it came, brought into its cone: the normal rows are solved with it, which may
 * make the cone smaller, so that it is taken back bit by bit, in the end altogether. */
static peg_outcome settle_normals(peg_newton *newton, double tolerance, double *u, double *y)
{
    const peg_scaled *scaled = newton->scaled;
    double back = LITTLE_BACK;
    for (int pass = 0;; pass++) {
        if (pass >= PATIENT) back *= 2;
        for (int i = 0; i < scaled->m; i++) {
            const peg_scaled_row *row = &scaled->row[i];
            if (!row->bounded || isinf(row->limit)) continue;
            double bound = fmax(0, 1 - back) * peg_scaled_bound(row, u);
            u[i] = peg_clamp(u[i], -bound, bound);
        }
        peg_outcome outcome = solve_frozen(newton, tolerance, u, y);
        if (outcome != PEG_SOLVED) return outcome;
        int inside = 1;
        for (int i = 0; i < scaled->m && inside; i++) {
            const peg_scaled_row *row = &scaled->row[i];
            inside = !row->bounded || fabs(u[i]) <= peg_scaled_bound(row, u);
        }
        if (inside || back >= 1) return PEG_LAGGED;
    }
}

/* Newton's method once more from the exact normal impulses of no friction, which is where a stack
 * at rest ends. */
static peg_outcome solve_settled(peg_newton *newton, double tolerance, double *u, double *y,
                                 double *kept)
{
    const peg_scaled *scaled = newton->scaled;
    size_t size = (size_t)scaled->m * sizeof *u;
    peg_outcome settled = settle_normals(newton, tolerance, u, y);
    if (settled != PEG_LAGGED) return settled;
    memcpy(kept, u, size);
    for (int i = 0; i < scaled->m; i++)
        if (scaled->row[i].bounded && !isinf(scaled->row[i].limit)) u[i] = 0;
    if (solve_frozen(newton, tolerance, u, y) == PEG_SOLVED &&
        peg_newton_solve(newton, tolerance, u, y) == PEG_SOLVED)
        return PEG_SOLVED;
    memcpy(u, kept, size);
    peg_newton_residual(newton, u, y);
    return PEG_LAGGED;
}

/* What is done where Newton's method ended in u without converging. */
static peg_outcome rescue(peg_arena *arena, peg_newton *newton, double tolerance, double *u,
                          double *y)
{
    double *kept = PEG_NEW(arena, double, newton->scaled->m);
    if (!kept) return PEG_OUT_OF_MEMORY;
    if (peg_newton_residual(newton, u, y) <= NEAR * newton->scaled->unit) return PEG_LAGGED;
    return solve_settled(newton, tolerance, u, y, kept);
}

/* Rows without finite bounds ask for the shortest y with s = 0, which QR finds with the rounding of
 * N's condition where the iteration, whose matrices have the square of it, ends short of the
 * certificate: joints in closed loops. */
static peg_outcome solve_equalities(peg_arena *arena, const peg_scaled *scaled, double *u,
                                    double *y)
{
    peg_qr qr;
    int m = scaled->m;
    int *row = PEG_NEW(arena, int, m);
    double *d = PEG_NEW(arena, double, m), *x = PEG_NEW(arena, double, m);
    if (!row || !d || !x || !peg_qr_create(arena, scaled->n, m, &qr)) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < m; i++) {
        double length = peg_qr_split(&qr, &scaled->row[i], d, y);
        if (length <= INDEPENDENT) continue;
        row[qr.q] = i;
        peg_qr_append(&qr, d, y, length);
    }
    for (int j = 0; j < qr.q; j++) d[j] = -scaled->row[row[j]].beta;
    peg_qr_shortest(&qr, d, y, x);
    memset(u, 0, (size_t)m * sizeof *u);
    for (int j = 0; j < qr.q; j++) u[row[j]] = x[j];
    return PEG_SOLVED;
}

/* Rows of joints, or of contacts that stick without limit. */
static int has_equations(const peg_scaled *scaled)
{
    for (int i = 0; i < scaled->m; i++)
        if (scaled->row[i].bounded && isinf(scaled->row[i].limit)) return 1;
    return 0;
}

static int are_equalities(const peg_scaled *scaled)
{
    for (int i = 0; i < scaled->m; i++)
        if (!scaled->row[i].bounded || !isinf(scaled->row[i].limit)) return 0;
    return scaled->m <= MOST_EQUALITIES;
}

static int has_failed(const peg_scaled *scaled, peg_outcome outcome)
{
    return outcome != PEG_SOLVED && outcome != PEG_LAGGED && outcome != PEG_INFEASIBLE &&
           outcome != PEG_OUT_OF_MEMORY && peg_scaled_has_bounds(scaled);
}

/* Newton iterations from u. With a bound on work an answer that is as good as exact is taken as
 * lagged: a restart or a rescue would cost more than it could gain. */
static peg_outcome iterate(peg_newton *newton, double tolerance, double *u, double *y)
{
    peg_outcome outcome = peg_newton_solve(newton, tolerance, u, y);
    if (!newton->ends_near || !has_failed(newton->scaled, outcome)) return outcome;
    double near = NEAR * newton->scaled->unit;
    return peg_newton_residual(newton, u, y) <= near ? PEG_LAGGED : outcome;
}

/* From the impulses u; a warm start may lie in a corner that the
 * iteration does not leave: then once more from zero. */
static peg_outcome iterate_from(peg_arena *arena, const peg_problem *problem, peg_newton *newton,
                                double tolerance, double *u, double *y, peg_solution *solution)
{
    peg_outcome outcome = iterate(newton, tolerance, u, y);
    if (!has_failed(newton->scaled, outcome)) return outcome;
    if (newton->work >= newton->most_work) return outcome;
    memset(solution->lambda, 0, (size_t)problem->m * sizeof *solution->lambda);
    if (approach(arena, problem, newton->scaled->unit, COLD_PGS_ITERATIONS, solution) ==
        PEG_OUT_OF_MEMORY)
        return PEG_OUT_OF_MEMORY;
    load(newton->scaled, solution->lambda, u);
    return iterate(newton, tolerance, u, y);
}

static peg_outcome solve(peg_arena *arena, const peg_problem *problem,
                         const peg_solve_options *options, peg_solution *solution)
{
    peg_scaled scaled;
    peg_newton newton;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    double *u = PEG_NEW(arena, double, scaled.m), *y = PEG_NEW(arena, double, scaled.n);
    double *warm = PEG_NEW(arena, double, scaled.m);
    if (!u || !y || !warm || !peg_newton_create(arena, &scaled, &newton)) return PEG_OUT_OF_MEMORY;
    load(&scaled, solution->lambda, u);
    memcpy(warm, u, (size_t)scaled.m * sizeof *u);
    double residual = peg_newton_residual(&newton, u, y);
    if (newton.bounds_follow && residual > COLD * scaled.unit) {
        int most = has_equations(&scaled) ? JOINED_PGS_ITERATIONS : PGS_ITERATIONS;
        if (approach(arena, problem, scaled.unit, most, solution) == PEG_OUT_OF_MEMORY)
            return PEG_OUT_OF_MEMORY;
        load(&scaled, solution->lambda, u);
    }
    newton.is_limited = options->is_limited;
    newton.ends_near = options->is_limited || has_equations(&scaled);
    if (options->most_work > 0) newton.most_work = options->most_work - solution->work;
    double tolerance = options->tolerance * scaled.unit;
    outcome = iterate_from(arena, problem, &newton, tolerance, u, y, solution);
    if (outcome != PEG_SOLVED && outcome != PEG_INFEASIBLE && outcome != PEG_OUT_OF_MEMORY &&
        are_equalities(&scaled))
        outcome = solve_equalities(arena, &scaled, u, y);
    if (has_failed(&scaled, outcome)) {
        solution->iterations = newton.steps;
        if (options->is_limited || newton.work >= newton.most_work) {
            solution->work += newton.work;
            return outcome;
        }
        outcome = rescue(arena, &newton, tolerance, u, y);
        int is_worse = residual < peg_newton_residual(&newton, u, y);
        if (outcome != PEG_SOLVED && outcome != PEG_INFEASIBLE && outcome != PEG_OUT_OF_MEMORY &&
            residual <= NEAR * scaled.unit && is_worse) {
            /* what rests goes on resting with the impulses it had */
            memcpy(u, warm, (size_t)scaled.m * sizeof *u);
            peg_newton_residual(&newton, u, y);
            outcome = PEG_LAGGED;
        }
    }
    solution->work += newton.work;
    if (outcome == PEG_INFEASIBLE) return outcome;
    solution->iterations = newton.steps;
    if (outcome == PEG_SOLVED || outcome == PEG_LAGGED)
        peg_unscale(problem, &scaled, y, u, solution);
    return outcome;
}

peg_outcome peg_solve_newton(peg_arena *arena, const peg_problem *problem,
                             const peg_solve_options *options, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve(arena, problem, options, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
