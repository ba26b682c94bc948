/* Gram-Schmidt with re-orthogonalisation to append, Givens rotations to remove (Daniel, Gragg,
 * Kaufman, Stewart 1976). Of Q four columns are worked on at a time, in lanes: its columns, and z,
 * end with zeros, and columns of zeros fill the last four. */
#include "peg/lcp/qr.h"

#include "peg/base/lanes.h"

enum { LANES = PEG_DOUBLE_LANES, BLOCK = 8 /* numbers of a body: six and zeros */ };

static int to_lanes(int n)
{
    return (n + LANES - 1) / LANES * LANES;
}

int peg_qr_create(peg_arena *arena, int n, int capacity, peg_qr *qr)
{
    int stride = to_lanes(n + BLOCK - 6), room = to_lanes(capacity);
    *qr = (peg_qr){.n = n, .stride = stride, .capacity = capacity};
    qr->Q = PEG_NEW(arena, double, (size_t)stride *(size_t)room);
    qr->R = PEG_NEW(arena, double, (size_t)capacity *(size_t)capacity);
    qr->d = PEG_NEW(arena, double, room);
    qr->z = PEG_NEW(arena, double, stride);
    if (!qr->Q || !qr->R || !qr->d || !qr->z) return 0;
    memset(qr->d, 0, (size_t)room * sizeof *qr->d);
    memset(qr->z, 0, (size_t)stride * sizeof *qr->z);
    return 1;
}

static double *q_column(const peg_qr *qr, int j)
{
    return qr->Q + (size_t)j * (size_t)qr->stride;
}

static double *r_column(const peg_qr *qr, int j)
{
    return qr->R + (size_t)j * (size_t)qr->capacity;
}

