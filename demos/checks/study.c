/* The full tables of the contact module: every scene and both pours over step sizes, seeds, turns,
 * scales and contact models, each run judged by its check. Exit status: 0 every run with contact
 * peg meets every criterion; 1 some do not (they are listed); 2 bad usage. */
#include "demos/checks/checks.h"
#include "demos/checks/matrix.h"

#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned LONGEST_RUN = 1200; /* s, then a run counts as failed */

typedef struct record {
    matrix_job job;
    check_result result;
    int done;
    pid_t child;
    int from; /* pipe */
} record;

typedef struct study {
    record *run;
    int runs, room;
    char *only, *contact, *part;
} study;

static const char *part_of(const matrix_job *job)
{
    for (const lab_scene *g = lab_scenes_geoms; g->name; g++)
        if (g == job->scene) return "geoms";
    if (!strcmp(job->scene->name, "pour-mixed")) return "geoms";
    if (!strncmp(job->scene->name, "pour", 4)) return "pours";
    return job->friction ? "friction" : "scenes";
}

static void add_job(void *context, const matrix_job *job)
{
    study *s = context;
    if (s->only && strcmp(s->only, job->scene->name) != 0) return;
    if (s->part && strcmp(s->part, part_of(job)) != 0) return;
    if (s->contact && strcmp(s->contact, lab_contact_name(job->options.contact)) != 0) return;
    if (s->runs == s->room) {
        s->room = 2 * s->room + 64;
        s->run = realloc(s->run, (size_t)s->room * sizeof *s->run);
        if (!s->run) {
            fprintf(stderr, "study: out of memory\n");
            exit(1);
        }
    }
    s->run[s->runs++] = (record){.job = *job};
}

/* ---- running, one process each ----------------------------------------------------------------
 */

static void start(record *r)
{
    int ends[2];
    if (pipe(ends)) {
        perror("study: pipe");
        exit(1);
    }
    fflush(NULL);
    r->from = ends[0];
    r->child = fork();
    if (r->child < 0) {
        perror("study: fork");
        exit(1);
    }
    if (r->child > 0) {
        close(ends[1]);
        return;
    }
    close(ends[0]);
    alarm(LONGEST_RUN);
    lab_options options = matrix_options(&r->job);
    check_scene(r->job.scene, &options, &r->result);
    ssize_t written = write(ends[1], &r->result, sizeof r->result);
    _exit(written == (ssize_t)sizeof r->result ? 0 : 1);
}

