/* What libccd supplies: a direction in which two parts are apart, and nearby features of them,
 * where a search for the widest facet starts. Only our own s_n counts.
 *
 * MPR casts a ray out of the Minkowski difference, from an inner point through the origin, until
 * its portal, a triangle of support points, lies on the surface. The inner point is the centre,
 * moved across n until it lies below the origin; n runs from centre to centre at first, later it is
 * the direction of the facet before. Shown part B so near to A that the origin lies just beside the
 * inner point, MPR finds the facet in front, whether the parts overlap or not. It hands out no
 * portal; but the last direction it asked for is the portal's normal, and the support points that
 * it was given and that are outermost along it are the portal's corners: so many vertices of A and
 * of B. One of A and three of B are on a face of B, two and two are edges.
 *
 * Half-spaces, flat parts and pairs of spheres, capsules, cylinders and triangles have so few
 * facets that all are tried. */
#include <ccd/ccd.h>

#include "peg/collide/closest_features.h"
#include "peg/collide/separation.h"

/* MPR's first phase is unbounded: after this many support calls it gets a point that ends it. */
enum { MOST_CALLS = 60, MOST_ITERATIONS = 30 };

/* Number of vertices of both parts from which on the start saves about its cost. Time saved of the
 * search's time, and cost, us: 40 vertices 1.3 of 2.9, 1.7; 100: 2.9 of 5.8, 2.6; 200: 5.2
 * of 10.4, 3.2; 1000: 15 of 44, 6. */
enum { WORTH_IT = 100 };

/* Offset of the origin from the inner point, in inner radii, and tolerance of the portal's distance
 * from the surface, in sizes. */
static const double BESIDE = 1e-3, ON_PORTAL = 1e-9;

/* A part as MPR sees it. */
typedef struct shown {
    const peg_view *view;
    peg_vec3 shift; /* m */
    peg_vec3 inner; /* inner point from its centre, m */
    double by;      /* its radius plus the inflation, m */
    double escape;  /* translation that separates it from the other part, m */
    double *asked;  /* the last direction, as seen by part A */
    int calls, at;  /* at: the last vertex */
    int vertex[MOST_CALLS];
} shown;

/* libccd passes objects as const; the counter of calls is therefore behind a pointer. */
static shown *object_of(const void *handle)
{
    return *(shown *const *)handle;
}

static void centre_of(const void *handle, ccd_vec3_t *out)
{
    const shown *o = object_of(handle);
    peg_add_scaled(o->view->centre, 1, o->shift, out->v);
    peg_add_scaled(out->v, 1, o->inner, out->v);
}

static void support_of(const void *handle, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    shown *o = object_of(handle);
    double length = peg_norm(dir->v), at[3];
    o->at = peg_support_vertex(o->view, dir->v, 1, o->at);
    if (o->calls < MOST_CALLS) o->vertex[o->calls] = o->at;
    double move = o->calls++ < MOST_CALLS ? o->by : -o->escape;
    for (int k = 0; k < 3; k++) at[k] = -dir->v[k];
    peg_lowest_point(o->view, o->at, at, at);
    peg_add_scaled(at, length > 0 ? move / length : 0, dir->v, at);
    peg_add_scaled(at, 1, o->shift, out->v);
    if (o->asked) peg_copy3(dir->v, o->asked);
}

static ccd_t question(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support_of;
    ccd.center1 = ccd.center2 = centre_of;
    ccd.max_iterations = MOST_ITERATIONS;
    return ccd;
}

/* Finds a direction that separates the parts, each inflated by half of the reach: the last support
 * direction of MPR. */
static int proposed_direction(const peg_view *A, const peg_view *B, double reach, double n[3])
{
    peg_vec3 between, asked = {0};
    peg_sub(A->centre, B->centre, between);
    double escape = peg_norm(between) + 2 * (A->shape->radius + B->shape->radius + reach);
    shown a = {.view = A, .by = .5 * reach + A->shape->round, .escape = escape, .asked = asked};
    shown b = {.view = B, .by = .5 * reach + B->shape->round, .escape = escape};
    shown *handle_a = &a, *handle_b = &b;
    ccd_t ccd = question();
    if (ccdMPRIntersect(&handle_a, &handle_b, &ccd)) return 0;
    for (int k = 0; k < 3; k++) n[k] = -asked[k];
    return peg_normalise(n) > 0;
}

/* --- nearby features --- */

/* Vertices of a part at the corners of the portal. */
typedef struct corners {
    int count, v[3];
} corners;

static void add_corner(corners *c, int vertex)
{
    for (int i = 0; i < c->count; i++)
        if (c->v[i] == vertex) return;
    if (c->count < 3) c->v[c->count++] = vertex;
}

/* The edge between the first two; -1: none. */
static int edge_between(const peg_polytope *P, const corners *c)
{
    for (int e = 0; e < P->ne && c->count == 2; e++) {
        const int *v = P->edge[e].v;
        if ((v[0] == c->v[0] && v[1] == c->v[1]) || (v[0] == c->v[1] && v[1] == c->v[0])) return e;
    }
    return -1;
}

/* The face whose normal is closest to sign n. */
static int face_along(const peg_view *view, const double n[3], double sign, double *most)
{
    int best = -1;
    *most = -INFINITY;
    for (int f = 0; f < view->shape->nf; f++) {
        double along = sign * peg_dot(n, view->normal[f]);
        if (along > *most) *most = along, best = f;
    }
    return best;
}

