/* Sparse factors by blocks: minimum degree on the explicit elimination graph, then
 * right-looking elimination (George, Liu, Computer Solution of Large Sparse Positive Definite
 * Systems, chapters 2 and 5). */
#include "peg/lcp/block_ldu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- order --- */

typedef struct neighbours {
    int *body;
    int count, capacity;
} neighbours;

/* The elimination graph; bodies of equal degree hang in a list. */
typedef struct graph {
    int n;
    neighbours *of;
    int *first;       /* n: first body of a degree; -1: none */
    int *next, *last; /* n: in the list of the same degree */
    int *mark;        /* n: who saw this body last */
} graph;

static int graph_create(peg_arena *arena, int n, graph *g)
{
    *g = (graph){.n = n};
    g->of = PEG_NEW(arena, neighbours, n);
    g->first = PEG_NEW(arena, int, n);
    g->next = PEG_NEW(arena, int, n);
    g->last = PEG_NEW(arena, int, n);
    g->mark = PEG_NEW(arena, int, n);
    if (!g->of || !g->first || !g->next || !g->last || !g->mark) return 0;
    for (int i = 0; i < n; i++) {
        g->of[i] = (neighbours){0};
        g->first[i] = g->mark[i] = -1;
    }
    return 1;
}

static int neighbours_add(peg_arena *arena, neighbours *of, int body)
{
    if (of->count == of->capacity) {
        int capacity = of->capacity ? 2 * of->capacity : 8;
        int *grown = PEG_NEW(arena, int, capacity);
        if (!grown) return 0;
        if (of->count) memcpy(grown, of->body, (size_t)of->count * sizeof *grown);
        of->body = grown;
        of->capacity = capacity;
    }
    of->body[of->count++] = body;
    return 1;
}

/* Leaves one of every neighbour. */
static void make_unique(graph *g, int body)
{
    neighbours *of = &g->of[body];
    int kept = 0;
    for (int k = 0; k < of->count; k++) {
        if (g->mark[of->body[k]] == body) continue;
        g->mark[of->body[k]] = body;
        of->body[kept++] = of->body[k];
    }
    of->count = kept;
}

static void hang(graph *g, int body)
{
    int degree = g->of[body].count, head = g->first[degree];
    g->next[body] = head;
    g->last[body] = -1;
    if (head >= 0) g->last[head] = body;
    g->first[degree] = body;
}

static void unhang(graph *g, int body)
{
    int next = g->next[body], last = g->last[body];
    if (next >= 0) g->last[next] = last;
    if (last >= 0)
        g->next[last] = next;
    else
        g->first[g->of[body].count] = next;
}

/* The neighbours of an eliminated body become neighbours of each other. Each of them marks itself
 * and what it has already with a stamp of its own. */
