/* Makes the runs of an experiment in processes of their own, resumes, and reads what they wrote. */
#include "demos/world/progress.h"
#include "demos/experiments/runs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demos/world/world.h"

#define PATH_SIZE 4096
#define LINE_SIZE 8192
/* of the runs' files: to be raised with every change of their columns */
#define FORMAT 5
/* of a run, s of processor time: what a run comes to does not depend on what else the machine does,
 * and is the same in the quick version */
#define LIMIT 900

static void run_path(const experiment_study *s, const experiment_job *job, const char *end,
                     char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/runs/%s-h%g-%d.csv%s", s->options->dir,
             lab_contact_name(job->contact), job->h, job->set, end);
}

static void parameters(const experiment_study *s, const experiment_job *job, char text[LINE_SIZE])
{
    snprintf(text, LINE_SIZE,
             "# peg-lab experiment %s: format=%d version=%s contact=%s h=%.17g set=%d seed=%llu "
             "quick=%d "
             "bodies=%s\n",
             s->kind->name, FORMAT, pegVersion(), lab_contact_name(job->contact), job->h, job->set,
             (unsigned long long)s->options->seed, s->options->quick, s->source);
}

static int is_done(const experiment_study *s, const experiment_job *job)
{
    char path[PATH_SIZE], want[LINE_SIZE], got[LINE_SIZE] = "";
    run_path(s, job, "", path);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    parameters(s, job, want);
    int same = fgets(got, sizeof got, f) && !strcmp(got, want);
    fclose(f);
    return same;
}

/* ---- running --------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_asked;

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

/* What a worker's timer needs to end its run as one that took too long. The handler may use no
 * more than the system's own calls, so that these must be global. */
static struct {
    int file;
    char part[PATH_SIZE], path[PATH_SIZE];
} run_now;

static void too_long(int number)
{
    static const char text[] = "\n# failed: it took too long\n";
    (void)number;
    int whole = write(run_now.file, text, sizeof text - 1) == (ssize_t)sizeof text - 1;
    if (!whole || rename(run_now.part, run_now.path) != 0) _exit(1);
    signal(SIGPROF, SIG_DFL);
    raise(SIGPROF); /* who waits for this process sees why it ended */
}

static void set_limit(time_t seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    if (seconds) signal(SIGPROF, too_long);
    setitimer(ITIMER_PROF, &timer, NULL);
    if (!seconds) signal(SIGPROF, SIG_DFL);
}

/* In the worker. */
static int run_job(const experiment_study *s, const experiment_job *job)
{
    char path[PATH_SIZE], part[PATH_SIZE], line[LINE_SIZE], why[LAB_TEXT] = "";
    run_path(s, job, "", path);
    run_path(s, job, ".part", part);
    FILE *f = fopen(part, "w");
    if (!f) {
        fprintf(stderr, "peg-lab: cannot write '%s': %s\n", part, strerror(errno));
        return 1;
    }
    /* ends this process when the run takes longer than the limit; its finished lines are kept */
    setvbuf(f, NULL, _IOLBF, 0);
    run_now.file = fileno(f);
    snprintf(run_now.part, PATH_SIZE, "%s", part);
    snprintf(run_now.path, PATH_SIZE, "%s", path);
    set_limit(LIMIT);
    parameters(s, job, line);
    fputs(line, f);
    int early = s->kind->run(s, job, f, why);
    if (early) fprintf(f, "# %s: %s\n", early == EXPERIMENT_ENDED ? "ended" : "failed", why);
    set_limit(0);
    int bad = ferror(f) != 0;
    bad |= fclose(f) != 0;
    if (!bad) bad = rename(part, path) != 0;
    if (bad) fprintf(stderr, "peg-lab: '%s' could not be written in full\n", path);
    return bad;
}

typedef struct pool {
    const experiment_study *study;
    pid_t *child; /* of the jobs; 0: none */
    int running, broken;
    lab_progress progress;
} pool;

static int start_job(pool *p, int i)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        _exit(run_job(p->study, &p->study->job[i]));
    }
    p->child[i] = child;
    p->running++;
    return 0;
}

static void remove_part(const pool *p, int i)
{
    char part[PATH_SIZE];
    run_path(p->study, &p->study->job[i], ".part", part);
    unlink(part);
}

