/* The bodies of a world that still move, and what their energy did in the last seconds. */
#include "plugin/moving_bodies.h"
#include "peg/base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s: samples of the energies lie so far apart: a body that oscillates loses a visible part
 * meanwhile. */
static const double APART = 2;
/* Relative: energies that differ by less are the same but for rounding. */
static const double ROUNDING = 1e-15;
/* Contacts of a body among which the one that bears most is looked for. */
enum { CONTACTS = 64 };

/* ---- energies -------------------------------------------------------------------------------- */

double peg_moving_kinetic(dBodyID body)
{
    dMass mass;
    dVector3 w;
    const dReal *v = dBodyGetLinearVel(body), *omega = dBodyGetAngularVel(body);
    double turning = 0;
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, omega[0], omega[1], omega[2], w);
    for (int i = 0; i < 3; i++) turning += w[i] * peg_dot(mass.I + 4 * i, w);
    return .5 * (mass.mass * peg_dot(v, v) + turning);
}

double peg_moving_total(dWorldID world, dBodyID body)
{
    dMass mass;
    dVector3 g = {0};
    dBodyGetMass(body, &mass);
    if (dBodyGetGravityMode(body)) dWorldGetGravity(world, g);
    return peg_moving_kinetic(body) - mass.mass * peg_dot(g, dBodyGetPosition(body));
}

static int sample(peg_moving_sample *s, dWorldID world, const dBodyID *body, int n, double time)
{
    if (n > s->room) {
        void *grown = realloc(s->of, 2 * (size_t)n * sizeof *s->of);
        if (!grown) return 0;
        s->of = grown;
        s->room = 2 * n;
    }
    s->n = n;
    s->time = time;
    for (int i = 0; i < n; i++) {
        s->of[i] = (struct peg_moving_energy){.body = body[i]};
        if (!body[i]) continue;
        s->of[i].kinetic = peg_moving_kinetic(body[i]);
        s->of[i].total = peg_moving_total(world, body[i]);
    }
    return 1;
}

int peg_moving_note(peg_moving_watch *watch, dWorldID world, const dBodyID *body, int n,
                    double time)
{
    if (!watch->old.of)
        return sample(&watch->old, world, body, n, time) &&
               sample(&watch->recent, world, body, n, time);
    if (time < watch->recent.time + APART) return 1;
    peg_moving_sample swap = watch->old;
    watch->old = watch->recent;
    watch->recent = swap;
    return sample(&watch->recent, world, body, n, time);
}

static struct peg_moving_energy *find(const peg_moving_sample *s, dBodyID body)
{
    for (int i = 0; i < s->n; i++)
        if (s->of[i].body == body) return &s->of[i];
    return NULL;
}

void peg_moving_forget(peg_moving_watch *watch, dBodyID body)
{
    peg_moving_sample *samples[] = {&watch->old, &watch->recent};
    for (int i = 0; i < 2; i++) {
        struct peg_moving_energy *e = body ? find(samples[i], body) : NULL;
        if (e) e->body = NULL;
    }
}

void peg_moving_free(peg_moving_watch *watch)
{
    free(watch->old.of);
    free(watch->recent.of);
    *watch = (peg_moving_watch){0};
}

/* ---- the list -------------------------------------------------------------------------------- */

static int is_dynamic(dBodyID body)
{
    return body && !dBodyIsKinematic(body);
}

static int moves(dBodyID body)
{
    const dReal *v = dBodyGetLinearVel(body), *omega = dBodyGetAngularVel(body);
    return dBodyIsEnabled(body) &&
           (v[0] != 0 || v[1] != 0 || v[2] != 0 || omega[0] != 0 || omega[1] != 0 || omega[2] != 0);
}

/* Into the list, if it has room or holds less kinetic energy. */
static void insert(peg_moving *out, dBodyID body, int number)
{
    double kinetic = peg_moving_kinetic(body);
    int i = out->listed < PEG_MOVING_LISTED ? out->listed++ : PEG_MOVING_LISTED;
    for (; i > 0 && out->body[i - 1].kinetic < kinetic; i--)
        if (i < PEG_MOVING_LISTED) out->body[i] = out->body[i - 1];
    if (i < PEG_MOVING_LISTED)
        out->body[i] = (peg_moving_body){.body = body, .number = number, .kinetic = kinetic};
}

