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
 * Bounds that follow the normal impulses are taken from u near the answer, as long as that
 * converges quickly (a pile at rest). Else they are live: taken from p, which adds +-rho mu n_f
 * n_n^T to the matrix for every row f at its bound whose normal row n is in A; it is no minimum any
 * more, so steps have to shorten the gradient d - N (p - u). A step that fails is made again with a
 * smaller rho: the smaller, the closer to a contraction.
 *
 * In large islands, before that, p is once tried as the projection onto the friction cones, with
 * s_n + sum mu_f |s_f| as it is at u for s_n (De Saxce and Feng 1998): convex as with fixed bounds,
 * every contact with rows at their bounds adding w w^T / sum (w_i^2 / rho_i), w = n_n + sum +-mu_f
 * n_f. It goes on for as long as the residual falls: what is to come to rest, however many bodies
 * bear each other (arch-25 of 201 stones). Where contacts slide the sum changes from step to step,
 * and it does not. From velocities that have converged in a fixed point of friction bounds it finds
 * their impulses in islands of any size.
 *
 * Rows that are nearly dependent (corners of a face whose gaps differ by 1e-12 m, contacts against
 * joints) let multiplier steps stall: they move u along one direction by nearly equal amounts. It
 * is followed to the end of their geometric series, or to the next bound.
 */
#include "peg/lcp/newton.h"

#include <float.h>

#include "peg/base/lanes.h"
#include "peg/lcp/block_ldu.h"
#include "peg/lcp/scaled.h"

/* Steps of the multipliers, of Newton's method in each of them, and of its search along a line;
 * those of convex problems always get on: the first ones of an arch of 201 stones take 60. */
enum { MULTIPLIER_STEPS = 100, NEWTON_STEPS = 10, CONVEX_STEPS = 400, SEARCH_STEPS = 40 };
/* Factorisations of a call without a bound of its own: contradicting joints went on for minutes. */
enum { FACTORISATIONS = 300 };
/* So many multiplier steps that do not halve the residual end the iteration: below the tolerance,
 * twice as many close to it, and above. */
enum { CONTENT = 2, PATIENCE = 15 };
/* Tolerances up to which a residual is close, where the caller takes such: it is not worth more. */
static const double NEARLY = 1e3;
/* The larger rho, the fewer multiplier steps and the more Newton steps. The first one moves
 * the impulses by RHO_FIRST units; a step that leaves more than SLOW
 * of the residual makes it larger by up to FACTOR; one that fails makes it smaller by FACTOR, and
 * the next rises are smaller. Rows without compliance have RHO_RIGID at most; the residual of a
 * compliant one falls by 1 + rho c a step, so that joints need more. Cones start with RHO_CONE at
 * least: below it an arch takes twice the steps. Without finite bounds the search along a line
 * finds the rows that act from RHO_FREE on: from RHO_FIRST units a bridge of 15 hinges took half as
 * many steps again, and from 1e7 on world 209, whose joints push into contacts, freezes. */
static const double RHO_LEAST = 0.1, RHO_RIGID = 1e7, RHO_MOST = 1e12, RHO_FIRST = 0.02,
                    RHO_START = 1e4, RHO_CONE = 1e3, RHO_FREE = 1e5;
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
/* Bodies from which on cones are tried: of fewer each step of theirs takes up to 40 factorisations
 * and leaves two thirds of the residual, where a smaller rho ends in some ten. */
enum { CONES_FROM = 100 };
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
        int is_limited = row->bounded && isfinite(row->limit);
        w->has_limits |= is_limited && (row->limit > 0 || row->mu > 0);
        w->bounds_follow |= is_limited && row->mu > 0;
        w->has_cones |= w->contact[i] > 0 && scaled->nv >= CONES_FROM * PEG_BLOCK;
    }
}

