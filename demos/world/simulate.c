/* Running a scene: the ODE world of a scene, its contact model, and the account of a step. */
#include "demos/oracle/overlap.h"
#include "demos/world/planar_world.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peg/step/stage.h"
#include "peg/base/math.h"
#include "plugin/world.h"

#define CONTACTS  16    /* of a pair, for stock ODE */
#define MANY      200   /* bodies: from here on testing all pairs costs more than sorting */
#define RISES_MAX 10000 /* of a body that looks for a free place to enter */

static const char *const contact_names[LAB_CONTACT_COUNT] = {"peg", "st",  "paper",    "lnc",
                                                             "ap",  "ode", "ode-quick"};

const char *lab_contact_name(lab_contact contact)
{
    return contact_names[contact];
}

/* Of the contact module, in the order of lab_contact. */
static const pegContactModel core_models[] = {PEG_CONTACT_PEG, PEG_CONTACT_ST, PEG_CONTACT_PAPER,
                                              PEG_CONTACT_LNC, PEG_CONTACT_AP};

int lab_contact_is_exact(lab_contact contact)
{
    return contact < LAB_ODE;
}

const char *lab_exact_contacts(void)
{
    return "peg, st, paper, lnc or ap";
}

void lab_settings(const lab_world *w, pegSettings *settings)
{
    pegSettingsDefault(settings);
    settings->contact = core_models[w->options.contact];
    settings->friction_directions = w->directions;
    settings->reach = w->reach;
    settings->paper_primaries = w->primaries;
    settings->threads = w->threads;
}

static int uses_peg(const lab_world *w)
{
    return lab_contact_is_exact(w->options.contact);
}

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double lab_now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

/* Kinetic energy with the inertia at the present orientation. */
static double kinetic(const lab_body *b, const lab_state *s)
{
    double R[9], local[3], momentum[3];
    peg_quat_to_mat(s->q, R);
    peg_rotate_back(R, s->omega, local);
    peg_rotate(b->inertia, local, momentum);
    return .5 * b->mass * peg_dot(s->v, s->v) + .5 * peg_dot(local, momentum);
}

static double body_energy(const lab_body *b)
{
    if (b->kind != LAB_DYNAMIC) return 0;
    return kinetic(b, &b->now) - b->mass * peg_dot(b->world->gravity, b->now.x) -
           peg_dot(b->force, b->now.x);
}

/* ---- making ---------------------------------------------------------------------------------- */

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
    b->before = b->now;
    b->present = 1;
    w->energy.initial += body_energy(b);
    lab_place(b, b->now.x, b->now.q);
}

static void pass_message(void *data, pegStatus status, const char *text)
{
    (void)status;
    const lab_world *w = data;
    if (w->options.message) w->options.message(text);
}

static void near(void *data, dGeomID o1, dGeomID o2);

/* Stock ODE complains of its own LCP solver on stderr, sometimes at every step: counted instead.
 * ODE's handler is global and has no context, so the count must be too. */
static _Thread_local long ode_messages;

static void count_message(int number, const char *format, va_list list)
{
    (void)number, (void)format, (void)list;
    ode_messages++;
}

static void make_peg(lab_world *w)
{
    pegSettings settings;
    lab_settings(w, &settings);
    pegStatus status = pegWorldCreateStatus(w->ode, &settings, &w->peg);
    if (status == PEG_OK) status = pegWorldAddSpace(w->peg, w->space);
    dContact contact;
    if (status == PEG_OK && !w->pair_surface && lab_surface_between(w, NULL, NULL, &contact))
        status = pegWorldSetDefaultSurface(w->peg, &contact.surface);
    if (status != PEG_OK) {
        lab_fail(w, "%s", pegStatusMessage(status));
        return;
    }
    pegWorldSetMessageCallback(w->peg, w, pass_message);
    w->peg->glue->core->capture = w->options.capture;
    if (w->has_groups || w->pair_surface) pegWorldSetNearCallback(w->peg, w, near);
}

static void make_ode(lab_world *w)
{
    dInitODE2(0);
    dSetMessageHandler(count_message);
    dRandSetSeed((unsigned long)w->options.seed);
    w->ode = dWorldCreate();
    w->space = w->bodies < MANY ? dSimpleSpaceCreate(NULL)
                                : dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ);
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->ode, w->gravity[0], w->gravity[1], w->gravity[2]);
    /* ODE's default is a length away from softening large machines */
    if (w->joints) dWorldSetCFM(w->ode, dWorldGetCFM(w->ode) * fmin(1, pow(w->scale, -5)));
    if (w->auto_disable) {
        dWorldSetAutoDisableFlag(w->ode, 1);
        dWorldSetAutoDisableLinearThreshold(w->ode,
                                            w->scale * dWorldGetAutoDisableLinearThreshold(w->ode));
    }
    if (w->tune) w->tune(w->ode, w->scale);
    if (uses_peg(w)) make_peg(w);
}

