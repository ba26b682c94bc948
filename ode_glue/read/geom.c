#include "ode_glue/read/geom.h"
#include "peg/base/math.h"

/* dGeomTransform is deprecated, and in use. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static dGeomID inside(dGeomID geom)
{
    return dGeomGetClass(geom) == dGeomTransformClass ? dGeomTransformGetGeom(geom) : NULL;
}

dGeomID peg_geom_leaf(dGeomID geom)
{
    while (geom && dGeomGetClass(geom) == dGeomTransformClass) geom = inside(geom);
    return geom;
}

dGeomID peg_geom_named(dGeomID geom)
{
    while (inside(geom) && !dGeomTransformGetInfo(geom)) geom = inside(geom);
    return geom;
}

/* A heightfield may have no pose, which must not be asked for, and no getter says so; but it can be
 * asked where its points are. */
static void pose_of_points(dGeomID geom, double x[3], double R[9])
{
    dVector3 column;
    dGeomGetRelPointPos(geom, 0, 0, 0, column);
    peg_copy3(column, x);
    for (int k = 0; k < 3; k++) {
        dGeomVectorToWorld(geom, k == 0, k == 1, k == 2, column);
        for (int i = 0; i < 3; i++) R[3 * i + k] = column[i];
    }
}

static void own_pose(dGeomID geom, double x[3], double R[9])
{
    if (dGeomGetClass(geom) == dHeightfieldClass) {
        pose_of_points(geom, x, R);
        return;
    }
    const dReal *S = dGeomGetRotation(geom);
    peg_copy3(dGeomGetPosition(geom), x);
    for (int i = 0; i < 9; i++) R[i] = S[4 * (i / 3) + i % 3];
}

/* From the pose of the geom to that of its leaf. */
static void descend(dGeomID geom, double x[3], double R[9])
{
    while ((geom = inside(geom))) {
        double y[3], S[9], turned[9], moved[3];
        own_pose(geom, y, S);
        peg_rotate(R, y, moved);
        peg_add_scaled(x, 1, moved, x);
        peg_mat_mul(R, S, turned);
        for (int i = 0; i < 9; i++) R[i] = turned[i];
    }
}

/* ODE takes a plane as it is, wherever a transform puts it. */
static int is_unplaced(dGeomID geom, double x[3], double R[9])
{
    dGeomID leaf = peg_geom_leaf(geom);
    if (leaf && dGeomGetClass(leaf) != dPlaneClass) return 0;
    for (int i = 0; i < 3; i++) x[i] = 0;
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
    return 1;
}

void peg_geom_pose(dGeomID geom, double x[3], double R[9])
{
    if (is_unplaced(geom, x, R)) return;
    own_pose(geom, x, R);
    descend(geom, x, R);
}

void peg_geom_offset(dGeomID geom, double x[3], double R[9])
{
    if (is_unplaced(geom, x, R)) return;
    const dReal *y = dGeomGetOffsetPosition(geom), *S = dGeomGetOffsetRotation(geom);
    peg_copy3(y, x);
    for (int i = 0; i < 9; i++) R[i] = S[4 * (i / 3) + i % 3];
    descend(geom, x, R);
}
