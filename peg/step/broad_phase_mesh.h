/* The same for the triangles of meshes. */
#ifndef PEG_BROAD_PHASE_MESH_H
#define PEG_BROAD_PHASE_MESH_H

#include "peg/step/candidate.h"

/* Whether a part has been found to do more than it was thought to. */
int peg_did_more(const peg_stage *stage, int part);
/* Adds the pairs of the triangles of two parts, one of which at least is a mesh. */
void peg_meet_meshes(const peg_finder *finder, int a, int b);

#endif
