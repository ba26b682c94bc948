/* Axes of a contact's friction: the first one, along which the cone has its full radius, and those
 * of the rows into which the cone splits (friction.c). */
#ifndef PEG_FRICTION_AXIS_H
#define PEG_FRICTION_AXIS_H

#include "peg/contact/island.h"

/* Row k of a cone of 2 S directions, S = 2, 4 or 8, lies at the angle (k - (S - 1)/2) pi/S from the
 * first axis; each is bounded by the share sin(pi/(2 S)) of the cone's radius. Not by libm, whose
 * results depend on the processor. */
typedef struct peg_cone_angle {
    double cosine, sine;
} peg_cone_angle;
peg_cone_angle peg_cone_row(int segments, int k);
double peg_cone_share(int segments);

/* Whether the surface leaves the choice of the axes to the motion. */
int peg_has_free_axes(const peg_surface *surface);
/* The first axis of a pair at the start of a step, from that of the step before (0: none), the
 * impulses of the step before and the velocities that they led to. n: unit, from B to A. out: unit,
 * world frame; 0: none. */
void peg_pair_friction_axis(const peg_island *island, const peg_pair *pair, const double *n,
                            const double *before, double *out);

#endif
