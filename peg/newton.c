/* Newton's method on the augmented Lagrangian (method of multipliers: Rockafellar 1976; semismooth
 * Newton inside: Li, Sun, Toh 2018). About the impulses u with y = N u, s = N^T y + beta:
 *
 *     d = argmin 1/2 |d|^2 + sum psi_i(n_i.d),      u <- p(d) = clamp(u - rho (s + N^T d), lo, hi)
 *     gradient   d - N (p - u)
 *     Hessian    I + rho N_A N_A^T      A: rows whose p lies strictly between its bounds
 *
 * Everything is a difference from the current u and goes to zero, so that rounding, which rho
 * multiplies, does too. A compliant row has rho / (1 + rho c) with c its part ns^2 of the diagonal;
 * this eliminates its own coordinate. */
#include "peg/newton.h"

#include <float.h>

enum { MULTIPLIER_STEPS = 60, NEWTON_STEPS = 25, SEARCH_STEPS = 40 };
/* Bounds of rho: the larger, the fewer multiplier steps and the more Newton steps. */
static const double RHO_LEAST = 1, RHO_MOST = 1e7;
/* First rho: such that the impulses move by about one unit, but at most this. */
static const double RHO_FIRST = 1e4;
/* A multiplier step that leaves more than this share of the residual wants a larger rho. */
static const double SLOW = 0.1;
static const double FACTOR = 10;
/* The gradient of the last Newton step, relative to what is allowed and to the residual. */
static const double INNER = 0.1;
/* The line search ends when its slope has fallen to this share. */
static const double FLAT = 1e-3;

static int find_meetings(peg_arena *arena, peg_newton *w)
{
    const peg_scaled *scaled = w->scaled;
    int nb = scaled->nv / PEG_BLOCK, count = 0;
    int(*pair)[2] = PEG_NEW(arena, int[2], scaled->m);
    if (!pair) return 0;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        int a = row->a / PEG_BLOCK, b = row->b / PEG_BLOCK;
        if (row->a < 0 || row->b < 0) continue;
        if (count && pair[count - 1][0] == a && pair[count - 1][1] == b) continue;
        pair[count][0] = a, pair[count++][1] = b;
    }
    if (!peg_block_pattern_create(arena, nb, (const int(*)[2])pair, count, &w->pattern)) return 0;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        int both = row->a >= 0 && row->b >= 0;
        w->meet[i] =
            both ? peg_block_find(&w->pattern, row->a / PEG_BLOCK, row->b / PEG_BLOCK) : -1;
    }
    return 1;
}

int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *w)
{
    int m = scaled->m, nv = scaled->nv;
    *w = (peg_newton){.scaled = scaled, .rho = 0};
    w->meet = PEG_NEW(arena, int, m);
    w->linear = PEG_NEW(arena, unsigned char, m);
    w->factored = PEG_NEW(arena, unsigned char, m);
    w->s = PEG_NEW(arena, double, m);
    w->p = PEG_NEW(arena, double, m);
    w->along = PEG_NEW(arena, double, m);
    w->d = PEG_NEW(arena, double, nv);
    w->gradient = PEG_NEW(arena, double, nv);
    w->step = PEG_NEW(arena, double, nv);
    return w->meet && w->linear && w->factored && w->s && w->p && w->along && w->d && w->gradient &&
           w->step && find_meetings(arena, w) &&
           peg_block_matrix_create(arena, &w->pattern, &w->matrix);
}

static double row_rho(double rho, const peg_scaled_row *row)
{
    return rho / (1 + rho * row->ns * row->ns);
}

/* n_i.d over the velocities only. */
static double dot_velocity(const peg_scaled_row *row, const double *d)
{
    double sum = 0;
    if (row->a >= 0)
        for (int k = 0; k < 6; k++) sum += row->na[k] * d[row->a + k];
    if (row->b >= 0)
        for (int k = 0; k < 6; k++) sum += row->nb[k] * d[row->b + k];
    return sum;
}

