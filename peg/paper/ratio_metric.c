/* The ratio metric by its linear program [A 2], and basic contact units in closed form [A 6]. */
#include "peg/paper/ratio_metric.h"

/* Sine below which edges are parallel. */
static const double PARALLEL = 1e-6;

/* --- the program ----------------------------------------------------------------------------- */

/* min t  s.t.  eta.x - t (c - eta.x_o) <= eta.x_o for all faces, t >= 0. Solved is the dual
 *
 *     min sum y_f eta_f.x_o  s.t.  sum y_f eta_f = 0,  sum y_f (c_f - eta_f.x_o) + slack = 1,
 *     y, slack >= 0
 *
 * whose value is -r: lengths in units of the parts, about the middle of the inner points. */
enum { ROWS = 4 };

typedef struct program {
    peg_lp lp;
    double *A, *c;
    double b[ROWS], unit;
    peg_vec3 origin;
} program;

static void add_face(program *p, const peg_view *view, int f, const double x[3])
{
    double *column = p->A + (size_t)ROWS * (size_t)p->lp.columns, local[3];
    peg_sub(x, p->origin, local);
    peg_copy3(view->normal[f], column);
    column[3] = (view->offset[f] - peg_dot(view->normal[f], x)) / p->unit;
    p->c[p->lp.columns++] = peg_dot(view->normal[f], local) / p->unit;
}

static double reach(const peg_view *view, const double x[3])
{
    double most = 0;
    for (int f = 0; f < view->shape->nf; f++)
        most = fmax(most, fabs(view->offset[f] - peg_dot(view->normal[f], x)));
    return most;
}

static void begin_program(program *p, const double xa[3], const double xb[3], double unit)
{
    double apart[3];
    peg_sub(xb, xa, apart);
    peg_add_scaled(xa, 0.5, apart, p->origin);
    p->unit = fmax(unit, peg_norm(apart));
    p->b[0] = p->b[1] = p->b[2] = 0;
    p->b[3] = 1;
    p->lp = (peg_lp){ROWS, 0, 0, p->A, p->b, p->c};
}

static peg_lp_status solve_program(program *p, peg_lp_solution *solution)
{
    double *slack = p->A + (size_t)ROWS * (size_t)p->lp.columns;
    slack[0] = slack[1] = slack[2] = 0;
    slack[3] = 1;
    p->c[p->lp.columns++] = 0;
    int warm = solution->basis[0] >= 0;
    peg_lp_status status = peg_lp_solve(&p->lp, solution);
    if (status != PEG_LP_NOT_CERTIFIED || !warm) return status;
    solution->basis[0] = -1;
    return peg_lp_solve(&p->lp, solution);
}

peg_lp_status peg_ratio_metric(peg_arena *arena, const peg_view *A, const peg_view *B,
                               const double xa[3], const double xb[3], peg_ratio *out)
{
    int na = A->shape->nf, all = na + B->shape->nf + 1;
    peg_lp_solution solution;
    if (na == 0 || B->shape->nf == 0) return PEG_LP_INFEASIBLE;
    peg_arena_mark mark = peg_arena_here(arena);
    program p = {.A = PEG_NEW(arena, double, ROWS *all), .c = PEG_NEW(arena, double, all)};
    if (!p.A || !p.c) return PEG_LP_ITERATION_LIMIT;
    begin_program(&p, xa, xb, fmax(reach(A, xa), reach(B, xb)));
    for (int f = 0; f < na; f++) add_face(&p, A, f, xa);
    for (int f = 0; f < B->shape->nf; f++) add_face(&p, B, f, xb);
    memcpy(solution.basis, out->basis, sizeof out->basis);
    peg_lp_status status = solve_program(&p, &solution);
    peg_arena_back(arena, mark);
    out->pivots += solution.pivots;
    if (status != PEG_LP_SOLVED) return status;
    out->r = fmax(0, -solution.value);
    out->rho = out->r > 0 ? (out->r - 1) / out->r : -INFINITY;
    out->count = 0;
    for (int k = 0; k < ROWS; k++) {
        int j = out->basis[k] = solution.basis[k];
        if (j >= 0 && j < all - 1) out->face[out->count++] = j < na ? j : -1 - (j - na);
    }
    for (int k = 0; k < 3; k++) out->x[k] = p.origin[k] + p.unit * solution.y[k];
    return status;
}

peg_lp_status peg_ratio_of_faces(const peg_view *A, const int *fa, int na, const peg_view *B,
                                 const int *fb, int nb, const double xa[3], const double xb[3],
                                 double *r)
{
    double columns[9 * ROWS], cost[9];
    peg_lp_solution solution = {.basis = {-1}};
    program p = {.A = columns, .c = cost};
    if (na + nb > 8) return PEG_LP_INFEASIBLE;
    begin_program(&p, xa, xb, fmax(reach(A, xa), reach(B, xb)));
    for (int k = 0; k < na; k++) add_face(&p, A, fa[k], xa);
    for (int k = 0; k < nb; k++) add_face(&p, B, fb[k], xb);
    peg_lp_status status = solve_program(&p, &solution);
    if (status == PEG_LP_SOLVED) *r = fmax(0, -solution.value);
    return status;
}

/* --- basic contact units --------------------------------------------------------------------- */

