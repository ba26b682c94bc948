/* Ten boxes with friction fall on the ground and come to rest. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <stdio.h>

int main(void)
{
    dInitODE();
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dCreatePlane(space, 0, 0, 1, 0);

    pegWorldID peg = pegWorldCreate(world, NULL); /* default settings */
    pegWorldAddSpace(peg, space);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.5};
    pegWorldSetDefaultSurface(peg, &surface);

    dBodyID box[10];
    for (int i = 0; i < 10; i++) {
        dMass mass;
        dMassSetBox(&mass, 1000, 0.4, 0.4, 0.2);
        box[i] = dBodyCreate(world);
        dBodySetMass(box[i], &mass);
        dBodySetPosition(box[i], 0.15 * (i % 2), 0, 0.2 + 0.3 * i);
        dGeomSetBody(dCreateBox(space, 0.4, 0.4, 0.2), box[i]);
    }

    for (int step = 0; step < 400; step++) {
        pegStatus status = pegWorldStep(peg, 0.01); /* finds pairs, solves, and steps ODE */
        if (status != PEG_OK) {
            fprintf(stderr, "%s\n", pegStatusMessage(status));
            return 1;
        }
    }

    for (int i = 0; i < 10; i++) {
        const dReal *x = dBodyGetPosition(box[i]);
        printf("box %d: %7.4f %7.4f %7.4f\n", i, x[0], x[1], x[2]);
    }
    pegStats total;
    pegWorldGetTotals(peg, &total);
    printf("deepest overlap in %ld steps: %g m\n", total.steps, total.max_penetration);

    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return 0;
}
