#include "tests/friction_oracle.h"

enum { MOST = FRICTION_ORACLE_ROWS };

typedef struct linear {
    int m;
    double A[MOST][MOST]; /* w = A lambda + q */
    double q[MOST];
} linear;

static void respond(const peg_mass_block *mass, const double *J, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = mass->inv_mass * J[k];
        out[3 + k] = 0;
        for (int l = 0; l < 3; l++) out[3 + k] += mass->inv_inertia[3 * k + l] * J[3 + l];
    }
}

/* v = v_f + M^-1 G^T lambda */
static void velocities(const peg_problem *p, const double *lambda, double (*v)[6])
{
    for (int i = 0; i < p->nb; i++) memcpy(v[i], p->target[i], sizeof v[i]);
    for (int i = 0; i < p->m; i++) {
        const peg_lcp_row *row = &p->row[i];
        double t[6];
        for (int side = 0; side < 2; side++) {
            int body = side ? row->body_b : row->body_a;
            if (body < 0) continue;
            respond(&p->mass[body], side ? row->Jb : row->Ja, t);
            for (int k = 0; k < 6; k++) v[body][k] += lambda[i] * t[k];
        }
    }
}

static double row_velocity(const peg_problem *p, int i, const double (*v)[6])
{
    const peg_lcp_row *row = &p->row[i];
    double w = row->b;
    for (int k = 0; k < 6; k++) {
        if (row->body_a >= 0) w += row->Ja[k] * v[row->body_a][k];
        if (row->body_b >= 0) w += row->Jb[k] * v[row->body_b][k];
    }
    return w;
}

static void assemble(const peg_problem *p, linear *l)
{
    double v[FRICTION_ORACLE_BODIES][6], lambda[MOST] = {0};
    l->m = p->m;
    velocities(p, lambda, v);
    for (int i = 0; i < p->m; i++) l->q[i] = row_velocity(p, i, (const double(*)[6])v);
    for (int j = 0; j < p->m; j++) {
        lambda[j] = 1;
        velocities(p, lambda, v);
        for (int i = 0; i < p->m; i++)
            l->A[i][j] =
                row_velocity(p, i, (const double(*)[6])v) - l->q[i] + (i == j ? p->row[i].c : 0);
        lambda[j] = 0;
    }
}

/* Gauss with row exchanges; false if singular. */
static int gauss(int n, double B[][MOST + 1], double *x)
{
    for (int s = 0; s < n; s++) {
        int best = s;
        for (int i = s; i < n; i++)
            if (fabs(B[i][s]) > fabs(B[best][s])) best = i;
        if (!(fabs(B[best][s]) > 1e-9)) return 0;
        for (int j = 0; j <= n; j++) {
            double t = B[s][j];
            B[s][j] = B[best][j], B[best][j] = t;
        }
        for (int i = s + 1; i < n; i++) {
            double f = B[i][s] / B[s][s];
            for (int j = s; j <= n; j++) B[i][j] -= f * B[s][j];
        }
    }
    for (int s = n - 1; s >= 0; s--) {
        x[s] = B[s][n];
        for (int j = s + 1; j < n; j++) x[s] -= B[s][j] * x[j];
        x[s] /= B[s][s];
    }
    return 1;
}

/* state 0: w = 0; 1: lambda = 0 or the lower bound; 2: the upper bound. */
static int solve_state(const peg_problem *p, const linear *l, const int *state, double *lambda)
{
    double B[MOST][MOST + 1] = {{0}};
    for (int i = 0; i < l->m; i++) {
        const peg_lcp_row *row = &p->row[i];
        if (state[i] == 0) {
            for (int j = 0; j < l->m; j++) B[i][j] = l->A[i][j];
            B[i][l->m] = -l->q[i];
            continue;
        }
        B[i][i] = 1;
        if (!row->bounded) continue;
        double sign = state[i] == 2 ? 1 : -1;
        if (isinf(row->limit)) return 0;
        if (row->mu > 0) B[i][row->normal] = -sign * row->mu;
        B[i][l->m] = sign * row->limit;
    }
    return gauss(l->m, B, lambda);
}

static int holds(const peg_problem *p, const linear *l, const double *lambda)
{
    const double tolerance = 1e-9;
    for (int i = 0; i < l->m; i++) {
        const peg_lcp_row *row = &p->row[i];
        double w = l->q[i];
        for (int j = 0; j < l->m; j++) w += l->A[i][j] * lambda[j];
        if (!row->bounded) {
            if (w < -tolerance || lambda[i] < -tolerance) return 0;
            if (fmin(fabs(w), fabs(lambda[i])) > tolerance) return 0;
            continue;
        }
        double bound = row->limit + (row->mu > 0 ? row->mu * lambda[row->normal] : 0);
        if (fabs(lambda[i]) > bound + tolerance) return 0;
        if (w > tolerance && lambda[i] > -bound + tolerance) return 0;
        if (w < -tolerance && lambda[i] < bound - tolerance) return 0;
    }
    return 1;
}

static double distance(int nb, const double (*v)[6], const double (*w)[6])
{
    double worst = 0;
    for (int i = 0; i < nb; i++)
        for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(v[i][k] - w[i][k]));
    return worst;
}

double friction_oracle_distance(const peg_problem *p, const double (*v)[6], int *found)
{
    linear l = {0};
    int state[MOST] = {0}, i = 0;
    double lambda[MOST] = {0}, w[FRICTION_ORACLE_BODIES][6], nearest = INFINITY;
    *found = 0;
    assemble(p, &l);
    while (i < p->m) {
        if (solve_state(p, &l, state, lambda) && holds(p, &l, lambda)) {
            ++*found;
            velocities(p, lambda, w);
            nearest = fmin(nearest, distance(p->nb, v, (const double(*)[6])w));
        }
        /* the next state, like an odometer */
        for (i = 0; i < p->m && ++state[i] == (p->row[i].bounded ? 3 : 2); i++) state[i] = 0;
        if (p->m == 0) break;
    }
    return nearest;
}
