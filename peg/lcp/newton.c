/* Newton's method on the augmented Lagrangian (method of multipliers: Rockafellar 1976; semismooth
 * Newton inside: Li, Sun, Toh 2018). About the impulses u with y = N u, s = N^T y + beta, one
 * multiplier step finds d with
 *
 *     d = N (p - u),    p = clamp(u - rho (s + N^T d), lo, hi),      and sets u := p
 *
 * With fixed bounds d minimises a piecewise quadratic convex function, found with an exact line
 * search; the Newton matrix is I + rho N_A N_A^T, A the rows strictly between their bounds.
 * Everything is a difference from the current u and goes to zero, so that rounding, which rho
 * multiplies, does too. A compliant row has rho / (1 + rho c) with c = ns^2, its part of the
 * diagonal: this eliminates its own coordinate.
 *
 * Bounds that follow the normal impulses are taken from u as long as that converges quickly (a pile
 * at rest). Else they are live: taken from p, which adds +-rho mu n_f n_n^T to the matrix for every
 * row f at its bound whose normal row n is in A; it is no minimum any more, so steps have to
 * shorten the gradient d - N (p - u). A step that fails is made again with a smaller rho: the
 * smaller, the closer to a contraction. */
#include "peg/lcp/newton.h"

#include <float.h>

#include "peg/lcp/block_ldu.h"
#include "peg/lcp/scaled.h"

/* Steps of the multipliers, of Newton's method in each of them, and of its search along a line. */
enum { MULTIPLIER_STEPS = 100, NEWTON_STEPS = 10, SEARCH_STEPS = 40 };
/* Factorisations of a call without a bound of its own: contradicting joints went on for minutes. */
enum { FACTORISATIONS = 300 };
/* So many multiplier steps that do not halve the residual end the iteration: below the tolerance
 * and above it. */
enum { CONTENT = 4, PATIENCE = 15 };
/* The same with a bound on work: a residual below so many tolerances is not worth more. */
static const double NEARLY = 1e3;
/* The larger rho, the fewer multiplier steps and the more Newton steps. The first one moves the
 * impulses by RHO_FIRST units; a step that leaves more than SLOW of the residual makes it larger by
 * up to FACTOR; one that fails makes it smaller by FACTOR, and the next rises are smaller. */
static const double RHO_LEAST = 0.1, RHO_MOST = 1e7, RHO_FIRST = 0.02, RHO_START = 1e4;
static const double SLOW = 0.1, FACTOR = 10, CAREFUL = 2, BOLDER = 1.4;
/* A step fails too when it multiplies the residual by more than this. */
static const double WORSE = 3;
/* A step that leaves more than this share has stalled, and may prove a contradiction. */
static const double STALLED = 0.5;
/* Share of the tolerance that is aimed at until steps stall: velocities are less exact than the
 * residual, by the condition of the rows. */
static const double BETTER = 0.01;
/* Residual per impulse that is rounding. */
static const double ROUNDING = 4 * DBL_EPSILON;
/* Residual, relative to the unit, up to which the bounds of the warm start are kept at first. */
static const double WARM = 1e-4;
/* Gradient at which the inner iteration ends, relative to the residual. */
static const double INNER = 0.1;
/* The line search ends when the slope has fallen to this share. */
static const double FLAT = 1e-3;
/* A step must shorten the gradient by this share of its length; the shortest that is tried. */
static const double DECREASE = 0.1, SHORTEST = 1.0 / 64;

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
    w->state = PEG_NEW(arena, unsigned char, m);
    w->factored = PEG_NEW(arena, unsigned char, m);
    w->lo = PEG_NEW(arena, double, m);
    w->hi = PEG_NEW(arena, double, m);
    w->before = PEG_NEW(arena, double, m);
    w->s = PEG_NEW(arena, double, m);
    w->p = PEG_NEW(arena, double, m);
    w->along = PEG_NEW(arena, double, m);
    w->d = PEG_NEW(arena, double, nv);
    w->gradient = PEG_NEW(arena, double, scaled->n);
    w->step = PEG_NEW(arena, double, nv);
    return w->meet && w->state && w->factored && w->lo && w->hi && w->before && w->s && w->p &&
           w->along && w->d && w->gradient && w->step && find_meetings(arena, w) &&
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

