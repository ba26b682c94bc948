/* How far two geoms are apart, by one of the gap functions. */
#include "ode_glue/read/geom.h"
#include "ode_glue/read/shape.h"
#include "peg/collide/separation.h"
#include "peg/paper/ratio_metric.h"
#include "peg/paper/signed_separation.h"
#include "plugin/ode-peg.h"

typedef struct query {
    peg_shapes shapes;
    peg_arena arena;
    peg_view A, B;
} query;

/* The geom's view; polytopes, half-spaces, spheres and capsules. */
static pegStatus view_of(query *q, dGeomID geom, peg_view *view)
{
    double x[3], R[9];
    pegStatus status = peg_shapes_add(&q->shapes, geom, 0);
    if (status != PEG_OK) return status;
    int i = peg_map_find(&q->shapes.coming.geom, geom, NULL);
    const peg_shape *shape = i >= 0 ? &q->shapes.coming.of[i] : NULL;
    if (!shape || !shape->shape || shape->shape->rim > 0) return PEG_ERROR_GEOM_CLASS;
    if (!peg_view_allocate(&q->arena, shape->shape, view)) return PEG_ERROR_MEMORY;
    peg_geom_pose(geom, x, R);
    peg_view_set(view, x, R);
    return PEG_OK;
}

/* Points that are as far apart along n as the value says: the outermost of one part, and beside it.
 */
static void set_points(const peg_view *A, const peg_view *B, const double n[3], double s,
                       pegSeparationResult *out)
{
    const peg_view *from = A->shape->nv > 0 ? A : B;
    double sign = from == A ? -1 : 1, best = -INFINITY, at[3] = {0, 0, 0}, other[3];
    for (int i = 0; i < from->shape->nv; i++) {
        double height = sign * peg_dot(n, from->vertex[i]);
        if (height > best) best = height, peg_copy3(from->vertex[i], at);
    }
    peg_add_scaled(at, sign * from->shape->round, n, at);
    peg_add_scaled(at, sign * s, n, other);
    for (int k = 0; k < 3; k++) {
        out->point1[k] = from == A ? at[k] : other[k];
        out->point2[k] = from == A ? other[k] : at[k];
    }
}

static pegStatus exact(query *q, pegSeparationResult *out)
{
    peg_facet facet = peg_widest_facet(&q->A, &q->B, PEG_NARROW_PHASE_LIBCCD, NULL);
    if (facet.kind == PEG_FEATURES_NONE) return PEG_ERROR_GEOM_CLASS;
    out->value = facet.s;
    peg_copy3(facet.n, out->normal);
    set_points(&q->A, &q->B, facet.n, facet.s, out);
    return PEG_OK;
}

/* From all starts; the distance of disjoint parts by cuts. */
static pegStatus by_program(query *q, pegSeparationResult *out)
{
    peg_ssh ssh = {.basis = {-1}};
    const peg_view *A = &q->A, *B = &q->B;
    peg_vec3 *start = PEG_NEW(&q->arena, peg_vec3, 7 + A->shape->nf + B->shape->nf);
    if (!start) return PEG_ERROR_MEMORY;
    int n = peg_ssh_starts(A, B, start);
    if (peg_ssh_separation(&q->arena, A, B, (const double(*)[3])start, n, &ssh) != PEG_LP_SOLVED)
        return PEG_ERROR_GEOM_CLASS;
    double normal[3], low, high;
    peg_copy3(ssh.n, normal);
    peg_normalise(normal);
    if (ssh.s > 0 && A->shape->nv > 0 && B->shape->nv > 0) {
        double unit = 1e-9 * peg_pair_size(A->shape, B->shape), better[3];
        peg_ssh_distance(&q->arena, A, B, unit, 60, &low, &high, better);
        if (low > ssh.s) ssh.s = low, peg_copy3(better, normal);
    }
    out->value = ssh.s;
    peg_copy3(normal, out->normal);
    set_points(A, B, normal, ssh.s, out);
    return PEG_OK;
}

static pegStatus by_ratio(query *q, pegSeparationResult *out)
{
    double xa[3], xb[3], d[3];
    peg_ssh ssh = {.basis = {-1}};
    if (peg_is_dilated(q->A.shape) || peg_is_dilated(q->B.shape)) return PEG_ERROR_GEOM_CLASS;
    peg_inner_point(&q->A, &q->B, xa);
    peg_inner_point(&q->B, &q->A, xb);
    peg_sub(xa, xb, d);
    /* the signed separation along the centres is the ratio metric */
    if (peg_ssh_solve(&q->arena, &q->A, &q->B, d, &ssh) != PEG_LP_SOLVED)
        return PEG_ERROR_GEOM_CLASS;
    out->value = ssh.g;
    peg_copy3(ssh.n, out->normal);
    peg_normalise(out->normal);
    peg_copy3(ssh.a, out->point1);
    peg_copy3(ssh.b, out->point2);
    return PEG_OK;
}

pegStatus pegSeparation(dGeomID g1, dGeomID g2, pegSeparationMethod method,
                        pegSeparationResult *out)
{
    query q = {0};
    pegSeparationResult found = {0};
    if (!g1 || !g2 || !out || dGeomIsSpace(g1) || dGeomIsSpace(g2) ||
        method < PEG_SEPARATION_EXACT || method > PEG_SEPARATION_RATIO)
        return PEG_ERROR_ARGUMENT;
    peg_shapes_begin(&q.shapes);
    pegStatus status = view_of(&q, g1, &q.A);
    if (status == PEG_OK) status = view_of(&q, g2, &q.B);
    if (status == PEG_OK)
        status = method == PEG_SEPARATION_EXACT ? exact(&q, &found)
                 : method == PEG_SEPARATION_LP  ? by_program(&q, &found)
                                                : by_ratio(&q, &found);
    if (status == PEG_OK) *out = found;
    peg_shapes_end(&q.shapes, 0);
    peg_shapes_free(&q.shapes);
    peg_arena_free(&q.arena);
    return status;
}
