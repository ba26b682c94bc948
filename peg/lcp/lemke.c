/* Lemke's method of complementary pivoting (Cottle, Pang, Stone, The Linear Complementarity
 * Problem, algorithm 4.4.5 with the lexicographic rule of 4.9). Of the tableau
 *
 *     basic = value - sum_j T_j nonbasic_j
 *
 * only the columns T of the non-basic w are kept at first: they are those columns of B^-1 that are
 * no unit vectors, and the column of a z that enters follows from them. There are none at the
 * start, and they grow with the impulses. In the rows of the basic z they are minus the inverse of
 * A between these (bordered by d while z0 is basic), which can be large where A is near singular;
 * the columns of the non-basic z are Schur complements, which are not. So if the answer is poor,
 * all of them are kept and updated: the full tableau.
 *
 * paper | here        | meaning
 * M     | A           | scaled to a unit diagonal, A_ij s_i s_j, s_i = 1/sqrt(A_ii) where it is > 0
 * d     | d           | covering vector, 1 + spread [0, 1)
 *       | variable    | w_i is variable i, z_i is n + i, the artificial z0 is 2n
 * B^-1  |             | its columns, which the lexicographic rule compares, are those of w
 */
#include "peg/lcp/lemke.h"

#include <float.h>
#include <lapacke.h>

#include "peg/base/arena.h"
#include "peg/lcp/problem.h"

/* Entries of the entering column, relative to its largest, that can be pivots. */
static const double PIVOT = 1e-9;
/* Ratios closer than this, relative to the scaled problem's unit, tie. */
static const double TIE = 1e-13;
/* Residual with which no other way is tried, relative to the scaled problem's unit; large z leave
 * the rounding of their sums. */
static const double GOOD = 1e-11;
/* The ways that are tried until an answer is good. Rounding can still lead degenerate problems into
 * rays that there are not: covering vectors of another spread take other ways. */
static const struct way {
    int full; /* tableau */
    double spread;
    int pivots_per_n; /* limit of the pivots */
} WAYS[] = {{0, 0, 4}, {1, 0, 16}, {1, 1, 16}, {1, 10, 16}};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0], PIVOTS_MIN = 100 };

typedef struct lemke {
    int n;
    const double *A;
    double *s, *q, *d;
    double *a; /* entries of the columns of A that are not 0, n of room for each */
    int *row;  /* of these */
    int *entries;
    int *basic;    /* n: variable of each row */
    double *value; /* n */
    double *enter; /* n: column of the entering variable */
    double *T;     /* n rows of n + 1 */
    int full;      /* columns of z are kept, too */
    int columns;
    int *nonbasic; /* n + 1: variable of each column */
    int *place;    /* 2n + 1: row of a basic variable, column of a non-basic one; -1: neither */
    int *tied;     /* n: rows that may leave */
    double *ratio; /* of these; room */
    peg_pivoting *pivoting;
} lemke;

static double *row_of(const lemke *t, int i)
{
    return &t->T[(size_t)i * (size_t)(t->n + 1)];
}

static int is_basic(const lemke *t, int variable)
{
    int at = t->place[variable];
    return at >= 0 && at < t->n && t->basic[at] == variable;
}

static int create(peg_arena *arena, int n, lemke *t)
{
    size_t square = (size_t)n * (size_t)n, all = 2 * (size_t)n + 1;
    *t = (lemke){.n = n};
    t->s = PEG_NEW(arena, double, n);
    t->q = PEG_NEW(arena, double, n);
    t->d = PEG_NEW(arena, double, n);
    t->a = PEG_NEW(arena, double, square);
    t->row = PEG_NEW(arena, int, square);
    t->entries = PEG_NEW(arena, int, n);
    t->basic = PEG_NEW(arena, int, n);
    t->value = PEG_NEW(arena, double, n);
    t->enter = PEG_NEW(arena, double, n);
    t->T = PEG_NEW(arena, double, square + (size_t)n);
    t->nonbasic = PEG_NEW(arena, int, n + 1);
    t->place = PEG_NEW(arena, int, all);
    t->tied = PEG_NEW(arena, int, n);
    t->ratio = PEG_NEW(arena, double, n);
    return t->s && t->q && t->d && t->a && t->row && t->entries && t->basic && t->value &&
           t->enter && t->T && t->nonbasic && t->place && t->tied && t->ratio;
}