static void add_velocity(const peg_scaled_row *row, double t, double *d)
{
    if (row->a >= 0)
        for (int k = 0; k < 6; k++) d[row->a + k] += t * row->na[k];
    if (row->b >= 0)
        for (int k = 0; k < 6; k++) d[row->b + k] += t * row->nb[k];
}

/* p, which rows are linear, and the gradient at d; s is that at d. Returns the gradient's length.
 */
static double evaluate(peg_newton *w, const double *lo, const double *hi, const double *u)
{
    const peg_scaled *scaled = w->scaled;
    double sum = 0;
    memcpy(w->gradient, w->d, (size_t)scaled->nv * sizeof *w->gradient);
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        double p = u[i] - row_rho(w->rho, row) * w->s[i];
        w->linear[i] = p > lo[i] && p < hi[i];
        w->p[i] = peg_clamp(p, lo[i], hi[i]);
        if (w->p[i] != u[i]) add_velocity(row, u[i] - w->p[i], w->gradient);
    }
    for (int k = 0; k < scaled->nv; k++) sum += w->gradient[k] * w->gradient[k];
    return sqrt(sum);
}

/* C += t a b^T */
static void add_outer(double t, const double *restrict a, const double *restrict b,
                      double *restrict C)
{
    for (int c = 0; c < PEG_BLOCK; c++) {
        double f = t * b[c];
        for (int r = 0; r < PEG_BLOCK; r++) C[PEG_BLOCK * c + r] += f * a[r];
    }
}

/* I + rho N_A N_A^T */
static void assemble(peg_newton *w)
{
    const peg_block_pattern *pattern = &w->pattern;
    double *block = w->matrix.block;
    memset(block, 0, (size_t)pattern->blocks * PEG_BLOCK_SIZE * sizeof *block);
    for (int k = 0; k < pattern->n; k++)
        for (int c = 0; c < PEG_BLOCK; c++)
            block[(size_t)pattern->start[k] * PEG_BLOCK_SIZE + (size_t)(7 * c)] = 1;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &w->scaled->row[i];
        if (!w->linear[i]) continue;
        double rho = row_rho(w->rho, row);
        int a = row->a >= 0 ? pattern->place[row->a / PEG_BLOCK] : -1;
        int b = row->b >= 0 ? pattern->place[row->b / PEG_BLOCK] : -1;
        if (a >= 0)
            add_outer(rho, row->na, row->na, block + (size_t)pattern->start[a] * PEG_BLOCK_SIZE);
        if (b >= 0)
            add_outer(rho, row->nb, row->nb, block + (size_t)pattern->start[b] * PEG_BLOCK_SIZE);
        if (w->meet[i] < 0) continue;
        const double *later = a > b ? row->na : row->nb, *sooner = a > b ? row->nb : row->na;
        add_outer(rho, later, sooner, block + (size_t)w->meet[i] * PEG_BLOCK_SIZE);
    }
}

static int refactor(peg_newton *w)
{
    size_t m = (size_t)w->scaled->m;
    if (w->has_factor && w->rho == w->factor_rho && memcmp(w->linear, w->factored, m) == 0)
        return 1;
    assemble(w);
    memcpy(w->factored, w->linear, m);
    w->factor_rho = w->rho;
    w->factorisations++;
    return w->has_factor = peg_block_factorise(&w->matrix);
}

/* Slope of the objective at d + t step, and its derivative. */
static double slope(const peg_newton *w, const double *lo, const double *hi, const double *u,
                    double t, double first, double square, double *curvature)
{
    double f = first + t * square, c = square;
    for (int i = 0; i < w->scaled->m; i++) {
        double rho = row_rho(w->rho, &w->scaled->row[i]), along = w->along[i];
        double p = u[i] - rho * (w->s[i] + t * along), q = peg_clamp(p, lo[i], hi[i]);
        if (p == q) c += rho * along * along;
        f -= (q - u[i]) * along;
    }
    *curvature = c;
    return f;
}

