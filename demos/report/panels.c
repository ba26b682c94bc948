/* Panels: a depth buffer for the bodies, cairo for captions.
 *
 * Orthographic, from above; whatever static part stands between the eye and a body is left out. */
#include "demos/report/panels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

#define FRAMES_SEEN 24 /* that the camera's room is found from */

/* ---- where to look --------------------------------------------------------------------------- */

/* Up is against gravity (or z); planar scenes are seen along z. */
static void look(const lab_trace *t, lab_eye *e)
{
    static const double plane[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double up[3] = {-t->gravity[0], -t->gravity[1], -t->gravity[2]}, away[3] = {1, 0, 0};
    if (t->is_planar) {
        peg_copy3(plane[0], e->right), peg_copy3(plane[1], e->up), peg_copy3(plane[2], e->back);
        return;
    }
    if (peg_normalise(up) == 0) up[2] = 1;
    if (fabs(up[0]) > .6) away[0] = 0, away[1] = 1;
    peg_cross(up, away, e->right); /* level, then turned a little to the side */
    peg_normalise(e->right);
    peg_cross(e->right, up, away);
    for (int k = 0; k < 3; k++) e->back[k] = .30 * e->right[k] - .78 * away[k] + .55 * up[k];
    if (t->has_camera) peg_copy3(t->camera, e->back);
    peg_normalise(e->back);
    peg_cross(up, e->back, e->right);
    peg_normalise(e->right);
    peg_cross(e->back, e->right, e->up);
}

static void include_point(const lab_eye *e, const double x[3], double round, double low[3],
                          double high[3])
{
    const double at[3] = {peg_dot(e->right, x), peg_dot(e->up, x), peg_dot(e->back, x)};
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], at[k] - round);
        high[k] = fmax(high[k], at[k] + round);
    }
}

static int has_escaped(const lab_trace *t, const double x[3])
{
    for (int k = 0; k < 3 && t->has_bounds; k++)
        if (x[k] < t->bounds[0][k] || x[k] > t->bounds[1][k]) return 1;
    return 0;
}

/* Grows the box low..high, in the eye's axes, by the bodies that move and have not escaped. */
static void include_frame(const lab_trace *t, const trace_frame *f, const lab_eye *e, double low[3],
                          double high[3])
{
    for (int i = 0; i < t->bodies; i++) {
        const trace_body *b = &t->body[i];
        double R[9], x[3];
        if (b->kind == LAB_STATIC || !trace_present(f, i) || has_escaped(t, f->state[i].pose))
            continue;
        peg_quat_to_mat(f->state[i].pose + 3, R);
        for (int p = 0; p < b->parts; p++)
            for (int v = 0; v < b->part[p]->nv; v++) {
                peg_rotate(R, b->part[p]->vertex[v], x);
                peg_add_scaled(x, 1, f->state[i].pose, x);
                include_point(e, x, b->part[p]->round, low, high);
            }
    }
}

static void include_trace(const lab_trace *t, const lab_eye *e, double low[3], double high[3])
{
    long every = 1 + t->frames / FRAMES_SEEN;
    for (int i = 0; i < 8 && t->has_view; i++) {
        const double corner[3] = {t->view[i & 1][0], t->view[i >> 1 & 1][1], t->view[i >> 2][2]};
        include_point(e, corner, 0, low, high);
    }
    for (long k = 0; k < t->frames && !t->has_view; k += every)
        include_frame(t, &t->frame[k], e, low, high);
    if (!t->has_view && t->frames > 0) include_frame(t, &t->frame[t->frames - 1], e, low, high);
}

/* The same for all states. A single state has some surroundings. */
static void aim(lab_panels *p)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    lab_eye *e = &p->eye;
    look(p->stage[0].trace, e);
    for (int i = 0; i < p->n; i++) include_trace(p->stage[i].trace, e, low, high);
    for (int k = 0; k < 3; k++)
        if (!(low[k] <= high[k])) low[k] = -1, high[k] = 1;
    for (int k = 0; k < 3; k++)
        e->centre[k] = .5 * ((low[0] + high[0]) * e->right[k] + (low[1] + high[1]) * e->up[k] +
                             (low[2] + high[2]) * e->back[k]);
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    double room = p->stage[0].trace->has_view ? 1.05 : p->stage[0].trace->frames > 1 ? 1.15 : 1.5;
    e->zoom = p->size * LAB_SAMPLES / (room * fmax(size, 1e-12));
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* A colour for the i-th body: hues that stay apart; red is kept for bodies that overlap. */
static void body_colour(int i, double rgb[3])
{
    double hue = fmod(.13 + .618033988749895 * i, 1) * .75 + .1;
    for (int k = 0; k < 3; k++)
        rgb[k] = .93 -
                 .42 * lab_clamp(2 - fabs(fmod(6 * hue + 2. * (k == 1 ? 2 : k == 2), 6) - 3), 0, 1);
}