void lab_make(lab_world *w)
{
    if (w->is_planar)
        w->planar = lab_planar_create(w);
    else
        make_ode(w);
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        if (w->body[i]->enter < 0) lab_make_body(w->body[i]);
    }
    for (int i = 0; i < w->joints && !w->failed; i++) lab_make_joint(w->joint[i]);
}

/* Keys of --set that the build never asked for are the user's mistake. */
static void check_keys(lab_world *w)
{
    for (int i = 0; i < w->options.sets && !w->failed; i++) {
        int known = 0;
        char list[LAB_TEXT] = "";
        for (int k = 0; k < w->keys; k++) {
            known |= !strcmp(w->asked[k], w->options.set[i].key);
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", w->asked[k]);
        }
        if (!known)
            lab_fail(w, "scene '%s' has no key '%s': it knows %.300s", w->scene->name,
                     w->options.set[i].key, list);
    }
}

/* Step size, number of steps, scale and turn, before the build asks for them. */
static void set_frame(lab_world *w)
{
    const lab_options *o = &w->options;
    w->h = o->h != 0 ? o->h : w->scene->h;
    double time = o->time != 0 ? o->time : w->scene->time;
    double steps = o->steps ? (double)o->steps : nearbyint(time / w->h);
    w->scale = lab_key(w, "scale", 1);
    double degrees = lab_key(w, "turn", 0);
    double directions = lab_key(w, "directions", 4), primaries = lab_key(w, "primaries", 1);
    double threads = lab_key(w, "threads", 1);
    if (o->mu_given) {
        w->mu = w->surface.mu = o->mu;
        w->surface.mode = o->mu > 0 ? dContactApprox1 : 0;
    }
    w->directions = directions >= 0 && directions <= 16 ? (int)directions : -1;
    w->primaries = primaries == 1;
    w->threads = threads >= 1 && threads <= PEG_THREADS_MAX ? (int)threads : 0;
    if (!(w->h > 0 && isfinite(w->h)))
        lab_fail(w, "the step size must be a positive number of seconds (--h)");
    else if (!(steps >= 0 && steps <= 1e9))
        lab_fail(w, "the number of steps must lie between 0 and 1e9 (--steps, --time)");
    else if (!(w->scale > 0 && isfinite(w->scale)))
        lab_fail(w, "the scale must be a positive number (--set scale=)");
    else if (!isfinite(degrees))
        lab_fail(w, "the turn must be a number of degrees (--set turn=)");
    else if (w->directions != directions ||
             (directions != 0 && directions != 4 && directions != 8 && directions != 16))
        lab_fail(w, "the directions of friction must be 4, 8, 16 or 0 (--set directions=)");
    else if (primaries != 0 && primaries != 1)
        lab_fail(w, "the primaries of paper and lnc must be 1 or 0 for all (--set primaries=)");
    else if (w->threads != threads)
        lab_fail(w, "the threads must be a whole number from 1 to %d (--set threads=)",
                 PEG_THREADS_MAX);
    if (w->failed) return;
    w->planned = (long)steps;
    lab_axis_angle(1, 2, 3, degrees, w->turn_q);
    peg_quat_to_mat(w->turn_q, w->turn);
    lab_gravity(w, 0, 0, -9.81);
}

static void enter_bodies(lab_world *w);

