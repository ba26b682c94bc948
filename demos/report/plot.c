/* Line plots with cairo. */
#include "demos/report/plot.h"

#include <cairo/cairo.h>
#include <math.h>
#include <stdio.h>

#define WIDTH  820
#define HEIGHT 520
#define LEFT   92
#define RIGHT  170 /* the legend */
#define TOP    44
#define BOTTOM 60

static const double colours[][3] = {
    {0, 0, 0},      {.0, .35, .75}, {.85, .25, .15}, {.1, .6, .25},
    {.6, .35, .75}, {.9, .6, .05},  {.1, .65, .7},   {.55, .4, .3},
};
#define COLOURS ((int)(sizeof colours / sizeof colours[0]))

typedef struct axis {
    double low, high; /* logarithms if log */
    double from, to;  /* pixels */
    int log;
} axis;

typedef struct canvas {
    cairo_t *cr;
    axis x, y;
    double floor;
} canvas;

static double place(const axis *a, double v)
{
    double u = a->log ? log10(v) : v;
    return a->from + (u - a->low) / (a->high - a->low) * (a->to - a->from);
}

/* A value as it is drawn; NaN: not at all. */
static double shown(const axis *a, double v, double floor)
{
    if (!isfinite(v)) return NAN;
    if (!a->log) return v;
    if (floor > 0 && v < floor) return floor;
    return v > 0 ? v : NAN;
}

static void widen(axis *a, const double *v, int n, double floor)
{
    for (int i = 0; v && i < n; i++) {
        double s = shown(a, v[i], floor);
        if (isnan(s)) continue;
        double u = a->log ? log10(s) : s;
        a->low = fmin(a->low, u), a->high = fmax(a->high, u);
    }
}

static void settle_range(axis *a, const double range[2])
{
    if (range[0] < range[1]) {
        a->low = a->log ? log10(range[0]) : range[0];
        a->high = a->log ? log10(range[1]) : range[1];
        return;
    }
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    double pad = a->high > a->low ? .04 * (a->high - a->low) : a->log ? .5 : .5 + fabs(a->low);
    a->low -= pad, a->high += pad;
}

static void set_ranges(canvas *c, const plot *p)
{
    c->floor = p->floor;
    c->x = (axis){INFINITY, -INFINITY, LEFT, WIDTH - RIGHT, p->log_x};
    c->y = (axis){INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP, p->log_y};
    for (int i = 0; i < p->count; i++) {
        const plot_series *s = &p->series[i];
        widen(&c->x, s->x, s->n, 0);
        widen(&c->y, s->y, s->n, p->floor);
        widen(&c->y, s->low, s->n, p->floor);
        widen(&c->y, s->high, s->n, p->floor);
    }
    settle_range(&c->x, p->x_range);
    settle_range(&c->y, p->y_range);
    if (!p->equal) return;
    double sx = (c->x.high - c->x.low) / (c->x.to - c->x.from);
    double sy = (c->y.high - c->y.low) / (c->y.from - c->y.to);
    axis *a = sx < sy ? &c->x : &c->y;
    double more = .5 * (a->high - a->low) * (fmax(sx, sy) / fmin(sx, sy) - 1);
    a->low -= more, a->high += more;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void say(cairo_t *cr, double x, double y, double align, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    cairo_move_to(cr, x - align * e.x_advance, y);
    cairo_show_text(cr, text);
}

static void tick(canvas *c, int vertical, double v, const char *text)
{
    cairo_t *cr = c->cr;
    const axis *a = vertical ? &c->y : &c->x;
    double at = floor(place(a, v)) + .5;
    cairo_set_source_rgb(cr, .88, .88, .88);
    cairo_set_line_width(cr, 1);
    cairo_move_to(cr, vertical ? c->x.from : at, vertical ? at : c->y.from);
    cairo_line_to(cr, vertical ? c->x.to : at, vertical ? at : c->y.to);
    cairo_stroke(cr);
    cairo_set_source_rgb(cr, .1, .1, .1);
    if (vertical)
        say(cr, c->x.from - 6, at + 4, 1, text);
    else
        say(cr, at, c->y.from + 18, .5, text);
}

static void log_ticks(canvas *c, int vertical)
{
    const axis *a = vertical ? &c->y : &c->x;
    int first = (int)ceil(a->low - 1e-9), end = (int)floor(a->high + 1e-9);
    int stride = 1 + (end - first) / 9;
    char text[40];
    int fine = end - first < 1;
    for (int k = first - 1; fine && k <= end + 1; k++)
        for (int m = 1; m < 10; m += m == 5 ? 5 : m == 2 ? 3 : 1) {
            double v = m * pow(10, k);
            if (log10(v) < a->low || log10(v) > a->high) continue;
            snprintf(text, sizeof text, "%.3g", v);
            tick(c, vertical, v, text);
        }
    for (int k = first; !fine && k <= end; k++) {
        if ((k - first) % stride) continue;
        double v = pow(10, k);
        int low = vertical && c->floor > 0 && v <= c->floor * 1.0001;
        snprintf(text, sizeof text, "%s%.3g", low ? "\xe2\x89\xa4 " : "", v);
        tick(c, vertical, v, text);
    }
}

static void linear_ticks(canvas *c, int vertical)
{
    const axis *a = vertical ? &c->y : &c->x;
    double rough = (a->high - a->low) / 6, unit = pow(10, floor(log10(rough)));
    double step = unit * (rough / unit > 5 ? 10 : rough / unit > 2 ? 5 : rough / unit > 1 ? 2 : 1);
    char text[40];
    for (double v = step * ceil(a->low / step); v <= a->high; v += step) {
        snprintf(text, sizeof text, "%.4g", fabs(v) < 1e-9 * step ? 0 : v);
        tick(c, vertical, v, text);
    }
}

static void draw_axes(canvas *c, const plot *p)
{
    cairo_t *cr = c->cr;
    cairo_set_font_size(cr, 12);
    for (int vertical = 0; vertical < 2; vertical++) {
        if ((vertical ? c->y : c->x).log)
            log_ticks(c, vertical);
        else
            linear_ticks(c, vertical);
    }
    cairo_set_source_rgb(cr, .1, .1, .1);
    cairo_rectangle(cr, c->x.from + .5, c->y.to + .5, c->x.to - c->x.from, c->y.from - c->y.to);
    cairo_stroke(cr);
    cairo_set_font_size(cr, 13);
    say(cr, .5 * (c->x.from + c->x.to), HEIGHT - 16, .5, p->x_label);
    cairo_save(cr);
    cairo_translate(cr, 18, .5 * (c->y.from + c->y.to));
    cairo_rotate(cr, -.5 * acos(-1));
    say(cr, 0, 0, .5, p->y_label);
    cairo_restore(cr);
    cairo_set_font_size(cr, 15);
    say(cr, c->x.from, 26, 0, p->title);
}

/* ---- series ---------------------------------------------------------------------------------- */

static void colour(cairo_t *cr, int i, double alpha)
{
    const double *rgb = colours[i % COLOURS];
    cairo_set_source_rgba(cr, rgb[0], rgb[1], rgb[2], alpha);
}

static void draw_band(canvas *c, const plot_series *s)
{
    cairo_t *cr = c->cr;
    int any = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->n; k++) {
            int i = pass ? s->n - 1 - k : k;
            double x = shown(&c->x, s->x[i], 0);
            double y = shown(&c->y, (pass ? s->high : s->low)[i], c->floor);
            if (isnan(x) || isnan(y)) continue;
            if (any++)
                cairo_line_to(cr, place(&c->x, x), place(&c->y, y));
            else
                cairo_move_to(cr, place(&c->x, x), place(&c->y, y));
        }
    cairo_close_path(cr);
    colour(cr, s->colour, .15);
    cairo_fill(cr);
}

