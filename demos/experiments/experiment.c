/* Runs the runs of an experiment in processes of their own, and resumes. */
#include "demos/experiments/experiment.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demos/world/world.h"

#define PATH_SIZE 4096
#define LINE_SIZE 8192
/* of the runs' files: to be raised with every change of their columns */
#define FORMAT 4
/* of a run, s */
#define LIMIT       900
#define LIMIT_QUICK 15

static const experiment *const groups[] = {experiments_pour, experiments_particle, experiments_rod};

static const experiment *experiment_at(int i)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const experiment *e = groups[g]; e->name; e++)
            if (i-- == 0) return e;
    return NULL;
}

int lab_experiment_list(FILE *out)
{
    const experiment *e;
    for (int i = 0; (e = experiment_at(i)); i++) fprintf(out, "%-22s %s\n", e->name, e->about);
    return fflush(out) ? 1 : 0;
}

/* ---- plans ----------------------------------------------------------------------------------- */

void experiment_add(experiment_study *s, lab_contact contact, double h, int set)
{
    if (s->jobs == s->room) {
        int room = 2 * s->room + 64;
        experiment_job *more = realloc(s->job, (size_t)room * sizeof *more);
        if (!more) {
            s->out_of_memory = 1;
            return;
        }
        s->job = more, s->room = room;
    }
    s->job[s->jobs++] = (experiment_job){contact, h, set};
}

/* The smallest steps first: they take the longest. */
void experiment_plan_all(experiment_study *s, int first_set, int last_set)
{
    s->first_set = first_set, s->last_set = last_set;
    for (int k = 0; k < s->hs; k++)
        for (int set = first_set; set <= last_set; set++)
            for (int m = 0; m < s->models; m++) experiment_add(s, s->model[m], s->h[k], set);
}

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

/* What a worker's alarm needs to end its run as one that took too long. The handler may use no
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
    _exit(!whole || rename(run_now.part, run_now.path) != 0);
}

/* Ends this process when the run takes longer than the limit; its finished lines are kept. */
static void limit_run(const experiment_study *s, FILE *f, const char *part, const char *path)
{
    setvbuf(f, NULL, _IOLBF, 0);
    run_now.file = fileno(f);
    snprintf(run_now.part, PATH_SIZE, "%s", part);
    snprintf(run_now.path, PATH_SIZE, "%s", path);
    signal(SIGALRM, too_long);
    alarm(s->options->quick ? LIMIT_QUICK : LIMIT);
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
    limit_run(s, f, part, path);
    parameters(s, job, line);
    fputs(line, f);
    if (s->kind->run(s, job, f, why)) fprintf(f, "# failed: %s\n", why);
    alarm(0);
    int bad = ferror(f) != 0;
    bad |= fclose(f) != 0;
    if (!bad) bad = rename(part, path) != 0;
    if (bad) fprintf(stderr, "peg-lab: '%s' could not be written in full\n", path);
    return bad;
}

typedef struct pool {
    const experiment_study *study;
    pid_t *child; /* of the jobs; 0: none */
    int running, done, broken, total;
    double start, said;
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

static void show_progress(pool *p, int last)
{
    double now = lab_now();
    int terminal = isatty(STDERR_FILENO);
    if (p->study->options->quiet || (!last && now - p->said < (terminal ? .5 : 10))) return;
    p->said = now;
    fprintf(stderr, "%speg-lab: %s: %d of %d runs, %.0f s%s", terminal ? "\r" : "",
            p->study->kind->name, p->done, p->total, now - p->start, terminal && !last ? "" : "\n");
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
        p->done++;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        p->broken++;
        remove_part(p, i);
    }
    show_progress(p, 0);
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
static int run_all(experiment_study *s)
{
    int workers = s->options->workers;
    if (workers < 1) workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pool p = {.study = s, .child = calloc((size_t)s->jobs + 1, sizeof(pid_t)), .total = s->jobs};
    if (!p.child) return 1;
    p.start = p.said = lab_now();
    struct sigaction act = {.sa_handler = ask_stop}, old[2];
    sigaction(SIGINT, &act, &old[0]);
    sigaction(SIGTERM, &act, &old[1]);
    for (int i = 0; i < s->jobs && !stop_asked; i++) {
        if (!s->options->fresh && is_done(s, &s->job[i])) {
            p.done++;
            continue;
        }
        while (p.running >= (workers > 1 ? workers : 1) && !stop_asked) finish_job(&p);
        if (!stop_asked && start_job(&p, i)) p.broken++;
    }
    while (p.running > 0 && !stop_asked) finish_job(&p);
    if (stop_asked) end_workers(&p);
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGTERM, &old[1], NULL);
    free(p.child);
    show_progress(&p, 1);
    if (stop_asked) {
        fprintf(stderr, "peg-lab: stopped; the same command goes on from here\n");
        return -1;
    }
    return p.broken > 0;
}

