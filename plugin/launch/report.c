/* What the launcher tells: messages, and a line of figures per second. */
#include "plugin/launch/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    FILE *log;   /* null: standard error */
    double told; /* when the last line of figures was written, s */
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
    report.told = seconds();
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

void peg_report_step(peg_ward *ward)
{
    if (!peg_launch_options()->stats) return;
    double now = seconds();
    pthread_mutex_lock(&report.lock);
    int due = now - report.told >= 1;
    if (due) {
        report.told = now;
        tell_figures(ward);
    }
    pthread_mutex_unlock(&report.lock);
}