/* What takes the largest force against gravity; of any direction where there is none. */
static void find_support(peg_moving_body *b, dWorldID world, pegWorldID peg, const dBodyID *body,
                         int n)
{
    pegContact contact[CONTACTS];
    pegContactForce sum;
    dVector3 g;
    double most = 0;
    if (!peg || pegWorldGetBodyForce(peg, b->body, &sum, contact, CONTACTS) != PEG_OK) return;
    dWorldGetGravity(world, g);
    int falls = peg_dot(g, g) > 0;
    for (int i = 0; i < sum.contacts && i < CONTACTS; i++) {
        const pegContact *c = &contact[i];
        double bears = falls ? -c->impulse * peg_dot(c->normal, g) : c->impulse;
        if (bears <= most) continue;
        most = bears;
        b->on_class = dGeomGetClass(c->g2);
        b->on = -1;
        for (int k = 0; k < n && c->body2; k++)
            if (body[k] == c->body2) b->on = k;
    }
}

static void describe(peg_moving_body *b, const peg_moving_watch *watch, dWorldID world)
{
    dGeomID geom = dBodyGetFirstGeom(b->body);
    const struct peg_moving_energy *before = find(&watch->old, b->body);
    const dReal *v = dBodyGetLinearVel(b->body), *omega = dBodyGetAngularVel(b->body);
    peg_copy3(dBodyGetPosition(b->body), b->at);
    b->linear = sqrt(peg_dot(v, v));
    b->angular = sqrt(peg_dot(omega, omega));
    b->geom_class = geom ? dGeomGetClass(geom) : -1;
    b->kinetic_before = before ? before->kinetic : NAN;
    b->change = before ? peg_moving_total(world, b->body) - before->total : NAN;
    if (before && fabs(b->change) <= ROUNDING * fabs(before->total)) b->change = 0;
    b->on = b->on_class = -1;
}

void peg_moving_list(const peg_moving_watch *watch, dWorldID world, pegWorldID peg,
                     const dBodyID *body, int n, double time, peg_moving *out)
{
    *out = (peg_moving){.since = watch->old.of ? time - watch->old.time : NAN};
    for (int i = 0; i < n; i++) {
        if (!is_dynamic(body[i])) continue;
        out->bodies++;
        if (!moves(body[i])) continue;
        out->moving++;
        insert(out, body[i], i);
    }
    for (int i = 0; i < out->listed; i++) {
        describe(&out->body[i], watch, world);
        find_support(&out->body[i], world, peg, body, n);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

const char *peg_moving_class(int geom_class)
{
    static const char *const name[] = {
        [dSphereClass] = "sphere",   [dBoxClass] = "box",
        [dCapsuleClass] = "capsule", [dCylinderClass] = "cylinder",
        [dPlaneClass] = "plane",     [dConvexClass] = "convex",
        [dTriMeshClass] = "mesh",    [dHeightfieldClass] = "heightfield",
    };
    if (geom_class < 0) return NULL;
    return geom_class <= dHeightfieldClass && name[geom_class] ? name[geom_class] : "geom";
}

static void call(char out[96], int number, int geom_class,
                 const char *(*name)(const void *data, int number), const void *data)
{
    const char *class = peg_moving_class(geom_class), *own = NULL;
    if (name && number >= 0) own = name(data, number);
    if (own)
        snprintf(out, 96, "%.60s (%s)", own, class ? class : "no geom");
    else if (number >= 0)
        snprintf(out, 96, "%s %d", class ? class : "body", number);
    else
        snprintf(out, 96, "%s", class ? class : "-");
}

void peg_moving_print(FILE *file, const char *before, const peg_moving *moving,
                      const char *(*name)(const void *data, int number), const void *data)
{
    fprintf(file, "%smoving bodies: %d of %d", before, moving->moving, moving->bodies);
    fputs(moving->listed ? "; those of most kinetic energy:\n" : "\n", file);
    for (int i = 0; i < moving->listed; i++) {
        const peg_moving_body *b = &moving->body[i];
        char own[96], on[96];
        call(own, b->number, b->geom_class, name, data);
        call(on, b->on, b->on_class, name, data);
        fprintf(file, "%s  %s at (%.3g, %.3g, %.3g): %.2g m/s, %.2g rad/s, %.2g J", before, own,
                b->at[0], b->at[1], b->at[2], b->linear, b->angular, b->kinetic);
        if (isfinite(b->change)) {
            fprintf(file, " (%.2g J %.2g s before; energy ", b->kinetic_before, moving->since);
            fprintf(file, b->change != 0 ? "%+.2g J)" : "unchanged)", b->change);
        }
        fprintf(file, b->on_class >= 0 ? ", on %s\n" : "\n", on);
    }
    if (moving->moving > moving->listed)
        fprintf(file, "%s  and %d more\n", before, moving->moving - moving->listed);
}
