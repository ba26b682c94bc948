/* The primal simplex method (Dantzig, Orden, Wolfe 1955), revised form: the inverse of the basis is
 * kept, and the column with the most negative reduced cost enters. Ties of the ratio test, which
 * flush faces and parallel edges make everywhere, are broken lexicographically, so that no basis
 * comes twice.
 *
 *          | C       | meaning
 * B^-1     | inverse | of the basic columns
 * x_B      | x       | B^-1 b
 * Q        | order   | B^-1 B_0, B_0 the basis a phase began with: the rows (x_B, Q) stay
 *          |         | lexicographically positive
 *
 * Phase 1 minimises the sum of artificial variables, column n + k for row k. The rows of artificial
 * variables that cannot leave afterwards are redundant. */
#include "peg/lcp/simplex.h"

#include <math.h>
#include <string.h>

/* Reduced costs and values that count as 0, relative to the sizes of what they are sums of. */
static const double OPTIMAL = 1e-13, FEASIBLE = 1e-11;
/* Entries of the entering column that can be pivots, relative to its largest. */
static const double PIVOT = 1e-11;
/* Rows whose values after the pivot are below this tie with the one that leaves. */
static const double TIE = 1e-13;
/* What an answer may fail its certificate by. */
static const double CERTIFIED = 1e-10;
/* Times that an answer which is not optimal with a fresh inverse goes on. */
enum { ROUNDS = 4, PIVOTS = 300 };
/* of a fresh inverse's products. */
enum { CORRECTIONS = 2 };

typedef struct simplex {
    const peg_lp *lp;
    int m, phase, pivots, most;
    double b_size, c_size, a_size; /* largest entries */
    int basis[PEG_LP_ROWS];
    double sign[PEG_LP_ROWS]; /* of the artificial columns */
    double inverse[PEG_LP_ROWS][PEG_LP_ROWS], order[PEG_LP_ROWS][PEG_LP_ROWS];
    double x[PEG_LP_ROWS], y[PEG_LP_ROWS];
} simplex;

static int is_free(const simplex *s, int j)
{
    return j < s->lp->columns && j >= s->lp->columns - s->lp->free;
}

static double cost(const simplex *s, int j)
{
    if (j >= s->lp->columns) return s->phase == 1;
    return s->phase == 1 ? 0 : s->lp->c[j];
}

static void column(const simplex *s, int j, double out[PEG_LP_ROWS])
{
    if (j < s->lp->columns) {
        for (int k = 0; k < s->m; k++) out[k] = s->lp->A[(long)j * s->m + k];
        return;
    }
    for (int k = 0; k < s->m; k++) out[k] = k == j - s->lp->columns ? s->sign[k] : 0;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static double largest(const double *a, long n)
{
    double most = 0;
    for (long k = 0; k < n; k++) most = fmax(most, fabs(a[k]));
    return most;
}

/* --- the basis ------------------------------------------------------------------------------- */

/* x_B, once more corrected by its residual: columns that are nearly the same make the inverse
 * large, and what it is multiplied with inexact. */
static void set_values(simplex *s)
{
    double r[PEG_LP_ROWS], a[PEG_LP_ROWS];
    memcpy(r, s->lp->b, (size_t)s->m * sizeof *r);
    memset(s->x, 0, sizeof s->x);
    for (int times = 0; times <= CORRECTIONS; times++) {
        for (int i = 0; i < s->m; i++) s->x[i] += dot(s->inverse[i], r, s->m);
        memcpy(r, s->lp->b, (size_t)s->m * sizeof *r);
        for (int j = 0; j < s->m && times < CORRECTIONS; j++) {
            column(s, s->basis[j], a);
            for (int k = 0; k < s->m; k++) r[k] -= s->x[j] * a[k];
        }
    }
}

/* y = c_B B^-1, corrected in the same way. */
static void set_multipliers(simplex *s, int corrections)
{
    double r[PEG_LP_ROWS], a[PEG_LP_ROWS];
    memset(s->y, 0, sizeof s->y);
    for (int i = 0; i < s->m; i++) r[i] = cost(s, s->basis[i]);
    for (int times = 0; times <= corrections; times++) {
        for (int i = 0; i < s->m; i++)
            for (int k = 0; k < s->m && r[i] != 0; k++) s->y[k] += r[i] * s->inverse[i][k];
        for (int j = 0; j < s->m && times < corrections; j++) {
            column(s, s->basis[j], a);
            r[j] = cost(s, s->basis[j]) - dot(s->y, a, s->m);
        }
    }
}

static void begin_order(simplex *s)
{
    memset(s->order, 0, sizeof s->order);
    for (int i = 0; i < s->m; i++) s->order[i][i] = 1;
}

/* Row r of a square matrix by that of a pivot. */
static void eliminate(double matrix[PEG_LP_ROWS][PEG_LP_ROWS], const double *enter, int r, int m)
{
    for (int k = 0; k < m; k++) matrix[r][k] /= enter[r];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m && i != r && enter[i] != 0; k++)
            matrix[i][k] -= enter[i] * matrix[r][k];
}

