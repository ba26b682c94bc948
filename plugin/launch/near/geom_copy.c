/* Copies come and go thousands of times in a step: those of the simple classes are kept. */
#include "plugin/launch/near/geom_copy.h"
#include "ode_glue/read/geom.h"
#include "plugin/launch/world/geom_registry.h"

int peg_copy_ease(dGeomID geom)
{
    switch (dGeomGetClass(peg_geom_leaf(geom))) {
    case dSphereClass:
        return 7;
    case dCapsuleClass:
        return 6;
    case dBoxClass:
        return 5;
    case dCylinderClass:
        return 4;
    case dConvexClass:
        return 3;
    case dPlaneClass:
        return 2;
    case dTriMeshClass:
        return 1;
    default:
        return 0;
    }
}

/* A convex geom's arrays, scaled about its middle so that every face moves out by at least `by`. */
static int enlarge_arrays(const peg_arrays *a, double by, peg_geom_copy *out)
{
    double least = INFINITY, middle[3], factor;
    out->planes = peg_alloc(a->planecount * 4 * sizeof(dReal));
    out->points = peg_alloc(a->pointcount * 3 * sizeof(dReal));
    if (!out->planes || !out->points) return 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0;
        for (unsigned i = 0; i < a->pointcount; i++)
            middle[k] += a->points[3 * i + k] / a->pointcount;
    }
    for (unsigned i = 0; i < a->planecount; i++)
        least = fmin(least, a->planes[4 * i + 3] - peg_dot(a->planes + 4 * i, middle));
    factor = least > 0 ? 1 + by / least : 1;
    for (unsigned i = 0; i < a->planecount; i++) {
        double d = peg_dot(a->planes + 4 * i, middle);
        for (int k = 0; k < 3; k++) out->planes[4 * i + k] = a->planes[4 * i + k];
        out->planes[4 * i + 3] = d + factor * (a->planes[4 * i + 3] - d);
    }
    for (unsigned i = 0; i < a->pointcount; i++)
        for (int k = 0; k < 3; k++)
            out->points[3 * i + k] = middle[k] + factor * (a->points[3 * i + k] - middle[k]);
    return 1;
}

static dGeomID copy_convex(dGeomID leaf, double by, peg_geom_copy *held)
{
    peg_arrays a;
    if (!peg_geom_arrays(leaf, &a) || !enlarge_arrays(&a, by, held)) return NULL;
    return peg_ode->dCreateConvex(NULL, held->planes, a.planecount, held->points, a.pointcount,
                                  a.polygons);
}

static dGeomID make(dGeomID leaf, double by, peg_geom_copy *held)
{
    switch (dGeomGetClass(leaf)) {
    case dSphereClass:
        return dCreateSphere(NULL, 1);
    case dCapsuleClass:
        return dCreateCapsule(NULL, 1, 1);
    case dBoxClass:
        return dCreateBox(NULL, 1, 1, 1);
    case dCylinderClass:
        return dCreateCylinder(NULL, 1, 1);
    case dPlaneClass:
        return dCreatePlane(NULL, 0, 0, 1, 0);
    case dTriMeshClass:
        return dCreateTriMesh(NULL, dGeomTriMeshGetTriMeshDataID(leaf), NULL, NULL, NULL);
    case dConvexClass:
        return copy_convex(leaf, by, held);
    default:
        return NULL;
    }
}

/* Gives a copy of a simple class the size of the leaf, and more. */
static void resize(dGeomID c, dGeomID leaf, double by)
{
    dVector4 p;
    dReal radius, length;
    switch (dGeomGetClass(leaf)) {
    case dSphereClass:
        peg_ode->dGeomSphereSetRadius(c, dGeomSphereGetRadius(leaf) + by);
        break;
    case dCapsuleClass:
        dGeomCapsuleGetParams(leaf, &radius, &length);
        peg_ode->dGeomCapsuleSetParams(c, radius + by, length);
        break;
    case dBoxClass:
        dGeomBoxGetLengths(leaf, p);
        peg_ode->dGeomBoxSetLengths(c, p[0] + 2 * by, p[1] + 2 * by, p[2] + 2 * by);
        break;
    case dCylinderClass:
        dGeomCylinderGetParams(leaf, &radius, &length);
        peg_ode->dGeomCylinderSetParams(c, radius + by, length + 2 * by);
        break;
    case dPlaneClass:
        dGeomPlaneGetParams(leaf, p);
        peg_ode->dGeomPlaneSetParams(c, p[0], p[1], p[2], p[3] + by);
        break;
    default:
        break;
    }
}

/* Places the copy of the geom where that lies, but for the shift. */
static void place(dGeomID c, dGeomID geom, const double shift[3])
{
    double x[3], R[9];
    dMatrix3 rotation = {0};
    if (dGeomGetClass(c) == dPlaneClass) return;
    peg_geom_pose(geom, x, R);
    for (int i = 0; i < 9; i++) rotation[4 * (i / 3) + i % 3] = R[i];
    peg_ode->dGeomSetPosition(c, x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]);
    peg_ode->dGeomSetRotation(c, rotation);
}

dGeomID peg_geom_copy_open(peg_world_entry *entry, dGeomID geom, double by, const double shift[3],
                           peg_geom_copy *out)
{
    dGeomID leaf = peg_geom_leaf(geom);
    int class = dGeomGetClass(leaf);
    dGeomID *kept = class < PEG_COPIES ? &entry->copy[class] : NULL;
    *out = (peg_geom_copy){.kept = kept != NULL};
    if (kept && !*kept) *kept = make(leaf, by, out);
    out->geom = kept ? *kept : make(leaf, by, out);
    if (!out->geom) return NULL;
    if (kept) resize(out->geom, leaf, by);
    place(out->geom, geom, shift);
    return out->geom;
}

void peg_geom_copy_close(peg_geom_copy *copy)
{
    if (copy->geom && !copy->kept) peg_ode->dGeomDestroy(copy->geom);
    peg_free(copy->planes);
    peg_free(copy->points);
}
