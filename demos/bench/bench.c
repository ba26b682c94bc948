/* The bench: which cases, each in a process of its own that may fail or run out of time without
 * harm to the others, within a budget of processor time, so that other work on the machine does not
 * change what is measured. */
#include "demos/world/progress.h"
#include "demos/bench/bench.h"
#include "demos/world/files.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASES_MAX 128
#define OVERBOOK  2   /* shares: few cases use theirs up */
#define GRACE     .05 /* of the budget: what a case may take beyond its share until it is ended */

typedef struct plan {
    bench_case *of;
    int n;
} plan;

static void add(plan *p, const lab_bench_options *o, bench_case c)
{
    if ((o->scene && strcmp(o->scene, c.scene) != 0) || c.n > o->n_max ||
        (o->mu_given && c.mu != o->mu) || p->n == CASES_MAX)
        return;
    p->of[p->n++] = c;
}

/* Boxes and polyhedra, with and without friction, moving and settled: what takes longest last. */
static void add_all(plan *p, const lab_bench_options *o, const char *const scenes[2], int n,
                    double entering)
{
    for (int i = 0; i < 8; i++)
        add(p, o,
            (bench_case){scenes[i % 2], n, "bodies", i / 2 % 2 ? 0 : .5, entering,
                         i / 4 ? BENCH_SETTLED : BENCH_MOVING});
}

/* A case with Coulomb's friction and one with dInfinity, moving and settled. */
static void add_with_infinite_friction(plan *p, const lab_bench_options *o, bench_case c)
{
    for (int i = 0; i < 4; i++) {
        c.mu = i % 2 ? INFINITY : .5;
        c.measure = i / 2 ? BENCH_SETTLED : BENCH_MOVING;
        add(p, o, c);
    }
}

/* What does not come to rest: moving alone. */
static void add_driven(plan *p, const lab_bench_options *o, const char *scene, int n)
{
    for (int i = 0; i < 2; i++)
        add(p, o,
            (bench_case){.scene = scene,
                         .n = n,
                         .key = "bodies",
                         .mu = i ? INFINITY : .5,
                         .measure = BENCH_MOVING});
}

/* The small ones first: what is left of the budget is for the large ones. */
static void make_plan(plan *p, const lab_bench_options *o)
{
    static const char *const piles[] = {"pile-boxes", "pile-convex"};
    static const char *const pours[] = {"pour-boxes", "pour-convex"};
    static const int sizes[] = {10, 30, 100, 300, 1000, 3000};
    add_all(p, o, piles, sizes[0], 0);
    add_all(p, o, pours, 10, .25 * 9);
    add(p, o, (bench_case){"pour-boxes", 10, "bodies", .5, .25 * 9, BENCH_ACCURACY});
    add(p, o, (bench_case){"pour-boxes", 10, "bodies", .5, .25 * 9, BENCH_ACCURACY_AT_REST});
    add(p, o, (bench_case){"tower-20", 20, NULL, .5, 0, BENCH_SETTLED});
    add_with_infinite_friction(p, o, (bench_case){.scene = "chain", .n = 10, .key = "bodies"});
    add_with_infinite_friction(p, o, (bench_case){.scene = "bridge", .n = 15, .key = "planks"});
    add_with_infinite_friction(p, o, (bench_case){.scene = "arm-6", .n = 13});
    add_with_infinite_friction(p, o, (bench_case){.scene = "ragdolls", .n = 8, .key = "dolls"});
    add_with_infinite_friction(p, o, (bench_case){.scene = "container", .n = 60, .key = "bodies"});
    add_driven(p, o, "stirrer", 60);
    add_driven(p, o, "conveyor", 60);
    add_all(p, o, piles, sizes[1], 0);
    add_all(p, o, pours, 30, .25 * 29);
    add(p, o, (bench_case){"pyramid-10", 55, NULL, .5, 0, BENCH_SETTLED});
    add(p, o, (bench_case){"wall-10x10", 105, NULL, .5, 0, BENCH_SETTLED});
    add_all(p, o, piles, sizes[2], 0);
    for (int i = 0; i < 2 && !o->quick; i++)
        add(p, o,
            (bench_case){"pile-boxes", 100, "bodies", .5, 0,
                         i ? BENCH_ACCURACY_AT_REST : BENCH_ACCURACY});
    add_with_infinite_friction(p, o, (bench_case){.scene = "container", .n = 120, .key = "bodies"});
    for (int i = 3; i < 6; i++) add_all(p, o, piles, sizes[i], 0);
    for (int i = 0; i < 2; i++)
        add(p, o,
            (bench_case){"pile-boxes", 10000, "bodies", .5, 0, i ? BENCH_SETTLED : BENCH_MOVING});
}

/* Share of the budget: a compromise between equal shares and the cost of a step. */
static double weight(const bench_case *c)
{
    return sqrt(c->n) * (c->measure >= BENCH_ACCURACY ? 4 : 1);
}

/* ---- running --------------------------------------------------------------------------------- */

static void take(json_t *report, FILE *from)
{
    json_t *line;
    while ((line = json_loadf(from, JSON_DISABLE_EOF_CHECK, NULL))) {
        const char *list;
        json_t *value;
        json_object_foreach(line, list, value)
            json_array_append(json_object_get(report, list), value);
        json_decref(line);
    }
}

