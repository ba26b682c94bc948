/* Contacts of feature pairs: contact point, normal, and gap at q_0 and at q_k. */
#include "peg/contact/feature_contact.h"

#include "peg/collide/closest_features.h"
#include "peg/collide/features.h"
#include "peg/collide/normal_cone.h"

/* --- a vertex and a face --- */

peg_facing peg_facing_of(const peg_pair *pair, const peg_pair_pose *at, peg_feature_kind kind)
{
    peg_facing f = {.kind = kind};
    double sign = kind == PEG_FEATURES_VF ? 1 : -1;
    f.upper = kind == PEG_FEATURES_VF ? &at->a : &at->b;
    f.lower = kind == PEG_FEATURES_VF ? &at->b : &at->a;
    for (int k = 0; k < 3; k++) f.d[k] = sign * pair->facet.n[k];
    return f;
}

/* Distance of w beyond the ends of side f of a polygon. */
static double beyond_ends(const peg_view *view, int f, const double *w, const double *along)
{
    const int *end = view->shape->face_vertex + view->shape->face_start[f];
    double side[3], from[3], to[3];
    peg_sub(view->vertex[end[1]], view->vertex[end[0]], side);
    peg_add_scaled(side, -peg_dot(side, along), along, side);
    peg_normalise(side);
    peg_sub(view->vertex[end[0]], w, from);
    peg_sub(w, view->vertex[end[1]], to);
    return fmax(peg_dot(side, from), peg_dot(side, to));
}

/* Distance of w beyond the rim of cap f. */
static double beyond_rim(const peg_view *view, int f, const double *w, const double *along)
{
    double d[3];
    peg_sub(w, view->vertex[f], d);
    peg_add_scaled(d, -peg_dot(d, along), along, d);
    return peg_norm(d) - view->shape->rim;
}

int peg_is_beside(const peg_view *view, int f, const double *w, const double *along, double room)
{
    const peg_polytope *P = view->shape;
    if (peg_is_half_space(P)) return 0;
    if (peg_is_flat(P)) return beyond_ends(view, f, w, along) > room;
    if (peg_has_rim(P)) return beyond_rim(view, f, w, along) > room;
    int first = P->face_start[f], last = P->face_start[f + 1];
    const double *a = view->vertex[P->face_vertex[last - 1]];
    for (int t = first; t < last; t++) {
        const double *b = view->vertex[P->face_vertex[t]];
        double e[3], r[3], out[3];
        peg_sub(b, a, e);
        peg_sub(w, a, r);
        peg_cross(e, along, out);
        double beyond = peg_dot(out, r);
        if (beyond > 0 && beyond * beyond > room * room * peg_dot(out, out)) return 1;
        a = b;
    }
    return 0;
}

/* Points on each rim, evenly spaced. */
enum { ON_RIM = 8 };

int peg_rim_points(const peg_polytope *shape)
{
    return peg_has_rim(shape) ? ON_RIM * shape->nv : 0;
}

/* Contact of a vertex, or of a point of a rim, with a face of normal n. */
static void vertex_point(const peg_view *view, int i, const double *n, double out[3])
{
    int nv = view->shape->nv;
    if (i < nv) {
        peg_lowest_point(view, i, n, out);
        return;
    }
    double angle = 2 * PEG_PI / ON_RIM * ((i - nv) % ON_RIM), rim = view->shape->rim;
    double local[3] = {rim * cos(angle), rim * sin(angle), 0};
    peg_rotate(view->turn, local, out);
    peg_add_scaled(out, 1, view->vertex[(i - nv) / ON_RIM], out);
}

/* Contact of a point of the upper part, w now and w0 at the start, with a face of the lower one, at
 * a distance. */
