/* What a sweep came to: groups of cases that differ in their seeds only, as a table and plots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/experiments/experiment.h"
#include "demos/report/plot.h"
#include "demos/sweep/coordinator.h"
#include "demos/sweep/store.h"
#include "demos/sweep/sweep.h"
#include "demos/world/files.h"
#include "demos/world/run.h"

typedef struct group {
    const sweep_case *first;
    int cases, finished, failed;
    long steps, unconverged, limited, frozen, escaped;
    double overlap_median, overlap, depth, gain, seconds; /* medians summed, else largest and sum */
    double *ms; /* of the finished cases: room for all of the plan, shared */
    int ms_from;
} group;

typedef struct summary {
    const sweep_plan *plan;
    json_t **rows;
    group *group;
    int groups, finished, failed, failed_peg;
    double *ms;
} summary;

/* ---- groups ---------------------------------------------------------------------------------- */

static int same_group(const sweep_case *a, const sweep_case *b)
{
    if (a->experiment != b->experiment || strcmp(a->scene, b->scene) != 0 ||
        a->contact != b->contact || a->h != b->h || a->mu_given != b->mu_given || a->mu != b->mu ||
        a->sets != b->sets || a->time != b->time || a->steps != b->steps)
        return 0;
    for (int i = 0; i < a->sets; i++)
        if (strcmp(a->set[i].key, b->set[i].key) != 0 ||
            sweep_case_set(a, i).value != sweep_case_set(b, i).value)
            return 0;
    return 1;
}

static double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static void add_row(summary *s, group *g, const json_t *row)
{
    g->finished++, s->finished++;
    int failed = number(row, "failed") > 0;
    g->failed += failed, s->failed += failed;
    s->failed_peg += failed && g->first->contact == LAB_PEG;
    g->steps += (long)number(row, "steps");
    g->unconverged += (long)number(row, "unconverged");
    g->limited += (long)number(row, "limited"), g->frozen += (long)number(row, "frozen");
    g->escaped += (long)number(row, "escaped");
    g->overlap_median += number(row, "overlap_median");
    g->overlap = fmax(g->overlap, number(row, "overlap_max"));
    g->depth = fmax(g->depth, number(row, "depth_max"));
    g->gain = fmax(g->gain, number(row, "gain_max"));
    g->seconds += number(row, "seconds");
    g->ms[g->finished - 1] = number(row, "step_ms");
}

/* Seeds vary within the loops of a plan, so that a group's cases need not follow each other. */
static void gather(summary *s)
{
    for (int i = 0, used = 0; i < s->plan->count; i++) {
        const sweep_case *c = &s->plan->cases[i];
        int k = s->groups - 1;
        while (k >= 0 && k >= s->groups - 4096 && !same_group(s->group[k].first, c)) k--;
        if (k < 0 || !same_group(s->group[k].first, c)) {
            k = s->groups++;
            s->group[k] = (group){.first = c};
        }
        s->group[k].cases++;
        used++;
    }
    for (int k = 0, at = 0; k < s->groups; k++) {
        s->group[k].ms = s->ms + at;
        at += s->group[k].cases;
    }
    int k = 0;
    for (int i = 0; i < s->plan->count; i++) {
        const sweep_case *c = &s->plan->cases[i];
        if (!s->rows[i]) continue;
        for (int tries = 0; tries < s->groups && !same_group(s->group[k].first, c); tries++)
            k = (k + 1) % s->groups;
        add_row(s, &s->group[k], s->rows[i]);
    }
}

/* Without friction few islands of a pour end limited: at large step sizes no more than 1 % of the
 * steps of all seeds (the check sees to smaller ones). */