/* what: a format with one number. */
static void say(json_t *report, const bench_case *c, const char *what, int number)
{
    char text[LAB_TEXT];
    snprintf(text, sizeof text, "%s n=%d mu=%g, %s: ", c->scene, c->n, c->mu,
             bench_measure_name(c->measure));
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, what, number);
    fprintf(stderr, "bench: %s\n", text);
    json_array_append_new(json_object_get(report, "skipped"), json_string(text));
}

/* Exit status of a process that has used up its time. */
enum { TIME_LIMIT = 75 };

/* Ends the process at so much processor time. A timer of the system would make the clock that steps
 * are measured with as coarse as its ticks. */
static void *watch_time(void *end)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    while (lab_cpu_now() < *(double *)end) nanosleep(&pause, NULL);
    _exit(TIME_LIMIT);
}

/* Processor time of the cases that have ended, s. */
static double time_of_cases(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage)) return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* 0, or 1 if no process could be started. */
static int run_case(const bench_job *job, double grace, json_t *report)
{
    int ends[2], status = 0;
    if (pipe(ends)) return 1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bench_job own = *job;
        close(ends[0]);
        double end = job->end + grace;
        pthread_t watch;
        if (pthread_create(&watch, NULL, watch_time, &end)) _exit(1);
        own.out = fdopen(ends[1], "w");
        if (!own.out) _exit(1);
        if (job->what.measure >= BENCH_ACCURACY)
            bench_accuracy(&own);
        else
            bench_phase(&own);
        _exit(fflush(own.out) != 0);
    }
    close(ends[1]);
    FILE *from = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (from)
        take(report, from), fclose(from);
    else
        close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == TIME_LIMIT)
        say(report, &job->what, "time limit of %d s of processor time", (int)ceil(job->end));
    else if (WIFSIGNALED(status))
        say(report, &job->what, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        say(report, &job->what, "ended with exit status %d", WEXITSTATUS(status));
    return 0;
}

static int run_plan(const plan *p, const lab_bench_options *o, json_t *report)
{
    double start = lab_now(), before = time_of_cases(), left = 0;
    lab_progress bar = {.title = "bench", .unit = "cases", .total = p->n, .silent = o->quiet};
    if (!o->quiet) lab_progress_announce("bench", o->budget);
    lab_progress_begin(&bar);
    for (int i = 0; i < p->n; i++) left += weight(&p->of[i]);
    for (int i = 0; i < p->n; i++) {
        bench_job job = {.what = p->of[i],
                         .models = o->models,
                         .quick = o->quick,
                         .quiet = o->quiet,
                         .seed = o->seed};
        memcpy(job.model, o->model, sizeof job.model);
        double budget = fmax(0, o->budget - (time_of_cases() - before));
        job.end = budget * fmin(1, OVERBOOK * weight(&job.what) / left);
        left -= weight(&job.what);
        if (budget <= 0)
            say(report, &job.what, "not begun: the budget of %d s is used up", (int)o->budget);
        else if (run_case(&job, GRACE * o->budget, report))
            return 1;
        lab_progress_set(&bar, i + 1);
    }
    lab_progress_end(&bar);
    json_object_set_new(report, "wall_s", lab_number(lab_now() - start));
    json_object_set_new(report, "cpu_s", lab_number(time_of_cases() - before));
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int write_table(const char *path, const json_t *report)
{
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    bench_table(file, report);
    return fclose(file) != 0;
}

static int write_json(const char *path, const json_t *report)
{
    return lab_json_write(report, path);
}

static int write_plot(const char *path, const json_t *report)
{
    return bench_plot(path, json_object_get(report, "records"));
}

static int write_all(const char *dir, const json_t *report)
{
    static const char *const names[] = {"bench.json", "table.txt", "cost.png", "bench.csv"};
    static int (*const writers[])(const char *, const json_t *) = {write_json, write_table,
                                                                   write_plot, bench_write_csv};
    for (int i = 0; i < 4; i++) {
        char *path = lab_path(dir, names[i]);
        int bad = !path || writers[i](path, report);
        free(path);
        if (!bad) continue;
        fprintf(stderr, "peg-lab: %s/%s could not be written\n", dir, names[i]);
        return 1;
    }
    return 0;
}

int lab_bench(const lab_bench_options *o)
{
    bench_case cases[CASES_MAX];
    plan p = {.of = cases};
    make_plan(&p, o);
    if (p.n == 0) {
        fprintf(stderr, "peg-lab: bench has no such case: choose another --scene, --n-max, --mu\n");
        return 2;
    }
    if (lab_make_folder(o->dir)) {
        fprintf(stderr, "peg-lab: cannot make the folder '%s': choose another with --out\n",
                o->dir);
        return 2;
    }
    json_t *report = json_pack("{s:[], s:[], s:[], s:b, s:o}", "records", "equal_accuracy",
                               "skipped", "quick", o->quick, "budget_s", lab_number(o->budget));
    int bad = !report || run_plan(&p, o, report);
    if (bad) {
        fprintf(stderr, "peg-lab: bench could not start a process, or is out of memory\n");
    } else {
        json_object_set_new(report, "exponents",
                            bench_exponents(json_object_get(report, "records")));
        if (o->results) json_object_set_new(report, "changes", bench_changes(o->results, report));
        bad = write_all(o->dir, report);
        if (!o->quiet) bench_table(stdout, report);
    }
    json_decref(report);
    return bad;
}
