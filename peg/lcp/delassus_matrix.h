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

/* Vectors follow each other by rows; each row begins with one. */
typedef struct peg_delassus {
    const peg_scaled *scaled;
    int m, vectors;         /* rows with bounds; vectors of as many numbers */
    peg_scaled_row *row;    /* m; normal rows come before their friction */
    int *index;             /* m: their indices in `scaled` */
    peg_doubles *N;         /* by coordinates: vectors each */
    peg_doubles *W;         /* m x vectors: of the rows that are made */
    unsigned char *is_made; /* m */
    int equations, wide;    /* equations; vectors of as many numbers */
    int *equation;          /* their indices in `scaled` */
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
/* ... and their impulses by e, where those of the other rows change by du (m). */
void peg_delassus_end(const peg_delassus *D, const double *du, double *e);

/* Row i of W: made where it is first used, as of rows that stay open none is. */
static inline const peg_doubles *peg_delassus_row(peg_delassus *D, int i)
{
    if (!D->is_made[i]) peg_delassus_make_row(D, i);
    return D->W + i * D->vectors;
}

#endif
