/* A tree of boxes about the triangles of a mesh, and searches in it. */
#ifndef PEG_AABB_TREE_H
#define PEG_AABB_TREE_H

#include "peg/base/sweep_and_prune.h"

struct peg_triangle_mesh;

typedef struct peg_aabb_node {
    peg_aabb box;
    int first, count; /* leaf: triangles first .. first + count; else count = 0, the children are
                         this node + 1 and `first` */
} peg_aabb_node;

/* What is looked for in a mesh: what meets a box and is no farther than `by` from the inside of
 * each of some planes, normal . x <= offset, and than `near` from a segment. Of a box that meets
 * all of this, what is in it may still miss some. Triangles are not held against the planes. */
typedef struct peg_region {
    peg_aabb box;
    int planes;
    const peg_vec3 *normal;
    const double *offset;
    double by;
    const double *from, *to; /* of the segment, may be the same; null: none */
    double near;             /* m */
} peg_region;

/* Calls visit for the triangles whose boxes meet the box of a region and come near to its segment,
 * and lie in nodes that meet all of it, with rising numbers. */
typedef void peg_triangle_visitor(void *context, int triangle);
void peg_aabb_tree_search(const struct peg_triangle_mesh *triangle_mesh, const peg_region *region,
                          peg_triangle_visitor *visit, void *context);
/* The same for those whose boxes meet a box. */
void peg_aabb_tree_overlap(const struct peg_triangle_mesh *triangle_mesh, const peg_aabb *box,
                           peg_triangle_visitor *visit, void *context);
/* And for those whose boxes have a point with normal . x <= offset. */
void peg_aabb_tree_below(const struct peg_triangle_mesh *triangle_mesh, const double normal[3],
                         double offset, peg_triangle_visitor *visit, void *context);

/* Builds the tree, and brings triangles into the order of its leaves and vertices into theirs; 0
 * without memory. */
int peg_aabb_tree_build(struct peg_triangle_mesh *triangle_mesh);

#endif
