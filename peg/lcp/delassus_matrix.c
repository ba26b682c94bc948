/* The Delassus matrix: see delassus_matrix.h. */
#include "peg/lcp/delassus_matrix.h"

#include <math.h>
#include <string.h>

/* Compliance of equations about their impulses: redundant ones, as of joints in closed loops, have
 * factors by it; what it leaves of the others is below rounding after some corrections. */
static const double SHIFT = 1e-10;

static int is_equation(const peg_scaled_row *row)
{
    return row->bounded && isinf(row->limit);
}

void peg_delassus_count(const peg_problem *problem, int *bounded, int *equations)
{
    *bounded = 0;
    for (int i = 0; i < problem->m; i++)
        *bounded += !problem->row[i].bounded || isfinite(problem->row[i].limit);
    *equations = problem->m - *bounded;
}

static int vectors_of(int numbers)
{
    return (numbers + PEG_DOUBLE_LANES - 1) / PEG_DOUBLE_LANES;
}

static inline int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* --- columns --- */

static int begin_columns(peg_arena *arena, const peg_scaled *scaled, int vectors, peg_columns *C)
{
    int bodies = scaled->nv / 6;
    C->vectors = vectors;
    C->begin = PEG_NEW(arena, int, bodies);
    C->end = PEG_NEW(arena, int, bodies);
    C->N = peg_arena_aligned(arena, (size_t)(scaled->nv * vectors) * sizeof *C->N);
    if (!C->begin || !C->end || !C->N) return 0;
    for (int i = 0; i < bodies; i++) C->begin[i] = vectors, C->end[i] = 0;
    return 1;
}

/* Widens the range of a body for column i. */
static void widen(int first, int i, peg_columns *C)
{
    int body = first / 6, at = i / PEG_DOUBLE_LANES;
    if (first < 0) return;
    if (at < C->begin[body]) C->begin[body] = at;
    if (at >= C->end[body]) C->end[body] = at + 1;
}

static void clear_columns(const peg_scaled *scaled, peg_columns *C)
{
    for (int k = 0; k < scaled->nv; k++) {
        int begin = C->begin[k / 6], end = C->end[k / 6];
        for (int j = begin; j < end; j++) C->N[k * C->vectors + j] = peg_doubles_of(0);
    }
}

/* Row i of N^T into column i of N. */
static void put_column(const peg_scaled_row *row, int i, peg_columns *C)
{
    double *column = (double *)C->N + i;
    int stride = C->vectors * PEG_DOUBLE_LANES;
    for (int k = 0; k < 6; k++) {
        if (row->a >= 0) column[(row->a + k) * stride] = row->na[k];
        if (row->b >= 0) column[(row->b + k) * stride] = row->nb[k];
    }
}

/* to += sum of n_k times row k of a body's columns: so many vectors. */
PEG_HOT void add_block(const double *n, const peg_doubles *N, int stride, int vectors,
                       peg_doubles *to)
{
    peg_doubles sum[PEG_KEPT];
    for (int j = 0; j < vectors; j++) sum[j] = to[j];
    for (const double *end = n + 6; n < end; n++, N += stride)
        for (int j = 0; j < vectors; j++) sum[j] += *n * N[j];
    for (int j = 0; j < vectors; j++) to[j] = sum[j];
}

/* The vectors begin .. end - 1 of to = N_i^T N of a row. */
PEG_WIDE static void multiply_row(const peg_scaled_row *row, const peg_columns *C, int begin,
                                  int end, peg_doubles *to)
{
    for (int j = begin; j < end; j++) to[j] = peg_doubles_of(0);
    for (int side = 0; side < 2; side++) {
        int first = side ? row->b : row->a;
        if (first < 0) continue;
        const double *n = side ? row->nb : row->na;
        const peg_doubles *N = C->N + first * C->vectors;
        int j = C->begin[first / 6], last = C->end[first / 6];
        j = j < begin ? begin : j;
        last = min_of(last, end);
        for (; j + PEG_KEPT <= last; j += PEG_KEPT)
            add_block(n, N + j, C->vectors, PEG_KEPT, to + j);
        for (; j + 2 <= last; j += 2) add_block(n, N + j, C->vectors, 2, to + j);
        if (j < last) add_block(n, N + j, C->vectors, 1, to + j);
    }
}

/* --- equations --- */

static const peg_scaled_row *equation(const peg_delassus *D, int c)
{
    return &D->scaled->row[D->equation[c]];
}

