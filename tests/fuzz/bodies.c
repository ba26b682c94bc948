/* Bodies: their shapes, masses, places and motion. */
#include "tests/fuzz/world.h"

#include <stdlib.h>

enum { TRIES = 40 };

int fuzz_is_dynamic(dBodyID body)
{
    return body && !dBodyIsKinematic(body);
}

int fuzz_body_of(const fuzz_world *w, const solid *s)
{
    dBodyID body = dGeomGetBody(s->geom);
    for (int i = 0; body && i < w->bodies; i++)
        if (w->body[i] == body) return i;
    return -1;
}

int fuzz_counts(const solid *a, const solid *b)
{
    dBodyID x = dGeomGetBody(a->geom), y = dGeomGetBody(b->geom);
    if (x == y || (!fuzz_is_dynamic(x) && !fuzz_is_dynamic(y))) return 0;
    if (!dGeomIsEnabled(a->geom) || !dGeomIsEnabled(b->geom)) return 0;
    return !(x && y && dAreConnectedExcluding(x, y, dJointTypeContact));
}

/* A point that belongs to the solid. */
static vec point_of(const solid *s)
{
    return s->kind == SOLID_CYLINDER ? s->centre : s->point[0];
}

/* Whether a solid from `from` on overlaps one before, or lies inside of a closed shell. */
int fuzz_overlaps(const fuzz_world *w, int from)
{
    for (int i = from; i < w->solids; i++) {
        const solid *s = w->solid[i];
        for (int k = 0; k < from; k++) {
            const solid *o = w->solid[k];
            if (!o) continue;
            if (solid_separation(s, o, 0) < 0) return 1;
            if (o->kind == SOLID_SHELL && o->closed && solid_winding(o, point_of(s)) > .5) return 1;
            if (s->kind == SOLID_SHELL && s->closed && o->kind != SOLID_PLANE &&
                solid_winding(s, point_of(o)) > .5)
                return 1;
        }
    }
    return 0;
}

void fuzz_drop_body(fuzz_world *w, int i)
{
    if (!w->body[i]) return;
    for (int k = 0; k < w->solids; k++)
        if (w->solid[k] && dGeomGetBody(w->solid[k]->geom) == w->body[i]) fuzz_drop_solid(w, k);
    dBodyDestroy(w->body[i]);
    w->body[i] = NULL;
}

void fuzz_close_ranks(fuzz_world *w)
{
    int bodies = 0, solids = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]) w->body[bodies++] = w->body[i];
    for (int i = 0; i < w->solids; i++)
        if (w->solid[i]) w->solid[solids++] = w->solid[i];
    w->bodies = bodies;
    w->solids = solids;
}

/* One shape, or up to three at random offsets. The largest distance of a point from the centre. */
static double add_shapes(fuzz_world *w, dBodyID body, double size)
{
    dice *d = &w->dice;
    int parts = dice_chance(d, .15) ? 2 + dice_below(d, 2) : 1;
    double reach = 0;
    for (int i = 0; i < parts; i++) {
        solid *s = fuzz_add_shape(w, size, 1);
        if (!s) continue;
        dGeomSetBody(s->geom, body);
        vec offset = vec_of(0, 0, 0);
        if (parts > 1) {
            dQuaternion q;
            vec axis = dice_direction(d);
            vec along = dice_direction(d);
            offset = vec_mul(size * dice_between(d, 0, .8), along);
            dGeomSetOffsetPosition(s->geom, offset.x, offset.y, offset.z);
            dQFromAxisAndAngle(q, axis.x, axis.y, axis.z, dice_between(d, 0, 3));
            dGeomSetOffsetQuaternion(s->geom, q);
        }
        reach = fmax(reach, s->size + vec_norm(offset));
    }
    return reach;
}

static void set_mass(fuzz_world *w, dBodyID body, double reach)
{
    dice *d = &w->dice;
    dMass mass;
    double m = dice_scale(d, 1e-2, 1e2);
    if (w->round) {
        dMassSetSphereTotal(&mass, m, reach * dice_between(d, .3, 1));
    } else {
        double side[3];
        for (int k = 2; k >= 0; k--) side[k] = reach * dice_between(d, .2, 1.5);
        dMassSetBoxTotal(&mass, m, side[0], side[1], side[2]);
    }
    dBodySetMass(body, &mass);
}

