/* A near callback of the program: it filters pairs and gives each pair its surface. A crate rides a
 * conveyor belt, a second one slides down ice, a ball bounces, and a ghost falls through. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

typedef struct thing {
    double mu, bounce, belt; /* belt: speed of the surface along x, m/s */
    int is_ghost;
} thing;

static thing floor_ = {0.8, 0, 0, 0}, belt = {0.8, 0, 1.5, 0}, ice = {0, 0, 0, 0};
static thing crate = {0.8, 0, 0, 0}, ball = {0.3, 0.6, 0, 0}, ghost = {0.8, 0, 0, 1};

static void near_callback(void *data, dGeomID o1, dGeomID o2)
{
    if (dGeomIsSpace(o1) || dGeomIsSpace(o2)) {
        dSpaceCollide2(o1, o2, data, &near_callback);
        return;
    }
    const thing *a = dGeomGetData(o1), *b = dGeomGetData(o2);
    if (a->is_ghost || b->is_ghost) return; /* the pair cannot touch */
    dContact contact = {.geom.g1 = o1, .geom.g2 = o2, .fdir1 = {1, 0, 0}};
    contact.surface.mode = dContactApprox1 | dContactBounce | dContactFDir1 | dContactMotion1;
    contact.surface.mu = fmin(a->mu, b->mu);
    contact.surface.bounce = fmax(a->bounce, b->bounce);
    contact.surface.motion1 = b->belt - a->belt; /* of the first geom relative to the second */
    pegWorldAddPairContact(data, &contact, NULL);
}

static dBodyID add(dWorldID world, dGeomID geom, thing *data, double x, double y, double z)
{
    dMass mass;
    dMassSetBoxTotal(&mass, 5, 0.3, 0.3, 0.3);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, data);
    dBodySetPosition(body, x, y, z);
    return body;
}

int main(void)
{
    dInitODE();
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dHashSpaceCreate(NULL);
    dGeomSetData(dCreatePlane(space, 0, 0, 1, -1), &floor_);
    dGeomID bed = dCreateBox(space, 6, 1, 0.2), slope = dCreateBox(space, 6, 1, 0.2);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 1, 0, 0.3);
    dGeomSetPosition(bed, 0, 0, 0);
    dGeomSetPosition(slope, 0, 3, 0);
    dGeomSetRotation(slope, turn);
    dGeomSetData(bed, &belt);
    dGeomSetData(slope, &ice);
    dBodyID on_belt = add(world, dCreateBox(space, 0.3, 0.3, 0.3), &crate, -2, 0, 0.251);
    dBodyID on_ice = add(world, dCreateBox(space, 0.3, 0.3, 0.3), &crate, -1, 3, 0.7);
    dBodyID bouncing = add(world, dCreateSphere(space, 0.15), &ball, 0, -3, 0.65);
    dBodyID falling = add(world, dCreateBox(space, 0.3, 0.3, 0.3), &ghost, 2, 0, 0.251);

    pegWorldID peg = pegWorldCreate(world, NULL);
    pegWorldAddSpace(peg, space);
    pegWorldSetNearCallback(peg, peg, &near_callback);
    for (int step = 0; step < 100; step++) {
        pegStatus status = pegWorldStep(peg, 0.01);
        if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
    }
    const dReal *v = dBodyGetLinearVel(on_belt), *u = dBodyGetLinearVel(on_ice);
    printf("crate on the belt: %.3f m/s (belt: 1.5)\n", v[0]);
    printf("crate on ice:      %.3f m/s, downhill\n", sqrt(u[0] * u[0] + u[2] * u[2]));
    printf("ball:              %.3f m above the floor\n", dBodyGetPosition(bouncing)[2] + 1);
    printf("ghost:             z = %.3f m, below the floor\n", dBodyGetPosition(falling)[2]);
    int as_said = fabs(v[0] - 1.5) < 0.01 && u[0] > 1;
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return as_said ? 0 : 1;
}
