/* Geoms that the program has shown: those that live, the arrays of convex ones. */
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/base/real_ode.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/world.h"

#include <pthread.h>

typedef struct note {
    dGeomID outer;     /* null: not seen, or destroyed */
    peg_arrays arrays; /* planes null: none */
} note;

static struct {
    pthread_mutex_t lock;
    peg_map geom;
    note *of; /* room entries */
    int room;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The geom's note, made if it is new; null without memory. Behind the lock. */
static note *note_of(dGeomID geom)
{
    int i = peg_map_add(&registry.geom, geom, NULL);
    if (i < 0) return NULL;
    note *of = peg_map_grow_beside(&registry.geom, registry.of, &registry.room, sizeof *of);
    if (!of) return NULL;
    registry.of = of;
    return &of[i];
}

static void keep_arrays(dGeomID geom, const peg_arrays *arrays)
{
    pthread_mutex_lock(&registry.lock);
    note *n = note_of(geom);
    if (n) n->arrays = *arrays;
    pthread_mutex_unlock(&registry.lock);
}

static note find(dGeomID geom)
{
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.geom, geom, NULL);
    note found = i >= 0 && i < registry.room ? registry.of[i] : (note){0};
    pthread_mutex_unlock(&registry.lock);
    return found;
}

static void note_outer(dGeomID geom, dGeomID outer)
{
    note *n = note_of(geom);
    if (n) n->outer = outer;
}

void peg_geom_seen(dGeomID geom, dGeomID outer)
{
    pthread_mutex_lock(&registry.lock);
    note_outer(geom, outer);
    if (geom != outer) note_outer(outer, outer);
    pthread_mutex_unlock(&registry.lock);
}

dGeomID peg_geom_outer(dGeomID geom)
{
    dGeomID outer = geom ? find(geom).outer : NULL;
    return outer && outer != geom ? find(outer).outer : outer;
}

int peg_model_has(dGeomID geom)
{
    int class = dGeomGetClass(geom);
    const pegSettings *settings = &peg_launch_options.settings;
    if (class == dSphereClass || class == dCapsuleClass) return peg_model_knows_round(settings);
    return settings->contact == PEG_CONTACT_PEG || class == dBoxClass || class == dPlaneClass ||
           class == dConvexClass;
}

int peg_geom_arrays(dGeomID geom, peg_arrays *out)
{
    *out = find(geom).arrays;
    return out->planes != NULL;
}

void peg_geom_forget(dGeomID geom)
{
    peg_shapes_changed();
    pthread_mutex_lock(&registry.lock);
    int i = peg_map_find(&registry.geom, geom, NULL);
    if (i >= 0 && i < registry.room) registry.of[i] = (note){0};
    pthread_mutex_unlock(&registry.lock);
    pegUnregisterConvex(geom);
    if (dGeomIsSpace(geom) || dGeomGetSpace(geom)) peg_geoms_changed();
}

static void see_convex(dGeomID geom, const peg_arrays *a)
{
    pegStatus status =
        pegRegisterConvex(geom, a->planes, a->planecount, a->points, a->pointcount, a->polygons);
    if (status == PEG_OK) {
        keep_arrays(geom, a);
        return;
    }
    peg_geom_forget(geom);
    peg_log("a convex geom has no exact contacts: %s", pegStatusMessage(status));
    peg_unsupported("a convex geom of these arrays");
}

dGeomID peg_create_convex(dSpaceID space, const dReal *planes, unsigned planecount,
                          const dReal *points, unsigned pointcount, const unsigned *polygons)
{
    dGeomID geom = peg_ode->dCreateConvex(space, planes, planecount, points, pointcount, polygons);
    peg_arrays arrays = {planes, points, planecount, pointcount, polygons};
    if (!peg_inside && geom) see_convex(geom, &arrays);
    return geom;
}

void peg_set_convex(dGeomID geom, const dReal *planes, unsigned planecount, const dReal *points,
                    unsigned pointcount, const unsigned *polygons)
{
    peg_arrays arrays = {planes, points, planecount, pointcount, polygons};
    peg_ode->dGeomSetConvex(geom, planes, planecount, points, pointcount, polygons);
    if (!peg_inside) see_convex(geom, &arrays);
}
