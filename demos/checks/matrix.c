#include "demos/checks/matrix.h"
#include "demos/checks/checks.h"
#include "demos/scenes/geom_classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct visitor {
    void (*visit)(void *context, const matrix_job *job);
    void *context;
    int count;
} visitor;

static void emit(visitor *v, const matrix_job *job)
{
    v->count++;
    if (v->visit) v->visit(v->context, job);
}

static void set(matrix_job *job, const char *key, double value)
{
    lab_setting *s = &job->set[job->options.sets++];
    snprintf(s->key, sizeof s->key, "%s", key);
    s->value = value;
}

/* Every value of the scene's own key; seeds where the scene is random. */
static void with_keys(visitor *v, matrix_job job, int all)
{
    const check_spec *spec = check_find(job.scene->name);
    if (!spec->key) {
        emit(v, &job);
        return;
    }
    int shot = !strcmp(spec->key, "speed"), seeds = shot && all ? 10 : 1;
    for (int k = 0; k < 4 && !isnan(spec->values[k]); k++)
        for (int seed = 1; seed <= seeds; seed++) {
            matrix_job one = job;
            one.options.seed = (uint64_t)seed;
            /* fast scenes are about steps, not about seconds: fly 1.2 m, then 10 more */
            if (shot) one.options.steps = 10 + (long)(1.2 / (spec->values[k] * job.options.h));
            if (!strcmp(spec->key, "spin") && !strcmp(job.scene->name, "blades"))
                one.options.steps = 40;
            set(&one, spec->key, spec->values[k]);
            emit(v, &one);
        }
}

/* As it is, turned, in millimetres, in hundreds of metres. */
static void with_frames(visitor *v, const matrix_job *job, int all)
{
    static const double frames[4][2] = {{0, 1}, {37, 1}, {0, 0.001}, {37, 100}};
    for (int i = 0; i < 4; i++) {
        matrix_job one = *job;
        if (frames[i][0] != 0) set(&one, "turn", frames[i][0]);
        if (frames[i][1] != 1) set(&one, "scale", frames[i][1]);
        with_keys(v, one, all);
    }
}

static int is_of(const lab_scene *group, const lab_scene *scene)
{
    for (const lab_scene *s = group; s->name; s++)
        if (s == scene) return 1;
    return 0;
}

/* The papers' scenes have experiments of their own, piles the bench, ODE's demos a test. */
static int is_elsewhere(const lab_scene *s)
{
    return !strncmp(s->name, "pour", 4) || !strncmp(s->name, "demo-", 5) ||
           is_of(lab_scenes_friction, s) || is_of(lab_scenes_pile, s) ||
           is_of(lab_scenes_joints, s) || is_of(lab_scenes_geoms, s) ||
           is_of(lab_scenes_planar, s) || is_of(lab_scenes_papers, s);
}

static void scenes(visitor *v, matrix_extent extent)
{
    static const double step_sizes[] = {0.01, 0.05, 0.002};
    for (int i = 0; i < lab_scene_count(); i++) {
        const lab_scene *scene = lab_scene_at(i);
        if (is_elsewhere(scene)) continue;
        for (int k = 0; k < 3; k++) {
            matrix_job job = {.scene = scene, .options = {.h = step_sizes[k], .seed = 1}};
            if (extent == MATRIX_QUICK && k > 0) break;
            if (extent == MATRIX_FULL) {
                with_frames(v, &job, 1);
            } else if (extent == MATRIX_GATE && k == 0) {
                with_frames(v, &job, 0);
            } else {
                if (k == 2 && (check_find(scene->name)->properties & CHECK_RESTS))
                    job.options.time = 1.2;
                with_keys(v, job, 0);
            }
        }
    }
}