static void load_rows(peg_newton *w)
{
    const peg_scaled *scaled = w->scaled;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *from = &scaled->row[i];
        const peg_scaled_row *normal = from->normal >= 0 ? &scaled->row[from->normal] : NULL;
        peg_newton_row *row = &w->row[i];
        *row = (peg_newton_row){.a = from->a < 0 ? scaled->nv : from->a,
                                .b = from->b < 0 ? scaled->nv : from->b,
                                .bounded = from->bounded,
                                .normal = from->mu > 0 ? from->normal : -1,
                                .follows = normal && from->mu > 0 && normal->a == from->a &&
                                           normal->b == from->b,
                                .beta = from->beta,
                                .soft = from->ns * from->ns};
        w->limit[i] = from->limit, w->mu[i] = from->mu;
        if (from->a >= 0) memcpy(row->n.d, from->na, sizeof from->na);
        if (from->b >= 0) memcpy(row->n.d + PEG_BLOCK, from->nb, sizeof from->nb);
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
    return w->work >= w->most_of_call;
}

/* m numbers, and zeros up to a whole vector. */
static double *vectors_of(peg_arena *arena, int m)
{
    int room = m + PEG_DOUBLE_LANES - 1;
    double *x = PEG_NEW(arena, double, room);
    if (x) memset(x, 0, (size_t)room * sizeof *x);
    return x;
}

int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *w)
{
    int m = scaled->m, room = scaled->nv + PEG_BLOCK;
    *w = (peg_newton){.scaled = scaled, .rho = 0, .most_work = INFINITY};
    w->row = PEG_NEW(arena, peg_newton_row, m);
    w->meet = PEG_NEW(arena, int, m);
    w->contact = PEG_NEW(arena, int, m);
    w->state = PEG_NEW(arena, unsigned char, m);
    w->factored = PEG_NEW(arena, unsigned char, m);
    double **all[] = {&w->limit, &w->mu,     &w->penalty, &w->weight, &w->lo,
                      &w->hi,    &w->before, &w->s,       &w->p,      &w->along};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = vectors_of(arena, m);
    w->change = PEG_NEW(arena, double, m);
    w->d = PEG_NEW(arena, double, room);
    w->y = PEG_NEW(arena, double, room);
    w->step = PEG_NEW(arena, double, room);
    w->gradient = PEG_NEW(arena, double, scaled->n > room ? scaled->n : room);
    if (arena->failed || !find_meetings(arena, w) ||
        !peg_block_matrix_create(arena, &w->pattern, &w->matrix))
        return 0;
    memset(w->step, 0, (size_t)room * sizeof *w->step);
    load_rows(w);
    find_contacts(w);
    w->cost = cost_of(w);
    return 1;
}

static void set_rho(peg_newton *w, double rho)
{
    w->rho = rho;
    for (int i = 0; i < w->scaled->m; i++) {
        double soft = w->row[i].soft;
        w->penalty[i] = soft > 0 ? rho / (1 + rho * soft) : fmin(rho, RHO_RIGID);
        w->weight[i] = 1 / w->penalty[i];
    }
}

/* n_i.d over the velocities only. */
static inline double dot(const peg_newton_row *row, const double *d)
{
    const peg_two *a = (const peg_two *)(d + row->a), *b = (const peg_two *)(d + row->b);
    peg_two sum = row->n.of[0] * a[0] + row->n.of[1] * a[1] + row->n.of[2] * a[2];
    sum += row->n.of[3] * b[0] + row->n.of[4] * b[1] + row->n.of[5] * b[2];
    return sum[0] + sum[1];
}

static inline void add(const peg_newton_row *row, double t, double *d)
{
    peg_two *a = (peg_two *)(d + row->a), *b = (peg_two *)(d + row->b);
    for (int k = 0; k < 3; k++) a[k] += t * row->n.of[k];
    for (int k = 0; k < 3; k++) b[k] += t * row->n.of[3 + k];
}

/* Number of rows that are projected together. */
static int group_at(const peg_newton *w, int i)
{
    return w->bounds == PEG_BOUNDS_CONE && w->contact[i] ? w->contact[i] : 1;
}

