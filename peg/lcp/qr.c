/* Gram-Schmidt with re-orthogonalisation to append, Givens rotations to remove (Daniel, Gragg,
 * Kaufman, Stewart 1976). */
#include "peg/lcp/qr.h"

int peg_qr_create(peg_arena *arena, int n, int capacity, peg_qr *qr)
{
    *qr = (peg_qr){.n = n, .capacity = capacity};
    qr->Q = PEG_NEW(arena, double, (size_t)n *(size_t)capacity);
    qr->R = PEG_NEW(arena, double, (size_t)capacity *(size_t)capacity);
    return qr->Q && qr->R;
}

static double *q_column(const peg_qr *qr, int j)
{
    return qr->Q + (size_t)j * (size_t)qr->n;
}

static double *r_column(const peg_qr *qr, int j)
{
    return qr->R + (size_t)j * (size_t)qr->capacity;
}

static double dense_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* a += t b */
static void dense_add(int n, double t, const double *b, double *a)
{
    for (int k = 0; k < n; k++) a[k] += t * b[k];
}

double peg_qr_coefficients(const peg_qr *qr, const peg_scaled_row *row, double *d)
{
    double sum = 0;
    for (int j = 0; j < qr->q; j++) {
        d[j] = peg_scaled_dot(row, q_column(qr, j));
        sum += d[j] * d[j];
    }
    return sum;
}

void peg_qr_project(const peg_qr *qr, const double *z, double *d)
{
    for (int j = 0; j < qr->q; j++) d[j] = dense_dot(qr->n, z, q_column(qr, j));
}

double peg_qr_split(const peg_qr *qr, const peg_scaled_row *row, double *d, double *z)
{
    int n = qr->n;
    peg_qr_coefficients(qr, row, d);
    memset(z, 0, (size_t)n * sizeof *z);
    peg_scaled_add(row, 1, z);
    for (int j = 0; j < qr->q; j++)
        if (d[j] != 0) dense_add(n, -d[j], q_column(qr, j), z);
    double length = sqrt(dense_dot(n, z, z)), before = 1;
    /* Cancellation spoils the orthogonality; each further pass restores it, and two are enough
     * unless z is nothing but rounding. */
    for (int pass = 0; pass < 2 && length < 0.5 * before; pass++) {
        before = length;
        for (int j = 0; j < qr->q; j++) {
            double e = dense_dot(n, z, q_column(qr, j));
            d[j] += e;
            dense_add(n, -e, q_column(qr, j), z);
        }
        length = sqrt(dense_dot(n, z, z));
    }
    return length;
}

void peg_qr_append(peg_qr *qr, const double *d, const double *z, double length)
{
    double *Q = q_column(qr, qr->q), *R = r_column(qr, qr->q);
    for (int k = 0; k < qr->n; k++) Q[k] = z[k] / length;
    memcpy(R, d, (size_t)qr->q * sizeof *R);
    R[qr->q++] = length;
}

/* (x, y) := (c x + s y, c y - s x) */
static void rotate(int n, double c, double s, double *x, double *y)
{
    for (int k = 0; k < n; k++) {
        double t = c * x[k] + s * y[k];
        y[k] = c * y[k] - s * x[k];
        x[k] = t;
    }
}

void peg_qr_remove(peg_qr *qr, int j)
{
    for (int k = j + 1; k < qr->q; k++) /* now R has a subdiagonal from column j on */
        memcpy(r_column(qr, k - 1), r_column(qr, k), (size_t)(k + 1) * sizeof(double));
    qr->q--;
    for (int k = j; k < qr->q; k++) {
        double *R = r_column(qr, k);
        double h = hypot(R[k], R[k + 1]);
        double c = h > 0 ? R[k] / h : 1, s = h > 0 ? R[k + 1] / h : 0;
        for (int i = k; i < qr->q; i++)
            rotate(1, c, s, r_column(qr, i) + k, r_column(qr, i) + k + 1);
        rotate(qr->n, c, s, q_column(qr, k), q_column(qr, k + 1));
    }
}

void peg_qr_solve(const peg_qr *qr, const double *b, double *x)
{
    if (x != b) memcpy(x, b, (size_t)qr->q * sizeof *x);
    for (int j = qr->q - 1; j >= 0; j--) {
        x[j] /= r_column(qr, j)[j];
        dense_add(j, -x[j], r_column(qr, j), x);
    }
}

void peg_qr_shortest(const peg_qr *qr, double *b, double *y, double *u)
{
    for (int j = 0; j < qr->q; j++)
        b[j] = (b[j] - dense_dot(j, r_column(qr, j), b)) / r_column(qr, j)[j];
    peg_qr_solve(qr, b, u);
    memset(y, 0, (size_t)qr->n * sizeof *y);
    for (int j = 0; j < qr->q; j++) dense_add(qr->n, b[j], q_column(qr, j), y);
}