/* Machines, in the gate for a shorter time at the smallest step. */
static void machines(visitor *v, matrix_extent extent)
{
    static const double step_sizes[] = {0.01, 0.02, 0.002};
    for (const lab_scene *scene = lab_scenes_joints; scene->name; scene++)
        for (int k = 0; k < 3; k++) {
            matrix_job job = {.scene = scene, .options = {.h = step_sizes[k], .seed = 1}};
            if (extent == MATRIX_QUICK && k > 0) break;
            if (extent == MATRIX_GATE && k == 2) job.options.time = 1;
            with_keys(v, job, 0);
            if (extent != MATRIX_FULL || k > 0) continue;
            matrix_job large = job, turned = job;
            set(&large, "scale", 10); /* stock ODE breaks down at a tenth */
            with_keys(v, large, 0);
            set(&turned, "turn", 37);
            if (strcmp(scene->name, "plane2d-pour") != 0) with_keys(v, turned, 0);
        }
}

/* ---- geoms ------------------------------------------------------------------------------------
 */

/* Every class on every other, with few seeds: the full matrix is peg-lab matrix-geoms. */
static void classes(visitor *v, matrix_extent extent)
{
    static const double step_sizes[] = {0.01, 0.05}, frames[3][2] = {{37, 1}, {0, .001}, {37, 100}};
    int seeds = extent == MATRIX_FULL ? 6 : 1;
    for (int i = 0; i < GEOM_MOVING * GEOM_COUNT; i++)
        for (int k = 0; k < (extent == MATRIX_FULL ? 2 : 1); k++)
            for (int seed = 1; seed <= seeds; seed++) {
                int a = i / GEOM_COUNT, b = i % GEOM_COUNT, frame = seed > 3 ? seed - 4 : -1;
                matrix_job job = {.scene = lab_scene_find("drop-pair"),
                                  .options = {.h = step_sizes[k], .seed = (uint64_t)(seed + i)}};
                set(&job, "a", a);
                set(&job, "b", b);
                if (b < GEOM_MOVING) set(&job, "moving", (seed + a + b) % DROP_MODES);
                if (frame >= 0 && frames[frame][0] != 0) set(&job, "turn", frames[frame][0]);
                if (frame >= 0 && frames[frame][1] != 1) set(&job, "scale", frames[frame][1]);
                emit(v, &job);
            }
}

static void geoms(visitor *v, matrix_extent extent)
{
    static const struct {
        const char *scene;
        double gate; /* s; 0: the scene's time; negative: too long for it */
        double step_sizes[4];
        const char *key;
        double values[6];
    } cases[] = {
        {"seams-box", 0, {.01, .05, .002}, "lift", {1e-3, 0, .1, NAN}},
        {"seams-sphere", 0, {.01, .05, .002}, "lift", {1e-3, 0, .1, NAN}},
        {"seams-box", 1, {.05, .01}, "across", {0, .7071067811865476, 1, NAN}},
        {"seams-sphere", 1, {.05, .01}, "across", {0, .7071067811865476, 1, NAN}},
        {"seams-capsule", 1, {.05, .01, .002}, "across", {.25, 0, .7071067811865476, 1, NAN}},
        {"seams-cylinder", 1, {.05, .01, .002}, "across", {.25, 0, .7071067811865476, 1, NAN}},
        {"seams-tiles", 2, {.01, .05, .002}, "speed", {.5, 3, NAN}},
        {"seams-cylinder", 1, {.01, .002}, "tiles", {1, NAN}},
        {"mesh-roll", 0, {.01, .002}, "slope", {.25, NAN}},
        {"mesh-rest", 0, {.01, .002, .05}, "field", {0, 1, NAN}},
        {"mesh-inside", .5, {.01, .05, .02}, "speed", {3, 30, NAN}},
        {"mesh-inside", .5, {.01, .05}, "moving", {1, NAN}},
        {"mesh-100k", -1, {.01}, "cells", {224, NAN}},
        {"mesh-100k", .6, {.01}, "cells", {60, NAN}},
        {"pour-mixed", 2, {.01, .02, .05}, "mesh", {0, 1, NAN}},
    };
    classes(v, extent);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4 && cases[i].step_sizes[k] > 0; k++)
            for (int n = 0; !isnan(cases[i].values[n]); n++) {
                matrix_job job = {.scene = lab_scene_find(cases[i].scene),
                                  .options = {.h = cases[i].step_sizes[k], .seed = 1}};
                if (extent != MATRIX_FULL && (k > 0 || cases[i].gate < 0)) continue;
                if (extent != MATRIX_FULL) job.options.time = cases[i].gate;
                set(&job, cases[i].key, cases[i].values[n]);
                emit(v, &job);
            }
    for (int a = 0; a < GEOM_MOVING; a++) {
        matrix_job job = {.scene = lab_scene_find("shell-fast"), .options = {.h = .01, .seed = 1}};
        set(&job, "a", a);
        with_keys(v, job, extent == MATRIX_FULL);
    }
}

