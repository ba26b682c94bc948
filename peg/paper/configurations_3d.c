/* The configurations of space [W 5.2]: vertex-face [W 34], edge-edge [W 35], vertex-edge [W 36] and
 * vertex-vertex [W 37-38].
 *
 * The U- and I-constraints of a vertex are those of the plane, over the faces in its reach: one
 * face is vertex-face, the two of an edge vertex-edge, more of them vertex-vertex. Edge pairs that
 * come nearest well within both edges are U; nearer to an end they are vertex-edge or
 * vertex-vertex, where they take part in X only. */
#include "peg/paper/paper.h"

/* Share of its length in which an edge counts as its end: rounding. With .02 and .1 of it, where
 * edge contacts are left to X, which has but one impulse, more bodies get into each other. */
static const double END = 1e-6;

/* --- edge-edge --- */

/* Marks the edges of which both ends are out of reach beyond one face of the other part. */
static unsigned char *mark_near_edges(peg_island *I, const peg_view *of, const peg_view *other,
                                      double reach)
{
    const peg_polytope *shape = of->shape;
    unsigned char *near = PEG_NEW(I->arena, unsigned char, shape->ne);
    if (!near) {
        I->failed = 1;
        return NULL;
    }
    for (int e = 0; e < shape->ne; e++) {
        near[e] = 1;
        for (int f = 0; f < other->shape->nf && near[e]; f++) {
            const double *n = other->normal[f], limit = other->offset[f] + reach;
            near[e] = peg_dot(n, of->vertex[shape->edge[e].v[0]]) <= limit ||
                      peg_dot(n, of->vertex[shape->edge[e].v[1]]) <= limit;
        }
    }
    return near;
}

static void edge_pair(peg_constraints *c, int ea, int eb, double reach)
{
    double s, t;
    if (peg_edge_edge_nearest(c, ea, eb, &s, &t) > reach) return;
    if (fmin(fmin(s, 1 - s), fmin(t, 1 - t)) < END) return;
    int contact = peg_edge_edge_contact(c, ea, eb);
    if (contact >= 0 && c->contact[contact].feasible && peg_is_applicable(c, contact))
        peg_add_constraint(c, PEG_UNILATERAL, &contact, 1, 1);
}

static void edge_constraints(peg_constraints *c)
{
    peg_side side = peg_side_of(c, PEG_FEATURES_VF);
    const peg_view *A = side.vertices, *B = side.faces;
    double reach = c->island->pair[c->pair].reach;
    unsigned char *near_a = mark_near_edges(c->island, A, B, reach);
    unsigned char *near_b = mark_near_edges(c->island, B, A, reach);
    if (!near_a || !near_b) return;
    for (int i = 0; i < A->shape->ne; i++)
        for (int j = 0; j < B->shape->ne && near_a[i] && !c->island->failed; j++)
            if (near_b[j]) edge_pair(c, i, j, reach);
}

/* --- X --- */

/* The contact of an edge at the vertex' part with one of the other part; -1 unless it is applicable
 * and feasible. */
static int able_edges(peg_constraints *c, const peg_side *side, int at_vertex, int other)
{
    int forward = side->kind == PEG_FEATURES_VF;
    int contact =
        peg_edge_edge_contact(c, forward ? at_vertex : other, forward ? other : at_vertex);
    if (contact < 0 || !c->contact[contact].feasible || !peg_is_applicable(c, contact)) return -1;
    return contact;
}

/* Along an edge away from a vertex that it ends at; 0: it does not. */
static int edge_from(const peg_view *view, int edge, int v, double e[3])
{
    const int *end = view->shape->edge[edge].v;
    if (end[0] != v && end[1] != v) return 0;
    peg_sub(view->vertex[end[0] == v ? end[1] : end[0]], view->vertex[v], e);
    return 1;
}

/* |e . O| from which on an edge counts, e of unit length. */
static double least_orientation(const peg_view *view, int v, const double O[3], double share)
{
    double most = 0, e[3];
    for (int i = 0; i < view->shape->ne && share > 0; i++)
        if (edge_from(view, i, v, e)) most = fmax(most, fabs(peg_dot(e, O)) / peg_norm(e));
    return share * most;
}

/* [W 36]: X({C_ei},{C_1}), X({C_ej},{C_2}), e_i the edges at the vertex on the side of f_1, where
 * e . O_eb > 0 with the orientation O_eb = (eta_1 + eta_2) x e_b [W 27]; limited to those with
 * large |e . O_eb| if settings.paper_edges says so. */
static void vertex_edge(peg_constraints *c, const peg_side *side, int v, int eb)
{
    const peg_view *U = side->vertices, *D = side->faces;
    const peg_edge *edge = &D->shape->edge[eb];
    double sum[3], along[3], orientation[3];
    peg_add_scaled(D->normal[edge->f[0]], 1, D->normal[edge->f[1]], sum);
    peg_sub(D->vertex[edge->v[1]], D->vertex[edge->v[0]], along);
    peg_cross(sum, along, orientation);
    double least = least_orientation(U, v, orientation, c->island->settings->paper_edges);
    for (int half = 0; half < 2; half++) {
        int alternatives[PEG_NEAR_MOST], count = 0;
        for (int e = 0; e < U->shape->ne && count < PEG_NEAR_MOST - 1; e++) {
            double d[3];
            if (!edge_from(U, e, v, d)) continue;
            double along_O = peg_dot(d, orientation);
            if ((along_O > 0) != (half == 0) || fabs(along_O) < least * peg_norm(d)) continue;
            int contact = able_edges(c, side, e, eb);
            if (contact >= 0) alternatives[count++] = contact;
        }
        int own = peg_vertex_face_contact(c, side, v, edge->f[half]);
        if (count == 0 || own < 0) continue;
        alternatives[count++] = own;
        peg_add_alternatives(c, PEG_CROSS_CONTACT, alternatives, count);
    }
}

