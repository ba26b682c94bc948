/* Are two parts further apart than a reach? libccd's MPR looks for a direction in which the parts,
 * inflated by half of the reach each, do not overlap; only our own s_n in that direction counts.
 * Half-spaces, flat parts and pairs of spheres, capsules, cylinders and triangles have so few
 * facets that all are tried. */
#include <ccd/ccd.h>

#include "peg/collide/closest_features.h"
#include "peg/collide/separation.h"

/* MPR's first phase has no bound of its own: after so many support calls it is shown a point that
 * makes it stop. */
enum { MOST_CALLS = 60, MOST_ITERATIONS = 30 };

typedef struct inflated {
    const peg_view *view;
    double by;     /* m */
    double escape; /* m, a move by which it is clear of the other part */
    double *asked; /* the last direction, as seen by part A */
    int calls;
} inflated;

/* libccd hands objects through as const; ours counts its calls, so it gets a pointer to it. */
static inflated *object_of(const void *handle)
{
    return *(inflated *const *)handle;
}

static void centre_of(const void *handle, ccd_vec3_t *out)
{
    peg_copy3(object_of(handle)->view->centre, out->v);
}

static void support_of(const void *handle, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    inflated *o = object_of(handle);
    const peg_vec3 *x = (const peg_vec3 *)o->view->vertex;
    int best = 0;
    double most = -INFINITY, length = peg_norm(dir->v), at[3];
    for (int i = 0; i < o->view->shape->nv; i++) {
        double s = peg_dot(dir->v, x[i]);
        if (s > most) most = s, best = i;
    }
    double move = o->calls++ < MOST_CALLS ? o->by + o->view->shape->round : -o->escape;
    for (int k = 0; k < 3; k++) at[k] = -dir->v[k];
    peg_lowest_point(o->view, best, at, at);
    peg_add_scaled(at, length > 0 ? move / length : 0, dir->v, out->v);
    if (o->asked) peg_copy3(dir->v, o->asked);
}

/* The last direction MPR asked for: if it found the inflated parts apart, they are so along it. */
static int proposed_direction(const peg_view *A, const peg_view *B, double reach, double n[3])
{
    peg_vec3 between, asked = {0};
    peg_sub(A->centre, B->centre, between);
    double escape = peg_norm(between) + 2 * (A->shape->radius + B->shape->radius + reach);
    inflated a = {A, .5 * reach, escape, asked, 0}, b = {B, .5 * reach, escape, NULL, 0};
    inflated *handle_a = &a, *handle_b = &b;
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support_of;
    ccd.center1 = ccd.center2 = centre_of;
    ccd.max_iterations = MOST_ITERATIONS;
    if (ccdMPRIntersect(&handle_a, &handle_b, &ccd)) return 0;
    for (int k = 0; k < 3; k++) n[k] = -asked[k];
    return peg_normalise(n) > 0;
}

/* Both have an edge at most, or one is a triangle. */
static int are_round(const peg_polytope *A, const peg_polytope *B)
{
    return (A->ne <= 1 && (B->ne <= 1 || peg_is_triangle(B))) || (B->ne <= 1 && peg_is_triangle(A));
}

static int has_few_facets(const peg_polytope *A, const peg_polytope *B)
{
    return peg_is_half_space(A) || peg_is_half_space(B) || peg_is_flat(A) || are_round(A, B);
}

int peg_is_far(const peg_view *A, const peg_view *B, double reach, double n[3])
{
    if (peg_is_half_space(A->shape) && peg_is_half_space(B->shape)) return 0;
    if (peg_normalise(n) > 0 && peg_separation_along(A, B, n) > reach) return 1;
    if (has_few_facets(A->shape, B->shape)) {
        peg_facet facet = peg_separation(A, B, INFINITY, NULL, NULL);
        peg_copy3(facet.n, n);
        return facet.s > reach;
    }
    peg_sub(A->centre, B->centre, n);
    if (peg_normalise(n) > 0 && peg_separation_along(A, B, n) > reach) return 1;
    return proposed_direction(A, B, reach, n) && peg_separation_along(A, B, n) > reach;
}