/* The column of the tableau of a non-basic variable. */
static void enter(lemke *t, int variable)
{
    int n = t->n, count = 0, *at = t->tied;
    double *a = t->ratio;
    if (t->place[variable] >= 0) {
        for (int i = 0; i < n; i++) t->enter[i] = row_of(t, i)[t->place[variable]];
        return;
    }
    size_t first = (size_t)(variable - n) * (size_t)n;
    memset(t->enter, 0, (size_t)n * sizeof *t->enter);
    for (int e = 0; e < t->entries[variable - n]; e++) { /* B^-1 has unit vectors for basic w */
        int w = t->row[first + (size_t)e];
        double entry = t->a[first + (size_t)e];
        if (is_basic(t, w))
            t->enter[t->place[w]] = -entry;
        else
            at[count] = t->place[w], a[count++] = entry;
    }
    for (int i = 0; i < n; i++) {
        const double *T = row_of(t, i);
        double sum = 0;
        for (int e = 0; e < count; e++) sum += a[e] * T[at[e]];
        t->enter[i] -= sum;
    }
}

/* Keeps those whose ratio is the smallest. Returns how many. */
static int narrow(lemke *t, int count)
{
    int kept = 0;
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, t->ratio[i]);
    for (int i = 0; i < count; i++)
        if (t->ratio[i] - least <= TIE * (1 + fabs(t->ratio[i]) + fabs(least)))
            t->tied[kept++] = t->tied[i];
    return kept;
}

/* The row that leaves, by the ratios of [value, B^-1] to the entering column; -1: none, a ray. If
 * z0 is one of those whose first ratios tie it leaves: that ends the method. */
static int leaving(lemke *t)
{
    int n = t->n, count = 0;
    double largest = 1;
    for (int i = 0; i < n; i++)
        if (fabs(t->enter[i]) > largest) largest = fabs(t->enter[i]);
    for (int i = 0; i < n; i++) {
        if (t->enter[i] <= PIVOT * largest) continue;
        t->tied[count] = i;
        t->ratio[count++] = t->value[i] / t->enter[i];
    }
    if (count == 0) return -1;
    count = narrow(t, count);
    for (int i = 0; i < count; i++)
        if (t->basic[t->tied[i]] == 2 * n) return t->tied[i];
    for (int j = 0; j < n && count > 1; j++) {
        int basic = is_basic(t, j);
        for (int i = 0; i < count; i++) {
            int row = t->tied[i];
            double entry = basic ? t->basic[row] == j : row_of(t, row)[t->place[j]];
            t->ratio[i] = entry / t->enter[row];
        }
        count = narrow(t, count);
    }
    return t->tied[0];
}

/* Writes the last column over another. */
static void drop(lemke *t, int column)
{
    int last = --t->columns;
    if (column == last) return; /* its variable is basic by now */
    for (int i = 0; i < t->n; i++) row_of(t, i)[column] = row_of(t, i)[last];
    t->nonbasic[column] = t->nonbasic[last], t->place[t->nonbasic[column]] = column;
}

/* The entering variable takes the row, and gives its column, if it has one, to the leaving one, if
 * that needs one. */
static void pivot(lemke *t, int entering, int row)
{
    int n = t->n, leaves = t->basic[row], size = t->columns;
    int had = t->place[entering], column = had < 0 ? size : had, keep = t->full || leaves < n;
    double inverse = 1 / t->enter[row], step = t->value[row] * inverse;
    t->pivoting->products += 2.0 * n * (size + 1);
    double *restrict p = row_of(t, row);
    for (int i = 0; i < n; i++) {
        double *restrict T = row_of(t, i), f = t->enter[i] * inverse;
        if (i == row) continue;
        t->value[i] -= step * t->enter[i];
        if (f != 0)
            for (int j = 0; j < size; j++) T[j] -= f * p[j];
        T[column] = -f;
    }
    for (int j = 0; j < size; j++) p[j] *= inverse;
    p[column] = inverse;
    t->value[row] = step;
    t->basic[row] = entering, t->place[entering] = row, t->place[leaves] = -1;
    if (keep) t->nonbasic[column] = leaves, t->place[leaves] = column;
    if (keep && had < 0) t->columns++;
    if (!keep && had >= 0) drop(t, had);
}

