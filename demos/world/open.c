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
    w->psi_minimum = lab_key_number(w, "psi-minimum", published ? INFINITY : 0, 0, 10);
    w->sin_theta = lab_key_number(w, "sin-theta", .1, 0, 1);
    w->tan_phi = lab_key_number(w, "tan-phi", 1, 0, 1e9);
    w->edges = lab_key_number(w, "edges", 0, 0, 1);
    w->fallback = lab_key_flag(w, "fallback", !published);
    w->stiffness = lab_key_number(w, "stiffness", 0, 0, 1e12);
    w->gamma = lab_key_number(w, "gamma", 1, 0, 1);
    w->gradient = lab_key_flag(w, "gradient", 1);
    w->traps = lab_key_flag(w, "traps", 0);
    w->adjacent = lab_key_flag(w, "adjacent", 0);
    w->passes = lab_key_whole(w, "passes", 50, 1, 50);
    w->narrow = lab_key_whole(w, "narrow", PEG_NARROW_PHASE_LIBCCD, 0, PEG_NARROW_PHASE_COUNT - 1);
    w->rotation = lab_key_number(w, "rotation", PEG_SLOPE_TOLERANCE, 1e-6, .3);
    w->mesh_search =
        lab_key_whole(w, "mesh-search", PEG_MESH_SEARCH_BOUNDS, 0, PEG_MESH_SEARCH_COUNT - 1);
}

/* Step size, number of steps, scale and turn, before the build asks for them. */
static void set_frame(lab_world *w)
{
    const lab_options *o = &w->options;
    w->h = o->h != 0 ? o->h : w->scene->h;
    double time = o->time != 0 ? o->time : w->scene->time;
    double steps = o->steps ? (double)o->steps : nearbyint(time / w->h);
    w->scale = lab_key_number(w, "scale", 1, 1e-6, 1e6);
    double degrees = lab_key_number(w, "turn", 0, -360, 360);
    w->directions = lab_key_whole(w, "directions", 4, 0, 16);
    w->primaries = lab_key_flag(w, "primaries", 1);
    w->threads = lab_key_whole(w, "threads", 1, 1, PEG_THREADS_MAX);
    if (o->mu_given) {
        w->mu = w->surface.mu = o->mu;
        w->surface.mode = o->mu > 0 ? dContactApprox1 : 0;
    }
    set_model_keys(w);
    if (!(w->h > 0 && isfinite(w->h)))
        lab_fail(w, "the step size must be a positive number of seconds (--h)");
    else if (!(steps >= 0 && steps <= 1e9))
        lab_fail(w, "the number of steps must lie between 0 and 1e9 (--steps, --time)");
    else if (w->directions != 0 && w->directions != 4 && w->directions != 8 && w->directions != 16)
        lab_fail(w, "--set directions=%d: directions must be 0, 4, 8 or 16", w->directions);
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
