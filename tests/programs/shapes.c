/* A program with the geoms, joints or events that its argument names; see styles.c for SWAP. */
#include <ode/ode.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef SWAP
#include "plugin/ode-peg.h"
static pegWorldID peg;
#endif

enum { MOST = 16 };

static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static dGeomID ground, doomed;
static dBodyID body[MOST];
static int bodies, step_number, one_sided;

static void near_callback(void *data, dGeomID o1, dGeomID o2)
{
    dBodyID b1 = dGeomGetBody(o1), b2 = dGeomGetBody(o2);
    (void)data;
    if (b1 && b2 && dAreConnectedExcluding(b1, b2, dJointTypeContact)) return;
    const dSurfaceParameters surface = {
        .mode = dContactApprox1 | dContactRolling, .mu = .5, .rho = .02};
#ifdef SWAP
    pegWorldAddPair(peg, o1, o2, &surface);
#else
    dContact contact[16];
    int n = dCollide(o1, o2, 16, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        contact[i].surface = surface;
        int first = !(one_sided && b2 == body[1]), second = !(one_sided && b1 == body[1]);
        dJointAttach(dJointCreateContact(world, contacts, &contact[i]), first ? b1 : 0,
                     second ? b2 : 0);
    }
#endif
}

static dBodyID add(dGeomID geom, double x, double y, double z)
{
    dMass mass;
    dBodyID b = dBodyCreate(world);
    dMassSetBoxTotal(&mass, 2, .6, .6, .6);
    dBodySetMass(b, &mass);
    dGeomSetBody(geom, b);
    dBodySetPosition(b, x, y, z);
    body[bodies++] = b;
    return b;
}

static void turn(dBodyID b, double x, double y, double z, double angle)
{
    dQuaternion q;
    dQFromAxisAndAngle(q, x, y, z, angle);
    dBodySetQuaternion(b, q);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void classes(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    add(dCreateSphere(space, .3), 0, 0, .5);
    turn(add(dCreateCapsule(space, .2, .6), 2, 0, .4), 0, 1, 0, 1.3);
    add(dCreateCylinder(space, .3, .5), 4, 0, .4);
    dGeomID box = dCreateBox(space, .6, .6, .6), more = dCreateBox(space, .2, .2, .2);
    dGeomSetBody(more, add(box, 6, 0, .6));
    dGeomSetOffsetPosition(more, .5, 0, -.2);
}

/* A tilted square of two triangles in every corner of a pyramid turned upside down. */
static dGeomID pit(dSpaceID in, double half, double height)
{
    static float corner[2][15];
    static const dTriIndex index[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    static int number;
    float *p = corner[number++];
    for (int i = 0; i < 4; i++) {
        p[3 * i] = (float)(i == 0 || i == 3 ? -half : half);
        p[3 * i + 1] = (float)(i < 2 ? -half : half);
        p[3 * i + 2] = (float)height;
    }
    p[12] = p[13] = p[14] = 0;
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, p, 3 * sizeof(float), 5, index, 12, 3 * sizeof(dTriIndex));
    return dCreateTriMesh(in, data, 0, 0, 0);
}

static void meshes(void)
{
    pit(space, 2, .5);
    add(dCreateSphere(space, .3), .05, 0, .6);
}

static void moving_mesh(void)
{
    ground = dCreateBox(space, 6, 6, 1);
    dGeomSetPosition(ground, 0, 0, -.5);
    add(pit(space, .3, .2), 0, 0, .1);
}

static const float heights[] = {1, 1, 1, 1,   1, 1,   .1f, 0, .1f, 1, 1, 0, 0,
                                0, 1, 1, .1f, 0, .1f, 1,   1, 1,   1, 1, 1};

static dReal height_at(void *data, int x, int z)
{
    return ((const float *)data)[x + 5 * z];
}

static void field(int by_callback)
{
    static float copy[25];
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    if (by_callback)
        dGeomHeightfieldDataBuildCallback(data, copy, height_at, 4, 4, 5, 5, 1, 0, 1, 0);
    else
        dGeomHeightfieldDataBuildSingle(data, heights, 0, 4, 4, 5, 5, 1, 0, 1, 0);
    memcpy(copy, heights, sizeof copy); /* not ready before */
    dGeomID geom = dCreateHeightfield(space, data, 1);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 1, 0, 0, 1.5707963267948966);
    dGeomSetRotation(geom, R);
    add(dCreateSphere(space, .4), .05, .02, .6);
}

static void heightfield(void)
{
    field(0);
}

