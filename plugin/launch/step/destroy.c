/* Stand-ins of what destroys worlds, bodies, geoms and spaces: everybody forgets them first. */
#include "plugin/launch/step/destroy.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/near/space_collide_hook.h"
#include "plugin/launch/step/contact_joints.h"
#include "plugin/launch/trace/report.h"
#include "plugin/launch/trace/world_trace.h"
#include "plugin/launch/world/bodies.h"
#include "plugin/launch/world/geom_counts.h"
#include "plugin/launch/world/geom_registry.h"
#include "plugin/launch/world/space_geoms.h"

static void leave_trace(peg_world_entry *entry, void *object)
{
    pthread_mutex_lock(&entry->lock);
    if (entry->trace) peg_trace_gone(entry->trace, object);
    pthread_mutex_unlock(&entry->lock);
}

/* The list of what moves, while its bodies and geoms are there. */
static void list_moving(dBodyID body)
{
    peg_world_entry *entry =
        peg_launch_options.told && body && !peg_inside ? peg_world_entry_of_body(body) : NULL;
    if (entry) peg_report_moving(entry);
}

static void list_moving_of(void *context, dGeomID geom)
{
    (void)context;
    list_moving(dGeomIsSpace(geom) ? NULL : dGeomGetBody(geom));
}

/* ODE destroys the geoms of a space through here, too. */
void peg_geom_destroy(dGeomID geom)
{
    list_moving(dGeomGetBody(geom));
    peg_geom_forget(geom);
    peg_searches_drop(geom);
    if (peg_launch_options.trace) peg_world_registry_visit(leave_trace, geom);
    peg_ode->dGeomDestroy(geom);
}

void peg_space_destroy(dSpaceID space)
{
    if (peg_launch_options.told && !peg_inside) peg_each_geom(space, list_moving_of, NULL);
    peg_geoms_changed();
    peg_searches_drop((dGeomID)space);
    if (peg_launch_options.trace) peg_world_registry_visit(leave_trace, space);
    peg_ode->dSpaceDestroy(space);
}

void peg_body_destroy(dBodyID body)
{
    peg_geoms_changed();
    peg_world_entry *entry = peg_inside ? NULL : peg_world_entry_of_body(body);
    if (entry) peg_report_moving(entry);
    if (entry) peg_bodies_remove(entry, body);
    if (entry && entry->trace) leave_trace(entry, body);
    peg_ode->dBodyDestroy(body);
}

void peg_world_destroy(dWorldID world)
{
    peg_world_entry *entry = peg_inside ? NULL : peg_world_entry_of(world);
    if (entry) {
        peg_report_end(entry);
        peg_world_registry_remove(world);
        peg_trace_end(entry->trace);
        peg_records_free(entry);
        peg_world_entry_free(entry);
    }
    peg_ode->dWorldDestroy(world);
}
