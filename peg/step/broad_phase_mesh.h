/* Pairs of the triangles of meshes. */
#ifndef PEG_BROAD_PHASE_MESH_H
#define PEG_BROAD_PHASE_MESH_H

#include "peg/step/candidate.h"

/* Whether a part moves more in the solved step than triangles were sought for; from then on they
 * are. */
int peg_exceeds_prediction(peg_stage *stage, int part);
/* How far the points of two meshes may get relative to each other, as predicted, m. */
double peg_predicted_way(const peg_stage *stage, int a, int b);
/* Adds the pairs of the triangles of two parts, one of which at least is a mesh. */
void peg_find_triangle_pairs(const peg_pair_search *finder, int a, int b);

#endif
