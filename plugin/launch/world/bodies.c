/* The bodies of the worlds: for traces and energies: ODE does not list them. */
#include "plugin/launch/world/launch.h"

static dBodyID body_create(dWorldID world)
{
    dBodyID body = peg_ode->dBodyCreate(world);
    peg_ward *ward = body ? peg_ward_of(world) : NULL;
    void *grown =
        ward ? peg_grow(ward->body, ward->bodies + 1, &ward->body_room, sizeof *ward->body) : NULL;
    if (grown) {
        ward->body = grown;
        ward->body[ward->bodies++] = body;
    }
    return body;
}

void peg_body_destroy(dBodyID body)
{
    peg_geoms_changed();
    peg_ward *ward = peg_ward_of_body(body);
    size_t kept = 0;
    for (size_t i = 0; ward && i < ward->bodies; i++)
        if (ward->body[i] != body) ward->body[kept++] = ward->body[i];
    if (ward) ward->bodies = kept;
    if (ward && ward->trace) {
        pthread_mutex_lock(&ward->lock);
        peg_trace_gone(ward->trace, body);
        pthread_mutex_unlock(&ward->lock);
    }
    peg_ode->dBodyDestroy(body);
}

void peg_watch_bodies(peg_calls *calls)
{
    calls->dBodyCreate = body_create;
    calls->dBodyDestroy = peg_body_destroy;
}

int peg_bodies_dynamic(const peg_ward *ward)
{
    int n = 0;
    for (size_t i = 0; i < ward->bodies; i++) n += !dBodyIsKinematic(ward->body[i]);
    return n;
}

/* Kinetic and, against gravity, potential energy. */
static double energy_of(const peg_ward *ward, dBodyID body)
{
    dMass mass;
    dVector3 g = {0}, w;
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, dBodyGetAngularVel(body)[0], dBodyGetAngularVel(body)[1],
                         dBodyGetAngularVel(body)[2], w);
    const dReal *v = dBodyGetLinearVel(body);
    if (dBodyGetGravityMode(body)) dWorldGetGravity(ward->world, g);
    double turning = 0;
    for (int i = 0; i < 3; i++) turning += w[i] * peg_dot(mass.I + 4 * i, w);
    return .5 * (mass.mass * peg_dot(v, v) + turning) -
           mass.mass * peg_dot(g, dBodyGetPosition(body));
}

double peg_bodies_energy(const peg_ward *ward)
{
    double sum = 0;
    for (size_t i = 0; i < ward->bodies; i++)
        if (!dBodyIsKinematic(ward->body[i])) sum += energy_of(ward, ward->body[i]);
    return sum;
}