static void set_motion(fuzz_world *w, dBodyID body)
{
    dice *d = &w->dice;
    vec v = dice_direction(d), spin = dice_direction(d);
    if (dice_chance(d, .5)) { /* to the middle */
        const dReal *x = dBodyGetPosition(body);
        v = vec_unit(vec_of(-x[0], -x[1], -x[2]));
    }
    v = vec_mul(dice_chance(d, .3) ? 0 : w->speed * dice_scale(d, 1e-3, 1), v);
    spin = vec_mul(dice_chance(d, .3) ? 0 : w->spin * dice_scale(d, 1e-3, 1), spin);
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, spin.x, spin.y, spin.z);
}

static void set_place(fuzz_world *w, dBodyID body)
{
    dice *d = &w->dice;
    vec axis = dice_direction(d);
    dQuaternion q;
    dQFromAxisAndAngle(q, axis.x, axis.y, axis.z, dice_chance(d, .3) ? 0 : dice_between(d, 0, 3.1));
    dBodySetQuaternion(body, q);
    double x[3];
    for (int k = 2; k >= 0; k--) x[k] = w->spread * dice_between(d, k == 2 ? -.9 : -1, 1);
    dBodySetPosition(body, x[0], x[1], x[2]);
}

dBodyID fuzz_add_body(fuzz_world *w, int gap_needed)
{
    if (w->bodies == FUZZ_BODIES) return NULL;
    int from = w->solids, i = w->bodies++;
    dBodyID body = w->body[i] = dBodyCreate(w->ode);
    double size = w->size * dice_scale(&w->dice, .2, 1);
    if (dice_chance(&w->dice, .05)) size *= .03;
    double reach = add_shapes(w, body, size);
    int placed = 0;
    for (int k = 0; k < TRIES && reach > 0 && !placed; k++) {
        set_place(w, body);
        for (int s = from; s < w->solids; s++) solid_place(w->solid[s]);
        placed = !gap_needed || !fuzz_overlaps(w, from);
    }
    if (!placed) {
        fuzz_drop_body(w, i);
        w->bodies--, w->solids = from;
        return NULL;
    }
    set_mass(w, body, reach);
    set_motion(w, body);
    return body;
}

/* A block of boxes, face on face with a gap of 0 or next to it, on something that does not move. */
static void add_block(fuzz_world *w)
{
    dice *d = &w->dice;
    int n[3] = {1 + dice_below(d, 3), 1 + dice_below(d, 3), 2 + dice_below(d, 3)};
    vec e = dice_sides(d, w->size);
    double gap = dice_chance(d, .5) ? 0 : w->size * dice_scale(d, 1e-9, 1e-3);
    solid *floor = fuzz_add_box(w, vec_of(8 * w->size, 8 * w->size, w->size));
    dGeomSetPosition(floor->geom, 0, 0, -w->size / 2);
    solid_place(floor);
    w->fixed = 1;
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        solid *s = w->bodies < FUZZ_BODIES ? fuzz_add_box(w, e) : NULL;
        if (!s) return;
        dBodyID body = w->body[w->bodies++] = dBodyCreate(w->ode);
        dGeomSetBody(s->geom, body);
        dBodySetPosition(body, at[0] * (e.x + gap), at[1] * (e.y + gap),
                         e.z / 2 + gap + at[2] * (e.z + gap));
        solid_place(s);
        set_mass(w, body, s->size);
    }
}

void fuzz_add_bodies(fuzz_world *w)
{
    dice *d = &w->dice;
    int count = 2 + dice_below(d, dice_chance(d, .5) ? 8 : 30);
    if (w->gravity.z < 0 && !w->gravity.x && dice_chance(d, .25)) add_block(w), count /= 4;
    for (int i = 0; i < count; i++) {
        dBodyID body = fuzz_add_body(w, !(w->overlaps && dice_chance(d, .3)));
        if (!body || !w->driven || !dice_chance(d, .15)) continue;
        dBodySetKinematic(body);
        const dReal *v = dBodyGetLinearVel(body);
        double slow = .02 * w->size / w->h / (1e-300 + vec_norm(vec_of(v[0], v[1], v[2])));
        if (slow < 1) dBodySetLinearVel(body, slow * v[0], slow * v[1], slow * v[2]);
    }
}
