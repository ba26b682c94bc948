/* Dilated parts: nearest points of their features, and the direction between these. */
#include "peg/collide/closest_features.h"

#include "peg/base/tolerance.h"
#include "peg/collide/disc.h"

static void axis_of(const peg_view *view, double axis[3])
{
    for (int k = 0; k < 3; k++) axis[k] = view->turn[3 * k + 2];
}

double peg_off_axis(const peg_view *view, const double n[3])
{
    double axis[3], across[3];
    axis_of(view, axis);
    peg_cross(axis, n, across);
    return peg_norm(across);
}

/* The point of an edge's line that is nearest to p, and where it is along the edge. */
static double foot(const peg_view *view, int edge, const double *p, double out[3])
{
    const int *v = view->shape->edge[edge].v;
    peg_vec3 d, r;
    peg_sub(view->vertex[v[1]], view->vertex[v[0]], d);
    peg_sub(p, view->vertex[v[0]], r);
    double t = peg_dot(r, d) / peg_dot(d, d);
    peg_add_scaled(view->vertex[v[0]], t, d, out);
    return t;
}

static peg_disc disc_of(const peg_view *view, int vertex)
{
    peg_disc disc = {.centre = view->vertex[vertex], .radius = view->shape->rim};
    axis_of(view, disc.axis);
    return disc;
}

/* Of a vertex of V and an edge of E. */
static double vertex_and_edge(const peg_view *V, const peg_view *E, int vertex, int edge,
                              double v[3], double e[3])
{
    const int *end = E->shape->edge[edge].v;
    if (peg_has_rim(V->shape)) {
        peg_disc disc = disc_of(V, vertex);
        return peg_disc_line(&disc, E->vertex[end[0]], E->vertex[end[1]], v, e);
    }
    peg_copy3(V->vertex[vertex], v);
    return foot(E, edge, v, e);
}

static void vertex_and_vertex(const peg_view *A, const peg_view *B, int i, int j, double a[3],
                              double b[3])
{
    peg_copy3(A->vertex[i], a);
    peg_copy3(B->vertex[j], b);
    int rim_a = peg_has_rim(A->shape), rim_b = peg_has_rim(B->shape);
    if (!rim_a && !rim_b) return;
    peg_disc on_a = disc_of(A, i), on_b = disc_of(B, j);
    if (rim_a && rim_b)
        peg_disc_disc(&on_a, &on_b, a, b);
    else if (rim_a)
        peg_disc_nearest(&on_a, B->vertex[j], a);
    else
        peg_disc_nearest(&on_b, A->vertex[i], b);
}

double peg_nearest_points(const peg_view *A, const peg_view *B, peg_feature_kind kind, int i, int j,
                          double a[3], double b[3])
{
    if (kind == PEG_FEATURES_EV) return vertex_and_edge(B, A, j, i, b, a);
    if (kind == PEG_FEATURES_VE) return vertex_and_edge(A, B, i, j, a, b);
    vertex_and_vertex(A, B, i, j, a, b);
    return 0;
}

int peg_may_be_between(const peg_view *A, const peg_view *B, peg_feature_kind kind, int i, int j,
                       double room)
{
    const peg_view *V = kind == PEG_FEATURES_EV ? B : A, *E = kind == PEG_FEATURES_EV ? A : B;
    peg_vec3 along, x, y;
    if (kind == PEG_FEATURES_VV || !peg_has_rim(V->shape)) return 1;
    int edge = kind == PEG_FEATURES_EV ? i : j;
    const int *end = E->shape->edge[edge].v;
    peg_disc disc = disc_of(V, kind == PEG_FEATURES_EV ? j : i);
    peg_edge_vector(E, E->shape->edge + edge, along);
    peg_add_scaled(E->vertex[end[0]], -room, along, x);
    peg_add_scaled(E->vertex[end[1]], room, along, y);
    return peg_disc_is_between(&disc, x, y);
}

void peg_near_points_of_edges(const peg_view *A, const peg_view *B, int i, int j, double a[3],
                              double b[3])
{
    const double *from_a = A->vertex[A->shape->edge[i].v[0]];
    const double *from_b = B->vertex[B->shape->edge[j].v[0]];
    double da[3], db[3], r[3];
    peg_edge_vector(A, &A->shape->edge[i], da);
    peg_edge_vector(B, &B->shape->edge[j], db);
    peg_sub(from_b, from_a, r);
    double aa = peg_dot(da, da), bb = peg_dot(db, db), ab = peg_dot(da, db);
    double ra = peg_dot(r, da), rb = peg_dot(r, db), whole = aa * bb - ab * ab;
    /* of the lines, and then within the edges */
    double ta = whole > 0 ? peg_max(0, peg_min(1, (ra * bb - ab * rb) / whole)) : 0.5;
    double tb = peg_max(0, peg_min(1, (ab * ta - rb) / bb));
    ta = peg_max(0, peg_min(1, (ra + ab * tb) / aa));
    peg_add_scaled(from_a, ta, da, a);
    peg_add_scaled(from_b, tb, db, b);
}

