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
 * smaller, the closer to a contraction.
 *
 * Before that, p is once tried as the projection onto the friction cones, with s_n + sum mu_f |s_f|
 * as it is at u for s_n (De Saxce and Feng 1998): convex as with fixed bounds, every contact with
 * rows at their bounds adding w w^T / sum (w_i^2 / rho_i), w = n_n + sum +-mu_f n_f. It goes on for
 * as long as the residual falls: what is to come to rest, however many bodies bear each other
 * (arch-25 of 201 stones). Where contacts slide the sum changes from step to step, and it does not.
 */
#include "peg/lcp/newton.h"

#include <float.h>

#include "peg/lcp/block_ldu.h"
#include "peg/lcp/scaled.h"

/* Steps of the multipliers, of Newton's method in each of them, and of its search along a line;
 * those of convex problems always get on: the first ones of an arch of 201 stones take 60. */
enum { MULTIPLIER_STEPS = 100, NEWTON_STEPS = 10, CONVEX_STEPS = 400, SEARCH_STEPS = 40 };
/* Factorisations of a call without a bound of its own: contradicting joints went on for minutes. */
enum { FACTORISATIONS = 300 };
/* So many multiplier steps that do not halve the residual end the iteration: below the tolerance
 * and above it. */
enum { CONTENT = 4, PATIENCE = 15 };
/* The same with a bound on work: a residual below so many tolerances is not worth more. */
static const double NEARLY = 1e3;
/* The larger rho, the fewer multiplier steps and the more Newton steps. The first one moves the
 * impulses by RHO_FIRST units; a step that leaves more than SLOW of the residual makes it larger by
 * up to FACTOR; one that fails makes it smaller by FACTOR, and the next rises are smaller. Cones
 * start with RHO_CONE at least: below it an arch takes twice the steps. */
static const double RHO_LEAST = 0.1, RHO_MOST = 1e7, RHO_FIRST = 0.02, RHO_START = 1e4,
                    RHO_CONE = 1e3;
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

/* A normal row, and the friction rows of the same two bodies that follow it. */
static void find_contacts(peg_newton *w)
{
    const peg_scaled *scaled = w->scaled;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        int n = 1;
        while (i + n < scaled->m && row[n].bounded && row[n].normal == i && row[n].mu > 0 &&
               row[n].a == row->a && row[n].b == row->b)
            n++;
        w->contact[i] = n > 1 && n <= PEG_CONE_ROWS ? n : 0;
        w->has_bounds |= row->bounded;
        w->has_cones |= w->contact[i] > 0;
    }
}

/* Of a factorisation, in rows that are added to the matrix: a product of two blocks takes as long
 * as five. */
static double cost_of(const peg_newton *w)
{
    static const double ROWS_IN_BLOCKS = 5;
    double products = 0;
    for (int k = 0; k < w->pattern.n; k++) {
        double below = w->pattern.count[k];
        products += 0.5 * below * (below + 1);
    }
    return w->scaled->m + products / ROWS_IN_BLOCKS;
}

static int is_spent(const peg_newton *w)
{
    return w->work >= w->limit;
}

