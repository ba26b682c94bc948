/* How contact points at rest share their load. */
#ifndef PEG_LEAST_NORM_H
#define PEG_LEAST_NORM_H

#include "peg/base/arena.h"
#include "peg/peg.h"

/* Impulses of contact points are not unique where bodies rest on more points than they need: what a
 * solver leaves depends on its way. Of every island at rest (all its bodies have velocity 0) the
 * impulses become those of least norm with the same sums on every body, that push only; islands of
 * more than 32 bodies, and where that would leave the friction cones, stay as they are. The arena
 * is given back. 0 without memory: nothing is changed. */
int peg_least_norm(const peg_scene *scene, peg_contact *contact, int n, peg_arena *arena);

#endif