/* A result is smaller than a pipe's buffer, so a child never waits for its reader. */
static void finish(record *r, int status)
{
    ssize_t got = read(r->from, &r->result, sizeof r->result);
    close(r->from);
    r->done = 1;
    if (got == (ssize_t)sizeof r->result) return;
    memset(&r->result, 0, sizeof r->result);
    r->result.failed = 1;
    snprintf(r->result.why, CHECK_TEXT, "ended by signal %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void progress(const study *s, int done, int failed)
{
    if (!isatty(2) && done % 20 && done != s->runs) return;
    fprintf(stderr, "%sstudy: %d of %d runs, %d failed%s", isatty(2) ? "\r" : "", done, s->runs,
            failed, isatty(2) && done < s->runs ? "" : "\n");
}

static int is_failure(const record *r)
{
    return r->result.failed && r->job.options.contact == LAB_PEG;
}

static int run_all(study *s, int jobs)
{
    int started = 0, done = 0, failed = 0;
    while (done < s->runs) {
        while (started < s->runs && started - done < jobs) start(&s->run[started++]);
        int status;
        pid_t child = wait(&status);
        for (int i = 0; i < started; i++) {
            record *r = &s->run[i];
            if (r->child != child || r->done) continue;
            finish(r, status);
            failed += is_failure(r);
            done++;
        }
        progress(s, done, failed);
    }
    return failed;
}

/* ---- tables ------------------------------------------------------------------------------------
 */

static double frame(const record *r, const char *key, double fallback)
{
    for (int i = 0; i < r->job.options.sets; i++)
        if (!strcmp(r->job.set[i].key, key)) return r->job.set[i].value;
    return fallback;
}

static void write_csv(const study *s, FILE *f)
{
    fprintf(
        f,
        "scene,contact,h,seed,turn,scale,command,failed,overlap_median,overlap_max,depth_max,"
        "inside_max,gain_max,drift,speed,figure,value,figure_2,value_2,steps,unconverged,"
        "escaped,clearance,elastic,"
        "halved,scaled,first_contact,switches,squeezed,locks,secant,outer,outer_max,rows,rows_max,"
        "solves,lemke,lagged,residual_max,cone_violation_max,cone,ms,why\n");
    for (int i = 0; i < s->runs; i++) {
        const record *r = &s->run[i];
        const check_result *c = &r->result;
        const pegStats *t = &c->total;
        char command[256];
        matrix_command(&r->job, command, sizeof command);
        fprintf(
            f,
            "%s,%s,%g,%d,%g,%g,%s,%d,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,\"%s\",%.9g,\"%s\",%.9g,%"
            "ld,%ld,%d,",
            r->job.scene->name, lab_contact_name(r->job.options.contact), r->job.options.h,
            (int)r->job.options.seed, frame(r, "turn", 0), frame(r, "scale", 1), command, c->failed,
            c->overlap_median, c->overlap, c->depth, c->inside, c->gain, c->drift, c->speed,
            c->figure[0].name, c->figure[0].value, c->figure[1].name, c->figure[1].value, c->steps,
            t->unconverged, c->escaped);
        fprintf(f,
                "%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%.3g,%.3g,"
                "%.3g,%.4g,\"%s\"\n",
                t->fallback_clearance, t->fallback_elastic, t->fallback_halved, t->fallback_scaled,
                t->first_contact, t->switches, t->infeasible_islands, t->locks, t->secant,
                t->outer_iterations, t->outer_iterations_max, t->rows, t->rows_max, t->solves,
                t->lemke_solves, t->friction_unconverged, t->residual_max, t->cone_violation_max,
                c->cone, c->ms, c->why);
    }
}

static int is_pour(const record *r)
{
    return !strcmp(part_of(&r->job), "pours");
}

static void figures(const check_result *c, FILE *f)
{
    for (int k = 0; k < 2; k++)
        if (*c->figure[k].name) fprintf(f, "  %s %.6g", c->figure[k].name, c->figure[k].value);
    fprintf(f, "\n");
}

static void friction_table(const study *s, FILE *f)
{
    int any = 0;
    for (int i = 0; i < s->runs; i++) {
        const record *r = &s->run[i];
        const check_result *c = &r->result;
        const pegStats *t = &c->total;
        char command[256], fallbacks[64], outer[32];
        if (!r->job.friction) continue;
        if (!any++)
            fprintf(f, "\n%-78s %-4s %8s %8s %8s %8s %8s %5s %6s %11s %10s %8s %8s %7s\n",
                    "friction", "", "overlap", "depth", "drift", "speed", "gain", "unc", "lagged",
                    "fallbacks", "outer", "residual", "cone", "ms");
        matrix_command(&r->job, command, sizeof command);
        snprintf(fallbacks, sizeof fallbacks, "%ld/%ld/%ld/%ld", t->fallback_clearance,
                 t->fallback_elastic, t->fallback_halved, t->fallback_scaled);
        snprintf(outer, sizeof outer, "%.2f/%ld",
                 (double)t->outer_iterations / fmax(1, (double)t->islands),
                 t->outer_iterations_max);
        fprintf(f, "%-78s %-4s %8.1e %8.1e %8.1e %8.1e %8.1e %5ld %6ld %11s %10s %8.1e %8.1e %7.2f",
                command, c->failed ? "FAIL" : "ok", c->overlap, c->depth, c->drift, c->speed,
                c->gain, t->unconverged, t->friction_unconverged, fallbacks, outer, t->residual_max,
                c->cone, c->ms);
        figures(c, f);
    }
}

static void scene_table(const study *s, FILE *f)
{
    fprintf(f, "%-100s %-4s %8s %8s %8s %8s %8s %5s %9s %7s\n", "scene", "", "overlap", "depth",
            "inside", "gain", "drift", "unc", "fallbacks", "ms");
    for (int i = 0; i < s->runs; i++) {
        const record *r = &s->run[i];
        const check_result *c = &r->result;
        const pegStats *t = &c->total;
        char command[256], fallbacks[64];
        if (is_pour(r) || r->job.friction) continue;
        matrix_command(&r->job, command, sizeof command);
        snprintf(fallbacks, sizeof fallbacks, "%ld/%ld/%ld/%ld", t->fallback_clearance,
                 t->fallback_elastic, t->fallback_halved, t->fallback_scaled);
        fprintf(f, "%-100s %-4s %8.1e %8.1e %8.1e %8.1e %8.1e %5ld %9s %7.2f", command,
                c->failed ? "FAIL" : "ok", c->overlap, c->depth, c->inside, c->gain, c->drift,
                t->unconverged, fallbacks, c->ms);
        figures(c, f);
    }
}

/* All seeds of one pour, model and step size. */
typedef struct cell {
    int runs, failed, escaped;
    long steps;
    double medians, overlap, depth, gain, cone, ms;
    pegStats total;
} cell;

static cell gather(const study *s, const char *scene, lab_contact contact, double mu, double h)
{
    cell c = {0};
    for (int i = 0; i < s->runs; i++) {
        const record *r = &s->run[i];
        const check_result *e = &r->result;
        if (strcmp(r->job.scene->name, scene) != 0 || r->job.options.contact != contact ||
            r->job.options.mu != mu || r->job.options.h != h)
            continue;
        pegStats *t = &c.total;
        c.runs++;
        c.failed += e->failed > 0;
        c.escaped += e->escaped;
        c.steps += e->steps;
        c.medians += e->overlap_median;
        c.overlap = fmax(c.overlap, e->overlap);
        c.depth = fmax(c.depth, e->depth);
        c.gain = fmax(c.gain, e->gain);
        c.ms += e->ms;
        t->unconverged += e->total.unconverged;
        t->friction_unconverged += e->total.friction_unconverged;
        t->fallback_clearance += e->total.fallback_clearance;
        t->fallback_elastic += e->total.fallback_elastic;
        t->fallback_halved += e->total.fallback_halved;
        t->fallback_scaled += e->total.fallback_scaled;
        t->solves += e->total.solves;
        t->rows += e->total.rows;
        t->rows_max = t->rows_max > e->total.rows_max ? t->rows_max : e->total.rows_max;
        t->islands += e->total.islands;
        t->outer_iterations += e->total.outer_iterations;
        t->outer_iterations_max = t->outer_iterations_max > e->total.outer_iterations_max
                                      ? t->outer_iterations_max
                                      : e->total.outer_iterations_max;
        t->residual_max = fmax(t->residual_max, e->total.residual_max);
        c.cone = fmax(c.cone, e->cone);
    }
    return c;
}

static void pour_line(const cell *c, const char *name, lab_contact contact, double mu, double h,
                      FILE *f)
{
    const pegStats *t = &c->total;
    char fallbacks[64], outer[32], rows[32];
    snprintf(fallbacks, sizeof fallbacks, "%ld/%ld/%ld/%ld", t->fallback_clearance,
             t->fallback_elastic, t->fallback_halved, t->fallback_scaled);
    snprintf(outer, sizeof outer, "%.2f/%ld",
             (double)t->outer_iterations / fmax(1, (double)t->islands), t->outer_iterations_max);
    snprintf(rows, sizeof rows, "%.0f/%ld", (double)t->rows / fmax(1, (double)t->solves),
             t->rows_max);
    fprintf(f,
            "%-12s %-9s %4g %6g %4d %6d %8.1e %8.1e %8.1e %5d %8.1e %5ld %6ld %11s %10s %10s %8.1e "
            "%8.1e %7.2f\n",
            name, lab_contact_name(contact), mu, h, c->runs, c->failed, c->medians / c->runs,
            c->overlap, c->depth, c->escaped, c->gain, t->unconverged, t->friction_unconverged,
            fallbacks, outer, rows, t->residual_max, c->cone, c->ms / c->runs);
}

static const char *const pours[] = {"pour-boxes", "pour-convex"};
static const double pour_mus[] = {0, 0.5};

static void pour_table(const study *s, FILE *f)
{
    static const lab_contact models[] = {LAB_PEG, LAB_ST, LAB_ODE};
    static const double step_sizes[] = {0.1, 0.05, 0.02, 0.01, 0.002};
    int any = 0;
    for (int i = 0; i < s->runs; i++) any += is_pour(&s->run[i]);
    if (!any) return;
    fprintf(f,
            "\n%-12s %-9s %4s %6s %4s %6s %8s %8s %8s %5s %8s %5s %6s %11s %10s %10s %8s %8s %7s\n",
            "pour", "contact", "mu", "h", "runs", "failed", "ovl med", "ovl max", "depth", "esc",
            "gain", "unc", "lagged", "fallbacks", "outer", "rows", "residual", "cone", "ms");
    for (int u = 0; u < 2; u++)
        for (int n = 0; n < 2; n++)
            for (int m = 0; m < 3; m++)
                for (int k = 0; k < 5; k++) {
                    cell c = gather(s, pours[n], models[m], pour_mus[u], step_sizes[k]);
                    if (c.runs) pour_line(&c, pours[n], models[m], pour_mus[u], step_sizes[k], f);
                }
}

/* Fallbacks (c) and (e) at large steps without friction: in no more than 1 % of the steps of all
 * seeds. Returns how many pours have more, and lists them in f (may be null). */
static int too_many_fallbacks(const study *s, FILE *f)
{
    static const double step_sizes[] = {0.1, 0.05};
    int cells = 0;
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 2; k++) {
            cell c = gather(s, pours[n], LAB_PEG, 0, step_sizes[k]);
            long used = c.total.fallback_halved + c.total.fallback_scaled;
            if ((double)used <= 0.01 * (double)c.steps) continue;
            if (f)
                fprintf(f, "%s at h = %g: %ld fallbacks in %ld steps\n", pours[n], step_sizes[k],
                        used, c.steps);
            cells++;
        }
    return cells;
}

static void failures(const study *s, FILE *f)
{
    fprintf(f, "\n");
    for (int i = 0; i < s->runs; i++) {
        char command[256];
        if (!is_failure(&s->run[i])) continue;
        matrix_command(&s->run[i].job, command, sizeof command);
        fprintf(f, "peg-lab %s\n    %d criteria; %s\n", command, s->run[i].result.failed,
                s->run[i].result.why);
    }
}

static void write_table(const study *s, FILE *f)
{
    scene_table(s, f);
    friction_table(s, f);
    pour_table(s, f);
    failures(s, f);
    too_many_fallbacks(s, f);
    fprintf(f, "\nfallbacks: clearance/elastic/halved/scaled; overlap: of the mean body volume, "
               "medians averaged over the runs; gain: of a step, per energy put in; drift: since "
               "t = 1 s; speed: largest since then, of what stands; cone: largest friction impulse "
               "beyond its cone, of the largest there can be in its step; lagged: solves whose "
               "friction is not certified, which residual leaves out; outer, rows: mean/max\n");
}

static int write_file(const study *s, const char *dir, const char *name,
                      void (*writer)(const study *s, FILE *f))
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        return 1;
    }
    writer(s, f);
    if (fclose(f)) return 1;
    printf("%s\n", path);
    return 0;
}

