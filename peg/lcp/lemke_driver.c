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
#include <float.h>

#include "peg/base/arena.h"
#include "peg/lcp/lemke.h"
#include "peg/lcp/problem.h"
#include "peg/lcp/qr.h"
#include "peg/lcp/scaled.h"

/* Part of a unit row that is no rounding. */
static const double INDEPENDENT = 1e-13;
/* The answer by QR is taken unless its fault is so many times the other one's, and more than the
 * rounding of the impulses: as good by that measure, its y is the more exact one. */
static const double CLEARLY_WORSE = 4;

/* Products of an entry of A: of two rows of two bodies. */
static const double GRAM_PRODUCTS = 12;

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

/* The rows that carry, and what their impulses are solved with: y is the shortest vector that holds
 * them at s = 0, x their impulses, y = N x. */
typedef struct carrying {
    const peg_scaled *scaled;
    peg_qr qr;
    int *row;  /* q, in the order of the columns */
    double *x; /* q */
    double *y; /* n */
    double *u; /* m */
} carrying;

static int create(peg_arena *arena, const peg_scaled *scaled, carrying *c)
{
    int n = scaled->n, m = scaled->m, rank = n < m ? n : m;
    *c = (carrying){.scaled = scaled,
                    .row = PEG_NEW(arena, int, rank),
                    .x = PEG_NEW(arena, double, rank),
                    .y = PEG_NEW(arena, double, n),
                    .u = PEG_NEW(arena, double, m)};
    return c->row && c->x && c->y && c->u && peg_qr_create(arena, n, rank, &c->qr);
}

/* Those of an answer, as far as they are independent. */
static void take_carrying(carrying *c, const double *u)
{
    for (int i = 0; i < c->scaled->m && c->qr.q < c->qr.capacity; i++) {
        if (!(u[i] > 0)) continue;
        double length = peg_qr_split(&c->qr, &c->scaled->row[i]);
        if (length <= INDEPENDENT) continue;
        c->row[c->qr.q] = i;
        peg_qr_append(&c->qr, length);
    }
}

/* y and x, and x once more from what N x leaves of y. */
static void solve_carrying(carrying *c)
{
    const peg_scaled *scaled = c->scaled;
    for (int j = 0; j < c->qr.q; j++) c->qr.d[j] = -scaled->row[c->row[j]].beta;
    peg_qr_shortest(&c->qr, c->y, c->x); /* and z = y */
    for (int j = 0; j < c->qr.q; j++) {
        peg_scaled_add(&scaled->row[c->row[j]], -c->x[j], c->qr.z);
        c->qr.d[j] = 0;
    }
    peg_qr_project(&c->qr);
    peg_qr_solve(&c->qr, c->qr.d, c->qr.d);
    for (int j = 0; j < c->qr.q; j++) c->x[j] += c->qr.d[j];
}

/* Until none of them pulls: one that carries nothing may do so by rounding, and to ignore it would
 * leave its share of y to nobody. */
static void let_go_of_what_pulls(carrying *c)
{
    for (;;) {
        int worst = -1;
        solve_carrying(c);
        for (int j = 0; j < c->qr.q; j++)
            if (c->x[j] < (worst < 0 ? 0 : c->x[worst])) worst = j;
        if (worst < 0) return;
        peg_qr_remove(&c->qr, worst);
        memmove(c->row + worst, c->row + worst + 1, (size_t)(c->qr.q - worst) * sizeof *c->row);
    }
}

/* What a sum of that many impulses is known to. */
static double rounding(const peg_scaled *scaled, const double *u)
{
    double largest = 0;
    for (int i = 0; i < scaled->m; i++) largest = fmax(largest, u[i]);
    return scaled->n * DBL_EPSILON * largest;
}

/* The rows that carry, solved once more by QR: A has the square of their condition. y and u are
 * those of the better answer. */
