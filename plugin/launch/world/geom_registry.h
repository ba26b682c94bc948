/* Geoms that the program has shown. */
#ifndef PEG_LAUNCH_GEOM_REGISTRY_H
#define PEG_LAUNCH_GEOM_REGISTRY_H

#include <ode/ode.h>

/* A contact named the geom in a call of dCollide for `outer`: the same, or a transform about it. */
void peg_geom_seen(dGeomID geom, dGeomID outer);
/* What it was last seen in; null for what was never seen, or destroyed since. */
dGeomID peg_geom_outer(dGeomID geom);
/* Geoms are numbered as a search for pairs or a step first sees them, in the order of their space:
 * that of a peg world with this space. is_another: the geom gets a new number. */
unsigned long peg_geom_number(dGeomID geom, int is_another);
typedef struct peg_arrays {
    const dReal *planes, *points;
    unsigned planecount, pointcount;
    const unsigned *polygons;
} peg_arrays;
/* The arrays of a convex geom whose shape is registered; 0: none. */
int peg_geom_arrays(dGeomID geom, peg_arrays *out);
/* Whether the contact model knows the geom: the papers' know boxes, planes and convex
 * geoms, lp spheres and capsules, too. */
int peg_model_has(dGeomID geom);
/* The geom is about to be destroyed. */
void peg_geom_forget(dGeomID geom);
/* Stand-ins of ODE's functions. */
dGeomID peg_create_convex(dSpaceID space, const dReal *planes, unsigned planecount,
                          const dReal *points, unsigned pointcount, const unsigned *polygons);
void peg_set_convex(dGeomID geom, const dReal *planes, unsigned planecount, const dReal *points,
                    unsigned pointcount, const unsigned *polygons);

#endif
