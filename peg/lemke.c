/* Lemke's method of complementary pivoting (Cottle, Pang, Stone, The Linear Complementarity
 * Problem, algorithm 4.4.5 with the lexicographic rule of 4.9).
 *
 * paper | here       | meaning
 * M     | A          | scaled to a unit diagonal here, A_ij sqrt(s_i) sqrt(s_j), where it is > 0
 * d     | 1          | covering vector of the scaled problem
 * z0    | variable 2n| artificial; w_i is variable i, z_i is variable n + i
 * B     | basic      | basic variable of each row of the tableau
 *
 * The tableau keeps the n + 1 non-basic columns and the right-hand side: basic = T[.][RHS] -
 * sum T[.][j] nonbasic_j. The columns of B^-1, which the lexicographic rule compares, are those of
 * w: non-basic ones are in the tableau, basic ones are unit vectors. */
#include "peg/problem.h"

#include <float.h>
#include <lapacke.h>

/* Entries of the entering column, relative to its largest, that can be pivots. */
static const double PIVOT = 1e-11;
/* Ratios closer than this, relative to the scaled problem's unit, tie. */
static const double TIE = 1e-13;
/* Relative residual of the basic solution above which least squares is tried. */
static const double REFINED = 1e-10;

typedef struct tableau {
    int n;
    double *T;               /* n x (n + 2), row-major */
    double *lhs;             /* n: entering column, room */
    int *basic;              /* n */
    int *nonbasic;           /* n + 1 */
    int *row_of, *column_of; /* 2n + 1: where a variable is; -1: not there */
} tableau;

static double *entry(const tableau *t, int row, int column)
{
    return &t->T[(size_t)row * (size_t)(t->n + 2) + (size_t)column];
}

static int create(peg_arena *arena, int n, const double *A, const double *q, tableau *t)
{
    *t = (tableau){.n = n};
    t->T = PEG_NEW(arena, double, (size_t)n *(size_t)(n + 2));
    t->lhs = PEG_NEW(arena, double, n);
    t->basic = PEG_NEW(arena, int, n);
    t->nonbasic = PEG_NEW(arena, int, n + 1);
    t->row_of = PEG_NEW(arena, int, 2 * n + 1);
    t->column_of = PEG_NEW(arena, int, 2 * n + 1);
    if (!t->T || !t->lhs || !t->basic || !t->nonbasic || !t->row_of || !t->column_of) return 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) *entry(t, i, j) = -A[(size_t)i * (size_t)n + (size_t)j];
        *entry(t, i, n) = -1;
        *entry(t, i, n + 1) = q[i];
        t->basic[i] = i, t->row_of[i] = i, t->column_of[i] = -1;
        t->nonbasic[i] = n + i, t->row_of[n + i] = -1, t->column_of[n + i] = i;
    }
    t->nonbasic[n] = 2 * n, t->row_of[2 * n] = -1, t->column_of[2 * n] = n;
    return 1;
}

/* The basic variable of the row and the non-basic one of the column change places. */
static void pivot(tableau *t, int row, int column)
{
    int width = t->n + 2;
    double *p = entry(t, row, 0), inverse = 1 / p[column];
    p[column] = 1;
    for (int j = 0; j < width; j++) p[j] *= inverse;
    for (int i = 0; i < t->n; i++) {
        double *x = entry(t, i, 0), f = x[column];
        if (i == row || f == 0) continue;
        x[column] = 0;
        for (int j = 0; j < width; j++) x[j] -= f * p[j];
    }
    int out = t->basic[row], in = t->nonbasic[column];
    t->basic[row] = in, t->row_of[in] = row, t->column_of[in] = -1;
    t->nonbasic[column] = out, t->column_of[out] = column, t->row_of[out] = -1;
}

/* Entry of row i in column k of [rhs, B^-1]: k = 0 is the right-hand side. */
static double lexical(const tableau *t, int i, int k)
{
    if (k == 0) return *entry(t, i, t->n + 1);
    int column = t->column_of[k - 1];
    return column >= 0 ? *entry(t, i, column) : (t->row_of[k - 1] == i);
}

