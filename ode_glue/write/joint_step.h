#ifndef PEG_JOINT_STEP_H
#define PEG_JOINT_STEP_H

#include "ode_glue/world/glue.h"

/* The joints that ODE's step is not to solve (peg_body.held; with `all`: every joint that has rows)
 * are left out of it; then put back, with their feedback. */
void peg_glue_leave_joints_out(peg_glue *glue, int all);
void peg_glue_put_joints_back(peg_glue *glue, int stepped);
/* Keeps the impulses of the joints for the next step. */
void peg_glue_keep_impulses(peg_glue *glue);
/* A body whose step by ODE did not come to what was certified is put there. */
void peg_glue_set_right(peg_glue *glue);

#endif
