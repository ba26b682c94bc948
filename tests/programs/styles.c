/* A program that uses ODE in the style that its argument names, and prints where its bodies came to
 * rest. Compiled twice: as it is, without a word of ode-peg, for peg-run; and with SWAP, for the
 * same by hand, with the calls that README.md shows. */
#include <ode/ode.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SWAP
#include "plugin/ode-peg.h"
#else
typedef struct pegWorld *pegWorldID;
#endif

enum { MOST = 32, CONTACTS = 8 };

typedef struct scene {
    const char *style;
    dWorldID world;
    dSpaceID space, sub[2];
    dJointGroupID contacts;
    dGeomID ground;
    dBodyID body[MOST];
    int bodies;
    dJointFeedback feedback[64];
    int feedbacks;
    double pressed; /* N, upward on the lowest box in the last step, summed over its contacts */
    dThreadingImplementationID own; /* worlds share one unless told otherwise */
    pegWorldID peg;
} scene;

static int is(const scene *s, const char *style)
{
    return !strcmp(s->style, style);
}

static int begins(const scene *s, const char *word)
{
    return !strncmp(s->style, word, strlen(word));
}

static dSurfaceParameters surface_of(const scene *s)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = .5};
    if (is(s, "slip")) {
        surface.mode |= dContactSlip1 | dContactSlip2;
        surface.slip1 = surface.slip2 = 1e-3;
    }
    if (begins(s, "soft-")) {
        surface.mode |= dContactSoftERP; /* the CFM is the world's, with soft-world */
        surface.mode |= is(s, "soft-world") ? 0 : dContactSoftCFM;
        surface.soft_erp = .2;
        surface.soft_cfm = 1e-4;
    }
    return surface;
}

/* The program's filters. */
static int may_touch(const scene *s, dGeomID o1, dGeomID o2)
{
    dBodyID b1 = dGeomGetBody(o1), b2 = dGeomGetBody(o2);
    if (is(s, "ground-only") && o1 != s->ground && o2 != s->ground) return 0;
    if (is(s, "connected") && b1 && b2 && dAreConnected(b1, b2)) return 0;
    return !(b1 && b2 && dAreConnectedExcluding(b1, b2, dJointTypeContact));
}

#ifdef SWAP
static void near_callback(void *data, dGeomID o1, dGeomID o2)
{
    scene *s = data;
    if (dGeomIsSpace(o1) || dGeomIsSpace(o2)) {
        dSpaceCollide2(o1, o2, data, near_callback);
        return;
    }
    if (!may_touch(s, o1, o2)) return;
    dContact contact = {.surface = surface_of(s), .geom = {.g1 = o1, .g2 = o2}};
    dJointFeedback *feedback = NULL;
    if (is(s, "feedback") && (o1 == s->ground || o2 == s->ground))
        feedback = &s->feedback[s->feedbacks++ % 64];
    pegWorldAddPairContact(s->peg, &contact, feedback);
}
#else
static void attach(scene *s, dJointID joint, const dContactGeom *c, dGeomID o1, dGeomID o2)
{
    if (is(s, "g1-g2") || is(s, "space-argument"))
        dJointAttach(joint, dGeomGetBody(c->g1), dGeomGetBody(c->g2));
    else
        dJointAttach(joint, dGeomGetBody(o1), dGeomGetBody(o2));
    if (is(s, "feedback") && (o1 == s->ground || o2 == s->ground))
        dJointSetFeedback(joint, &s->feedback[s->feedbacks++ % 64]);
    if (is(s, "attached-to-none")) { /* one more, that does nothing */
        dContact copy = {.geom = *c};
        dJointAttach(dJointCreateContact(s->world, s->contacts, &copy), 0, 0);
    }
}

static void near_callback(void *data, dGeomID o1, dGeomID o2)
{
    scene *s = data;
    dContact contact[CONTACTS];
    if (!is(s, "space-argument") && (dGeomIsSpace(o1) || dGeomIsSpace(o2))) {
        dSpaceCollide2(o1, o2, data, near_callback);
        return;
    }
    if (!dGeomIsSpace(o1) && !dGeomIsSpace(o2) && !may_touch(s, o1, o2)) return;
    int n = dCollide(o1, o2, CONTACTS, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        if (is(s, "depth-test") && contact[i].geom.depth <= 0) continue;
        if (is(s, "threshold") && contact[i].geom.depth < 1e-4) continue;
        contact[i].surface = surface_of(s);
        attach(s, dJointCreateContact(s->world, s->contacts, &contact[i]), &contact[i].geom, o1,
               o2);
    }
}
#endif

static dBodyID add_box(scene *s, dSpaceID space, double side, double x, double y, double z)
{
    dBodyID body = dBodyCreate(s->world);
    dMass mass;
    dMassSetBox(&mass, 1000, side, side, side);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(dCreateBox(space, side, side, side), body);
    s->body[s->bodies++] = body;
    return body;
}

