/* Which pairs may touch, and how. */
#ifndef PEG_FILTER_H
#define PEG_FILTER_H

#include "ode_glue/world/glue.h"

/* Adds a pair of geoms (no spaces): the answer to `near`, or a pair of the coming step. how: null
 * for the default surface; a pair that was added with a surface keeps it then. Pairs of rays are
 * ignored. Errors: NOT_FINITE (of the surface); CONVEX_NOT_REGISTERED (the pair is kept, the arrays
 * may still be registered before the step); MEMORY (then the step fails, too). */
pegStatus peg_glue_add_pair(peg_glue *glue, dGeomID a, dGeomID b, const peg_pair_entry *how);
/* The default near callback for two geoms: adds what no joint connects and what the broad phase of
 * the added spaces does not find anyway. */
void peg_glue_near(peg_glue *glue, dGeomID a, dGeomID b);
/* Surface of the pairs that have none of their own; null: frictionless. Error: NOT_FINITE. */
pegStatus peg_glue_set_surface(peg_glue *glue, const dSurfaceParameters *surface);
/* Whether the geom or space lies in (or is) one of the added spaces, at whatever depth. */
int peg_glue_sweeps(const peg_glue *glue, dGeomID geom);

/* During a collection: puts transforms in the place of geoms that they hold and that were added.
 * Error: MEMORY. */
pegStatus peg_glue_name_transforms(peg_glue *glue);
/* Says once that a geom has ODE's own contacts. */
void peg_glue_say_opaque(peg_glue *glue, const peg_shape *s);

/* The scene's pair filter and surfaces; their context is the glue. */
int peg_glue_may_touch(void *glue, const peg_part *a, const peg_part *b);
void peg_glue_surface(void *glue, const peg_part *a, const peg_part *b, peg_surface *out);
/* How the geoms of two parts were added for this step, or null; reversed: a is not that of ODE's
 * first body. */
const peg_pair_entry *peg_glue_how(const peg_glue *glue, const peg_part *a, const peg_part *b,
                                   int *reversed);

#endif