/* Whether row i leaves before row j, by the ratios of [rhs, B^-1] to the entering column. If z0 is
 * one of those whose first ratios tie it leaves: that ends the method. */
static int leaves_before(const tableau *t, int i, int j, int column)
{
    double pi = *entry(t, i, column), pj = *entry(t, j, column);
    for (int k = 0; k <= t->n; k++) {
        double a = lexical(t, i, k) / pi, b = lexical(t, j, k) / pj;
        if (fabs(a - b) > TIE * (1 + fabs(a) + fabs(b))) return a < b;
        if (k == 0 && (t->basic[i] == 2 * t->n || t->basic[j] == 2 * t->n))
            return t->basic[i] == 2 * t->n;
    }
    return 0;
}

/* Row that leaves when the column enters; -1: none, a ray. */
static int leaving(const tableau *t, int column)
{
    double largest = 0;
    int row = -1;
    for (int i = 0; i < t->n; i++) largest = fmax(largest, fabs(*entry(t, i, column)));
    for (int i = 0; i < t->n; i++) {
        if (*entry(t, i, column) <= PIVOT * fmax(1, largest)) continue;
        if (row < 0 || leaves_before(t, i, row, column)) row = i;
    }
    return row;
}

/* Row whose w leaves first, for z0: the most negative right-hand side, the last of those that tie,
 * so that all rows of [rhs, B^-1] become lexicographically positive. */
static int first_leaving(const tableau *t)
{
    int row = -1;
    double least = 0;
    for (int i = 0; i < t->n; i++) {
        double q = *entry(t, i, t->n + 1);
        if (q < 0 && q <= least) least = q, row = i;
    }
    return row;
}

/* Pivots until z0 is out. On PEG_RAY *ray is the entering column. */
static peg_outcome run(tableau *t, int *pivots, int *ray)
{
    int n = t->n, row = first_leaving(t), column = n;
    /* The lexicographic rule visits no basis twice; only rounding could make it go on for ever. */
    int limit = 1000 + 50 * n;
    *pivots = 0;
    while (row >= 0) {
        int out = t->basic[row];
        pivot(t, row, column);
        if (++*pivots > limit) return PEG_ITERATION_LIMIT;
        if (out == 2 * n) break;
        column = t->column_of[out < n ? out + n : out - n];
        row = leaving(t, column);
        if (row < 0) *ray = column;
        if (row < 0) return PEG_RAY;
    }
    return PEG_SOLVED;
}

/* Largest |min(w, z)| */
static double lcp_residual(int n, const double *A, const double *q, const double *z)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += A[(size_t)i * (size_t)n + (size_t)j] * z[j];
        if (isnan(w)) return INFINITY;
        worst = fmax(worst, fabs(fmin(w, z[i])));
    }
    return worst;
}

/* Copies the block of A whose z are basic, by columns, and -q of it. Returns its order. */
static int basic_system(int n, const int *is_basic, const double *A, const double *q, double *block,
                        double *x)
{
    int k = 0, at = 0;
    for (int j = 0; j < n; j++) {
        if (!is_basic[j]) continue;
        x[k++] = -q[j];
        for (int i = 0; i < n; i++)
            if (is_basic[i]) block[at++] = A[(size_t)i * (size_t)n + (size_t)j];
    }
    return k;
}

static void keep_if_better(int n, const double *A, const double *q, const int *is_basic,
                           const double *x, double *trial, double *z, double *residual)
{
    int k = 0;
    for (int i = 0; i < n; i++) trial[i] = is_basic[i] ? fmax(0, x[k++]) : 0;
    double r = lcp_residual(n, A, q, trial);
    if (!(r < *residual)) return;
    *residual = r;
    memcpy(z, trial, (size_t)n * sizeof *z);
}

/* Solves the basic system afresh, so that the rounding of the tableau is gone; z keeps whichever
 * answer has the smallest residual. */
