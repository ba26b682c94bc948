/* What reports are made of: columns of runs, their spread, curves and tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demos/experiments/experiment.h"

int experiment_colour(lab_contact contact)
{
    return 1 + (int)contact;
}

int experiment_model(const experiment_study *s, const char *name)
{
    for (int i = 0; i < s->models; i++)
        if (!strcmp(lab_contact_name(s->model[i]), name)) return (int)s->model[i];
    return -1;
}

const experiment_table *experiment_find(const experiment_study *s, int contact, double h, int set)
{
    for (int i = 0; i < s->jobs; i++) {
        const experiment_job *j = &s->job[i];
        if ((int)j->contact == contact && j->h == h && j->set == set) return &s->table[i];
    }
    return NULL;
}

double *experiment_column(const experiment_study *s, int contact, double h, int set, int column,
                          long *n)
{
    long rows = 0;
    *n = 0;
    for (int i = 0; i < s->jobs; i++) rows += s->table[i].rows;
    double *out = malloc(((size_t)rows + 1) * sizeof *out);
    for (int i = 0; out && i < s->jobs; i++) {
        const experiment_job *j = &s->job[i];
        const experiment_table *t = &s->table[i];
        int wanted = set < 0 ? j->set >= s->first_set && j->set <= s->last_set : j->set == set;
        if ((int)j->contact != contact || j->h != h || !wanted) continue;
        for (long k = 0; k < t->rows && column < t->columns; k++)
            out[(*n)++] = t->value[k * t->columns + column];
    }
    return out;
}

experiment_spread experiment_measure(const experiment_study *s, int contact, double h, int column)
{
    experiment_spread m = {0};
    double *v = experiment_column(s, contact, h, -1, column, &m.n);
    m.mean = m.q1 = m.median = m.q3 = m.p99 = m.max = NAN;
    if (v && m.n > 0) {
        for (long i = 0; i < m.n; i++) m.sum += v[i];
        m.mean = m.sum / (double)m.n;
        m.q1 = lab_quantile(v, m.n, .25), m.median = lab_quantile(v, m.n, .5);
        m.q3 = lab_quantile(v, m.n, .75), m.p99 = lab_quantile(v, m.n, .99);
        m.max = lab_quantile(v, m.n, 1);
    }
    free(v);
    return m;
}

/* Of the m-th model: the later, the thinner, since it is drawn upon the others. */
static double curve_width(const experiment_study *s, int m)
{
    return 1.6 + 1.1 * (s->models - 1 - m);
}

static void draw(lab_report *r, const plot *p, const char *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->dir, file);
    r->bad |= plot_write(p, path);
}

plot experiment_plot_over_h(const char *title, const char *label, double floor)
{
    return (plot){.title = title,
                  .x_label = "step size h, s",
                  .y_label = label,
                  .log_x = 1,
                  .log_y = floor > 0,
                  .floor = floor};
}

void experiment_plot_spread(experiment_study *s, lab_report *r, int column, int max,
                            const char *file, const char *title, const char *label, double floor)
{
    plot p = experiment_plot_over_h(title, label, floor);
    double curve[LAB_CONTACT_COUNT][4][EXPERIMENT_H_MAX];
    char names[LAB_CONTACT_COUNT][40];
    for (int m = 0; m < s->models; m++) {
        for (int k = 0; k < s->hs; k++) {
            experiment_spread d = experiment_measure(s, (int)s->model[m], s->h[k], column);
            curve[m][0][k] = d.q1, curve[m][1][k] = d.median;
            curve[m][2][k] = d.q3, curve[m][3][k] = d.max;
        }
        int colour = experiment_colour(s->model[m]);
        p.series[p.count++] = (plot_series){.label = lab_contact_name(s->model[m]),
                                            .x = s->h,
                                            .y = curve[m][1],
                                            .low = curve[m][0],
                                            .high = curve[m][2],
                                            .n = s->hs,
                                            .colour = colour,
                                            .marks = 1,
                                            .width = curve_width(s, m)};
        if (!max) continue;
        snprintf(names[m], sizeof names[m], "%s, maximum", lab_contact_name(s->model[m]));
        p.series[p.count++] = (plot_series){.label = names[m],
                                            .x = s->h,
                                            .y = curve[m][3],
                                            .n = s->hs,
                                            .colour = colour,
                                            .dashed = 1};
    }
    draw(r, &p, file);
}

/* Four digits, whatever the size. */
static void tabulate_row(lab_report *r, FILE *csv, json_t *list, lab_contact contact, double h,
                         const experiment_spread *d)
{
    const double v[] = {d->median, d->q1, d->q3, d->p99, d->max, d->mean};
    const char *name = lab_contact_name(contact);
    report_cell(r, "%s", name);
    report_cell(r, "%g", h);
    report_cell(r, "%ld", d->n);
    if (csv) fprintf(csv, "%s,%.9g,%ld", name, h, d->n);
    for (int i = 0; i < 6; i++) {
        report_cell(r, "%.3g", v[i]);
        if (csv) fprintf(csv, ",%.9g", v[i]);
    }
    report_row_end(r);
    if (csv) fputc('\n', csv);
    json_array_append_new(list, json_pack("{s:s, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
                                          "contact", name, "h", h, "n", (json_int_t)d->n, "median",
                                          lab_number(v[0]), "q1", lab_number(v[1]), "q3",
                                          lab_number(v[2]), "p99", lab_number(v[3]), "max",
                                          lab_number(v[4]), "mean", lab_number(v[5])));
}

void experiment_tabulate(experiment_study *s, lab_report *r, int column, const char *name,
                         const char *unit)
{
    static const char *const heads[] = {"model",        "h, s", "values",  "median", "1st quartile",
                                        "3rd quartile", "99 %", "maximum", "mean"};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", r->dir, name);
    FILE *csv = fopen(path, "w");
    json_t *list = json_array();
    r->bad |= !csv;
    report_text(r, "%s, %s:", name, unit);
    report_table(r, heads, 9);
    if (csv) fputs("contact,h,values,median,q1,q3,p99,max,mean\n", csv);
    for (int m = 0; m < s->models; m++)
        for (int k = 0; k < s->hs; k++) {
            experiment_spread d = experiment_measure(s, (int)s->model[m], s->h[k], column);
            tabulate_row(r, csv, list, s->model[m], s->h[k], &d);
        }
    report_table_end(r);
    if (csv) r->bad |= fclose(csv) != 0;
    json_object_set_new(r->summary, name, list);
}

void experiment_plot_runs(experiment_study *s, lab_report *r, plot *p, double h, int set,
                          int column_x, int column_y, const char *file)
{
    double *owned[2 * LAB_CONTACT_COUNT] = {NULL};
    int count = 0;
    for (int m = 0; m < s->models && p->count < PLOT_SERIES; m++) {
        long n;
        double *x = owned[count++] = experiment_column(s, (int)s->model[m], h, set, column_x, &n);
        double *y = owned[count++] = experiment_column(s, (int)s->model[m], h, set, column_y, &n);
        if (!x || !y || n == 0) continue;
        p->series[p->count++] = (plot_series){.label = lab_contact_name(s->model[m]),
                                              .x = x,
                                              .y = y,
                                              .n = (int)n,
                                              .colour = experiment_colour(s->model[m]),
                                              .width = curve_width(s, m)};
    }
    draw(r, p, file);
    for (int i = 0; i < count; i++) free(owned[i]);
}
