#include "tests/lcp_oracle.h"

/* Pivots below this, relative to the largest entry, make a basis singular. */
static const double SINGULAR = 1e-15;
/* Rounding of w per unit of z: of two bases the one with the smaller z is the better one. */
static const double ROUNDING = 1e-15;

double oracle_residual(int n, const double *A, const double *q, const double *z)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += A[i * n + j] * z[j];
        double r = fabs(w < z[i] ? w : z[i]);
        if (!(r <= worst)) worst = isnan(r) ? INFINITY : r;
    }
    return worst;
}

/* Gauss with full pivoting on the k x (k + 1) system [B | x], row-major with stride ORACLE_MAX + 1.
 */
static int gauss(int k, double B[][ORACLE_MAX + 1], double *x)
{
    int column_of[ORACLE_MAX];
    double first = 0;
    for (int i = 0; i < k; i++) column_of[i] = i;
    for (int s = 0; s < k; s++) {
        int pr = s, pc = s;
        for (int i = s; i < k; i++)
            for (int j = s; j < k; j++)
                if (fabs(B[i][j]) > fabs(B[pr][pc])) pr = i, pc = j;
        double p = B[pr][pc];
        if (s == 0) first = fabs(p);
        if (!(fabs(p) > SINGULAR * first)) return 0;
        for (int j = 0; j <= k; j++) {
            double t = B[s][j];
            B[s][j] = B[pr][j], B[pr][j] = t;
        }
        for (int i = 0; i < k; i++) {
            double t = B[i][s];
            B[i][s] = B[i][pc], B[i][pc] = t;
        }
        int c = column_of[s];
        column_of[s] = column_of[pc], column_of[pc] = c;
        for (int i = s + 1; i < k; i++) {
            double f = B[i][s] / p;
            for (int j = s; j <= k; j++) B[i][j] -= f * B[s][j];
        }
    }
    for (int s = k - 1; s >= 0; s--) {
        double sum = B[s][k];
        for (int j = s + 1; j < k; j++) sum -= B[s][j] * x[column_of[j]];
        x[column_of[s]] = sum / B[s][s];
    }
    return 1;
}

static int basis(int n, const double *A, const double *q, unsigned set, double *z)
{
    double B[ORACLE_MAX][ORACLE_MAX + 1] = {{0}}, x[ORACLE_MAX];
    int row[ORACLE_MAX], k = 0;
    for (int i = 0; i < n; i++)
        if (set >> i & 1) row[k++] = i;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) B[i][j] = A[row[i] * n + row[j]];
        B[i][k] = -q[row[i]];
    }
    if (!gauss(k, B, x)) return 0;
    for (int i = 0; i < n; i++) z[i] = 0;
    for (int i = 0; i < k; i++) z[row[i]] = x[i];
    return 1;
}

double oracle_lcp(int n, const double *A, const double *q, double *z)
{
    double best = INFINITY, trial[ORACLE_MAX];
    for (unsigned set = 0; set < 1u << n; set++) {
        if (!basis(n, A, q, set, trial)) continue;
        double r = oracle_residual(n, A, q, trial), most = 0;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(trial[i]));
        if (!(r + ROUNDING * most < best)) continue;
        best = r + ROUNDING * most;
        memcpy(z, trial, (size_t)n * sizeof *z);
    }
    return best;
}

/* out = M^-1 J^T of one body */
static void respond(const peg_mass_block *mass, const double *J, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = mass->inv_mass * J[k];
        out[3 + k] = peg_dot(mass->inv_inertia + 3 * k, J + 3);
    }
}

/* J_i M^-1 J_j^T */
static double couple(const peg_problem *p, int i, int j)
{
    const peg_lcp_row *a = &p->row[i], *b = &p->row[j];
    double sum = i == j ? a->c : 0, t[6];
    const double *Ja[2] = {a->Ja, a->Jb}, *Jb[2] = {b->Ja, b->Jb};
    int bodies_a[2] = {a->body_a, a->body_b}, bodies_b[2] = {b->body_a, b->body_b};
    for (int s = 0; s < 4; s++) {
        int body = bodies_a[s / 2];
        if (body < 0 || body != bodies_b[s % 2]) continue;
        respond(&p->mass[body], Jb[s % 2], t);
        for (int k = 0; k < 6; k++) sum += Ja[s / 2][k] * t[k];
    }
    return sum;
}

static void push(const peg_problem *p, int body, const double *J, double impulse, double (*v)[6])
{
    double t[6];
    if (body < 0) return;
    respond(&p->mass[body], J, t);
    for (int k = 0; k < 6; k++) v[body][k] += impulse * t[k];
}

static double along(const double (*v)[6], int body, const double *J)
{
    double sum = 0;
    for (int k = 0; body >= 0 && k < 6; k++) sum += J[k] * v[body][k];
    return sum;
}

double oracle_island(const peg_problem *p, double (*v)[6])
{
    double A[ORACLE_MAX * ORACLE_MAX] = {0}, q[ORACLE_MAX] = {0}, z[ORACLE_MAX] = {0};
    double s[ORACLE_MAX];
    int m = p->m;
    for (int i = 0; i < m; i++) {
        double scale = couple(p, i, i);
        s[i] = scale > 0 ? 1 / sqrt(scale) : 1; /* a row without a Jacobian: w = b */
    }
    for (int i = 0; i < m; i++) {
        const peg_lcp_row *row = &p->row[i];
        for (int j = 0; j < m; j++) A[i * m + j] = s[i] * couple(p, i, j) * s[j];
        q[i] = s[i] * (row->b + along(p->target, row->body_a, row->Ja) +
                       along(p->target, row->body_b, row->Jb));
    }
    double residual = oracle_lcp(m, A, q, z);
    for (int i = 0; i < p->nb; i++) memcpy(v[i], p->target[i], sizeof v[i]);
    for (int i = 0; i < m; i++) {
        push(p, p->row[i].body_a, p->row[i].Ja, s[i] * z[i], v);
        push(p, p->row[i].body_b, p->row[i].Jb, s[i] * z[i], v);
    }
    return residual;
}
