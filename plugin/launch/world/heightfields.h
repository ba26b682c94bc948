/* Heightfields, seen when they are built. */
#ifndef PEG_LAUNCH_HEIGHTFIELDS_H
#define PEG_LAUNCH_HEIGHTFIELDS_H

#include "plugin/launch/base/calls.h"

void peg_take_heightfields_over(peg_calls *calls);
/* Reads the heights that a callback gives, which could not be called when it was set. */
void peg_geom_prepare(dGeomID geom);

#endif
