/* A car with four suspended, driven wheels on a heightfield. ODE has no getter for the samples of a
 * heightfield, so they are registered; joints need no call, but pegJointSetReferencePose tells the
 * pose in which a joint was set exactly. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 65 };

static double height[SAMPLES * SAMPLES];

static dGeomID add_ground(dSpaceID space)
{
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++)
            height[i + j * SAMPLES] = 0.15 * sin(0.7 * i) * cos(0.5 * j);
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, height, 0, 40, 40, SAMPLES, SAMPLES, 1, 0, 1, 0);
    pegHeightfield samples = {.type = PEG_SAMPLES_DOUBLE,
                              .samples = height,
                              .width = 40,
                              .depth = 40,
                              .width_samples = SAMPLES,
                              .depth_samples = SAMPLES,
                              .scale = 1};
    if (pegRegisterHeightfield(data, &samples) != PEG_OK) return NULL;
    dGeomID ground = dCreateHeightfield(space, data, 1);
    dMatrix3 upright; /* a heightfield is high along y; here z is up */
    dRFromAxisAndAngle(upright, 1, 0, 0, 0.5 * 3.14159265358979323846);
    dGeomSetRotation(ground, upright);
    return ground;
}

static dBodyID add_body(dWorldID world, dGeomID geom, double kg, double x, double y, double z)
{
    dMass mass;
    dMassSetSphereTotal(&mass, kg, kg > 50 ? 0.7 : 0.35);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(geom, body);
    return body;
}

static void add_wheel(pegWorldID peg, dSpaceID space, dBodyID chassis, double x, double y)
{
    dWorldID world = pegWorldGetWorld(peg);
    dBodyID wheel = add_body(world, dCreateSphere(space, 0.35), 20, x, y, 0.6);
    dJointID hinge = dJointCreateHinge2(world, NULL);
    dVector3 up = {0, 0, 1}, across = {0, 1, 0};
    dJointAttach(hinge, chassis, wheel);
    dJointSetHinge2Anchor(hinge, x, y, 0.6);
    dJointSetHinge2Axes(hinge, up, across);
    dJointSetHinge2Param(hinge, dParamLoStop, 0); /* no steering */
    dJointSetHinge2Param(hinge, dParamHiStop, 0);
    dJointSetHinge2Param(hinge, dParamSuspensionERP, 0.4);
    dJointSetHinge2Param(hinge, dParamSuspensionCFM, 2e-4);
    dJointSetHinge2Param(hinge, dParamVel2, -10); /* rad/s */
    dJointSetHinge2Param(hinge, dParamFMax2, 80); /* N m */
    pegJointSetReferencePose(peg, hinge);
}

int main(void)
{
    dInitODE();
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dHashSpaceCreate(NULL);
    pegWorldID peg = pegWorldCreate(world, NULL);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.9};
    pegWorldSetDefaultSurface(peg, &surface);
    pegWorldAddSpace(peg, space);
    dGeomID ground = add_ground(space);
    if (!ground) return 1;
    dBodyID chassis = add_body(world, dCreateBox(space, 2.4, 1.2, 0.3), 400, -8, 0, 0.9);
    for (int i = 0; i < 4; i++)
        add_wheel(peg, space, chassis, -8 + (i < 2 ? 0.9 : -0.9), i % 2 ? 0.8 : -0.8);
    for (int step = 0; step < 500; step++) {
        pegStatus status = pegWorldStep(peg, 0.01);
        if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
    }
    const dReal *x = dBodyGetPosition(chassis);
    pegStats total;
    pegWorldGetTotals(peg, &total);
    printf("after 5 s the car is at %.2f %.2f %.2f m\n", x[0], x[1], x[2]);
    printf("deepest overlap %g m\n", total.max_penetration);
    int as_said = x[0] > -2 && total.max_penetration == 0;
    dHeightfieldDataID data = dGeomHeightfieldGetHeightfieldData(ground);
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    pegUnregisterHeightfield(data);
    dGeomHeightfieldDataDestroy(data);
    dWorldDestroy(world);
    dCloseODE();
    return as_said ? 0 : 1;
}
