/* The parts of a scene and the nearby triangles of its meshes, in world coordinates. */
#ifndef PEG_PARTS_H
#define PEG_PARTS_H

#include "peg/step/stage.h"

/* Places the scene's parts, but for the views of boxes that move. */
int peg_place_parts(peg_stage *stage);
/* Places the view of a part that has none yet. */
void peg_need_view(peg_stage *stage, int part);
/* The part of a triangle of a mesh, or -1 without memory. */
int peg_triangle_part(peg_stage *stage, int mesh, int triangle);
/* The same if it has one already, else -1. */
int peg_known_triangle(const peg_stage *stage, int mesh, int triangle);
/* Bound of the way of a part's points while its body moves with v in the step, m. */
double peg_travel(const peg_stage *stage, int part, const double v[6]);
/* Velocity of the part's body in the motion that the islands were solved for. */
void peg_found_velocity(const peg_stage *stage, int part, double v[6]);
/* Pose of a part at the share t of that motion, which moves its body with t v for the whole step.
 */
void peg_pose_on_way(const peg_stage *stage, int part, double t, double x[3], double R[9]);
/* The part there, in the stage's arena; 0 without memory. */
int peg_place_on_way(peg_stage *stage, int part, double t, peg_view *view);
/* The box about a part at the start; empty for an opaque one. */
void peg_box_of_part(const peg_stage *stage, int part, peg_aabb *box);

#endif
