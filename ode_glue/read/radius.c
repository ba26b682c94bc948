#include "ode_glue/read/radius.h"
#include "ode_glue/read/registry.h"
#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"

#include <math.h>
#include <stdatomic.h>

typedef struct radius {
    double radius;
    int class;
    const void *data; /* of a mesh or a heightfield */
} radius;

/* Whether any geom ever had one: the others need not ask behind the registry's lock. */
static atomic_int some_have;

static void release(void *thing)
{
    peg_free(thing);
}

/* The geom's own address is that of the arrays of a convex geom. */
static const void *key_of(dGeomID geom)
{
    return (const char *)geom + 1;
}

static const void *data_of(dGeomID geom, int class)
{
    if (class == dTriMeshClass) return dGeomTriMeshGetData(geom);
    return class == dHeightfieldClass ? dGeomHeightfieldGetHeightfieldData(geom) : NULL;
}

void peg_radius_forget(dGeomID geom)
{
    if (atomic_load(&some_have)) peg_registry_forget(key_of(geom));
}

pegStatus peg_radius_set(dGeomID geom, double r)
{
    int class = dGeomGetClass(geom);
    if (!isfinite(r)) return PEG_ERROR_NOT_FINITE;
    if (r < 0) return PEG_ERROR_ARGUMENT;
    if (class != dBoxClass && class != dConvexClass && class != dTriMeshClass &&
        class != dHeightfieldClass)
        return PEG_ERROR_GEOM_CLASS;
    if (r == 0) {
        peg_radius_forget(geom);
        return PEG_OK;
    }
    pegStatus status = peg_size_check(r);
    if (status != PEG_OK) return status;
    radius *thing = peg_alloc_zero(1, sizeof *thing);
    if (!thing) return PEG_ERROR_MEMORY;
    thing->radius = r, thing->class = class, thing->data = data_of(geom, class);
    atomic_store(&some_have, 1);
    status = peg_registry_set(key_of(geom), thing, release);
    if (status != PEG_OK) release(thing);
    return status;
}

double peg_radius_of(dGeomID geom)
{
    unsigned long version;
    if (!atomic_load(&some_have)) return 0;
    const radius *thing = peg_registry_find(key_of(geom), release, &version);
    if (!thing || thing->class != dGeomGetClass(geom)) return 0;
    return thing->data == data_of(geom, thing->class) ? thing->radius : 0;
}
