/* What the bench found: a table, exponents of the growth of cost, a plot. */
#include "demos/bench/bench.h"

#include <cairo/cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const phases[] = {"moving", "settled"};
static const char *const piles[] = {"pile-boxes", "pile-convex"};
static const double mus[] = {.5, 0};

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "-";
}

/* NAN: null or missing. */
static double number_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int has(const json_t *o, const char *key, const char *text)
{
    return !strcmp(text_of(o, key), text);
}

/* Time ran out before the state was reached that is to be measured. */
static int is_early(const json_t *r)
{
    return json_is_true(json_object_get(r, "early"));
}

/* Fewer steps than wanted, a failed one, or too early: in the table, but no point of a curve. */
static int is_complete(const json_t *r)
{
    return json_is_true(json_object_get(r, "complete"));
}

/* ---- curves of cost over number of bodies ---------------------------------------------------- */

enum { POINTS_MAX = 16 };

typedef struct curve {
    int n;
    double bodies[POINTS_MAX], ms[POINTS_MAX];
} curve;

static curve curve_of(const json_t *records, const char *scene, double mu, const char *phase,
                      const char *model)
{
    curve c = {0};
    size_t i;
    json_t *r;
    json_array_foreach(records, i, r)
    {
        double ms = number_of(r, "cpu_ms");
        if (!has(r, "scene", scene) || !has(r, "phase", phase) || !has(r, "model", model) ||
            bench_mu_of(r) != mu || !(ms > 0) || !is_complete(r) || c.n == POINTS_MAX)
            continue;
        c.bodies[c.n] = number_of(r, "n");
        c.ms[c.n++] = ms;
    }
    return c;
}

/* Slope of log cost over log number from 100 bodies on; NAN with fewer than two points. */
static double exponent_of(const curve *c)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->bodies[i] < 100) continue;
        double u = log(c->bodies[i]), v = log(c->ms[i]);
        n++, x += u, y += v, xx += u * u, xy += u * v;
    }
    return n < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

json_t *bench_exponents(const json_t *records)
{
    json_t *list = json_array();
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++)
            for (int u = 0; u < 2; u++)
                for (int m = 0; m < LAB_CONTACT_COUNT; m++) {
                    const char *model = lab_contact_name((lab_contact)m);
                    curve c = curve_of(records, piles[s], mus[u], phases[p], model);
                    double e = exponent_of(&c);
                    if (isnan(e)) continue;
                    json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s, s:o, s:o}", "scene",
                                                          piles[s], "mu", lab_number(mus[u]),
                                                          "phase", phases[p], "model", model,
                                                          "exponent", lab_number(e), "n_to",
                                                          lab_number(c.bodies[c.n - 1])));
                }
    return list;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void number(FILE *f, int width, const char *format, double x)
{
    char text[64] = "-";
    if (!isnan(x)) snprintf(text, sizeof text, format, x);
    fprintf(f, " %*s", width, text);
}

static void case_columns(FILE *f, const json_t *r)
{
    fprintf(f, "%-11s %4.0f %4.1f %-7s %-9s", text_of(r, "scene"), number_of(r, "n"),
            bench_mu_of(r), text_of(r, "phase"), text_of(r, "model"));
}

static void record_line(FILE *f, const json_t *r)
{
    static const char *const parts[] = {"pairs", "rows", "solve", "check", "ode"};
    const json_t *phase_ms = json_object_get(r, "phase_ms");
    case_columns(f, r);
    number(f, 9, "%.4g", number_of(r, "cpu_ms"));
    number(f, 9, "%.4g", number_of(r, "step_ms"));
    number(f, 8, "%.3g", number_of(r, "cpu_ratio_quick"));
    number(f, 8, "%.3g", number_of(r, "cpu_ratio_ode"));
    for (int i = 0; i < 5; i++) number(f, 8, "%.3g", number_of(phase_ms, parts[i]));
    number(f, 6, "%.0f", number_of(r, "rows"));
    number(f, 5, "%.2f", number_of(r, "outer_mean"));
    number(f, 8, "%.1e", number_of(r, "depth_max"));
    number(f, 8, "%.1e", number_of(r, "overlap_volume_max"));
    number(f, 8, "%.1e", number_of(r, "drift"));
    number(f, 8, "%.1e", number_of(r, "speed_max"));
    number(f, 6, "%.0f", number_of(r, "bytes_per_row"));
    number(f, 5, "%.0f", number_of(r, "steps"));
    fprintf(f, "%s\n",
            json_object_get(r, "failed") ? "  FAILED"
            : is_early(r)                ? "  early"
            : is_complete(r)             ? ""
                                         : "  incomplete");
}

