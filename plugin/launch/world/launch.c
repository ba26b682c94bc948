/* The table of what is called instead of ODE's functions. */
#include "plugin/launch/world/launch.h"

#include <fcntl.h>
#include <unistd.h>

const peg_calls *peg_ode;
PEG_THREAD int peg_inside;
peg_options peg_launch_options;

static peg_calls table;

int peg_takes_over(void)
{
    return peg_launch_options.contact == PEG_LAUNCH_EXACT;
}

int peg_model_has(dGeomID geom)
{
    int class = dGeomGetClass(geom);
    return peg_launch_options.settings.contact == PEG_CONTACT_PEG || class == dBoxClass ||
           class == dPlaneClass || class == dConvexClass;
}

static void destroy_world(dWorldID world)
{
    if (!peg_inside) {
        peg_ward *ward = peg_ward_of(world);
        if (ward) peg_report_end(ward);
        peg_ward_drop(world);
    }
    peg_ode->dWorldDestroy(world);
}

/* What stock ODE does is only watched. */
static void watch_space(dSpaceID space, void *data, dNearCallback *near)
{
    peg_trace_space(space);
    peg_ode->dSpaceCollide(space, data, near);
}

static dJointID watch_contact(dWorldID world, dJointGroupID group, const dContact *contact)
{
    peg_ward *ward = peg_ward_of(world);
    if (ward) ward->depth = fmax(ward->depth, contact->geom.depth);
    return peg_ode->dJointCreateContact(world, group, contact);
}

static void watch_shapes(void)
{
    table.dGeomDestroy = peg_geom_destroy;
    table.dSpaceDestroy = peg_space_destroy;
    table.dCreateConvex = peg_create_convex;
    table.dGeomSetConvex = peg_set_convex;
    peg_take_heightfields_over(&table);
}

static void watch(void)
{
    if (peg_launch_options.trace || peg_launch_options.summary) peg_watch_bodies(&table);
    if (peg_launch_options.trace) watch_shapes();
    if (peg_launch_options.trace) table.dSpaceCollide = watch_space;
    if (peg_launch_options.summary) table.dJointCreateContact = watch_contact;
}

static void take_over(void)
{
    watch_shapes();
    table.dBodyDestroy = peg_body_destroy;
    table.dGeomSetBody = peg_geom_set_body;
    table.dSpaceRemove = peg_space_remove;
    table.dSpaceCollide = peg_space_collide;
    table.dSpaceCollide2 = peg_space_collide2;
    table.dCollide = peg_collide;
    table.dJointCreateContact = peg_create_contact;
    table.dJointDestroy = peg_destroy_joint;
    table.dJointGroupEmpty = peg_empty_group;
    table.dJointGroupDestroy = peg_destroy_group;
    peg_take_joints_over(&table);
    peg_take_movers_over(&table);
}

/* Lets peg-run know that there was an ODE to take over. */
static void tell_that_met(void)
{
    int file = peg_launch_options.met ? open(peg_launch_options.met, O_WRONLY | O_CREAT, 0600) : -1;
    if (file < 0) return;
    if (write(file, "1", 1) != 1) peg_log("'%s' cannot be written", peg_launch_options.met);
    close(file);
}

__attribute__((visibility("default"))) const peg_calls *peg_launch(const peg_calls *ode,
                                                                   size_t size);

const peg_calls *peg_launch(const peg_calls *ode, size_t size)
{
    if (size != sizeof *ode) return NULL;
    peg_ode = ode;
    table = *ode;
    peg_options_read(&peg_launch_options);
    tell_that_met();
    peg_report_begin();
    table.dWorldDestroy = destroy_world;
    table.dWorldStep = peg_take_step;
    table.dWorldQuickStep = peg_take_quick_step;
    watch();
    if (peg_takes_over()) take_over();
    return &table;
}

static void end(peg_ward *ward, void *context)
{
    (void)context;
    peg_report_end(ward);
}

/* When the program ends. */
__attribute__((destructor)) static void end_all(void)
{
    if (peg_ode) peg_wards_visit(end, NULL);
}
