/* Sparse factors by blocks: order of approximate minimum degree (libamd), the pattern of the
 * factors from that, then right-looking elimination (George, Liu, Computer Solution of Large Sparse
 * Positive Definite Systems, chapters 2 and 5). */
#include "peg/lcp/block_ldu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "peg/base/lanes.h"

/* --- order --- */

/* Neighbours of body i: neighbour[start[i] .. start[i] + count[i]), each once. */
typedef struct graph {
    int n, edges; /* room of neighbour */
    int *start, *count, *neighbour;
} graph;

static int graph_create(peg_arena *arena, int n, const int (*pair)[2], int pairs, graph *g)
{
    *g = (graph){.n = n, .edges = 2 * pairs};
    g->start = PEG_NEW(arena, int, n);
    g->count = PEG_NEW(arena, int, n);
    g->neighbour = PEG_NEW(arena, int, g->edges);
    int *seen = PEG_NEW(arena, int, n);
    if (!g->start || !g->count || !g->neighbour || !seen) return 0;
    for (int i = 0; i < n; i++) g->count[i] = 0, seen[i] = -1;
    for (int k = 0; k < pairs; k++) g->count[pair[k][0]]++, g->count[pair[k][1]]++;
    for (int i = 0, sum = 0; i < n; i++) {
        g->start[i] = sum;
        sum += g->count[i];
        g->count[i] = 0;
    }
    for (int k = 0; k < pairs; k++)
        for (int side = 0; side < 2; side++) {
            int body = pair[k][side];
            g->neighbour[g->start[body] + g->count[body]++] = pair[k][1 - side];
        }
    for (int i = 0; i < n; i++) {
        int *of = g->neighbour + g->start[i], all = g->count[i];
        g->count[i] = 0;
        for (int k = 0; k < all; k++) {
            if (seen[of[k]] == i) continue;
            seen[of[k]] = i;
            of[g->count[i]++] = of[k];
        }
    }
    return 1;
}

/* libamd's routine that takes no memory of its own. It wants neighbours without gaps between the
 * lists, and room behind them: at least n. */
static int find_order(peg_arena *arena, const graph *g, int *order)
{
    enum { NV, NEXT, HEAD, ELEN, DEGREE, W, WORK };
    double control[AMD_CONTROL], info[AMD_INFO];
    int n = g->n, *work[WORK], used = 0, room = g->edges + g->edges / 5 + n;
    peg_arena_mark mark = peg_arena_here(arena);
    int *start = PEG_NEW(arena, int, n), *count = PEG_NEW(arena, int, n);
    int *list = PEG_NEW(arena, int, room);
    int has_room = start && count && list;
    for (int i = 0; i < WORK; i++) {
        work[i] = PEG_NEW(arena, int, n);
        has_room &= work[i] != NULL;
    }
    if (!has_room) return 0;
    for (int i = 0; i < n; i++) {
        start[i] = used;
        count[i] = g->count[i];
        for (int k = 0; k < count[i]; k++) list[used++] = g->neighbour[g->start[i] + k];
    }
    amd_defaults(control);
    if (n > 0)
        amd_2(n, start, list, count, room, used, work[NV], work[NEXT], order, work[HEAD],
              work[ELEN], work[DEGREE], work[W], control, info);
    peg_arena_back(arena, mark);
    return 1;
}

/* --- pattern --- */

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Column k of L has what column k of A has, and the columns of L whose first entry below the
 * diagonal is k, which hang in a list. */