static void pivot(simplex *s, int r, int j, const double *enter)
{
    double step = s->x[r] / enter[r];
    for (int i = 0; i < s->m; i++) s->x[i] -= step * enter[i];
    s->x[r] = step;
    eliminate(s->inverse, enter, r, s->m);
    eliminate(s->order, enter, r, s->m);
    s->basis[r] = j;
    s->pivots++;
}

/* The inverse anew, by Gauss-Jordan elimination with the largest pivots; rows may change places.
 * Returns 0 if the columns are dependent. */
static int factorise(simplex *s)
{
    simplex fresh = *s;
    double enter[PEG_LP_ROWS], a[PEG_LP_ROWS];
    int taken[PEG_LP_ROWS] = {0};
    memset(fresh.inverse, 0, sizeof fresh.inverse);
    for (int k = 0; k < s->m; k++) fresh.inverse[k][k] = 1;
    for (int j = 0; j < s->m; j++) {
        int r = -1;
        column(s, s->basis[j], a);
        for (int i = 0; i < s->m; i++) {
            enter[i] = dot(fresh.inverse[i], a, s->m);
            if (!taken[i] && (r < 0 || fabs(enter[i]) > fabs(enter[r]))) r = i;
        }
        if (!(fabs(enter[r]) > 1e-14 * largest(a, s->m))) return 0;
        eliminate(fresh.inverse, enter, r, s->m);
        taken[r] = 1;
        fresh.basis[r] = s->basis[j];
    }
    memcpy(s->inverse, fresh.inverse, sizeof s->inverse);
    memcpy(s->basis, fresh.basis, sizeof s->basis);
    set_values(s);
    begin_order(s);
    return 1;
}

static int is_feasible(const simplex *s)
{
    double least = -FEASIBLE * (1 + s->b_size);
    for (int i = 0; i < s->m; i++) {
        if (is_free(s, s->basis[i])) continue;
        if (s->x[i] < least) return 0;
        if (s->basis[i] >= s->lp->columns && s->x[i] > -least) return 0;
    }
    return 1;
}

/* --- pivots ---------------------------------------------------------------------------------- */

/* The column that enters; -1: none, the basis is optimal. sign: the way its variable goes. */
static int entering(const simplex *s, double *sign)
{
    const peg_lp *lp = s->lp;
    int best = -1, first_free = lp->columns - lp->free;
    double size = s->phase == 1 ? 1 : s->c_size;
    double most = OPTIMAL * (size + s->a_size * largest(s->y, s->m) * s->m);
    const double *a = lp->A;
    for (int j = 0; j < lp->columns; j++, a += s->m) {
        double r = dot(s->y, a, s->m) - (s->phase == 1 ? 0 : lp->c[j]);
        double gain = j < first_free ? r : fabs(r);
        if (gain > most) most = gain, best = j, *sign = r > 0 ? 1 : -1;
    }
    return best;
}

/* Whether row i comes before row r in the lexicographic order of (Q) / enter. */
static int comes_first(const simplex *s, const double *enter, int i, int r)
{
    for (int k = 0; k < s->m; k++) {
        double difference = s->order[i][k] / enter[i] - s->order[r][k] / enter[r];
        if (fabs(difference) > 1e-12) return difference < 0;
    }
    return 0;
}

/* The row that leaves; -1: none. enter: of the direction in which the variable goes. */
static int leaving(const simplex *s, const double *enter)
{
    int r = -1;
    double step = INFINITY, least = PIVOT * largest(enter, s->m), tie = TIE * (1 + s->b_size);
    for (int i = 0; i < s->m; i++)
        if (enter[i] > least && !is_free(s, s->basis[i]))
            step = fmin(step, fmax(s->x[i], 0) / enter[i]);
    for (int i = 0; i < s->m; i++) {
        if (!(enter[i] > least) || is_free(s, s->basis[i])) continue;
        if (fmax(s->x[i], 0) - step * enter[i] > tie) continue;
        if (r < 0 || comes_first(s, enter, i, r)) r = i;
    }
    return r;
}