/* p and state of all rows by themselves, within lo and hi. */
PEG_WIDE static void respond_within(peg_newton *w)
{
    for (int i = 0; i < w->scaled->m; i += PEG_DOUBLE_LANES) {
        peg_doubles lo = peg_doubles_load(w->lo + i), hi = peg_doubles_load(w->hi + i);
        peg_doubles z = peg_doubles_load(w->before + i) -
                        peg_doubles_load(w->penalty + i) * peg_doubles_load(w->s + i);
        peg_double_mask is_linear = (z > lo) & (z < hi);
        peg_doubles_store(peg_doubles_max(lo, peg_doubles_min(hi, z)), w->p + i);
        for (int l = 0; l < PEG_DOUBLE_LANES && i + l < w->scaled->m; l++)
            w->state[i + l] = is_linear[l] ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
    }
}

/* The same of a friction row whose bounds follow p of its normal row. */
static void respond_live(peg_newton *w, int i)
{
    const peg_newton_row *row = &w->row[i];
    double bound = w->limit[i] + w->mu[i] * w->p[row->normal];
    double z = w->before[i] - w->penalty[i] * w->s[i];
    w->p[i] = peg_clamp(z, -bound, bound);
    w->state[i] = z > -bound && z < bound ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
    if (w->state[i] == PEG_ROW_FIXED && row->follows && w->state[row->normal] == PEG_ROW_LINEAR)
        w->state[i] = z > -bound ? PEG_ROW_UP : PEG_ROW_DOWN;
}

/* The same of the group of rows that begins with i, of cones, where the speeds are s + t along. */
static void respond_as_cone(const peg_newton *w, int i, double t, double *p, unsigned char *state)
{
    double z[PEG_CONE_ROWS];
    int n = group_at(w, i);
    for (int k = 0; k < n; k++)
        z[k] = w->before[i + k] - w->penalty[i + k] * (w->s[i + k] + t * w->along[i + k]);
    if (n > 1) {
        peg_cone_project(n, w->mu + i, w->limit + i, w->weight + i, z, p, state);
        return;
    }
    p[0] = peg_clamp(z[0], w->lo[i], w->hi[i]);
    state[0] = z[0] > w->lo[i] && z[0] < w->hi[i] ? PEG_ROW_LINEAR : PEG_ROW_FIXED;
}

/* Of a cone: dp_0 = -(s_0 + sum +-mu_f s_f) / stiffness. */
static double stiffness(const peg_newton *w, int i, const unsigned char *state)
{
    double sum = 0;
    for (int k = 0; k < w->contact[i]; k++) {
        double follows = k ? peg_cone_follows(w->mu[i + k], state[k]) : 1;
        sum += follows * follows * w->weight[i + k];
    }
    return sum;
}

/* p, its state, and the gradient at d; s is that at d. Returns the gradient's length. */
static double evaluate(peg_newton *w)
{
    const peg_scaled *scaled = w->scaled;
    double sum = 0;
    memcpy(w->gradient, w->d, (size_t)scaled->nv * sizeof *w->gradient);
    if (w->bounds != PEG_BOUNDS_CONE) respond_within(w);
    for (int i = 0; i < scaled->m && w->bounds == PEG_BOUNDS_LIVE; i++)
        if (w->row[i].normal >= 0) respond_live(w, i);
    for (int i = 0; i < scaled->m && w->bounds == PEG_BOUNDS_CONE; i += group_at(w, i))
        respond_as_cone(w, i, 0, w->p + i, w->state + i);
    for (int i = 0; i < scaled->m; i++)
        if (w->p[i] != w->before[i]) add(&w->row[i], w->before[i] - w->p[i], w->gradient);
    for (int k = 0; k < scaled->nv; k++) sum += w->gradient[k] * w->gradient[k];
    return sqrt(sum);
}

/* t f n^T, in the matrix of two bodies. */
typedef struct term {
    peg_two f[PEG_BLOCK];
    const double *n;
    double t;
} term;

/* Terms that are added at once. */
enum { TERMS = 16 };