static peg_feature_contact point_over_face(const peg_facing *f, const double *w, const double *w0,
                                           double distance, double distance0, int face)
{
    const peg_view *D = f->lower->now, *D0 = f->lower->start;
    double sign = f->kind == PEG_FEATURES_VF ? 1 : -1;
    peg_feature_contact c = {.kind = f->kind};
    for (int k = 0; k < 3; k++) {
        c.normal[k] = sign * D->normal[face][k];
        c.mid_normal[k] = sign * 0.5 * (D0->normal[face][k] + D->normal[face][k]);
        c.point_a[k] = c.point_b[k] = w[k];
        c.mid_point[k] = 0.5 * (w0[k] + w[k]);
    }
    c.gap = peg_dot(D->normal[face], w) - D->offset[face] - distance;
    c.gap0 = peg_dot(D0->normal[face], w0) - D0->offset[face] - distance0;
    return c;
}

peg_feature_contact peg_vertex_face(const peg_facing *f, int vertex, int face)
{
    const peg_view *U = f->upper->now, *D = f->lower->now;
    double w[3], w0[3];
    vertex_point(U, vertex, D->normal[face], w);
    vertex_point(f->upper->start, vertex, f->lower->start->normal[face], w0);
    double round = U->shape->round + D->shape->round;
    peg_feature_contact c = point_over_face(f, w, w0, round, round, face);
    c.i = vertex, c.j = face;
    return c;
}

/* How far a part reaches from its edge along n, m. */
static double reach_across(const peg_view *view, const double *n)
{
    const peg_polytope *P = view->shape;
    return P->round + (peg_has_rim(P) ? P->rim * peg_off_axis(view, n) : 0);
}

peg_feature_contact peg_edge_cap(const peg_facing *f, int edge, double t, int cap)
{
    const peg_view *U = f->upper->now, *U0 = f->upper->start;
    const int *v = U->shape->edge[edge].v;
    double w[3], w0[3], across = reach_across(U, f->lower->now->normal[cap]);
    int of_a = f->kind == PEG_FEATURES_VF;
    for (int k = 0; k < 3; k++) {
        w[k] = (1 - t) * U->vertex[v[0]][k] + t * U->vertex[v[1]][k];
        w0[k] = (1 - t) * U0->vertex[v[0]][k] + t * U0->vertex[v[1]][k];
    }
    double across0 = reach_across(U0, f->lower->start->normal[cap]);
    peg_feature_contact c = point_over_face(f, w, w0, across, across0, cap);
    c.kind = of_a ? PEG_FEATURES_EV : PEG_FEATURES_VE;
    c.i = of_a ? edge : cap, c.j = of_a ? cap : edge;
    for (int k = 0; k < 3; k++) { /* to the middle of the features */
        double half = (of_a ? -.5 : .5) * across;
        c.point_a[k] = c.point_b[k] = w[k] + half * c.normal[k];
        c.mid_point[k] += half * c.mid_normal[k];
    }
    return c;
}

/* --- two edges --- */

/* Sine of the angle between edges below which their normal at q_0 is unknown, and cosine of the
 * rotation of the normal since q_0; beyond either the normal at q_k serves for both poses. */
static const double PARALLEL_AT_START = 1e-9, SAME_SIDE = 0.5;

/* The lines of two edges at q_k. */
typedef struct crossing {
    const double *a, *b; /* first ends */
    peg_vec3 along_a, along_b, across;
    double square, lengths; /* of across, and of both edges, m^4 and m^2 */
} crossing;

/* Returns 0 if the edges are parallel. */
static inline int cross_lines(const peg_view *A, const peg_view *B, int i, int j, crossing *c)
{
    const int *ea = A->shape->edge[i].v, *eb = B->shape->edge[j].v;
    c->a = A->vertex[ea[0]], c->b = B->vertex[eb[0]];
    peg_sub(A->vertex[ea[1]], c->a, c->along_a);
    peg_sub(B->vertex[eb[1]], c->b, c->along_b);
    peg_cross(c->along_a, c->along_b, c->across);
    c->square = peg_dot(c->across, c->across);
    c->lengths = sqrt(peg_dot(c->along_a, c->along_a) * peg_dot(c->along_b, c->along_b));
    return !(sqrt(c->square) < PEG_PARALLEL * c->lengths);
}

/* The normal between the lines, into A. */
static inline void normal_of(const crossing *c, const peg_pair *pair, double n[3])
{
    double sign = peg_dot(c->across, pair->facet.n) > 0 ? 1 : -1, l = sqrt(c->square);
    for (int k = 0; k < 3; k++) n[k] = sign * c->across[k] / l;
}

