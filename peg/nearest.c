/* Rows of dilated pairs: spheres, capsules and whatever they meet. Every point of what is dilated
 * keeps the distance from every point of the other part, so that the distance of any two features
 * makes a row that is right as it is: there are no traps. Rows are made for the local minima of
 * distance [M] between the polytopes inside, which are what touches first. A minimum has to be one
 * even under small turns only along what both parts extend: a capsule that lies on an edge touches
 * it at both ends, a sphere that rolls over a face does not touch the edges of the face. Where a
 * pair has yielded to the plane of a face, that is what keeps it apart, and all that makes rows.
 *
 * With d from the feature of B to that of A, psi = |d| - r and G = d / |d| at the nearest points;
 * between two vertices |d_k| - |d_0| = (d_k + d_0) . (d_k - d_0) / (|d_k| + |d_0|), so that the
 * secant row with that normal is exact. */
#include "peg/cone.h"
#include "peg/contact_row.h"
#include "peg/round.h"

/* --- contacts of round features --- */

/* Distance of features from their nearest points, against `side` (unit) if they have passed each
 * other, and the unit vector along it. Rims that have met are as far apart as they are along it:
 * their nearest points are anywhere. */
static double passed_distance(const peg_view *A, const peg_view *B, const peg_feature_contact *c,
                              const double side[3], double a[3], double b[3], double n[3])
{
    double d[3], back[3];
    peg_facet facet = {.kind = (peg_facet_kind)c->kind, .i = c->i, .j = c->j};
    peg_copy3(side, facet.n);
    int met = peg_normal_between(A, B, &facet, a, b, n);
    double sign = peg_dot(n, side) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] *= sign, back[k] = -n[k];
    if (met && A->shape->rim > 0 && c->kind != PEG_ROW_EV) peg_lowest_point(A, c->i, n, a);
    if (met && B->shape->rim > 0 && c->kind != PEG_ROW_VE) peg_lowest_point(B, c->j, back, b);
    peg_sub(a, b, d);
    return peg_dot(n, d);
}

static double radii(const peg_view *A, const peg_view *B, const peg_feature_contact *c)
{
    return peg_radius_of_a(A, (peg_facet_kind)c->kind) +
           peg_radius_of_b(B, (peg_facet_kind)c->kind);
}

/* What there is to say of two features from their nearest points now. */
static void contact_now(const peg_island *I, const peg_pair *pair, double a[3], double b[3],
                        peg_feature_contact *c)
{
    const peg_view *A = &I->piece[pair->a].now, *B = &I->piece[pair->b].now;
    c->gap = passed_distance(A, B, c, pair->facet.n, a, b, c->normal) - radii(A, B, c);
    for (int k = 0; k < 3; k++) c->point_a[k] = c->point_b[k] = .5 * (a[k] + b[k]);
}

/* And what has become of them since the start. */
static void contact_since(const peg_island *I, const peg_pair *pair, peg_feature_contact *c)
{
    const peg_view *A = &I->piece[pair->a].start, *B = &I->piece[pair->b].start;
    double a[3], b[3], before[3], round = radii(A, B, c);
    peg_nearest_points(A, B, (peg_facet_kind)c->kind, c->i, c->j, a, b);
    c->gap0 = passed_distance(A, B, c, c->normal, a, b, before) - round;
    double distance = c->gap + round, sum = distance + c->gap0 + round;
    double share = sum > 0 ? distance / sum : .5;
    for (int k = 0; k < 3; k++) {
        c->mid_normal[k] = share * c->normal[k] + (1 - share) * before[k];
        c->mid_point[k] = .5 * (c->point_a[k] + .5 * (a[k] + b[k]));
    }
}

void peg_round_contact(const peg_island *I, const peg_pair *pair, peg_row_kind kind, int i, int j,
                       peg_feature_contact *c)
{
    double a[3], b[3];
    *c = (peg_feature_contact){.kind = kind, .i = i, .j = j};
    peg_nearest_points(&I->piece[pair->a].now, &I->piece[pair->b].now, (peg_facet_kind)kind, i, j,
                       a, b);
    contact_now(I, pair, a, b, c);
    contact_since(I, pair, c);
}

/* --- rows --- */

typedef struct finder {
    peg_island *I;
    const double (*u)[6];
    peg_row_set *out;
    int p;
    const peg_pair *pair;
    const peg_view *A, *B;
    peg_lean to_a, to_b;     /* how far the features of A and B may lean */
    peg_vec3 axis_a, axis_b; /* of segments */
    int lies;                /* there are rows of vertices over faces */
} finder;

/* How the features of the other part may lean, given this one's extent. */
static peg_lean lean_along(const peg_view *view, peg_vec3 axis)
{
    const peg_polytope *P = view->shape;
    if (P->nv == 1) return (peg_lean){0, NULL};
    if (!peg_is_segment(P)) return (peg_lean){PEG_LEAN, NULL};
    peg_sub(view->vertex[1], view->vertex[0], axis);
    peg_normalise(axis);
    return (peg_lean){PEG_LEAN, axis};
}