/* ---- friction ---------------------------------------------------------------------------------
 */

enum {
    ROUGH_FRAMES = 1, /* turned and scaled as well */
    ROUGH_MODELS = 2, /* stock ODE as well */
    ROUGH_QUICK = 4,  /* of stock ODE's only the fast one: dWorldStep would take hours */
};

typedef struct rough_case {
    const char *scene;
    double mu;         /* 0: the scene's */
    double gate, full; /* s; gate 0: too long for it; full 0: the scene's time */
    int properties;
    double step_sizes[4]; /* of the study; ends with 0. The gate has .01 */
    const char *key;      /* null: none */
    double value;
} rough_case;

#define SLIDING                                                                                    \
    ROUGH_FRAMES | ROUGH_MODELS,                                                                   \
    {                                                                                              \
        0.01, 0.002, 0.05                                                                          \
    }
#define STANDING                                                                                   \
    ROUGH_FRAMES | ROUGH_MODELS,                                                                   \
    {                                                                                              \
        0.01, 0.02                                                                                 \
    }
#define ADVERSE                                                                                    \
    0,                                                                                             \
    {                                                                                              \
        0.01, 0.002, 0.05                                                                          \
    }

static const rough_case rough_cases[] = {
    {"incline", 0.5, 6, 0, SLIDING, NULL, 0},
    {"incline", 0.38, 6, 0, SLIDING, NULL, 0},
    {"incline", 0.3, 6, 0, SLIDING, NULL, 0},
    {"incline", 0.5, 6, 0, SLIDING, "speed", 3},
    {"incline", 0.5, 6, 0, SLIDING, "speed", -10},
    {"slide", 0.5, 1, 1, SLIDING, "speed", 3},
    {"slide", 0.5, 7, 7, SLIDING, "speed", 30},
    {"slide", 0.5, 62, 62, SLIDING, "speed", 300},
    {"slide-turning", 0, 1, 0, SLIDING, "directions", 4},
    {"slide-turning", 0, 1, 0, SLIDING, "directions", 8},
    {"slide-turning", 0, 1, 0, SLIDING, "directions", 16},
    {"slide-turning", 0, 1, 0, SLIDING, "directions", 0},
    {"tower-20", 0, 3, 0, STANDING, NULL, 0},
    {"wall-10x10", 0, 0, 0, ROUGH_QUICK, {0.01, 0.02}, NULL, 0},
    {"wall-10x10", 0, 2, 0, STANDING, "rows", 4},
    {"pyramid-10", 0, 0, 0, ROUGH_QUICK, {0.01, 0.02}, NULL, 0},
    {"pyramid-10", 0, 2, 0, STANDING, "rows", 5},
    {"pyramid-20", 0, 0, 0, ROUGH_QUICK, {0.01}, NULL, 0},
    {"stack-staggered", 0, 3, 0, STANDING, NULL, 0},
    {"card-house", 0, 2, 0, STANDING, NULL, 0},
    {"arch-25", 0, 2, 0, STANDING, NULL, 0},
    {"mass-stack", 0, 3, 0, STANDING, NULL, 0},
    {"bounce", 0, 4, 0, SLIDING, "restitution", 0.5},
    {"bounce", 0, 4, 0, SLIDING, "restitution", 0.8},
    {"bounce", 0, 4, 0, SLIDING, "restitution", 1},
    {"pile-wake", 0, 8, 0, SLIDING, NULL, 0},
    {"stack-flush", 0.5, 2, 0, ADVERSE, NULL, 0},
    {"stack-twisted", 0.5, 2, 0, ADVERSE, NULL, 0},
    {"block-3x3x3", 0.5, 0, 0, ADVERSE, NULL, 0},
    {"plank-49", 0.5, 2, 0, ADVERSE, NULL, 0},
    {"dominoes", 0.5, 0, 0, ADVERSE, NULL, 0},
    {"needles", 0.5, 0, 0, ADVERSE, NULL, 0},
    {"links", 0.5, 0, 0, ADVERSE, NULL, 0},
    {"hook", 0.5, 0, 0, ADVERSE, NULL, 0},
    {"thin-plate", 0.5, 0.1, 0, ADVERSE, "speed", 100},
    {"head-on", 0.5, 0.1, 0, ADVERSE, "speed", 100},
    {"blades", 0.5, 0.2, 0, ADVERSE, "spin", 2},
    {"thin-plate", 0.5, 0, 0.2, ADVERSE, "speed", 10},
    {"thin-plate", 0.5, 0, 0.2, ADVERSE, "speed", 300},
    {"thin-plate", 0.5, 0, 0.2, ADVERSE, "speed", 1000},
    {"head-on", 0.5, 0, 0.2, ADVERSE, "speed", 10},
    {"head-on", 0.5, 0, 0.2, ADVERSE, "speed", 300},
    {"head-on", 0.5, 0, 0.2, ADVERSE, "speed", 1000},
    {"blades", 0.5, 0, 0.2, ADVERSE, "spin", 1},
    {"blades", 0.5, 0, 0.2, ADVERSE, "spin", 4},
    {"blades", 0.5, 0, 0.2, ADVERSE, "spin", 6},
    {"spin", 0.5, 0, 0, ADVERSE, "spin", 1},
    {"spin", 0.5, 0, 0, ADVERSE, "spin", 2},
    {"spin", 0.5, 0, 0, ADVERSE, "spin", 3},
};