double peg_radius_of_a(const peg_view *A, peg_feature_kind kind)
{
    int at_edge = kind == PEG_FEATURES_EV || kind == PEG_FEATURES_EE;
    return at_edge ? peg_across(A->shape) : A->shape->round;
}

double peg_radius_of_b(const peg_view *B, peg_feature_kind kind)
{
    int at_edge = kind == PEG_FEATURES_VE || kind == PEG_FEATURES_EE;
    return at_edge ? peg_across(B->shape) : B->shape->round;
}

void peg_lowest_point(const peg_view *view, int vertex, const double n[3], double out[3])
{
    double axis[3], down[3];
    peg_copy3(view->vertex[vertex], out);
    if (!peg_has_rim(view->shape)) return;
    axis_of(view, axis);
    peg_add_scaled(n, -peg_dot(n, axis), axis, down);
    if (!(peg_normalise(down) > PEG_ROUNDED)) return; /* all of the disc is */
    peg_add_scaled(down, -peg_dot(down, axis), axis, down);
    peg_add_scaled(out, -view->shape->rim, down, out);
}

/* Features nearer than this, of the parts' sizes, have no direction between them. */
static const double SAME_PLACE = 1e-13;

/* Sine of the angle below which directions count as parallel. */
static const double PARALLEL = 1e-6;

/* Share of a disc's radius from which on a point of it lies on the rim. */
static const double ON_RIM = 1 - 1e-9;

/* Direction along a feature at the point where it is touched: of an edge, or of the rim of a disc;
 * 0 if there is none: a vertex, or the inside of a disc, unless the features have met. */
static int tangent_at(const peg_view *view, int is_edge, int i, const double *point, int met,
                      peg_vec3 out)
{
    if (is_edge) {
        peg_edge_vector(view, view->shape->edge + i, out);
        peg_normalise(out);
        return 1;
    }
    if (!peg_has_rim(view->shape)) return 0;
    peg_vec3 axis, radial;
    axis_of(view, axis);
    peg_sub(point, view->vertex[i], radial);
    if (!met && peg_norm(radial) < ON_RIM * view->shape->rim) return 0;
    peg_cross(axis, radial, out);
    return peg_normalise(out) > PARALLEL * view->shape->rim;
}

/* A unit vector across t, near to n if that is across it. */
static void some_normal(const peg_vec3 t, peg_vec3 n)
{
    peg_add_scaled(n, -peg_dot(n, t), t, n);
    if (peg_norm(n) < .5) {
        int k = fabs(t[0]) < .6 ? 0 : 1;
        memset(n, 0, sizeof(peg_vec3));
        n[k] = 1;
        peg_add_scaled(n, -t[k], t, n);
    }
    peg_normalise(n);
}

int peg_normal_between(const peg_view *A, const peg_view *B, const peg_facet *facet,
                       const peg_vec3 a, const peg_vec3 b, peg_vec3 n)
{
    peg_vec3 d, t[2] = {{0}};
    peg_feature_kind kind = facet->kind;
    peg_sub(a, b, d);
    int met = peg_norm(d) <= SAME_PLACE * (A->shape->radius + B->shape->radius);
    int along = tangent_at(A, kind == PEG_FEATURES_EV, facet->i, a, met, t[0]);
    along += tangent_at(B, kind == PEG_FEATURES_VE, facet->j, b, met, t[along]);
    const double *side = met ? facet->n : d;
    peg_cross(t[0], t[1], n);
    if (along == 2 && peg_norm(n) > PARALLEL) {
        double sign = peg_dot(n, side) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) n[k] *= sign;
        peg_normalise(n);
        return met;
    }
    peg_copy3(side, n);
    peg_normalise(n);
    if (along || met) some_normal(t[0], n);
    return met;
}

int peg_round_normal(const peg_view *A, const peg_view *B, const peg_facet *facet, peg_vec3 n)
{
    peg_vec3 a, b;
    peg_nearest_points(A, B, facet->kind, facet->i, facet->j, a, b);
    return peg_normal_between(A, B, facet, a, b, n);
}