/* Nearest points of the lines at q_k, parameters along the edges, and the same material points at
 * q_0. Returns 0 if the edges are parallel. */
int peg_edge_edge(const peg_pair *pair, const peg_pair_pose *at, int i, int j,
                  peg_feature_contact *c, double *s, double *t)
{
    const peg_view *A = at->a.now, *B = at->b.now, *A0 = at->a.start, *B0 = at->b.start;
    const int *ea = A->shape->edge[i].v, *eb = B->shape->edge[j].v;
    crossing x;
    double w[3], y[3];
    if (!cross_lines(A, B, i, j, &x)) return 0;
    peg_sub(x.b, x.a, w);
    peg_cross(w, x.along_b, y);
    *s = peg_dot(y, x.across) / x.square;
    peg_cross(w, x.along_a, y);
    *t = peg_dot(y, x.across) / x.square;
    double sign = peg_dot(x.across, pair->facet.n) > 0 ? 1 : -1;
    const double *c0 = A0->vertex[ea[0]], *c1 = A0->vertex[ea[1]];
    const double *d0 = B0->vertex[eb[0]], *d1 = B0->vertex[eb[1]];
    double fa[3], fb[3], n0[3], apart[3], apart0[3];
    peg_sub(c1, c0, fa);
    peg_sub(d1, d0, fb);
    peg_cross(fa, fb, n0);
    double l0 = peg_norm(n0);
    c->kind = PEG_FEATURES_EE, c->i = i, c->j = j;
    normal_of(&x, pair, c->normal);
    for (int k = 0; k < 3; k++) {
        double qa = c0[k] + *s * fa[k], qb = d0[k] + *t * fb[k];
        c->point_a[k] = x.a[k] + *s * x.along_a[k];
        c->point_b[k] = x.b[k] + *t * x.along_b[k];
        apart[k] = c->point_a[k] - c->point_b[k];
        apart0[k] = qa - qb;
        n0[k] *= l0 > 0 ? sign / l0 : 0;
        c->mid_point[k] = 0.25 * (qa + qb + c->point_a[k] + c->point_b[k]);
        c->mid_normal[k] = 0.5 * (n0[k] + c->normal[k]);
    }
    double round = peg_across(A->shape) + peg_across(B->shape);
    for (int k = 0; k < 3 && round > 0; k++)
        c->point_a[k] = c->point_b[k] = .5 * (c->point_a[k] + c->point_b[k]);
    c->gap = peg_dot(c->normal, apart) - round;
    c->gap0 = peg_dot(n0, apart0) - round;
    if (l0 < PARALLEL_AT_START * x.lengths || peg_dot(n0, c->normal) < SAME_SIDE) {
        /* the normal at q_0 is not that of this pair of edges */
        c->gap0 = c->gap;
        peg_copy3(c->normal, c->mid_normal);
    }
    return 1;
}

/* --- round features --- */

/* Signed distance of features and the unit vector along it, from their nearest points; negative
 * against `side` (unit) if they have passed each other. Of intersecting rims the distance is
 * measured along `side`: their nearest points are arbitrary. */
static double passed_distance(const peg_view *A, const peg_view *B, const peg_feature_contact *c,
                              const double side[3], double a[3], double b[3], double n[3])
{
    double d[3], back[3];
    peg_facet facet = {.kind = c->kind, .i = c->i, .j = c->j};
    peg_copy3(side, facet.n);
    int met = peg_normal_between(A, B, &facet, a, b, n);
    double sign = peg_dot(n, side) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] *= sign, back[k] = -n[k];
    if (met && peg_has_rim(A->shape) && c->kind != PEG_FEATURES_EV) peg_lowest_point(A, c->i, n, a);
    if (met && peg_has_rim(B->shape) && c->kind != PEG_FEATURES_VE)
        peg_lowest_point(B, c->j, back, b);
    peg_sub(a, b, d);
    return peg_dot(n, d);
}