lab_world *lab_open(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT],
                    int *user)
{
    lab_world *w = calloc(1, sizeof *w);
    *user = 0;
    if (!w) {
        snprintf(text, LAB_TEXT, "out of memory");
        return NULL;
    }
    w->scene = scene;
    w->options = *options;
    w->random = options->seed;
    w->contacts_most = CONTACTS;
    set_frame(w);
    if (!w->failed) scene->build(w);
    check_keys(w);
    if (!w->failed) lab_seal(w);
    *user = w->failed;
    if (!w->failed) lab_make(w);
    if (!w->failed) enter_bodies(w);
    if (!w->failed && options->opened) options->opened(w);
    if (!w->failed) return w;
    snprintf(text, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return NULL;
}

void lab_close(lab_world *w)
{
    if (!w) return;
    lab_planar_free(w->planar);
    if (w->peg) pegWorldDestroy(w->peg);
    if (w->contacts) dJointGroupDestroy(w->contacts);
    if (w->space) dSpaceDestroy(w->space);
    if (w->ode) dWorldDestroy(w->ode);
    for (int i = 0; i < w->bodies; i++) {
        for (int k = 0; k < w->body[i]->parts; k++) lab_free_part(&w->body[i]->part[k]);
        free(w->body[i]->part);
        free(w->body[i]);
    }
    for (int i = 0; i < w->joints; i++) free(w->joint[i]);
    free(w->joint);
    free(w->body);
    free(w);
}

/* ---- stepping -------------------------------------------------------------------------------- */

int lab_can_touch(const lab_body *a, const lab_body *b)
{
    return a != b && (a->kind == LAB_DYNAMIC || b->kind == LAB_DYNAMIC) &&
           !(a->group > 0 && a->group == b->group) && !lab_are_joined(a, b);
}

static void near_ode(lab_world *w, const dSurfaceParameters *surface, const dReal *fdir1,
                     dGeomID o1, dGeomID o2)
{
    dContact contact[LAB_CONTACTS_MAX];
    int n = dCollide(o1, o2, w->contacts_most, &contact[0].geom, sizeof contact[0]);
    w->ode_rows += surface->mu > 0 ? 3L * n : n;
    for (int i = 0; i < n; i++) {
        contact[i].surface = *surface;
        peg_copy3(fdir1, contact[i].fdir1);
        dJointID joint = dJointCreateContact(w->ode, w->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(contact[i].geom.g1), dGeomGetBody(contact[i].geom.g2));
    }
}

/* What an ODE program does with a pair; for the exact contacts only where bodies are grouped or
 * pairs have surfaces of their own. */
static void near(void *data, dGeomID o1, dGeomID o2)
{
    lab_world *w = data;
    lab_body *a = dGeomGetData(o1), *b = dGeomGetData(o2);
    dContact contact = {.geom = {.g1 = o1, .g2 = o2}};
    if (!lab_can_touch(a, b) || !lab_surface_between(w, a, b, &contact)) return;
    if (!w->peg) {
        near_ode(w, &contact.surface, contact.fdir1, o1, o2);
        return;
    }
    pegStatus status = pegWorldAddPairContact(w->peg, &contact, NULL);
    if (status != PEG_OK && status != PEG_ERROR_GEOM_CLASS) w->contact_error = (int)status;
}

static void step_peg(lab_world *w)
{
    if (w->has_groups || w->pair_surface)
        dSpaceCollide(w->space, w, &near);
    else
        dSpaceCollide(w->space, w->peg, &pegNearCallback);
    pegStatus status = (pegStatus)w->contact_error;
    if (status == PEG_OK) status = pegWorldStep(w->peg, w->h);
    if (status != PEG_OK) lab_fail(w, "step %ld: %s", w->steps + 1, pegStatusMessage(status));
}

static void step_ode(lab_world *w)
{
    double start = lab_now();
    dSpaceCollide(w->space, w, &near);
    double found = lab_now();
    lab_keep_transforms(w);
    if (w->options.contact == LAB_ODE)
        dWorldStep(w->ode, w->h);
    else
        dWorldQuickStep(w->ode, w->h);
    dJointGroupEmpty(w->contacts);
    w->seconds_pairs += found - start;
    w->seconds_ode += lab_now() - found;
}

void lab_read(lab_body *b)
{
    if (!b->id) return; /* planar: now is all there is */
    const dReal *x = dBodyGetPosition(b->id), *q = dBodyGetQuaternion(b->id);
    peg_copy3(x, b->now.x);
    memcpy(b->now.q, q, sizeof b->now.q);
    peg_copy3(dBodyGetLinearVel(b->id), b->now.v);
    peg_copy3(dBodyGetAngularVel(b->id), b->now.omega);
}

static int boxes_apart(const lab_part *p, const lab_part *r, double gap)
{
    for (int k = 0; k < 3; k++)
        if (p->low[k] > r->high[k] + gap || r->low[k] > p->high[k] + gap) return 1;
    return 0;
}

/* Lifts a body that is about to enter until nothing is in its way. */
static int is_free(const lab_body *b)
{
    const lab_world *w = b->world;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *o = w->body[i];
        if (!o->present || !lab_can_touch(b, o)) continue;
        for (int k = 0; k < b->parts; k++)
            for (int m = 0; m < o->parts; m++) {
                const lab_part *p = &b->part[k], *r = &o->part[m];
                double centre[3], gap = .01 * lab_shape_radius(p->placed, centre);
                if (!boxes_apart(p, r, gap) && lab_separation(p->placed, r->placed, gap) < gap)
                    return 0;
            }
    }
    return 1;
}

static void enter_bodies(lab_world *w)
{
    double t = (double)w->steps * w->h, g = peg_norm(w->gravity);
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        if (b->present || b->enter > t + 1e-9 * w->h) continue;
        lab_place(b, b->now.x, b->now.q);
        for (int tries = 0; g > 0 && b->rise > 0 && !is_free(b) && !w->failed; tries++) {
            if (tries == RISES_MAX) lab_fail(w, "body '%s' finds no place to enter", b->name);
            peg_add_scaled(b->now.x, -b->rise / g, w->gravity, b->now.x);
            lab_place(b, b->now.x, b->now.q);
        }
        if (!w->failed) lab_make_body(b);
    }
}

