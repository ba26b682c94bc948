/* slender-rod [F Fig. 19-22, table 1]: position error over the step size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demos/experiments/experiment.h"

#define GROUPS 10

static void plan(experiment_study *s)
{
    s->hs = 8; /* the quick version, too: its truth is the same */
    for (int k = 0; k < s->hs; k++) s->h[k] = 5e-4 * (1 << k);
    s->source = "50 cubes, random orientations";
    /* the truth of each group, whichever models are asked for */
    s->first_set = 1, s->last_set = GROUPS;
    for (int set = 1; set <= s->last_set; set++) {
        int known = 0;
        for (int m = 0; m < s->models; m++) known |= s->model[m] == LAB_PEG;
        if (!known) experiment_add(s, LAB_PEG, s->h[0], set);
    }
    experiment_plan_all(s, 1, s->last_set);
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    lab_options options = {
        .contact = job->contact, .h = job->h, .seed = s->options->seed + (uint64_t)job->set - 1};
    return experiment_steps(lab_scene_find(s->kind->scene), &options, csv, why);
}

/* Distances from the truth at the times of a run's steps; appended to out. */
static long append_errors(const experiment_study *s, int contact, double h, int set, double *out)
{
    const experiment_table *t = experiment_find(s, contact, h, set);
    const experiment_table *truth = experiment_find(s, LAB_PEG, s->h[0], set);
    long n = 0, stride = lround(h / s->h[0]);
    for (long k = 0; t && truth && k < t->rows; k++) {
        long at = (k + 1) * stride - 1;
        if (at >= truth->rows) break;
        const double *x = t->value + k * t->columns, *y = truth->value + at * truth->columns;
        double square = 0;
        for (int c = COL_X; c <= COL_Z; c++) square += (x[c] - y[c]) * (x[c] - y[c]);
        out[n++] = sqrt(square);
    }
    return n;
}

typedef struct rod_errors {
    double median, q1, q3, max, last;
    long n;
} rod_errors;

static rod_errors errors_of(const experiment_study *s, int contact, double h)
{
    rod_errors e = {NAN, NAN, NAN, NAN, NAN, 0};
    long rows = 0;
    for (int i = 0; i < s->jobs; i++) rows += s->table[i].rows;
    double *v = malloc(((size_t)rows + 1) * sizeof *v);
    for (int set = s->first_set; v && set <= s->last_set; set++)
        e.n += append_errors(s, contact, h, set, v + e.n);
    if (v && e.n > 0) {
        e.q1 = lab_quantile(v, e.n, .25), e.median = lab_quantile(v, e.n, .5);
        e.q3 = lab_quantile(v, e.n, .75), e.max = lab_quantile(v, e.n, 1);
    }
    free(v);
    return e;
}

static void plot_errors(experiment_study *s, lab_report *r, double (*median)[EXPERIMENT_H_MAX],
                        double (*q1)[EXPERIMENT_H_MAX], double (*q3)[EXPERIMENT_H_MAX])
{
    plot p = experiment_plot_over_h("Position error of the rod", "error, m", 1e-6);
    char path[4096];
    for (int m = 0; m < s->models; m++)
        p.series[p.count++] = (plot_series){.label = lab_contact_name(s->model[m]),
                                            .x = s->h,
                                            .y = median[m],
                                            .low = q1[m],
                                            .high = q3[m],
                                            .n = s->hs,
                                            .colour = experiment_colour(s->model[m]),
                                            .marks = 1};
    snprintf(path, sizeof path, "%s/error.png", r->dir);
    r->bad |= plot_write(&p, path);
    report_figure(r, "error.png",
                  "[F Fig. 22] Median error over h against PEG at the smallest h: PEG's grows "
                  "monotonically and is the smallest at every h, Anitescu-Potra's is flat below "
                  "1e-2 at the size of epsilon, Stewart-Trinkle's is the largest and not monotone.",
                  "Median and quartiles over all steps of all groups, against peg at the smallest "
                  "h (where peg's own error is 0 by definition).");
}

static void check_errors(experiment_study *s, lab_report *r, double (*median)[EXPERIMENT_H_MAX])
{
    int peg = -1, rivals = 0;
    for (int m = 0; m < s->models; m++)
        if (s->model[m] == LAB_PEG) peg = m;
    double falls = peg < 0 ? NAN : 0;
    for (int k = 0; k + 1 < s->hs && peg >= 0; k++) falls += !(median[peg][k] < median[peg][k + 1]);
    report_check(r, "step sizes at which the median error of peg does not grow with h", falls, "0",
                 falls == 0);
    static const char *const names[] = {"st", "ap"};
    for (int i = 0; i < 2; i++) {
        char check[120];
        double worse = NAN;
        for (int m = 0; m < s->models && peg >= 0; m++) {
            if ((int)s->model[m] != experiment_model(s, names[i])) continue;
            worse = 0, rivals++;
            for (int k = 0; k < s->hs; k++) worse += !(median[peg][k] < median[m][k]);
        }
        snprintf(check, sizeof check, "step sizes at which peg is no better than %s", names[i]);
        report_check(r, check, worse, "0", worse == 0);
    }
    report_check(r, "groups", s->last_set, "10", s->last_set >= GROUPS);
}

