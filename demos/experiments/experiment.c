/* The command: an experiment by its name, its runs, its report. */
#include "demos/experiments/experiment.h"
#include "demos/experiments/runs.h"
#include "demos/world/files.h"
#include "demos/world/world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const experiment *const groups[] = {
    experiments_pour,          experiments_particle, experiments_rod,          experiments_models,
    experiments_gap_functions, experiments_impacts,  experiments_anitescu_hart};

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
    char *runs = lab_path(dir, "runs");
    int made = runs && !lab_make_folder(runs) && access(runs, W_OK | X_OK) == 0 &&
               access(dir, W_OK | X_OK) == 0;
    free(runs);
    return made;
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
    for (int i = 0; o->models == 0 && i <= LAB_AP; i++) s->model[s->models++] = (lab_contact)i;
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
    report_text(&r,
                "%d runs, seed %llu, bodies: %s; %ld runs ended early, %ld where their model has "
                "no answer.%s",
                s->jobs, (unsigned long long)o->seed, s->source, s->failures, s->ended,
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
    int status = s->options->report_only ? 0 : experiment_run_all(s);
    if (status < 0) return 1;
    if (!experiment_read_all(s)) return complain("out of memory%s", ""), 1;
    if (write_report(s, lab_now() - start)) status = 1;
    if (status)
        complain("%s: not all runs and files could be made", s->kind->name);
    else if (!s->options->quiet)
        printf("%s/report.html\n", s->options->dir);
    return status;
}

static const experiment *find_experiment(const char *name)
{
    const experiment *e = NULL;
    for (int i = 0; (e = experiment_at(i)) && strcmp(e->name, name) != 0; i++) continue;
    return e;
}

const char *lab_experiment_name(int i)
{
    const experiment *e = experiment_at(i);
    return e ? e->name : NULL;
}

/* 0, or 1 if there is no such experiment or no memory. */
static int plan_study(experiment_study *s, const char *name, const experiment_options *options)
{
    *s = (experiment_study){.options = options, .source = "none"};
    s->kind = find_experiment(name);
    if (!s->kind || choose_models(s)) return 1;
    s->kind->plan(s);
    return s->out_of_memory;
}

int lab_experiment_runs(const char *name, const experiment_options *options)
{
    experiment_study s;
    int runs = plan_study(&s, name, options) ? -1 : s.jobs;
    experiment_runs_free(&s);
    return runs;
}

int lab_experiment_run(const char *name, const experiment_options *options, int run,
                       experiment_outcome *outcome)
{
    experiment_study s;
    *outcome = (experiment_outcome){.failed = 1};
    int bad = plan_study(&s, name, options) || run < 0 || run >= s.jobs;
    if (!bad) {
        const experiment_job *job = &s.job[run];
        *outcome = (experiment_outcome){job->contact, job->h, job->set, 1};
        bad = !make_folders(options->dir) || experiment_run_one(&s, job, &outcome->failed);
    }
    experiment_runs_free(&s);
    return bad;
}

int lab_experiment(const char *name, const experiment_options *options)
{
    experiment_study s = {.options = options, .source = "none"};
    s.kind = find_experiment(name);
    if (!s.kind) return complain("no experiment '%s': peg-lab experiment list shows them", name);
    int status = choose_models(&s);
    if (status) return status;
    if (!make_folders(options->dir))
        return complain("cannot write to '%s': choose another folder with --out", options->dir);
    status = run_study(&s);
    experiment_runs_free(&s);
    return status;
}