static void edge_of(const peg_view *view, int edge, const double **at, peg_vec3 along)
{
    const int *v = view->shape->edge[edge].v;
    *at = view->vertex[v[0]];
    peg_sub(view->vertex[v[1]], *at, along);
}

/* n and the points where the two lines are nearest. */
static int make_edges(const peg_view *A, const peg_view *B, const double xa[3], const double xb[3],
                      peg_bcu *u)
{
    const double *pa, *pb;
    double ea[3], eb[3], w[3], apart[3], c[3];
    edge_of(A, u->i, &pa, ea);
    edge_of(B, u->j, &pb, eb);
    peg_cross(ea, eb, u->n);
    double sine = peg_norm(u->n);
    if (!(sine > PARALLEL * peg_norm(ea) * peg_norm(eb))) return 0;
    peg_sub(pb, pa, w);
    peg_cross(w, eb, c);
    peg_add_scaled(pa, peg_dot(c, u->n) / (sine * sine), ea, u->a);
    peg_cross(w, ea, c);
    peg_add_scaled(pb, peg_dot(c, u->n) / (sine * sine), eb, u->b);
    peg_normalise(u->n);
    peg_sub(xa, xb, apart);
    if (peg_dot(u->n, apart) < 0)
        for (int k = 0; k < 3; k++) u->n[k] = -u->n[k];
    return 1;
}

static void make_corner(const peg_view *vertices, const peg_view *faces, double sign, peg_bcu *u)
{
    const double *eta = faces->normal[u->j], *x = vertices->vertex[u->i];
    double up = peg_dot(eta, x) - faces->offset[u->j];
    for (int k = 0; k < 3; k++) u->n[k] = sign * eta[k];
    peg_copy3(x, sign > 0 ? u->a : u->b);
    peg_add_scaled(x, -up, eta, sign > 0 ? u->b : u->a);
}

int peg_bcu_make(const peg_view *A, const peg_view *B, const double xa[3], const double xb[3],
                 peg_bcu_kind kind, int i, int j, peg_bcu *out)
{
    double apart[3];
    *out = (peg_bcu){.kind = kind, .i = i, .j = j};
    if (kind == PEG_BCU_EDGES ? !make_edges(A, B, xa, xb, out) : 0) return 0;
    if (kind == PEG_BCU_CORNER_A) make_corner(A, B, 1, out);
    if (kind == PEG_BCU_CORNER_B) make_corner(B, A, -1, out);
    peg_sub(xa, xb, apart);
    out->width = peg_dot(out->n, apart);
    peg_sub(out->a, out->b, apart);
    out->gap = peg_dot(out->n, apart);
    if (!(out->width > 0)) return 0;
    out->phi = out->gap / out->width;
    return 1;
}

/* --- gradients ------------------------------------------------------------------------------- */

/* n' . d of two edges: with c = e_A x e_B, n = sgn c / |c| and the part t of d across n,
 * n'.d = sgn t . (c') / |c|, c' = (w_A x e_A) x e_B + e_A x (w_B x e_B). */
static void turn_of_edges(const peg_view *A, const peg_view *B, const peg_bcu *u, const double d[3],
                          double wa[3], double wb[3])
{
    const double *at;
    double ea[3], eb[3], c[3], t[3], x[3];
    edge_of(A, u->i, &at, ea);
    edge_of(B, u->j, &at, eb);
    peg_cross(ea, eb, c);
    double sign = peg_dot(c, u->n) > 0 ? 1 : -1, size = peg_norm(c);
    peg_add_scaled(d, -peg_dot(d, u->n), u->n, t);
    for (int k = 0; k < 3; k++) t[k] *= sign / size;
    peg_cross(eb, t, x); /* t . ((w_A x e_A) x e_B) = w_A . (e_A x (e_B x t)) */
    peg_cross(ea, x, wa);
    peg_cross(t, ea, x); /* t . (e_A x (w_B x e_B)) = w_B . (e_B x (t x e_A)) */
    peg_cross(eb, x, wb);
}

void peg_bcu_gradients(const peg_view *A, const peg_view *B, const double xa[3], const double xb[3],
                       const double ca[3], const double cb[3], const peg_bcu *u, double J[12],
                       double K[12])
{
    double r[3], d[3], turn[2][3] = {{0}};
    const double *point[2] = {u->a, u->b}, *inner[2] = {xa, xb}, *centre[2] = {ca, cb};
    peg_sub(xa, xb, d);
    if (u->kind == PEG_BCU_EDGES) turn_of_edges(A, B, u, d, turn[0], turn[1]);
    if (u->kind == PEG_BCU_CORNER_A) peg_cross(u->n, d, turn[1]); /* n' = w_B x n */
    if (u->kind == PEG_BCU_CORNER_B) peg_cross(u->n, d, turn[0]);
    for (int side = 0; side < 2; side++) {
        double sign = side ? -1 : 1, *j = J + 6 * side, *k = K + 6 * side;
        peg_sub(point[side], centre[side], r);
        peg_cross(r, u->n, j + 3);
        peg_sub(inner[side], centre[side], r);
        peg_cross(r, u->n, k + 3);
        for (int i = 0; i < 3; i++) {
            j[i] = k[i] = sign * u->n[i];
            j[3 + i] *= sign;
            k[3 + i] = sign * k[3 + i] + turn[side][i];
        }
    }
}
