/* Thin QR factors of a changing set of rows, N = Q R: Q is n x q with orthonormal columns, R upper
 * triangular. Rows come and go one by one; each change costs O(n q). */
#ifndef PEG_QR_H
#define PEG_QR_H

#include "peg/lcp/scaled.h"

typedef struct peg_qr {
    int n, q, capacity;
    double *Q; /* column j at Q + j n */
    double *R; /* column j at R + j capacity */
} peg_qr;

/* False when the memory is exhausted. */
int peg_qr_create(peg_arena *arena, int n, int capacity, peg_qr *qr);
/* d = Q^T row alone: O(q). Returns |d|^2. */
double peg_qr_coefficients(const peg_qr *qr, const peg_scaled_row *row, double *d);
/* row = Q d + z with z orthogonal to Q to machine precision; returns |z|. */
double peg_qr_split(const peg_qr *qr, const peg_scaled_row *row, double *d, double *z);
/* Appends the row that split gave d, z and length > 0 of. */
void peg_qr_append(peg_qr *qr, const double *d, const double *z, double length);
void peg_qr_remove(peg_qr *qr, int j);
/* x = R^-1 b; x may be b. */
void peg_qr_solve(const peg_qr *qr, const double *b, double *x);
/* The shortest y with Q R = N: N^T y = b, and u with y = N u. b, of q numbers, becomes Q^T y. */
void peg_qr_shortest(const peg_qr *qr, double *b, double *y, double *u);

/* d = Q^T z */
void peg_qr_project(const peg_qr *qr, const double *z, double *d);

#endif