static void accuracy_lines(FILE *f, const json_t *list)
{
    size_t i;
    json_t *r;
    if (json_array_size(list) == 0) return;
    fprintf(f,
            "\nequal accuracy: the cheapest step that keeps depth below 1 %% of a body for one "
            "second, and what that second costs\n%-11s %4s %4s %-7s %-9s %8s %10s %10s %8s %8s\n",
            "scene", "n", "mu", "phase", "model", "h, s", "cpu, ms", "at least", "/quick", "/ode");
    json_array_foreach(list, i, r)
    {
        case_columns(f, r);
        number(f, 8, "%g", number_of(r, "h"));
        number(f, 10, "%.4g", number_of(r, "second_ms"));
        number(f, 10, "%.4g", number_of(r, "second_ms_at_least"));
        number(f, 8, "%.2g", number_of(r, "ratio_quick"));
        number(f, 8, "%.2g", number_of(r, "ratio_ode"));
        fprintf(f, "\n");
    }
    fprintf(f, "(at least: no step size was found; ratios to such a model are upper bounds)\n");
}

static void heading(FILE *f)
{
    static const char *const head[][2] = {
        {"cpu", "ms"},       {"wall", "ms"},  {"/quick", "1"}, {"/ode", "1"},  {"pairs", "ms"},
        {"rows", "ms"},      {"solve", "ms"}, {"check", "ms"}, {"ode", "ms"},  {"rows", "1"},
        {"outer", "1"},      {"depth", "m"},  {"volume", "1"}, {"drift", "m"}, {"speed", "m/s"},
        {"memory", "B/row"}, {"steps", "1"},
    };
    static const int width[] = {9, 9, 8, 8, 8, 8, 8, 8, 8, 6, 5, 8, 8, 8, 8, 6, 5};
    for (int unit = 0; unit < 2; unit++) {
        fprintf(f, "%-11s %4s %4s %-7s %-9s", unit ? "" : "scene", unit ? "1" : "n",
                unit ? "1" : "mu", unit ? "" : "phase", unit ? "" : "model");
        for (size_t i = 0; i < sizeof head / sizeof *head; i++)
            fprintf(f, " %*s", width[i], head[i][unit]);
        fprintf(f, "\n");
    }
}

/* Beside an earlier run on this machine. */
static void change_lines(FILE *f, const json_t *list)
{
    size_t i;
    json_t *r;
    if (json_array_size(list) == 0) return;
    fprintf(f, "\nbeside the kept run of this machine: /quick then and now\n");
    json_array_foreach(list, i, r)
        fprintf(f, "%-40s %8.3g %8.3g%s\n", text_of(r, "case"), number_of(r, "then"),
                number_of(r, "now"), json_is_true(json_object_get(r, "slower")) ? "  slower" : "");
}

void bench_table(FILE *f, const json_t *report)
{
    size_t i;
    json_t *r;
    heading(f);
    json_array_foreach(json_object_get(report, "records"), i, r) record_line(f, r);
    fprintf(f,
            "(medians of steps; cpu: processor time, /quick, /ode: its ratio to dWorldQuickStep's "
            "and dWorldStep's; volume of the overlap in mean bodies; depth, volume, drift, speed: "
            "largest; early: time ran out before all bodies moved or were at rest; incomplete: "
            "fewer steps than wanted)\n");
    accuracy_lines(f, json_object_get(report, "equal_accuracy"));
    json_t *list = json_object_get(report, "exponents");
    if (json_array_size(list)) fprintf(f, "\ncost grows as N^e from 100 bodies on\n");
    json_array_foreach(list, i, r) fprintf(
        f, "%-11s mu %-3g %-7s %-9s e = %.2f (to %.0f)\n", text_of(r, "scene"), number_of(r, "mu"),
        text_of(r, "phase"), text_of(r, "model"), number_of(r, "exponent"), number_of(r, "n_to"));
    change_lines(f, json_object_get(report, "changes"));
    list = json_object_get(report, "skipped");
    if (json_array_size(list)) fprintf(f, "\nskipped\n");
    json_array_foreach(list, i, r) fprintf(f, "%s\n", json_string_value(r));
}

/* ---- plot ------------------------------------------------------------------------------------ */

#define PANEL_WIDTH  520. /* pixels */
#define PANEL_HEIGHT 400.
#define EDGE         56.

static const double MS_LOW = 1e-2, MS_HIGH = 1e4, N_LOW = 7, N_HIGH = 15000;
static const double GUIDE = 1.1; /* exponent of the line to compare with */

static const double colours[LAB_CONTACT_COUNT][3] = {
    [LAB_PEG] = {.85, .2, .1},   [LAB_ST] = {.95, .6, .1},
    [LAB_PAPER] = {.2, .6, .2},  [LAB_LNC] = {.6, .8, .2},
    [LAB_AP] = {.6, .2, .7},     [LAB_LP] = {.1, .7, .7},
    [LAB_RATIO] = {.9, .4, .6},  [LAB_ST_PUBLISHED] = {.75, .45, .1},
    [LAB_ODE] = {.25, .25, .25}, [LAB_ODE_QUICK] = {.1, .4, .8}};

static double across(double n)
{
    return EDGE + (PANEL_WIDTH - 1.5 * EDGE) * log(n / N_LOW) / log(N_HIGH / N_LOW);
}

