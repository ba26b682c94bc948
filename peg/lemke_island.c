/* The island's problem by Lemke's method: eliminating y leaves the LCP s = A u + beta >= 0, u >= 0
 * with A = N^T N, whose diagonal is 1 (symbols as in scaled.h). */
#include "peg/qr.h"

/* Part of a unit row that is no rounding. */
static const double INDEPENDENT = 1e-13;
/* The answer by QR is taken unless its fault is so many times the other one's: as good by that
 * measure, its y is the more exact one. */
static const double CLEARLY_WORSE = 4;

/* A_ij = n_i.n_j and beta. */
static void gram(const peg_scaled *scaled, double *y, double *A, double *beta)
{
    int m = scaled->m;
    memset(y, 0, (size_t)scaled->n * sizeof *y);
    for (int i = 0; i < m; i++) {
        peg_scaled_add(&scaled->row[i], 1, y);
        for (int j = 0; j < m; j++)
            A[(size_t)i * (size_t)m + (size_t)j] = peg_scaled_dot(&scaled->row[j], y);
        peg_scaled_add(&scaled->row[i], -1, y);
        beta[i] = scaled->row[i].beta;
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

/* A is positive semidefinite, so a ray means that the rows contradict each other; its direction is
 * the proof, which is checked. */
static peg_outcome solve(peg_arena *arena, const peg_problem *problem, peg_solution *solution)
{
    peg_scaled scaled;
    peg_outcome outcome = peg_scale(arena, problem, &scaled);
    if (outcome != PEG_SOLVED) return outcome;
    int m = scaled.m, pivots;
    double *A = PEG_NEW(arena, double, (size_t)m *(size_t)m), *beta = PEG_NEW(arena, double, m);
    double *u = PEG_NEW(arena, double, m), *y = PEG_NEW(arena, double, scaled.n);
    if (!A || !beta || !u || !y) return PEG_OUT_OF_MEMORY;
    gram(&scaled, y, A, beta);
    outcome = peg_lemke(arena, m, A, beta, u, &pivots);
    if (outcome == PEG_RAY && peg_scaled_contradicts(&scaled, u, y)) return PEG_INFEASIBLE;
    solution->iterations = pivots;
    if (outcome != PEG_SOLVED) return outcome;
    if (!polish(arena, &scaled, y, u)) return PEG_OUT_OF_MEMORY;
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
