/* A program that uses ODE as well-known hosts do: a stack of three cubes on the ground. It prints
 * the heights of the cubes, or what its pattern asks for. Patterns:
 *
 *   soft         every contact has soft_erp and soft_cfm (simulators of robots)
 *   spring       the same, with contacts that are meant as springs
 *   both         the contacts of the ground are springs, those of two cubes soft
 *   deepest      only the ten deepest of up to 100 contacts of a pair become joints
 *   step-first   the world is stepped first and collided after; joints live until then
 *   clones       four worlds, each stepped by its own thread; prints all
 *   distance     asks dCollide for distances besides: of rays, of geoms without bodies
 *   crooked      convex cubes whose planes are wrong
 *   own          a contact that no dCollide reported keeps a cube at 5 m
 *   bodiless     spaces of geoms without bodies: how many pairs were reported wrongly
 *   bridge       hinged planks between two posts, with dWorldQuickStep: prints the
 *                largest error of a hinge in m, from the first step on
 *   long-bridge  the same with more planks */
#include <ode/ode.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUBES = 3, CONTACTS = 100, KEPT = 10, STEPS = 400, PLANKS = 8, LONG = 60, GEOMS = 60 };

static const char *pattern;

typedef struct host {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID cube[CUBES];
    dThreadingImplementationID threading; /* the one that worlds share is not for several threads */
} host;

static int is(const char *name)
{
    return !strcmp(pattern, name);
}

static dSurfaceParameters surface(int of_ground)
{
    dSurfaceParameters s = {.mode = dContactApprox1, .mu = .5};
    if (is("soft") || is("spring") || is("both")) s.mode |= dContactSoftERP | dContactSoftCFM;
    s.soft_erp = .2;
    s.soft_cfm = is("spring") || (is("both") && of_ground) ? .1 : 1e-3;
    return s;
}

static int deeper(const void *a, const void *b)
{
    double x = ((const dContact *)a)->geom.depth, y = ((const dContact *)b)->geom.depth;
    return (x < y) - (x > y);
}

/* Distances that the program wants for itself. */
static void look_around(dGeomID geom)
{
    dContactGeom found[4];
    dGeomID ray = dCreateRay(NULL, 5), probe = dCreateSphere(NULL, .1);
    const dReal *x = dGeomGetClass(geom) == dPlaneClass ? NULL : dGeomGetPosition(geom);
    if (x) {
        dGeomRaySet(ray, x[0], x[1], x[2] + 3, 0, 0, -1);
        dGeomSetPosition(probe, x[0], x[1], x[2] + .3);
        dCollide(ray, geom, 4, found, sizeof *found);
        dCollide(geom, probe, 4, found, sizeof *found);
    }
    dGeomDestroy(ray);
    dGeomDestroy(probe);
}

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    host *h = data;
    dContact contact[CONTACTS];
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    if (is("distance")) look_around(a);
    int n = dCollide(a, b, CONTACTS, &contact[0].geom, sizeof *contact);
    if (is("deepest") && n > KEPT) {
        qsort(contact, (size_t)n, sizeof *contact, deeper);
        n = KEPT;
    }
    for (int i = 0; i < n; i++) {
        contact[i].surface = surface(!x || !y);
        dJointAttach(dJointCreateContact(h->world, h->contacts, &contact[i]), x, y);
    }
}

/* A unit cube whose planes lie a twentieth inside of it, in another order than its polygons. */
static dGeomID crooked_cube(dSpaceID space)
{
    static const dReal planes[] = {1, 0, 0,  .45, 0, 1,  0, .45, 0,  0, 1, .45,
                                   0, 0, -1, .45, 0, -1, 0, .45, -1, 0, 0, .45};
    static const dReal points[] = {.5, .5, .5,  -.5, .5, .5,  .5, -.5, .5,  -.5, -.5, .5,
                                   .5, .5, -.5, -.5, .5, -.5, .5, -.5, -.5, -.5, -.5, -.5};
    static const unsigned polygons[] = {4, 0, 2, 6, 4, 4, 1, 0, 4, 5, 4, 0, 1, 3, 2,
                                        4, 3, 1, 5, 7, 4, 2, 3, 7, 6, 4, 5, 4, 6, 7};
    return dCreateConvex(space, planes, 6, points, 8, polygons);
}

static void open_host(host *h)
{
    h->world = dWorldCreate();
    h->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(
        h->world, dThreadingImplementationGetFunctions(h->threading), h->threading);
    h->space = dHashSpaceCreate(NULL);
    h->contacts = dJointGroupCreate(0);
    dWorldSetGravity(h->world, 0, 0, -9.81);
    dCreatePlane(h->space, 0, 0, 1, 0);
    for (int i = 0; i < CUBES; i++) {
        dGeomID geom = is("crooked") ? crooked_cube(h->space) : dCreateBox(h->space, 1, 1, 1);
        h->cube[i] = dBodyCreate(h->world);
        dGeomSetBody(geom, h->cube[i]);
        dBodySetPosition(h->cube[i], .01 * i, 0, .5 + 1.02 * i);
    }
}