static void draw_line(canvas *c, const plot_series *s)
{
    cairo_t *cr = c->cr;
    const double dash[2] = {6, 4};
    int open = 0;
    colour(cr, s->colour, 1);
    cairo_set_line_width(cr, s->width > 0 ? s->width : 1.8);
    cairo_set_dash(cr, dash, s->dashed ? 2 : 0, 0);
    for (int i = 0; i < s->n; i++) {
        double x = shown(&c->x, s->x[i], 0), y = shown(&c->y, s->y[i], c->floor);
        if (isnan(x) || isnan(y)) {
            open = 0;
        } else if (open) {
            cairo_line_to(cr, place(&c->x, x), place(&c->y, y));
        } else {
            cairo_move_to(cr, place(&c->x, x), place(&c->y, y));
            open = 1;
        }
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, dash, 0, 0);
    for (int i = 0; s->marks && i < s->n; i++) {
        double x = shown(&c->x, s->x[i], 0), y = shown(&c->y, s->y[i], c->floor);
        if (isnan(x) || isnan(y)) continue;
        cairo_arc(cr, place(&c->x, x), place(&c->y, y), 3, 0, 2 * acos(-1));
        cairo_fill(cr);
    }
}

static void draw_legend(canvas *c, const plot *p)
{
    cairo_t *cr = c->cr;
    const double dash[2] = {6, 4};
    double y = TOP + 12;
    cairo_set_font_size(cr, 12);
    for (int i = 0; i < p->count; i++) {
        const plot_series *s = &p->series[i];
        if (!s->label) continue;
        colour(cr, s->colour, 1);
        cairo_set_line_width(cr, 2);
        cairo_set_dash(cr, dash, s->dashed ? 2 : 0, 0);
        cairo_move_to(cr, WIDTH - RIGHT + 12, y - 4);
        cairo_line_to(cr, WIDTH - RIGHT + 36, y - 4);
        cairo_stroke(cr);
        cairo_set_dash(cr, dash, 0, 0);
        cairo_set_source_rgb(cr, .1, .1, .1);
        say(cr, WIDTH - RIGHT + 42, y, 0, s->label);
        y += 19;
    }
}

int plot_write(const plot *p, const char *path)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    canvas c = {.cr = cairo_create(image)};
    set_ranges(&c, p);
    cairo_set_source_rgb(c.cr, 1, 1, 1);
    cairo_paint(c.cr);
    cairo_select_font_face(c.cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    draw_axes(&c, p);
    cairo_save(c.cr);
    cairo_rectangle(c.cr, c.x.from, c.y.to - 3, c.x.to - c.x.from, c.y.from - c.y.to + 6);
    cairo_clip(c.cr);
    for (int i = 0; i < p->count; i++)
        if (p->series[i].low) draw_band(&c, &p->series[i]);
    for (int over = 0; over < 2; over++)
        for (int i = 0; i < p->count; i++)
            if (p->series[i].over == over) draw_line(&c, &p->series[i]);
    cairo_restore(c.cr);
    draw_legend(&c, p);
    int bad = cairo_status(c.cr) != CAIRO_STATUS_SUCCESS;
    cairo_destroy(c.cr);
    bad |= cairo_surface_write_to_png(image, path) != CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(image);
    return bad;
}
