/* The ODE body of a lab body, its mass and its state. */
#include "demos/world/world.h"

#include <string.h>

#include "peg/base/math.h"

void lab_read(lab_body *b)
{
    if (!b->id) return; /* planar: now is all there is */
    const dReal *x = dBodyGetPosition(b->id), *q = dBodyGetQuaternion(b->id);
    peg_copy3(x, b->now.x);
    memcpy(b->now.q, q, sizeof b->now.q);
    peg_copy3(dBodyGetLinearVel(b->id), b->now.v);
    peg_copy3(dBodyGetAngularVel(b->id), b->now.omega);
}

void lab_make_body(lab_body *b)
{
    lab_world *w = b->world;
    if (b->kind != LAB_STATIC && w->ode) {
        b->id = dBodyCreate(w->ode);
        if (!b->id) {
            lab_fail(w, "out of memory");
            return;
        }
        if (b->kind == LAB_KINEMATIC) {
            dBodySetKinematic(b->id);
        } else {
            const double *I = b->inertia;
            dMass mass;
            dMassSetParameters(&mass, b->mass, 0, 0, 0, I[0], I[4], I[8], I[1], I[2], I[5]);
            dBodySetMass(b->id, &mass);
        }
        dBodySetGyroscopicMode(b->id, !b->no_gyro);
        dBodySetPosition(b->id, b->now.x[0], b->now.x[1], b->now.x[2]);
        dBodySetQuaternion(b->id, b->now.q);
        dBodySetLinearVel(b->id, b->now.v[0], b->now.v[1], b->now.v[2]);
        dBodySetAngularVel(b->id, b->now.omega[0], b->now.omega[1], b->now.omega[2]);
        lab_read(b);
    }
    for (int i = 0; i < b->parts && w->ode && !w->failed; i++) lab_make_geom(b, &b->part[i]);
    if (w->ode && !w->failed) lab_make_locks(b);
    b->before = b->now;
    b->present = 1;
    lab_enter_energy(b);
    lab_place(b, b->now.x, b->now.q);
}