int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *w)
{
    int m = scaled->m, nv = scaled->nv;
    *w = (peg_newton){.scaled = scaled, .rho = 0, .most_work = INFINITY};
    w->meet = PEG_NEW(arena, int, m);
    w->contact = PEG_NEW(arena, int, m);
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
    if (!w->meet || !w->contact || !w->state || !w->factored || !w->lo || !w->hi || !w->before ||
        !w->s || !w->p || !w->along || !w->d || !w->gradient || !w->step ||
        !find_meetings(arena, w) || !peg_block_matrix_create(arena, &w->pattern, &w->matrix))
        return 0;
    find_contacts(w);
    w->cost = cost_of(w);
    return 1;
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

static int follows(const peg_newton *w, const peg_scaled_row *row)
{
    int n = row->normal;
    return w->bounds == PEG_BOUNDS_LIVE && n >= 0 && row->mu > 0 && w->state[n] == PEG_ROW_LINEAR &&
           w->scaled->row[n].a == row->a && w->scaled->row[n].b == row->b;
}

/* Number of rows that are projected together. */
static int group_at(const peg_newton *w, int i)
{
    return w->bounds == PEG_BOUNDS_CONE && w->contact[i] ? w->contact[i] : 1;
}

/* p of the group of rows that begins with i, where the velocities along the rows are s + t along.
 */
static void respond(const peg_newton *w, int i, const double *u, double t, double *p,
                    unsigned char *state)
{
    const peg_scaled_row *row = &w->scaled->row[i];
    double rho[PEG_CONE_ROWS], z[PEG_CONE_ROWS];
    int n = group_at(w, i);
    for (int k = 0; k < n; k++) {
        rho[k] = row_rho(w->rho, &row[k]);
        z[k] = u[i + k] - rho[k] * (t == 0 ? w->s[i + k] : w->s[i + k] + t * w->along[i + k]);
    }
    if (n > 1) {
        peg_cone_project(row, n, rho, z, p, state);
        return;
    }
    double lo = w->lo[i], hi = w->hi[i];
    if (w->bounds == PEG_BOUNDS_LIVE && row->bounded) hi = peg_scaled_bound(row, w->p), lo = -hi;
    p[0] = peg_clamp(z[0], lo, hi);
    state[0] = z[0] > lo && z[0] < hi ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
    if (state[0] == PEG_ROW_FIXED && follows(w, row))
        state[0] = z[0] > lo ? PEG_ROW_UP : PEG_ROW_DOWN;
}

/* Of a cone: dp_0 = -(s_0 + sum +-mu_f s_f) / stiffness. */
static double stiffness(const peg_newton *w, int i, const unsigned char *state)
{
    double sum = 0;
    for (int k = 0; k < w->contact[i]; k++) {
        const peg_scaled_row *row = &w->scaled->row[i + k];
        double follows = k ? peg_cone_follows(row, state[k]) : 1;
        sum += follows * follows / row_rho(w->rho, row);
    }
    return sum;
}

/* p, its state, and the gradient at d; s is that at d. Returns the gradient's length. */
static double evaluate(peg_newton *w, const double *u)
{
    const peg_scaled *scaled = w->scaled;
    double sum = 0;
    memcpy(w->gradient, w->d, (size_t)scaled->nv * sizeof *w->gradient);
    for (int i = 0; i < scaled->m; i += group_at(w, i)) respond(w, i, u, 0, w->p + i, w->state + i);
    for (int i = 0; i < scaled->m; i++)
        if (w->p[i] != u[i]) add_velocity(&scaled->row[i], u[i] - w->p[i], w->gradient);
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

/* Adds w w^T / stiffness of a contact, w = n_0 + sum +-mu_f n_f. */
static void add_cone(peg_newton *w, int i)
{
    peg_scaled_row sum = w->scaled->row[i];
    for (int k = 1; k < w->contact[i]; k++) {
        const peg_scaled_row *row = &w->scaled->row[i + k];
        double mu = peg_cone_follows(row, w->state[i + k]);
        for (int c = 0; c < 6 && mu != 0; c++)
            sum.na[c] += mu * row->na[c], sum.nb[c] += mu * row->nb[c];
    }
    add_pair(w, i, 1 / stiffness(w, i, w->state + i), &sum, &sum);
}

/* I + rho N_A N_A^T, and +- rho mu n_f n_n^T with live bounds. */
static void assemble(peg_newton *w)
{
    const peg_block_pattern *pattern = &w->pattern;
    const peg_scaled_row *rows = w->scaled->row;
    size_t size = (size_t)pattern->blocks * PEG_BLOCK_SIZE * sizeof(double);
    int is_cone = w->bounds == PEG_BOUNDS_CONE;
    w->symmetric = 1;
    for (int i = 0; i < w->scaled->m && w->symmetric; i++)
        w->symmetric = is_cone || w->state[i] <= PEG_ROW_LINEAR;
    memset(w->matrix.lower, 0, size);
    if (!w->symmetric) memset(w->matrix.upper, 0, size);
    for (int k = 0; k < pattern->n; k++)
        for (int c = 0; c < PEG_BLOCK; c++)
            w->matrix.lower[(size_t)pattern->start[k] * PEG_BLOCK_SIZE + (size_t)(7 * c)] = 1;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_scaled_row *row = &rows[i];
        if (w->state[i] == PEG_ROW_LINEAR && group_at(w, i) > 1)
            add_cone(w, i);
        else if (w->state[i] == PEG_ROW_LINEAR)
            add_pair(w, i, row_rho(w->rho, row), row, row);
        if (is_cone || w->state[i] <= PEG_ROW_LINEAR) continue;
        const peg_scaled_row *normal = &rows[row->normal];
        add_pair(w, i, peg_cone_follows(row, w->state[i]) * row_rho(w->rho, normal), row, normal);
    }
}

static int refactor(peg_newton *w)
{
    size_t m = (size_t)w->scaled->m;
    if (w->has_factor && w->rho == w->factor_rho && w->bounds == w->factor_bounds &&
        memcmp(w->state, w->factored, m) == 0)
        return 1;
    assemble(w);
    memcpy(w->factored, w->state, m);
    w->factor_rho = w->rho;
    w->factor_bounds = w->bounds;
    w->work += w->cost;
    return w->has_factor = peg_block_factorise(&w->matrix, w->symmetric);
}

/* Slope of the objective at d + t step, and its derivative. */
static double slope(const peg_newton *w, const double *u, double t, double first, double square,
                    double *curvature)
{
    double f = first + t * square, c = square;
    for (int i = 0, n; i < w->scaled->m; i += n) {
        double q[PEG_CONE_ROWS], sum = 0;
        unsigned char state[PEG_CONE_ROWS];
        n = group_at(w, i);
        respond(w, i, u, t, q, state);
        for (int k = 0; k < n; k++) {
            const peg_scaled_row *row = &w->scaled->row[i + k];
            double along = w->along[i + k];
            f -= (q[k] - u[i + k]) * along;
            sum += n > 1 && k == 0 ? along : peg_cone_follows(row, state[k]) * along;
            if (state[k] == PEG_ROW_LINEAR && (n == 1 || k > 0))
                c += row_rho(w->rho, row) * along * along;
        }
        if (n > 1 && state[0] == PEG_ROW_LINEAR) c += sum * sum / stiffness(w, i, state);
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

/* The problem itself, or with cones one that is as hard: nothing else could do better. */
static int is_convex(const peg_newton *w)
{
    return w->bounds == PEG_BOUNDS_CONE || !w->has_bounds;
}

/* Zero of the gradient over d; on entry s belongs to u. */
static peg_outcome minimise(peg_newton *w, double tolerance, const double *u)
{
    const peg_scaled *scaled = w->scaled;
    int is_cone = w->bounds == PEG_BOUNDS_CONE, most = is_convex(w) ? CONVEX_STEPS : NEWTON_STEPS;
    double last = INFINITY;
    memset(w->d, 0, (size_t)scaled->nv * sizeof *w->d);
    for (int i = 0; i < scaled->m && is_cone; i++)
        for (int k = 1; k < w->contact[i]; k++)
            w->s[i] += scaled->row[i + k].mu * fabs(w->s[i + k]);
    for (int made = 0; made < most && !is_spent(w); made++) {
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
        if (w->bounds != PEG_BOUNDS_LIVE)
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

/* rho and the bounds after a multiplier step. Where one with live bounds fails, cones take over for
 * as long as they bring the residual down. */
static void adapt(peg_newton *w, int failed, double residual, double last)
{
    int slow = residual > SLOW * last, is_live = w->bounds == PEG_BOUNDS_LIVE;
    if (w->bounds == PEG_BOUNDS_KEPT && slow && w->has_bounds && !w->frozen) {
        w->bounds = PEG_BOUNDS_LIVE;
        return;
    }
    if (w->bounds == PEG_BOUNDS_CONE && failed) {
        w->bounds = PEG_BOUNDS_LIVE;
        w->rho = w->live_rho;
        return;
    }
    if (failed)
        w->rho = fmax(w->rho / FACTOR, RHO_LEAST);
    else if (slow)
        w->rho = fmin(w->rho * w->growth, RHO_MOST);
    w->growth = failed ? CAREFUL : fmin(BOLDER * w->growth, FACTOR);
    if (is_live && failed && w->has_cones && !w->live_rho) {
        w->bounds = PEG_BOUNDS_CONE;
        w->live_rho = w->rho;
        w->rho = fmax(w->rho, RHO_CONE);
    }
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
    w->limit = w->max_work > 0 ? w->max_work : w->work + FACTORISATIONS * w->cost;
    w->limit = fmin(w->limit, w->most_work);
    w->growth = FACTOR;
    w->live_rho = 0;
    int is_warm = w->frozen || !w->has_bounds || last <= WARM * w->scaled->unit;
    w->bounds = is_warm ? PEG_BOUNDS_KEPT : PEG_BOUNDS_LIVE;
    w->rho = fmin(fmax(RHO_FIRST * w->scaled->unit / last, RHO_LEAST), RHO_START);
    for (int k = 0, since = 0; k < MULTIPLIER_STEPS && last > reachable(w, aim, u); k++) {
        if (is_spent(w)) break;
        memcpy(w->before, u, size);
        peg_outcome outcome = minimise(w, INNER * fmax(aim, last), u);
        if (outcome == PEG_SINGULAR) return outcome;
        int ended = outcome == PEG_SOLVED || is_convex(w);
        if (ended) memcpy(u, w->p, size);
        double residual = peg_newton_residual(w, u, y);
        int is_cone = w->bounds == PEG_BOUNDS_CONE;
        int failed = !ended || residual > (is_cone ? 1 : WORSE) * last;
        adapt(w, failed, residual, last);
        if (!failed && residual > STALLED * last && contradicts(w, u)) return PEG_INFEASIBLE;
        if (failed) memcpy(u, w->before, size);
        last = failed ? peg_newton_residual(w, u, y) : residual;
        since = last <= 0.5 * halved ? 0 : since + 1;
        if (since == 0) halved = last;
        int is_near = last <= (w->max_work > 0 ? NEARLY : 1) * tolerance;
        if (since >= (is_near ? CONTENT : PATIENCE)) break;
    }
    return last <= reachable(w, tolerance, u) ? PEG_SOLVED : PEG_ITERATION_LIMIT;
}