/* C += sum t f n^T, of the bodies whose numbers begin at `from` in f and at `by` in n. */
static inline void add_terms(const term *terms, int count, int from, int by, double *C)
{
    for (int c = 0; c < PEG_BLOCK; c++) {
        peg_two *column = (peg_two *)(C + PEG_BLOCK * c);
        peg_two sum[3] = {column[0], column[1], column[2]};
        for (int k = 0; k < count; k++) {
            const peg_two *f = terms[k].f + from / 2;
            double x = terms[k].t * terms[k].n[by + c];
            for (int r = 0; r < 3; r++) sum[r] += x * f[r];
        }
        for (int r = 0; r < 3; r++) column[r] = sum[r];
    }
}

/* Adds the terms of rows of the bodies of row i. */
static void add_pair(peg_newton *w, int i, const term *terms, int count)
{
    enum { A = 0, B = PEG_BLOCK };
    const peg_block_pattern *pattern = &w->pattern;
    int a = w->row[i].a < w->scaled->nv ? pattern->place[w->row[i].a / PEG_BLOCK] : -1;
    int b = w->row[i].b < w->scaled->nv ? pattern->place[w->row[i].b / PEG_BLOCK] : -1;
    double *lower = w->matrix.lower;
    if (a >= 0) add_terms(terms, count, A, A, lower + pattern->start[a] * PEG_BLOCK_SIZE);
    if (b >= 0) add_terms(terms, count, B, B, lower + pattern->start[b] * PEG_BLOCK_SIZE);
    if (w->meet[i] < 0) return;
    int meet = w->meet[i] * PEG_BLOCK_SIZE, later = a > b ? A : B, sooner = B - later;
    add_terms(terms, count, later, sooner, lower + meet);
    if (w->symmetric) return;
    double *upper = w->matrix.upper + meet;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < PEG_BLOCK; c++) {
            double x = terms[k].t * ((const double *)terms[k].f)[sooner + c];
            for (int r = 0; r < PEG_BLOCK; r++)
                upper[PEG_BLOCK * c + r] += x * terms[k].n[later + r];
        }
}

/* Adds to f, of the normal row i, what its friction rows at their bounds follow it by: n_0 + sum
 * +-mu_f n_f. */
static void add_friction(const peg_newton *w, int i, peg_two *f)
{
    for (int k = i + 1; k < w->scaled->m && w->row[k].bounded; k++) {
        if (w->row[k].normal != i || w->state[k] <= PEG_ROW_LINEAR) continue;
        double mu = peg_cone_follows(w->mu[k], w->state[k]);
        for (int c = 0; c < PEG_BLOCK; c++) f[c] += mu * w->row[k].n.of[c];
    }
}

/* Writes the term of row i; room for the sum that a cone needs. */
static void find_term(const peg_newton *w, int i, term *out)
{
    const peg_newton_row *row = &w->row[i];
    memcpy(out->f, row->n.of, sizeof out->f);
    out->n = row->n.d;
    out->t = w->penalty[i];
    if (!row->bounded) add_friction(w, i, out->f);
    if (group_at(w, i) == 1) return;
    out->n = (const double *)out->f;
    out->t = 1 / stiffness(w, i, w->state + i);
}