/* The nearest features so far. */
typedef struct nearest {
    const peg_view *A, *B;
    peg_facet facet;
    double gap;      /* m */
    double radii[3]; /* of both parts at features of a kind, from PEG_FEATURES_VV on, m */
    peg_disc disc_a, disc_b;
    const double *n;     /* a direction along which both are far apart, .. */
    double dip_a, dip_b; /* .. how far discs reach along it, m */
    double crossing;     /* sine between the axes of both */
} nearest;

/* Vertices that heights are kept of. */
enum { MOST_HEIGHTS = 1024 };

/* What lies far apart along one direction is no nearer: so low the vertices of A reach, or discs
 * about them, and so high those of B. */
typedef struct slab {
    double a[MOST_HEIGHTS], b[MOST_HEIGHTS];
    int lowest, highest; /* of A; of B */
} slab;

static void measure(const peg_view *A, const peg_view *B, const peg_vec3 n, slab *s)
{
    s->lowest = s->highest = 0;
    for (int i = 0; i < A->shape->nv; i++) {
        s->a[i] = peg_dot(n, A->vertex[i]) - A->shape->rim;
        if (s->a[i] < s->a[s->lowest]) s->lowest = i;
    }
    for (int j = 0; j < B->shape->nv; j++) {
        s->b[j] = peg_dot(n, B->vertex[j]) + B->shape->rim;
        if (s->b[j] > s->b[s->highest]) s->highest = j;
    }
}

/* Room for the rounding of a distance, relative to the sizes. */
static const double ROUNDED = 1e-12;

/* How far features of a kind may be apart to be nearer. */
static double most_of(const nearest *best, peg_feature_kind kind)
{
    return best->gap + best->radii[kind - PEG_FEATURES_VV];
}

/* A pair of features that are so far apart, but for their radii. */
static void take_nearer(nearest *best, peg_feature_kind kind, int i, int j, double distance)
{
    double gap = distance - best->radii[kind - PEG_FEATURES_VV];
    if (!(gap < best->gap)) return;
    best->gap = gap;
    best->facet.kind = kind, best->facet.i = i, best->facet.j = j;
}

/* Whether two discs, or those and a point, d from centre to centre, are so far apart along n or one
 * of their axes. */
static int are_discs_apart(const nearest *best, const double d[3], double most)
{
    double rim_a = best->A->shape->rim, rim_b = best->B->shape->rim;
    most += ROUNDED * (best->A->shape->radius + best->B->shape->radius);
    return fabs(peg_dot(best->n, d)) - best->dip_a - best->dip_b >= most ||
           (rim_a > 0 && fabs(peg_dot(best->disc_a.axis, d)) - rim_b * best->crossing >= most) ||
           (rim_b > 0 && fabs(peg_dot(best->disc_b.axis, d)) - rim_a * best->crossing >= most);
}

/* Discs are no nearer to each other than their centres less their radii. */
static void try_vertices(nearest *best, int i, int j)
{
    const peg_view *A = best->A, *B = best->B;
    double rim_a = A->shape->rim, rim_b = B->shape->rim;
    double most = most_of(best, PEG_FEATURES_VV), far = most + rim_a + rim_b;
    peg_vec3 a, b, d;
    peg_sub(A->vertex[i], B->vertex[j], d);
    if (peg_dot(d, d) >= far * far) return;
    if (rim_a > 0 || rim_b > 0) {
        if (are_discs_apart(best, d, most)) return;
        vertex_and_vertex(A, B, i, j, a, b);
        peg_sub(a, b, d);
    }
    take_nearer(best, PEG_FEATURES_VV, i, j, peg_norm(d));
}

/* How far a disc and an edge, from x to y, are apart where that is less than `most` between its
 * ends; else infinity. */
static double disc_and_edge(const peg_disc *disc, const double *x, const double *y, double most)
{
    peg_vec3 d, on_disc, on_edge;
    peg_sub(x, disc->centre, d);
    double from = peg_dot(d, disc->axis);
    peg_sub(y, disc->centre, d);
    double to = peg_dot(d, disc->axis);
    if (from * to > 0 && peg_min(fabs(from), fabs(to)) >= most) return INFINITY;
    if (!peg_disc_is_between(disc, x, y)) return INFINITY;
    double t = peg_disc_line(disc, x, y, on_disc, on_edge);
    peg_sub(on_disc, on_edge, d);
    return t > 0 && t < 1 ? peg_norm(d) : INFINITY;
}

/* A vertex of V and an edge of E: of a disc, if the edge's line is not farther from its centre than
 * the nearest so far and the radius. */