static int find_columns(peg_arena *arena, const graph *g, peg_block_pattern *pattern)
{
    int n = g->n;
    int *first = PEG_NEW(arena, int, n), *next = PEG_NEW(arena, int, n);
    int *seen = PEG_NEW(arena, int, n), *column = PEG_NEW(arena, int, n);
    if (!first || !next || !seen || !column) return 0;
    for (int k = 0; k < n; k++) first[k] = seen[k] = -1;
    pattern->blocks = 0;
    for (int k = 0; k < n; k++) {
        int body = pattern->order[k], kept = 0;
        for (int i = 0; i < g->count[body]; i++) {
            int row = pattern->place[g->neighbour[g->start[body] + i]];
            if (row <= k) continue;
            seen[row] = k;
            column[kept++] = row;
        }
        for (int c = first[k]; c >= 0; c = next[c])
            for (int i = 0; i < pattern->count[c]; i++) {
                int row = pattern->below[c][i];
                if (row == k || seen[row] == k) continue;
                seen[row] = k;
                column[kept++] = row;
            }
        if (kept) qsort(column, (size_t)kept, sizeof *column, ascending);
        pattern->below[k] = PEG_NEW(arena, int, kept);
        if (!pattern->below[k]) return 0;
        if (kept) {
            memcpy(pattern->below[k], column, (size_t)kept * sizeof *column);
            next[k] = first[column[0]];
            first[column[0]] = k;
        }
        pattern->count[k] = kept;
        pattern->start[k] = pattern->blocks;
        pattern->blocks += 1 + kept;
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
        !pattern->below || !graph_create(arena, n, pair, count, &g) ||
        !find_order(arena, &g, pattern->order))
        return 0;
    for (int k = 0; k < n; k++) pattern->place[pattern->order[k]] = k;
    return find_columns(arena, &g, pattern);
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

PEG_HOT double *block(double *blocks, int i)
{
    return blocks + (size_t)i * PEG_BLOCK_SIZE;
}

PEG_HOT void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

/* D := D^-1 by Gauss and Jordan with column exchanges, which become row exchanges of the inverse.
 */
PEG_HOT int invert(double *D)
{
    int from[PEG_BLOCK];
    for (int k = 0; k < PEG_BLOCK; k++) {
        double *row = D + PEG_BLOCK * k; /* of D^T */
        int p = k;
        for (int r = k + 1; r < PEG_BLOCK; r++)
            if (fabs(D[PEG_BLOCK * r + k]) > fabs(D[PEG_BLOCK * p + k])) p = r;
        from[k] = p;
        for (int c = 0; c < PEG_BLOCK && p != k; c++) swap(&row[c], &D[PEG_BLOCK * p + c]);
        double pivot = row[k];
        if (!(fabs(pivot) > 0)) return 0;
        row[k] = 1;
        for (int c = 0; c < PEG_BLOCK; c++) row[c] /= pivot;
        for (int r = 0; r < PEG_BLOCK; r++) {
            double *other = D + PEG_BLOCK * r, f = other[k];
            if (r == k || f == 0) continue;
            other[k] = 0;
            for (int c = 0; c < PEG_BLOCK; c++) other[c] -= f * row[c];
        }
    }
    for (int k = PEG_BLOCK - 1; k >= 0; k--)
        for (int r = 0; r < PEG_BLOCK && from[k] != k; r++)
            swap(&D[PEG_BLOCK * r + k], &D[PEG_BLOCK * r + from[k]]);
    return 1;
}

/* C -= A B^T */
PEG_HOT void subtract_product(const double *restrict A, const double *restrict B,
                              double *restrict C)
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
PEG_HOT void multiply(const double *restrict D, double *restrict X)
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
PEG_HOT void update_later(peg_block_matrix *matrix, int symmetric, int k, double *L, double *R)
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

PEG_WIDE static int factorise(peg_block_matrix *matrix, int symmetric)
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

int peg_block_factorise(peg_block_matrix *matrix, int symmetric)
{
    return factorise(matrix, symmetric);
}

/* y -= B x */
PEG_HOT void subtract(const double *restrict B, const double *restrict x, double *restrict y)
{
    for (int c = 0; c < PEG_BLOCK; c++)
        for (int r = 0; r < PEG_BLOCK; r++) y[r] -= B[PEG_BLOCK * c + r] * x[c];
}

/* y -= B^T x */
PEG_HOT void subtract_transposed(const double *restrict B, const double *restrict x,
                                 double *restrict y)
{
    for (int c = 0; c < PEG_BLOCK; c++) {
        double sum = 0;
        for (int r = 0; r < PEG_BLOCK; r++) sum += B[PEG_BLOCK * c + r] * x[r];
        y[c] -= sum;
    }
}

/* x := D x */
PEG_HOT void apply(const double *restrict D, double *restrict x)
{
    double minus[PEG_BLOCK];
    for (int k = 0; k < PEG_BLOCK; k++) minus[k] = -x[k], x[k] = 0;
    subtract(D, minus, x);
}

PEG_WIDE static void solve(const peg_block_matrix *matrix, int symmetric, double *x)
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

void peg_block_solve(const peg_block_matrix *matrix, int symmetric, double *x)
{
    solve(matrix, symmetric, x);
}
