/* Contact forces and events: a ball rolls over a plate on four posts. Every step prints who began
 * or ceased to touch; at the end the forces on the posts are compared with the weight. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

enum { GEOMS = 6 }; /* plate, ball, posts 2 .. 5 */

static const char *name[GEOMS] = {"plate", "ball", "post 1", "post 2", "post 3", "post 4"};
static dGeomID geom[GEOMS];

static int index_of(dGeomID g)
{
    int i = 0;
    while (i < GEOMS - 1 && geom[i] != g) i++;
    return i;
}

/* Who began or ceased to touch in the last step. */
static void print_events(pegWorldID peg, double t)
{
    for (int i = 0; i < pegWorldGetContactEventCount(peg); i++) {
        pegContactEvent event;
        pegWorldGetContactEvent(peg, i, &event);
        if (event.type == PEG_CONTACT_PERSIST) continue;
        printf("%.2f s: %s %s %s\n", t, name[index_of(event.g1)],
               event.type == PEG_CONTACT_BEGIN ? "touches" : "leaves", name[index_of(event.g2)]);
    }
}

static dBodyID add_body(dWorldID world, dGeomID g, double kg, double x, double z)
{
    dMass mass;
    dMassSetBoxTotal(&mass, kg, 1, 1, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, 0, z);
    dGeomSetBody(g, body);
    return body;
}

int main(void)
{
    const double h = 0.01, g = 9.81;
    dInitODE();
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -g);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    geom[0] = dCreateBox(space, 2, 1, 0.1);
    geom[1] = dCreateSphere(space, 0.1);
    add_body(world, geom[0], 10, 0, 1.05);
    dBodyID ball = add_body(world, geom[1], 3, -0.8, 1.21);
    dBodySetLinearVel(ball, 1, 0, 0);
    for (int i = 2; i < GEOMS; i++) {
        geom[i] = dCreateCylinder(space, 0.05, 1);
        dGeomSetPosition(geom[i], i % 2 ? 0.9 : -0.9, i < 4 ? 0.4 : -0.4, 0.5);
    }
    pegWorldID peg = pegWorldCreate(world, NULL);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.5};
    pegWorldSetDefaultSurface(peg, &surface);
    pegWorldAddSpace(peg, space);

    pegWorldSetContactEvents(peg, 1);
    for (int step = 1; step <= 120; step++) {
        pegStatus status = pegWorldStep(peg, h);
        if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 1;
        print_events(peg, step * h);
    }
    double sum = 0;
    for (int i = 2; i < GEOMS; i++) {
        pegContactForce force; /* of the post on the plate */
        pegWorldGetPairForce(peg, geom[0], geom[i], &force, NULL, 0);
        printf("%s carries %.3f N\n", name[i], force.force[2]);
        sum += force.force[2];
    }
    printf("sum %.3f N, weight of plate and ball %.3f N\n", sum, 13 * g);
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return fabs(sum - 13 * g) < 0.5 ? 0 : 1;
}
