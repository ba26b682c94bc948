/* A program that loads ODE when it runs, without having been linked with it, and drops a ball and a
 * box on a plane. */
#include <ode/ode.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *library;

static void *find(const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) fprintf(stderr, "no %s\n", name);
    return symbol;
}

/* FUNCTION f is a pointer to ODE's function of that name. */
#define FUNCTION(type, name, parameters)                                                           \
    type(*name##_) parameters;                                                                     \
    do {                                                                                           \
        void *symbol = find(#name);                                                                \
        memcpy(&name##_, &symbol, sizeof symbol);                                                  \
    } while (0)

static dWorldID world;
static dJointGroupID contacts;
static int (*collide)(dGeomID, dGeomID, int, dContactGeom *, int);
static dJointID (*create_contact)(dWorldID, dJointGroupID, const dContact *);
static void (*attach)(dJointID, dBodyID, dBodyID);
static dBodyID (*body_of)(dGeomID);

static void near_callback(void *data, dGeomID a, dGeomID b)
{
    (void)data;
    dContact contact[4];
    int n = collide(a, b, 4, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        contact[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = .5};
        attach(create_contact(world, contacts, &contact[i]), body_of(a), body_of(b));
    }
}

int main(int argc, char **argv)
{
    library = dlopen(argc > 1 ? argv[1] : "libode.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 2;
    FUNCTION(int, dInitODE2, (unsigned));
    FUNCTION(int, dAllocateODEDataForThread, (unsigned));
    FUNCTION(dWorldID, dWorldCreate, (void));
    FUNCTION(void, dWorldSetGravity, (dWorldID, dReal, dReal, dReal));
    FUNCTION(dSpaceID, dSimpleSpaceCreate, (dSpaceID));
    FUNCTION(dJointGroupID, dJointGroupCreate, (int));
    FUNCTION(void, dJointGroupEmpty, (dJointGroupID));
    FUNCTION(dGeomID, dCreatePlane, (dSpaceID, dReal, dReal, dReal, dReal));
    FUNCTION(dGeomID, dCreateBox, (dSpaceID, dReal, dReal, dReal));
    FUNCTION(dBodyID, dBodyCreate, (dWorldID));
    FUNCTION(void, dBodySetPosition, (dBodyID, dReal, dReal, dReal));
    FUNCTION(const dReal *, dBodyGetPosition, (dBodyID));
    FUNCTION(void, dGeomSetBody, (dGeomID, dBodyID));
    FUNCTION(void, dSpaceCollide, (dSpaceID, void *, dNearCallback *));
    FUNCTION(int, dWorldStep, (dWorldID, dReal));
    FUNCTION(int, dCollide, (dGeomID, dGeomID, int, dContactGeom *, int));
    FUNCTION(dJointID, dJointCreateContact, (dWorldID, dJointGroupID, const dContact *));
    FUNCTION(void, dJointAttach, (dJointID, dBodyID, dBodyID));
    FUNCTION(dBodyID, dGeomGetBody, (dGeomID));
    collide = dCollide_;
    create_contact = dJointCreateContact_;
    attach = dJointAttach_;
    body_of = dGeomGetBody_;

    dInitODE2_(0);
    dAllocateODEDataForThread_(dAllocateMaskAll);
    world = dWorldCreate_();
    dWorldSetGravity_(world, 0, 0, -9.81);
    dSpaceID space = dSimpleSpaceCreate_(NULL);
    contacts = dJointGroupCreate_(0);
    dCreatePlane_(space, 0, 0, 1, 0);
    dBodyID box = dBodyCreate_(world);
    dBodySetPosition_(box, 0, 0, .6);
    dGeomSetBody_(dCreateBox_(space, 1, 1, 1), box);
    for (int i = 0; i < 200; i++) {
        dSpaceCollide_(space, NULL, near_callback);
        dWorldStep_(world, .01);
        dJointGroupEmpty_(contacts);
    }
    printf("%.9g\n", dBodyGetPosition_(box)[2]);
    return 0;
}