/* ---- a run, step by step ----------------------------------------------------------------------
 */

long experiment_size(const lab_world *w)
{
    pegStats s;
    long velocities = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind == LAB_DYNAMIC && b->present)
            velocities += b->part[0].is_point ? 2 : w->is_planar ? 3 : 6;
    }
    lab_last(w, &s);
    return velocities + s.rows_max;
}

int experiment_steps(const lab_scene *scene, const lab_options *options, FILE *csv,
                     char why[LAB_TEXT])
{
    int user;
    lab_world *w = lab_open(scene, options, why, &user);
    fputs("t,x,y,z,overlap,depth,size,solve_ms,step_ms,trap,unconverged,pairs,traps,escaped,rows\n",
          csv);
    if (!w) return 1;
    while (w->steps < w->planned && lab_step(w) == 0) {
        double overlap, depth, x[3] = {0, 0, 0};
        pegStats s;
        lab_measure(w, 1, &overlap, &depth, NULL);
        lab_last(w, &s);
        for (int i = 0; i < w->bodies; i++)
            if (w->body[i]->kind == LAB_DYNAMIC && w->body[i]->present)
                lab_pose(w->body[i], x, NULL);
        fprintf(csv, "%.12g,%.12g,%.12g,%.12g,%.6g,%.6g,%ld,%.4g,%.4g,%d,%ld,%ld,%ld,%d,%ld\n",
                lab_time(w), x[0], x[1], x[2], overlap, depth, experiment_size(w),
                1e3 * s.time_solve, 1e3 * w->last_seconds, s.switches + s.traps > 0, s.unconverged,
                s.pairs, s.switches + s.traps, lab_escaped(w), s.rows_max);
    }
    int failed = w->failed;
    snprintf(why, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return failed;
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
            t->failed |= count > 0;
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

static int read_all(experiment_study *s)
{
    s->table = calloc((size_t)s->jobs + 1, sizeof *s->table);
    if (!s->table) return 0;
    for (int i = 0; i < s->jobs; i++) {
        if (!read_table(s, &s->job[i], &s->table[i])) return 0;
        s->failures += s->table[i].failed;
    }
    return 1;
}

static void study_free(experiment_study *s)
{
    for (int i = 0; s->table && i < s->jobs; i++) free(s->table[i].value);
    free(s->table);
    free(s->job);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static int complain(const char *format, const char *what)
{
    fputs("peg-lab: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return 2;
}

/* DIR and DIR/runs, writable. */
static int make_folders(const char *dir)
{
    char path[PATH_SIZE];
    if (strlen(dir) > PATH_SIZE - 128) return 0;
    snprintf(path, sizeof path, "%s/", dir);
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(path, 0777);
        *c = '/';
    }
    strcat(path, "runs");
    mkdir(path, 0777);
    return access(path, W_OK | X_OK) == 0 && access(dir, W_OK | X_OK) == 0;
}

static int choose_models(experiment_study *s)
{
    const experiment_options *o = s->options;
    for (int i = 0; i < o->models; i++) {
        if (s->kind->planar && !lab_contact_is_exact(o->model[i])) {
            fprintf(stderr, "peg-lab: %s is planar, which ODE is not: choose --contact %s\n",
                    s->kind->name, lab_exact_contacts());
            return 2;
        }
        s->model[s->models++] = o->model[i];
    }
    for (int i = 0; o->models == 0 && i < LAB_CONTACT_COUNT; i++)
        if (lab_contact_is_exact((lab_contact)i)) s->model[s->models++] = (lab_contact)i;
    return 0;
}

/* "pass", "FAIL", or that a model that the check needs did not run. */
static const char *verdict(const json_t *check)
{
    if (!json_is_number(json_object_get(check, "value"))) return "not judged";
    return json_is_true(json_object_get(check, "pass")) ? "pass" : "FAIL";
}

static void value_text(const json_t *check, char *text, size_t size)
{
    const json_t *value = json_object_get(check, "value");
    if (json_is_number(value))
        snprintf(text, size, "%.4g", json_number_value(value));
    else
        snprintf(text, size, "-");
}

static void print_checks(const json_t *summary)
{
    const json_t *list = json_object_get(summary, "checks");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        char value[32];
        value_text(c, value, sizeof value);
        printf("%s  %s: %s (wanted: %s)\n", verdict(c),
               json_string_value(json_object_get(c, "check")), value,
               json_string_value(json_object_get(c, "wanted")));
    }
}

/* The verdicts as the page shows them, at its end. */
static void write_checks(lab_report *r)
{
    static const char *const heads[] = {"check", "value", "wanted", "verdict"};
    const json_t *list = json_object_get(r->summary, "checks");
    report_heading(r, "What it must show");
    report_table(r, heads, 4);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        report_cell(r, "%s", json_string_value(json_object_get(c, "check")));
        char value[32];
        value_text(c, value, sizeof value);
        report_cell(r, "%s", value);
        report_cell(r, "%s", json_string_value(json_object_get(c, "wanted")));
        report_verdict(r, verdict(c));
        report_row_end(r);
    }
    report_table_end(r);
}

static int write_report(experiment_study *s, double seconds)
{
    lab_report r;
    const experiment_options *o = s->options;
    if (report_open(&r, o->dir, s->kind->name)) return 1;
    json_object_update_new(r.summary,
                           json_pack("{s:s, s:b, s:I, s:i, s:I, s:s, s:f}", "experiment",
                                     s->kind->name, "quick", o->quick, "seed", (json_int_t)o->seed,
                                     "runs", s->jobs, "ended_early", (json_int_t)s->failures,
                                     "bodies", s->source, "seconds", seconds));
    report_text(&r, "%s", s->kind->about);
    report_text(&r, "%d runs, seed %llu, bodies: %s; %ld runs ended early.%s", s->jobs,
                (unsigned long long)o->seed, s->source, s->failures,
                o->quick ? " This is the quick version: fewer initial conditions and step sizes "
                           "than the paper's."
                         : "");
    s->kind->report(s, &r);
    write_checks(&r);
    print_checks(r.summary);
    return report_close(&r);
}

static int run_study(experiment_study *s)
{
    double start = lab_now();
    s->kind->plan(s);
    if (s->out_of_memory) return complain("out of memory%s", ""), 1;
    int status = run_all(s);
    if (status < 0) return 1;
    if (!read_all(s)) return complain("out of memory%s", ""), 1;
    if (write_report(s, lab_now() - start)) status = 1;
    if (status)
        complain("%s: not all runs and files could be made", s->kind->name);
    else if (!s->options->quiet)
        printf("%s/report.html\n", s->options->dir);
    return status;
}

int lab_experiment(const char *name, const experiment_options *options)
{
    experiment_study s = {.options = options, .source = "none"};
    const experiment *e = NULL;
    for (int i = 0; (e = experiment_at(i)) && strcmp(e->name, name) != 0; i++) continue;
    if (!e) return complain("no experiment '%s': peg-lab experiment list shows them", name);
    s.kind = e;
    int status = choose_models(&s);
    if (status) return status;
    if (!make_folders(options->dir))
        return complain("cannot write to '%s': choose another folder with --out", options->dir);
    status = run_study(&s);
    study_free(&s);
    return status;
}
