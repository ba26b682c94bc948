/* Orientation of closed meshes: which side is out. */
#ifndef PEG_MESH_ORIENTATION_H
#define PEG_MESH_ORIENTATION_H

#include "peg/shape/triangle_mesh.h"

/* Sets the sense of a mesh that is closed and of one piece, and the outward pseudonormals of its
 * edges and vertices; 0 without memory. */
int peg_mesh_orientation_find(peg_triangle_mesh *mesh);

/* Whether a point, in its frame, is inside of a mesh that has a sense. */
int peg_mesh_contains(const peg_triangle_mesh *mesh, const double point[3]);

/* Whether a mesh has an outside, and all of another mesh of one piece lies there, but for what of
 * it has got in; x, R: pose of the other one in the frame of the first. */
int peg_mesh_is_outside(const peg_triangle_mesh *mesh, const peg_triangle_mesh *other,
                        const double x[3], const double R[9]);

#endif
