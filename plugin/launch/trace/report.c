/* What the launcher tells: messages, and a line of figures per second. */
#include "plugin/launch/trace/report.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/trace/world_trace.h"
#include "plugin/launch/world/bodies.h"
#include "plugin/launch/world/geom_counts.h"
#include "peg/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    double begun, told; /* s: at the start, and when figures were written last */
    long most;          /* steps of the world that the summary is of */
} report = {.lock = PTHREAD_MUTEX_INITIALIZER};

void peg_report_begin(void)
{
    report.begun = report.told = peg_seconds();
}

static void tell_figures(const peg_world_entry *entry)
{
    pegStats s = {0};
    if (entry->peg) pegWorldGetTotals(entry->peg, &s);
    fprintf(stderr,
            "peg-run: world %d: %ld steps (%ld exact, %ld stock, %ld failed), h %g s; now %ld "
            "bodies, %ld pairs; steps unconverged %ld, ended by budget %ld, bodies limited %ld, "
            "islands frozen %ld, "
            "infeasible %ld, soft contacts %ld, stock contacts %ld, overlap %.2g m\n",
            entry->number, entry->steps, entry->steps - entry->stock_steps, entry->stock_steps,
            entry->failed_steps, entry->h, s.bodies, s.pairs, s.unconverged, s.budget_ended,
            s.limited_bodies, s.frozen_islands, s.infeasible_islands, s.soft_contacts,
            entry->stock_contacts, s.max_penetration);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Largest figures written so far are those of the world with the most steps. */
static int is_main(const peg_world_entry *entry)
{
    if (entry->steps < report.most) return 0;
    report.most = entry->steps;
    return 1;
}

/* The file is whole at any time: the program may be killed. */
static void write_summary(peg_world_entry *entry)
{
    const char *path = peg_launch_options.summary;
    char fresh[4200];
    pegStats s = {.min_separation = INFINITY};
    if (!path || !is_main(entry)) return;
    peg_report_moving(entry);
    if (entry->peg) pegWorldGetTotals(entry->peg, &s);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "we");
    if (!file) return;
    peg_put_summary(file, entry, &s, peg_seconds() - report.begun);
    if (fclose(file) == 0) rename(fresh, path);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void note_motion(peg_world_entry *entry)
{
    entry->moving_shapes = peg_shape_changes();
    peg_moving_note(&entry->watch, entry->world, entry->body, (int)entry->bodies, entry->time);
}

void peg_report_before(peg_world_entry *entry, double h)
{
    if (peg_launch_options.summary && entry->steps == 0)
        entry->energy[0] = entry->energy[1] = peg_bodies_energy(entry);
    if (entry->steps == 0) note_motion(entry);
    peg_trace_before(entry, h);
}

static void note_energy(peg_world_entry *entry)
{
    double now = peg_bodies_energy(entry);
    entry->gain =
        entry->steps == 1 ? now - entry->energy[1] : fmax(entry->gain, now - entry->energy[1]);
    entry->energy[1] = now;
}

void peg_report_moving(peg_world_entry *entry)
{
    if (!peg_launch_options.told || entry->moving_steps == entry->steps) return;
    entry->moving_steps = entry->steps;
    int all_there = entry->exact && entry->moving_shapes == peg_shape_changes();
    peg_moving_list(&entry->watch, entry->world, all_there ? entry->peg : NULL, entry->body,
                    (int)entry->bodies, entry->time, &entry->moving);
}

void peg_report_step(peg_world_entry *entry)
{
    const peg_options *o = &peg_launch_options;
    if (o->summary) note_energy(entry);
    if (o->trace) peg_trace_after(entry);
    note_motion(entry);
    if (!o->stats && !o->summary) return;
    double now = peg_seconds();
    pthread_mutex_lock(&report.lock);
    if (now - report.told >= 1) {
        report.told = now;
        if (o->stats) tell_figures(entry);
        write_summary(entry);
    }
    pthread_mutex_unlock(&report.lock);
}

static void tell_end(peg_world_entry *entry)
{
    char before[64];
    tell_figures(entry);
    peg_report_moving(entry);
    snprintf(before, sizeof before, "peg-run: world %d: ", entry->number);
    peg_moving_print(stderr, before, &entry->moving, NULL, NULL);
}

void peg_report_end(peg_world_entry *entry)
{
    if (entry->steps == 0) return;
    pthread_mutex_lock(&report.lock);
    if (peg_launch_options.stats) tell_end(entry);
    write_summary(entry);
    pthread_mutex_unlock(&report.lock);
}