static void add_octahedron(scene *s, double x, double y, double z)
{
    static const dReal points[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const unsigned polygons[] = {3, 0, 2, 4, 3, 2, 1, 4, 3, 1, 3, 4, 3, 3, 0, 4,
                                        3, 2, 0, 5, 3, 1, 2, 5, 3, 3, 1, 5, 3, 0, 3, 5};
    static dReal planes[32], scaled[18];
    const double a = .57735026918962576;
    for (int i = 0; i < 18; i++) scaled[i] = .5 * points[i];
    for (int f = 0; f < 8; f++) {
        const unsigned *p = polygons + 4 * f + 1;
        for (int k = 0; k < 3; k++)
            planes[4 * f + k] =
                a * (points[3 * p[0] + k] + points[3 * p[1] + k] + points[3 * p[2] + k]);
        planes[4 * f + 3] = .5 * a;
    }
    dBodyID body = dBodyCreate(s->world);
    dMass mass;
    dMassSetSphere(&mass, 1000, .4);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomID geom = dCreateConvex(s->space, planes, 8, scaled, 6, polygons);
#ifdef SWAP
    pegRegisterConvex(geom, planes, 8, scaled, 6, polygons);
#endif
    dGeomSetBody(geom, body);
    s->body[s->bodies++] = body;
}

/* A pendulum that swings into the stack's way. */
static void add_pendulum(scene *s, double x, double y, double z)
{
    dBodyID body = add_box(s, s->space, .3, x, y, z);
    dJointID hinge = dJointCreateHinge(s->world, 0);
    dJointAttach(hinge, body, 0);
    dJointSetHingeAnchor(hinge, x, y, z + 1);
    dJointSetHingeAxis(hinge, 0, 1, 0);
    dBodySetLinearVel(body, 1, 0, 0);
    dBodySetLinearDamping(body, .02);
}

static void build(scene *s)
{
    s->world = dWorldCreate();
    dWorldSetGravity(s->world, 0, 0, -9.81);
    if (is(s, "soft-world")) dWorldSetCFM(s->world, 1e-4);
    s->own = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(s->world, dThreadingImplementationGetFunctions(s->own),
                                         s->own);
    s->space = is(s, "sap-space")    ? dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ)
               : is(s, "hash-space") ? dHashSpaceCreate(0)
                                     : dSimpleSpaceCreate(0);
    s->contacts = dJointGroupCreate(0);
    s->ground = dCreatePlane(s->space, 0, 0, 1, 0);
    s->sub[0] = s->sub[1] = s->space;
    int nested = is(s, "sub-spaces") || is(s, "space-argument");
    for (int i = 0; i < 2 && nested; i++) s->sub[i] = dSimpleSpaceCreate(s->space);
    for (int i = 0; i < 3; i++) add_box(s, s->sub[0], 1, .05 * i, 0, .5 + 1.01 * i);
    for (int i = 0; i < 2; i++) add_box(s, s->sub[1], .5, 3, .03 * i, .3 + .6 * i);
    add_octahedron(s, -3, 0, 1);
    if (is(s, "joints")) add_pendulum(s, -6, 0, 1.5);
#ifdef SWAP
    pegSettings settings;
    pegSettingsDefault(&settings);
    settings.soft_contacts = is(s, "soft-keep")    ? PEG_SOFT_KEEP
                             : begins(s, "soft-b") ? PEG_SOFT_BELOW
                             : begins(s, "soft-w") ? PEG_SOFT_KEEP
                                                   : PEG_SOFT_RIGID;
    s->peg = pegWorldCreate(s->world, &settings);
    pegWorldAddSpace(s->peg, s->space);
    pegWorldSetNearCallback(s->peg, s, near_callback);
#endif
}

static void collide(scene *s)
{
    s->feedbacks = 0;
    if (is(s, "never-collides")) return;
    dSpaceCollide(s->space, s, near_callback);
    if (!is(s, "sub-spaces") && !is(s, "space-argument")) return;
    for (int i = 0; i < 2; i++) dSpaceCollide(s->sub[i], s, near_callback);
}

static void step(scene *s, double h)
{
#ifdef SWAP
    if (is(s, "quick-step"))
        pegWorldQuickStep(s->peg, h);
    else
        pegWorldStep(s->peg, h);
#else
    if (is(s, "quick-step"))
        dWorldQuickStep(s->world, h);
    else
        dWorldStep(s->world, h);
#endif
}

static void run(scene *s)
{
    const double h = .01;
    build(s);
    for (int k = 0; k < 400; k++) {
        collide(s);
        step(s, h);
        s->pressed = 0;
        for (int i = 0; i < s->feedbacks; i++)
            s->pressed += s->feedback[i].f1[2] + s->feedback[i].f2[2];
        dJointGroupEmpty(s->contacts);
    }
}

static void end(scene *s)
{
    for (int i = 0; i < s->bodies; i++) {
        const dReal *x = dBodyGetPosition(s->body[i]), *q = dBodyGetQuaternion(s->body[i]);
        printf("%.17g %.17g %.17g  %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2], q[0], q[1], q[2],
               q[3]);
    }
    if (is(s, "feedback")) printf("%.9g\n", s->pressed);
#ifdef SWAP
    pegWorldDestroy(s->peg);
#endif
    dJointGroupDestroy(s->contacts);
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    dThreadingFreeImplementation(s->own);
}

static void *run_in_thread(void *data)
{
    dAllocateODEDataForThread(dAllocateMaskAll);
    run(data);
    dCleanupODEAllDataForThread();
    return NULL;
}

int main(int argc, char **argv)
{
    static scene s[3];
    pthread_t thread[3];
    if (argc != 2) return 2;
    int n = !strcmp(argv[1], "threads") || !strcmp(argv[1], "worlds") ? 3 : 1;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    for (int i = 0; i < n; i++) s[i].style = argv[1];
    for (int i = 0; i < n; i++)
        if (strcmp(argv[1], "threads") || pthread_create(&thread[i], NULL, run_in_thread, &s[i]))
            run(&s[i]);
    for (int i = 0; i < n; i++) {
        if (!strcmp(argv[1], "threads")) pthread_join(thread[i], NULL);
        end(&s[i]);
    }
    dCloseODE();
    return 0;
}