/* How p_i depends on d: not, linearly, or with the p of its normal row, at the upper or lower
 * bound.
 */
enum { FIXED = 0, LINEAR, FOLLOWS_UP, FOLLOWS_DOWN };

static int follows(const peg_newton *w, const peg_scaled_row *row)
{
    int n = row->normal;
    return w->live && n >= 0 && row->mu > 0 && w->state[n] == LINEAR &&
           w->scaled->row[n].a == row->a && w->scaled->row[n].b == row->b;
}

/* p, its state, and the gradient at d; s is that at d. Returns the gradient's length. */
static double evaluate(peg_newton *w, const double *u)
{
    const peg_scaled *scaled = w->scaled;
    double sum = 0;
    memcpy(w->gradient, w->d, (size_t)scaled->nv * sizeof *w->gradient);
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        double p = u[i] - row_rho(w->rho, row) * w->s[i], lo = w->lo[i], hi = w->hi[i];
        if (w->live && row->bounded) hi = peg_scaled_bound(row, w->p), lo = -hi;
        w->state[i] = p > lo && p < hi ? LINEAR : FIXED;
        if (w->state[i] == FIXED && follows(w, row))
            w->state[i] = p > lo ? FOLLOWS_UP : FOLLOWS_DOWN;
        w->p[i] = peg_clamp(p, lo, hi);
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

/* Adds t f n^T to the matrix. */
static void add_pair(peg_newton *w, int i, double t, const peg_scaled_row *f,
                     const peg_scaled_row *n)
{
    const peg_block_pattern *pattern = &w->pattern;
    double *lower = w->matrix.lower;
    int a = f->a >= 0 ? pattern->place[f->a / PEG_BLOCK] : -1;
    int b = f->b >= 0 ? pattern->place[f->b / PEG_BLOCK] : -1;
    if (a >= 0) add_outer(t, f->na, n->na, lower + (size_t)pattern->start[a] * PEG_BLOCK_SIZE);
    if (b >= 0) add_outer(t, f->nb, n->nb, lower + (size_t)pattern->start[b] * PEG_BLOCK_SIZE);
    if (w->meet[i] < 0) return;
    size_t meet = (size_t)w->meet[i] * PEG_BLOCK_SIZE;
    add_outer(t, a > b ? f->na : f->nb, a > b ? n->nb : n->na, lower + meet);
    if (!w->symmetric)
        add_outer(t, a > b ? n->na : n->nb, a > b ? f->nb : f->na, w->matrix.upper + meet);
}

/* I + rho N_A N_A^T +- rho mu n_f n_n^T */
static void assemble(peg_newton *w)
{
    const peg_block_pattern *pattern = &w->pattern;
    const peg_scaled_row *rows = w->scaled->row;
    size_t size = (size_t)pattern->blocks * PEG_BLOCK_SIZE * sizeof(double);
    w->symmetric = 1;
    for (int i = 0; i < w->scaled->m && w->symmetric; i++) w->symmetric = w->state[i] <= LINEAR;
    memset(w->matrix.lower, 0, size);
    if (!w->symmetric) memset(w->matrix.upper, 0, size);
    for (int k = 0; k < pattern->n; k++)
        for (int c = 0; c < PEG_BLOCK; c++)
            w->matrix.lower[(size_t)pattern->start[k] * PEG_BLOCK_SIZE + (size_t)(7 * c)] = 1;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &rows[i];
        if (w->state[i] == LINEAR) add_pair(w, i, row_rho(w->rho, row), row, row);
        if (w->state[i] <= LINEAR) continue;
        const peg_scaled_row *normal = &rows[row->normal];
        double t = row->mu * row_rho(w->rho, normal);
        add_pair(w, i, w->state[i] == FOLLOWS_UP ? t : -t, row, normal);
    }
}