/* What lies beyond the panel is drawn at its edge. */
static double down(double ms)
{
    double part = log(fmin(fmax(ms, MS_LOW), MS_HIGH) / MS_LOW) / log(MS_HIGH / MS_LOW);
    return PANEL_HEIGHT - EDGE - (PANEL_HEIGHT - 2 * EDGE) * part;
}

static void line(cairo_t *cr, double n0, double ms0, double n1, double ms1)
{
    cairo_move_to(cr, across(n0), down(ms0));
    cairo_line_to(cr, across(n1), down(ms1));
    cairo_stroke(cr);
}

static void label(cairo_t *cr, double x, double y, const char *text)
{
    cairo_move_to(cr, x, y);
    cairo_show_text(cr, text);
}

static void draw_axes(cairo_t *cr, const char *scene, const char *phase)
{
    static const double ticks[] = {10, 30, 100, 300, 1000, 3000, 10000};
    char text[64];
    cairo_set_line_width(cr, 1);
    cairo_set_font_size(cr, 12);
    for (double ms = MS_LOW; ms < MS_HIGH * 1.01; ms *= 10) {
        cairo_set_source_rgb(cr, .88, .88, .88);
        line(cr, N_LOW, ms, N_HIGH, ms);
        cairo_set_source_rgb(cr, .2, .2, .2);
        snprintf(text, sizeof text, "%g", ms);
        label(cr, 12, down(ms) + 4, text);
    }
    for (int i = 0; i < 7; i++) {
        cairo_set_source_rgb(cr, .88, .88, .88);
        line(cr, ticks[i], MS_LOW, ticks[i], MS_HIGH);
        cairo_set_source_rgb(cr, .2, .2, .2);
        snprintf(text, sizeof text, "%g", ticks[i]);
        label(cr, across(ticks[i]) - 10, PANEL_HEIGHT - EDGE + 18, text);
    }
    label(cr, PANEL_WIDTH / 2 - 20, PANEL_HEIGHT - EDGE + 36, "bodies");
    cairo_set_font_size(cr, 15);
    snprintf(text, sizeof text, "%s, %s: processor time, ms per step", scene, phase);
    label(cr, EDGE, EDGE - 26, text);
}

/* Through the first point of 100 bodies or more. */
static void draw_guide(cairo_t *cr, const curve *c)
{
    int at = 0;
    while (at < c->n && c->bodies[at] < 100) at++;
    if (at == c->n) return;
    double to = c->ms[at] * pow(10000 / c->bodies[at], GUIDE);
    cairo_set_source_rgb(cr, .6, .6, .6);
    if (to < MS_HIGH) line(cr, c->bodies[at], c->ms[at], 10000, to);
}

static void draw_panel(cairo_t *cr, const json_t *records, const char *scene, const char *phase)
{
    static const double solid[] = {1}, dashed[] = {6, 4};
    draw_axes(cr, scene, phase);
    for (int m = 0; m < LAB_CONTACT_COUNT; m++) {
        const char *model = lab_contact_name((lab_contact)m);
        for (int u = 0; u < 2; u++) {
            curve c = curve_of(records, scene, mus[u], phase, model);
            cairo_set_line_width(cr, 1);
            if (m == LAB_PEG && u == 0) draw_guide(cr, &c);
            cairo_set_line_width(cr, 2);
            cairo_set_dash(cr, u ? dashed : solid, u ? 2 : 0, 0);
            cairo_set_source_rgb(cr, colours[m][0], colours[m][1], colours[m][2]);
            for (int i = 0; i < c.n; i++) {
                cairo_new_path(cr);
                cairo_arc(cr, across(c.bodies[i]), down(c.ms[i]), 3, 0, 7);
                cairo_fill(cr);
                if (i) line(cr, c.bodies[i - 1], c.ms[i - 1], c.bodies[i], c.ms[i]);
            }
            cairo_set_dash(cr, solid, 0, 0);
        }
        cairo_set_font_size(cr, 13);
        label(cr, EDGE + 10, EDGE + 14 + 17 * m, model);
    }
    cairo_set_source_rgb(cr, .4, .4, .4);
    cairo_set_font_size(cr, 11);
    label(cr, EDGE + 80, EDGE + 14, "solid: mu .5; dashed: mu 0; grey: N^1.2");
}

int bench_plot(const char *path, const json_t *records)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(2 * PANEL_WIDTH),
                                                        (int)(2 * PANEL_HEIGHT));
    cairo_t *cr = cairo_create(image);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    for (int s = 0; s < 2; s++)
        for (int p = 0; p < 2; p++) {
            cairo_save(cr);
            cairo_translate(cr, PANEL_WIDTH * p, PANEL_HEIGHT * s);
            draw_panel(cr, records, piles[s], phases[p]);
            cairo_restore(cr);
        }
    int whole = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    if (whole) whole = cairo_surface_write_to_png(image, path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(image);
    return !whole;
}