/* The basis of all w, and a covering vector, which enters. */
static void start(lemke *t, const struct way *way)
{
    static const double GOLDEN = 0.6180339887498949; /* its multiples spread evenly, modulo 1 */
    int n = t->n;
    t->full = way->full;
    t->columns = t->full ? n : 0;
    t->place[2 * n] = -1;
    for (int i = 0; i < n; i++) {
        t->d[i] = 1 + way->spread * fmod(GOLDEN * (i + 1), 1);
        t->basic[i] = t->place[i] = i;
        t->value[i] = t->q[i];
        t->enter[i] = -t->d[i];
        t->nonbasic[i] = n + i;
        t->place[n + i] = t->full ? i : -1;
        memset(row_of(t, i), 0, (size_t)t->columns * sizeof *t->T);
    }
    for (int j = 0; j < t->columns; j++)
        for (int e = 0; e < t->entries[j]; e++) {
            size_t at = (size_t)j * (size_t)n + (size_t)e;
            row_of(t, t->row[at])[j] = -t->a[at];
        }
}

static int has_products(const lemke *t)
{
    return t->pivoting->products < t->pivoting->most_products;
}

/* Pivots until z0 is out: the lexicographic rule visits no basis twice, but rounding could make it
 * go on for ever. On PEG_RAY *ray is the entering variable. */
static peg_outcome run(lemke *t, int limit, int *ray)
{
    /* the w that leaves for z0: the most negative one for its d, the last of those that tie, so
     * that all rows of [value, B^-1] become lexicographically positive */
    int n = t->n, entering = 2 * n, row = -1;
    double least = 0;
    for (int i = 0; i < n; i++) {
        double ratio = t->q[i] / t->d[i];
        if (ratio < 0 && ratio <= least) least = ratio, row = i;
    }
    if (row < 0) return PEG_SOLVED;
    for (int i = 0; i < limit && has_products(t); i++) {
        int leaves = t->basic[row];
        pivot(t, entering, row);
        t->pivoting->pivots++;
        if (leaves == 2 * n) return PEG_SOLVED;
        entering = leaves < n ? leaves + n : leaves - n; /* the z of the w, or the w of the z */
        enter(t, entering);
        row = leaving(t);
        if (row < 0) *ray = entering;
        if (row < 0) return PEG_RAY;
    }
    return PEG_ITERATION_LIMIT;
}

/* w = A z + q to `enter`. Returns the largest |min(w, z)|. */
static double residual(lemke *t, const double *z)
{
    double worst = 0;
    memcpy(t->enter, t->q, (size_t)t->n * sizeof *t->q);
    for (int j = 0; j < t->n; j++) {
        size_t first = (size_t)j * (size_t)t->n;
        for (int e = 0; e < t->entries[j] && z[j] != 0; e++)
            t->enter[t->row[first + (size_t)e]] += z[j] * t->a[first + (size_t)e];
    }
    for (int i = 0; i < t->n; i++) {
        double r = fabs(fmin(t->enter[i], z[i]));
        if (isnan(t->enter[i]) || isnan(z[i])) return INFINITY;
        worst = fmax(worst, r);
    }
    return worst;
}

/* Takes the trial, without what is negative, if its residual is smaller. */
static int keep_if_better(lemke *t, double *trial, double *z, double *least)
{
    for (int i = 0; i < t->n; i++) trial[i] = fmax(0, trial[i]);
    double r = residual(t, trial);
    if (!(r < *least)) return 0;
    *least = r;
    memcpy(z, trial, (size_t)t->n * sizeof *z);
    return 1;
}

/* What rounding leaves of sums of this z. */
static double rounding(const lemke *t, const double *z)
{
    double largest = 1;
    for (int i = 0; i < t->n; i++) largest = fmax(largest, z[i]);
    return t->n * DBL_EPSILON * largest;
}

/* The basic solution of least squares from A itself: the tableau has gathered the rounding of all
 * pivots, and the basis may be as good as singular. LAPACK's QR with column pivoting finds its
 * rank. */