static int refactor(peg_newton *w)
{
    size_t m = (size_t)w->scaled->m;
    if (w->has_factor && w->rho == w->factor_rho && memcmp(w->state, w->factored, m) == 0) return 1;
    assemble(w);
    memcpy(w->factored, w->state, m);
    w->factor_rho = w->rho;
    w->factorisations++;
    return w->has_factor = peg_block_factorise(&w->matrix, w->symmetric);
}

/* Slope of the objective at d + t step, and its derivative. */
static double slope(const peg_newton *w, const double *u, double t, double first, double square,
                    double *curvature)
{
    double f = first + t * square, c = square;
    for (int i = 0; i < w->scaled->m; i++) {
        double rho = row_rho(w->rho, &w->scaled->row[i]), along = w->along[i];
        double p = u[i] - rho * (w->s[i] + t * along), q = peg_clamp(p, w->lo[i], w->hi[i]);
        if (p == q) c += rho * along * along;
        f -= (q - u[i]) * along;
    }
    *curvature = c;
    return f;
}

/* Zero of the slope, which is piecewise linear and grows: Newton's method within a bracket. */
static double search(const peg_newton *w, const double *u)
{
    double first = 0, square = 0, curvature, below = 0, above = INFINITY, t = 1;
    for (int k = 0; k < w->scaled->nv; k++) {
        first += w->d[k] * w->step[k];
        square += w->step[k] * w->step[k];
    }
    double start = fabs(slope(w, u, 0, first, square, &curvature));
    for (int made = 0; made < SEARCH_STEPS; made++) {
        double f = slope(w, u, t, first, square, &curvature);
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

static void move(peg_newton *w, double t)
{
    for (int k = 0; k < w->scaled->nv; k++) w->d[k] += t * w->step[k];
    for (int i = 0; i < w->scaled->m; i++) w->s[i] += t * w->along[i];
}

/* Moves by the largest of 1, 1/2, .. that shortens the gradient; false if none does. */
static int backtrack(peg_newton *w, const double *u, double length)
{
    double t = 1;
    for (move(w, t); t >= SHORTEST; t *= 0.5) {
        if (evaluate(w, u) <= (1 - DECREASE * t) * length) return 1;
        move(w, -0.5 * t);
    }
    return 0;
}

/* Zero of the gradient over d; on entry s belongs to u. */
static peg_outcome minimise(peg_newton *w, double tolerance, const double *u)
{
    const peg_scaled *scaled = w->scaled;
    double last = INFINITY;
    memset(w->d, 0, (size_t)scaled->nv * sizeof *w->d);
    for (int made = 0; made < NEWTON_STEPS; made++) {
        double length = evaluate(w, u);
        if (length <= tolerance) return PEG_SOLVED;
        /* the right rows, and nothing but rounding is left */
        int same = made > 0 && memcmp(w->state, w->factored, (size_t)scaled->m) == 0;
        if (same && length > 0.5 * last) return PEG_SOLVED;
        last = length;
        if (!refactor(w)) return PEG_SINGULAR;
        for (int k = 0; k < scaled->nv; k++) w->step[k] = -w->gradient[k];
        peg_block_solve(&w->matrix, w->symmetric, w->step);
        for (int i = 0; i < scaled->m; i++) w->along[i] = dot_velocity(&scaled->row[i], w->step);
        w->steps++;
        if (!w->live)
            move(w, search(w, u));
        else if (!backtrack(w, u, length))
            return PEG_ITERATION_LIMIT;
    }
    return PEG_ITERATION_LIMIT;
}

/* The tolerance, or what the rounding of large impulses that cancel leaves. */
static double reachable(const peg_newton *w, double tolerance, const double *u)
{
    double largest = 0;
    for (int i = 0; i < w->scaled->m; i++) largest = fmax(largest, fabs(u[i]));
    return fmax(tolerance, ROUNDING * largest);
}

double peg_newton_residual(peg_newton *w, double *u, double *y)
{
    double worst = 0;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &w->scaled->row[i];
        w->hi[i] = row->bounded ? peg_scaled_bound(row, u) : INFINITY;
        w->lo[i] = row->bounded ? -w->hi[i] : 0;
        if (w->frozen && isfinite(w->hi[i])) w->lo[i] = w->hi[i] = u[i];
        u[i] = peg_clamp(u[i], w->lo[i], w->hi[i]); /* before the rows that it bounds */
    }
    peg_scaled_response(w->scaled, u, y, w->s);
    for (int i = 0; i < w->scaled->m; i++) {
        double r = fabs(u[i] - peg_clamp(u[i] - w->s[i], w->lo[i], w->hi[i]));
        if (!isfinite(r)) return INFINITY;
        worst = fmax(worst, r);
    }
    return worst;
}

/* rho after a multiplier step. */
static void adapt(peg_newton *w, int failed, double residual, double last)
{
    if (failed)
        w->rho = fmax(w->rho / FACTOR, RHO_LEAST);
    else if (residual > SLOW * last)
        w->rho = fmin(w->rho * w->growth, RHO_MOST);
    w->growth = failed ? CAREFUL : fmin(BOLDER * w->growth, FACTOR);
}

/* Whether the multiplier step proves that the rows without finite bounds have no solution: then
 * their impulses grow by the weights of a contradiction for ever. */
static int contradicts(peg_newton *w, const double *u)
{
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &w->scaled->row[i];
        double grown = u[i] - w->before[i];
        w->along[i] = row->bounded ? (isinf(row->limit) ? grown : 0) : fmax(0, grown);
    }
    return peg_scaled_contradicts(w->scaled, w->along, w->gradient);
}

