/* The page of the experiment `infeasibility`. */
#include "demos/experiments/infeasibility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demos/world/run.h"

#define PATH_SIZE 4096

/* ---- what the runs say ----------------------------------------------------------------------- */

/* Of a scene, model, variant and step size, over its seeds. */
typedef struct numbers {
    long runs, steps;
    double mean, max; /* of I */
    double constant;  /* largest I / (|v| h)^2 */
    double v_max;     /* m/s */
    double busy;      /* passes of friction where there is more than one */
    double failures, lagged, passes, rubbing, sliding, ms, units, differ;
    double depth, volume; /* largest, m and m^3 */
    double end;           /* largest I of the last tenth of the runs */
} numbers;

static void add_run(const experiment_table *t, double h, numbers *n)
{
    n->runs++;
    for (long k = 0; k < t->rows; k++) {
        const double *row = t->value + k * t->columns;
        double I = row[INF_I], way = row[INF_SPEED] * h;
        n->steps++;
        n->mean += I;
        n->max = fmax(n->max, I);
        if (way > 1e-9 && I > 1e-13) n->constant = fmax(n->constant, I / (way * way));
        n->v_max = fmax(n->v_max, row[INF_V_MAX]);
        n->failures += row[INF_FAILURES];
        n->lagged += row[INF_LAGGED];
        n->passes += row[INF_PASSES];
        n->rubbing += row[INF_RUBBING];
        n->sliding += row[INF_SLIDING];
        n->ms += row[INF_STEP];
        n->units += row[INF_UNITS];
        n->differ += row[INF_DIFFER];
        n->depth = fmax(n->depth, row[INF_DEPTH]);
        n->volume = fmax(n->volume, row[INF_VOLUME]);
        if (k > .9 * (double)t->rows) n->end = fmax(n->end, I);
    }
}

static numbers numbers_of(const experiment_study *s, int scene, lab_contact model,
                          infeasibility_variant variant, double h)
{
    numbers n = {0};
    for (int seed = 0; seed < INFEASIBILITY_SEEDS; seed++) {
        int set = infeasibility_set(scene, variant, seed);
        const experiment_table *t = experiment_find(s, (int)model, h, set);
        if (t && t->rows > 0) add_run(t, h, &n);
    }
    double *means[] = {&n.mean, &n.ms, &n.units};
    n.busy = n.sliding > 0 ? (n.passes - n.rubbing + n.sliding) / n.sliding : 0;
    n.passes = n.rubbing > 0 ? n.passes / n.rubbing : 0;
    for (int i = 0; i < 3; i++) *means[i] = n.steps ? *means[i] / (double)n.steps : NAN;
    return n;
}

/* Slope of log y over log x by least squares, of positive values; NaN: fewer than two. */
static double slope_of(const double *x, const double *y, int n)
{
    double sx = 0, sy = 0, xx = 0, xy = 0, count = 0;
    for (int i = 0; i < n; i++) {
        if (!(y[i] > 0)) continue;
        sx += log(x[i]), sy += log(y[i]);
        xx += log(x[i]) * log(x[i]), xy += log(x[i]) * log(y[i]);
        count++;
    }
    return count > 1 ? (count * xy - sx * sy) / (count * xx - sx * sx) : NAN;
}

