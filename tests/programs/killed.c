/* A program that adds a body with a joint after five of ten steps, and then kills itself. With an
 * argument it makes a convex geom first whose arrays are of no closed shape. */
#include <ode/ode.h>

#include <signal.h>

int main(int argc, char **argv)
{
    static const dReal planes[] = {1, 0, 0, 1}, points[] = {1, 0, 0, 1, 1, 0, 1, 0, 1};
    static const unsigned polygons[] = {3, 0, 1, 2};
    (void)argv;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dWorldID world = dWorldCreate();
    if (argc > 1) dCreateConvex(0, planes, 1, points, 3, polygons);
    dBodyID first = dBodyCreate(world);
    for (int i = 0; i < 10; i++) {
        if (i == 5) {
            dJointID joint = dJointCreateBall(world, 0);
            dJointAttach(joint, first, dBodyCreate(world));
        }
        dWorldStep(world, .01);
    }
    raise(SIGKILL);
    return 0;
}