static int touches_a(const finder *f, int edge, int i, const double n[3])
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return edge ? peg_edge_can_touch(f->A, i, back, &f->to_a)
                : peg_vertex_can_touch(f->A, i, back, &f->to_a);
}

static int touches_b(const finder *f, int edge, int j, const double n[3])
{
    return edge ? peg_edge_can_touch(f->B, j, n, &f->to_b)
                : peg_vertex_can_touch(f->B, j, n, &f->to_b);
}

static int is_facing(const finder *f, const peg_feature_contact *c)
{
    return c->gap <= f->pair->reach && c->gap >= -.5 * f->pair->L &&
           peg_dot(c->normal, f->pair->facet.n) >= PEG_FACING;
}

/* A rim touches a face at its lowest point, and where it lies flat at points all round. */
static void vertex_face_rows(const finder *f, peg_row_kind kind)
{
    const peg_island *I = f->I;
    int swap = kind == PEG_ROW_FV;
    const peg_piece *upper = &I->piece[swap ? f->pair->b : f->pair->a];
    const peg_piece *lower = &I->piece[swap ? f->pair->a : f->pair->b];
    const peg_view *U = &upper->now, *D = &lower->now;
    double sign = swap ? -1 : 1;
    for (int j = 0; j < D->shape->nf; j++) {
        const double *n = D->normal[j];
        if (sign * peg_dot(n, f->pair->facet.n) < PEG_FACING) continue;
        double off = U->shape->rim > 0 ? peg_off_axis(U, n) : 1;
        double most =
            D->offset[j] + f->pair->reach + U->shape->round + D->shape->round + U->shape->rim * off;
        int first = off > PEG_FLUSH ? 0 : U->shape->nv;
        int end = U->shape->nv + (off < PEG_LEAN ? peg_rim_points(U->shape) : 0);
        for (int i = first; i < end; i++) {
            int of =
                i < U->shape->nv ? i : (i - U->shape->nv) * U->shape->nv / (end - U->shape->nv);
            if (peg_dot(n, U->vertex[of]) > most) continue;
            peg_feature_contact c = peg_vertex_face(upper, lower, kind, i, j);
            if (!is_facing(f, &c)) continue;
            if (peg_is_beside(D, j, c.point_a, n, PEG_INSIDE * f->pair->L)) continue;
            if (U->shape->nv > 2 &&
                !(swap ? touches_b(f, 0, i, c.normal) : touches_a(f, 0, i, c.normal)))
                continue;
            peg_contact_rows(f->I, f->p, f->u, &c, f->out);
        }
    }
}

static void edge_edge_rows(const finder *f)
{
    for (int i = 0; i < f->A->shape->ne; i++)
        for (int j = 0; j < f->B->shape->ne; j++) {
            peg_feature_contact c;
            double s, t;
            if (peg_is_flat_feature(f->A, 1, i) || peg_is_flat_feature(f->B, 1, j)) continue;
            if (!peg_edge_edge(f->I, f->pair, i, j, &c, &s, &t) || !is_facing(f, &c)) continue;
            if (s < -PEG_INSIDE || s > 1 + PEG_INSIDE || t < -PEG_INSIDE || t > 1 + PEG_INSIDE)
                continue;
            if (!touches_a(f, 1, i, c.normal) || !touches_b(f, 1, j, c.normal)) continue;
            peg_contact_rows(f->I, f->p, f->u, &c, f->out);
        }
}

/* Distance of a point from a segment. */
static double from_segment(const double *p, const double *x, const double *y)
{
    double d[3], r[3];
    peg_sub(y, x, d);
    peg_sub(p, x, r);
    double t = peg_min(peg_max(peg_dot(r, d) / peg_dot(d, d), 0), 1);
    peg_add_scaled(r, -t, d, r);
    return peg_norm(r);
}

/* The least of n . x over a feature of A, or over one of B with n turned round. */
static double lowest(const peg_view *view, int is_edge, int i, const double n[3])
{
    double x[3];
    if (is_edge) {
        const int *v = view->shape->edge[i].v;
        return peg_min(peg_dot(n, view->vertex[v[0]]), peg_dot(n, view->vertex[v[1]]));
    }
    peg_lowest_point(view, i, n, x);
    return peg_dot(n, x);
}

/* How far a vertex or an edge of one part is from the plane of a rim of the other; 0: no rim. */
static double off_rim(const peg_view *rim, int i, const peg_view *other, int is_edge, int j)
{
    double axis[3], d[3], e[3];
    if (!(rim->shape->rim > 0)) return 0;
    int v[2] = {is_edge ? other->shape->edge[j].v[0] : j, is_edge ? other->shape->edge[j].v[1] : j};
    for (int k = 0; k < 3; k++) axis[k] = rim->turn[3 * k + 2];
    peg_sub(other->vertex[v[0]], rim->vertex[i], d);
    peg_sub(other->vertex[v[1]], rim->vertex[i], e);
    double x = peg_dot(axis, d), y = peg_dot(axis, e);
    return x * y > 0 ? peg_min(fabs(x), fabs(y)) : 0;
}