/* The vectors of a row that may not be 0, by the ranges of its bodies. */
static void find_range(const peg_scaled_row *row, const peg_columns *C, int *begin, int *end)
{
    *begin = C->vectors, *end = 0;
    for (int side = 0; side < 2; side++) {
        int first = side ? row->b : row->a;
        if (first < 0) continue;
        if (C->begin[first / 6] < *begin) *begin = C->begin[first / 6];
        if (C->end[first / 6] > *end) *end = C->end[first / 6];
    }
}

/* What may not be 0 after the elimination: row r takes over what the rows that reach it have. */
static void find_reach(peg_delassus *D, const peg_columns *E)
{
    for (int c = 0; c < D->equations; c++) {
        int begin, reach, *first = &D->begin[c], *last = &D->end[c];
        find_range(equation(D, c), E, &begin, &reach);
        find_range(equation(D, c), &D->N, first, last);
        reach = min_of(reach * PEG_DOUBLE_LANES, D->equations);
        D->reach[c] = reach > c ? reach : c + 1; /* of a row without bodies */
        if (c == 0 || D->reach[c - 1] <= c) continue;
        if (D->reach[c - 1] > D->reach[c]) D->reach[c] = D->reach[c - 1];
        if (D->begin[c - 1] < *first) *first = D->begin[c - 1];
        if (D->end[c - 1] > *last) *last = D->end[c - 1];
    }
}

/* The rows from `first` on above row r, with the factors by which they are added to it. */
static int find_terms(const peg_delassus *D, int first, int r)
{
    int n = 0;
    for (int c = first; c < r; c++) {
        const peg_doubles *U = D->U + c * D->wide;
        const double *top = (const double *)U;
        if (top[r] != 0) D->term[n++] = (peg_term){U, -(top[r] / top[c])};
    }
    return n;
}

/* U, and what the elimination makes of Z: by rows, each of which takes over what is above it.
 * Returns 0 if S is not positive. */
PEG_WIDE static int eliminate(peg_delassus *D)
{
    for (int r = 0, first = 0; r < D->equations; r++) {
        while (D->reach[first] <= r) first++; /* the reach of rows does not decrease */
        int at = r / PEG_DOUBLE_LANES, begin = D->begin[r], n = find_terms(D, first, r);
        peg_doubles *U = D->U + r * D->wide, *Z = D->Z + r * D->vectors;
        peg_add_terms(D->term, n, at, vectors_of(D->reach[r]), U);
        for (int k = 0; k < n; k++)
            D->term[k].row = D->Z + (D->term[k].row - D->U) / D->wide * D->vectors;
        peg_add_terms(D->term, n, begin, D->end[r], Z);
        if (!(((const double *)U)[r] > 0)) return 0;
    }
    return 1;
}

static peg_outcome make_equations(peg_arena *arena, peg_delassus *D)
{
    size_t size = sizeof(peg_doubles), n = (size_t)D->equations;
    peg_columns E;
    D->U = peg_arena_aligned(arena, n * (size_t)D->wide * size);
    D->Z = peg_arena_aligned(arena, n * (size_t)D->vectors * size);
    D->reach = PEG_NEW(arena, int, n);
    D->begin = PEG_NEW(arena, int, n);
    D->end = PEG_NEW(arena, int, n);
    D->term = PEG_NEW(arena, peg_term, n);
    peg_arena_mark mark = peg_arena_here(arena);
    if (!D->U || !D->Z || !D->reach || !D->begin || !D->end || !D->term ||
        !begin_columns(arena, D->scaled, D->wide, &E))
        return PEG_OUT_OF_MEMORY;
    for (int c = 0; c < D->equations; c++)
        widen(equation(D, c)->a, c, &E), widen(equation(D, c)->b, c, &E);
    clear_columns(D->scaled, &E);
    for (int c = 0; c < D->equations; c++) put_column(equation(D, c), c, &E);
    find_reach(D, &E);
    for (int c = 0; c < D->equations; c++) {
        const peg_scaled_row *row = equation(D, c);
        double *U = (double *)(D->U + c * D->wide);
        int last = vectors_of(D->reach[D->reach[c] - 1]); /* of the rows that take this one over */
        multiply_row(row, &E, c / PEG_DOUBLE_LANES, last, D->U + c * D->wide);
        multiply_row(row, &D->N, 0, D->vectors, D->Z + c * D->vectors);
        U[c] += row->ns * row->ns + SHIFT;
    }
    peg_arena_back(arena, mark);
    return eliminate(D) ? PEG_SOLVED : PEG_SINGULAR;
}

PEG_WIDE static void forward(const peg_delassus *D, double *e)
{
    for (int c = 0; c < D->equations; c++) {
        const double *U = (const double *)(D->U + c * D->wide);
        double f = e[c] / U[c];
        for (int r = c + 1; r < D->reach[c]; r++) e[r] -= f * U[r];
    }
}

