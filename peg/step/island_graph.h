/* Islands: bodies that near pairs and joints connect. */
#ifndef PEG_ISLAND_GRAPH_H
#define PEG_ISLAND_GRAPH_H

#include "peg/step/stage.h"

/* Islands of the near pairs and of joints: disjoint sets of the dynamic bodies, then lists by root;
 * 0 without memory. */
int peg_link_islands(peg_stage *stage);

#endif
