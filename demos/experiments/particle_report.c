/* Reports of the experiments of a particle over hills and a sawtooth. */
#include "demos/experiments/particle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- pictures of paths ------------------------------------------------------------------------
 */

#define TRUTH_POINTS 600

typedef struct backdrop {
    planar_chain terrain;
    double ground[2][PATH_POINTS];
    double exact[2][TRUTH_POINTS];
} backdrop;

static void set_backdrop(const particle_case *c, backdrop *b)
{
    planar_path path;
    particle_terrain(c, &b->terrain);
    for (int i = 0; i < b->terrain.n; i++)
        for (int k = 0; k < 2; k++) b->ground[k][i] = b->terrain.point[i][k];
    int bad = particle_path(c, c->x, c->v, &path);
    for (int i = 0; i < TRUTH_POINTS; i++) {
        double x[2] = {NAN, NAN};
        if (!bad) planar_path_at(&path, c->end * i / (TRUTH_POINTS - 1), x, NULL);
        b->exact[0][i] = x[0], b->exact[1][i] = x[1];
    }
}

/* The paper's start with every model, over terrain and exact path. */
static void plot_paths(experiment_study *s, lab_report *r, double h, const char *title,
                       const double window[4], const char *file)
{
    backdrop b;
    set_backdrop(particle_case_of(s), &b);
    plot p = {.title = title,
              .x_label = "x, m",
              .y_label = "y, m",
              .equal = 1,
              .x_range = {window[0], window[1]},
              .y_range = {window[2], window[3]},
              .series = {{.x = b.ground[0], .y = b.ground[1], .n = b.terrain.n, .colour = 0},
                         {.label = "exact",
                          .x = b.exact[0],
                          .y = b.exact[1],
                          .n = TRUTH_POINTS,
                          .colour = 0,
                          .dashed = 1,
                          .over = 1,
                          .width = 1}},
              .count = 2};
    experiment_plot_runs(s, r, &p, h, SET_PATH, COL_X, COL_Y, file);
}

static void plot_costs(experiment_study *s, lab_report *r, const char *paper_size,
                       const char *paper_time)
{
    double h = particle_case_of(s)->h;
    plot size = {.title = "Problem size", .x_label = "t, s", .y_label = "rows and velocities"};
    plot time = {
        .title = "Solver time", .x_label = "t, s", .y_label = "ms", .log_y = 1, .floor = 1e-5};
    report_heading(r, "Problem sizes and solver times");
    experiment_plot_runs(s, r, &size, h, SET_PATH, COL_T, COL_SIZE, "size.png");
    report_figure(
        r, "size.png", paper_size,
        "Size of the largest problem of each step: 2 velocities and its rows, as the paper "
        "counts.");
    experiment_plot_runs(s, r, &time, h, SET_PATH, COL_T, COL_SOLVE, "time.png");
    report_figure(r, "time.png", paper_time, "Time in solvers at each step.");
    experiment_tabulate(s, r, START_SIZE, "size", "velocities and rows, mean of a run's steps");
    experiment_tabulate(s, r, START_SOLVE, "solver-time", "ms per step, mean of a run's steps");
    experiment_tabulate(s, r, START_STEP, "step-time", "ms, mean of a run's steps");
}

/* ---- hills ------------------------------------------------------------------------------------
 */

/* At rest in mid-air. */
static int is_trapped(double away, double speed)
{
    return away > .01 && speed < .1;
}

/* Starts that end trapped; *of how many. */
static long count_trapped(const experiment_study *s, int contact, long *of)
{
    long n, trapped = 0;
    double *away = experiment_column(s, contact, s->h[0], -1, START_AWAY, &n);
    double *speed = experiment_column(s, contact, s->h[0], -1, START_SPEED, &n);
    for (long i = 0; away && speed && i < n; i++) trapped += is_trapped(away[i], speed[i]);
    free(away);
    free(speed);
    *of = n;
    return trapped;
}

/* Start 5 of the starts side by side is the paper's. */
static void check_hills(experiment_study *s, lab_report *r)
{
    static const char *const names[] = {"st", "peg"};
    for (int i = 0; i < 2; i++) {
        char check[120];
        int contact = experiment_model(s, names[i]);
        const experiment_table *t = experiment_find(s, contact, s->h[0], SET_STARTS);
        const double *row = t && t->rows > 5 ? t->value + 5 * t->columns : NULL;
        int trapped = row && is_trapped(row[START_AWAY], row[START_SPEED]);
        snprintf(check, sizeof check, "%s, the paper's start: at rest in mid-air at the end",
                 names[i]);
        report_check(r, check, row ? trapped : NAN, i == 0 ? "1 (trapped)" : "0 (not trapped)",
                     trapped == (i == 0));
    }
    int peg = experiment_model(s, "peg");
    long of;
    double trapped = (double)count_trapped(s, peg, &of);
    report_check(r, "peg, all starts: at rest in mid-air at the end", peg < 0 ? NAN : trapped, "0",
                 trapped == 0);
    static const char *const heads[] = {"model", "starts", "trapped in mid-air"};
    report_table(r, heads, 3);
    for (int m = 0; m < s->models; m++) {
        long count = count_trapped(s, (int)s->model[m], &of);
        report_cell(r, "%s", lab_contact_name(s->model[m]));
        report_cell(r, "%ld", of);
        report_cell(r, "%ld", count);
        report_row_end(r);
    }
    report_table_end(r);
}