void peg_delassus_begin(const peg_delassus *D, double *e)
{
    forward(D, e);
}

PEG_WIDE static void answer(const peg_delassus *D, const double *e, peg_doubles *to)
{
    for (int j = 0; j < D->vectors; j++) to[j] = peg_doubles_of(0);
    for (int c = 0; c < D->equations; c++) {
        const peg_doubles *Z = D->Z + c * D->vectors;
        double f = e[c] / ((const double *)(D->U + c * D->wide))[c];
        for (int j = D->begin[c]; j < D->end[c]; j++) to[j] += f * Z[j];
    }
}

void peg_delassus_answer(const peg_delassus *D, const double *e, peg_doubles *to)
{
    answer(D, e, to);
}

PEG_WIDE static void back(const peg_delassus *D, const peg_doubles *du, double *e)
{
    for (int c = D->equations - 1; c >= 0; c--) {
        const double *U = (const double *)(D->U + c * D->wide);
        double by = e[c] - peg_doubles_dot(D->Z + c * D->vectors, du, D->begin[c], D->end[c]);
        for (int r = c + 1; r < D->reach[c]; r++) by -= U[r] * e[r];
        e[c] = by / U[c];
    }
}

void peg_delassus_end(const peg_delassus *D, const peg_doubles *du, double *e)
{
    back(D, du, e);
}

/* --- rows --- */

/* Parts the rows. Returns 0 if memory is exhausted. */
static int part_rows(peg_arena *arena, peg_delassus *D)
{
    int all = D->scaled->m, *place = PEG_NEW(arena, int, all);
    D->index = PEG_NEW(arena, int, all);
    D->equation = PEG_NEW(arena, int, all);
    if (!place || !D->index || !D->equation) return 0;
    for (int i = 0; i < all; i++) {
        if (is_equation(&D->scaled->row[i])) {
            D->equation[D->equations++] = i;
            continue;
        }
        place[i] = D->m;
        D->index[D->m++] = i;
    }
    D->row = D->equations ? PEG_NEW(arena, peg_scaled_row, D->m) : D->scaled->row;
    if (!D->row) return 0;
    for (int i = 0; i < D->m && D->equations; i++) {
        D->row[i] = D->scaled->row[D->index[i]];
        if (D->row[i].normal >= 0) D->row[i].normal = place[D->row[i].normal];
    }
    D->vectors = vectors_of(D->m);
    D->wide = vectors_of(D->equations);
    return 1;
}

peg_outcome peg_delassus_create(peg_arena *arena, const peg_scaled *scaled, peg_delassus *D)
{
    *D = (peg_delassus){.scaled = scaled};
    if (!part_rows(arena, D)) return PEG_OUT_OF_MEMORY;
    D->W = peg_arena_aligned(arena, (size_t)(D->m * D->vectors) * sizeof *D->W);
    D->is_made = PEG_NEW(arena, unsigned char, D->m);
    if (!D->W || !D->is_made || !begin_columns(arena, scaled, D->vectors, &D->N))
        return PEG_OUT_OF_MEMORY;
    memset(D->is_made, 0, (size_t)D->m);
    for (int i = 0; i < D->m; i++) widen(D->row[i].a, i, &D->N), widen(D->row[i].b, i, &D->N);
    clear_columns(scaled, &D->N);
    for (int i = 0; i < D->m; i++) put_column(&D->row[i], i, &D->N);
    return D->equations ? make_equations(arena, D) : PEG_SOLVED;
}

PEG_WIDE static void subtract_equations(const peg_delassus *D, int i, peg_doubles *W)
{
    int n = 0, at = i / PEG_DOUBLE_LANES, begin = D->vectors, end = 0;
    for (int c = 0; c < D->equations; c++) {
        const peg_doubles *Z = D->Z + c * D->vectors;
        double z = ((const double *)Z)[i];
        if (z == 0 || at < D->begin[c] || at >= D->end[c]) continue;
        D->term[n++] = (peg_term){Z, -(z / ((const double *)(D->U + c * D->wide))[c])};
        begin = min_of(begin, D->begin[c]);
        if (D->end[c] > end) end = D->end[c];
    }
    peg_add_terms(D->term, n, begin, end, W);
}

void peg_delassus_make_row(peg_delassus *D, int i)
{
    const peg_scaled_row *row = &D->row[i];
    peg_doubles *W = D->W + i * D->vectors;
    D->is_made[i] = 1;
    multiply_row(row, &D->N, 0, D->vectors, W);
    ((double *)W)[i] += row->ns * row->ns;
    if (D->equations) subtract_equations(D, i, W);
}
