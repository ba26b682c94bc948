/* Whether two geoms are near each other, by the shapes that exact contacts see. */
#ifndef PEG_LAUNCH_GEOM_DISTANCE_H
#define PEG_LAUNCH_GEOM_DISTANCE_H

#include "plugin/launch/world/world_registry.h"

/* If the geoms are not farther apart than the reach: 1, and the contact between them where they are
 * nearest, with the direction that separates them best, depth = minus their distance. 0 also for
 * two meshes, fields that wrap, and without memory. `direction` (from b to a) receives what
 * separates two convex geoms, if that is known. */
int peg_geom_distance(peg_world_entry *entry, dGeomID a, dGeomID b, double reach,
                      double direction[3], dContactGeom *contact);

#endif