static void heightfield_callback(void)
{
    field(1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void transforms(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    for (int info = 0; info < 2; info++) {
        dGeomID inner = dCreateBox(0, .6, .6, .6), outer = dCreateGeomTransform(space);
        dGeomTransformSetGeom(outer, inner);
        dGeomTransformSetCleanup(outer, 1);
        dGeomTransformSetInfo(outer, info);
        dGeomSetPosition(inner, 0, 0, -.1);
        add(outer, 2 * info, 0, .6);
    }
}
#pragma GCC diagnostic pop

/* Faster than a thin plate is thick, per step. */
static void fast(void)
{
    ground = dCreateBox(space, 4, 4, .02);
    dBodySetLinearVel(add(dCreateBox(space, .2, .2, .2), 0, 0, 2), 0, 0, -150);
    dGeomSetPosition(ground, 0, 0, -.01);
}

/* The pair lands on its faces: on an edge it would turn by rounding, and rest anywhere. */
static void pendulums(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    dBodyID a = add(dCreateBox(space, .4, .4, .4), 0, 0, 1),
            b = add(dCreateBox(space, .4, .4, .4), .6, .1, 1);
    dJointID fixed = dJointCreateFixed(world, 0);
    dJointAttach(fixed, a, b);
    dJointSetFixed(fixed);
    dBodyID c = add(dCreateBox(space, .4, .4, .4), 3, 0, 1);
    dJointID slider = dJointCreateSlider(world, 0);
    dJointAttach(slider, c, 0);
    dJointSetSliderAxis(slider, 0, .6, .8);
    dBodyID d = add(dCreateBox(space, .4, .4, .4), 6, 0, 1);
    dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, d, 0);
    dJointSetHingeAnchor(hinge, 6.5, 0, 1);
    dJointSetHingeAxis(hinge, 0, 1, 0);
}

/* Bodies sleep on each other; one falls on them later. */
static void sleepers(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    dWorldSetAutoDisableFlag(world, 1);
    dWorldSetAutoDisableTime(world, .1);
    dWorldSetAutoDisableSteps(world, 10);
    for (int i = 0; i < 2; i++) add(dCreateBox(space, .6, .6, .6), 0, 0, .32 + .61 * i);
    add(dCreateBox(space, .4, .4, .4), .1, 0, 12);
}

/* A joint of a contact that no geoms have; it holds a body up. */
static void made_up(void)
{
    add(dCreateSphere(space, .3), 0, 0, .5);
}

static void make_contact(void)
{
    dContact contact = {.surface = {.mode = dContactSoftERP, .soft_erp = .2, .mu = 0}};
    contact.geom.normal[2] = 1;
    contact.geom.depth = .4 - dBodyGetPosition(body[0])[2];
    if (contact.geom.depth >= 0)
        dJointAttach(dJointCreateContact(world, contacts, &contact), body[0], 0);
}

/* The program destroys a geom between the collision and the step. */
static void dooms(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    add(dCreateBox(space, .6, .6, .6), 0, 0, .31);
    dBodyID b = add(dCreateBox(space, .6, .6, .6), 2, 0, .31);
    doomed = dBodyGetFirstGeom(b);
}

/* A body that its contacts act on, but not on what it meets. */
static void one_side(void)
{
    ground = dCreatePlane(space, 0, 0, 1, 0);
    one_sided = 1;
    add(dCreateBox(space, 2, 2, .4), 0, 0, .21);
    add(dCreateBox(space, .4, .4, .4), 0, 0, .7);
}

static const struct scene {
    const char *name;
    void (*build)(void);
} scenes[] = {{"classes", classes},
              {"mesh", meshes},
              {"moving-mesh", moving_mesh},
              {"heightfield", heightfield},
              {"heightfield-callback", heightfield_callback},
              {"transform", transforms},
              {"fast", fast},
              {"joints", pendulums},
              {"sleep", sleepers},
              {"made-up", made_up},
              {"destroyed", dooms},
              {"one-sided", one_side}};

/* ---- running --------------------------------------------------------------------------------- */

static void step(const char *name)
{
    const double h = .01;
    dSpaceCollide(space, 0, near_callback);
    if (!strcmp(name, "made-up")) make_contact();
    if (doomed && step_number == 20) {
        dGeomDestroy(doomed);
        dBodySetPosition(body[1], 2, 0, 1);
        doomed = NULL;
#ifdef SWAP
        dSpaceCollide(space, 0, near_callback); /* pairs must live until the step */
#endif
    }
#ifdef SWAP
    pegWorldStep(peg, h);
#else
    dWorldStep(world, h);
#endif
    dJointGroupEmpty(contacts);
    step_number++;
}

#ifdef SWAP
static void see_field(void)
{
    for (int i = 0; i < dSpaceGetNumGeoms(space); i++) {
        dGeomID geom = dSpaceGetGeom(space, i);
        pegHeightfield f = {.type = PEG_SAMPLES_SINGLE,
                            .samples = heights,
                            .width = 4,
                            .depth = 4,
                            .width_samples = 5,
                            .depth_samples = 5,
                            .scale = 1};
        if (dGeomGetClass(geom) == dHeightfieldClass)
            pegRegisterHeightfield(dGeomHeightfieldGetHeightfieldData(geom), &f);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct scene *scene = NULL;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc == 2 && !strcmp(argv[1], scenes[i].name)) scene = &scenes[i];
    if (!scene) return 2;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    space = dSimpleSpaceCreate(0);
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    scene->build();
#ifdef SWAP
    peg = pegWorldCreate(world, NULL);
    pegWorldAddSpace(peg, space);
    pegWorldSetNearCallback(peg, NULL, near_callback);
    see_field();
#endif
    for (int k = 0; k < 400; k++) step(scene->name);
    for (int i = 0; i < bodies; i++) {
        const dReal *x = dBodyGetPosition(body[i]), *q = dBodyGetQuaternion(body[i]);
        printf("%.17g %.17g %.17g  %.17g %.17g %.17g %.17g  %d\n", x[0], x[1], x[2], q[0], q[1],
               q[2], q[3], dBodyIsEnabled(body[i]));
    }
#ifdef SWAP
    pegWorldDestroy(peg);
#endif
    return 0; /* and leaves the rest to the system, as many do */
}
