/* Which triangles of two meshes are near to each other. */
#ifndef PEG_MESH_MESH_H
#define PEG_MESH_MESH_H

#include "peg/shape/triangle_mesh.h"

/* Two meshes, the frame of the first one in that of the second: y = R x + at. */
typedef struct peg_mesh_pair {
    const peg_triangle_mesh *mesh[2];
    double R[9], at[3];
    double slope;       /* rad: directions of contacts may be off by so much */
    double by;          /* how near counts, m; what turns counts from farther off: */
    double spin[2];     /* of each mesh, rad, */
    double pivot[2][3]; /* about a point in its frame; the second one takes the first one along */
    double arm[2];      /* largest distance of its points from there, m */
} peg_mesh_pair;

/* A triangle of the first mesh. */
typedef struct peg_near_triangle {
    int triangle;
    peg_vec3 corner[3]; /* in the frame of the second */
    double by;          /* how near to it counts, m */
} peg_near_triangle;

/* Calls visit for pairs of triangles of the first mesh and of the second, the boxes about which, in
 * the frame of the second, are near to each other, in rising order. The box, in the frame of the
 * first, has all of the second that counts; it is looked at only if that may get farther than its
 * size. `by`: what nodes are held against. Returns how many were visited. */
typedef void peg_mesh_pair_visitor(void *context, const peg_near_triangle *crosser, int triangle);
long peg_mesh_pair_search(const peg_mesh_pair *crossing, const peg_aabb *box, pegMeshSearch by,
                          peg_mesh_pair_visitor *visit, void *context);

#endif
