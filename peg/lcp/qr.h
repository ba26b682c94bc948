/* Thin QR factors of a changing set of rows, N = Q R: Q is n x q with orthonormal columns, R upper
 * triangular. Rows come and go one by one; each change costs O(n q). */
#ifndef PEG_QR_H
#define PEG_QR_H

#include "peg/lcp/scaled.h"

typedef struct peg_qr {
    int n, q, capacity, stride;
    double *Q;     /* column j at Q + j stride */
    double *R;     /* column j at R + j capacity */
    double *d, *z; /* q, n: what the functions below work on */
} peg_qr;

/* False when the memory is exhausted. */
int peg_qr_create(peg_arena *arena, int n, int capacity, peg_qr *qr);
/* d = Q^T row alone: O(q). Returns |d|^2. */
double peg_qr_coefficients(const peg_qr *qr, const peg_scaled_row *row);
/* row = Q d + z, from these d, with z orthogonal to Q to machine precision; returns |z|. */
double peg_qr_rest(const peg_qr *qr, const peg_scaled_row *row);
/* Both. */
double peg_qr_split(const peg_qr *qr, const peg_scaled_row *row);
/* Appends the row that d, z and |z| > 0 are of. */
void peg_qr_append(peg_qr *qr, double length);
void peg_qr_remove(peg_qr *qr, int j);
/* x = R^-1 b; x may be b. */
void peg_qr_solve(const peg_qr *qr, const double *b, double *x);
/* The shortest y with N^T y = d, and u with y = N u. d becomes Q^T y. */
void peg_qr_shortest(const peg_qr *qr, double *y, double *u);
/* d += Q^T z, which leaves z. */
void peg_qr_project(const peg_qr *qr);

#endif
