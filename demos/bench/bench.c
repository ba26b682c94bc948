/* The bench: which cases, each in a process of its own that may fail or run out of time without
 * harm to the others, within a budget of time. */
#include "demos/world/progress.h"
#include "demos/bench/bench.h"
#include "demos/world/files.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASES_MAX 96
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
            (bench_case){scenes[i % 2], n, 1, i / 2 % 2 ? 0 : .5, entering,
                         i / 4 ? BENCH_SETTLED : BENCH_MOVING});
}

/* The small ones first: what is left of the budget is for the large ones. */
static void make_plan(plan *p, const lab_bench_options *o)
{
    static const char *const piles[] = {"pile-boxes", "pile-convex"};
    static const char *const pours[] = {"pour-boxes", "pour-convex"};
    static const int sizes[] = {10, 30, 100, 300, 1000, 3000};
    add_all(p, o, piles, sizes[0], 0);
    add_all(p, o, pours, 10, .25 * 9);
    add(p, o, (bench_case){"pour-boxes", 10, 1, .5, .25 * 9, BENCH_ACCURACY});
    add(p, o, (bench_case){"pour-boxes", 10, 1, .5, .25 * 9, BENCH_ACCURACY_AT_REST});
    add(p, o, (bench_case){"tower-20", 20, 0, .5, 0, BENCH_SETTLED});
    add_all(p, o, piles, sizes[1], 0);
    add_all(p, o, pours, 30, .25 * 29);
    add(p, o, (bench_case){"pyramid-10", 55, 0, .5, 0, BENCH_SETTLED});
    add(p, o, (bench_case){"wall-10x10", 105, 0, .5, 0, BENCH_SETTLED});
    add_all(p, o, piles, sizes[2], 0);
    for (int i = 0; i < 2 && !o->quick; i++)
        add(p, o,
            (bench_case){"pile-boxes", 100, 1, .5, 0, i ? BENCH_ACCURACY_AT_REST : BENCH_ACCURACY});
    for (int i = 3; i < 6; i++) add_all(p, o, piles, sizes[i], 0);
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

static void say(json_t *report, const bench_case *c, const char *what, int number)
{
    char text[LAB_TEXT];
    snprintf(text, sizeof text, "%s n=%d mu=%g, %s: %s %d", c->scene, c->n, c->mu,
             bench_measure_name(c->measure), what, number);
    fprintf(stderr, "bench: %s\n", text);
    json_array_append_new(json_object_get(report, "skipped"), json_string(text));
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
        alarm((unsigned)(fmax(0, job->end - lab_now()) + grace) + 1);
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
    if (WIFSIGNALED(status))
        say(report, &job->what, "ended by signal", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        say(report, &job->what, "ended with exit status", WEXITSTATUS(status));
    return 0;
}

static int run_plan(const plan *p, const lab_bench_options *o, json_t *report)
{
    double start = lab_now(), left = 0;
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
        double now = lab_now(), budget = fmax(0, start + o->budget - now);
        job.end = now + budget * fmin(1, OVERBOOK * weight(&job.what) / left);
        left -= weight(&job.what);
        if (budget <= 0)
            say(report, &job.what, "not begun, the budget is used up, s:", (int)o->budget);
        else if (run_case(&job, GRACE * o->budget, report))
            return 1;
        lab_progress_set(&bar, i + 1);
    }
    lab_progress_end(&bar);
    json_object_set_new(report, "wall_s", lab_number(lab_now() - start));
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
    static const char *const names[] = {"bench.json", "table.txt", "cost.png"};
    static int (*const writers[])(const char *, const json_t *) = {write_json, write_table,
                                                                   write_plot};
    for (int i = 0; i < 3; i++) {
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
        bad = write_all(o->dir, report);
        if (!o->quiet) bench_table(stdout, report);
    }
    json_decref(report);
    return bad;
}