/* Jobs of one case and step size: the models, then the frames. */
static void rough(visitor *v, matrix_extent extent, const rough_case *c, double h)
{
    static const double frames[3][2] = {{37, 1}, {0, 0.001}, {37, 100}};
    matrix_job job = {.scene = lab_scene_find(c->scene),
                      .options = {.h = h, .seed = 1, .mu_given = c->mu > 0, .mu = c->mu},
                      .friction = 1};
    job.options.time = extent == MATRIX_FULL ? c->full : c->gate;
    if (c->key) set(&job, c->key, c->value);
    emit(v, &job);
    if (extent != MATRIX_FULL) return;
    for (int m = LAB_ODE; m <= LAB_ODE_QUICK; m++) {
        matrix_job one = job;
        one.options.contact = (lab_contact)m;
        int wanted = c->properties & (m == LAB_ODE ? ROUGH_MODELS : ROUGH_MODELS | ROUGH_QUICK);
        if (wanted) emit(v, &one);
    }
    for (int i = 0; i < 3 && (c->properties & ROUGH_FRAMES); i++) {
        matrix_job one = job;
        if (frames[i][0] != 0) set(&one, "turn", frames[i][0]);
        if (frames[i][1] != 1) set(&one, "scale", frames[i][1]);
        emit(v, &one);
    }
}

