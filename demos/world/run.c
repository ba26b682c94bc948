/* Runs a scene from start to end and measures every step. */
#include "demos/world/progress.h"
#include "demos/world/run.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(lab_result *r)
{
    if (r->steps < r->room) return 1;
    size_t room = 2 * (size_t)r->room + 256;
    double *volume = realloc(r->volume, room * sizeof *volume);
    if (volume) r->volume = volume;
    double *seconds = realloc(r->seconds, room * sizeof *seconds);
    if (seconds) r->seconds = seconds;
    if (!volume || !seconds) return 0;
    r->room = (long)room;
    return 1;
}

/* The present bodies by their numbers; null: others. */
static void list_bodies(const lab_world *w, dBodyID *list)
{
    for (int i = 0; i < w->bodies; i++) list[i] = w->body[i]->present ? w->body[i]->id : NULL;
}

static void note_motion(lab_world *w, peg_moving_watch *watch, dBodyID *list)
{
    list_bodies(w, list);
    if (w->ode && !peg_moving_note(watch, w->ode, list, w->bodies, lab_time(w)))
        lab_fail(w, "out of memory");
}

/* Measures the step that was made and shows it to the observer. */
static void record(lab_result *r, const lab_observer *o, lab_measured *m)
{
    if (!reserve(r)) {
        lab_fail(r->w, "out of memory");
        return;
    }
    memset(m->depth_of, 0, (size_t)r->w->bodies * sizeof *m->depth_of);
    lab_measure(r->w, 1, &m->volume, &m->depth, m->depth_of);
    r->volume[r->steps] = m->volume;
    r->seconds[r->steps++] = r->w->last_seconds;
    r->depth_max = fmax(r->depth_max, m->depth);
    if (o) o->step(o->data, r->w, m);
}

static void run_steps(lab_result *r, const lab_observer *o, int progress)
{
    lab_world *w = r->w;
    char title[128];
    snprintf(title, sizeof title, "%.60s, %s", w->scene->name,
             lab_contact_name(w->options.contact));
    lab_progress bar = {.title = title, .total = w->planned, .silent = !progress};
    lab_measured m = {.depth_of = malloc(((size_t)w->bodies + 1) * sizeof *m.depth_of)};
    peg_moving_watch watch = {0};
    dBodyID *list = malloc(((size_t)w->bodies + 1) * sizeof *list);
    if (!m.depth_of || !list)
        lab_fail(w, "out of memory");
    else
        note_motion(w, &watch, list);
    if (o && !w->failed) o->begin(o->data, w);
    while (!w->failed && w->steps < w->planned) {
        if (lab_step(w)) break;
        record(r, o, &m);
        note_motion(w, &watch, list);
        lab_progress_set(&bar, w->steps);
    }
    lab_progress_end(&bar);
    if (o) o->end(o->data, w);
    if (list && w->ode)
        peg_moving_list(&watch, w->ode, w->peg, list, w->bodies, lab_time(w), &r->moving);
    peg_moving_free(&watch);
    free(list);
    free(m.depth_of);
}

int lab_run(const lab_scene *scene, const lab_options *options, const lab_observer *observer,
            int progress, lab_result *r)
{
    double start = lab_now();
    *r = (lab_result){0};
    r->w = lab_open(scene, options, r->error, &r->user);
    if (!r->w) return r->failed = 1;
    run_steps(r, observer, progress);
    r->wall = lab_now() - start;
    r->failed = r->w->failed;
    memcpy(r->error, r->w->error, sizeof r->error);
    return r->failed;
}

static const char *name_of(const void *world, int number)
{
    return ((const lab_world *)world)->body[number]->name;
}

void lab_print_moving(FILE *file, const lab_result *r)
{
    peg_moving_print(file, "", &r->moving, name_of, r->w);
}

void lab_result_free(lab_result *r)
{
    lab_close(r->w);
    free(r->volume);
    free(r->seconds);
    *r = (lab_result){0};
}
