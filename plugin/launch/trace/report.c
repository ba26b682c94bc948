/* What the launcher tells: messages, and a line of figures per second. */
#include "plugin/launch/trace/trace_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    FILE *log;          /* null: standard error */
    double begun, told; /* s: at the start, and when figures were written last */
    long most;          /* steps of the world that the summary is of */
} report = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void peg_log(const char *format, ...)
{
    va_list list;
    pthread_mutex_lock(&report.lock);
    FILE *file = report.log ? report.log : stderr;
    fputs("peg-run: ", file);
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fputc('\n', file);
    fflush(file);
    pthread_mutex_unlock(&report.lock);
}

void peg_unsupported(const char *text)
{
    if (!peg_launch_options.strict) return;
    fprintf(stderr, "peg-run: stopped, as --strict asks for: %s\n", text);
    fflush(NULL);
    _exit(2);
}

void peg_report_begin(void)
{
    const peg_options *o = &peg_launch_options;
    report.begun = report.told = seconds();
    if (!o->log) return;
    report.log = fopen(o->log, "ae");
    if (!report.log) peg_log("cannot write '%s': messages come here", o->log);
}

static void tell_figures(const peg_ward *ward)
{
    pegStats s = {0};
    if (ward->peg) pegWorldGetTotals(ward->peg, &s);
    fprintf(stderr,
            "peg-run: world %d: %ld steps (%ld exact, %ld stock, %ld failed), h %g s; now %ld "
            "bodies, %ld pairs; unconverged %ld, halved %ld, overlap %.2g m, stock contacts %ld\n",
            ward->number, ward->steps, ward->steps - ward->stock_steps, ward->stock_steps,
            ward->failed_steps, ward->h, s.bodies, s.pairs, s.unconverged, s.fallback_halved,
            s.max_penetration, ward->stock_contacts);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Largest figures written so far are those of the world with the most steps. */
static int is_main(const peg_ward *ward)
{
    if (ward->steps < report.most) return 0;
    report.most = ward->steps;
    return 1;
}

/* The file is whole at any time: the program may be killed. */
static void write_summary(const peg_ward *ward)
{
    const char *path = peg_launch_options.summary;
    char fresh[4200];
    pegStats s = {.min_separation = INFINITY};
    if (!path || !is_main(ward)) return;
    if (ward->peg) pegWorldGetTotals(ward->peg, &s);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "we");
    if (!file) return;
    peg_put_summary(file, ward, &s, seconds() - report.begun);
    if (fclose(file) == 0) rename(fresh, path);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void peg_report_before(peg_ward *ward, double h)
{
    if (peg_launch_options.summary && ward->steps == 0)
        ward->energy[0] = ward->energy[1] = peg_bodies_energy(ward);
    peg_trace_before(ward, h);
}

static void note_energy(peg_ward *ward)
{
    double now = peg_bodies_energy(ward);
    ward->gain = ward->steps == 1 ? now - ward->energy[1] : fmax(ward->gain, now - ward->energy[1]);
    ward->energy[1] = now;
}

void peg_report_step(peg_ward *ward)
{
    const peg_options *o = &peg_launch_options;
    if (o->summary) note_energy(ward);
    if (o->trace) peg_trace_after(ward);
    if (!o->stats && !o->summary) return;
    double now = seconds();
    pthread_mutex_lock(&report.lock);
    if (now - report.told >= 1) {
        report.told = now;
        if (o->stats) tell_figures(ward);
        write_summary(ward);
    }
    pthread_mutex_unlock(&report.lock);
}

void peg_report_end(peg_ward *ward)
{
    if (ward->steps == 0) return;
    pthread_mutex_lock(&report.lock);
    write_summary(ward);
    pthread_mutex_unlock(&report.lock);
}
