/* The island's problem by Newton's method (newton.h) from the warm start, or from some of projected
 * Gauss-Seidel if that is far off. Where it ends short of the certificate: rows without finite
 * bounds alone by QR; with bounded rows the fixed point of friction bounds and normal impulses. */
#include "peg/base/arena.h"
#include "peg/base/tolerance.h"
#include "peg/lcp/gauss_seidel.h"
#include "peg/lcp/newton.h"
#include "peg/lcp/problem.h"
#include "peg/lcp/qr.h"
#include "peg/lcp/scaled.h"

enum {
    PGS_ITERATIONS = 100,
    JOINED_PGS_ITERATIONS = 16 /* with joints, at which they hardly get on: of a bridge of 15
                                  hinges the rest took a fifth of the step */
};
/* Residual of a warm start, relative to the unit, above which projected Gauss-Seidel comes first;
 * problems without friction, which are convex, do without. */
static const double COLD = 1e-3;
/* Change of an impulse, relative to the unit, at which it ends. */
static const double APPROACHED = 1e-5;
/* Share of the bounds by which friction is taken back first, where there is no fixed point: else
 * meshes far in each other do not come apart (heaps_come_apart). */
static const double LITTLE_BACK = 1.0 / 64;
/* Rounds of the fixed point; nearly all that converge have by then
 * (fixed_points_lead_to_answers). */
enum { ROUNDS = 24 };
/* Residual of a round, relative to what the last one has changed the velocities by. */
static const double INEXACT = 1e-2;
/* Change of the velocities by a round, relative to the unit, at which they have converged. */
static const double CLOSE = 2e-3;
/* Change, relative to the last one, above which the bounds move half as far, and the least share of
 * the way: undamped, those of pile-boxes of 31 at h .01 go to and fro for all rounds. */
static const double SLOW = 0.5, LEAST_SHARE = 0.25;
/* Residual, relative to the unit, at which an iterate that gets no closer is an answer, unless all
 * is to be tried: what would follow takes longer than all before, and may end at CLOSE. With 1e-6
 * the slowest step of an arch of 101 stones takes 97 instead of 36 ms, that of pile-boxes of 30 76
 * instead of 5 ms. */
static const double ENOUGH = 1e-4;
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

/* Moves the bounds by `share` of the way to `part` of what the impulses u allow. */
static void move_bounds(const peg_scaled *scaled, const double *u, double part, double share,
                        double *bound)
{
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        double next = row->bounded ? part * peg_scaled_bound(row, u) : 0;
        bound[i] =
            row->bounded && isinf(row->limit) ? INFINITY : bound[i] + share * (next - bound[i]);
    }
}

static int is_within(const peg_scaled *scaled, const double *u)
{
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        if (row->bounded && fabs(u[i]) > peg_scaled_bound(row, u)) return 0;
    }
    return 1;
}

/* Whether rounding is all that keeps the impulses u from the tolerance. */
static int is_near_exact(peg_newton *newton, double *u, double *y)
{
    return peg_newton_residual(newton, u, y) <= PEG_NEAR_EXACT * newton->scaled->unit;
}

/* With given bounds the problem is convex, and every step of the iteration counts. */
static peg_outcome solve_bound(peg_newton *newton, const double *bound, double tolerance, double *u,
                               double *y)
{
    int ends_near = newton->ends_near;
    newton->bound = bound;
    newton->ends_near = 0;
    peg_outcome outcome = peg_newton_solve(newton, tolerance, u, y);
    if (outcome == PEG_ITERATION_LIMIT && is_near_exact(newton, u, y)) outcome = PEG_SOLVED;
    newton->bound = NULL;
    newton->ends_near = ends_near;
    return outcome;
}

