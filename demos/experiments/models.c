/* models: every contact model on the scenes of all papers, in one table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/experiments/experiment.h"
#include "demos/world/world.h"

typedef struct table_scene {
    const char *name;
    double h, time; /* s; time 0: the scene's */
    double quick;   /* s, of the quick version */
    int planar;
} table_scene;

static const table_scene scenes[] = {
    {"v-notch", .01, 0, 2, 0},      {"vertex-vertex-miss", .01, 0, .6, 0},
    {"table-slide", .01, 0, 1, 0},  {"pour-convex", .01, 3, .3, 0},
    {"hills", .01, 0, 1, 1},        {"sawtooth", .01, 0, 1, 1},
    {"slender-rod", .01, 0, .4, 0}, {"balance2", .01, 0, .4, 0},
    {"pyramid1", .01, 0, .4, 0},    {"dice3", .01, 0, .4, 0},
    {"setup6", .01, 0, .3, 0},      {"pour-convex", .05, 3, .5, 0},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

enum { AT_DEPTH, AT_RATIO, AT_GAIN, AT_SPEED, AT_TRAPS, AT_FAILURES, AT_MS, AT_COLUMNS };

/* ---- runs ------------------------------------------------------------------------------------ */

static void plan(experiment_study *s)
{
    if (s->options->models == 0)
        for (s->models = 0; s->models < LAB_CONTACT_COUNT; s->models++)
            s->model[s->models] = (lab_contact)s->models;
    s->hs = 1, s->h[0] = .01;
    s->source = "the scenes' own";
    for (int scene = 0; scene < SCENES; scene++)
        for (int m = 0; m < s->models; m++)
            if (!scenes[scene].planar || lab_contact_is_exact(s->model[m]))
                experiment_add(s, s->model[m], scenes[scene].h, scene);
}

static double fastest(const lab_world *w)
{
    double most = 0;
    for (int i = 0; i < w->bodies; i++) {
        double v[3];
        if (w->body[i]->kind != LAB_DYNAMIC || !w->body[i]->present) continue;
        lab_motion(w->body[i], v, NULL);
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    const table_scene *of = &scenes[job->set];
    lab_options options = {.contact = job->contact,
                           .h = of->h,
                           .time = s->options->quick ? of->quick : of->time,
                           .seed = s->options->seed};
    int user;
    lab_world *w = lab_open(lab_scene_find(of->name), &options, why, &user);
    fputs("depth,infeasibility,gain,speed,traps,failures,ms\n", csv);
    if (!w) return 1;
    while (w->steps < w->planned && lab_step(w) == 0) {
        double volume, depth;
        pegStats stats;
        lab_measure(w, 1, &volume, &depth, NULL);
        lab_last(w, &stats);
        double rho = of->planar ? 0 : lab_least_ratio(w);
        fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%ld,%ld,%.4g\n", depth, fmax(0, -rho),
                fmax(0, lab_world_energy(w).gain_max), fastest(w), stats.switches + stats.traps,
                stats.unconverged, 1e3 * w->last_seconds);
    }
    int failed = w->unsolved ? EXPERIMENT_ENDED : w->failed;
    snprintf(why, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return failed;
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct cells {
    int ran, ended;
    double depth_median, depth_max, mean, max, gain, speed, traps, failures, ms;
} cells;

static cells cells_of(const experiment_study *s, lab_contact model, int scene)
{
    cells c = {0};
    const experiment_table *t = experiment_find(s, (int)model, scenes[scene].h, scene);
    if (!t || t->rows == 0) return c;
    double *depth = malloc((size_t)t->rows * sizeof *depth);
    if (!depth) return c;
    c.ran = 1, c.ended = t->failed || t->ended;
    for (long k = 0; k < t->rows; k++) {
        const double *v = t->value + k * t->columns;
        depth[k] = v[AT_DEPTH];
        c.depth_max = fmax(c.depth_max, v[AT_DEPTH]);
        c.mean += v[AT_RATIO] / (double)t->rows;
        c.max = fmax(c.max, v[AT_RATIO]);
        c.gain = fmax(c.gain, v[AT_GAIN]);
        c.speed = fmax(c.speed, v[AT_SPEED]);
        c.traps += v[AT_TRAPS];
        c.failures += v[AT_FAILURES];
        c.ms += v[AT_MS] / (double)t->rows;
    }
    c.depth_median = lab_quantile(depth, t->rows, .5);
    free(depth);
    return c;
}

static void cell(lab_report *r, FILE *md, const char *format, double value, int meaningful)
{
    char text[64] = "n/a";
    if (meaningful) snprintf(text, sizeof text, format, value);
    report_cell(r, "%s", text);
    if (md) fprintf(md, " %s |", text);
}

/* Traps are counted where a model has alternatives: switched facets of peg, I-constraints of paper
 * and lnc. Failures: of stock ODE nobody tells. */
static void tabulate_scene(const experiment_study *s, lab_report *r, FILE *md, int scene)
{
    static const char *const heads[] = {
        "model",          "depth median, m", "depth max, m", "I mean",   "I max",
        "energy gain, J", "fastest, m/s",    "traps",        "failures", "ms"};
    char label[64];
    /* the scene, with its step size where that is not the one of the table */
    const table_scene *of = &scenes[scene];
    if (of->h == .01)
        snprintf(label, 64, "%s", of->name);
    else
        snprintf(label, 64, "%s, h = %g", of->name, of->h);
    report_heading(r, label);
    report_table(r, heads, 10);
    for (int m = 0; m < s->models; m++) {
        lab_contact model = s->model[m];
        cells c = cells_of(s, model, scene);
        int exact = lab_contact_is_exact(model), space = c.ran && !scenes[scene].planar;
        int alternatives = model == LAB_PEG || model == LAB_PAPER || model == LAB_LNC;
        report_cell(r, "%s%s", lab_contact_name(model), c.ended ? " (ended early)" : "");
        if (md)
            fprintf(md, "| %s | %s%s |", label, lab_contact_name(model),
                    c.ended ? " (ended early)" : "");
        cell(r, md, "%.1e", c.depth_median, c.ran);
        cell(r, md, "%.1e", c.depth_max, c.ran);
        cell(r, md, "%.1e", c.mean, space);
        cell(r, md, "%.1e", c.max, space);
        cell(r, md, "%.1e", c.gain, c.ran);
        cell(r, md, "%.3g", c.speed, c.ran);
        cell(r, md, "%.0f", c.traps, c.ran && alternatives);
        cell(r, md, "%.0f", c.failures, c.ran && exact);
        cell(r, md, "%.2g", c.ms, c.ran);
        report_row_end(r);
        if (md) fputc('\n', md);
    }
    report_table_end(r);
}

static void check(const experiment_study *s, lab_report *r)
{
    double deepest = experiment_model(s, "peg") >= 0 ? 0 : NAN, failures = 0;
    for (int scene = 0; scene < SCENES && !isnan(deepest); scene++) {
        cells c = cells_of(s, LAB_PEG, scene);
        deepest = fmax(deepest, c.depth_max);
        failures += c.failures;
    }
    report_check(r, "largest depth of peg in all scenes, m", deepest, "0", deepest == 0);
    report_check(r, "steps of peg whose velocities hold only roughly", failures, "0",
                 failures == 0);
    /* a cube falls past a corner, 1 mm beside it */
    cells peg = cells_of(s, LAB_PEG, 1), ratio = cells_of(s, LAB_RATIO, 1);
    if (peg.ran && ratio.ran)
        report_check(r, "vertex-vertex-miss: speed of ratio over that of peg, which falls freely",
                     ratio.speed / peg.speed, "< 1: ratio is caught", ratio.speed < peg.speed);
}

static void report(experiment_study *s, lab_report *r)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models.md", r->dir);
    FILE *md = fopen(path, "w");
    r->bad |= !md;
    if (md)
        fputs("| scene | model | depth median, m | depth max, m | I mean | I max | energy gain, J "
              "| fastest, m/s | traps | failures | ms |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
              md);
    report_text(r, "Depth and infeasibility I = max(0, -rho) at the end of every step, measured by "
                   "code that the models have no part in; energy gain: the largest of a step; n/a: "
                   "the model does not run the scene, or the figure means nothing for it.");
    for (int scene = 0; scene < SCENES; scene++) tabulate_scene(s, r, md, scene);
    if (md) r->bad |= fclose(md) != 0;
    check(s, r);
}

const experiment experiments_models[] = {
    {"models", "All contact models on the scenes of all papers, in one table.", "none", 0, plan,
     run, report},
    {0},
};