/* What the step did to the energy, body by body (differences of totals would drown it). Constant
 * forces have a potential like gravity's; their torques count as gains. */
static void account(lab_world *w)
{
    double gain = 0, work = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double d[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        peg_sub(b->now.x, b->before.x, d);
        double fall = b->mass * peg_dot(w->gravity, d);
        gain += kinetic(b, &b->now) - kinetic(b, &b->before) - fall - peg_dot(b->force, d);
        work += fmax(0, fall);
    }
    lab_energy *e = &w->energy;
    e->work_gravity += work;
    e->gain_max = w->steps ? fmax(e->gain_max, gain) : gain;
    double relative = gain > 0 ? gain / e->work_gravity : 0;
    e->gain_max_relative = fmax(e->gain_max_relative, relative);
}

lab_energy lab_world_energy(const lab_world *w)
{
    lab_energy e = w->energy;
    e.now = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]->present) e.now += body_energy(w->body[i]);
    return e;
}

static int is_finite(const lab_body *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += b->now.x[k] + b->now.v[k] + b->now.omega[k] + b->now.q[k];
    return isfinite(sum + b->now.q[3]);
}

int lab_step(lab_world *w)
{
    if (w->failed) return 1;
    enter_bodies(w);
    if (w->scene->before_step) w->scene->before_step(w, (double)w->steps * w->h);
    for (int i = 0; i < w->bodies; i++) {
        lab_body *b = w->body[i];
        if (!b->present || b->kind == LAB_STATIC) continue;
        lab_read(b);
        b->before = b->now;
        if (!b->id) continue;
        dBodyAddForce(b->id, b->force[0], b->force[1], b->force[2]);
        dBodyAddTorque(b->id, b->torque[0], b->torque[1], b->torque[2]);
    }
    if (w->failed) return 1;
    double start = lab_now(), busy = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    ode_messages = 0;
    if (w->planar)
        lab_planar_step(w->planar);
    else if (w->peg)
        step_peg(w);
    else
        step_ode(w);
    w->ode_messages += ode_messages;
    w->last_cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - busy;
    w->last_seconds = lab_now() - start;
    w->seconds += w->last_seconds;
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        if (!b->present || b->kind == LAB_STATIC) continue;
        lab_read(b);
        lab_place(b, b->now.x, b->now.q);
        if (!is_finite(b))
            lab_fail(w, "step %ld: body '%s' is lost (not finite)", w->steps + 1, b->name);
    }
    if (w->failed) return 1;
    account(w);
    w->steps++;
    return 0;
}

int lab_match(lab_world *w, const lab_world *from)
{
    w->steps = (long)nearbyint((double)from->steps * from->h / w->h);
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        const lab_state *s = &from->body[i]->now;
        if (!from->body[i]->present || b->kind == LAB_STATIC) continue;
        b->now = b->before = *s;
        if (!b->present) lab_make_body(b);
        if (w->failed) break;
        lab_place(b, s->x, s->q);
        if (!b->id) continue;
        dBodySetPosition(b->id, s->x[0], s->x[1], s->x[2]);
        dBodySetQuaternion(b->id, s->q);
        dBodySetLinearVel(b->id, s->v[0], s->v[1], s->v[2]);
        dBodySetAngularVel(b->id, s->omega[0], s->omega[1], s->omega[2]);
    }
    return w->failed;
}

const char *lab_error(const lab_world *w)
{
    return w->error;
}

double lab_time(const lab_world *w)
{
    return (double)w->steps * w->h;
}

long lab_steps(const lab_world *w)
{
    return w->steps;
}

long lab_steps_planned(const lab_world *w)
{
    return w->planned;
}

const lab_options *lab_world_options(const lab_world *w)
{
    return &w->options;
}

double lab_mu(const lab_world *w)
{
    return w->mu;
}

void lab_totals(const lab_world *w, pegStats *sum)
{
    *sum =
        (pegStats){.steps = w->steps, .time_pairs = w->seconds_pairs, .time_ode = w->seconds_ode};
    if (w->peg) pegWorldGetTotals(w->peg, sum);
    if (w->planar) lab_planar_stats(w->planar, NULL, sum);
}

void lab_last(const lab_world *w, pegStats *last)
{
    *last = (pegStats){.steps = w->steps > 0};
    if (w->peg) pegWorldGetStats(w->peg, last);
    if (w->planar) lab_planar_stats(w->planar, last, NULL);
}
