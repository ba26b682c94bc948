/* ODE's own functions, and whether a call comes from the program.
 *
 * The program's calls come with peg_inside == 0; what ODE and this library call in turn comes with
 * peg_inside > 0 and goes straight to ODE. The program's callbacks are called with 0 again. */
#ifndef PEG_LAUNCH_REAL_ODE_H
#define PEG_LAUNCH_REAL_ODE_H

#include "plugin/launch/base/calls.h"

extern const peg_calls *peg_ode;
/* Libraries that are loaded late get this kind of thread-local memory if it is little. */
#define PEG_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
extern PEG_THREAD int peg_inside;

#endif