static int has_many_limited(const group *g)
{
    const sweep_case *c = g->first;
    return c->contact == LAB_PEG && !strncmp(c->scene, "pour-", 5) && c->mu_given == 0 &&
           strcmp(c->scene, "pour-mixed") != 0 && c->h >= .05 &&
           (double)g->limited > .01 * (double)g->steps;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void name_group(const group *g, char *text, size_t size)
{
    const sweep_case *c = g->first;
    const char *slash = strrchr(c->scene, '/');
    int n = snprintf(text, size, "%s", slash ? slash + 1 : c->scene);
    for (int i = 0; i < c->sets && n < (int)size; i++)
        n += snprintf(text + n, size - (size_t)n, " %s=%g", c->set[i].key,
                      sweep_case_set(c, i).value);
    if (c->mu_given && n < (int)size) snprintf(text + n, size - (size_t)n, " mu=%g", c->mu);
}

static void write_table(const summary *s, FILE *f)
{
    fprintf(f, "%-40s %-9s %6s %9s %6s %8s %8s %8s %8s %6s %6s %6s %5s %8s %8s\n", "scene",
            "contact", "h", "runs", "failed", "ovl med", "ovl max", "depth", "gain", "unconv",
            "limit", "frozen", "esc", "ms/step", "s");
    for (int k = 0; k < s->groups; k++) {
        const group *g = &s->group[k];
        char name[128], runs[32], h[16] = "own";
        double n = fmax(1, g->finished);
        name_group(g, name, sizeof name);
        snprintf(runs, sizeof runs, g->finished < g->cases ? "%d/%d" : "%d", g->finished, g->cases);
        if (g->first->experiment) { /* what it shows is in its report */
            fprintf(f, "%-40s %-9s %6s %9s %6d %101.2f\n", name, "", "", runs, g->failed,
                    g->seconds);
            continue;
        }
        if (g->first->h > 0) snprintf(h, sizeof h, "%g", g->first->h);
        fprintf(f,
                "%-40s %-9s %6s %9s %6d %8.1e %8.1e %8.1e %8.1e %6ld %6ld %6ld %5ld %8.3f %8.2f\n",
                name, lab_contact_name(g->first->contact), h, runs, g->failed,
                g->overlap_median / n, g->overlap, g->depth, g->gain, g->unconverged, g->limited,
                g->frozen, g->escaped, lab_quantile(g->ms, g->finished, .5), g->seconds);
    }
    fprintf(f, "\n%d of %d cases have finished, %d failed\n", s->finished, s->plan->count,
            s->failed);
    for (int i = 0; i < s->plan->count; i++) {
        char key[SWEEP_KEY_SIZE];
        if (!s->rows[i] || number(s->rows[i], "failed") == 0) continue;
        if (s->plan->cases[i].contact != LAB_PEG) continue;
        sweep_key(&s->plan->cases[i], key);
        fprintf(f, "peg-lab %s\n    %s\n", key,
                json_string_value(json_object_get(s->rows[i], "why")));
    }
    for (int k = 0; k < s->groups; k++)
        if (has_many_limited(&s->group[k]))
            fprintf(f, "%s at h = %g: %ld limited islands in %ld steps\n", s->group[k].first->scene,
                    s->group[k].first->h, s->group[k].limited, s->group[k].steps);
    fprintf(f,
            "\novl: overlap of a step in mean body volumes, median of the steps averaged over the "
            "runs, and largest; depth: m; gain: energy of a step, of what was put in; "
            "limit: islands that ended a step with limited bodies; frozen: of these, nothing "
            "moved; esc: escaped bodies; ms/step: median of the runs; s: wall "
            "time, summed. Failed cases of peg are listed with the command that repeats them.\n");
}

/* ---- plots ----------------------------------------------------------------------------------- */

typedef struct curve {
    double x[64], y[64];
    int n;
} curve;

/* One curve for each contact model over h: the largest of all groups (overlap), or their mean. */
static int plot_over_h(const summary *s, const char *path, int overlap)
{
    static curve of[LAB_CONTACT_COUNT];
    plot p = {.title = overlap ? "Largest overlap" : "Time of a step",
              .x_label = "h, s",
              .y_label = overlap ? "mean body volumes" : "ms"};
    memset(of, 0, sizeof of);
    for (int m = 0; m < LAB_CONTACT_COUNT; m++)
        for (double h = 0;;) {
            double next = INFINITY, sum = 0, most = 0, count = 0;
            for (int k = 0; k < s->groups; k++) {
                const group *g = &s->group[k];
                if ((int)g->first->contact != m || g->finished == 0 || g->first->h <= h) continue;
                if (g->first->h < next) next = g->first->h, sum = most = count = 0;
                if (g->first->h > next) continue;
                sum += lab_quantile(g->ms, g->finished, .5), count++;
                most = fmax(most, g->overlap);
            }
            if (!isfinite(next) || of[m].n == 64) break;
            of[m].x[of[m].n] = h = next;
            of[m].y[of[m].n++] = overlap ? fmax(most, 1e-17) : sum / count;
        }
    p.log_x = p.log_y = 1;
    for (int m = 0; m < LAB_CONTACT_COUNT; m++)
        if (of[m].n)
            p.series[p.count++] = (plot_series){.label = lab_contact_name((lab_contact)m),
                                                .x = of[m].x,
                                                .y = of[m].y,
                                                .n = of[m].n,
                                                .colour = m,
                                                .marks = 1};
    return plot_write(&p, path);
}

/* ---- the report ------------------------------------------------------------------------------ */

static int write_files(const summary *s, const char *dir, int quiet)
{
    char *path = lab_path(dir, "table.txt");
    FILE *f = path ? fopen(path, "w") : NULL;
    int bad = !f;
    if (f) write_table(s, f);
    if (f && fclose(f) != 0) bad = 1;
    free(path);
    if (!quiet) write_table(s, stdout);
    static const char *const pictures[] = {"time.png", "overlap.png"};
    for (int i = 0; i < 2; i++) {
        path = lab_path(dir, pictures[i]);
        bad |= !path || plot_over_h(s, path, i);
        free(path);
    }
    return bad;
}

/* The reports of the experiments, each of what it has run with the first seed. */
static int report_experiments(const sweep_plan *plan, const char *dir, int quiet)
{
    int bad = 0;
    for (int i = 0; i < plan->count; i++) {
        const sweep_case *c = &plan->cases[i], *before = i ? c - 1 : NULL;
        int is_first = c->experiment && !(before && before->experiment == c->experiment);
        char *path = is_first ? lab_path(dir, c->experiment) : NULL;
        if (!path) continue;
        experiment_options options = {
            .dir = path, .quick = c->quick, .seed = c->seed, .quiet = quiet, .report_only = 1};
        bad |= lab_experiment(c->experiment, &options);
        free(path);
    }
    return bad;
}

static int report_rows(const sweep_plan *plan, const char *dir, int quiet)
{
    char text[LAB_TEXT];
    size_t n = (size_t)plan->count + 1;
    summary s = {.plan = plan,
                 .rows = calloc(n, sizeof(json_t *)),
                 .group = calloc(n, sizeof(group)),
                 .ms = calloc(n, sizeof(double))};
    int bad = !s.rows || !s.group || !s.ms;
    if (!bad) {
        sweep_read_rows(plan, dir, NULL, s.rows);
        gather(&s);
        bad = write_files(&s, dir, quiet);
        sweep_store store;
        sweep_store_begin(&store, dir);
        for (int i = 0; i < plan->count; i++)
            if (s.rows[i]) sweep_store_add(&store, i, s.rows[i]);
        if (sweep_store_end(&store, plan, text)) {
            fprintf(stderr, "peg-lab: the result file could not be written: %s\n", text);
            bad = 1;
        }
        for (int i = 0; i < plan->count; i++) json_decref(s.rows[i]);
        bad |= report_experiments(plan, dir, quiet);
        bad |= s.failed_peg > 0;
        for (int k = 0; k < s.groups; k++) bad |= has_many_limited(&s.group[k]);
    }
    free(s.rows);
    free(s.group);
    free(s.ms);
    return bad;
}

int lab_sweep_report(const char *dir, int quiet)
{
    char text[LAB_TEXT];
    sweep_plan plan;
    char *path = lab_path(dir, "plan.json");
    if (!path || sweep_plan_read(&plan, path, text)) {
        fprintf(stderr, "peg-lab: '%s' is not the folder of a sweep: %s\n", dir,
                path ? text : "out of memory");
        free(path);
        return 2;
    }
    int bad = report_rows(&plan, dir, quiet);
    sweep_plan_free(&plan);
    free(path);
    return bad;
}
