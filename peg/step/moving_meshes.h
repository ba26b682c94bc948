/* Pairs of triangles of two meshes that move far in a step. */
#ifndef PEG_MOVING_MESHES_H
#define PEG_MOVING_MESHES_H

#include "peg/step/candidate.h"

/* Whether the triangles of a pair of two meshes are sought along the motion that was found, as they
 * are from when the two may move far on. */
int peg_is_sought_along_motion(peg_stage *stage, peg_candidate *pair);
/* Adds the triangles that meet first in the motion that was found, before a solve that without
 * contact, of all pairs that are sought so; and the ones near each other at the start. */
void peg_find_meetings(const peg_pair_search *search);

#endif