static peg_outcome least_squares(peg_arena *arena, lemke *t, double *z, double *least)
{
    int n = t->n, k = 0, at = 0, rank;
    int *order = PEG_NEW(arena, int, n);
    double *x = PEG_NEW(arena, double, n), query;
    if (!order || !x) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        if (!is_basic(t, i)) x[k++] = -t->q[i];
    double *block = PEG_NEW(arena, double, (size_t)k *(size_t)k);
    if (!block) return PEG_OUT_OF_MEMORY;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && is_basic(t, n + j); i++)
            if (!is_basic(t, i))
                block[at++] = t->s[i] * t->s[j] * t->A[(size_t)i * (size_t)n + (size_t)j];
    memset(order, 0, (size_t)k * sizeof *order);
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, k, k, 1, block, k, x, k, order, k * DBL_EPSILON, &rank,
                        &query, -1);
    double *work = PEG_NEW(arena, double, query);
    if (!work) return PEG_OUT_OF_MEMORY;
    if (LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, k, k, 1, block, k, x, k, order, k * DBL_EPSILON,
                            &rank, work, (lapack_int)query) != 0)
        return PEG_SOLVED;
    for (int j = 0, i = 0; j < n; j++) t->ratio[j] = is_basic(t, n + j) ? x[i++] : 0;
    keep_if_better(t, t->ratio, z, least);
    return PEG_SOLVED;
}

/* Fills in the scaled problem: s, q relative to its largest entry, unit, and A. False: a number
 * that is none. */
static int load(lemke *t, const double *q, double *unit)
{
    int n = t->n;
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        double diagonal = t->A[(size_t)i * (size_t)n + (size_t)i];
        t->s[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        largest = fmax(largest, t->s[i] * fabs(q[i]));
    }
    *unit = largest > 0 ? largest : 1;
    for (int i = 0; i < n; i++) {
        t->q[i] = t->s[i] * q[i] / *unit;
        t->entries[i] = 0;
        sum += t->q[i];
    }
    for (int i = 0; i < n; i++) {
        const double *row = &t->A[(size_t)i * (size_t)n];
        for (int j = 0; j < n; j++) {
            if (row[j] == 0) continue;
            size_t at = (size_t)j * (size_t)n + (size_t)t->entries[j]++;
            t->a[at] = row[j] * t->s[i] * t->s[j];
            t->row[at] = i;
            sum += t->a[at];
        }
    }
    return isfinite(sum);
}

/* One way: x and its residual; on PEG_RAY the z part of the ray's direction. */
static peg_outcome attempt(peg_arena *arena, lemke *t, const struct way *way, double *x,
                           double *least)
{
    int n = t->n, ray;
    start(t, way);
    peg_outcome outcome = run(t, PIVOTS_MIN + way->pivots_per_n * n, &ray);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        if (t->basic[i] >= n && t->basic[i] < 2 * n)
            x[t->basic[i] - n] = fmax(0, outcome == PEG_RAY ? -t->enter[i] : t->value[i]);
    if (outcome == PEG_RAY && ray >= n) x[ray - n] = 1;
    if (outcome != PEG_SOLVED) return outcome;
    *least = residual(t, x);
    return *least <= rounding(t, x) ? PEG_SOLVED : least_squares(arena, t, x, least);
}

/* The best of the answers; without one the last ray. */
static peg_outcome solve(peg_arena *arena, int n, const double *A, const double *q, double *z,
                         peg_pivoting *pivoting)
{
    lemke t;
    peg_outcome outcome = PEG_ITERATION_LIMIT;
    double *x = PEG_NEW(arena, double, n), unit, best = INFINITY;
    if (!x || !create(arena, n, &t)) return PEG_OUT_OF_MEMORY;
    t.A = A;
    t.pivoting = pivoting;
    if (!load(&t, q, &unit)) return PEG_SINGULAR;
    for (int i = 0, good = 0; i < WAY_COUNT && !good && has_products(&t); i++) {
        double least = INFINITY;
        peg_outcome tried = attempt(arena, &t, &WAYS[i], x, &least);
        if (tried == PEG_OUT_OF_MEMORY) return tried;
        int better = tried == PEG_SOLVED ? least < best : tried == PEG_RAY && best == INFINITY;
        if (!better) continue;
        outcome = tried;
        best = least;
        good = tried == PEG_SOLVED && least <= fmax(GOOD, rounding(&t, x));
        for (int k = 0; k < n; k++) z[k] = x[k] * t.s[k] * (tried == PEG_RAY ? 1 : unit);
    }
    return outcome;
}

peg_outcome peg_lemke(peg_arena *arena, int n, const double *A, const double *q, double *z,
                      peg_pivoting *pivoting)
{
    peg_arena_mark mark = peg_arena_here(arena);
    pivoting->pivots = 0;
    peg_outcome outcome = solve(arena, n, A, q, z, pivoting);
    peg_arena_back(arena, mark);
    return outcome;
}