/* Whether the features are farther apart than any row's, by the planes and the centres of rims or
 * along the chosen direction. */
static int is_out_of_reach(const finder *f, peg_row_kind kind, int i, int j)
{
    const peg_polytope *A = f->A->shape, *B = f->B->shape;
    const peg_vec3 *a = (const peg_vec3 *)f->A->vertex, *b = (const peg_vec3 *)f->B->vertex;
    const double *n = f->pair->facet.n, back[3] = {-n[0], -n[1], -n[2]};
    double far = f->pair->reach + peg_across(A) + peg_across(B), d[3];
    if (kind != PEG_ROW_EV && off_rim(f->A, i, f->B, kind == PEG_ROW_VE, j) > far - A->rim)
        return 1;
    if (kind != PEG_ROW_VE && off_rim(f->B, j, f->A, kind == PEG_ROW_EV, i) > far - B->rim)
        return 1;
    if (kind == PEG_ROW_VV) {
        peg_sub(a[i], b[j], d);
        if (peg_norm(d) > far) return 1;
    } else {
        int of_b = kind == PEG_ROW_VE;
        const int *end = of_b ? B->edge[j].v : A->edge[i].v;
        const peg_vec3 *x = of_b ? b : a;
        if (from_segment(of_b ? a[i] : b[j], x[end[0]], x[end[1]]) > far) return 1;
    }
    double apart =
        lowest(f->A, kind == PEG_ROW_EV, i, n) + lowest(f->B, kind == PEG_ROW_VE, j, back);
    double radii =
        peg_radius_of_a(f->A, (peg_facet_kind)kind) + peg_radius_of_b(f->B, (peg_facet_kind)kind);
    return apart > f->pair->reach + radii;
}

/* Share of a disc's radius from which on a point of it lies on the rim. */
static const double ON_RIM = 1 - 1e-9;

static int is_inside_rim(const peg_view *view, int i, const double *point)
{
    double d[3];
    peg_sub(point, view->vertex[i], d);
    return view->shape->rim > 0 && peg_norm(d) < ON_RIM * view->shape->rim;
}

/* Vertices, or a vertex and an edge. What touches a cap within its rim is a vertex over a face, or
 * an edge on which the cap stands without touching a face. */
static void round_row(const finder *f, peg_row_kind kind, int i, int j)
{
    peg_feature_contact c = {.kind = kind, .i = i, .j = j};
    int edge_a = kind == PEG_ROW_EV, edge_b = kind == PEG_ROW_VE;
    if (peg_is_flat_feature(f->A, edge_a, i) || peg_is_flat_feature(f->B, edge_b, j)) return;
    if (is_out_of_reach(f, kind, i, j)) return;
    if (!peg_may_be_between(f->A, f->B, (peg_facet_kind)kind, i, j, PEG_INSIDE)) return;
    double a[3], b[3], t = peg_nearest_points(f->A, f->B, (peg_facet_kind)kind, i, j, a, b);
    if (kind != PEG_ROW_VV && (t < -PEG_INSIDE || t > 1 + PEG_INSIDE)) return;
    int on_cap = (!edge_a && is_inside_rim(f->A, i, a)) || (!edge_b && is_inside_rim(f->B, j, b));
    if (on_cap && (kind == PEG_ROW_VV || f->lies)) return;
    contact_now(f->I, f->pair, a, b, &c);
    if (!is_facing(f, &c)) return;
    if (!touches_a(f, edge_a, i, c.normal) || !touches_b(f, edge_b, j, c.normal)) return;
    contact_since(f->I, f->pair, &c);
    peg_contact_rows(f->I, f->p, f->u, &c, f->out);
}

static void round_rows(const finder *f)
{
    const peg_polytope *A = f->A->shape, *B = f->B->shape;
    for (int i = 0; i < A->nv; i++) {
        for (int j = 0; j < B->nv; j++) round_row(f, PEG_ROW_VV, i, j);
        for (int j = 0; j < B->ne; j++) round_row(f, PEG_ROW_VE, i, j);
    }
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->nv; j++) round_row(f, PEG_ROW_EV, i, j);
}

void peg_nearest_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    int before = out->m;
    finder f = {.I = I, .u = u, .out = out, .p = p, .pair = pair};
    f.A = &I->piece[pair->a].now;
    f.B = &I->piece[pair->b].now;
    if (peg_separation_along(f.A, f.B, pair->facet.n) > pair->reach) return;
    f.to_a = lean_along(f.B, f.axis_b);
    f.to_b = lean_along(f.A, f.axis_a);
    vertex_face_rows(&f, PEG_ROW_VF);
    vertex_face_rows(&f, PEG_ROW_FV);
    f.lies = out->m > before;
    if (pair->yielded && pair->facet.kind <= PEG_FACET_FACE_A) return;
    edge_edge_rows(&f);
    round_rows(&f);
}
