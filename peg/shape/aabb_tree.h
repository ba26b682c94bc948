/* A tree of boxes about the triangles of a mesh, and searches in it. */
#ifndef PEG_AABB_TREE_H
#define PEG_AABB_TREE_H

#include "peg/base/sweep_and_prune.h"
#include "peg/base/types.h"

struct peg_triangle_mesh;

/* The node's cone holds the directions, either way, in which any of its triangles, their edges and
 * vertices can be touched: all normals of local minima of distance [M: boxes, radius and normals].
 */
typedef struct peg_aabb_node {
    peg_aabb box;
    double axis[3], angle; /* unit; rad, pi/2 and more: any direction */
    int first, count; /* leaf: triangles first .. first + count; else count = 0, the children are
                         this node + 1 and `first` */
} peg_aabb_node;

/* What is looked for in a mesh: what meets a box and is no farther than `by` from the inside of
 * each of some planes, normal . x <= offset, and than `near` from a segment; and can be touched
 * along the direction from there to the segment, whose points get no farther than `way`; or along
 * the normals of planes that it does not lie deeper under than `depth`, and between them, unless it
 * reaches down to `touch` over all of them. Of a box that meets all of this, what is in it may
 * still miss some. Triangles are not held against the planes and cones. */
typedef struct peg_region {
    peg_aabb box;
    int planes;
    const peg_vec3 *normal;
    const double *offset;
    double by;
    const double *from, *to; /* of the segment, may be the same; null: none */
    double near, way;        /* m */
    double depth, touch;     /* m; 0: not held against the normals of planes */
    double slope;            /* rad: by so much more a direction may be off */
} peg_region;

/* A box, or for PEG_MESH_SEARCH_ALL all there is. */
peg_region peg_region_of_box(const peg_aabb *box, pegMeshSearch by);

/* Calls visit for the triangles whose boxes meet the box of a region and come near to its segment,
 * and lie in nodes that meet all of it, with rising numbers. Returns how many nodes were visited.
 */
typedef void peg_triangle_visitor(void *context, int triangle);
long peg_aabb_tree_search(const struct peg_triangle_mesh *triangle_mesh, const peg_region *region,
                          peg_triangle_visitor *visit, void *context);
/* The same of what is in a node. */
long peg_aabb_tree_search_node(const struct peg_triangle_mesh *triangle_mesh, int node,
                               const peg_region *region, peg_triangle_visitor *visit,
                               void *context);
/* The same for those whose boxes meet a box. */
long peg_aabb_tree_overlap(const struct peg_triangle_mesh *triangle_mesh, const peg_aabb *box,
                           peg_triangle_visitor *visit, void *context);
/* And for those whose boxes have a point with normal . x <= offset. */
long peg_aabb_tree_below(const struct peg_triangle_mesh *triangle_mesh, const double normal[3],
                         double offset, peg_triangle_visitor *visit, void *context);

/* Whether a line along n (any length), give or take `by` (rad), is in none of the cone's
 * directions.
 */
int peg_is_out_of_cone(const peg_aabb_node *node, const double n[3], double by);

/* Makes the cones of a mesh whose edges are known. */
void peg_aabb_tree_make_cones(struct peg_triangle_mesh *triangle_mesh);

/* Builds the tree, and brings triangles into the order of its leaves and vertices into theirs; 0
 * without memory. */
int peg_aabb_tree_build(struct peg_triangle_mesh *triangle_mesh);

#endif