/* I + rho N_A N_A^T, and +- rho mu n_f n_n^T with live bounds. */
static void assemble(peg_newton *w)
{
    const peg_block_pattern *pattern = &w->pattern;
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
    for (int i = 0, end; i < w->scaled->m; i = end) {
        term terms[TERMS];
        int count = 0;
        for (end = i; end < w->scaled->m && count < TERMS; end++) {
            if (w->row[end].a != w->row[i].a || w->row[end].b != w->row[i].b) break;
            if (w->state[end] == PEG_ROW_LINEAR) find_term(w, end, &terms[count++]);
        }
        add_pair(w, i, terms, count);
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

/* What rows add to both where contacts are cones. */
static double slope_of_cones(const peg_newton *w, double t, double *curvature)
{
    double f = 0, c = 0;
    for (int i = 0, n; i < w->scaled->m; i += n) {
        double q[PEG_CONE_ROWS], sum = 0;
        unsigned char state[PEG_CONE_ROWS];
        n = group_at(w, i);
        respond_as_cone(w, i, t, q, state);
        for (int k = 0; k < n; k++) {
            double along = w->along[i + k];
            f -= (q[k] - w->before[i + k]) * along;
            if (n > 1) sum += k ? peg_cone_follows(w->mu[i + k], state[k]) * along : along;
            if (state[k] == PEG_ROW_LINEAR && (n == 1 || k > 0))
                c += w->penalty[i + k] * along * along;
        }
        if (n > 1 && state[0] == PEG_ROW_LINEAR) c += sum * sum / stiffness(w, i, state);
    }
    *curvature = c;
    return f;
}

/* The same where each row has bounds of its own. */
PEG_WIDE static double slope_of_rows(const peg_newton *w, double t, double *curvature)
{
    peg_doubles f = peg_doubles_of(0), c = f;
    for (int i = 0; i < w->scaled->m; i += PEG_DOUBLE_LANES) {
        peg_doubles lo = peg_doubles_load(w->lo + i), hi = peg_doubles_load(w->hi + i);
        peg_doubles u = peg_doubles_load(w->before + i), along = peg_doubles_load(w->along + i);
        peg_doubles penalty = peg_doubles_load(w->penalty + i);
        peg_doubles z = u - penalty * (peg_doubles_load(w->s + i) + t * along);
        peg_double_mask is_linear = (z > lo) & (z < hi);
        f -= (peg_doubles_max(lo, peg_doubles_min(hi, z)) - u) * along;
        c += peg_doubles_if(is_linear, penalty * along * along, peg_doubles_of(0));
    }
    *curvature = peg_doubles_sum(c);
    return peg_doubles_sum(f);
}

/* Slope of the objective at d + t step, and its derivative. */
static double slope(const peg_newton *w, double t, double first, double square, double *curvature)
{
    double of_rows = w->bounds == PEG_BOUNDS_CONE ? slope_of_cones(w, t, curvature)
                                                  : slope_of_rows(w, t, curvature);
    *curvature += square;
    return first + t * square + of_rows;
}

/* Zero of the slope, which is piecewise linear and grows: Newton's method within a bracket. */
static double search(const peg_newton *w)
{
    double first = 0, square = 0, curvature, below = 0, above = INFINITY, t = 1;
    for (int k = 0; k < w->scaled->nv; k++) {
        first += w->d[k] * w->step[k];
        square += w->step[k] * w->step[k];
    }
    double start = fabs(slope(w, 0, first, square, &curvature));
    for (int made = 0; made < SEARCH_STEPS; made++) {
        double f = slope(w, t, first, square, &curvature);
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
static int backtrack(peg_newton *w, double *length)
{
    double t = 1;
    for (move(w, t); t >= SHORTEST; t *= 0.5) {
        double next = evaluate(w);
        if (next <= (1 - DECREASE * t) * *length) {
            *length = next;
            return 1;
        }
        move(w, -0.5 * t);
    }
    return 0;
}

/* The problem itself, or with cones one that is as hard: nothing else could do better. */
static int is_convex(const peg_newton *w)
{
    return w->bounds == PEG_BOUNDS_CONE || w->bound || !w->bounds_follow;
}

/* Zero of the gradient over d; on entry s belongs to the impulses before the step. */
static peg_outcome minimise(peg_newton *w, double tolerance)
{
    const peg_scaled *scaled = w->scaled;
    int is_cone = w->bounds == PEG_BOUNDS_CONE, most = is_convex(w) ? CONVEX_STEPS : NEWTON_STEPS;
    double last = INFINITY;
    memset(w->d, 0, (size_t)(scaled->nv + PEG_BLOCK) * sizeof *w->d);
    for (int i = 0; i < scaled->m && is_cone; i++)
        for (int k = 1; k < w->contact[i]; k++) w->s[i] += w->mu[i + k] * fabs(w->s[i + k]);
    double length = evaluate(w);
    for (int made = 0; made < most && !is_spent(w); made++) {
        if (length <= tolerance) return PEG_SOLVED;
        /* the right rows, and nothing but rounding is left */
        int same = made > 0 && memcmp(w->state, w->factored, (size_t)scaled->m) == 0;
        if (same && length > 0.5 * last) return PEG_SOLVED;
        last = length;
        if (!refactor(w)) return PEG_SINGULAR;
        for (int k = 0; k < scaled->nv; k++) w->step[k] = -w->gradient[k];
        peg_block_solve(&w->matrix, w->symmetric, w->step);
        for (int i = 0; i < scaled->m; i++) w->along[i] = dot(&w->row[i], w->step);
        w->steps++;
        if (w->bounds == PEG_BOUNDS_LIVE) {
            if (!backtrack(w, &length)) return PEG_ITERATION_LIMIT;
            continue;
        }
        move(w, search(w));
        length = evaluate(w);
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
    int m = w->scaled->m, nv = w->scaled->nv;
    memset(w->y, 0, (size_t)(nv + PEG_BLOCK) * sizeof *w->y);
    for (int i = 0; i < m; i++) {
        const peg_newton_row *row = &w->row[i];
        w->hi[i] = INFINITY, w->lo[i] = 0;
        if (row->bounded) {
            w->hi[i] = w->bound ? w->bound[i] : w->limit[i];
            if (row->normal >= 0 && !w->bound) w->hi[i] += w->mu[i] * peg_max(0, u[row->normal]);
            w->lo[i] = -w->hi[i];
        }
        u[i] = peg_clamp(u[i], w->lo[i], w->hi[i]); /* before the rows that it bounds */
        if (u[i] != 0) add(row, u[i], w->y);
    }
    for (int i = 0; i < m; i++) {
        const peg_newton_row *row = &w->row[i];
        w->s[i] = dot(row, w->y) + row->soft * u[i] + row->beta;
        double r = fabs(u[i] - peg_clamp(u[i] - w->s[i], w->lo[i], w->hi[i]));
        if (!isfinite(r)) return INFINITY;
        worst = peg_max(worst, r);
    }
    memcpy(y, w->y, (size_t)nv * sizeof *y);
    return worst;
}

static void enter_cones(peg_newton *w)
{
    w->bounds = PEG_BOUNDS_CONE;
    w->live_rho = w->rho;
    set_rho(w, fmax(w->rho, RHO_CONE));
}

/* rho and the bounds after a multiplier step. Where one with live bounds fails, cones take over for
 * as long as they bring the residual down. */
static void adapt(peg_newton *w, int failed, double residual, double last)
{
    int slow = residual > SLOW * last, is_live = w->bounds == PEG_BOUNDS_LIVE;
    if (w->bounds == PEG_BOUNDS_KEPT && slow && w->bounds_follow && !w->bound) {
        w->bounds = PEG_BOUNDS_LIVE;
        return;
    }
    if (w->bounds == PEG_BOUNDS_CONE && failed) {
        w->bounds = PEG_BOUNDS_LIVE;
        set_rho(w, w->live_rho);
        return;
    }
    if (failed)
        set_rho(w, fmax(w->rho / FACTOR, RHO_LEAST));
    else if (slow)
        set_rho(w, fmin(w->rho * w->growth, RHO_MOST));
    w->growth = failed ? CAREFUL : fmin(BOLDER * w->growth, FACTOR);
    if (is_live && failed && w->has_cones && !w->live_rho) enter_cones(w);
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

/* How often the last change of the impulses can be made again until a row between its bounds meets
 * one. */
static double room(const peg_newton *w, const double *u)
{
    const double *change = w->change;
    double most = INFINITY;
    for (int i = 0; i < w->scaled->m; i++) {
        const peg_newton_row *row = &w->row[i];
        if (w->state[i] != PEG_ROW_LINEAR || (row->bounded && isinf(w->limit[i]))) continue;
        int falls = !row->bounded || change[i] < 0;
        double follows = row->normal >= 0 ? w->mu[i] * change[row->normal] : 0;
        double closing = (falls ? -change[i] : change[i]) - follows;
        double left = falls ? u[i] - w->lo[i] : w->hi[i] - u[i];
        if (closing > 0 && left >= 0) most = fmin(most, left / closing);
    }
    return most;
}

/* Stalled steps go on in one direction, that of rows that are nearly dependent: to the end of the
 * geometric series that they make, or to where a row meets its bound. */
static double extrapolate(peg_newton *w, double residual, double *u, double *y)
{
    double along = 0, square = 0;
    size_t size = (size_t)w->scaled->m * sizeof *u;
    for (int i = 0; i < w->scaled->m; i++) {
        double change = u[i] - w->before[i];
        along += change * w->change[i];
        square += w->change[i] * w->change[i];
        w->change[i] = change;
    }
    if (!(along > 0)) return residual;
    double t = room(w, u);
    if (along < square) t = fmin(t, along / (square - along));
    if (!(t >= 1 && isfinite(t))) return residual;
    memcpy(w->p, u, size);
    for (int i = 0; i < w->scaled->m; i++) u[i] += t * w->change[i];
    double next = peg_newton_residual(w, u, y);
    memset(w->change, 0, size);
    if (next <= residual) return next;
    memcpy(u, w->p, size);
    return peg_newton_residual(w, u, y);
}

peg_outcome peg_newton_solve(peg_newton *w, double tolerance, double *u, double *y)
{
    size_t size = (size_t)w->scaled->m * sizeof *u;
    double last = peg_newton_residual(w, u, y), aim = BETTER * tolerance, halved = last;
    if (isinf(last)) return PEG_SINGULAR;
    w->most_of_call = w->most_work;
    if (w->rescue == PEG_RESCUE_ALL)
        w->most_of_call = fmin(w->most_of_call, w->work + FACTORISATIONS * w->cost);
    w->growth = FACTOR;
    w->live_rho = 0;
    memset(w->change, 0, size);
    int is_warm = last <= WARM * w->scaled->unit;
    w->bounds = is_warm || w->bound || !w->bounds_follow ? PEG_BOUNDS_KEPT : PEG_BOUNDS_LIVE;
    double first = fmin(fmax(RHO_FIRST * w->scaled->unit / last, RHO_LEAST), RHO_START);
    set_rho(w, w->has_limits ? first : RHO_FREE);
    if (w->starts_with_cones) enter_cones(w);
    for (int k = 0, since = 0; k < MULTIPLIER_STEPS && last > reachable(w, aim, u); k++) {
        if (is_spent(w)) break;
        memcpy(w->before, u, size);
        peg_outcome outcome = minimise(w, INNER * fmax(aim, last));
        if (outcome == PEG_SINGULAR) return outcome;
        int ended = outcome == PEG_SOLVED || is_convex(w);
        if (ended) memcpy(u, w->p, size);
        double residual = peg_newton_residual(w, u, y);
        int is_cone = w->bounds == PEG_BOUNDS_CONE;
        int failed = !ended || residual > (is_cone ? 1 : WORSE) * last;
        adapt(w, failed, residual, last);
        if (!failed && residual > STALLED * last && contradicts(w, u)) return PEG_INFEASIBLE;
        if (failed || residual <= STALLED * last)
            memset(w->change, 0, size);
        else
            residual = extrapolate(w, residual, u, y);
        if (failed) memcpy(u, w->before, size);
        last = failed ? peg_newton_residual(w, u, y) : residual;
        since = last <= 0.5 * halved ? 0 : since + 1;
        if (since == 0) halved = last;
        int is_near = w->ends_near && last <= NEARLY * tolerance;
        if (since >= (last <= tolerance ? CONTENT : is_near ? 2 * CONTENT : PATIENCE)) break;
    }
    return last <= reachable(w, tolerance, u) ? PEG_SOLVED : PEG_ITERATION_LIMIT;
}
