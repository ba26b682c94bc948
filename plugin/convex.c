/* Convex geoms, seen when they are made. */
#include "ode_glue/read/convex.h"
#include "ode_glue/read/radius.h"
#include "plugin/ode-peg.h"

#include <limits.h>

static pegStatus read_arrays(const dReal *planes, unsigned planecount, const dReal *points,
                             unsigned pointcount, const unsigned *polygons, peg_polytope **out)
{
    *out = NULL;
    if (!planes || !points || !polygons || planecount > INT_MAX || pointcount > INT_MAX)
        return PEG_ERROR_ARGUMENT;
    return peg_polytope_from_ode_convex(planes, (int)planecount, points, (int)pointcount, polygons,
                                        out);
}

static pegStatus set_shape(dGeomID geom, peg_polytope *shape)
{
    pegStatus status = peg_convex_set(geom, shape);
    if (status != PEG_OK) peg_polytope_free(shape);
    return status;
}

dGeomID pegCreateConvex(dSpaceID space, const dReal *planes, unsigned planecount,
                        const dReal *points, unsigned pointcount, const unsigned *polygons,
                        pegStatus *status)
{
    peg_polytope *shape;
    dGeomID geom = NULL;
    pegStatus result = read_arrays(planes, planecount, points, pointcount, polygons, &shape);
    if (result == PEG_OK) {
        geom = dCreateConvex(space, planes, planecount, points, pointcount, polygons);
        peg_radius_forget(geom);
        result = set_shape(geom, shape);
    }
    if (geom && result != PEG_OK) {
        dGeomDestroy(geom);
        geom = NULL;
    }
    if (status) *status = result;
    return geom;
}

pegStatus pegRegisterConvex(dGeomID geom, const dReal *planes, unsigned planecount,
                            const dReal *points, unsigned pointcount, const unsigned *polygons)
{
    peg_polytope *shape;
    if (!geom || dGeomGetClass(geom) != dConvexClass) return PEG_ERROR_ARGUMENT;
    pegStatus status = read_arrays(planes, planecount, points, pointcount, polygons, &shape);
    return status == PEG_OK ? set_shape(geom, shape) : status;
}

pegStatus pegSetConvex(dGeomID geom, const dReal *planes, unsigned planecount, const dReal *points,
                       unsigned pointcount, const unsigned *polygons)
{
    pegStatus status = pegRegisterConvex(geom, planes, planecount, points, pointcount, polygons);
    if (status == PEG_OK) dGeomSetConvex(geom, planes, planecount, points, pointcount, polygons);
    return status;
}

void pegUnregisterConvex(dGeomID geom)
{
    if (!geom) return;
    peg_convex_forget(geom);
    peg_radius_forget(geom);
}

pegStatus pegGeomSetRadius(dGeomID geom, dReal radius)
{
    return geom ? peg_radius_set(geom, radius) : PEG_ERROR_ARGUMENT;
}

dReal pegGeomGetRadius(dGeomID geom)
{
    return geom ? peg_radius_of(geom) : 0;
}
