/* A program that throws twenty bodies of all convex classes into a bin; its arguments are the seed,
 * and "rough" for a bottom of triangles or "tidy" to destroy at the end what it made. */
#include <ode/ode.h>

#include <stdlib.h>
#include <string.h>

static dWorldID world;
static dJointGroupID contacts;

static double between(double a, double b)
{
    return a + (b - a) * rand() / RAND_MAX;
}

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    dContact contact[8];
    int n = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        contact[i].surface = *(dSurfaceParameters *)data;
        dJointAttach(dJointCreateContact(world, contacts, &contact[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

static dGeomID octahedron(dSpaceID space)
{
    static const dReal unit[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const unsigned polygons[] = {3, 0, 2, 4, 3, 2, 1, 4, 3, 1, 3, 4, 3, 3, 0, 4,
                                        3, 2, 0, 5, 3, 1, 2, 5, 3, 3, 1, 5, 3, 0, 3, 5};
    static dReal planes[32], points[18];
    const double third = .57735026918962576;
    for (int i = 0; i < 18; i++) points[i] = .35 * unit[i];
    for (int f = 0; f < 8; f++) {
        const unsigned *p = polygons + 4 * f + 1;
        for (int k = 0; k < 3; k++)
            planes[4 * f + k] =
                third * (unit[3 * p[0] + k] + unit[3 * p[1] + k] + unit[3 * p[2] + k]);
        planes[4 * f + 3] = .35 * third;
    }
    return dCreateConvex(space, planes, 8, points, 6, polygons);
}

static void rough_bottom(dSpaceID space)
{
    enum { SIDE = 11 };
    static float corner[SIDE * SIDE][3];
    static dTriIndex index[(SIDE - 1) * (SIDE - 1)][6];
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i / SIDE, y = i % SIDE;
        corner[i][0] = (float)(.4 * x - 2);
        corner[i][1] = (float)(.4 * y - 2);
        corner[i][2] = (float)(.05 * ((7 * x + 5 * y) % 3));
    }
    for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
        dTriIndex a = (dTriIndex)(i / (SIDE - 1) * SIDE + i % (SIDE - 1)), b = a + SIDE;
        const dTriIndex of[6] = {a, b, b + 1, a, b + 1, a + 1};
        for (int k = 0; k < 6; k++) index[i][k] = of[k];
    }
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, corner, sizeof corner[0], SIDE * SIDE, index,
                                (int)(sizeof index / sizeof(dTriIndex)), 3 * sizeof(dTriIndex));
    dGeomTriMeshDataPreprocess2(data, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, 0);
    dCreateTriMesh(space, data, 0, 0, 0);
}

static void throw_in(dSpaceID space, int i)
{
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dQuaternion q;
    dMassSetBox(&mass, 1000, .5, .5, .5);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, .9 * (i % 3 - 1) + between(-.05, .05),
                     .9 * (i / 3 % 3 - 1) + between(-.05, .05), .6 + .9 * (i / 9));
    dQFromAxisAndAngle(q, between(-1, 1), between(-1, 1), between(-1, 1), between(0, 3));
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, between(-1, 1), between(-1, 1), between(-1, 1));
    dBodySetAngularVel(body, between(-5, 5), between(-5, 5), between(-5, 5));
    int kind = rand() % 5;
    dGeomSetBody(kind == 0   ? dCreateSphere(space, .3)
                 : kind == 1 ? dCreateBox(space, .4, .5, .45)
                 : kind == 2 ? dCreateCapsule(space, .2, .3)
                 : kind == 3 ? dCreateCylinder(space, .25, .4)
                             : octahedron(space),
                 body);
}

int main(int argc, char **argv)
{
    dSurfaceParameters surface = {
        .mode = dContactApprox1 | dContactBounce, .mu = .4, .bounce = .5, .bounce_vel = .1};
    srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    contacts = dJointGroupCreate(0);
    dSpaceID space = dSimpleSpaceCreate(0);
    const char *kind = argc > 2 ? argv[2] : "";
    if (!strcmp(kind, "rough"))
        rough_bottom(space);
    else
        dCreatePlane(space, 0, 0, 1, 0);
    dCreatePlane(space, 1, 0, 0, -1.6);
    dCreatePlane(space, -1, 0, 0, -1.6);
    dCreatePlane(space, 0, 1, 0, -1.6);
    dCreatePlane(space, 0, -1, 0, -1.6);
    for (int i = 0; i < 20; i++) throw_in(space, i);
    for (int k = 0; k < 120; k++) {
        dSpaceCollide(space, &surface, near_callback);
        dWorldStep(world, .005);
        dJointGroupEmpty(contacts);
    }
    if (strcmp(kind, "tidy") != 0) return 0;
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return 0;
}