static int has(const experiment_study *s, lab_contact model)
{
    return experiment_model(s, lab_contact_name(model)) >= 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *label_of(lab_contact model, infeasibility_variant variant)
{
    return model == LAB_RATIO ? infeasibility_variant_names[variant] : lab_contact_name(model);
}

static void tabulate_row(const experiment_study *s, lab_report *r, FILE *csv, int scene,
                         lab_contact model, infeasibility_variant v)
{
    double mean[EXPERIMENT_H_MAX];
    numbers smallest = {0};
    report_cell(r, "%s", label_of(model, v));
    for (int k = 0; k < s->hs; k++) {
        numbers n = numbers_of(s, scene, model, v, s->h[k]);
        mean[k] = n.mean;
        if (k == 0) smallest = n;
        report_cell(r, n.runs ? "%.1e / %.1e" : "-", n.mean, n.max);
        if (csv && n.runs)
            fprintf(csv,
                    "%s,\"%s\",%g,%ld,%.6g,%.6g,%.6g,%.6g,%.0f,%.0f,%.4g,%.4g,%.4g,%.6g,%.6g\n",
                    infeasibility_scenes[scene].name, label_of(model, v), s->h[k], n.runs, n.mean,
                    n.max, n.constant, n.v_max, n.failures, n.lagged, n.passes, n.busy, n.ms,
                    n.depth, n.volume);
    }
    report_cell(r, "%.2f", slope_of(s->h, mean, s->hs));
    report_cell(r, "%.3g", smallest.ms);
    report_row_end(r);
}

static void tabulate(const experiment_study *s, lab_report *r)
{
    char path[PATH_SIZE], text[EXPERIMENT_H_MAX][24];
    const char *heads[EXPERIMENT_H_MAX + 3];
    snprintf(path, sizeof path, "%s/infeasibility.csv", r->dir);
    FILE *csv = fopen(path, "w");
    r->bad |= !csv;
    if (csv)
        fputs("scene,model,h,runs,mean,max,constant,v_max,failures,lagged,passes,passes_sliding,ms,"
              "depth,volume\n",
              csv);
    heads[0] = "model";
    for (int k = 0; k < s->hs; k++) {
        snprintf(text[k], sizeof text[k], "h = %g s", s->h[k]);
        heads[1 + k] = text[k];
    }
    heads[1 + s->hs] = "slope";
    heads[2 + s->hs] = "ms, smallest h";
    for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++) {
        report_heading(r, infeasibility_scenes[scene].name);
        report_text(r,
                    "Mean and largest infeasibility I = max(0, -rho) of the steps, and the slope "
                    "of the mean over h.");
        report_table(r, heads, s->hs + 3);
        for (int m = 0; m < s->models; m++)
            for (int v = 0; v < (s->model[m] == LAB_RATIO ? RATIO_VARIANTS : 1); v++)
                tabulate_row(s, r, csv, scene, s->model[m], (infeasibility_variant)v);
        report_table_end(r);
    }
    if (csv) r->bad |= fclose(csv) != 0;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void draw(lab_report *r, const plot *p, const char *file, const char *paper,
                 const char *ours)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    r->bad |= plot_write(p, path);
    report_figure(r, file, paper, ours);
}

/* Mean I over h, of the given models and variants, with a line of slope 2. */
static void plot_means(const experiment_study *s, lab_report *r, int scene, int stabilisation)
{
    static double y[8][EXPERIMENT_H_MAX];
    plot p = experiment_plot_over_h(infeasibility_scenes[scene].name, "mean infeasibility", 1e-9);
    char file[64];
    for (int i = 0; i < s->models + 3 && p.count < 7; i++) {
        int variant = stabilisation ? i : 0, m = stabilisation ? 0 : i;
        if (stabilisation ? variant > RATIO_OFF : m >= s->models) break;
        lab_contact model = stabilisation ? LAB_RATIO : s->model[m];
        for (int k = 0; k < s->hs; k++)
            y[p.count][k] =
                numbers_of(s, scene, model, (infeasibility_variant)variant, s->h[k]).mean;
        p.series[p.count] =
            (plot_series){.label = label_of(model, (infeasibility_variant)variant),
                          .x = s->h,
                          .y = y[p.count],
                          .n = s->hs,
                          .colour = stabilisation ? 1 + i : experiment_colour(model),
                          .marks = 1};
        p.count++;
    }
    for (int k = 0; k < s->hs; k++) y[7][k] = .25 * s->h[k] * s->h[k];
    p.series[p.count++] =
        (plot_series){.label = "slope 2", .x = s->h, .y = y[7], .n = s->hs, .dashed = 1};
    snprintf(file, sizeof file, "%s-%d.png", stabilisation ? "stabilisation" : "mean", scene);
    draw(r, &p, file,
         stabilisation ? "[A slide 29] Constraint stabilisation makes the average infeasibility "
                         "smaller."
                       : "[A slides 30, 32, 34, 36] The average infeasibility is O(h^2).",
         "Mean over all steps and seeds; what is 0 lies on the lower edge.");
}