static double radii(const peg_view *A, const peg_view *B, const peg_feature_contact *c)
{
    return peg_radius_of_a(A, c->kind) + peg_radius_of_b(B, c->kind);
}

/* Contact at q_k from the nearest points of two features. */
void peg_round_contact_now(const peg_pair *pair, const peg_pair_pose *at, double a[3], double b[3],
                           peg_feature_contact *c)
{
    const peg_view *A = at->a.now, *B = at->b.now;
    c->gap = passed_distance(A, B, c, pair->facet.n, a, b, c->normal) - radii(A, B, c);
    for (int k = 0; k < 3; k++) c->point_a[k] = c->point_b[k] = .5 * (a[k] + b[k]);
}

/* Normal between that of q_0, `before`, and that of q_k; a, b: the nearest points. */
static void half_way(const double a[3], const double b[3], const double before[3], double round,
                     peg_feature_contact *c)
{
    double distance = c->gap + round, sum = distance + c->gap0 + round;
    double share = sum > 0 ? distance / sum : .5;
    for (int k = 0; k < 3; k++) {
        c->mid_normal[k] = share * c->normal[k] + (1 - share) * before[k];
        c->mid_point[k] = .5 * (c->point_a[k] + .5 * (a[k] + b[k]));
    }
}

/* The gap of the same material points at q_0. */
void peg_round_contact_since(const peg_pair_pose *at, peg_feature_contact *c)
{
    const peg_view *A = at->a.start, *B = at->b.start;
    double a[3], b[3], before[3], round = radii(A, B, c);
    peg_nearest_points(A, B, c->kind, c->i, c->j, a, b);
    c->gap0 = passed_distance(A, B, c, c->normal, a, b, before) - round;
    half_way(a, b, before, round, c);
}

void peg_round_contact(const peg_pair *pair, const peg_pair_pose *at, peg_feature_kind kind, int i,
                       int j, peg_feature_contact *c)
{
    double a[3], b[3];
    *c = (peg_feature_contact){.kind = kind, .i = i, .j = j};
    peg_nearest_points(at->a.now, at->b.now, kind, i, j, a, b);
    peg_round_contact_now(pair, at, a, b, c);
    peg_round_contact_since(at, c);
}

/* --- meshes --- */

/* Whether feature i of a piece can be touched along n, out of it. */
static int can_touch(const peg_island *I, const peg_view *view, int from_out,
                     peg_feature_type feature, int i, const double *n)
{
    const peg_slope_tolerance tolerance = {I->settings->relative_rotation, NULL, from_out};
    if (!peg_is_triangle(view->shape)) return 1;
    if (feature == PEG_FACE) return peg_face_can_touch(view, i, &tolerance);
    return feature == PEG_VERTEX ? peg_vertex_can_touch(view, i, n, &tolerance)
                                 : peg_edge_can_touch(view, i, n, &tolerance);
}

/* Whether a mesh on either side can be touched by the row. */
int peg_may_touch(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                  const peg_feature_contact *c)
{
    const peg_view *A = at->a.now, *B = at->b.now;
    const double *n = c->normal, back[3] = {-n[0], -n[1], -n[2]};
    int swap = c->kind == PEG_FEATURES_FV;
    return pair->tried.stuck || (can_touch(I, swap ? B : A, pair->from_out[swap],
                                           peg_feature_of(c->kind, 0), c->i, swap ? n : back) &&
                                 can_touch(I, swap ? A : B, pair->from_out[!swap],
                                           peg_feature_of(c->kind, 1), c->j, swap ? back : n));
}

int peg_edges_may_touch(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at, int i,
                        int j)
{
    const peg_view *A = at->a.now, *B = at->b.now;
    crossing x;
    double n[3];
    if (!cross_lines(A, B, i, j, &x)) return 0;
    normal_of(&x, pair, n);
    if (peg_dot(n, pair->facet.n) < PEG_FACING) return 0;
    double back[3] = {-n[0], -n[1], -n[2]};
    return pair->tried.stuck || (can_touch(I, A, pair->from_out[0], PEG_EDGE, i, back) &&
                                 can_touch(I, B, pair->from_out[1], PEG_EDGE, j, n));
}
