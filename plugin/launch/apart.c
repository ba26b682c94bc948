/* ODE's collision of convex geoms and cylinders (libccd's) misses contacts now and then, even of
 * parts that overlap; what the exact contacts go by does not. */
#include "plugin/launch/apart.h"
#include "ode_glue/geom.h"
#include "peg/separation.h"

/* Vertices that lie this near to the outermost one count as touching, relative to the size. */
#define LEVEL 1e-3

static const peg_polytope *shape_of(peg_ward *ward, dGeomID geom)
{
    if (peg_shapes_add(&ward->shapes, geom, 0) != PEG_OK) return NULL;
    int i = peg_map_find(&ward->shapes.coming.geom, geom, NULL);
    return i >= 0 ? ward->shapes.coming.of[i].shape : NULL;
}

static int view_of(peg_ward *ward, dGeomID geom, peg_view *view)
{
    const peg_polytope *shape = shape_of(ward, geom);
    double x[3], R[9];
    if (!shape) return 0;
    view->shape = shape;
    view->vertex = PEG_NEW(&ward->arena, peg_vec3, shape->nv + 1);
    view->normal = PEG_NEW(&ward->arena, peg_vec3, shape->nf + 1);
    view->offset = PEG_NEW(&ward->arena, double, shape->nf + 1);
    if (!view->vertex || !view->normal || !view->offset) return 0;
    peg_geom_pose(geom, x, R);
    peg_view_set(view, x, R);
    return 1;
}

/* Middle of the vertices that lie farthest along n; their number. */
static int outermost(const peg_view *view, const double n[3], double middle[3])
{
    double most = -INFINITY;
    int count = 0, nv = view->shape->nv;
    for (int i = 0; i < nv; i++) most = fmax(most, peg_dot(n, view->vertex[i]));
    for (int k = 0; k < 3; k++) middle[k] = 0;
    for (int i = 0; i < nv; i++) {
        if (peg_dot(n, view->vertex[i]) < most - LEVEL * view->shape->size) continue;
        peg_add_scaled(middle, 1, view->vertex[i], middle);
        count++;
    }
    for (int k = 0; k < 3 && count; k++) middle[k] /= count;
    peg_add_scaled(middle, view->shape->round, n, middle);
    return count;
}

/* Where the smaller one of the two touching features lies. */
static void place(const peg_view *A, const peg_view *B, const double n[3], dReal pos[3])
{
    double back[3] = {-n[0], -n[1], -n[2]}, of_a[3], of_b[3];
    int a = outermost(A, back, of_a), b = outermost(B, n, of_b);
    peg_copy3(b == 0 || (a > 0 && a <= b) ? of_a : of_b, pos);
}

static int meet(peg_ward *ward, dGeomID a, dGeomID b, double reach, dContactGeom *contact)
{
    peg_view A, B;
    double n[3] = {0};
    if (!view_of(ward, a, &A) || !view_of(ward, b, &B) || peg_is_far(&A, &B, reach, n)) return 0;
    peg_facet facet = peg_separation(&A, &B, INFINITY, NULL, NULL);
    if (facet.kind == PEG_FACET_NONE || facet.s > reach) return 0;
    *contact = (dContactGeom){.depth = -facet.s, .side1 = -1, .side2 = -1};
    place(&A, &B, facet.n, contact->pos);
    peg_copy3(facet.n, contact->normal);
    contact->g1 = peg_geom_named(a);
    contact->g2 = peg_geom_named(b);
    return 1;
}

int peg_apart(peg_ward *ward, dGeomID a, dGeomID b, double reach, dContactGeom *contact)
{
    peg_arena_mark mark = peg_arena_here(&ward->arena);
    int near = meet(ward, a, b, reach, contact);
    peg_arena_back(&ward->arena, mark);
    return near;
}
