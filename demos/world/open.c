/* Opening and closing a world: build, ODE objects, contact model. */
#include "demos/world/contact_points.h"
#include "demos/world/planar_world.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"
#include "peg/base/tolerance.h"
#include "peg/base/thread_pool.h"
#include "plugin/world.h"

#define CONTACTS 16  /* of a pair, for stock ODE */
#define MANY     200 /* bodies: from here on testing all pairs costs more than sorting */

static void pass_message(void *data, pegStatus status, const char *text)
{
    (void)status;
    const lab_world *w = data;
    if (w->options.message) w->options.message(text);
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
    peg_context_set_capture(w->peg->glue->core, w->options.capture);
    if (w->has_groups || w->pair_surface) pegWorldSetNearCallback(w->peg, w, lab_near_callback);
}

static void make_ode(lab_world *w)
{
    dInitODE2(0);
    lab_count_ode_messages();
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
    if (lab_contact_is_exact(w->options.contact)) make_peg(w);
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

/* Settings of the papers' models; what is out of range the contact module refuses. */
static void set_model_keys(lab_world *w)
{
    int published = w->options.contact == LAB_ST_PUBLISHED;
    w->psi_minimum = lab_key(w, "psi-minimum", published ? INFINITY : 0);
    w->sin_theta = lab_key(w, "sin-theta", .1);
    w->tan_phi = lab_key(w, "tan-phi", 1);
    w->edges = lab_key(w, "edges", 0);
    w->fallback = (int)lab_key(w, "fallback", !published);
    w->stiffness = lab_key(w, "stiffness", 0);
    w->gamma = lab_key(w, "gamma", 1);
    w->gradient = (int)lab_key(w, "gradient", 1);
    w->traps = (int)lab_key(w, "traps", 0);
    w->adjacent = (int)lab_key(w, "adjacent", 0);
    w->passes = (int)lab_key(w, "passes", 50);
    w->narrow = (int)lab_key(w, "narrow", PEG_NARROW_PHASE_LIBCCD);
    w->rotation = lab_key(w, "rotation", PEG_SLOPE_TOLERANCE);
    w->mesh_search = (int)lab_key(w, "mesh-search", PEG_MESH_SEARCH_BOUNDS);
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
    set_model_keys(w);
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

/* A world as its scene builds it; null without memory. */
static lab_world *build(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT])
{
    lab_world *w = calloc(1, sizeof *w);
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
    lab_check_keys(w);
    if (!w->failed) lab_seal(w);
    return w;
}

lab_world *lab_open(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT],
                    int *user)
{
    lab_world *w = build(scene, options, text);
    *user = w && w->failed;
    if (!w) return NULL;
    if (!w->failed) lab_make(w);
    if (w->has_kinematic && !w->failed) lab_contact_points_record(w);
    if (!w->failed) lab_enter_bodies(w);
    if (!w->failed && options->opened) options->opened(w);
    if (!w->failed) return w;
    snprintf(text, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return NULL;
}

int lab_is_refused(const lab_scene *scene, const lab_options *options, char text[LAB_TEXT])
{
    lab_world *w = build(scene, options, text);
    int refused = !w || w->failed;
    if (w && refused) snprintf(text, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return refused;
}

void lab_close(lab_world *w)
{
    if (!w) return;
    lab_planar_free(w->planar);
    lab_contact_points_free(w);
    if (w->peg) pegWorldDestroy(w->peg);
    if (w->contacts) dJointGroupDestroy(w->contacts);
    for (int i = 0; i < w->bodies; i++)
        for (int k = 0; k < w->body[i]->parts; k++)
            if (w->body[i]->part[k].radius > 0 && w->body[i]->part[k].geom)
                pegGeomSetRadius(w->body[i]->part[k].geom, 0);
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
