/* Bodies that joints connect. */
#ifndef PEG_JOINT_GROUPS_H
#define PEG_JOINT_GROUPS_H

#include "peg/step/stage.h"

/* Velocities without contact, of bodies that joints connect: v_no_contact; wakes bodies that joints
 * connect with what is awake. Returns 0 without memory. */
int peg_step_joints(peg_stage *stage);
/* Takes an island's rows of joints, in the order of the scene. rigid_of: its bodies' indices. */
int peg_take_joints(peg_stage *stage, peg_island *island, const int *rigid_of, int root);
/* What the joints' impulses came to, to the stage's results. */
void peg_give_joints(peg_stage *stage, const peg_island *island);

#endif