static int is_basic(const simplex *s, int j)
{
    for (int k = 0; k < s->m; k++)
        if (s->basis[k] == j) return 1;
    return 0;
}

/* Pivots until the basis is optimal for the phase. A basic column that seems to improve something
 * tells that small pivots have spoilt the inverse. */
static peg_lp_status iterate(simplex *s)
{
    int fresh = 0;
    while (s->pivots < s->most) {
        double a[PEG_LP_ROWS], enter[PEG_LP_ROWS], sign = 1;
        set_multipliers(s, fresh ? CORRECTIONS : 0);
        int j = entering(s, &sign);
        if (j < 0 || (is_basic(s, j) && fresh)) return PEG_LP_SOLVED;
        if (is_basic(s, j)) {
            if (!factorise(s)) return PEG_LP_NOT_CERTIFIED;
            fresh = 1;
            continue;
        }
        fresh = 0;
        column(s, j, a);
        for (int i = 0; i < s->m; i++) enter[i] = sign * dot(s->inverse[i], a, s->m);
        int r = leaving(s, enter);
        if (r < 0) return PEG_LP_UNBOUNDED;
        for (int i = 0; i < s->m; i++) enter[i] *= sign;
        pivot(s, r, j, enter);
    }
    return PEG_LP_ITERATION_LIMIT;
}

/* --- dual pivots ----------------------------------------------------------------------------- */

/* The row whose value is negative most; -1: none. */
static int violated_row(const simplex *s)
{
    int r = -1;
    double least = -FEASIBLE * (1 + s->b_size);
    for (int i = 0; i < s->m; i++)
        if (s->x[i] < least && !is_free(s, s->basis[i])) least = s->x[i], r = i;
    return r;
}

/* The column that keeps the basis optimal when row r leaves; -1: none. */
static int dual_entering(const simplex *s, int r)
{
    int best = -1;
    double step = INFINITY;
    const double *a = s->lp->A;
    for (int j = 0; j < s->lp->columns; j++, a += s->m) {
        double entry = dot(s->inverse[r], a, s->m), reduced = s->lp->c[j] - dot(s->y, a, s->m);
        if (is_free(s, j) || is_basic(s, j) || !(entry < -PIVOT * s->a_size)) continue;
        if (fmax(reduced, 0) < -step * entry) step = fmax(reduced, 0) / -entry, best = j;
    }
    return best;
}

/* What pivots too small to be taken have left negative: an optimal basis becomes feasible by the
 * dual simplex method. */
static void repair(simplex *s)
{
    for (int r; s->pivots < s->most && (r = violated_row(s)) >= 0;) {
        double a[PEG_LP_ROWS], enter[PEG_LP_ROWS];
        int j = dual_entering(s, r);
        if (j < 0) return;
        column(s, j, a);
        for (int i = 0; i < s->m; i++) enter[i] = dot(s->inverse[i], a, s->m);
        pivot(s, r, j, enter);
        if (!factorise(s)) return;
        set_multipliers(s, CORRECTIONS);
    }
}

/* --- phases ---------------------------------------------------------------------------------- */

/* Artificial variables leave for whatever columns they can. */
static void drive_out(simplex *s)
{
    for (int r = 0; r < s->m; r++) {
        double most = PIVOT * s->a_size, a[PEG_LP_ROWS], enter[PEG_LP_ROWS];
        int best = -1;
        if (s->basis[r] < s->lp->columns) continue;
        for (int j = 0; j < s->lp->columns; j++) {
            double size = fabs(dot(s->inverse[r], s->lp->A + (long)j * s->m, s->m));
            if (size > most) most = size, best = j;
        }
        if (best < 0) continue;
        column(s, best, a);
        for (int i = 0; i < s->m; i++) enter[i] = dot(s->inverse[i], a, s->m);
        pivot(s, r, best, enter);
    }
    begin_order(s);
}

static peg_lp_status find_feasible(simplex *s)
{
    memset(s->inverse, 0, sizeof s->inverse);
    for (int k = 0; k < s->m; k++) {
        s->sign[k] = s->lp->b[k] < 0 ? -1 : 1;
        s->basis[k] = s->lp->columns + k;
        s->inverse[k][k] = s->sign[k];
    }
    set_values(s);
    begin_order(s);
    s->phase = 1;
    peg_lp_status status = iterate(s);
    if (status != PEG_LP_SOLVED) return status;
    double sum = 0;
    for (int i = 0; i < s->m; i++) sum += s->basis[i] >= s->lp->columns ? fabs(s->x[i]) : 0;
    if (sum > FEASIBLE * s->m * (1 + s->b_size)) return PEG_LP_INFEASIBLE;
    drive_out(s);
    return PEG_LP_SOLVED;
}