/* How far the friction cone errs: a block launched in every direction, and one pushed by another.
 */
static void cones(visitor *v)
{
    static const double directions[] = {4, 8, 16, 0};
    for (int d = 0; d < 4; d++)
        for (int angle = 0; angle <= 90; angle += 15) {
            matrix_job slide = {.scene = lab_scene_find("slide"),
                                .options = {.h = 0.01, .seed = 1, .time = 0.3},
                                .friction = 1};
            set(&slide, "directions", directions[d]);
            set(&slide, "angle", angle);
            emit(v, &slide);
            matrix_job push = slide;
            push.scene = lab_scene_find("push");
            push.options.time = 1;
            emit(v, &push);
        }
}

static void with_friction(visitor *v, matrix_extent extent)
{
    for (size_t i = 0; i < sizeof rough_cases / sizeof *rough_cases; i++) {
        const rough_case *c = &rough_cases[i];
        if (extent != MATRIX_FULL && c->gate == 0) continue;
        for (int k = 0; k < 4 && c->step_sizes[k] > 0; k++)
            if (extent == MATRIX_FULL || k == 0) rough(v, extent, c, c->step_sizes[k]);
    }
    cones(v);
}

/* ---- pours ------------------------------------------------------------------------------------
 */

static void pour(visitor *v, const char *name, lab_contact contact, double mu, double h, int seeds)
{
    const lab_scene *scene = lab_scene_find(name);
    for (int seed = 1; scene && seed <= seeds; seed++) {
        matrix_job job = {
            .scene = scene,
            .options = {
                .contact = contact, .h = h, .seed = (uint64_t)seed, .mu_given = mu > 0, .mu = mu}};
        emit(v, &job);
    }
}

static void pours_of(visitor *v, matrix_extent extent)
{
    static const char *const names[] = {"pour-boxes", "pour-convex"};
    static const lab_contact models[] = {LAB_PEG, LAB_ST, LAB_ODE};
    static const double step_sizes[] = {0.01, 0.05, 0.1, 0.02, 0.002};
    int seeds = extent == MATRIX_FULL ? 10 : extent == MATRIX_GATE ? 2 : 1;
    int sizes = extent == MATRIX_FULL ? 5 : extent == MATRIX_GATE ? 2 : 1;
    for (int m = 0; m < (extent == MATRIX_GATE ? 1 : 3); m++)
        for (int n = 0; n < 4; n++)
            for (int k = 0; k < sizes; k++)
                pour(v, names[n % 2], models[m], n < 2 ? 0 : 0.5, step_sizes[k], seeds);
}

int matrix_jobs(matrix_extent extent, void (*visit)(void *context, const matrix_job *job),
                void *context)
{
    visitor v = {visit, context, 0};
    scenes(&v, extent);
    machines(&v, extent);
    geoms(&v, extent);
    with_friction(&v, extent);
    pours_of(&v, extent);
    return v.count;
}

lab_options matrix_options(const matrix_job *job)
{
    lab_options options = job->options;
    options.set = job->set;
    return options;
}

void matrix_command(const matrix_job *job, char *text, size_t size)
{
    const lab_options *o = &job->options;
    int n = snprintf(text, size, "run %s --contact %s --h %g", job->scene->name,
                     lab_contact_name(o->contact), o->h);
    if (o->time > 0) n += snprintf(text + n, size - (size_t)n, " --time %g", o->time);
    if (o->steps > 0) n += snprintf(text + n, size - (size_t)n, " --steps %ld", o->steps);
    if (o->mu_given) n += snprintf(text + n, size - (size_t)n, " --mu %g", o->mu);
    if (o->seed != 1) n += snprintf(text + n, size - (size_t)n, " --seed %d", (int)o->seed);
    for (int i = 0; i < o->sets; i++)
        n += snprintf(text + n, size - (size_t)n, " --set %s=%g", job->set[i].key,
                      job->set[i].value);
}
