#include "plugin/launch/near/geom_motion.h"

void peg_look_up(peg_common *c, dWorldID world)
{
    peg_world_entry *entry = peg_world_entry_of(world);
    dWorldGetGravity(world, c->gravity);
    c->world = world;
    c->h = entry ? entry->h : PEG_FIRST_STEP;
    c->falling = c->h * peg_length(c->gravity);
}

double peg_body_motion(peg_common *c, dBodyID body, const dReal box[6])
{
    if (!dBodyIsEnabled(body)) return 0;
    if (dBodyGetWorld(body) != c->world) peg_look_up(c, dBodyGetWorld(body));
    double speed = peg_length(dBodyGetLinearVel(body));
    if (!dBodyIsKinematic(body)) {
        if (dBodyGetGravityMode(body)) speed += c->falling;
        speed += peg_push(c->h, body, dBodyGetForce(body));
    }
    return peg_way(c->h, speed, dBodyGetPosition(body), dBodyGetAngularVel(body), box);
}