static void tabulate_errors(experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"model",        "h, s",         "values", "median",
                                        "1st quartile", "3rd quartile", "maximum"};
    json_t *list = json_array();
    char path[4096];
    snprintf(path, sizeof path, "%s/error.csv", r->dir);
    FILE *csv = fopen(path, "w");
    r->bad |= !csv;
    if (csv) fputs("contact,h,values,median,q1,q3,max\n", csv);
    double median[LAB_CONTACT_COUNT][EXPERIMENT_H_MAX], q1[LAB_CONTACT_COUNT][EXPERIMENT_H_MAX],
        q3[LAB_CONTACT_COUNT][EXPERIMENT_H_MAX];
    report_table(r, heads, 7);
    for (int m = 0; m < s->models; m++)
        for (int k = 0; k < s->hs; k++) {
            rod_errors e = errors_of(s, (int)s->model[m], s->h[k]);
            const char *name = lab_contact_name(s->model[m]);
            median[m][k] = e.median, q1[m][k] = e.q1, q3[m][k] = e.q3;
            report_cell(r, "%s", name);
            report_cell(r, "%g", s->h[k]);
            report_cell(r, "%ld", e.n);
            const double v[] = {e.median, e.q1, e.q3, e.max};
            for (int i = 0; i < 4; i++) report_cell(r, "%.3g", v[i]);
            report_row_end(r);
            if (csv)
                fprintf(csv, "%s,%.9g,%ld,%.9g,%.9g,%.9g,%.9g\n", name, s->h[k], e.n, v[0], v[1],
                        v[2], v[3]);
            json_array_append_new(list, json_pack("{s:s, s:f, s:o, s:o}", "contact", name, "h",
                                                  s->h[k], "median", lab_number(e.median), "max",
                                                  lab_number(e.max)));
        }
    report_table_end(r);
    if (csv) r->bad |= fclose(csv) != 0;
    json_object_set_new(r->summary, "error", list);
    plot_errors(s, r, median, q1, q3);
    check_errors(s, r, median);
}

/* [F Fig. 19-21] */
static void view_start(const experiment_study *s, lab_report *r)
{
    static const struct {
        const char *file, *paper, *ours;
        double from[3];
    } views[] = {
        {"start-profile.png",
         "[F Fig. 19] Profile view of the initial configuration.",
         "The first group's start from the side: the rod's middle over the field's edge.",
         {1, 0, 0}},
        {"start-oblique.png", "[F Fig. 20] Oblique view.", "The same from behind.", {.6, -.7, .5}},
        {"start-plan.png",
         "[F Fig. 21] Plan view.",
         "The same from above: 5 x 10 cubes, the rod along the long side.",
         {.02, 0, 1}}};
    lab_options options = {.contact = LAB_PEG, .h = s->h[0], .seed = s->options->seed};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        experiment_start_view(lab_scene_find(s->kind->scene), &options, r, views[i].file,
                              views[i].from);
        report_figure(r, views[i].file, views[i].paper, views[i].ours);
    }
}

static void report(experiment_study *s, lab_report *r)
{
    report_text(r, "A hexagonal rod of 1 m, thrown at 5 m/s and 1 turn per second along a field of "
                   "5 x 10 fixed cubes of .25 m at a pitch of .433 m, for 1.75 s; each group of "
                   "runs has its own orientations of the cubes.");
    view_start(s, r);
    tabulate_errors(s, r);
    plot p = {.title = "Path of the rod, first group",
              .x_label = "y, m",
              .y_label = "z, m",
              .equal = 1,
              .x_range = {0, 8},
              .y_range = {-.5, 1.5}};
    experiment_plot_runs(s, r, &p, s->h[s->hs > 4 ? s->hs - 4 : 0], 1, COL_Y, COL_Z, "path.png");
    report_figure(r, "path.png", "No paths are shown.",
                  "Height over the long side of the field at a middle step size.");
    report_heading(r, "Problem sizes and times");
    report_text(r, "The authors needed about 5 s per time step for collision detection alone.");
    experiment_tabulate(s, r, COL_SIZE, "size", "velocities and rows");
    experiment_tabulate(s, r, COL_SOLVE, "solver-time", "ms per step");
    experiment_tabulate(s, r, COL_STEP, "step-time", "ms, all of the step");
    experiment_tabulate(s, r, COL_OVERLAP, "overlap", "m\xc2\xb3");
}

const experiment experiments_rod[] = {
    {"slender-rod", "A rod tumbles over a field of cubes: position error over the step size.",
     "slender-rod", 0, plan, run, report},
    {0},
};
