/* The signed separation by GLPK, the oracle of our linear programs. GLPK is GPL: only the tests and
 * bench-programs, which nobody installs, are linked with it. */
#ifndef LAB_GLPK_SEPARATION_H
#define LAB_GLPK_SEPARATION_H

#include "demos/experiments/gap_pairs.h"

/* Whether the build found GLPK. */
int lab_has_glpk(void);

/* g(d) by (S1) as it stands, five variables and a row for each vertex, with GLPK's primal simplex
 * method. NaN: no optimal answer. simplex: s, of the method alone; may be null. */
double lab_glpk_separation(const gap_pair *pair, const double d[3], double *simplex);

#endif
