/* Convex geoms and a triangle mesh: octahedra fall into a bowl. ODE has no getter for the arrays of
 * a convex geom, so it is made with pegCreateConvex; meshes need no call. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

enum { SIDE = 21, BODIES = 12 };

static const unsigned polygons[] = {3, 0, 2, 4, 3, 2, 1, 4, 3, 1, 3, 4, 3, 3, 0, 4,
                                    3, 2, 0, 5, 3, 1, 2, 5, 3, 3, 1, 5, 3, 0, 3, 5};
static const dReal points[] = {0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3};
static dReal planes[8 * 4];

/* The planes of the eight faces, from their corners. */
static void fill_planes(void)
{
    for (int f = 0; f < 8; f++) {
        double *plane = planes + 4 * f;
        for (int k = 0; k < 3; k++)
            for (int c = 1; c <= 3; c++) plane[k] += points[3 * polygons[4 * f + c] + k];
        double length = sqrt(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]);
        for (int k = 0; k < 3; k++) plane[k] /= length;
        plane[3] = 0.3 / sqrt(3);
    }
}

static dTriMeshDataID add_bowl(dSpaceID space)
{
    static float corner[SIDE * SIDE][3]; /* the mesh refers to these arrays */
    static dTriIndex index[(SIDE - 1) * (SIDE - 1) * 2][3];
    int n = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        float x = 0.2f * (float)(i / SIDE - SIDE / 2), y = 0.2f * (float)(i % SIDE - SIDE / 2);
        corner[i][0] = x, corner[i][1] = y, corner[i][2] = 0.25f * (x * x + y * y);
    }
    for (int i = 0; i < SIDE - 1; i++)
        for (int j = 0; j < SIDE - 1; j++) {
            dTriIndex a = (dTriIndex)(i * SIDE + j), b = a + SIDE;
            index[n][0] = a, index[n][1] = b, index[n++][2] = b + 1;
            index[n][0] = a, index[n][1] = b + 1, index[n++][2] = a + 1;
        }
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, corner, sizeof *corner, SIDE * SIDE, index, 3 * n,
                                sizeof *index);
    dCreateTriMesh(space, data, NULL, NULL, NULL);
    return data;
}

int main(void)
{
    dInitODE();
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dHashSpaceCreate(NULL);
    dTriMeshDataID bowl = add_bowl(space);
    fill_planes();
    for (int i = 0; i < BODIES; i++) {
        pegStatus status;
        dGeomID geom = pegCreateConvex(space, planes, 8, points, 6, polygons, &status);
        if (!geom) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
        dMass mass;
        dMassSetSphereTotal(&mass, 20, 0.2);
        dBodyID body = dBodyCreate(world);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, 0.5 * cos(i), 0.5 * sin(i), 1 + 0.4 * i);
        dGeomSetBody(geom, body);
    }
    pegWorldID peg = pegWorldCreate(world, NULL);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.4};
    pegWorldSetDefaultSurface(peg, &surface);
    pegWorldAddSpace(peg, space);
    for (int step = 0; step < 300; step++) {
        pegStatus status = pegWorldStep(peg, 0.01);
        if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
    }
    pegStats total;
    pegWorldGetTotals(peg, &total);
    printf("%d octahedra in a bowl of 800 triangles, %ld steps\n", BODIES, total.steps);
    printf("deepest overlap %g m, contacts now: %d\n", total.max_penetration,
           pegWorldGetContactCount(peg));
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dGeomTriMeshDataDestroy(bowl);
    dWorldDestroy(world);
    dCloseODE();
    return total.max_penetration > 0;
}
