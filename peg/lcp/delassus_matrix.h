/* The Delassus matrix of the rows with bounds, equations eliminated. Symbols as in scaled.h; J:
 * equations, which are rows with infinite bounds, as of joints; C: the other m rows.
 *
 *     S = N_J^T N_J + C_J + SHIFT,     Z = N_J^T N_C,     W = N_C^T N_C + C_C - Z^T S^-1 Z
 *
 * W tells how s_C changes with u_C while the equations hold. Without equations it has ones on its
 * diagonal. SHIFT is a compliance of an equation about its present impulse. */
#ifndef PEG_DELASSUS_MATRIX_H
#define PEG_DELASSUS_MATRIX_H

#include "peg/base/lanes.h"
#include "peg/lcp/scaled.h"

/* Vectors of a sum that are kept in registers: with one of them a pile of 10 boxes takes 1.015
 * times the instructions. */
enum { PEG_KEPT = 4 };

/* Rows as columns, by coordinates: six of each body. Of those only the vectors begin .. end - 1 may
 * not be 0, and others are not set. */
typedef struct peg_columns {
    int vectors;
    peg_doubles *N;
    int *begin, *end;
} peg_columns;

/* Of a sum of rows. */
typedef struct peg_term {
    const peg_doubles *row;
    double factor;
} peg_term;

/* Vectors follow each other by rows; each row begins with one. */
typedef struct peg_delassus {
    const peg_scaled *scaled;
    int m, vectors;      /* rows with bounds; vectors of as many numbers */
    peg_scaled_row *row; /* m; normal rows come before their friction */
    int *index;          /* m: their indices in `scaled` */
    peg_columns N;
    peg_doubles *W;         /* m x vectors: of the rows that are made */
    unsigned char *is_made; /* m */
    int equations, wide;    /* equations; vectors of as many numbers */
    int *equation;          /* their indices in `scaled` */
    int *reach;             /* of a row of U: its numbers from here on are 0 */
    int *begin, *end;       /* of a row of Z: other vectors are 0 */
    peg_term *term;         /* equations: of a sum */
    peg_doubles *U;         /* equations x wide: S = U^T D^-1 U, D the diagonal of U */
    peg_doubles *Z;         /* equations x vectors: D U^-T Z */
} peg_delassus;

/* Counts rows with bounds, and equations. */
void peg_delassus_count(const peg_problem *problem, int *bounded, int *equations);
/* PEG_SOLVED, PEG_OUT_OF_MEMORY or PEG_SINGULAR. */
peg_outcome peg_delassus_create(peg_arena *arena, const peg_scaled *scaled, peg_delassus *D);
void peg_delassus_make_row(peg_delassus *D, int i);
/* Equations that have to change their s by e: e := D U^-T e, ... */
void peg_delassus_begin(const peg_delassus *D, double *e);
/* ... by which the other rows' s change by `to` (vectors), ... */
void peg_delassus_answer(const peg_delassus *D, const double *e, peg_doubles *to);
/* ... and their impulses by e, where those of the other rows change by du (vectors). */
void peg_delassus_end(const peg_delassus *D, const peg_doubles *du, double *e);

/* sum of a_k b_k, over the vectors begin .. end - 1. */
PEG_HOT double peg_doubles_dot(const peg_doubles *a, const peg_doubles *b, long begin, long end)
{
    peg_doubles sum = peg_doubles_of(0);
    for (long j = begin; j < end; j++) sum += a[j] * b[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* So many vectors of to += sum of the terms, from vector `at` on. */
PEG_HOT void peg_add_block(const peg_term *term, int n, long at, int vectors, peg_doubles *to)
{
    peg_doubles sum[PEG_KEPT];
    for (int j = 0; j < vectors; j++) sum[j] = to[at + j];
    for (const peg_term *end = term + n; term < end; term++) {
        const peg_doubles *from = term->row + at;
        for (int j = 0; j < vectors; j++) sum[j] += term->factor * from[j];
    }
    for (int j = 0; j < vectors; j++) to[at + j] = sum[j];
}

/* The vectors begin .. end - 1 of to += sum of the terms. */
PEG_HOT void peg_add_terms(const peg_term *term, int n, long begin, long end, peg_doubles *to)
{
    long j = begin;
    for (; j + PEG_KEPT <= end; j += PEG_KEPT) peg_add_block(term, n, j, PEG_KEPT, to);
    if (end - j == 3) peg_add_block(term, n, j, 3, to);
    if (end - j == 2) peg_add_block(term, n, j, 2, to);
    if (end - j == 1) peg_add_block(term, n, j, 1, to);
}

/* Row i of W: made where it is first used, as of rows that stay open none is. */
static inline const peg_doubles *peg_delassus_row(peg_delassus *D, int i)
{
    if (!D->is_made[i]) peg_delassus_make_row(D, i);
    return D->W + i * D->vectors;
}

#endif
