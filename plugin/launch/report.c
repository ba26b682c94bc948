/* What the launcher tells: messages, and a line of figures per second. */
#include "plugin/launch/launch.h"

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
    if (!peg_launch_options()->strict) return;
    fprintf(stderr, "peg-run: stopped, as --strict asks for: %s\n", text);
    fflush(NULL);
    _exit(2);
}

void peg_report_begin(void)
{
    const peg_options *o = peg_launch_options();
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
            s.violation_max, ward->stock_contacts);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Largest figures written so far are those of the world with the most steps. */
static int is_main(const peg_ward *ward)
{
    if (ward->steps < report.most) return 0;
    report.most = ward->steps;
    return 1;
}

static void put(FILE *file, const char *name, double x)
{
    if (isfinite(x))
        fprintf(file, "\"%s\": %.17g", name, x);
    else
        fprintf(file, "\"%s\": null", name);
}

static void put_solver(FILE *file, const peg_ward *ward, const pegStats *s)
{
    fprintf(
        file,
        "  \"solver\": {\"steps\": %ld, \"unconverged\": %ld, \"fallback\": {\"clearance\": %ld, "
        "\"elastic\": %ld, \"halved\": %ld, \"plane\": %ld, \"scaled\": %ld},\n"
        "    \"first_contact\": %ld, \"locks\": %ld, \"secant\": %ld, \"switches\": %ld, ",
        ward->steps, s->unconverged, s->fallback_clearance, s->fallback_elastic, s->fallback_halved,
        s->fallback_plane, s->fallback_scaled, s->first_contact, s->locks, s->secant, s->switches);
    put(file, "rows\": {\"mean", s->solves ? (double)s->rows / (double)s->solves : 0);
    fprintf(file, ", \"max\": %ld}, ", s->rows_max);
    put(file, "outer\": {\"mean", s->islands ? (double)s->outer / (double)s->islands : 0);
    fprintf(file, ", \"max\": %ld}, ", s->outer_max);
    put(file, "residual_max", s->residual_max);
    fputs(", ", file);
    put(file, "gap_min", s->gap_min);
    fputs("},\n", file);
}

static void put_phases(FILE *file, const peg_ward *ward, const pegStats *s)
{
    double ms = ward->steps ? 1e3 / (double)ward->steps : 0;
    fputs("  \"phase_ms\": {", file);
    put(file, "pairs", ms * s->time_pairs);
    fputs(", ", file);
    put(file, "rows", ms * s->time_rows);
    fputs(", ", file);
    put(file, "solve", ms * s->time_solve);
    fputs(", ", file);
    put(file, "check", ms * s->time_check);
    fputs(", ", file);
    put(file, "ode", ms * s->time_ode);
    fputs("},\n", file);
}

/* overlap_volume is not measured: it needs the shapes at the end of every step. */
static void put_summary(FILE *file, const peg_ward *ward, const pegStats *s)
{
    fprintf(file, "{\n  \"scene\": \"peg-run\", \"contact\": \"%s\", ", peg_launch_options()->name);
    put(file, "h", ward->h);
    fprintf(file, ", \"steps\": %ld, \"bodies\": %d, \"seed\": null, ", ward->steps,
            peg_bodies_dynamic(ward));
    put(file, "wall_s", seconds() - report.begun);
    fputs(",\n  \"overlap_volume\": null, ", file);
    put(file, "depth_max", peg_takes_over() ? s->violation_max : ward->depth);
    fputs(",\n  \"energy\": {", file);
    put(file, "initial", ward->energy[0]);
    fputs(", ", file);
    put(file, "final", ward->energy[1]);
    fputs(", ", file);
    put(file, "gain_max_per_step", ward->gain);
    fputs("},\n", file);
    put_solver(file, ward, s);
    put_phases(file, ward, s);
    fprintf(file,
            "  \"world\": %d, \"exact_steps\": %ld, \"stock_steps\": %ld, \"failed_steps\": %ld, "
            "\"stock_contacts\": %ld\n}\n",
            ward->number, ward->steps - ward->stock_steps, ward->stock_steps, ward->failed_steps,
            ward->stock_contacts);
}

/* The file is whole at any time: the program may be killed. */
static void write_summary(const peg_ward *ward)
{
    const char *path = peg_launch_options()->summary;
    char fresh[4200];
    pegStats s = {.gap_min = INFINITY};
    if (!path || !is_main(ward)) return;
    if (ward->peg) pegWorldGetTotals(ward->peg, &s);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "we");
    if (!file) return;
    put_summary(file, ward, &s);
    if (fclose(file) == 0) rename(fresh, path);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void peg_report_before(peg_ward *ward, double h)
{
    if (peg_launch_options()->summary && ward->steps == 0)
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
    const peg_options *o = peg_launch_options();
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