/* The redder the deeper; part: of the depth of full red. */
static void redden(double colour[3], double part)
{
    static const double red[3] = {.93, .2, .15};
    double t = part > 1e-6 ? .3 + .7 * sqrt(lab_clamp(part, 0, 1)) : 0;
    for (int k = 0; k < 3; k++) colour[k] += t * (red[k] - colour[k]);
}

static void draw_bodies(lab_panels *p, const lab_stage *stage)
{
    const lab_trace *t = stage->trace;
    const trace_frame *f = stage->frame;
    for (int i = 0; i < t->bodies; i++) {
        double colour[3] = {.95, .95, .93};
        if (t->body[i].kind != LAB_STATIC) body_colour(i, colour);
        if (t->body[i].kind == LAB_DYNAMIC && f->depth_of && p->red > 0)
            redden(colour, f->depth_of[i] / p->red);
        lab_draw_body(&p->canvas, &p->eye, stage, i, colour);
    }
}

static int caption_height(int size)
{
    return size >= 400 ? 64 : 46;
}

/* Averages the samples of each pixel into the image at column x0. */
static void copy_panel(const lab_panels *p, int x0)
{
    const lab_canvas *c = &p->canvas;
    unsigned char *data = cairo_image_surface_get_data(p->image);
    int stride = cairo_image_surface_get_stride(p->image), top = caption_height(p->size);
    for (int y = 0; y < p->size; y++)
        for (int x = 0; x < p->size; x++) {
            unsigned sum[3] = {0, 0, 0};
            for (int s = 0; s < LAB_SAMPLES * LAB_SAMPLES; s++) {
                int at = (y * LAB_SAMPLES + s / LAB_SAMPLES) * c->size + x * LAB_SAMPLES +
                         s % LAB_SAMPLES;
                for (int k = 0; k < 3; k++) sum[k] += c->rgb[3 * at + k];
            }
            unsigned pixel = 0;
            for (int k = 0; k < 3; k++) pixel = pixel << 8 | sum[k] / (LAB_SAMPLES * LAB_SAMPLES);
            memcpy(data + (size_t)(y + top) * (size_t)stride + 4 * (size_t)(x + x0), &pixel, 4);
        }
}

/* ---- captions -------------------------------------------------------------------------------- */

static void text_at(cairo_t *cr, double x, double y, double size, int bold, const char *text)
{
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
    cairo_move_to(cr, x, y);
    cairo_show_text(cr, text);
}

/* A depth as people read it; what no picture can show is none. */
static const char *depth_text(double depth, double body, char text[32])
{
    if (depth <= 1e-6 * body) depth = 0;
    snprintf(text, 32, depth < 1 ? "%.3g mm" : "%.3g m", depth < 1 ? 1e3 * depth : depth);
    return text;
}

static void write_captions(const lab_panels *p, cairo_t *cr, const lab_stage *stage, int x0)
{
    const lab_trace *t = stage->trace;
    const trace_frame *f = stage->frame;
    int large = p->size >= 400;
    double left = x0 + (large ? 16 : 8), mean = trace_mean_volume(t), most = 0, volume = 0;
    char text[200], now[32], all[32];
    for (long k = 0; k < t->frames; k++) {
        most = fmax(most, t->frame[k].depth);
        volume = fmax(volume, t->frame[k].volume);
    }
    if (t->run_depth > most) most = t->run_depth;
    if (t->run_volume > volume) volume = t->run_volume;
    cairo_set_source_rgb(cr, .1, .1, .1);
    snprintf(text, sizeof text, "%s%s%s", large ? t->scene : "", large ? ": " : "",
             trace_contact_label(t->contact));
    text_at(cr, left, large ? 28 : 16, large ? 20 : 12, 1, text);
    depth_text(f->depth, cbrt(mean), now);
    depth_text(most, cbrt(mean), all);
    if (large)
        snprintf(text, sizeof text,
                 "t = %.3g s; deepest now %s, at most %s; overlap at most %.3g %% of a body", f->t,
                 now, all, mean > 0 ? 100 * volume / mean : 0);
    else
        snprintf(text, sizeof text, "t = %.2f s, deepest %s", f->t, now);
    text_at(cr, left, large ? 52 : 31, large ? 14 : 10.5, 0, text);
    snprintf(text, sizeof text, "at most %s", all);
    if (!large) text_at(cr, left, 43, 10.5, 0, text);
}