static int eliminate(peg_arena *arena, graph *g, int body, int *stamp)
{
    const neighbours *gone = &g->of[body];
    for (int i = 0; i < gone->count; i++) {
        int u = gone->body[i], kept = 0;
        neighbours *of = &g->of[u];
        unhang(g, u);
        ++*stamp;
        g->mark[u] = *stamp;
        for (int k = 0; k < of->count; k++) {
            if (of->body[k] == body) continue;
            g->mark[of->body[k]] = *stamp;
            of->body[kept++] = of->body[k];
        }
        of->count = kept;
        for (int k = 0; k < gone->count; k++)
            if (g->mark[gone->body[k]] != *stamp && !neighbours_add(arena, of, gone->body[k]))
                return 0;
        hang(g, u);
    }
    return 1;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int order(peg_arena *arena, graph *g, peg_block_pattern *pattern)
{
    int n = g->n, stamp = n, degree = 0;
    for (int i = n - 1; i >= 0; i--) {
        make_unique(g, i);
        hang(g, i);
    }
    for (int k = 0; k < n; k++) {
        while (g->first[degree] < 0) degree++;
        int body = g->first[degree];
        unhang(g, body);
        pattern->order[k] = body;
        pattern->place[body] = k;
        if (!eliminate(arena, g, body, &stamp)) return 0;
        /* a neighbour's degree falls by at most one */
        if (degree > 0) degree--;
    }
    pattern->blocks = 0;
    for (int k = 0; k < n; k++) {
        neighbours *of = &g->of[pattern->order[k]];
        for (int i = 0; i < of->count; i++) of->body[i] = pattern->place[of->body[i]];
        if (of->count) qsort(of->body, (size_t)of->count, sizeof *of->body, ascending);
        pattern->below[k] = of->body;
        pattern->count[k] = of->count;
        pattern->start[k] = pattern->blocks;
        pattern->blocks += 1 + of->count;
    }
    return 1;
}

int peg_block_pattern_create(peg_arena *arena, int n, const int (*pair)[2], int count,
                             peg_block_pattern *pattern)
{
    graph g;
    *pattern = (peg_block_pattern){.n = n};
    pattern->order = PEG_NEW(arena, int, n);
    pattern->place = PEG_NEW(arena, int, n);
    pattern->start = PEG_NEW(arena, int, n);
    pattern->count = PEG_NEW(arena, int, n);
    pattern->below = PEG_NEW(arena, int *, n);
    if (!pattern->order || !pattern->place || !pattern->start || !pattern->count ||
        !pattern->below || !graph_create(arena, n, &g))
        return 0;
    for (int i = 0; i < count; i++)
        if (!neighbours_add(arena, &g.of[pair[i][0]], pair[i][1]) ||
            !neighbours_add(arena, &g.of[pair[i][1]], pair[i][0]))
            return 0;
    return order(arena, &g, pattern);
}

int peg_block_find(const peg_block_pattern *pattern, int body_a, int body_b)
{
    int a = pattern->place[body_a], b = pattern->place[body_b];
    int column = a < b ? a : b, row = a < b ? b : a;
    int low = 0, high = pattern->count[column] - 1;
    if (a == b) return pattern->start[a];
    while (low < high) {
        int middle = (low + high) / 2;
        if (pattern->below[column][middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return pattern->start[column] + 1 + low;
}

/* --- numbers --- */

int peg_block_matrix_create(peg_arena *arena, const peg_block_pattern *pattern,
                            peg_block_matrix *matrix)
{
    size_t size = (size_t)pattern->blocks * PEG_BLOCK_SIZE;
    matrix->pattern = pattern;
    matrix->lower = PEG_NEW(arena, double, size);
    matrix->upper = PEG_NEW(arena, double, size);
    matrix->room = PEG_NEW(arena, double, pattern->n *PEG_BLOCK_SIZE);
    return matrix->lower && matrix->upper && matrix->room;
}

static double *block(double *blocks, int i)
{
    return blocks + (size_t)i * PEG_BLOCK_SIZE;
}

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

/* D := D^-1 by Gauss and Jordan with row exchanges, which become column exchanges of the inverse.
 */
static int invert(double *D)
{
    int from[PEG_BLOCK];
    for (int k = 0; k < PEG_BLOCK; k++) {
        int p = k;
        for (int r = k + 1; r < PEG_BLOCK; r++)
            if (fabs(D[PEG_BLOCK * k + r]) > fabs(D[PEG_BLOCK * k + p])) p = r;
        from[k] = p;
        for (int c = 0; c < PEG_BLOCK && p != k; c++)
            swap(&D[PEG_BLOCK * c + k], &D[PEG_BLOCK * c + p]);
        double pivot = D[7 * k];
        if (!(fabs(pivot) > 0)) return 0;
        D[7 * k] = 1;
        for (int c = 0; c < PEG_BLOCK; c++) D[PEG_BLOCK * c + k] /= pivot;
        for (int r = 0; r < PEG_BLOCK; r++) {
            double f = D[PEG_BLOCK * k + r];
            if (r == k || f == 0) continue;
            D[PEG_BLOCK * k + r] = 0;
            for (int c = 0; c < PEG_BLOCK; c++) D[PEG_BLOCK * c + r] -= f * D[PEG_BLOCK * c + k];
        }
    }
    for (int k = PEG_BLOCK - 1; k >= 0; k--)
        for (int r = 0; r < PEG_BLOCK && from[k] != k; r++)
            swap(&D[PEG_BLOCK * k + r], &D[PEG_BLOCK * from[k] + r]);
    return 1;
}

/* C -= A B^T */
static void subtract_product(const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int c = 0; c < PEG_BLOCK; c++) {
        double sum[PEG_BLOCK];
        for (int r = 0; r < PEG_BLOCK; r++) sum[r] = C[PEG_BLOCK * c + r];
        for (int q = 0; q < PEG_BLOCK; q++) {
            double f = B[PEG_BLOCK * q + c];
            for (int r = 0; r < PEG_BLOCK; r++) sum[r] -= A[PEG_BLOCK * q + r] * f;
        }
        for (int r = 0; r < PEG_BLOCK; r++) C[PEG_BLOCK * c + r] = sum[r];
    }
}

/* X := X D */
static void multiply(const double *restrict D, double *restrict X)
{
    double old[PEG_BLOCK_SIZE];
    memcpy(old, X, sizeof old);
    for (int c = 0; c < PEG_BLOCK; c++) {
        double sum[PEG_BLOCK] = {0};
        for (int q = 0; q < PEG_BLOCK; q++)
            for (int r = 0; r < PEG_BLOCK; r++)
                sum[r] += old[PEG_BLOCK * q + r] * D[PEG_BLOCK * c + q];
        for (int r = 0; r < PEG_BLOCK; r++) X[PEG_BLOCK * c + r] = sum[r];
    }
}

/* What column k takes from the columns of its rows. L: its blocks of L; R: (D U)^T. */
static void update_later(peg_block_matrix *matrix, int symmetric, int k, double *L, double *R)
{
    const peg_block_pattern *p = matrix->pattern;
    const int *rows = p->below[k], count = p->count[k];
    for (int i = 0; i < count; i++) {
        int column = rows[i], at = 0;
        subtract_product(block(L, i), block(R, i), block(matrix->lower, p->start[column]));
        for (int j = i + 1; j < count; j++) {
            while (p->below[column][at] < rows[j]) at++;
            int target = p->start[column] + 1 + at;
            subtract_product(block(L, j), block(R, i), block(matrix->lower, target));
            if (!symmetric)
                subtract_product(block(R, j), block(L, i), block(matrix->upper, target));
        }
    }
}

int peg_block_factorise(peg_block_matrix *matrix, int symmetric)
{
    const peg_block_pattern *p = matrix->pattern;
    for (int k = 0; k < p->n; k++) {
        double *D = block(matrix->lower, p->start[k]), *L = D + PEG_BLOCK_SIZE;
        double *R = symmetric ? matrix->room : block(matrix->upper, p->start[k] + 1);
        if (symmetric) memcpy(R, L, (size_t)p->count[k] * PEG_BLOCK_SIZE * sizeof *R);
        if (!invert(D)) return 0;
        for (int i = 0; i < p->count[k]; i++) multiply(D, block(L, i));
        update_later(matrix, symmetric, k, L, R);
    }
    return 1;
}

/* y -= B x */
static void subtract(const double *restrict B, const double *restrict x, double *restrict y)
{
    for (int c = 0; c < PEG_BLOCK; c++)
        for (int r = 0; r < PEG_BLOCK; r++) y[r] -= B[PEG_BLOCK * c + r] * x[c];
}

/* y -= B^T x */
static void subtract_transposed(const double *restrict B, const double *restrict x,
                                double *restrict y)
{
    for (int c = 0; c < PEG_BLOCK; c++) {
        double sum = 0;
        for (int r = 0; r < PEG_BLOCK; r++) sum += B[PEG_BLOCK * c + r] * x[r];
        y[c] -= sum;
    }
}

/* x := D x */
static void apply(const double *restrict D, double *restrict x)
{
    double minus[PEG_BLOCK];
    for (int k = 0; k < PEG_BLOCK; k++) minus[k] = -x[k], x[k] = 0;
    subtract(D, minus, x);
}

void peg_block_solve(const peg_block_matrix *matrix, int symmetric, double *x)
{
    const peg_block_pattern *p = matrix->pattern;
    enum { BYTES = PEG_BLOCK * sizeof(double) };
    double *b = matrix->room;
    for (int k = 0; k < p->n; k++) memcpy(b + PEG_BLOCK * k, x + PEG_BLOCK * p->order[k], BYTES);
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->count[k]; i++)
            subtract(block(matrix->lower, p->start[k] + 1 + i), b + PEG_BLOCK * k,
                     b + PEG_BLOCK * p->below[k][i]);
    for (int k = p->n - 1; k >= 0; k--) {
        double *y = b + PEG_BLOCK * k, *R = symmetric ? matrix->lower : matrix->upper;
        if (symmetric) apply(block(matrix->lower, p->start[k]), y);
        for (int i = 0; i < p->count[k]; i++)
            subtract_transposed(block(R, p->start[k] + 1 + i), b + PEG_BLOCK * p->below[k][i], y);
        if (!symmetric) apply(block(matrix->lower, p->start[k]), y);
    }
    for (int k = 0; k < p->n; k++) memcpy(x + PEG_BLOCK * p->order[k], b + PEG_BLOCK * k, BYTES);
}
