/* The classes of geoms that the scenes of this folder put on each other. */
#ifndef LAB_GEOM_CLASSES_H
#define LAB_GEOM_CLASSES_H

#include "demos/world/scene.h"

enum {
    GEOM_BOX,
    GEOM_CONVEX,
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_MESH, /* a closed one that is not convex */
    GEOM_MOVING,
    GEOM_PLANE = GEOM_MOVING, /* from here on what cannot move */
    GEOM_FIELD,               /* heightfield */
    GEOM_SHEET,               /* an open mesh */
    GEOM_STILL_END,
    GEOM_ROUNDED_HULL = GEOM_STILL_END, /* these move, too, and have a radius */
    GEOM_ROUNDED_MESH,
    GEOM_PLATE, /* a sheet */
    GEOM_COUNT
};

static inline int geom_can_move(int class)
{
    return class < GEOM_MOVING || class >= GEOM_STILL_END;
}

extern const char *const geom_names[GEOM_COUNT];

/* How b stands when a meets it in scene `drop-pair` (key `moving`). */
enum { DROP_STATIC, DROP_FREE, DROP_LYING, DROP_MODES };

#endif
