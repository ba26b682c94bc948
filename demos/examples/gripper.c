/* A gripper: two fingers on sliders close on a box with a limited force and lift it by friction. */
#include <ode/ode.h>
#include <ode-peg.h>

#include <math.h>
#include <stdio.h>

static dBodyID add_box(dWorldID world, dSpaceID space, double kg, double x, double z, double width,
                       double height)
{
    dMass mass;
    dMassSetBoxTotal(&mass, kg, width, 0.1, height);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, 0, z);
    dGeomSetBody(dCreateBox(space, width, 0.1, height), body);
    return body;
}

/* A slider along an axis, driven at a speed with a limited force. */
static dJointID add_slider(pegWorldID peg, dBodyID a, dBodyID b, double x, double z, double force)
{
    dJointID slider = dJointCreateSlider(pegWorldGetWorld(peg), NULL);
    dJointAttach(slider, a, b);
    dJointSetSliderAxis(slider, x, 0, z);
    dJointSetSliderParam(slider, dParamFMax, force);
    pegJointSetReferencePose(peg, slider);
    return slider;
}

static int run(pegWorldID peg, double seconds)
{
    for (int step = 0; step < (int)lround(seconds / 0.005); step++) {
        pegStatus status = pegWorldStep(peg, 0.005);
        if (status != PEG_OK) return fprintf(stderr, "%s\n", pegStatusMessage(status)), 0;
    }
    return 1;
}

int main(void)
{
    dInitODE();
    dWorldID world = dWorldCreate();
    pegWorldID peg = pegWorldCreate(world, NULL);
    dWorldSetGravity(world, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dCreatePlane(space, 0, 0, 1, 0);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = 0.6};
    pegWorldSetDefaultSurface(peg, &surface);
    pegWorldAddSpace(peg, space);

    dBodyID box = add_box(world, space, 1, 0, 0.0501, 0.1, 0.1);
    dBodyID palm = add_box(world, space, 2, 0, 0.3, 0.5, 0.05);
    dBodyID left = add_box(world, space, 0.5, -0.15, 0.15, 0.04, 0.2);
    dBodyID right = add_box(world, space, 0.5, 0.15, 0.15, 0.04, 0.2);
    dJointID lift = add_slider(peg, palm, NULL, 0, 1, 200);
    dJointID close_left = add_slider(peg, left, palm, 1, 0, 30);
    dJointID close_right = add_slider(peg, right, palm, -1, 0, 30);

    dJointSetSliderParam(close_left, dParamVel, 0.2);
    dJointSetSliderParam(close_right, dParamVel, 0.2);
    if (!run(peg, 1)) return 1;
    printf("closed: fingers at %.4f and %.4f m\n", dBodyGetPosition(left)[0],
           dBodyGetPosition(right)[0]);
    dJointSetSliderParam(lift, dParamVel, 0.2);
    if (!run(peg, 2)) return 1;
    double height = dBodyGetPosition(box)[2];
    printf("lifted: the box is %.4f m higher\n", height - 0.0501);
    dJointSetSliderParam(close_left, dParamVel, -0.2);
    dJointSetSliderParam(close_right, dParamVel, -0.2);
    if (!run(peg, 1)) return 1;
    double dropped = dBodyGetPosition(box)[2];
    printf("opened: the box lies at %.4f m\n", dropped);
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return fabs(height - 0.45) < 0.01 && fabs(dropped - 0.05) < 1e-4 ? 0 : 1;
}
