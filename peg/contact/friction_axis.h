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
/* What all impulses but the pair's own friction change of its relative velocity in a step, at the
 * middle of its contacts, m/s, world frame: from the velocities after the step and its impulses
 * (contact: so many). 0 without them. out: that of the step before, 0 if there was none, half of
 * which is kept. */
void peg_pair_reaction(const peg_island *island, const peg_pair *pair,
                       const peg_cached_contact *contact, int contacts, double *out);
/* The first axis of a pair at the start of a step (tangent: unit, world frame; 0: none), whether
 * friction that holds keeps it, and the reaction, from axis and reaction of the step before (0:
 * none), the impulses of that step and the velocities that they led to. n: unit, from B to A. */
void peg_pair_friction_axis(const peg_island *island, const double *n, const double *tangent,
                            const double *reaction, peg_pair *pair);
/* The first axis at a contact whose points would move at a and b, m/s, without contact. Returns 0
 * if they do not slide and the pair has none. */
int peg_contact_friction_axis(const peg_pair *pair, const double *n, const double *a,
                              const double *b, double *t);

#endif