/* ---- command line ------------------------------------------------------------------------------
 */

int main(int argc, char **argv)
{
    char *out = NULL;
    int quick = 0, gate = 0, jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    study s = {0};
    struct poptOption options[] = {
        {"out", 'o', POPT_ARG_STRING, &out, 0, "output folder [study]", "DIR"},
        {"quick", 'q', POPT_ARG_NONE, &quick, 0, "every scene once, one seed of each pour", NULL},
        {"gate", 'g', POPT_ARG_NONE, &gate, 0, "the runs of the test suite", NULL},
        {"scene", 's', POPT_ARG_STRING, &s.only, 0, "only this scene", "NAME"},
        {"part", 'p', POPT_ARG_STRING, &s.part, 0, "only scenes, geoms, friction or pours", "PART"},
        {"contact", 'c', POPT_ARG_STRING, &s.contact, 0, "only this contact model", "NAME"},
        {"jobs", 'j', POPT_ARG_INT, &jobs, 0, "parallel processes [number of cores]", "N"},
        POPT_AUTOHELP POPT_TABLEEND,
    };
    poptContext context = poptGetContext("study", argc, (const char **)(void *)argv, options, 0);
    int status = poptGetNextOpt(context);
    if (status < -1 || poptPeekArg(context)) {
        fprintf(stderr, "study: %s: %s (see --help)\n", poptBadOption(context, 0),
                status < -1 ? poptStrerror(status) : "unknown argument");
        return 2;
    }
    matrix_jobs(quick ? MATRIX_QUICK : gate ? MATRIX_GATE : MATRIX_FULL, add_job, &s);
    if (s.runs == 0) {
        fprintf(stderr, "study: no such scene, part or contact model: see peg-lab list\n");
        return 2;
    }
    const char *dir = out ? out : "study";
    mkdir(dir, 0777);
    int failed = run_all(&s, jobs > 0 ? jobs : 1);
    write_table(&s, stdout);
    int cells = too_many_fallbacks(&s, NULL);
    int broken =
        write_file(&s, dir, "study.csv", write_csv) | write_file(&s, dir, "study.txt", write_table);
    printf("%d runs, %d of them with contact peg miss a criterion\n", s.runs, failed);
    free(s.run);
    free(s.only);
    free(s.contact);
    free(s.part);
    free(out);
    poptFreeContext(context);
    return failed || cells || broken;
}
