/* A program that drops a block of cubes, turned at random, in long steps. Friction far above 1 is
 * what PGS converges slowly with. */
#include <ode/ode.h>

#include <stdlib.h>

static dWorldID world;
static dJointGroupID contacts;

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    dContact contact[8] = {0};
    (void)data;
    int n = dCollide(a, b, 8, &contact[0].geom, sizeof *contact);
    for (int i = 0; i < n; i++) {
        contact[i].surface.mu = 200;
        contact[i].surface.mode = dContactApprox1;
        dJointAttach(dJointCreateContact(world, contacts, &contact[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

int main(void)
{
    enum { SIDE = 5 };
    dInitODE();
    world = dWorldCreate();
    contacts = dJointGroupCreate(0);
    dSpaceID space = dHashSpaceCreate(NULL);
    dWorldSetGravity(world, 0, 0, -9.81);
    dCreatePlane(space, 0, 0, 1, 0);
    srand(1);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        dMass mass;
        dMatrix3 R;
        dBodyID body = dBodyCreate(world);
        dMassSetBox(&mass, 1000, .4, .4, .4);
        dBodySetMass(body, &mass);
        dRFromEulerAngles(R, rand(), rand(), rand());
        dBodySetRotation(body, R);
        dBodySetPosition(body, .7 * (i % SIDE), .7 * (i / SIDE % SIDE),
                         .5 + .7 * (i / SIDE / SIDE));
        dGeomSetBody(dCreateBox(space, .4, .4, .4), body);
    }
    for (int step = 0; step < 100; step++) {
        dSpaceCollide(space, NULL, near_callback);
        dWorldStep(world, .05);
        dJointGroupEmpty(contacts);
    }
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return 0;
}