static double distance(int n, const double *a, const double *b)
{
    double square = 0;
    for (int i = 0; i < n; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(square);
}

/* Bounds that follow the normal impulses from round to round, damped where they go to and fro.
 * PEG_SOLVED: the last round has hardly changed the velocities. */
static peg_outcome follow_bounds(peg_newton *newton, double tolerance, double *bound,
                                 double *before, double *u, double *y)
{
    const peg_scaled *scaled = newton->scaled;
    int n = scaled->nv;
    double change = CLOSE * scaled->unit, share = 1;
    for (int k = 0; k < ROUNDS && newton->work < newton->most_work; k++) {
        double last = change;
        move_bounds(scaled, u, 1, share, bound);
        memcpy(before, y, (size_t)n * sizeof *y);
        peg_outcome outcome = solve_bound(newton, bound, fmax(tolerance, INEXACT * last), u, y);
        if (outcome != PEG_SOLVED && outcome != PEG_ITERATION_LIMIT) return outcome;
        change = distance(n, y, before);
        if (k == 0) continue;
        if (change > SLOW * last) share = fmax(0.5 * share, LEAST_SHARE);
        if (outcome == PEG_SOLVED && change <= share * CLOSE * scaled->unit) return PEG_SOLVED;
    }
    return PEG_ITERATION_LIMIT;
}

/* Friction is taken back, four times as much in each round, until all of it lies within its bounds.
 */
static peg_outcome take_back(peg_newton *newton, double tolerance, double *bound, double *u,
                             double *y)
{
    double back = LITTLE_BACK;
    for (; back <= 1 && newton->work < newton->most_work; back *= 4) {
        move_bounds(newton->scaled, u, 1 - back, 1, bound);
        peg_outcome outcome = solve_bound(newton, bound, tolerance, u, y);
        if (outcome == PEG_SOLVED && is_within(newton->scaled, u)) return PEG_LAGGED;
        if (outcome != PEG_SOLVED && outcome != PEG_ITERATION_LIMIT) return outcome;
    }
    return PEG_ITERATION_LIMIT;
}

static int has_failed(const peg_scaled *scaled, peg_outcome outcome)
{
    return !peg_is_answer(outcome) && outcome != PEG_INFEASIBLE && outcome != PEG_OUT_OF_MEMORY &&
           peg_scaled_has_bounds(scaled);
}

/* Newton iterations from u. An iterate that is close enough is taken as lagged: a rescue would cost
 * more than it could gain. */
static peg_outcome iterate(peg_newton *newton, double tolerance, double *u, double *y)
{
    double enough = newton->rescue == PEG_RESCUE_ALL ? PEG_NEAR_EXACT : ENOUGH;
    peg_outcome outcome = peg_newton_solve(newton, tolerance, u, y);
    if (!has_failed(newton->scaled, outcome)) return outcome;
    return peg_newton_residual(newton, u, y) <= enough * newton->scaled->unit ? PEG_LAGGED
                                                                              : outcome;
}

/* Of velocities that have converged the impulses within their own bounds, in cones first. Where
 * there are none PEG_ITERATION_LIMIT, and u is as it was. kept: room. */
static peg_outcome find_impulses(peg_newton *newton, double tolerance, double *kept, double *u,
                                 double *y)
{
    size_t size = (size_t)newton->scaled->m * sizeof *u;
    double close = CLOSE * newton->scaled->unit;
    memcpy(kept, u, size);
    newton->starts_with_cones = 1;
    peg_outcome outcome = peg_newton_solve(newton, fmax(tolerance, INEXACT * close), u, y);
    newton->starts_with_cones = 0;
    if (outcome == PEG_INFEASIBLE) return outcome;
    if (outcome == PEG_SINGULAR || peg_newton_residual(newton, u, y) > close) {
        memcpy(u, kept, size);
        return PEG_ITERATION_LIMIT;
    }
    memcpy(kept, u, size);
    outcome = iterate(newton, tolerance, u, y);
    if (!has_failed(newton->scaled, outcome)) return outcome;
    memcpy(u, kept, size);
    peg_newton_residual(newton, u, y);
    return PEG_LAGGED;
}

/* What is done where Newton's method ended in u without converging.
 *
 * Friction with given bounds is a convex problem that v = 0 satisfies and energy only falls in; the
 * bounds follow the normal impulses of its answer to their fixed point (Haslinger 1983;
 * Panagiotopoulos 1975). Where contacts slide and others hinge (arch-25 of 61 stones at h .002)
 * its velocities converge, and those of Newton's method with bounds that follow at once do not. Its
 * impulses need not: they are an answer only where they end within bounds of their own. First of
 * all, rows that contradict each other without friction have no answer. */
static peg_outcome rescue(peg_arena *arena, peg_newton *newton, double tolerance, double *u,
                          double *y)
{
    const peg_scaled *scaled = newton->scaled;
    size_t size = (size_t)scaled->m * sizeof *u;
    double *bound = PEG_NEW(arena, double, scaled->m), *before = PEG_NEW(arena, double, scaled->nv);
    double *kept = PEG_NEW(arena, double, scaled->m);
    int is_last = newton->rescue == PEG_RESCUE_ALL;
    if (!bound || !before || !kept) return PEG_OUT_OF_MEMORY;
    memset(bound, 0, size);
    if (is_last) {
        memcpy(kept, u, size);
        move_bounds(scaled, u, 0, 1, bound);
        peg_outcome frictionless = solve_bound(newton, bound, tolerance, u, y);
        if (frictionless != PEG_SOLVED) return frictionless;
        memcpy(u, kept, size);
        peg_newton_residual(newton, u, y); /* y of u again */
    }
    peg_outcome outcome = follow_bounds(newton, tolerance, bound, before, u, y);
    if (outcome == PEG_SOLVED) outcome = find_impulses(newton, tolerance, kept, u, y);
    return outcome == PEG_ITERATION_LIMIT && is_last ? take_back(newton, tolerance, bound, u, y)
                                                     : outcome;
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
    double *x = PEG_NEW(arena, double, m);
    if (!row || !x || !peg_qr_create(arena, scaled->n, m, &qr)) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < m; i++) {
        double length = peg_qr_split(&qr, &scaled->row[i]);
        if (length <= INDEPENDENT) continue;
        row[qr.q] = i;
        peg_qr_append(&qr, length);
    }
    for (int j = 0; j < qr.q; j++) qr.d[j] = -scaled->row[row[j]].beta;
    peg_qr_shortest(&qr, y, x);
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

/* Writes the iterate, or the warm start if its residual is smaller: a later solve goes on from it.
 */
static void keep_iterate(const peg_problem *problem, peg_newton *newton, double residual, double *u,
                         double *warm, double *y, peg_solution *solution)
{
    double *kept = peg_newton_residual(newton, u, y) < residual ? u : warm;
    peg_newton_residual(newton, kept, y);
    peg_unscale(problem, newton->scaled, y, kept, solution);
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
    newton.rescue = options->rescue;
    newton.ends_near =
        (newton.rescue != PEG_RESCUE_ALL && newton.has_limits) || has_equations(&scaled);
    if (options->most_work > 0) newton.most_work = options->most_work - solution->work;
    double tolerance = options->tolerance * scaled.unit;
    outcome = iterate(&newton, tolerance, u, y);
    if (outcome == PEG_ITERATION_LIMIT && !peg_scaled_has_bounds(&scaled) &&
        is_near_exact(&newton, u, y))
        outcome = PEG_SOLVED; /* to what rounding lets it */
    if (outcome != PEG_SOLVED && outcome != PEG_INFEASIBLE && outcome != PEG_OUT_OF_MEMORY &&
        are_equalities(&scaled))
        outcome = solve_equalities(arena, &scaled, u, y);
    if (has_failed(&scaled, outcome)) {
        solution->iterations = newton.steps;
        if (newton.work >= newton.most_work) {
            solution->work += newton.work;
            keep_iterate(problem, &newton, residual, u, warm, y, solution);
            return outcome;
        }
        if (residual > PEG_NEAR_EXACT * scaled.unit) {
            outcome = rescue(arena, &newton, tolerance, u, y);
            if (outcome == PEG_ITERATION_LIMIT)
                keep_iterate(problem, &newton, residual, u, warm, y, solution);
        } else {
            /* what rests goes on resting with the impulses it had */
            memcpy(u, warm, (size_t)scaled.m * sizeof *u);
            peg_newton_residual(&newton, u, y);
            outcome = PEG_LAGGED;
        }
    }
    solution->work += newton.work;
    if (outcome == PEG_INFEASIBLE) return outcome;
    solution->iterations = newton.steps;
    if (peg_is_answer(outcome)) peg_unscale(problem, &scaled, y, u, solution);
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
