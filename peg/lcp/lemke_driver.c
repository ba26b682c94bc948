/* The island's problem by Lemke's method: eliminating y leaves the LCP s = A u + beta >= 0, u >= 0
 * with A = N^T N, whose diagonal is 1 (symbols as in scaled.h). A ray then means that the rows
 * contradict each other; its direction is the proof, which is checked.
 *
 * A bounded row becomes, as in [F 5] (Stewart, Trinkle 1996), u = u+ - u- with
 *
 *     0 <= u+ _|_  s + sigma >= 0,    0 <= u- _|_ -s + sigma >= 0,
 *     0 <= sigma _|_ limit + mu u_n - u+ - u- >= 0                  (no sigma: infinite bound)
 *
 * whose matrix is copositive: Lemke's method finds a solution if u = 0 moves nothing into anything.
 */
#include "peg/base/arena.h"
#include "peg/lcp/lemke.h"
#include "peg/lcp/problem.h"
#include "peg/lcp/qr.h"
#include "peg/lcp/scaled.h"

/* Part of a unit row that is no rounding. */
static const double INDEPENDENT = 1e-13;
/* The answer by QR is taken unless its fault is so many times the other one's: as good by that
 * measure, its y is the more exact one. */
static const double CLEARLY_WORSE = 4;

static int list_variables(const peg_scaled *scaled, peg_lcp_variable *list)
{
    int count = 0;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        if (row->bounded && row->limit == 0 && row->normal < 0) continue;
        list[count++] = (peg_lcp_variable){i, 1};
        if (row->bounded) list[count++] = (peg_lcp_variable){i, -1};
        if (row->bounded && isfinite(row->limit)) list[count++] = (peg_lcp_variable){i, 0};
    }
    return count;
}

/* A and q of the LCP; y is room, of zeros. */
static void gram(const peg_scaled *scaled, const peg_lcp_variable *list, int n, double *y,
                 double *A, double *q)
{
    for (int j = 0; j < n; j++) {
        const peg_lcp_variable *v = &list[j];
        const peg_scaled_row *row = &scaled->row[v->row];
        if (v->sign) peg_scaled_add(row, v->sign, y);
        for (int i = 0; i < n; i++) {
            const peg_lcp_variable *of = &list[i];
            const peg_scaled_row *other = &scaled->row[of->row];
            double *a = &A[(size_t)i * (size_t)n + (size_t)j];
            if (v->sign && of->sign)
                *a = of->sign * peg_scaled_dot(other, y);
            else if (v->row == of->row)
                *a = of->sign ? 1 : v->sign ? -1 : 0;
            else
                *a = !of->sign && v->sign && v->row == other->normal ? other->mu : 0;
        }
        if (v->sign) peg_scaled_add(row, -v->sign, y);
        q[j] = v->sign ? v->sign * row->beta : row->limit;
    }
}

/* Largest |min(s, u)| and |y - N u| of an answer. */
static double fault(const peg_scaled *scaled, const double *y, const double *u, double *room)
{
    double worst = 0;
    memcpy(room, y, (size_t)scaled->n * sizeof *room);
    for (int i = 0; i < scaled->m; i++) {
        double s = peg_scaled_dot(&scaled->row[i], y) + scaled->row[i].beta;
        worst = fmax(worst, fabs(fmin(s, u[i])));
        if (u[i] != 0) peg_scaled_add(&scaled->row[i], -u[i], room);
    }
    for (int k = 0; k < scaled->n; k++) worst = fmax(worst, fabs(room[k]));
    return worst;
}

/* The rows that carry, solved once more by QR: A has the square of their condition. y and u are
 * those of the better answer. */
