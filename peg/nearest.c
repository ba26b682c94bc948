/* Rows of dilated pairs: spheres, capsules and whatever they meet. Every point of what is dilated
 * keeps the distance from every point of the other part, so that the distance of any two features
 * makes a row that is right as it is: there are no traps. Rows are made for the local minima of
 * distance [M] between the polytopes inside, which are what touches first. A minimum has to be one
 * even under small turns only along what both parts extend: a capsule that lies on an edge touches
 * it at both ends, a sphere that rolls over a face does not touch the edges of the face.
 *
 * With d from the feature of B to that of A, psi = |d| - r and G = d / |d| at the nearest points;
 * between two vertices |d_k| - |d_0| = (d_k + d_0) . (d_k - d_0) / (|d_k| + |d_0|), so that the
 * secant row with that normal is exact. */
#include "peg/cone.h"
#include "peg/contact_row.h"

typedef struct finder {
    peg_island *I;
    const double (*u)[6];
    peg_row_set *out;
    int p;
    const peg_pair *pair;
    const peg_view *A, *B;
    peg_lean to_a, to_b;     /* how far the features of A and B may lean */
    peg_vec3 axis_a, axis_b; /* of segments */
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

static void vertex_face_rows(const finder *f, peg_row_kind kind)
{
    const peg_island *I = f->I;
    int swap = kind == PEG_ROW_FV;
    const peg_piece *upper = &I->piece[swap ? f->pair->b : f->pair->a];
    const peg_piece *lower = &I->piece[swap ? f->pair->a : f->pair->b];
    for (int i = 0; i < upper->now.shape->nv; i++)
        for (int j = 0; j < lower->now.shape->nf; j++) {
            peg_feature_contact c = peg_vertex_face(upper, lower, kind, i, j);
            if (!is_facing(f, &c)) continue;
            if (peg_lateral_distance(&lower->now, j, upper->now.vertex[i], lower->now.normal[j]) >
                PEG_INSIDE * f->pair->L)
                continue;
            if (upper->now.shape->nv > 2 &&
                !(swap ? touches_b(f, 0, i, c.normal) : touches_a(f, 0, i, c.normal)))
                continue;
            peg_contact_rows(f->I, f->p, f->u, &c, f->out);
        }
}

static void edge_edge_rows(const finder *f)
{
    for (int i = 0; i < f->A->shape->ne; i++)
        for (int j = 0; j < f->B->shape->ne; j++) {
            peg_feature_contact c;
            double s, t;
            if (!peg_edge_edge(f->I, f->pair, i, j, &c, &s, &t) || !is_facing(f, &c)) continue;
            if (s < -PEG_INSIDE || s > 1 + PEG_INSIDE || t < -PEG_INSIDE || t > 1 + PEG_INSIDE)
                continue;
            if (!touches_a(f, 1, i, c.normal) || !touches_b(f, 1, j, c.normal)) continue;
            peg_contact_rows(f->I, f->p, f->u, &c, f->out);
        }
}

/* Vertices, or a vertex and an edge. */
static void round_row(const finder *f, peg_row_kind kind, int i, int j)
{
    peg_feature_contact c;
    peg_round_contact(f->I, f->pair, kind, i, j, &c);
    if (!is_facing(f, &c)) return;
    if (!touches_a(f, kind == PEG_ROW_EV, i, c.normal) ||
        !touches_b(f, kind == PEG_ROW_VE, j, c.normal))
        return;
    peg_contact_rows(f->I, f->p, f->u, &c, f->out);
}

static int is_on_edge(const peg_view *view, int e, const double *p)
{
    const int *v = view->shape->edge[e].v;
    double t = peg_along_segment(p, view->vertex[v[0]], view->vertex[v[1]]);
    return t >= -PEG_INSIDE && t <= 1 + PEG_INSIDE;
}

static void round_rows(const finder *f)
{
    const peg_polytope *A = f->A->shape, *B = f->B->shape;
    for (int i = 0; i < A->nv; i++) {
        for (int j = 0; j < B->nv; j++) round_row(f, PEG_ROW_VV, i, j);
        for (int j = 0; j < B->ne; j++)
            if (is_on_edge(f->B, j, f->A->vertex[i])) round_row(f, PEG_ROW_VE, i, j);
    }
    for (int i = 0; i < A->ne; i++)
        for (int j = 0; j < B->nv; j++)
            if (is_on_edge(f->A, i, f->B->vertex[j])) round_row(f, PEG_ROW_EV, i, j);
}

void peg_nearest_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    finder f = {.I = I, .u = u, .out = out, .p = p, .pair = pair};
    f.A = &I->piece[pair->a].now;
    f.B = &I->piece[pair->b].now;
    f.to_a = lean_along(f.B, f.axis_b);
    f.to_b = lean_along(f.A, f.axis_a);
    vertex_face_rows(&f, PEG_ROW_VF);
    vertex_face_rows(&f, PEG_ROW_FV);
    edge_edge_rows(&f);
    round_rows(&f);
}

/* Distance of the features, against `side` if they have passed each other, and its direction. */
static double passed_distance(const peg_view *A, const peg_view *B, peg_facet_kind kind, int i,
                              int j, const double side[3], double n[3], double mid[3])
{
    double a[3], b[3];
    peg_nearest_points(A, B, kind, i, j, a, b);
    peg_sub(a, b, n);
    for (int k = 0; k < 3; k++) mid[k] = .5 * (a[k] + b[k]);
    double sign = peg_dot(n, side) < 0 ? -1 : 1, distance = peg_norm(n);
    for (int k = 0; k < 3; k++) n[k] *= sign;
    return sign * distance;
}

void peg_round_contact(const peg_island *I, const peg_pair *pair, peg_row_kind kind, int i, int j,
                       peg_feature_contact *c)
{
    const peg_piece *A = &I->piece[pair->a], *B = &I->piece[pair->b];
    peg_facet_kind features = (peg_facet_kind)kind;
    double now[3], before[3], mid[3], mid0[3], round = peg_pair_round(A->now.shape, B->now.shape);
    *c = (peg_feature_contact){.kind = kind, .i = i, .j = j};
    double distance = passed_distance(&A->now, &B->now, features, i, j, pair->facet.n, now, mid);
    peg_copy3(now, c->normal);
    if (!(peg_normalise(c->normal) > 0)) peg_copy3(pair->facet.n, c->normal);
    double distance0 =
        passed_distance(&A->start, &B->start, features, i, j, c->normal, before, mid0);
    double sum = fabs(distance) + fabs(distance0);
    for (int k = 0; k < 3; k++) {
        c->mid_normal[k] = sum > 0 ? (now[k] + before[k]) / sum : c->normal[k];
        c->mid_point[k] = .5 * (mid[k] + mid0[k]);
        c->point_a[k] = c->point_b[k] = mid[k];
    }
    c->gap = distance - round;
    c->gap0 = distance0 - round;
}
