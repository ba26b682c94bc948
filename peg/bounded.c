/* The mixed LCP with bounded rows: their bounds depend on the normal impulses, which makes it no
 * convex problem. Passes: bounds from the last impulses, then the convex problem with these
 * (newton.h), until the conditions hold with the bounds of the impulses themselves. */
#include "peg/newton.h"

enum { SWEEPS = 20, PASSES = 60 };
/* A pass is solved to this share of the residual that it started with, or of the tolerance. */
static const double EXACT = 1e-3, OF_TOLERANCE = 0.1;

typedef struct passes {
    const peg_scaled *scaled;
    peg_newton newton;
    double *u, *y, *s; /* iterate */
    double *lo, *hi;
    int made;
} passes;

static int create(peg_arena *arena, const peg_scaled *scaled, passes *w)
{
    *w = (passes){.scaled = scaled};
    w->u = PEG_NEW(arena, double, scaled->m);
    w->s = PEG_NEW(arena, double, scaled->m);
    w->lo = PEG_NEW(arena, double, scaled->m);
    w->hi = PEG_NEW(arena, double, scaled->m);
    w->y = PEG_NEW(arena, double, scaled->n);
    return w->u && w->s && w->lo && w->hi && w->y && peg_newton_create(arena, scaled, &w->newton);
}

static void bounds(const peg_scaled *scaled, const double *u, int i, double *lo, double *hi)
{
    const peg_scaled_row *row = &scaled->row[i];
    *hi = row->bounded ? peg_scaled_bound(row, u) : INFINITY;
    *lo = row->bounded ? -*hi : 0;
}

static void load(passes *w, const double *lambda)
{
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &w->scaled->row[i];
        double warm = lambda[row->index] * row->root_scale;
        w->u[i] = isfinite(warm) ? warm : 0;
    }
}

/* Brings u between its own bounds; a normal row comes before those it bounds. */
static void set_bounds(passes *w)
{
    for (int i = 0; i < w->scaled->m; i++) {
        bounds(w->scaled, w->u, i, &w->lo[i], &w->hi[i]);
        w->u[i] = peg_clamp(w->u[i], w->lo[i], w->hi[i]);
    }
}

/* Natural residual with the bounds of u itself, inside which it is brought. */
static double residual(passes *w)
{
    double worst = 0;
    set_bounds(w);
    peg_scaled_response(w->scaled, w->u, w->y, w->s);
    for (int i = 0; i < w->scaled->m; i++) {
        double r = fabs(w->u[i] - peg_clamp(w->u[i] - w->s[i], w->lo[i], w->hi[i]));
        if (!isfinite(r)) return INFINITY;
        worst = fmax(worst, r);
    }
    return worst;
}

/* Gauss-Seidel with the bounds of the moment. */
static void sweep(passes *w)
{
    double lo, hi;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &w->scaled->row[i];
        bounds(w->scaled, w->u, i, &lo, &hi);
        double s = peg_scaled_dot(row, w->y) + row->beta, next = peg_clamp(w->u[i] - s, lo, hi);
        if (next != w->u[i]) peg_scaled_add(row, next - w->u[i], w->y);
        w->u[i] = next;
    }
}

static peg_outcome run(passes *w, double tolerance)
{
    double r = residual(w);
    if (r > EXACT * w->scaled->unit)
        for (int k = 0; k < SWEEPS; k++) sweep(w);
    for (r = residual(w); w->made < PASSES; r = residual(w)) {
        if (r <= tolerance) return PEG_SOLVED;
        double wanted = fmax(OF_TOLERANCE * tolerance, EXACT * r);
        peg_outcome outcome = peg_newton_solve(&w->newton, w->lo, w->hi, wanted, w->u, w->y);
        w->made++;
        if (outcome == PEG_SINGULAR) return outcome;
    }
    return PEG_ITERATION_LIMIT;
}

static peg_outcome solve(peg_arena *arena, const peg_problem *problem, double tolerance,
                         peg_solution *solution)
{
    peg_scaled scaled;
    passes w;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    if (!create(arena, &scaled, &w)) return PEG_OUT_OF_MEMORY;
    load(&w, solution->lambda);
    outcome = run(&w, OF_TOLERANCE * tolerance * scaled.unit);
    solution->iterations = w.newton.steps;
    if (outcome == PEG_SOLVED) peg_unscale(problem, &scaled, w.y, w.u, solution);
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
