#include "plugin/launch/base/real_ode.h"

const peg_calls *peg_ode;
PEG_THREAD int peg_inside;
