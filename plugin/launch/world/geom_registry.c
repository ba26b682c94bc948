/* Geoms that the program has shown: those that live, the arrays of convex ones. */
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/base/real_ode.h"
#include "peg/base/math.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/world.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct note {
    dGeomID outer;        /* null: not seen, or destroyed */
    peg_arrays arrays;    /* planes null: none */
    dReal *own;           /* the planes, if they are not the program's */
    unsigned long number; /* 0: none yet */
} note;

static struct {
    pthread_mutex_t lock;
    peg_map geom;
    note *of; /* room entries */
    int room;
    unsigned long last_number;
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

/* own: the planes, which the note then owns, or null. */
static void keep_arrays(dGeomID geom, const peg_arrays *arrays, dReal *own)
{
    peg_shapes_changed();
    pthread_mutex_lock(&registry.lock);
    note *n = note_of(geom);
    if (n) {
        peg_free(n->own);
        n->arrays = *arrays;
        n->own = own;
    } else {
        peg_free(own);
    }
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

/* Behind the lock. */
static dGeomID outer_of(dGeomID geom)
{
    int i = geom ? peg_map_find(&registry.geom, geom, NULL) : -1;
    return i >= 0 && i < registry.room ? registry.of[i].outer : NULL;
}

dGeomID peg_geom_outer(dGeomID geom)
{
    pthread_mutex_lock(&registry.lock);
    dGeomID outer = outer_of(geom);
    if (outer != geom) outer = outer_of(outer);
    pthread_mutex_unlock(&registry.lock);
    return outer;
}

unsigned long peg_geom_number(dGeomID geom, int is_another)
{
    pthread_mutex_lock(&registry.lock);
    note *n = note_of(geom);
    unsigned long number = n && !is_another ? n->number : 0;
    if (!number) number = ++registry.last_number;
    if (n) n->number = number;
    pthread_mutex_unlock(&registry.lock);
    return number;
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
    if (i >= 0 && i < registry.room) {
        peg_free(registry.of[i].own);
        registry.of[i] = (note){0};
    }
    pthread_mutex_unlock(&registry.lock);
    pegUnregisterConvex(geom);
    if (dGeomIsSpace(geom) || dGeomGetSpace(geom)) peg_geoms_changed();
}

static atomic_uint said; /* bits of statuses */

static int is_news(pegStatus status)
{
    return !(atomic_fetch_or(&said, 1u << status) & 1u << status);
}

/* The plane of the polygon's corners, as they are on average. */
static void fit_plane(const unsigned *polygon, const dReal *points, dReal plane[4])
{
    double area[3] = {0}, middle[3] = {0}, across[3];
    for (unsigned k = 1; k <= *polygon; k++) {
        const dReal *x = points + 3 * (size_t)polygon[k];
        const dReal *y = points + 3 * (size_t)polygon[k % *polygon + 1];
        peg_cross(x, y, across);
        peg_add_scaled(area, 1, across, area);
        peg_add_scaled(middle, 1. / *polygon, x, middle);
    }
    peg_normalise(area);
    peg_copy3(area, plane);
    plane[3] = peg_dot(area, middle);
}

/* Registers the shape of the points where the planes are of another one: those of ODE's convex
 * bunny lie beside it by a twentieth of its size. */
static pegStatus register_points(dGeomID geom, const peg_arrays *a)
{
    peg_arrays right = *a;
    const unsigned *polygon = a->polygons;
    dReal *planes = peg_alloc((size_t)a->planecount * 4 * sizeof *planes);
    if (!planes) return PEG_ERROR_MEMORY;
    for (unsigned i = 0; i < a->planecount; i++, polygon += *polygon + 1)
        fit_plane(polygon, a->points, planes + 4 * (size_t)i);
    right.planes = planes;
    pegStatus status =
        pegRegisterConvex(geom, planes, a->planecount, a->points, a->pointcount, a->polygons);
    if (status == PEG_OK)
        keep_arrays(geom, &right, planes);
    else
        peg_free(planes);
    return status;
}

static void see_convex(dGeomID geom, const peg_arrays *a)
{
    pegStatus status =
        pegRegisterConvex(geom, a->planes, a->planecount, a->points, a->pointcount, a->polygons);
    if (status == PEG_OK) {
        keep_arrays(geom, a, NULL);
        return;
    }
    if (status == PEG_ERROR_SHAPE_PLANE && register_points(geom, a) == PEG_OK) {
        if (is_news(status))
            peg_log("planes of a convex geom do not fit its polygons: its points count");
        return;
    }
    peg_geom_forget(geom);
    if (is_news(status))
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
