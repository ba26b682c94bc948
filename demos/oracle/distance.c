/* Signed distance of any two shapes: half-spaces here, meshes and convex shapes where they belong.
 */
#include "demos/oracle/distance_core.h"

#include <math.h>

/* Lower and upper end of what is no half-space. */
static void shape_extent(const lab_shape *shape, const double n[3], double *low, double *high)
{
    if (shape->kind == LAB_SHAPE_MESH) {
        lab_points_extent((const double(*)[3])shape->vertex, shape->nv, n, low, high);
        *low -= shape->round, *high += shape->round;
    } else {
        lab_core core = lab_core_of(shape);
        lab_core_extent(&core, n, low, high);
    }
}

double lab_distance(const lab_shape *a, const lab_tree *tree_a, const lab_shape *b,
                    const lab_tree *tree_b, double enough)
{
    if (a->nv == 0 && b->nv == 0) return INFINITY;
    if (a->nv == 0 || b->nv == 0) {
        const lab_shape *half = a->nv == 0 ? a : b;
        double low, high;
        shape_extent(half == a ? b : a, half->normal[0], &low, &high);
        return low - half->offset[0];
    }
    if (a->kind == LAB_SHAPE_MESH) return lab_distance_mesh(a, tree_a, b, tree_b, enough);
    if (b->kind == LAB_SHAPE_MESH) return lab_distance_mesh(b, tree_b, a, tree_a, enough);
    lab_core ca = lab_core_of(a), cb = lab_core_of(b);
    return lab_core_distance(&ca, &cb, enough);
}
