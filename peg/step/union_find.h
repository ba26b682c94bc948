/* The islands of bodies as disjoint sets: stage.root. */
#ifndef PEG_UNION_FIND_H
#define PEG_UNION_FIND_H

#include "peg/step/stage.h"

/* The least body of the set. */
int peg_root(peg_stage *stage, int body);
void peg_unite(peg_stage *stage, int a, int b);

#endif
