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
    peg_moving_forget(&entry->watch, body);
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

double peg_bodies_energy(const peg_world_entry *entry)
{
    double sum = 0;
    for (size_t i = 0; i < entry->bodies; i++)
        if (!dBodyIsKinematic(entry->body[i]))
            sum += peg_moving_total(entry->world, entry->body[i]);
    return sum;
}
