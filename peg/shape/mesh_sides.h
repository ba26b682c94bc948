/* Which side of a mesh is out. */
#ifndef PEG_MESH_SIDES_H
#define PEG_MESH_SIDES_H

#include "peg/shape/triangle_mesh.h"

/* Finds whether the mesh is of one piece and closed, and which way is out at its edges and vertices
 * then; 0 without memory. */
int peg_mesh_sides_find(peg_triangle_mesh *mesh);

/* Whether a mesh has an outside, and all of another mesh of one piece lies there, but for what of
 * it has got in; x, R: pose of the other one in the frame of the first. */
int peg_mesh_is_outside(const peg_triangle_mesh *mesh, const peg_triangle_mesh *other,
                        const double x[3], const double R[9]);

#endif