/* Waits for one worker; 0 if there was a signal instead. */
static int finish_job(pool *p)
{
    int status;
    pid_t child = wait(&status);
    if (child < 0) return 0;
    for (int i = 0; i < p->study->jobs; i++) {
        if (p->child[i] != child) continue;
        p->child[i] = 0;
        p->running--;
        lab_progress_set(&p->progress, p->progress.done + 1);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) continue; /* it took too long */
        p->broken++;
        remove_part(p, i);
    }
    return 1;
}

static void end_workers(pool *p)
{
    for (int i = 0; i < p->study->jobs; i++) {
        if (p->child[i] <= 0) continue;
        kill(p->child[i], SIGTERM);
        while (waitpid(p->child[i], NULL, 0) < 0 && errno == EINTR) continue;
        remove_part(p, i);
    }
}

/* Runs what has not been run. 0, 1: something broke, -1: it was stopped. */
int experiment_run_all(experiment_study *s)
{
    int workers = s->options->workers;
    if (workers < 1) workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pool p = {.study = s, .child = calloc((size_t)s->jobs + 1, sizeof(pid_t))};
    if (!p.child) return 1;
    int left = 0;
    for (int i = 0; i < s->jobs; i++) left += s->options->fresh || !is_done(s, &s->job[i]);
    p.progress = (lab_progress){
        .title = s->kind->name, .unit = "runs", .total = left, .silent = s->options->quiet};
    lab_progress_begin(&p.progress);
    struct sigaction act = {.sa_handler = ask_stop}, old[2];
    sigaction(SIGINT, &act, &old[0]);
    sigaction(SIGTERM, &act, &old[1]);
    for (int i = 0; i < s->jobs && !stop_asked; i++) {
        if (!s->options->fresh && is_done(s, &s->job[i])) continue;
        while (p.running >= (workers > 1 ? workers : 1) && !stop_asked) finish_job(&p);
        if (!stop_asked && start_job(&p, i)) p.broken++;
    }
    while (p.running > 0 && !stop_asked) finish_job(&p);
    if (stop_asked) end_workers(&p);
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGTERM, &old[1], NULL);
    free(p.child);
    lab_progress_end(&p.progress);
    if (stop_asked) {
        fprintf(stderr, "peg-lab: stopped; the same command goes on from here\n");
        return -1;
    }
    return p.broken > 0;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static int read_row(experiment_table *t, char *line, long *room)
{
    if (t->rows == *room) {
        long more = 2 * *room + 64;
        double *v = realloc(t->value, (size_t)more * (size_t)t->columns * sizeof *v);
        if (!v) return 0;
        t->value = v, *room = more;
    }
    double *row = t->value + t->rows * t->columns;
    for (int k = 0; k < t->columns; k++) {
        char *end;
        row[k] = strtod(line, &end);
        if (end == line) return 1; /* a torn line is none */
        line = *end ? end + 1 : end;
    }
    t->rows++;
    return 1;
}

static int read_table(const experiment_study *s, const experiment_job *job, experiment_table *t)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    long room = 0, count = 0;
    int whole = 1;
    run_path(s, job, "", path);
    FILE *f = fopen(path, "r");
    t->missing = !f;
    if (!f) return 1;
    while (whole && fgets(line, sizeof line, f)) {
        if (*line == '#') {
            int ended = !strncmp(line, "# ended:", 8);
            t->ended |= count > 0 && ended;
            t->failed |= count > 0 && !ended;
        } else if (t->columns == 0) {
            t->columns = 1;
            for (const char *c = line; *c; c++) t->columns += *c == ',';
        } else {
            whole = read_row(t, line, &room);
        }
        count++;
    }
    fclose(f);
    return whole;
}

int experiment_read_all(experiment_study *s)
{
    s->table = calloc((size_t)s->jobs + 1, sizeof *s->table);
    if (!s->table) return 0;
    for (int i = 0; i < s->jobs; i++) {
        if (!read_table(s, &s->job[i], &s->table[i])) return 0;
        s->failures += s->table[i].failed;
        s->ended += s->table[i].ended;
    }
    return 1;
}

void experiment_runs_free(experiment_study *s)
{
    for (int i = 0; s->table && i < s->jobs; i++) free(s->table[i].value);
    free(s->table);
    free(s->job);
}

int experiment_run_one(const experiment_study *s, const experiment_job *job, int *ended_early)
{
    experiment_table table = {0};
    int bad = !is_done(s, job) && run_job(s, job);
    *ended_early = bad || !read_table(s, job, &table) || table.missing || table.failed;
    free(table.value);
    return bad;
}