static void try_edge(nearest *best, int v, int e, int of_a)
{
    const peg_view *V = of_a ? best->A : best->B, *E = of_a ? best->B : best->A;
    peg_feature_kind kind = of_a ? PEG_FEATURES_VE : PEG_FEATURES_EV;
    peg_disc *disc = of_a ? &best->disc_a : &best->disc_b;
    const int *end = E->shape->edge[e].v;
    const double *x = E->vertex[end[0]], *y = E->vertex[end[1]];
    double rim = V->shape->rim, most = most_of(best, kind), far = most + rim;
    peg_vec3 d, r;
    disc->centre = V->vertex[v];
    peg_sub(y, x, d);
    peg_sub(disc->centre, x, r);
    double along = peg_dot(r, d), dd = peg_dot(d, d);
    if (!(rim > 0) && !(along > 0 && along < dd)) return;
    peg_add_scaled(r, -along / dd, d, r);
    double square = peg_dot(r, r);
    if (square >= far * far) return;
    double distance = rim > 0 ? disc_and_edge(disc, x, y, most) : sqrt(square);
    take_nearer(best, kind, of_a ? v : e, of_a ? e : v, distance);
}

/* An edge whose ends are this high above a vertex, or more. */
static int is_too_high(const nearest *best, peg_feature_kind kind, double by, double or_by)
{
    return peg_min(by, or_by) >= most_of(best, kind);
}

/* Of polytopes with many features: those that are near to each other along n. */
static void try_in_slab(nearest *best, const peg_vec3 n)
{
    const peg_polytope *P = best->A->shape, *Q = best->B->shape;
    slab s;
    measure(best->A, best->B, n, &s);
    double low = s.a[s.lowest], high = s.b[s.highest];
    try_vertices(best, s.lowest, s.highest);
    for (int i = 0; i < P->nv; i++) {
        for (int j = 0; j < Q->nv && s.a[i] - high < most_of(best, PEG_FEATURES_VV); j++)
            if (s.a[i] - s.b[j] < most_of(best, PEG_FEATURES_VV)) try_vertices(best, i, j);
    }
    for (int e = 0; e < Q->ne; e++) {
        double b0 = s.b[Q->edge[e].v[0]], b1 = s.b[Q->edge[e].v[1]];
        if (is_too_high(best, PEG_FEATURES_VE, low - b0, low - b1)) continue;
        for (int i = 0; i < P->nv; i++)
            if (!is_too_high(best, PEG_FEATURES_VE, s.a[i] - b0, s.a[i] - b1))
                try_edge(best, i, e, 1);
    }
    for (int e = 0; e < P->ne; e++) {
        double a0 = s.a[P->edge[e].v[0]], a1 = s.a[P->edge[e].v[1]];
        if (is_too_high(best, PEG_FEATURES_EV, a0 - high, a1 - high)) continue;
        for (int j = 0; j < Q->nv; j++)
            if (!is_too_high(best, PEG_FEATURES_EV, a0 - s.b[j], a1 - s.b[j]))
                try_edge(best, j, e, 0);
    }
}

static void find_discs(nearest *best, const double n[3])
{
    const peg_view *A = best->A, *B = best->B;
    best->n = n;
    if (peg_has_rim(A->shape)) {
        best->disc_a = disc_of(A, 0);
        best->dip_a = A->shape->rim * peg_off_axis(A, n);
    }
    if (peg_has_rim(B->shape)) {
        best->disc_b = disc_of(B, 0);
        best->dip_b = B->shape->rim * peg_off_axis(B, n);
    }
    if (peg_has_rim(A->shape) && peg_has_rim(B->shape))
        best->crossing = peg_off_axis(A, best->disc_b.axis);
}

peg_facet peg_nearest_features(const peg_view *A, const peg_view *B, const double n[3])
{
    nearest best = {.A = A, .B = B, .gap = INFINITY};
    for (int k = 0; k < 3; k++) {
        peg_feature_kind kind = PEG_FEATURES_VV + k;
        best.radii[k] = peg_radius_of_a(A, kind) + peg_radius_of_b(B, kind);
    }
    find_discs(&best, n);
    int is_tall = peg_is_rounded(A->shape) || peg_is_rounded(B->shape);
    if (is_tall && A->shape->nv <= MOST_HEIGHTS && B->shape->nv <= MOST_HEIGHTS) {
        try_in_slab(&best, n);
        return best.facet;
    }
    for (int i = 0; i < A->shape->nv; i++)
        for (int j = 0; j < B->shape->nv; j++) try_vertices(&best, i, j);
    for (int i = 0; i < A->shape->nv; i++)
        for (int e = 0; e < B->shape->ne; e++) try_edge(&best, i, e, 1);
    for (int j = 0; j < B->shape->nv; j++)
        for (int e = 0; e < A->shape->ne; e++) try_edge(&best, j, e, 0);
    return best.facet;
}