static void close_host(host *h)
{
    dJointGroupDestroy(h->contacts);
    dSpaceDestroy(h->space);
    dWorldDestroy(h->world);
    dThreadingFreeImplementation(h->threading);
}

/* A joint of no geoms, as made up by the program. */
static void hold_up(host *h)
{
    dContact contact = {.surface = {.mode = 0, .mu = 0}};
    dBodyID cube = h->cube[CUBES - 1];
    const dReal *x = dBodyGetPosition(cube);
    if (x[2] > 5) return;
    contact.geom.depth = 5 - x[2];
    contact.geom.normal[2] = 1;
    memcpy(contact.geom.pos, x, sizeof(dVector3));
    dJointAttach(dJointCreateContact(h->world, h->contacts, &contact), cube, NULL);
}

static void *run(void *data)
{
    host *h = data;
    dAllocateODEDataForThread(dAllocateMaskAll);
    if (is("own")) dBodySetPosition(h->cube[CUBES - 1], 3, 0, 5);
    for (int i = 0; i < STEPS; i++) {
        if (is("step-first")) dWorldQuickStep(h->world, .01);
        if (is("step-first")) dJointGroupEmpty(h->contacts);
        dSpaceCollide(h->space, h, near_callback);
        if (is("own")) hold_up(h);
        if (is("step-first")) continue;
        dWorldQuickStep(h->world, .01);
        dJointGroupEmpty(h->contacts);
    }
    return NULL;
}

static void run_hosts(int n)
{
    host h[4];
    pthread_t thread[4];
    for (int i = 0; i < n; i++) open_host(&h[i]);
    for (int i = 0; i < n && n > 1; i++) pthread_create(&thread[i], NULL, run, &h[i]);
    for (int i = 0; i < n && n > 1; i++) pthread_join(thread[i], NULL);
    if (n == 1) run(h);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < CUBES; k++) printf("%.17g\n", dBodyGetPosition(h[i].cube[k])[2]);
        close_host(&h[i]);
    }
}

/* ---- geoms without bodies -------------------------------------------------------------------- */

static int wrong;

static void count(void *data, dGeomID a, dGeomID b)
{
    int *reported = data;
    dReal x[6], y[6];
    dGeomGetAABB(a, x);
    dGeomGetAABB(b, y);
    ++*reported;
    for (int k = 0; k < 6; k += 2)
        if (x[k] > y[k + 1] || y[k] > x[k + 1]) wrong++;
}

static void collide_bodiless(void)
{
    dSpaceID space = dSimpleSpaceCreate(NULL);
    dGeomID geom[GEOMS];
    int reported = 0, expected = 0;
    srand(1);
    for (int i = 0; i < GEOMS; i++) {
        geom[i] = dCreateBox(space, .3, .3, .3);
        dGeomSetPosition(geom[i], rand() / (RAND_MAX + 1.) * 2, rand() / (RAND_MAX + 1.) * 2,
                         rand() / (RAND_MAX + 1.) * 2);
    }
    for (int i = 0; i < GEOMS; i++) {
        for (int j = 0; j < i; j++) {
            int before = wrong;
            count(&expected, geom[i], geom[j]);
            if (wrong > before) expected--;
            wrong = before;
        }
    }
    dSpaceCollide(space, &reported, count);
    printf("%d\n%d\n", wrong, reported - expected);
    dSpaceDestroy(space);
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void hang_bridge(int planks)
{
    dWorldID world = dWorldCreate();
    dBodyID plank[LONG];
    dJointID hinge[LONG];
    double worst = 0;
    dWorldSetGravity(world, 0, 0, -9.81);
    for (int i = 0; i < planks; i++) {
        dMass mass;
        plank[i] = dBodyCreate(world);
        dMassSetBoxTotal(&mass, i == planks - 1 ? 500 : 1, 1, 1, .1);
        dBodySetMass(plank[i], &mass);
        dBodySetPosition(plank[i], i, 0, 2);
    }
    for (int i = 0; i < planks; i++) {
        hinge[i] = dJointCreateHinge(world, NULL);
        dJointAttach(hinge[i], i ? plank[i - 1] : NULL, plank[i]);
        dJointSetHingeAnchor(hinge[i], i - .5, 0, 2);
        dJointSetHingeAxis(hinge[i], 0, 1, 0);
    }
    for (int i = 0; i < 100; i++) {
        dWorldQuickStep(world, .01);
        for (int k = 1; k < planks; k++) {
            dVector3 a, b;
            dJointGetHingeAnchor(hinge[k], a);
            dJointGetHingeAnchor2(hinge[k], b);
            for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(a[c] - b[c]));
        }
    }
    printf("%.17g\n", worst);
    dWorldDestroy(world);
}

int main(int argc, char **argv)
{
    pattern = argc > 1 ? argv[1] : "";
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    if (is("bodiless"))
        collide_bodiless();
    else if (is("bridge"))
        hang_bridge(PLANKS);
    else if (is("long-bridge"))
        hang_bridge(LONG);
    else
        run_hosts(is("clones") ? 4 : 1);
    dCloseODE();
    return 0;
}
