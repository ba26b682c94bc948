/* Stand-ins of dWorldStep and dWorldQuickStep. */
#ifndef PEG_LAUNCH_STEP_H
#define PEG_LAUNCH_STEP_H

#include <ode/ode.h>

int peg_take_step(dWorldID world, dReal h);
int peg_take_quick_step(dWorldID world, dReal h);

#endif