/* The scale of depths, in the lower left corner. */
static void draw_scale(const lab_panels *p, cairo_t *cr)
{
    int large = p->size >= 400, width = large ? 160 : 80, height = large ? 10 : 6;
    double x0 = large ? 16 : 8, y0 = p->size + caption_height(p->size) - (large ? 16 : 9);
    char text[64], depth[32];
    if (!(p->red > 0)) return;
    for (int i = 0; i < width; i++) {
        double colour[3] = {.84, .85, .87};
        redden(colour, (double)(i + 1) / width);
        cairo_set_source_rgb(cr, colour[0], colour[1], colour[2]);
        cairo_rectangle(cr, x0 + i, y0 - height, 1, height);
        cairo_fill(cr);
    }
    cairo_set_source_rgb(cr, .1, .1, .1);
    snprintf(text, sizeof text, "depth 0 to %s", depth_text(p->red, 0, depth));
    text_at(cr, x0 + width + 6, y0, large ? 13 : 10, 0, text);
}

/* ---- panels ---------------------------------------------------------------------------------- */

int lab_panels_open(lab_panels *p, lab_trace *const *traces, int n, int size)
{
    *p = (lab_panels){.n = n < PANELS_MOST ? n : PANELS_MOST, .size = size};
    int bad = 0;
    double body = 0;
    for (int i = 0; i < p->n; i++) {
        bad |= lab_stage_open(&p->stage[i], traces[i]);
        body = fmax(body, cbrt(trace_mean_volume(traces[i])));
        p->red = fmax(p->red, traces[i]->run_depth);
        for (long k = 0; k < traces[i]->frames; k++)
            p->red = fmax(p->red, traces[i]->frame[k].depth);
    }
    if (p->red <= 1e-9 * body) p->red = 0;
    p->canvas.size = size * LAB_SAMPLES;
    size_t samples = (size_t)p->canvas.size * (size_t)p->canvas.size;
    p->canvas.depth = malloc(samples * sizeof *p->canvas.depth);
    p->canvas.rgb = malloc(3 * samples);
    p->image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, p->n * size, size + caption_height(size));
    if (bad || !p->canvas.depth || !p->canvas.rgb ||
        cairo_surface_status(p->image) != CAIRO_STATUS_SUCCESS)
        return 1;
    aim(p);
    return 0;
}

void lab_panels_draw(lab_panels *p, const trace_frame *const *frames)
{
    lab_canvas *c = &p->canvas;
    cairo_t *cr = cairo_create(p->image);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    for (int i = 0; i < p->n; i++) {
        lab_stage_place(&p->stage[i], frames[i]);
        for (int k = 0; k < c->size * c->size; k++) c->depth[k] = -INFINITY;
        memset(c->rgb, 255, 3 * (size_t)c->size * (size_t)c->size);
        draw_bodies(p, &p->stage[i]);
        cairo_surface_flush(p->image);
        copy_panel(p, i * p->size);
        cairo_surface_mark_dirty(p->image);
        write_captions(p, cr, &p->stage[i], i * p->size);
    }
    draw_scale(p, cr);
    cairo_destroy(cr);
    cairo_surface_flush(p->image);
}

void lab_panels_free(lab_panels *p)
{
    for (int i = 0; i < p->n; i++) lab_stage_free(&p->stage[i]);
    if (p->image) cairo_surface_destroy(p->image);
    free(p->canvas.depth);
    free(p->canvas.rgb);
    *p = (lab_panels){0};
}