static int polish(peg_arena *arena, const peg_scaled *scaled, double *y, double *u)
{
    carrying c;
    if (!create(arena, scaled, &c)) return 0;
    take_carrying(&c, u);
    let_go_of_what_pulls(&c);
    memset(c.u, 0, (size_t)scaled->m * sizeof *u);
    for (int j = 0; j < c.qr.q; j++) c.u[c.row[j]] = c.x[j];
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    for (int i = 0; i < scaled->m; i++) peg_scaled_add(&scaled->row[i], u[i], y);
    double by_qr = fault(scaled, c.y, c.u, c.qr.z), before = fault(scaled, y, u, c.qr.z);
    if (!(by_qr <= fmax(CLEARLY_WORSE * before, rounding(scaled, u)))) return 1;
    memcpy(y, c.y, (size_t)scaled->n * sizeof *y);
    memcpy(u, c.u, (size_t)scaled->m * sizeof *u);
    return 1;
}

int peg_lcp_of(peg_arena *arena, const peg_scaled *scaled, peg_lcp *lcp)
{
    double *y = PEG_NEW(arena, double, scaled->n);
    lcp->variable = PEG_NEW(arena, peg_lcp_variable, 3 * (size_t)scaled->m);
    if (!y || !lcp->variable) return 0;
    int count = 0;
    for (int i = 0; i < scaled->m; i++) {
        const peg_scaled_row *row = &scaled->row[i];
        if (row->bounded && row->limit == 0 && row->normal < 0) continue;
        lcp->variable[count++] = (peg_lcp_variable){i, 1};
        if (row->bounded) lcp->variable[count++] = (peg_lcp_variable){i, -1};
        if (row->bounded && isfinite(row->limit)) lcp->variable[count++] = (peg_lcp_variable){i, 0};
    }
    int n = lcp->n = count;
    lcp->A = PEG_NEW(arena, double, (size_t)n *(size_t)n);
    lcp->q = PEG_NEW(arena, double, n);
    if (!lcp->A || !lcp->q) return 0;
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    gram(scaled, lcp->variable, n, y, lcp->A, lcp->q);
    return 1;
}

peg_outcome peg_lemke_scaled(peg_arena *arena, const peg_scaled *scaled, double *u,
                             peg_pivoting *pivoting)
{
    peg_lcp lcp;
    if (scaled->m > PEG_LEMKE_ROWS) return PEG_ITERATION_LIMIT;
    pivoting->products += GRAM_PRODUCTS * scaled->m * scaled->m;
    if (!(pivoting->products < pivoting->most_products)) return PEG_ITERATION_LIMIT;
    if (!peg_lcp_of(arena, scaled, &lcp)) return PEG_OUT_OF_MEMORY;
    double *y = PEG_NEW(arena, double, scaled->n), *z = PEG_NEW(arena, double, lcp.n);
    if (!y || !z) return PEG_OUT_OF_MEMORY;
    peg_outcome outcome = peg_lemke(arena, lcp.n, lcp.A, lcp.q, z, pivoting);
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

static peg_outcome solve(peg_arena *arena, const peg_problem *problem,
                         const peg_solve_options *options, peg_solution *solution)
{
    peg_scaled scaled;
    peg_pivoting pivoting = {.most_products = peg_products_left(options, solution)};
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    double *u = PEG_NEW(arena, double, scaled.m), *y = PEG_NEW(arena, double, scaled.n);
    double *s = PEG_NEW(arena, double, scaled.m);
    if (!u || !y || !s) return PEG_OUT_OF_MEMORY;
    outcome = peg_lemke_scaled(arena, &scaled, u, &pivoting);
    solution->work += pivoting.products / PEG_PRODUCTS_OF_WORK;
    if (outcome != PEG_INFEASIBLE) solution->iterations = pivoting.pivots;
    if (outcome != PEG_SOLVED) return outcome;
    if (peg_scaled_has_bounds(&scaled))
        peg_scaled_response(&scaled, u, y, s);
    else if (!polish(arena, &scaled, y, u))
        return PEG_OUT_OF_MEMORY;
    peg_unscale(problem, &scaled, y, u, solution);
    return PEG_SOLVED;
}

peg_outcome peg_solve_lemke(peg_arena *arena, const peg_problem *problem,
                            const peg_solve_options *options, peg_solution *solution)
{
    peg_arena_mark mark = peg_arena_here(arena);
    peg_outcome outcome = solve(arena, problem, options, solution);
    peg_arena_back(arena, mark);
    return outcome;
}
