/* Meshes as simplicial complexes [M]: triangles with their edges and vertices, and what lies next
 * to each of them, so that it can be told at which of them a mesh can be touched from a direction.
 *
 * Units: metres, in the frame of the part. Both sides of a triangle are solid: what is on one side
 * of the mesh stays there. Which side is out mesh_orientation.h tells. */
#ifndef PEG_TRIANGLE_MESH_H
#define PEG_TRIANGLE_MESH_H

#include "peg/shape/polytope.h"
#include "peg/shape/aabb_tree.h"

typedef struct peg_triangle_mesh {
    peg_arena arena; /* of all that follows */
    int nv, ne, nt;
    peg_vec3 *vertex;
    int (*triangle)[3]; /* vertices; in the order of the leaves, the vertices in that of the
                           triangles, so that what lies together is stored together */
    int *source;        /* nt: its number among those that were given */
    int (*side)[3];     /* nt: edge from corner k to corner k + 1 */
    int (*edge)[2];     /* vertices */
    int *across_start;  /* ne + 1: the vertices opposite to edge e, one for each of its triangles,
                           are across[across_start[e] .. across_start[e + 1]) */
    int *across;
    int *beside;    /* the triangles of which these are corners */
    int *fan_start; /* nv + 1: triangles at vertex v, rising */
    int *fan;
    int *next_start; /* nv + 1: neighbours of vertex v */
    int *next;
    unsigned char *edge_is_flat, *vertex_is_flat; /* all that lies next to it lies in one plane */
    unsigned char *edge_is_even, *vertex_is_even; /* to less than what counts as a gap */
    peg_vec3 *normal;                             /* nt: of unit length */
    int is_whole;       /* of one piece: edges lead from each triangle to each other one */
    int is_of_one_turn; /* at most two triangles at an edge, with their normals on one side */
    int sense; /* 1: the normals look out; -1: in; 0: not of one piece, closed and of one turn */
    peg_vec3 *edge_out, *vertex_out; /* unit vectors out of it there; null unless it has a sense */
    unsigned char *own;  /* nt: bit k: edge k can be touched and no triangle before has it, bit 3 +
                            k: the same of corner k */
    peg_aabb_node *node; /* bounding boxes, node 0 about all */
    peg_vec3 centre;     /* of the box about all */
    double radius;       /* of the sphere about the centre */
} peg_triangle_mesh;

/* A mesh of triangles between vertices, all of which are copied. Vertices closer than `weld` (m,
 * >= 0) become one; triangles without area (thinner than 1e-9 of the mesh) and
 * repeated ones are dropped, see
 * `source`. Edges may have any number of triangles, these any
 * orientation. A vertex should not lie on the edge of a triangle that does not have it
 * (T-junction): such edges count as borders, at which sliding parts can be caught. Errors: ARGUMENT
 * (index out of range), NOT_FINITE, SHAPE_EMPTY (no triangle is left), MEMORY; then *out is null.
 * Free with peg_triangle_mesh_free. */
pegStatus peg_triangle_mesh_create(const double (*vertex)[3], int nv, const int (*triangle)[3],
                                   int nt, double weld, peg_triangle_mesh **out);
void peg_triangle_mesh_free(peg_triangle_mesh *triangle_mesh);

/* Triangle t of a mesh with a radius (m, 0: none) as a polytope of two faces, in the arena; null
 * without memory. */
const peg_polytope *peg_triangle_polytope(peg_arena *arena, const peg_triangle_mesh *mesh, int t,
                                          double round);

#endif