/* The features at the portal's corners. */
static peg_facet facet_of(const peg_view *A, const peg_view *B, const corners *a, const corners *b,
                          const double n[3])
{
    peg_facet facet = {.kind = PEG_FEATURES_EE};
    double of_a, of_b;
    peg_copy3(n, facet.n);
    facet.i = edge_between(A->shape, a), facet.j = edge_between(B->shape, b);
    if (facet.i < 0 || facet.j < 0) {
        int face_a = face_along(A, n, -1, &of_a), face_b = face_along(B, n, 1, &of_b);
        int is_b = of_b > of_a;
        facet.kind = is_b ? PEG_FEATURES_VF : PEG_FEATURES_FV;
        facet.i = is_b ? face_b : face_a;
        facet.j = 0;
    }
    return peg_facet_at(A, B, &facet);
}

peg_facet peg_nearby_facet(const peg_view *A, const peg_view *B, const double toward[3])
{
    static const peg_facet none = {.kind = PEG_FEATURES_NONE, .s = -INFINITY};
    double size = A->shape->radius + B->shape->radius, inner = A->shape->inner + B->shape->inner;
    double n[3], between[3], asked[3] = {0}, unused_depth, least = INFINITY;
    ccd_vec3_t unused[2];
    peg_copy3(toward, n);
    if (peg_is_half_space(A->shape) || peg_is_half_space(B->shape)) return none;
    if (peg_is_flat(A->shape) || !(inner > 0) || !(peg_normalise(n) > 0)) return none;
    shown a = {.view = A, .by = A->shape->round, .escape = 4 * size, .asked = asked};
    shown b = {.view = B, .by = B->shape->round, .escape = 4 * size}, *handle_a = &a,
          *handle_b = &b;
    peg_sub(A->centre, B->centre, between);
    double depth = peg_max(peg_dot(between, n), BESIDE * inner);
    for (int k = 0; k < 3; k++) {
        a.inner[k] = depth * n[k] - between[k];
        b.shift[k] = (depth - BESIDE * inner) * n[k];
    }
    ccd_t ccd = question();
    ccd.mpr_tolerance = ON_PORTAL * size;
    if (ccdMPRPenetration(&handle_a, &handle_b, &ccd, &unused_depth, unused, unused + 1) != 0)
        return none;
    for (int k = 0; k < 3; k++) n[k] = -asked[k];
    if (!(peg_normalise(n) > 0) || a.calls > MOST_CALLS) return none;
    double s[MOST_CALLS];
    for (int i = 0; i < a.calls; i++) {
        s[i] = peg_dot(n, A->vertex[a.vertex[i]]) - peg_dot(n, B->vertex[b.vertex[i]]);
        least = peg_min(least, s[i]);
    }
    corners of_a = {0}, of_b = {0};
    for (int i = 0; i < a.calls; i++) {
        if (s[i] > least + 2 * ON_PORTAL * size) continue;
        add_corner(&of_a, a.vertex[i]), add_corner(&of_b, b.vertex[i]);
    }
    return facet_of(A, B, &of_a, &of_b, n);
}

/* Both parts have at most an edge, or one is a triangle. */
static int are_round(const peg_polytope *A, const peg_polytope *B)
{
    return (A->ne <= 1 && (B->ne <= 1 || peg_is_triangle(B))) || (B->ne <= 1 && peg_is_triangle(A));
}

static int has_few_facets(const peg_polytope *A, const peg_polytope *B)
{
    return peg_is_half_space(A) || peg_is_half_space(B) || peg_is_flat(A) || are_round(A, B);
}

peg_facet peg_widest_facet(const peg_view *A, const peg_view *B, pegNarrowPhase narrow,
                           const double *toward)
{
    peg_facet start = {.kind = PEG_FEATURES_NONE, .s = -INFINITY};
    if (toward)
        peg_copy3(toward, start.n);
    else
        peg_sub(A->centre, B->centre, start.n);
    if (narrow == PEG_NARROW_PHASE_LIBCCD && A->shape->nv + B->shape->nv >= WORTH_IT) {
        peg_facet nearby = peg_nearby_facet(A, B, start.n);
        if (nearby.kind != PEG_FEATURES_NONE) start = nearby;
    }
    return peg_separation_from(A, B, &start);
}

int peg_is_far(const peg_view *A, const peg_view *B, double reach, pegNarrowPhase narrow,
               double n[3])
{
    if (peg_is_half_space(A->shape) && peg_is_half_space(B->shape)) return 0;
    if (peg_normalise(n) > 0 && peg_separation_along(A, B, n) > reach) return 1;
    if (narrow == PEG_NARROW_PHASE_OWN || has_few_facets(A->shape, B->shape)) {
        peg_facet facet = peg_separation(A, B, INFINITY, NULL, NULL);
        peg_copy3(facet.n, n);
        return facet.s > reach;
    }
    peg_sub(A->centre, B->centre, n);
    if (peg_normalise(n) > 0 && peg_separation_along(A, B, n) > reach) return 1;
    return proposed_direction(A, B, reach, n) && peg_separation_along(A, B, n) > reach;
}