static void plot_time(const experiment_study *s, lab_report *r, int scene)
{
    double *at[2 * LAB_CONTACT_COUNT] = {0};
    double h = s->h[s->hs > 2 ? s->hs - 3 : 0];
    char file[64];
    plot p = {.title = infeasibility_scenes[scene].name, .x_label = "t, s", .y_label = "rho"};
    p.y_range[0] = -.02, p.y_range[1] = .1;
    for (int m = 0; m < s->models; m++) {
        const experiment_table *t =
            experiment_find(s, (int)s->model[m], h, infeasibility_set(scene, RATIO_PLAIN, 0));
        if (!t || t->rows == 0) continue;
        double *x = at[2 * m] = malloc((size_t)t->rows * sizeof *x);
        double *y = at[2 * m + 1] = malloc((size_t)t->rows * sizeof *y);
        for (long k = 0; x && y && k < t->rows; k++) {
            x[k] = t->value[k * t->columns + INF_T];
            y[k] = fmax(-.02, fmin(.1, t->value[k * t->columns + INF_RHO]));
        }
        if (x && y)
            p.series[p.count++] = (plot_series){.label = lab_contact_name(s->model[m]),
                                                .x = x,
                                                .y = y,
                                                .n = (int)t->rows,
                                                .colour = experiment_colour(s->model[m])};
    }
    snprintf(file, sizeof file, "rho-%d.png", scene);
    draw(r, &p, file, "No such figure.", "Ratio metric of the nearest pair over time, one seed.");
    for (int i = 0; i < 2 * LAB_CONTACT_COUNT; i++) free(at[i]);
}

/* The scene at equal times, with the model ratio. */
static void draw_frames(const experiment_study *s, lab_report *r, int scene)
{
    const infeasibility_scene *of = &infeasibility_scenes[scene];
    const lab_scene *what = lab_scene_find(of->scene);
    lab_result frame[6] = {0};
    char path[PATH_SIZE], file[64];
    int made = 0;
    for (; made < of->frames; made++) {
        lab_options options = {.contact = LAB_RATIO,
                               .h = .005,
                               .steps = 1 + (long)(what->time / .005 * made / (of->frames - 1)),
                               .seed = s->options->seed,
                               .mu_given = of->mu_given,
                               .mu = of->mu};
        if (lab_run(what, &options, NULL, 0, &frame[made]) || !frame[made].w) break;
    }
    snprintf(file, sizeof file, "frames-%d.png", scene);
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    r->bad |= made < of->frames || lab_picture(path, frame, made);
    for (int i = 0; i < of->frames; i++) lab_result_free(&frame[i]);
    if (made == of->frames)
        report_figure(r, file, "[A] Successive frames; the slides give no parameter.",
                      "At equal times, model ratio, h = .005 s.");
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void check_scene(const experiment_study *s, lab_report *r, int scene)
{
    double mean[EXPERIMENT_H_MAX] = {0}, low = INFINITY, high = 0, slow = INFINITY, fast = 0,
           failures = 0;
    char check[160];
    const char *name = infeasibility_scenes[scene].name;
    for (int k = 0; k < s->hs; k++) {
        numbers n = numbers_of(s, scene, LAB_RATIO, RATIO_PLAIN, s->h[k]);
        mean[k] = n.mean, failures += n.failures;
        if (n.constant > 0) low = fmin(low, n.constant), high = fmax(high, n.constant);
        slow = fmin(slow, n.v_max), fast = fmax(fast, n.v_max);
    }
    double slope = slope_of(s->h, mean, s->hs), spread = high > 0 ? high / low : NAN;
    snprintf(check, sizeof check, "%s: slope of the mean infeasibility of ratio over h", name);
    report_check(r, check, slope, "1.7 to 2.3", slope >= 1.7 && slope <= 2.3);
    snprintf(check, sizeof check, "%s: at least O(h^2)", name);
    report_check(r, check, slope, ">= 1.7", slope >= 1.7);
    snprintf(check, sizeof check, "%s: largest I / (|v| h)^2, over the smallest among the h", name);
    report_check(r, check, spread, "<= 3", spread <= 3);
    snprintf(check, sizeof check, "%s: largest speed among the h, over the smallest", name);
    report_check(r, check, fast / slow, "<= 1.2", fast / slow <= 1.2);
    snprintf(check, sizeof check, "%s: steps of ratio without an answer", name);
    report_check(r, check, failures, "0", failures == 0);
}

static void check_friction(const experiment_study *s, lab_report *r)
{
    char check[160];
    for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++) {
        double passes = 0, busy = 0, lagged = 0;
        if (infeasibility_scenes[scene].mu_given) continue;
        for (int k = 0; k < s->hs; k++) {
            numbers n = numbers_of(s, scene, LAB_RATIO, RATIO_PLAIN, s->h[k]);
            passes = fmax(passes, n.passes), busy = fmax(busy, n.busy);
            lagged = fmax(lagged, n.steps ? n.lagged / (double)n.steps : 0);
        }
        snprintf(check, sizeof check, "%s: mean passes of friction, of the worst h",
                 infeasibility_scenes[scene].name);
        report_check(r, check, passes, "<= 10", passes <= 10);
        report_text(r, "%s: %.1f passes where there is more than one.",
                    infeasibility_scenes[scene].name, busy);
        snprintf(check, sizeof check, "%s: share of steps whose friction has not settled",
                 infeasibility_scenes[scene].name);
        report_check(r, check, lagged, "<= 0.01", lagged <= .01);
    }
}

