/* Pictures of end states, side by side: a depth buffer for the bodies, cairo for the captions.
 *
 * Orthographic, from above; whatever static part stands between the eye and a body is left out. */
#include <cairo/cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/report/draw.h"
#include "demos/report/output.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

#define CAPTION 64

/* ---- where to look --------------------------------------------------------------------------- */

/* Up is against gravity (or z). */
static void look(const lab_world *w, lab_eye *e)
{
    double up[3] = {-w->gravity[0], -w->gravity[1], -w->gravity[2]}, away[3] = {1, 0, 0};
    if (peg_normalise(up) == 0) up[2] = 1;
    if (fabs(up[0]) > .6) away[0] = 0, away[1] = 1;
    peg_cross(up, away, e->right); /* level, then turned a little to the side */
    peg_normalise(e->right);
    peg_cross(e->right, up, away);
    for (int k = 0; k < 3; k++) e->back[k] = .30 * e->right[k] - .78 * away[k] + .55 * up[k];
    peg_normalise(e->back);
    peg_cross(up, e->back, e->right);
    peg_normalise(e->right);
    peg_cross(e->back, e->right, e->up);
}

/* Grows the box low..high, in the eye's axes, by a body that has not left the scene's bounds. */
static void include_body(const lab_world *w, const lab_body *b, const lab_eye *e, double low[3],
                         double high[3])
{
    double x[3];
    lab_pose(b, x, NULL);
    for (int k = 0; k < 3 && w->has_bounds; k++)
        if (x[k] < w->low[k] || x[k] > w->high[k]) return;
    for (int p = 0; p < b->parts; p++)
        for (int i = 0; i < b->part[p].placed->nv; i++) {
            const double *v = b->part[p].placed->vertex[i], round = b->part[p].placed->round;
            double at[3] = {peg_dot(e->right, v), peg_dot(e->up, v), peg_dot(e->back, v)};
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], at[k] - round);
                high[k] = fmax(high[k], at[k] + round);
            }
        }
}

/* The corners of what the scene asks for. */
static void include_view(const lab_world *w, const lab_eye *e, double low[3], double high[3])
{
    for (int i = 0; i < 8; i++) {
        double corner[3], at[3];
        for (int k = 0; k < 3; k++) corner[k] = w->scale * w->view[i >> k & 1][k];
        peg_rotate(w->turn, corner, corner);
        at[0] = peg_dot(e->right, corner), at[1] = peg_dot(e->up, corner);
        at[2] = peg_dot(e->back, corner);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
    }
}

/* The same frame for all states: all moving bodies that did not get lost, with some surroundings.
 */
static void frame(const lab_result *results, int n, lab_eye *e)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < n; i++) {
        const lab_world *w = results[i].w;
        if (w && w->has_view) include_view(w, e, low, high);
        for (int b = 0; w && !w->has_view && b < w->bodies; b++)
            if (w->body[b]->kind != LAB_STATIC && w->body[b]->present)
                include_body(w, w->body[b], e, low, high);
    }
    for (int k = 0; k < 3; k++)
        if (!(low[k] <= high[k])) low[k] = -1, high[k] = 1;
    for (int k = 0; k < 3; k++)
        e->centre[k] = .5 * ((low[0] + high[0]) * e->right[k] + (low[1] + high[1]) * e->up[k] +
                             (low[2] + high[2]) * e->back[k]);
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    e->zoom = LAB_PANEL * LAB_SAMPLES / (1.5 * fmax(size, 1e-12));
}

/* A colour for the i-th body: hues that stay apart; red is kept for bodies that overlap. */
static void body_colour(int i, double rgb[3])
{
    double hue = fmod(.13 + .618033988749895 * i, 1) * .75 + .1;
    for (int k = 0; k < 3; k++)
        rgb[k] = .93 -
                 .42 * lab_clamp(2 - fabs(fmod(6 * hue + 2. * (k == 1 ? 2 : k == 2), 6) - 3), 0, 1);
}

/* The redder the deeper; full at a fiftieth of the size. */
static void redden(double colour[3], double depth)
{
    static const double red[3] = {.93, .2, .15};
    double t = lab_clamp(50 * depth, 0, 1);
    for (int k = 0; k < 3; k++) colour[k] += t * (red[k] - colour[k]);
}

