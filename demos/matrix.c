#include "demos/matrix.h"
#include "demos/checks.h"

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

static void scenes(visitor *v, matrix_extent extent)
{
    static const double step_sizes[] = {0.01, 0.05, 0.002};
    for (int i = 0; i < lab_scene_count(); i++) {
        const lab_scene *scene = lab_scene_at(i);
        if (!strncmp(scene->name, "pour", 4)) continue;
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

static void pour(visitor *v, const char *name, lab_contact contact, double h, int seeds)
{
    const lab_scene *scene = lab_scene_find(name);
    for (int seed = 1; scene && seed <= seeds; seed++) {
        matrix_job job = {.scene = scene,
                          .options = {.contact = contact, .h = h, .seed = (uint64_t)seed}};
        emit(v, &job);
    }
}

static void pours_of(visitor *v, matrix_extent extent)
{
    static const char *const names[] = {"pour-boxes", "pour-convex"};
    static const lab_contact models[] = {LAB_PEG, LAB_ST, LAB_ODE};
    static const double step_sizes[] = {0.01, 0.05, 0.1, 0.02, 0.002};
    for (int m = 0; m < (extent == MATRIX_GATE ? 1 : 3); m++)
        for (int n = 0; n < 2; n++)
            for (int k = 0; k < 5; k++) {
                if (extent == MATRIX_QUICK && k > 0) break;
                if (extent == MATRIX_GATE && k > 1) break;
                pour(v, names[n], models[m], step_sizes[k],
                     extent == MATRIX_FULL   ? 10
                     : extent == MATRIX_GATE ? 2
                                             : 1);
            }
}

int matrix_jobs(matrix_extent extent, int pours,
                void (*visit)(void *context, const matrix_job *job), void *context)
{
    visitor v = {visit, context, 0};
    scenes(&v, extent);
    if (pours) pours_of(&v, extent);
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
    if (o->seed != 1) n += snprintf(text + n, size - (size_t)n, " --seed %d", (int)o->seed);
    for (int i = 0; i < o->sets; i++)
        n += snprintf(text + n, size - (size_t)n, " --set %s=%g", job->set[i].key,
                      job->set[i].value);
}