static int polish(peg_arena *arena, const peg_scaled *scaled, double *y, double *u)
{
    int n = scaled->n, m = scaled->m, rank = n < m ? n : m;
    peg_qr qr;
    int *carries = PEG_NEW(arena, int, rank);
    double *d = PEG_NEW(arena, double, rank), *x = PEG_NEW(arena, double, rank);
    double *z = PEG_NEW(arena, double, n), *trial = PEG_NEW(arena, double, m);
    double *room = PEG_NEW(arena, double, n);
    if (!carries || !d || !x || !z || !trial || !room || !peg_qr_create(arena, n, rank, &qr))
        return 0;
    for (int i = 0; i < m && qr.q < rank; i++) {
        if (!(u[i] > 0)) continue;
        double length = peg_qr_split(&qr, &scaled->row[i], d, z);
        if (length <= INDEPENDENT) continue;
        carries[qr.q] = i;
        peg_qr_append(&qr, d, z, length);
    }
    for (int j = 0; j < qr.q; j++) d[j] = -scaled->row[carries[j]].beta;
    peg_qr_shortest(&qr, d, z, x);
    memset(trial, 0, (size_t)m * sizeof *trial);
    for (int j = 0; j < qr.q; j++) trial[carries[j]] = fmax(0, x[j]);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++) peg_scaled_add(&scaled->row[i], u[i], y);
    if (!(fault(scaled, z, trial, room) <= CLEARLY_WORSE * fault(scaled, y, u, room))) return 1;
    memcpy(y, z, (size_t)n * sizeof *y);
    memcpy(u, trial, (size_t)m * sizeof *u);
    return 1;
}

int peg_lcp_of(peg_arena *arena, const peg_scaled *scaled, peg_lcp *lcp)
{
    double *y = PEG_NEW(arena, double, scaled->n);
    lcp->variable = PEG_NEW(arena, peg_lcp_variable, 3 * (size_t)scaled->m);
    if (!y || !lcp->variable) return 0;
    int n = lcp->n = list_variables(scaled, lcp->variable);
    lcp->A = PEG_NEW(arena, double, (size_t)n *(size_t)n);
    lcp->q = PEG_NEW(arena, double, n);
    if (!lcp->A || !lcp->q) return 0;
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    gram(scaled, lcp->variable, n, y, lcp->A, lcp->q);
    return 1;
}

peg_outcome peg_lemke_scaled(peg_arena *arena, const peg_scaled *scaled, double *u, int *pivots)
{
    peg_lcp lcp;
    if (!peg_lcp_of(arena, scaled, &lcp)) return PEG_OUT_OF_MEMORY;
    double *y = PEG_NEW(arena, double, scaled->n), *z = PEG_NEW(arena, double, lcp.n);
    if (!y || !z) return PEG_OUT_OF_MEMORY;
    peg_outcome outcome = peg_lemke(arena, lcp.n, lcp.A, lcp.q, z, pivots);
    if (outcome != PEG_SOLVED && outcome != PEG_RAY) return outcome;
    memset(u, 0, (size_t)scaled->m * sizeof *u);
    for (int i = 0; i < lcp.n; i++) {
        const peg_lcp_variable *v = &lcp.variable[i];
        const peg_scaled_row *row = &scaled->row[v->row];
        int finite = row->bounded && isfinite(row->limit);
        if (outcome == PEG_SOLVED || !finite) u[v->row] += v->sign * z[i];
    }
    return outcome == PEG_RAY && peg_scaled_contradicts(scaled, u, y) ? PEG_INFEASIBLE : outcome;
}

static peg_outcome solve(peg_arena *arena, const peg_problem *problem, peg_solution *solution)
{
    peg_scaled scaled;
    int pivots = 0;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    double *u = PEG_NEW(arena, double, scaled.m), *y = PEG_NEW(arena, double, scaled.n);
    double *s = PEG_NEW(arena, double, scaled.m);
    if (!u || !y || !s) return PEG_OUT_OF_MEMORY;
    outcome = peg_lemke_scaled(arena, &scaled, u, &pivots);
    if (outcome != PEG_INFEASIBLE) solution->iterations = pivots;
    if (outcome != PEG_SOLVED) return outcome;
    if (peg_scaled_has_bounds(&scaled))
        peg_scaled_response(&scaled, u, y, s);
    else if (!polish(arena, &scaled, y, u))
        return PEG_OUT_OF_MEMORY;
    peg_unscale(problem, &scaled, y, u, solution);
    return PEG_SOLVED;
}

peg_outcome peg_solve_lemke(peg_arena *arena, const peg_problem *problem, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve(arena, problem, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
