/* The parts of a step in the world. */
#ifndef PEG_PARTS_H
#define PEG_PARTS_H

#include "peg/step/stage.h"

/* Places the scene's parts. */
int peg_place_parts(peg_stage *stage);
/* The part of a triangle of a mesh, or -1 without memory. */
int peg_triangle_part(peg_stage *stage, int mesh, int triangle);
/* How far a part's points get from where they are, at most, while its body moves with v, m. */
double peg_travel(const peg_stage *stage, int part, const double v[6]);
/* Velocity of the part's body in the motion that was found. */
void peg_found_velocity(const peg_stage *stage, int part, double v[6]);
/* The part where that motion ends, in the stage's arena; 0 without memory. */
int peg_place_at_end(peg_stage *stage, int part, peg_view *view);
/* The box about a part at the start; empty for an opaque one. */
void peg_box_of_part(const peg_stage *stage, int part, peg_aabb *box);

#endif
