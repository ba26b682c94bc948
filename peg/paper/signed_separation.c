/* The linear programs (S1) and (S2) of signed_separation.h: one direction, the search for the best
 * one, the distance of disjoint parts.
 *
 *              | C    | rows
 * (S2) columns | A    | (a_i, 1, 0), (-b_j, 0, 1), (-d, 0, 0): lengths in units of the larger part,
 *              |      | about the inner point of A, d of unit length
 * multipliers  | y    | (-n, alpha, -beta) */
#include "peg/paper/signed_separation.h"

#include <float.h>

/* By how much s must rise for the search to go on, relative to the sizes. */
static const double RISE = 1e-12;

enum { SEARCH = 30 }; /* programs of a search; none took more than 12 */

static double size_of(const peg_view *view)
{
    return peg_is_half_space(view->shape) ? 0 : view->shape->radius;
}

void peg_inner_point(const peg_view *part, const peg_view *other, peg_vec3 x)
{
    if (!peg_is_half_space(part->shape)) {
        peg_copy3(part->centre, x);
        return;
    }
    double size = size_of(other) > 0 ? size_of(other) : 1;
    double up = peg_dot(part->normal[0], other->centre) - part->offset[0];
    peg_add_scaled(other->centre, -up - size, part->normal[0], x);
}

/* s of a unit direction, without the radii. */
static double along(const peg_view *A, const peg_view *B, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    if (peg_is_half_space(A->shape)) low = -A->offset[0];
    if (peg_is_half_space(B->shape)) high = B->offset[0];
    for (int i = 0; i < A->shape->nv; i++) low = fmin(low, peg_dot(n, A->vertex[i]));
    for (int j = 0; j < B->shape->nv; j++) high = fmax(high, peg_dot(n, B->vertex[j]));
    return low - high;
}

static double radii(const peg_view *A, const peg_view *B)
{
    return A->shape->round + B->shape->round;
}

static int is_supported(const peg_view *A, const peg_view *B)
{
    return A->shape->rim == 0 && B->shape->rim == 0 &&
           !(peg_is_half_space(A->shape) && peg_is_half_space(B->shape));
}

/* --- one program ----------------------------------------------------------------------------- */

/* A half-space has one direction, eta = its normal, away from it. */
static peg_lp_status solve_half_space(const peg_view *A, const peg_view *B, const double d[3],
                                      peg_ssh *out)
{
    int first = peg_is_half_space(A->shape), best = 0;
    const peg_view *half = first ? A : B, *part = first ? B : A;
    double sign = first ? -1 : 1, slope = sign * peg_dot(half->normal[0], d), least = INFINITY;
    for (int i = 0; i < part->shape->nv; i++) {
        double up = peg_dot(half->normal[0], part->vertex[i]);
        if (up < least) least = up, best = i;
    }
    if (!(slope > DBL_EPSILON * peg_norm(d))) return PEG_LP_UNBOUNDED;
    double gap = least - half->offset[0];
    out->g = gap / slope;
    out->s = gap - radii(A, B);
    for (int k = 0; k < 3; k++) out->n[k] = sign * half->normal[0][k] / slope;
    peg_copy3(part->vertex[best], first ? out->b : out->a);
    peg_add_scaled(part->vertex[best], first ? out->g : -out->g, d, first ? out->a : out->b);
    out->vertex[0] = first ? -1 - best : best;
    out->weight[0] = out->count = 1;
    return PEG_LP_SOLVED;
}

typedef struct program {
    peg_lp lp;
    double *A, *c;
    double b[PEG_SSH_ROWS];
    peg_vec3 origin;
    double unit; /* m */
} program;

