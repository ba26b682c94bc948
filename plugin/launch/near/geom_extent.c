/* What dCollide is asked for are mostly pairs that do not touch: a direction along which that is
 * plain costs less than any search for contacts, and serves for many steps. */
#include "plugin/launch/near/geom_extent.h"
#include "ode_glue/read/geom.h"
#include "peg/base/math.h"
#include "plugin/launch/world/geom_registry.h"

/* Half of what the geom spans along n, a direction in its own frame; < 0: not known. */
static double half_extent(dGeomID leaf, int class, const double n[3])
{
    dVector3 side;
    dReal radius, length;
    switch (class) {
    case dSphereClass:
        return dGeomSphereGetRadius(leaf);
    case dBoxClass:
        dGeomBoxGetLengths(leaf, side);
        return .5 * (side[0] * fabs(n[0]) + side[1] * fabs(n[1]) + side[2] * fabs(n[2]));
    case dCapsuleClass:
        dGeomCapsuleGetParams(leaf, &radius, &length);
        return radius + .5 * length * fabs(n[2]);
    case dCylinderClass:
        dGeomCylinderGetParams(leaf, &radius, &length);
        return radius * sqrt(n[0] * n[0] + n[1] * n[1]) + .5 * length * fabs(n[2]);
    default:
        return -1;
    }
}

/* n in the geom's frame. */
static int convex_extent(dGeomID leaf, const double n[3], double out[2])
{
    peg_arrays a;
    if (!peg_geom_arrays(leaf, &a)) return 0;
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (unsigned i = 0; i < a.pointcount; i++) {
        double s = peg_dot(n, a.points + 3 * (size_t)i);
        out[0] = peg_min(out[0], s);
        out[1] = peg_max(out[1], s);
    }
    return 1;
}

/* Of what lies at x, turned by the rows of R, which are `row` numbers long. */
static int placed_extent(dGeomID leaf, int class, const dReal *x, const dReal *R, int row,
                         const double n[3], double out[2])
{
    double own[3], half, middle = peg_dot(n, x);
    for (int k = 0; k < 3; k++) own[k] = R[k] * n[0] + R[row + k] * n[1] + R[2 * row + k] * n[2];
    if (class == dConvexClass) {
        if (!convex_extent(leaf, own, out)) return 0;
    } else {
        if ((half = half_extent(leaf, class, own)) < 0) return 0;
        out[0] = -half;
        out[1] = half;
    }
    out[0] += middle;
    out[1] += middle;
    return 1;
}

/* Least and largest n . p of the geom's points p; 0: not of a class that can be told in a moment.
 * Planes are asked along their normals alone. */
static int extent(dGeomID geom, const double n[3], double out[2])
{
    double x[3], R[9];
    dVector4 plane;
    dGeomID leaf = peg_geom_leaf(geom);
    int class = dGeomGetClass(leaf);
    if (class == dPlaneClass) {
        dGeomPlaneGetParams(leaf, plane);
        int below = peg_dot(n, plane) > 0;
        out[0] = below ? -INFINITY : -plane[3];
        out[1] = below ? plane[3] : INFINITY;
        return 1;
    }
    if (class > dConvexClass) return 0;
    if (leaf == geom)
        return placed_extent(leaf, class, dGeomGetPosition(leaf), dGeomGetRotation(leaf), 4, n,
                             out);
    peg_geom_pose(geom, x, R);
    return placed_extent(leaf, class, x, R, 3, n, out);
}

static double apart_along(dGeomID a, dGeomID b, const double n[3])
{
    double of_a[2], of_b[2];
    if (!extent(a, n, of_a) || !extent(b, n, of_b)) return -INFINITY;
    return of_a[0] - of_b[1];
}

/* Keeps the better one of two directions. */
static void try_direction(dGeomID a, dGeomID b, const double n[3], double direction[3],
                          double *apart)
{
    double s = apart_along(a, b, n);
    if (!(s > *apart)) return;
    *apart = s;
    peg_copy3(n, direction);
}

/* The axes of a box, the middle line of what is long; those that point from b to a. */
static void try_axes(dGeomID a, dGeomID b, int of_b, double direction[3], double *apart)
{
    double x[3], R[9], other[3], S[9];
    int class = dGeomGetClass(peg_geom_leaf(of_b ? b : a));
    if (class != dBoxClass && class != dCylinderClass) return;
    peg_geom_pose(of_b ? b : a, x, R);
    peg_geom_pose(of_b ? a : b, other, S);
    for (int k = class == dBoxClass ? 0 : 2; k < 3; k++) {
        double n[3] = {R[k], R[3 + k], R[6 + k]}, away[3];
        peg_sub(other, x, away);
        double sign = (peg_dot(n, away) < 0) == of_b ? -1 : 1;
        for (int i = 0; i < 3; i++) n[i] *= sign;
        try_direction(a, b, n, direction, apart);
    }
}

/* 1: one of them is a plane, and no other direction counts. */
static int plane_direction(dGeomID a, dGeomID b, double n[3])
{
    dGeomID of[2] = {peg_geom_leaf(a), peg_geom_leaf(b)};
    int second = dGeomGetClass(of[1]) == dPlaneClass;
    dVector4 p;
    if (!second && dGeomGetClass(of[0]) != dPlaneClass) return 0;
    dGeomPlaneGetParams(of[second], p);
    for (int k = 0; k < 3; k++) n[k] = second ? p[k] : -p[k];
    return 1;
}

double peg_geom_apart(dGeomID a, dGeomID b, double reach, double direction[3])
{
    double apart = -INFINITY, n[3], x[3], y[3], R[9];
    if (plane_direction(a, b, n)) {
        peg_copy3(n, direction);
        return apart_along(a, b, n);
    }
    if (peg_dot(direction, direction) > 0) apart = apart_along(a, b, direction);
    if (apart > 0) return apart;
    peg_geom_pose(a, x, R);
    peg_geom_pose(b, y, R);
    peg_sub(x, y, n);
    if (peg_normalise(n) > 0) try_direction(a, b, n, direction, &apart);
    if (apart > reach) return apart;
    try_axes(a, b, 0, direction, &apart);
    if (apart > reach) return apart;
    try_axes(a, b, 1, direction, &apart);
    return apart;
}
