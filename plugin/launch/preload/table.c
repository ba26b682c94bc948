/* What is called instead of ODE's functions, and how the launcher makes contacts exact:
 *
 * dSpaceCollide calls the program's near callback also for pairs that could touch in the coming
 * step (near/space_collide_hook.c); dCollide reports contacts of those that are about to
 * (near/dcollide_hook.c); the contact joints that the program makes of them are recorded
 * (step/contact_joints.c). A step hands the recorded pairs to pegWorldStep, with the joints
 * detached (step/step.c); what has no exact contacts keeps its joint.
 *
 * Folders, each of which uses only those before it: base, world, trace, near, step, preload.
 * Besides the registries of shapes (ode_glue/read/registry.c) this is the only part of the project
 * with state of its own. */
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/near/dcollide_hook.h"
#include "plugin/launch/near/space_collide_hook.h"
#include "plugin/launch/step/contact_joints.h"
#include "plugin/launch/step/destroy.h"
#include "plugin/launch/step/step.h"
#include "plugin/launch/trace/report.h"
#include "plugin/launch/trace/world_trace.h"
#include "plugin/launch/world/bodies.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/heightfields.h"
#include "plugin/launch/world/joints.h"

#include <fcntl.h>
#include <unistd.h>

static peg_calls table;

/* What stock ODE does is only watched. */
static void watch_space(dSpaceID space, void *data, dNearCallback *near)
{
    peg_trace_space(space);
    peg_ode->dSpaceCollide(space, data, near);
}

static dJointID watch_contact(dWorldID world, dJointGroupID group, const dContact *contact)
{
    peg_world_entry *entry = peg_world_entry_of(world);
    if (entry) entry->depth = fmax(entry->depth, contact->geom.depth);
    return peg_launch_options.trace ? peg_create_contact(world, group, contact)
                                    : peg_ode->dJointCreateContact(world, group, contact);
}

static void watch_shapes(void)
{
    table.dGeomDestroy = peg_geom_destroy;
    table.dSpaceDestroy = peg_space_destroy;
    table.dCreateConvex = peg_create_convex;
    table.dGeomSetConvex = peg_set_convex;
    peg_take_heightfields_over(&table);
}

static void watch_bodies(void)
{
    table.dBodyCreate = peg_body_create;
    table.dBodyDestroy = peg_body_destroy;
}

/* For the forces of contact joints in traces. */
static void watch_joints(void)
{
    table.dJointCreateContact = peg_create_contact;
    table.dJointDestroy = peg_destroy_joint;
    table.dJointGroupEmpty = peg_empty_group;
    table.dJointGroupDestroy = peg_destroy_group;
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
    watch_joints();
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
    if (size != sizeof *ode || !dCheckConfiguration("ODE_double_precision")) return NULL;
    peg_ode = ode;
    table = *ode;
    peg_options_read(&peg_launch_options);
    peg_log_begin();
    tell_that_met();
    peg_report_begin();
    table.dWorldDestroy = peg_world_destroy;
    table.dWorldStep = peg_take_step;
    table.dWorldQuickStep = peg_take_quick_step;
    if (peg_launch_options.told) watch_bodies();
    if (peg_launch_options.told) watch_shapes();
    if (peg_launch_options.trace) table.dSpaceCollide = watch_space;
    if (peg_launch_options.trace) watch_joints();
    if (peg_launch_options.summary) table.dJointCreateContact = watch_contact;
    if (peg_takes_over()) take_over();
    return &table;
}

static void end(peg_world_entry *entry, void *context)
{
    (void)context;
    peg_report_end(entry);
}

/* When the program ends. */
__attribute__((destructor)) static void end_all(void)
{
    if (peg_ode) peg_world_registry_visit(end, NULL);
}