PEG_HOT double dense_dot(int n, const double *a, const double *b)
{
    peg_doubles lane = {0};
    int k = 0;
    for (; k + LANES <= n; k += LANES) lane += peg_doubles_load(a + k) * peg_doubles_load(b + k);
    double sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    for (; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* a += t b */
PEG_HOT void dense_add(int n, double t, const double *b, double *a)
{
    for (int k = 0; k < n; k++) a[k] += t * b[k];
}

/* sum += x^T Q of four columns, by lanes, and of n numbers of each. */
PEG_HOT void gather(int n, const double *x, const double *Q, int stride, peg_doubles sum[LANES])
{
    for (int k = 0; k < n; k += LANES)
        for (int c = 0; c < LANES; c++)
            sum[c] += peg_doubles_load(x + k) * peg_doubles_load(Q + c * stride + k);
}

PEG_WIDE static void find_coefficients(const peg_qr *qr, const peg_scaled_row *row)
{
    double a[BLOCK] = {0}, b[BLOCK] = {0};
    memcpy(a, row->na, sizeof row->na);
    memcpy(b, row->nb, sizeof row->nb);
    for (int j = 0; j < qr->q; j += LANES) {
        const double *Q = q_column(qr, j);
        peg_doubles sum[LANES] = {{0}};
        if (row->a >= 0) gather(BLOCK, a, Q + row->a, qr->stride, sum);
        if (row->b >= 0) gather(BLOCK, b, Q + row->b, qr->stride, sum);
        peg_doubles_store(peg_doubles_sums(sum), qr->d + j);
        for (int c = 0; c < LANES && row->slack >= 0; c++)
            qr->d[j + c] += row->ns * Q[c * qr->stride + row->slack];
    }
}

double peg_qr_coefficients(const peg_qr *qr, const peg_scaled_row *row)
{
    find_coefficients(qr, row);
    return dense_dot(qr->q, qr->d, qr->d);
}

/* z += Q t of four columns. */
PEG_HOT void add_four(const peg_qr *qr, int j, peg_doubles t)
{
    const double *Q = q_column(qr, j);
    if (t[0] == 0 && t[1] == 0 && t[2] == 0 && t[3] == 0) return;
    for (int k = 0; k < qr->stride; k += LANES) {
        peg_doubles z = peg_doubles_load(qr->z + k);
        for (int c = 0; c < LANES; c++) z += t[c] * peg_doubles_load(Q + c * qr->stride + k);
        peg_doubles_store(z, qr->z + k);
    }
}

/* z += t Q d */
PEG_WIDE static void add(const peg_qr *qr, double t)
{
    for (int j = 0; j < qr->q; j += LANES) add_four(qr, j, t * peg_doubles_load(qr->d + j));
}

PEG_WIDE static void project(const peg_qr *qr)
{
    for (int j = 0; j < qr->q; j += LANES) {
        peg_doubles sum[LANES] = {{0}};
        gather(qr->stride, qr->z, q_column(qr, j), qr->stride, sum);
        sum[0] = peg_doubles_sums(sum);
        peg_doubles_store(peg_doubles_load(qr->d + j) + sum[0], qr->d + j);
        add_four(qr, j, -sum[0]);
    }
}

void peg_qr_project(const peg_qr *qr)
{
    project(qr);
}

double peg_qr_rest(const peg_qr *qr, const peg_scaled_row *row)
{
    memset(qr->z, 0, (size_t)qr->n * sizeof *qr->z);
    peg_scaled_add(row, 1, qr->z);
    add(qr, -1);
    double length = sqrt(dense_dot(qr->n, qr->z, qr->z)), before = 1;
    /* Cancellation spoils the orthogonality; each further pass restores it, and two are enough
     * unless z is nothing but rounding. */
    for (int pass = 0; pass < 2 && length < 0.5 * before; pass++) {
        before = length;
        project(qr);
        length = sqrt(dense_dot(qr->n, qr->z, qr->z));
    }
    return length;
}

double peg_qr_split(const peg_qr *qr, const peg_scaled_row *row)
{
    peg_qr_coefficients(qr, row);
    return peg_qr_rest(qr, row);
}

void peg_qr_append(peg_qr *qr, double length)
{
    double *Q = q_column(qr, qr->q), *R = r_column(qr, qr->q);
    for (int k = 0; k < qr->stride; k++) Q[k] = qr->z[k] / length;
    if (qr->q % LANES == 0) memset(Q + qr->stride, 0, (LANES - 1) * (size_t)qr->stride * sizeof *Q);
    memcpy(R, qr->d, (size_t)qr->q * sizeof *R);
    R[qr->q++] = length;
}

/* (x, y) := (c x + s y, c y - s x) */
PEG_HOT void rotate(int n, double c, double s, double *x, double *y)
{
    for (int k = 0; k < n; k++) {
        double t = c * x[k] + s * y[k];
        y[k] = c * y[k] - s * x[k];
        x[k] = t;
    }
}

PEG_WIDE static void rotate_columns(const peg_qr *qr, int k, double c, double s)
{
    rotate(qr->stride, c, s, q_column(qr, k), q_column(qr, k + 1));
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
        rotate_columns(qr, k, c, s);
    }
    memset(q_column(qr, qr->q), 0, (size_t)qr->stride * sizeof(double));
}

PEG_WIDE static void solve(const peg_qr *qr, const double *b, double *x)
{
    if (x != b) memcpy(x, b, (size_t)qr->q * sizeof *x);
    for (int j = qr->q - 1; j >= 0; j--) {
        x[j] /= r_column(qr, j)[j];
        dense_add(j, -x[j], r_column(qr, j), x);
    }
}

void peg_qr_solve(const peg_qr *qr, const double *b, double *x)
{
    solve(qr, b, x);
}

void peg_qr_shortest(const peg_qr *qr, double *y, double *u)
{
    double *b = qr->d;
    for (int j = 0; j < qr->q; j++)
        b[j] = (b[j] - dense_dot(j, r_column(qr, j), b)) / r_column(qr, j)[j];
    solve(qr, b, u);
    memset(qr->z, 0, (size_t)qr->n * sizeof *qr->z);
    add(qr, 1);
    memcpy(y, qr->z, (size_t)qr->n * sizeof *y);
}
