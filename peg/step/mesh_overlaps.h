/* Overlaps of the start of two meshes, one of which is closed. */
#ifndef PEG_MESH_OVERLAPS_H
#define PEG_MESH_OVERLAPS_H

#include "peg/step/assemble.h"

/* Whether two triangles (parts) cross, or touch where their meshes overlap beside them; end: of the
 * segment that they have in common. */
int peg_find_crossing(const peg_stage *s, int a, int b, peg_vec3 end[2]);

/* Gives the pairs of triangles that pass through each other the contacts by which their meshes
 * open, and marks what is buried in the overlap; 0 without memory. */
int peg_find_mesh_overlaps(peg_assembly *a);

#endif