/* The columns of the vertices, and room for `more`. */
static int make_program(peg_arena *arena, const peg_view *A, const peg_view *B, int more,
                        program *p)
{
    int na = A->shape->nv, nb = B->shape->nv, all = na + nb + more;
    *p =
        (program){.A = PEG_NEW(arena, double, PEG_SSH_ROWS *all), .c = PEG_NEW(arena, double, all)};
    if (!p->A || !p->c) return 0;
    peg_copy3(A->centre, p->origin);
    p->unit = fmax(size_of(A), size_of(B));
    if (!(p->unit > 0)) p->unit = 1;
    for (int j = 0; j < na + nb; j++) {
        const double *x = j < na ? A->vertex[j] : B->vertex[j - na];
        double sign = j < na ? 1 : -1, *column = p->A + (size_t)PEG_SSH_ROWS * (size_t)j;
        for (int k = 0; k < 3; k++) column[k] = sign * (x[k] - p->origin[k]) / p->unit;
        column[3] = j < na;
        column[4] = j >= na;
        p->c[j] = 0;
    }
    p->b[0] = p->b[1] = p->b[2] = 0;
    p->b[3] = p->b[4] = 1;
    p->lp = (peg_lp){PEG_SSH_ROWS, na + nb, 0, p->A, p->b, p->c};
    return 1;
}

static void add_column(program *p, const double x[3], double sign, double cost)
{
    double *column = p->A + (size_t)PEG_SSH_ROWS * (size_t)p->lp.columns;
    for (int k = 0; k < 3; k++) column[k] = sign * x[k];
    column[3] = column[4] = 0;
    p->c[p->lp.columns++] = cost;
}

/* lambda, mu and the witness points. */
static void read_weights(const peg_view *A, const peg_view *B, const peg_lp_solution *solution,
                         peg_ssh *out)
{
    int na = A->shape->nv, nb = B->shape->nv;
    out->count = 0;
    memset(out->a, 0, sizeof out->a);
    memset(out->b, 0, sizeof out->b);
    for (int k = 0; k < PEG_SSH_ROWS; k++) {
        int j = out->basis[k] = solution->basis[k];
        if (j < 0 || j >= na + nb || !(solution->x[k] > 0)) continue;
        out->vertex[out->count] = j < na ? j : -1 - (j - na);
        out->weight[out->count++] = solution->x[k];
        double *sum = j < na ? out->a : out->b;
        peg_add_scaled(sum, solution->x[k], j < na ? A->vertex[j] : B->vertex[j - na], sum);
    }
}

peg_lp_status peg_ssh_solve(peg_arena *arena, const peg_view *A, const peg_view *B,
                            const double d[3], peg_ssh *out)
{
    program p;
    peg_lp_solution solution;
    double length = peg_norm(d), unit[3];
    if (!is_supported(A, B) || !(length > 0)) return PEG_LP_INFEASIBLE;
    out->programs++;
    if (peg_is_half_space(A->shape) || peg_is_half_space(B->shape))
        return solve_half_space(A, B, d, out);
    peg_arena_mark mark = peg_arena_here(arena);
    if (!make_program(arena, A, B, 1, &p)) return PEG_LP_ITERATION_LIMIT;
    for (int k = 0; k < 3; k++) unit[k] = d[k] / length;
    add_column(&p, unit, -1, 1);
    p.lp.free = 1;
    memcpy(solution.basis, out->basis, sizeof out->basis);
    peg_lp_status status = peg_lp_solve(&p.lp, &solution);
    if (status == PEG_LP_NOT_CERTIFIED && out->basis[0] >= 0) {
        solution.basis[0] = -1;
        status = peg_lp_solve(&p.lp, &solution);
    }
    peg_arena_back(arena, mark);
    out->pivots += solution.pivots;
    /* no lambda and mu: the line along d misses A - B, (S1) is unbounded */
    if (status == PEG_LP_INFEASIBLE) return PEG_LP_UNBOUNDED;
    if (status != PEG_LP_SOLVED) return status;
    read_weights(A, B, &solution, out);
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = -solution.y[k], out->n[k] = n[k] / length;
    peg_normalise(n);
    out->g = solution.value * p.unit / length;
    out->s = along(A, B, n) - radii(A, B);
    return PEG_LP_SOLVED;
}

/* --- search for the best direction ----------------------------------------------------------- */