void report_hills(experiment_study *s, lab_report *r)
{
    report_text(r, "Two semicircles of radius 1 m with ten edges each, about (0, 0) and (2, 0); a "
                   "particle of 5 kg, pushed to the right by 12 N, falls from (0, 2); epsilon = .5 "
                   "m. The paper does not say where the hills are and how long it runs.");
    plot_paths(s, r, s->h[0], "Paths over the hills, h = .01", (double[4]){-1.2, 3.2, -.4, 2.1},
               "path.png");
    report_figure(r, "path.png",
                  "[F Fig. 6] PEG's path follows the hills; Stewart-Trinkle's particle is thrown "
                  "about by half-spaces that reach beyond their edges.",
                  "Paths of all models, the terrain and the exact path.");
    plot_paths(s, r, s->h[0], "Between the hills", (double[4]){.5, 1.5, -.1, 1}, "detail.png");
    report_figure(r, "detail.png",
                  "[F Fig. 7] With Stewart-Trinkle the particle is finally trapped at the "
                  "intersection of two half-spaces.",
                  "The same, nearer. The exact path ends in the corner between the hills, where "
                  "the push does not suffice to go on.");
    check_hills(s, r);
    experiment_tabulate(s, r, START_ERROR, "error", "m, largest position error of a run");
    plot_costs(s, r, "[F Fig. 8] The size fluctuates with the edges that are near.",
               "[F Fig. 9] Both methods take about the same time.");
}

/* ---- sawtooth ----------------------------------------------------------------------------------
 */

static void tell_phases(const particle_case *c, lab_report *r)
{
    static const char *const kinds[] = {"flight", "slide", "rest"};
    static const char *const heads[] = {"phase", "from, s", "x, m", "y, m", "v_x, m/s", "v_y, m/s"};
    planar_path path;
    if (particle_path(c, c->x, c->v, &path)) return;
    report_text(r, "The exact path from the paper's start, event by event:");
    report_table(r, heads, 6);
    for (int i = 0; i < path.phases; i++) {
        const path_phase *p = &path.phase[i];
        report_cell(r, "%s", kinds[p->kind]);
        report_cell(r, "%.6f", p->start);
        for (int k = 0; k < 2; k++) report_cell(r, "%.6f", p->x[k]);
        for (int k = 0; k < 2; k++) report_cell(r, "%.6f", p->v[k]);
        report_row_end(r);
    }
    report_table_end(r);
    if (c->mu > 0)
        report_text(
            r, "While it slides up a ramp of slope theta: s'' = -g (sin theta + mu cos theta), "
               "so s(t) = s0 + s0' t - (g/2) (sin theta + mu cos theta) t^2; the impact takes "
               "mu times the normal velocity off the tangential one. The derivation is in "
               "demos/oracle/planar_path.h.");
}