/* Zero of the slope, which is piecewise linear and grows: Newton's method within a bracket. */
static double search(const peg_newton *w, const double *lo, const double *hi, const double *u)
{
    double first = 0, square = 0, curvature, below = 0, above = INFINITY, t = 1;
    for (int k = 0; k < w->scaled->nv; k++) {
        first += w->d[k] * w->step[k];
        square += w->step[k] * w->step[k];
    }
    double start = fabs(slope(w, lo, hi, u, 0, first, square, &curvature));
    for (int made = 0; made < SEARCH_STEPS; made++) {
        double f = slope(w, lo, hi, u, t, first, square, &curvature);
        if (fabs(f) <= FLAT * start) break;
        if (f > 0)
            above = t;
        else
            below = t;
        double next = t - f / curvature;
        if (next <= below || next >= above) next = isinf(above) ? 2 * below : 0.5 * (below + above);
        if (next == t) break;
        t = next;
    }
    return t;
}

/* Minimises over d; on entry s belongs to u, d = 0. */
static peg_outcome minimise(peg_newton *w, const double *lo, const double *hi, double tolerance,
                            const double *u, int *made)
{
    const peg_scaled *scaled = w->scaled;
    double last = INFINITY;
    memset(w->d, 0, (size_t)scaled->nv * sizeof *w->d);
    for (*made = 0; *made < NEWTON_STEPS; ++*made) {
        double length = evaluate(w, lo, hi, u);
        if (length <= tolerance) return PEG_SOLVED;
        /* the right rows, and nothing but rounding is left */
        int same = *made > 0 && memcmp(w->linear, w->factored, (size_t)scaled->m) == 0;
        if (same && length > 0.5 * last) return PEG_SOLVED;
        last = length;
        if (!refactor(w)) return PEG_SINGULAR;
        for (int k = 0; k < scaled->nv; k++) w->step[k] = -w->gradient[k];
        peg_block_solve(&w->matrix, w->step);
        for (int i = 0; i < scaled->m; i++) w->along[i] = dot_velocity(&scaled->row[i], w->step);
        double t = search(w, lo, hi, u);
        for (int k = 0; k < scaled->nv; k++) w->d[k] += t * w->step[k];
        for (int i = 0; i < scaled->m; i++) w->s[i] += t * w->along[i];
        w->steps++;
    }
    return PEG_SOLVED;
}

static double natural_residual(const peg_newton *w, const double *lo, const double *hi,
                               const double *u)
{
    double worst = 0;
    for (int i = 0; i < w->scaled->m; i++)
        worst = fmax(worst, fabs(u[i] - peg_clamp(u[i] - w->s[i], lo[i], hi[i])));
    return worst;
}

peg_outcome peg_newton_solve(peg_newton *w, const double *lo, const double *hi, double tolerance,
                             double *u, double *y)
{
    double last = INFINITY;
    for (int k = 0, made = 0; k < MULTIPLIER_STEPS; k++) {
        peg_scaled_response(w->scaled, u, y, w->s);
        double residual = natural_residual(w, lo, hi, u);
        if (residual <= tolerance) return PEG_SOLVED;
        if (!isfinite(residual)) return PEG_SINGULAR;
        if (k == 0)
            w->rho = fmin(fmax(w->scaled->unit / residual, RHO_LEAST), RHO_FIRST);
        else if (made >= NEWTON_STEPS)
            w->rho = fmax(w->rho / FACTOR, RHO_LEAST);
        else if (residual > SLOW * last)
            w->rho = fmin(w->rho * FACTOR, RHO_MOST);
        last = residual;
        double inner = INNER * fmax(tolerance, INNER * residual);
        peg_outcome outcome = minimise(w, lo, hi, inner, u, &made);
        if (outcome != PEG_SOLVED) return outcome;
        if (made < NEWTON_STEPS) memcpy(u, w->p, (size_t)w->scaled->m * sizeof *u);
    }
    return PEG_ITERATION_LIMIT;
}