/* From one start. Returns the status of the first program. */
static peg_lp_status search(peg_arena *arena, const peg_view *A, const peg_view *B,
                            const double start[3], peg_ssh *best)
{
    double rise = RISE * (size_of(A) + size_of(B)), d[3];
    peg_lp_status first = PEG_LP_SOLVED;
    peg_copy3(start, d);
    double s = along(A, B, d) - radii(A, B);
    peg_ssh now = *best;
    for (int k = 0; k < SEARCH; k++) {
        peg_lp_status status = peg_ssh_solve(arena, A, B, d, &now);
        if (k == 0) first = status;
        if (status != PEG_LP_SOLVED) break;
        if (now.s > best->s) {
            best->s = now.s;
            *best = now;
        }
        if (!(now.s > s + rise)) break;
        s = now.s;
        peg_copy3(now.n, d);
        peg_normalise(d);
    }
    best->programs = now.programs, best->pivots = now.pivots;
    memcpy(best->basis, now.basis, sizeof now.basis);
    return first;
}

peg_lp_status peg_ssh_separation(peg_arena *arena, const peg_view *A, const peg_view *B,
                                 const double (*starts)[3], int count, peg_ssh *out)
{
    peg_lp_status status = PEG_LP_INFEASIBLE;
    if (!is_supported(A, B)) return status;
    out->s = -INFINITY;
    for (int i = 0; i < count && !(out->s > 0); i++) {
        peg_lp_status now = search(arena, A, B, starts[i], out);
        if (status != PEG_LP_SOLVED) status = now;
    }
    return status;
}

int peg_ssh_starts(const peg_view *A, const peg_view *B, peg_vec3 *starts)
{
    int count = 1;
    peg_vec3 xa, xb;
    peg_inner_point(A, B, xa);
    peg_inner_point(B, A, xb);
    peg_sub(xa, xb, starts[0]);
    if (!(peg_normalise(starts[0]) > 1e-9 * (size_of(A) + size_of(B)))) count = 0;
    for (int f = 0; f < B->shape->nf; f++) peg_copy3(B->normal[f], starts[count++]);
    for (int f = 0; f < A->shape->nf; f++, count++)
        for (int k = 0; k < 3; k++) starts[count][k] = -A->normal[f][k];
    for (int axis = 0; axis < 6; axis++, count++)
        for (int k = 0; k < 3; k++) starts[count][k] = k == axis / 2 ? 1 - axis % 2 * 2 : 0;
    return count;
}

/* --- distance -------------------------------------------------------------------------------- */

int peg_ssh_distance(peg_arena *arena, const peg_view *A, const peg_view *B, double tolerance,
                     int most, double *lower, double *upper, peg_vec3 n)
{
    program p;
    int solved = 0;
    peg_lp_solution solution = {.basis = {-1}};
    *lower = -INFINITY, *upper = INFINITY;
    peg_arena_mark mark = peg_arena_here(arena);
    if (!is_supported(A, B) || A->shape->nv == 0 || B->shape->nv == 0 ||
        !make_program(arena, A, B, 6 + most, &p))
        return 0;
    for (int axis = 0; axis < 6; axis++) {
        double u[3] = {0, 0, 0};
        u[axis / 2] = axis % 2 ? -1 : 1;
        add_column(&p, u, -1, 1);
    }
    while (solved < most && !(*upper - *lower <= tolerance)) {
        if (peg_lp_solve(&p.lp, &solution) != PEG_LP_SOLVED) break;
        solved++;
        *upper = fmin(*upper, solution.value * p.unit - radii(A, B));
        double u[3] = {-solution.y[0], -solution.y[1], -solution.y[2]};
        if (!(peg_normalise(u) > 0)) break; /* they touch or overlap */
        double s = along(A, B, u) - radii(A, B);
        if (s > *lower) peg_copy3(u, n);
        *lower = fmax(*lower, s);
        add_column(&p, u, -1, 1);
    }
    peg_arena_back(arena, mark);
    return solved;
}