/* Slope of log error over log h by least squares; NaN without two points. */
static double order_of(const experiment_study *s, int contact)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < s->hs; k++) {
        double e = experiment_measure(s, contact, s->h[k], START_ERROR).median;
        if (!(e > 0 && isfinite(e))) continue;
        double x = log(s->h[k]), y = log(e);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* The step size of the table next to a given one. */
static double nearest_h(const experiment_study *s, double h)
{
    double best = s->h[0];
    for (int k = 0; k < s->hs; k++)
        if (fabs(log(s->h[k] / h)) < fabs(log(best / h))) best = s->h[k];
    return best;
}

/* Largest position error of the paper's start; NaN without a run. */
static double path_error(const experiment_study *s, int contact)
{
    const particle_case *c = particle_case_of(s);
    const experiment_table *t = experiment_find(s, contact, c->h, SET_PATH);
    planar_path path;
    if (!t || t->rows == 0 || particle_path(c, c->x, c->v, &path)) return NAN;
    double largest = 0;
    for (long k = 0; k < t->rows; k++) {
        const double *row = t->value + k * t->columns;
        double x[2];
        planar_path_at(&path, row[COL_T], x, NULL);
        largest = fmax(largest, hypot(row[COL_X] - x[0], row[COL_Y] - x[1]));
    }
    return largest;
}

static void check_sawtooth(experiment_study *s, lab_report *r)
{
    int peg = experiment_model(s, "peg"), st = experiment_model(s, "st");
    double coarse = nearest_h(s, 1e-2), fine = nearest_h(s, 1e-4);
    experiment_spread a = experiment_measure(s, peg, coarse, START_ERROR);
    experiment_spread b = experiment_measure(s, st, fine, START_ERROR);
    char check[160];
    snprintf(check, sizeof check, "median error of peg at h = %g over median error of st at h = %g",
             coarse, fine);
    report_check(r, check, a.median / b.median, "below 1", a.median < b.median);
    snprintf(check, sizeof check, "mean error of peg at h = %g over mean error of st at h = %g",
             coarse, fine);
    report_check(r, check, a.mean / b.mean, "below 1", a.mean < b.mean);
    /* an order is read off to two decimals: first order is 1.00 */
    double order = .01 * nearbyint(100 * order_of(s, peg));
    report_check(r, "order of the median error of peg in h (slope of the logarithms, two decimals)",
                 order, "at least 1", order >= 1);
    report_check(r, "random starts", (double)a.n, "at least 62", a.n >= 62);
}

/* With friction: the events against the formulas of flight, impact and slide, written out for the
 * first ramp y = x / 2; and the paper's start with every model. */
static void check_friction(experiment_study *s, lab_report *r)
{
    const particle_case *c = particle_case_of(s);
    const double g = 9.81, root = sqrt(5), sine = 1 / root, cosine = 2 / root;
    /* y0 + vy t - g t^2 / 2 = (x0 + vx t) / 2 */
    double b = .5 * c->v[0] - c->v[1], d = c->x[1] - .5 * c->x[0];
    double hit = (-b + sqrt(b * b + 2 * g * d)) / g, vy = c->v[1] - g * hit;
    double along = cosine * c->v[0] + sine * vy, across = sine * c->v[0] - cosine * vy;
    double speed = along - c->mu * across, brake = g * (sine + c->mu * cosine);
    double left = (2 - c->x[0] - c->v[0] * hit) / cosine;
    double leave = hit + (speed - sqrt(speed * speed - 2 * brake * left)) / brake;
    planar_path path;
    int whole = !particle_path(c, c->x, c->v, &path) && path.phases >= 3;
    report_check(r, "time of the impact, s", whole ? path.phase[1].start : NAN,
                 "0.2874 (the closed form)", whole && fabs(path.phase[1].start - .2874) < 1e-4);
    double off =
        whole ? fmax(fabs(path.phase[1].start - hit), fabs(path.phase[2].start - leave)) : NAN;
    report_check(r, "events of the exact path off the closed form of flight, impact and slide, s",
                 off, "at most 1e-12", off <= 1e-12);
    static const char *const rivals[] = {"st", "ap"};
    double peg = path_error(s, experiment_model(s, "peg"));
    for (int i = 0; i < 2; i++) {
        char check[120];
        double rival = path_error(s, experiment_model(s, rivals[i]));
        snprintf(check, sizeof check, "the paper's start: error of peg over error of %s, h = %g",
                 rivals[i], c->h);
        report_check(r, check, peg / rival, "below 1", peg < rival);
    }
}

static void plot_errors(experiment_study *s, lab_report *r, const char *paper)
{
    experiment_plot_spread(s, r, START_ERROR, 0, "error.png",
                           "Largest position error of a run, 62 random starts", "error, m", 1e-7);
    report_figure(r, "error.png", paper,
                  "Median and quartiles over 62 random starts, against the exact path.");
    experiment_tabulate(s, r, START_ERROR, "error", "m, largest position error of a run");
    experiment_tabulate(s, r, START_ERROR_MEAN, "error-mean", "m, mean position error of a run");
}

void report_sawtooth(experiment_study *s, lab_report *r)
{
    const particle_case *c = particle_case_of(s);
    report_text(r,
                "Three teeth (0, 0) (2, 1) (2, 0), a particle of 5 kg from (0, .75) with (%g, "
                "1.8) m/s, epsilon = .25 m, mu = %g, h = .01 (the paper does not say).",
                c->v[0], c->mu);
    tell_phases(c, r);
    plot_paths(s, r, c->h, "Paths over the sawtooth, h = .01", (double[4]){-1, 7, -.7, 2.2},
               "path.png");
    report_figure(r, "path.png",
                  c->mu > 0 ? "[F Fig. 14] PEG slides up the first ramp and leaves it for a second "
                              "ballistic phase; Stewart-Trinkle's particle is pushed out at high "
                              "speed; Anitescu-Potra's leaves at the distance epsilon."
                            : "[F Fig. 10] PEG and Stewart-Trinkle part where the particle leaves "
                              "the second ramp.",
                  "Paths of all models, the terrain and the exact path.");
    plot_paths(s, r, c->h, "The tip of the first tooth", (double[4]){1.2, 2.8, .4, 1.4},
               "detail.png");
    report_figure(r, "detail.png",
                  c->mu > 0 ? "[F Fig. 15] The same near the beginning of the second flight."
                            : "[F Fig. 11] With Stewart-Trinkle the particle stays constrained "
                              "beyond the end of the ramp, then leaves with a high velocity.",
                  "The same, nearer.");
    plot_errors(s, r, "No such figure at these step sizes; see step-size-2d.");
    plot_costs(s, r, "[F Fig. 12] From 2 (no constraint) upwards; PEG's is a little larger.",
               "[F Fig. 13] Goes with the size; PEG is at a slight disadvantage.");
    if (c->mu > 0)
        check_friction(s, r);
    else
        check_sawtooth(s, r);
}

/* Largest distance of a start's samples from those of peg at the smallest h; NaN without. */
static double sample_error(const experiment_table *t, const experiment_table *truth, long start)
{
    double largest = NAN;
    if (!t || !truth || start >= t->rows || start >= truth->rows) return NAN;
    const double *a = t->value + start * t->columns + START_SAMPLES;
    const double *b = truth->value + start * truth->columns + START_SAMPLES;
    for (int i = 0; i < SAMPLES; i++) /* NaN where no step ends */
        largest = fmax(largest, hypot(a[2 * i] - b[2 * i], a[2 * i + 1] - b[2 * i + 1]));
    return largest;
}

/* The error as the papers take it: against PEG at the smallest h. */
static void tabulate_paper_truth(experiment_study *s, lab_report *r)
{
    static const char *const heads[] = {"model", "h, s", "median, m", "mean, m"};
    const experiment_table *truth = experiment_find(s, LAB_PEG, s->h[0], SET_STARTS);
    double error[STARTS];
    if (!truth) return;
    report_text(r,
                "The same against the paper's truth, which is PEG at the smallest h (%g): "
                "largest distance at the multiples of %g s, where a step ends.",
                s->h[0], SAMPLE_EVERY);
    report_table(r, heads, 4);
    for (int m = 0; m < s->models; m++)
        for (int k = 0; k < s->hs; k++) {
            const experiment_table *t = experiment_find(s, (int)s->model[m], s->h[k], SET_STARTS);
            double sum = 0;
            for (int i = 0; i < STARTS; i++) sum += error[i] = sample_error(t, truth, i);
            report_cell(r, "%s", lab_contact_name(s->model[m]));
            report_cell(r, "%g", s->h[k]);
            report_cell(r, "%.3g", lab_quantile(error, STARTS, .5));
            report_cell(r, "%.3g", sum / STARTS);
            report_row_end(r);
        }
    report_table_end(r);
}

void report_step_sizes(experiment_study *s, lab_report *r)
{
    static const double window[4] = {-1, 7, -.7, 2.2};
    static const char *const file[] = {"path-1e-4.png", "path-1e-3.png", "path-1e-2.png",
                                       "path-1e-1.png"};
    static const double h[] = {1e-4, 1e-3, 1e-2, 1e-1};
    plot_errors(s, r,
                "[F Fig. 18] Error over h: PEG's is two orders of magnitude below "
                "Stewart-Trinkle's at each step size (mean in the text, median in the caption); "
                "PEG at 1e-2 is as accurate as Stewart-Trinkle at about 1e-4.");
    tabulate_paper_truth(s, r);
    for (int k = 0; k < 4; k++) {
        char title[80];
        snprintf(title, sizeof title, "Paths at h = %g", h[k]);
        plot_paths(s, r, h[k], title, window, file[k]);
        report_figure(r, file[k],
                      "[F Fig. 16, 17] Paths of both methods at 1e-4 to 1e-1: those at 1e-1 "
                      "differ; Stewart-Trinkle's coarse path sticks where two extended edges "
                      "meet, its fine one is thrown off.",
                      "The paper's start.");
    }
    report_heading(r, "Problem sizes and solver times");
    experiment_tabulate(s, r, START_SIZE, "size", "velocities and rows, mean of a run's steps");
    experiment_tabulate(s, r, START_SOLVE, "solver-time", "ms per step, mean of a run's steps");
    experiment_tabulate(s, r, START_STEP, "step-time", "ms, mean of a run's steps");
    check_sawtooth(s, r);
}
