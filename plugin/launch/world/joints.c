/* How joints were set: what ODE does not tell afterwards is seen here. It is kept for as long as
 * the joint lives, as a peg world forgets joints that a step does not meet. */
#include "plugin/launch/world/joints.h"
#include "ode_glue/read/world_bodies.h"

/* Groups may have lost joints that nobody saw go: they are counted again after so many steps. */
enum { COUNT_STEPS = 128 };

/* The joint's reference in its entry; null without a body or memory. */
static peg_joint_reference *reference_of(dJointID joint)
{
    if (!joint || !peg_joint_is_supported(dJointGetType(joint))) return NULL;
    dBodyID body = dJointGetBody(joint, 0) ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
    peg_world_entry *entry = peg_world_entry_of_body(body);
    if (!entry) return NULL;
    pthread_mutex_lock(&entry->lock); /* the set may move; the entry is this thread's */
    peg_joint_reference *reference = peg_joint_set_at(&entry->joints, joint);
    entry->group_steps = 0;
    pthread_mutex_unlock(&entry->lock);
    /* the peg world's own copy is out of date */
    int i = entry->peg ? peg_map_find(&entry->peg->glue->joints.id, joint, NULL) : -1;
    if (i >= 0 && reference) entry->peg->glue->joints.kept[i].of.known = 0;
    return reference;
}

static void capture(dJointID joint)
{
    if (peg_inside) return;
    peg_joint_reference *reference = reference_of(joint);
    if (reference) peg_joint_capture(joint, reference);
}

#define SETTER(name, parameters, arguments)                                                        \
    static void name##_seen parameters                                                             \
    {                                                                                              \
        peg_ode->name arguments;                                                                   \
        capture(joint);                                                                            \
    }
PEG_JOINT_SETTERS(SETTER)

static void dJointSetLMotorAxis_seen(dJointID joint, int axis, int rel, dReal x, dReal y, dReal z)
{
    peg_ode->dJointSetLMotorAxis(joint, axis, rel, x, y, z);
    peg_joint_reference *reference = peg_inside ? NULL : reference_of(joint);
    if (reference && axis >= 0 && axis <= 2 && rel >= 0 && rel <= 2)
        peg_joint_tell_relative(reference, axis, rel);
}

static void tell_plane(dJointID joint, int axis, int parameter, dReal value)
{
    peg_joint_reference *reference = peg_inside ? NULL : reference_of(joint);
    if (reference && isfinite(value)) peg_joint_tell_plane(reference, axis, parameter, value);
}

static void dJointSetPlane2DXParam_seen(dJointID joint, int parameter, dReal value)
{
    peg_ode->dJointSetPlane2DXParam(joint, parameter, value);
    tell_plane(joint, 0, parameter, value);
}

static void dJointSetPlane2DYParam_seen(dJointID joint, int parameter, dReal value)
{
    peg_ode->dJointSetPlane2DYParam(joint, parameter, value);
    tell_plane(joint, 1, parameter, value);
}

static void dJointSetPlane2DAngleParam_seen(dJointID joint, int parameter, dReal value)
{
    peg_ode->dJointSetPlane2DAngleParam(joint, parameter, value);
    tell_plane(joint, 2, parameter, value);
}

void peg_take_joints_over(peg_calls *calls)
{
#define TAKE(name, parameters, arguments) calls->name = name##_seen;
    PEG_JOINT_SETTERS(TAKE)
    PEG_JOINT_TELLERS(TAKE)
}

void peg_tell_joints(peg_world_entry *entry)
{
    const peg_joint_set *seen = &entry->joints;
    peg_joint_set *own = &entry->peg->glue->joints;
    for (int i = 0; i < seen->id.n; i++) {
        dJointID joint = seen->id.key[i][0];
        int known = peg_map_find(&own->id, joint, NULL);
        if (!seen->kept[i].met || (known >= 0 && own->kept[known].of.known)) continue;
        peg_joint_reference *to = peg_joint_set_at(own, joint);
        if (to) *to = seen->kept[i].of;
    }
}

static void forget(peg_world_entry *entry, void *joint)
{
    pthread_mutex_lock(&entry->lock);
    int i = peg_map_find(&entry->joints.id, joint, NULL);
    if (i >= 0) entry->joints.kept[i] = (struct peg_kept_reference){0};
    pthread_mutex_unlock(&entry->lock);
}

void peg_forget_joint(dJointID joint)
{
    peg_world_registry_visit(forget, joint);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void add_neighbours(peg_map *met, dBodyID body)
{
    for (int k = 0; k < dBodyGetNumJoints(body); k++) {
        dJointID joint = dBodyGetJoint(body, k);
        if (dJointGetType(joint) == dJointTypeContact) continue;
        for (int side = 0; side < 2; side++) {
            dBodyID other = dJointGetBody(joint, side);
            if (other && !dBodyIsKinematic(other)) peg_map_add(met, other, NULL);
        }
    }
}

/* Without memory some are missed. */
static int count_largest(dWorldID world)
{
    peg_map met = {0};
    int largest = 0;
    for (dBodyID id = peg_world_first_body(world); id; id = peg_world_next_body(id)) {
        int first = met.n;
        if (dBodyGetNumJoints(id) == 0 || peg_map_add(&met, id, NULL) < first) continue;
        for (int i = first; i < met.n; i++) add_neighbours(&met, met.key[i][0]);
        largest = met.n - first > largest ? met.n - first : largest;
    }
    peg_map_free(&met);
    return largest;
}

int peg_joint_group_size(peg_world_entry *entry)
{
    if (entry->group_steps-- <= 0) {
        entry->group_steps = COUNT_STEPS;
        peg_inside++;
        if (peg_world_bodies_find()) entry->group_size = count_largest(entry->world);
        peg_inside--;
    }
    return entry->group_size;
}