/* Faces and edges at a vertex. */
static int touches(const peg_polytope *shape, int edge, int v, int face)
{
    const peg_edge *e = &shape->edge[edge];
    return (e->v[0] == v || e->v[1] == v) && (e->f[0] == face || e->f[1] == face);
}

static int is_corner_of(const peg_polytope *shape, int face, int v)
{
    for (int k = shape->face_start[face]; k < shape->face_start[face + 1]; k++)
        if (shape->face_vertex[k] == v) return 1;
    return 0;
}

/* [W 38]: X({C(v_a,f_b), C(v_b,f_a)}, {C(e_ar,e_bs)}) for one pair of faces at the vertices. */
static void face_pair(peg_constraints *c, int va, int vb, int fa, int fb)
{
    peg_side a = peg_side_of(c, PEG_FEATURES_VF), b = peg_side_of(c, PEG_FEATURES_FV);
    const peg_polytope *A = a.vertices->shape, *B = b.vertices->shape;
    int alternatives[6], count = 0;
    for (int i = 0; i < A->ne && count < 4; i++)
        for (int j = 0; j < B->ne && count < 4 && touches(A, i, va, fa); j++) {
            if (!touches(B, j, vb, fb)) continue;
            int contact = able_edges(c, &a, i, j);
            if (contact >= 0) alternatives[count++] = contact;
        }
    if (count == 0 || c->island->failed) return;
    alternatives[count++] = peg_vertex_face_contact(c, &a, va, fb);
    alternatives[count++] = peg_vertex_face_contact(c, &b, vb, fa);
    if (!c->island->failed) peg_add_alternatives(c, PEG_CROSS_CONTACT, alternatives, count);
}

static void vertex_vertex(peg_constraints *c, int va, int vb)
{
    peg_side a = peg_side_of(c, PEG_FEATURES_VF);
    const peg_polytope *A = a.vertices->shape, *B = a.faces->shape;
    for (int fa = 0; fa < A->nf; fa++)
        for (int fb = 0; fb < B->nf && is_corner_of(A, fa, va) && !c->island->failed; fb++)
            if (is_corner_of(B, fb, vb)) face_pair(c, va, vb, fa, fb);
}

static int nearest_vertex(const peg_view *view, const double *x, double *distance)
{
    int best = -1;
    *distance = INFINITY;
    for (int v = 0; v < view->shape->nv; v++) {
        double d[3];
        peg_sub(view->vertex[v], x, d);
        if (peg_norm(d) >= *distance) continue;
        *distance = peg_norm(d);
        best = v;
    }
    return best;
}

/* Edges of the other part that a vertex is nearest to within, not at their ends. */
static void vertex_edges(peg_constraints *c, const peg_side *side, int v, double reach)
{
    const peg_view *D = side->faces;
    for (int e = 0; e < D->shape->ne && !c->island->failed; e++) {
        double along[3], r[3];
        const double *a = D->vertex[D->shape->edge[e].v[0]];
        peg_sub(D->vertex[D->shape->edge[e].v[1]], a, along);
        peg_sub(side->vertices->vertex[v], a, r);
        double t = peg_dot(r, along) / peg_dot(along, along);
        peg_add_scaled(r, -t, along, r);
        if (t > END && t < 1 - END && peg_norm(r) <= reach) vertex_edge(c, side, v, e);
    }
}

static void cross_constraints(peg_constraints *c)
{
    double reach = c->island->pair[c->pair].reach;
    for (int kind = PEG_FEATURES_VF; kind <= PEG_FEATURES_FV; kind++) {
        peg_side side = peg_side_of(c, kind);
        const peg_view *U = side.vertices, *D = side.faces;
        for (int v = 0; v < U->shape->nv && !c->island->failed; v++) {
            double distance, back;
            int other = nearest_vertex(D, U->vertex[v], &distance);
            if (peg_vertex_reach(c, &side, v) < 0) continue;
            if (distance > reach) {
                vertex_edges(c, &side, v, reach);
            } else if (kind == PEG_FEATURES_VF && nearest_vertex(U, D->vertex[other], &back) == v) {
                vertex_vertex(c, v, other);
            }
        }
    }
}

void peg_space_constraints(peg_constraints *c, int cross)
{
    peg_side side = peg_side_of(c, PEG_FEATURES_VF);
    peg_vertex_constraints(c);
    if (c->island->failed || side.vertices->shape->ne == 0 || side.faces->shape->ne == 0) return;
    edge_constraints(c);
    if (cross && !c->island->failed) cross_constraints(c);
}
