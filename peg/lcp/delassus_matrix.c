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

/* Parts the rows. */
static void part_rows(peg_delassus *D, int *place)
{
    for (int i = 0; i < D->scaled->m; i++) {
        const peg_scaled_row *row = &D->scaled->row[i];
        if (is_equation(row)) {
            D->equation[D->equations++] = i;
            continue;
        }
        place[i] = D->m;
        D->index[D->m] = i;
        D->row[D->m] = *row;
        if (row->normal >= 0) D->row[D->m].normal = place[row->normal];
        D->m++;
    }
    D->vectors = vectors_of(D->m);
    D->wide = vectors_of(D->equations);
}

/* Row i of N^T into column i of N, which has so many vectors. */
static void put_column(const peg_scaled_row *row, int i, int vectors, peg_doubles *N)
{
    double *column = (double *)N + i;
    int stride = vectors * PEG_DOUBLE_LANES;
    for (int k = 0; k < 6; k++) {
        if (row->a >= 0) column[(row->a + k) * stride] = row->na[k];
        if (row->b >= 0) column[(row->b + k) * stride] = row->nb[k];
    }
}

/* to = N_i^T N of a row. */
PEG_WIDE static void multiply_row(const peg_scaled_row *row, const peg_doubles *N, int vectors,
                                  peg_doubles *to)
{
    for (int j = 0; j < vectors; j++) to[j] = peg_doubles_of(0);
    for (int side = 0; side < 2; side++) {
        int first = side ? row->b : row->a;
        const double *n = side ? row->nb : row->na;
        for (int k = 0; k < 6 && first >= 0; k++)
            for (int j = 0; j < vectors; j++) to[j] += n[k] * N[(first + k) * vectors + j];
    }
}

/* --- equations --- */

/* U, and what the elimination makes of Z. Returns 0 if S is not positive. */
PEG_WIDE static int eliminate(peg_delassus *D)
{
    for (int c = 0; c < D->equations; c++) {
        const peg_doubles *U = D->U + c * D->wide, *Z = D->Z + c * D->vectors;
        const double *top = (const double *)U;
        if (!(top[c] > 0)) return 0;
        for (int r = c + 1; r < D->equations; r++) {
            double f = top[r] / top[c];
            if (f == 0) continue;
            peg_doubles *row = D->U + r * D->wide, *z = D->Z + r * D->vectors;
            for (int j = r / PEG_DOUBLE_LANES; j < D->wide; j++) row[j] -= f * U[j];
            for (int j = 0; j < D->vectors; j++) z[j] -= f * Z[j];
        }
    }
    return 1;
}

static peg_outcome make_equations(peg_arena *arena, peg_delassus *D)
{
    size_t size = sizeof(peg_doubles), nv = (size_t)D->scaled->nv, n = (size_t)D->equations;
    peg_arena_mark mark;
    D->U = peg_arena_aligned(arena, n * (size_t)D->wide * size);
    D->Z = peg_arena_aligned(arena, n * (size_t)D->vectors * size);
    mark = peg_arena_here(arena);
    peg_doubles *N = peg_arena_aligned(arena, nv * (size_t)D->wide * size);
    if (!D->U || !D->Z || !N) return PEG_OUT_OF_MEMORY;
    memset(N, 0, nv * (size_t)D->wide * size);
    for (int j = 0; j < D->equations; j++)
        put_column(&D->scaled->row[D->equation[j]], j, D->wide, N);
    for (int j = 0; j < D->equations; j++) {
        const peg_scaled_row *row = &D->scaled->row[D->equation[j]];
        multiply_row(row, N, D->wide, D->U + j * D->wide);
        multiply_row(row, D->N, D->vectors, D->Z + j * D->vectors);
        ((double *)(D->U + j * D->wide))[j] += row->ns * row->ns + SHIFT;
    }
    peg_arena_back(arena, mark);
    return eliminate(D) ? PEG_SOLVED : PEG_SINGULAR;
}

PEG_WIDE static void forward(const peg_delassus *D, double *e)
{
    for (int c = 0; c < D->equations; c++) {
        const double *U = (const double *)(D->U + c * D->wide);
        double f = e[c] / U[c];
        for (int r = c + 1; r < D->equations; r++) e[r] -= f * U[r];
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
        for (int j = 0; j < D->vectors; j++) to[j] += f * Z[j];
    }
}

void peg_delassus_answer(const peg_delassus *D, const double *e, peg_doubles *to)
{
    answer(D, e, to);
}

void peg_delassus_end(const peg_delassus *D, const double *du, double *e)
{
    for (int c = 0; c < D->equations; c++) {
        const double *Z = (const double *)(D->Z + c * D->vectors);
        for (int i = 0; i < D->m; i++) e[c] -= Z[i] * du[i];
    }
    for (int c = D->equations - 1; c >= 0; c--) {
        const double *U = (const double *)(D->U + c * D->wide);
        for (int r = c + 1; r < D->equations; r++) e[c] -= U[r] * e[r];
        e[c] /= U[c];
    }
}

/* --- rows --- */

peg_outcome peg_delassus_create(peg_arena *arena, const peg_scaled *scaled, peg_delassus *D)
{
    int all = scaled->m, *place = PEG_NEW(arena, int, all);
    *D = (peg_delassus){.scaled = scaled};
    D->row = PEG_NEW(arena, peg_scaled_row, all);
    D->index = PEG_NEW(arena, int, all);
    D->equation = PEG_NEW(arena, int, all);
    if (!place || !D->row || !D->index || !D->equation) return PEG_OUT_OF_MEMORY;
    part_rows(D, place);
    size_t size = (size_t)D->vectors * sizeof(peg_doubles);
    D->W = peg_arena_aligned(arena, (size_t)D->m * size);
    D->N = peg_arena_aligned(arena, (size_t)scaled->nv * size);
    D->is_made = PEG_NEW(arena, unsigned char, D->m);
    if (!D->W || !D->N || !D->is_made) return PEG_OUT_OF_MEMORY;
    memset(D->is_made, 0, (size_t)D->m);
    memset(D->N, 0, (size_t)scaled->nv * size);
    for (int i = 0; i < D->m; i++) put_column(&D->row[i], i, D->vectors, D->N);
    return D->equations ? make_equations(arena, D) : PEG_SOLVED;
}

PEG_WIDE static void subtract_equations(const peg_delassus *D, int i, peg_doubles *W)
{
    for (int c = 0; c < D->equations; c++) {
        const peg_doubles *Z = D->Z + c * D->vectors;
        double f = ((const double *)Z)[i] / ((const double *)(D->U + c * D->wide))[c];
        if (f == 0) continue;
        for (int j = 0; j < D->vectors; j++) W[j] -= f * Z[j];
    }
}

void peg_delassus_make_row(peg_delassus *D, int i)
{
    const peg_scaled_row *row = &D->row[i];
    peg_doubles *W = D->W + i * D->vectors;
    D->is_made[i] = 1;
    multiply_row(row, D->N, D->vectors, W);
    ((double *)W)[i] += row->ns * row->ns;
    subtract_equations(D, i, W);
}