static void draw_world(lab_canvas *c, const lab_eye *e, lab_world *w)
{
    double volume, depth, *deep = calloc((size_t)w->bodies + 1, sizeof *deep);
    lab_measure(w, 1, &volume, &depth, deep);
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double colour[3] = {.95, .95, .93};
        if (b->kind != LAB_STATIC) body_colour(i, colour);
        if (b->kind == LAB_DYNAMIC && deep) redden(colour, deep[i] / cbrt(b->volume));
        if (b->present && !b->is_plane) lab_draw_body(c, e, b, colour);
    }
    free(deep);
}

/* Averages the samples of each pixel into a cairo image at column x0. */
static void copy_panel(const lab_canvas *c, cairo_surface_t *image, int x0)
{
    unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < LAB_PANEL; y++)
        for (int x = 0; x < LAB_PANEL; x++) {
            unsigned sum[3] = {0, 0, 0};
            for (int s = 0; s < LAB_SAMPLES * LAB_SAMPLES; s++) {
                int at = (y * LAB_SAMPLES + s / LAB_SAMPLES) * c->size + x * LAB_SAMPLES +
                         s % LAB_SAMPLES;
                for (int k = 0; k < 3; k++) sum[k] += c->rgb[3 * at + k];
            }
            unsigned pixel = 0;
            for (int k = 0; k < 3; k++) pixel = pixel << 8 | sum[k] / (LAB_SAMPLES * LAB_SAMPLES);
            memcpy(data + (y + CAPTION) * stride + 4 * (x + x0), &pixel, 4);
        }
}

static void write_captions(cairo_t *cr, const lab_result *r, int x0)
{
    static const char *const models[LAB_CONTACT_COUNT] = {
        [LAB_PEG] = "exact contacts (peg)",       [LAB_ST] = "standard model (st)",
        [LAB_PAPER] = "PEG as published (paper)", [LAB_LNC] = "locally non-convex model (lnc)",
        [LAB_AP] = "Anitescu-Potra (ap)",         [LAB_LP] = "signed separation (lp)",
        [LAB_RATIO] = "ratio metric (ratio)",     [LAB_ODE] = "stock ODE",
        [LAB_ODE_QUICK] = "stock ODE, QuickStep",
    };
    char text[160];
    cairo_set_source_rgb(cr, .1, .1, .1);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cr, 20);
    cairo_move_to(cr, x0 + 16, 28);
    snprintf(text, sizeof text, "%s: %s", r->w->scene->name, models[r->w->options.contact]);
    cairo_show_text(cr, text);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, 14);
    cairo_move_to(cr, x0 + 16, 52);
    double mean = lab_mean_volume(r->w);
    snprintf(text, sizeof text,
             "t = %.3g s; overlap at most %.3g %% of a body, lost %d; red: how deep it is now",
             lab_time(r->w), mean > 0 ? 100 * lab_quantile(r->volume, r->steps, 1) / mean : 0,
             lab_escaped(r->w));
    cairo_show_text(cr, text);
}

static void draw_panel(lab_canvas *c, cairo_t *cr, cairo_surface_t *image, const lab_result *r,
                       const lab_eye *e, int x0)
{
    for (int i = 0; i < c->size * c->size; i++) c->depth[i] = -INFINITY;
    memset(c->rgb, 255, 3 * (size_t)c->size * (size_t)c->size);
    draw_world(c, e, r->w);
    copy_panel(c, image, x0);
    cairo_surface_mark_dirty(image);
    write_captions(cr, r, x0);
}

int lab_picture(const char *path, const lab_result *results, int n)
{
    lab_eye e = {0};
    int shown = 0, at = 0;
    for (int i = 0; i < n; i++) shown += results[i].w != NULL;
    if (shown == 0) return 1;
    for (int i = n - 1; i >= 0; i--)
        if (results[i].w) look(results[i].w, &e);
    frame(results, n, &e);
    lab_canvas c = {.size = LAB_PANEL * LAB_SAMPLES};
    size_t samples = (size_t)c.size * (size_t)c.size;
    c.depth = malloc(samples * sizeof *c.depth);
    c.rgb = malloc(3 * samples);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, LAB_PANEL * shown, LAB_PANEL + CAPTION);
    cairo_t *cr = cairo_create(image);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_surface_flush(image);
    int whole = c.depth && c.rgb && cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    for (int i = 0; whole && i < n; i++)
        if (results[i].w) draw_panel(&c, cr, image, &results[i], &e, LAB_PANEL * at++);
    cairo_destroy(cr);
    if (whole) whole = cairo_surface_write_to_png(image, path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(image);
    free(c.depth);
    free(c.rgb);
    return !whole;
}