/* Below h = .01 s: at .02 the one direction of a pair is often the wrong one for the step. */
static void check_lp(const experiment_study *s, lab_report *r)
{
    for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++) {
        double mean[EXPERIMENT_H_MAX], slope;
        char check[160];
        int n = 0;
        for (; n < s->hs && s->h[n] < .011; n++)
            mean[n] = numbers_of(s, scene, LAB_LP, RATIO_PLAIN, s->h[n]).mean;
        slope = slope_of(s->h, mean, n);
        snprintf(check, sizeof check, "%s: slope of the mean infeasibility of lp over h",
                 infeasibility_scenes[scene].name);
        report_check(r, check, slope, ">= 1.7", slope >= 1.7);
    }
}

static void check_models(const experiment_study *s, lab_report *r)
{
    double worst = has(s, LAB_PEG) ? 0 : NAN, end = 0, off = 0, on = 0;
    for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++)
        for (int k = 0; k < s->hs && has(s, LAB_PEG); k++) {
            numbers n = numbers_of(s, scene, LAB_PEG, RATIO_PLAIN, s->h[k]);
            worst = fmax(worst, fmax(n.max, n.depth));
        }
    report_check(r, "largest infeasibility and depth of peg, m", worst, "0", worst == 0);
    for (int k = 0; k < s->hs; k++) {
        end = fmax(end, numbers_of(s, 1, LAB_RATIO, RATIO_PLAIN, s->h[k]).end);
        on += numbers_of(s, 0, LAB_RATIO, RATIO_PLAIN, s->h[k]).mean;
        off += numbers_of(s, 0, LAB_RATIO, RATIO_OFF, s->h[k]).mean;
    }
    report_check(r, "pyramid1: infeasibility of ratio at rest", end, "<= 1e-12", end <= 1e-12);
    report_check(r, "balance2: mean infeasibility without stabilisation, over that with it",
                 off / on, "> 1", off > on);
    if (has(s, LAB_LP)) check_lp(s, r);
}

void infeasibility_report(experiment_study *s, lab_report *r)
{
    report_text(
        r, "Anitescu and Hart, An LP approach for computing depth of penetration in piecewise "
           "smooth multibody dynamics, slides, 2007. rho = (r - 1) / r, r the factor by which "
           "two bodies must be blown up about their centres until they touch. The slides give "
           "frames and curves but no parameters: sizes, speeds and tolerances are ours. rho is "
           "measured by code that the models have no part in.");
    tabulate(s, r);
    for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++) {
        draw_frames(s, r, scene);
        plot_means(s, r, scene, 0);
        if (has(s, LAB_RATIO)) plot_means(s, r, scene, 1);
        plot_time(s, r, scene);
    }
    for (int scene = 0; scene < INFEASIBILITY_SCENES && has(s, LAB_RATIO); scene++)
        check_scene(s, r, scene);
    if (has(s, LAB_RATIO)) check_friction(s, r);
    check_models(s, r);
}

const experiment experiments_anitescu_hart[] = {
    {"infeasibility",
     "Violation of the ratio metric over the step size, with stabilised time stepping.", "balance2",
     0, infeasibility_plan, infeasibility_run, infeasibility_report},
    {0},
};
