/* Runs a scene from start to end and measures every step. */
#include "demos/world/run.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int record(lab_result *r)
{
    if (r->steps == r->room) {
        size_t room = 2 * (size_t)r->room + 256;
        double *volume = realloc(r->volume, room * sizeof *volume);
        if (volume) r->volume = volume;
        double *seconds = realloc(r->seconds, room * sizeof *seconds);
        if (seconds) r->seconds = seconds;
        if (!volume || !seconds) return 0;
        r->room = (long)room;
    }
    double depth;
    lab_measure(r->w, 1, &r->volume[r->steps], &depth, NULL);
    r->seconds[r->steps++] = r->w->last_seconds;
    r->depth_max = fmax(r->depth_max, depth);
    return 1;
}

/* On a terminal the line is written over. */
static void show_progress(const lab_result *r, double *last)
{
    double now = lab_now();
    int last_step = r->steps == r->w->planned, terminal = isatty(STDERR_FILENO);
    if (now - *last < 1 && !(last_step && terminal)) return;
    *last = now;
    fprintf(stderr, "%s%s: step %ld of %ld%s", terminal ? "\r" : "",
            lab_contact_name(r->w->options.contact), r->steps, r->w->planned,
            terminal && !last_step ? "" : "\n");
}

static void run_steps(lab_result *r, const lab_observer *o, int progress)
{
    lab_world *w = r->w;
    double last = lab_now();
    int written = !o || o->begin(o->data, w) == 0;
    while (written && w->steps < w->planned) {
        if (lab_step(w)) break;
        if (!record(r)) lab_fail(w, "out of memory");
        if (o) written = o->step(o->data, w) == 0;
        if (progress) show_progress(r, &last);
    }
    if (!written) lab_fail(w, "the trace could not be written");
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

void lab_result_free(lab_result *r)
{
    lab_close(r->w);
    free(r->volume);
    free(r->seconds);
    *r = (lab_result){0};
}
