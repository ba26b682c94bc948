/* The mixed LCP with bounded rows: their bounds depend on the normal impulses, which makes it no
 * convex problem. Passes: bounds from the last impulses, then the convex problem with these
 * (newton.h), until the conditions hold with the bounds of the impulses themselves. */
#include "peg/newton.h"

enum { SWEEPS = 50 };
/* Residual of a warm start, relative to the unit, above which sweeps come first. */
static const double COLD = 1e-3;
static const double OF_TOLERANCE = 0.1;

static void load(const peg_scaled *scaled, const double *lambda, double *u)
{
    for (int i = 0; i < scaled->m; i++) {
        double warm = lambda[scaled->row[i].index] * scaled->row[i].root_scale;
        u[i] = isfinite(warm) ? warm : 0;
    }
}

/* Gauss-Seidel with the bounds of the moment. */
static void sweep(const peg_scaled *scaled, double *u, double *y)
{
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        double hi = row->bounded ? peg_scaled_bound(row, u) : INFINITY, lo = row->bounded ? -hi : 0;
        double next = peg_clamp(u[i] - peg_scaled_dot(row, y) - row->beta, lo, hi);
        if (next != u[i]) peg_scaled_add(row, next - u[i], y);
        u[i] = next;
    }
}

static peg_outcome solve(peg_arena *arena, const peg_problem *problem, double tolerance,
                         peg_solution *solution)
{
    peg_scaled scaled;
    peg_newton newton;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    double *u = PEG_NEW(arena, double, scaled.m), *y = PEG_NEW(arena, double, scaled.n);
    if (!u || !y || !peg_newton_create(arena, &scaled, &newton)) return PEG_OUT_OF_MEMORY;
    load(&scaled, solution->lambda, u);
    if (peg_newton_residual(&newton, u, y) > COLD * scaled.unit)
        for (int k = 0; k < SWEEPS; k++) sweep(&scaled, u, y);
    outcome = peg_newton_solve(&newton, OF_TOLERANCE * tolerance * scaled.unit, u, y);
    solution->iterations = newton.steps;
    if (outcome == PEG_SOLVED) peg_unscale(problem, &scaled, y, u, solution);
    return outcome;
}

peg_outcome peg_solve_bounded(peg_arena *arena, const peg_problem *problem, double tolerance,
                              peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve(arena, problem, tolerance, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
