/* Planar scenes: polygons and particles in the plane z = 0, stepped by the contact module's core
 * without ODE. To the rest of the lab they are prisms of depth 1, so that volumes are areas, and
 * spheres of radius 0.
 *
 * For the files of the lab, not for scenes; what scenes call is in scene.h. */
#ifndef LAB_PLANAR_WORLD_H
#define LAB_PLANAR_WORLD_H

#include "demos/oracle/planar_area.h"
#include "demos/world/contact_points.h"
#include "demos/world/world.h"

typedef struct lab_planar lab_planar;

/* For a sealed planar world. Null after lab_fail. */
lab_planar *lab_planar_create(lab_world *w);
void lab_planar_free(lab_planar *p);
/* Steps the present bodies: now becomes the state after w->h. Errors by lab_fail. */
void lab_planar_step(lab_planar *p);
/* The i-th contact with an impulse of the last step; 0: there is none. */
int lab_planar_contact(const lab_planar *p, int i, lab_contact_point *out);
/* Polygon of a prism (or a particle's point); 0 corners if it is neither. */
int lab_planar_polygon(const lab_shape *prism, planar_polygon *out);
void lab_planar_stats(const lab_planar *p, pegStats *last, pegStats *sum); /* either may be null */

#endif