peg_outcome peg_newton_solve(peg_newton *w, double tolerance, double *u, double *y)
{
    size_t size = (size_t)w->scaled->m * sizeof *u;
    double last = peg_newton_residual(w, u, y), aim = BETTER * tolerance, halved = last;
    if (isinf(last)) return PEG_SINGULAR;
    int most = w->max_factorisations ? w->max_factorisations : w->factorisations + FACTORISATIONS;
    w->growth = FACTOR;
    w->live = !w->frozen && last > WARM * w->scaled->unit;
    w->rho = fmin(fmax(RHO_FIRST * w->scaled->unit / last, RHO_LEAST), RHO_START);
    for (int k = 0, since = 0; k < MULTIPLIER_STEPS && last > reachable(w, aim, u); k++) {
        if (w->factorisations >= most) break;
        memcpy(w->before, u, size);
        peg_outcome outcome = minimise(w, INNER * fmax(aim, last), u);
        if (outcome == PEG_SINGULAR) return outcome;
        if (outcome == PEG_SOLVED) memcpy(u, w->p, size);
        double residual = peg_newton_residual(w, u, y);
        int slow = residual > SLOW * last,
            failed = outcome != PEG_SOLVED || residual > WORSE * last;
        if (w->live || w->frozen || !slow) adapt(w, failed, residual, last);
        if (!failed && residual > STALLED * last && contradicts(w, u)) return PEG_INFEASIBLE;
        w->live |= slow && !w->frozen;
        if (failed) memcpy(u, w->before, size);
        last = failed ? peg_newton_residual(w, u, y) : residual;
        since = last <= 0.5 * halved ? 0 : since + 1;
        if (since == 0) halved = last;
        int is_near = last <= (w->max_factorisations ? NEARLY : 1) * tolerance;
        if (since >= (is_near ? CONTENT : PATIENCE)) break;
    }
    return last <= reachable(w, tolerance, u) ? PEG_SOLVED : PEG_ITERATION_LIMIT;
}