static peg_outcome refine(peg_arena *arena, int n, const double *A, const double *q,
                          const int *is_basic, double *z)
{
    double unit = 0, residual = lcp_residual(n, A, q, z), query;
    double *block = PEG_NEW(arena, double, (size_t)n *(size_t)n);
    double *x = PEG_NEW(arena, double, n), *trial = PEG_NEW(arena, double, n);
    int *order = PEG_NEW(arena, int, n);
    if (!block || !x || !trial || !order) return PEG_OUT_OF_MEMORY;
    int k = basic_system(n, is_basic, A, q, block, x), rank;
    if (k == 0) return PEG_SOLVED;
    if (LAPACKE_dgesv(LAPACK_COL_MAJOR, k, 1, block, k, order, x, k) == 0)
        keep_if_better(n, A, q, is_basic, x, trial, z, &residual);
    for (int i = 0; i < n; i++) unit = fmax(unit, fabs(q[i]));
    if (residual <= REFINED * unit) return PEG_SOLVED;
    basic_system(n, is_basic, A, q, block, x);
    memset(order, 0, (size_t)n * sizeof *order);
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, k, k, 1, block, k, x, k, order, k * DBL_EPSILON, &rank,
                        &query, -1);
    double *work = PEG_NEW(arena, double, query);
    if (!work) return PEG_OUT_OF_MEMORY;
    if (LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, k, k, 1, block, k, x, k, order, k * DBL_EPSILON,
                            &rank, work, (lapack_int)query) == 0)
        keep_if_better(n, A, q, is_basic, x, trial, z, &residual);
    return PEG_SOLVED;
}

/* z of the scaled problem: the solution, or on PEG_RAY the z part of the ray's direction. */
static peg_outcome lemke_scaled(peg_arena *arena, int n, const double *A, const double *q,
                                double *z, int *pivots)
{
    tableau t;
    int ray = -1, *is_basic = PEG_NEW(arena, int, n);
    if (!is_basic || !create(arena, n, A, q, &t)) return PEG_OUT_OF_MEMORY;
    peg_outcome outcome = run(&t, pivots, &ray);
    for (int i = 0; i < n; i++) {
        int row = t.row_of[n + i];
        is_basic[i] = row >= 0;
        z[i] = row < 0 ? 0 : fmax(0, ray < 0 ? *entry(&t, row, n + 1) : -*entry(&t, row, ray));
    }
    if (ray >= 0 && t.nonbasic[ray] >= n && t.nonbasic[ray] < 2 * n) z[t.nonbasic[ray] - n] = 1;
    return outcome == PEG_SOLVED ? refine(arena, n, A, q, is_basic, z) : outcome;
}

/* Row and column factors s_i = 1/sqrt(A_ii), and one factor for q: z_i = s_i z'_i |q|. */
static peg_outcome lemke(peg_arena *arena, int n, const double *A, const double *q, double *z,
                         int *pivots)
{
    double *B = PEG_NEW(arena, double, (size_t)n *(size_t)n), *p = PEG_NEW(arena, double, n);
    double *s = PEG_NEW(arena, double, n), *x = PEG_NEW(arena, double, n), unit = 0, sum = 0;
    if (!B || !p || !s || !x) return PEG_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        double diagonal = A[(size_t)i * (size_t)n + (size_t)i];
        s[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        unit = fmax(unit, s[i] * fabs(q[i]));
    }
    if (unit == 0) unit = 1;
    for (int i = 0; i < n; i++) {
        p[i] = s[i] * q[i] / unit;
        sum += p[i];
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)i * (size_t)n + (size_t)j;
            B[at] = s[i] * A[at] * s[j];
            sum += B[at];
        }
    }
    if (!isfinite(sum)) return PEG_SINGULAR;
    peg_outcome outcome = lemke_scaled(arena, n, B, p, x, pivots);
    if (outcome == PEG_SOLVED || outcome == PEG_RAY)
        for (int i = 0; i < n; i++) z[i] = x[i] * s[i] * (outcome == PEG_SOLVED ? unit : 1);
    return outcome;
}

peg_outcome peg_lemke(peg_arena *arena, int n, const double *A, const double *q, double *z,
                      int *pivots)
{
    peg_arena_mark mark = peg_arena_here(arena);
    *pivots = 0;
    peg_outcome outcome = lemke(arena, n, A, q, z, pivots);
    peg_arena_back(arena, mark);
    return outcome;
}