static int take_basis(simplex *s, const int *basis)
{
    for (int k = 0; k < s->m; k++) {
        if (basis[k] < 0 || basis[k] >= s->lp->columns) return 0;
        s->basis[k] = basis[k];
        s->sign[k] = 1;
    }
    return factorise(s) && is_feasible(s);
}

peg_lp_status peg_lp_solve(const peg_lp *lp, peg_lp_solution *solution)
{
    simplex s = {.lp = lp, .m = lp->rows, .most = PIVOTS + lp->columns};
    peg_lp_status status = PEG_LP_SOLVED;
    s.a_size = largest(lp->A, (long)lp->columns * lp->rows);
    s.b_size = largest(lp->b, lp->rows);
    s.c_size = largest(lp->c, lp->columns);
    solution->error = INFINITY;
    if (solution->basis[0] < 0 || !take_basis(&s, solution->basis)) status = find_feasible(&s);
    s.phase = 2;
    for (int round = 0; status == PEG_LP_SOLVED && round < ROUNDS; round++) {
        double sign;
        status = iterate(&s);
        if (status != PEG_LP_SOLVED) break;
        if (!factorise(&s)) status = PEG_LP_NOT_CERTIFIED;
        set_multipliers(&s, CORRECTIONS);
        if (entering(&s, &sign) < 0) repair(&s);
        if (is_feasible(&s) && entering(&s, &sign) < 0) break;
    }
    solution->pivots = s.pivots;
    if (status != PEG_LP_SOLVED) return status;
    solution->value = 0;
    solution->pivots = s.pivots;
    for (int k = 0; k < s.m; k++) {
        int real = s.basis[k] < s.lp->columns;
        solution->basis[k] = real ? s.basis[k] : -1;
        solution->x[k] = !real ? 0 : is_free(&s, s.basis[k]) ? s.x[k] : fmax(s.x[k], 0);
        solution->y[k] = s.y[k];
        solution->value += real ? solution->x[k] * s.lp->c[s.basis[k]] : 0;
    }
    solution->error = peg_lp_error(s.lp, solution);
    return solution->error <= CERTIFIED ? PEG_LP_SOLVED : PEG_LP_NOT_CERTIFIED;
}

/* --- certificate ----------------------------------------------------------------------------- */

/* Also where the error is no number. */
static void raise_to(double *worst, double error)
{
    if (!(error <= *worst)) *worst = isnan(error) ? INFINITY : error;
}

/* Largest |A x - b|, relative to the sizes of the terms. */
static double row_error(const peg_lp *lp, const peg_lp_solution *s)
{
    double worst = 0;
    for (int i = 0; i < lp->rows; i++) {
        double sum = -lp->b[i], size = fabs(lp->b[i]) + 1;
        for (int k = 0; k < lp->rows; k++) {
            if (s->basis[k] < 0) continue;
            double term = s->x[k] * lp->A[(long)s->basis[k] * lp->rows + i];
            sum += term, size += fabs(term);
        }
        raise_to(&worst, fabs(sum) / size);
    }
    return worst;
}

double peg_lp_error(const peg_lp *lp, const peg_lp_solution *s)
{
    double worst = row_error(lp, s), value = 0, size = 1;
    for (int k = 0; k < lp->rows; k++) {
        if (s->basis[k] < 0) continue;
        value += s->x[k] * lp->c[s->basis[k]];
        size += fabs(s->x[k] * lp->c[s->basis[k]]) + fabs(lp->b[k] * s->y[k]);
        if (s->basis[k] < lp->columns - lp->free) raise_to(&worst, -s->x[k]);
    }
    raise_to(&worst, fabs(value - dot(lp->b, s->y, lp->rows)) / size);
    for (int j = 0; j < lp->columns; j++) {
        double r = lp->c[j], terms = fabs(r) + 1;
        for (int k = 0; k < lp->rows; k++) {
            double term = s->y[k] * lp->A[(long)j * lp->rows + k];
            r -= term, terms += fabs(term);
        }
        raise_to(&worst, (j < lp->columns - lp->free ? -r : fabs(r)) / terms);
    }
    return worst;
}

const char *peg_lp_status_name(peg_lp_status status)
{
    static const char *const name[] = {"solved", "infeasible", "unbounded", "iteration limit",
                                       "not certified"};
    return name[status];
}
