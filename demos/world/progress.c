/* Progress of long work. */
#include "demos/world/progress.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR        24
#define FIRST_LINE 2.  /* s */
#define LINES      20. /* s between lines where there is no terminal */
#define BAR_EVERY  .2  /* s */

const char *lab_duration(double seconds, char text[32])
{
    if (seconds < 99.5)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 90 * 60)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.0f h %.0f min", floor(seconds / 3600),
                 floor(fmod(seconds, 3600) / 60));
    return text;
}

void lab_progress_announce(const char *what, double seconds)
{
    char text[32];
    fprintf(stderr, "%s: takes at most %s\n", what, lab_duration(seconds, text));
}

void lab_progress_begin(lab_progress *p)
{
    p->begun = lab_now();
    if (!p->silent)
        fprintf(stderr, "%s: %ld %s\n", p->title, p->total, p->unit ? p->unit : "steps");
}

static void show(lab_progress *p, double now, int terminal)
{
    double spent = now - p->begun, part = p->total > 0 ? (double)p->done / (double)p->total : 0;
    double rate = spent > 0 ? (double)p->done / spent : 0;
    char left[32] = "?", bar[BAR + 1];
    if (rate > 0) lab_duration((double)(p->total - p->done) / rate, left);
    int full = (int)(BAR * part);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(full < BAR ? full : BAR));
    bar[BAR] = 0;
    if (terminal)
        fprintf(stderr, "\r%s [%s] %ld of %ld %s, %.3g/s, %s left\033[K", p->title, bar, p->done,
                p->total, p->unit ? p->unit : "steps", rate, left);
    else
        fprintf(stderr, "%s: %ld of %ld %s, %.3g/s, %s left\n", p->title, p->done, p->total,
                p->unit ? p->unit : "steps", rate, left);
    fflush(stderr);
    p->shown = 1;
    p->told = now;
}

void lab_progress_set(lab_progress *p, long done)
{
    double now = lab_now();
    int terminal = isatty(STDERR_FILENO);
    if (p->begun == 0) p->begun = now;
    p->done = done;
    if (p->silent) return;
    double since = p->shown ? now - p->told : now - p->begun;
    if (since < (!p->shown ? FIRST_LINE : terminal ? BAR_EVERY : LINES)) return;
    show(p, now, terminal);
}

void lab_progress_end(lab_progress *p)
{
    if (p->shown && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    p->shown = 0;
}
