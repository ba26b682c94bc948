/* The bodies of the worlds: for traces and energies: ODE does not list them. */
#include "plugin/launch/world/bodies.h"

dBodyID peg_body_create(dWorldID world)
{
    dBodyID body = peg_ode->dBodyCreate(world);
    peg_world_entry *entry = body && !peg_inside ? peg_world_entry_of(world) : NULL;
    void *grown =
        entry ? peg_grow(entry->body, entry->bodies + 1, &entry->body_room, sizeof *entry->body)
              : NULL;
    if (grown) {
        entry->body = grown;
        entry->body[entry->bodies++] = body;
    }
    return body;
}

void peg_bodies_remove(peg_world_entry *entry, dBodyID body)
{
    size_t kept = 0;
    for (size_t i = 0; i < entry->bodies; i++)
        if (entry->body[i] != body) entry->body[kept++] = entry->body[i];
    entry->bodies = kept;
}

int peg_bodies_dynamic(const peg_world_entry *entry)
{
    int n = 0;
    for (size_t i = 0; i < entry->bodies; i++) n += !dBodyIsKinematic(entry->body[i]);
    return n;
}

/* Kinetic and, against gravity, potential energy. */
static double energy_of(const peg_world_entry *entry, dBodyID body)
{
    dMass mass;
    dVector3 g = {0}, w;
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, dBodyGetAngularVel(body)[0], dBodyGetAngularVel(body)[1],
                         dBodyGetAngularVel(body)[2], w);
    const dReal *v = dBodyGetLinearVel(body);
    if (dBodyGetGravityMode(body)) dWorldGetGravity(entry->world, g);
    double turning = 0;
    for (int i = 0; i < 3; i++) turning += w[i] * peg_dot(mass.I + 4 * i, w);
    return .5 * (mass.mass * peg_dot(v, v) + turning) -
           mass.mass * peg_dot(g, dBodyGetPosition(body));
}

double peg_bodies_energy(const peg_world_entry *entry)
{
    double sum = 0;
    for (size_t i = 0; i < entry->bodies; i++)
        if (!dBodyIsKinematic(entry->body[i])) sum += energy_of(entry, entry->body[i]);
    return sum;
}
