/* Pictures of end states, side by side: a depth buffer for the bodies, cairo for the captions.
 *
 * Orthographic, from above; whatever static part stands between the eye and a body is left out. */
#include <cairo/cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/lab.h"
#include "demos/world.h"
#include "peg/vec.h"

#define PANEL   640 /* pixels, width and height of a state */
#define CAPTION 64
#define SAMPLES 2 /* per pixel and direction */

typedef struct eye {
    double right[3], up[3], back[3]; /* unit; back points to the eye */
    double centre[3], zoom;          /* pixels per metre */
} eye;

typedef struct canvas {
    int size; /* samples in each direction */
    float *depth;
    unsigned char *rgb; /* 3 per sample */
} canvas;

/* ---- where to look --------------------------------------------------------------------------- */

/* Up is against gravity (or z). */
static void look(const lab_world *w, eye *e)
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
static void include_body(const lab_world *w, const lab_body *b, const eye *e, double low[3],
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
static void include_view(const lab_world *w, const eye *e, double low[3], double high[3])
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
static void frame(const lab_result *results, int n, eye *e)
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
    e->zoom = PANEL * SAMPLES / (1.5 * fmax(size, 1e-12));
}

/* Whether the line from a point towards the eye meets a convex part. */
static int hides(const lab_shape *s, const double point[3], const double to_eye[3])
{
    double from = 0, to = INFINITY;
    for (int f = 0; f < s->nf; f++) {
        double height = s->offset[f] - peg_dot(s->normal[f], point);
        double speed = peg_dot(s->normal[f], to_eye);
        if (speed > 0)
            to = fmin(to, height / speed);
        else if (speed < 0)
            from = fmax(from, height / speed);
        else if (height < 0)
            return 0;
    }
    return from < to;
}

/* The same for a triangle of a mesh. */
static int triangle_hides(const lab_shape *s, int f, const double point[3], const double to_eye[3])
{
    double speed = peg_dot(s->normal[f], to_eye), at[3];
    double t = (s->offset[f] - peg_dot(s->normal[f], point)) / speed;
    if (!(t > 0 && isfinite(t))) return 0;
    peg_add_scaled(point, t, to_eye, at);
    for (int c = s->start[f]; c < s->start[f + 1]; c++) {
        const double *from = s->vertex[s->index[c]];
        const double *to = s->vertex[s->index[c + 1 < s->start[f + 1] ? c + 1 : s->start[f]]];
        double edge[3], d[3], left[3];
        peg_sub(to, from, edge);
        peg_sub(at, from, d);
        peg_cross(edge, d, left);
        if (peg_dot(left, s->normal[f]) < 0) return 0;
    }
    return 1;
}

/* Whether a static part hides the middle of a body. */
static int part_hides(const lab_world *w, const lab_shape *s, const eye *e)
{
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind == LAB_DYNAMIC && b->present && hides(s, b->now.x, e->back)) return 1;
    }
    return 0;
}

/* Whether a triangle of a static mesh hides any of five points of a body. */
static int face_hides(const lab_world *w, const lab_shape *s, int face, const eye *e)
{
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        double middle[3], r = .7 * lab_shape_radius(b->part[0].placed, middle);
        for (int k = 0; k < 5; k++) {
            double point[3];
            peg_add_scaled(b->now.x, k == 4 ? 0 : k % 2 ? r : -r, k < 2 ? e->right : e->up, point);
            if (triangle_hides(s, face, point, e->back)) return 1;
        }
    }
    return 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* x, y in samples, z towards the eye. */
static void project(const eye *e, const double point[3], double out[3])
{
    double d[3];
    peg_sub(point, e->centre, d);
    out[0] = .5 * PANEL * SAMPLES + e->zoom * peg_dot(e->right, d);
    out[1] = .5 * PANEL * SAMPLES - e->zoom * peg_dot(e->up, d);
    out[2] = e->zoom * peg_dot(e->back, d);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A triangle whose depth falls linearly over the picture. */
static void fill(canvas *c, double a[3], double b[3], double d[3], const double rgb[3])
{
    double area = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
    if (!(fabs(area) > 1e-9)) return;
    int x0 = (int)clamp(fmin(a[0], fmin(b[0], d[0])), 0, c->size);
    int x1 = (int)clamp(fmax(a[0], fmax(b[0], d[0])) + 1, 0, c->size);
    int y0 = (int)clamp(fmin(a[1], fmin(b[1], d[1])), 0, c->size);
    int y1 = (int)clamp(fmax(a[1], fmax(b[1], d[1])) + 1, 0, c->size);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double px = x + .5 - a[0], py = y + .5 - a[1];
            double u = (px * (d[1] - a[1]) - (d[0] - a[0]) * py) / area;
            double v = ((b[0] - a[0]) * py - px * (b[1] - a[1])) / area;
            if (u < 0 || v < 0 || u + v > 1) continue;
            float z = (float)(a[2] + u * (b[2] - a[2]) + v * (d[2] - a[2]));
            int at = y * c->size + x;
            if (z <= c->depth[at]) continue;
            c->depth[at] = z;
            for (int k = 0; k < 3; k++) c->rgb[3 * at + k] = (unsigned char)(255 * rgb[k]);
        }
}

/* A line just in front of the faces it bounds. */
static void stroke(canvas *c, const double a[3], const double b[3], const double rgb[3])
{
    int n = (int)clamp(2 * fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])), 1, 1e5);
    for (int i = 0; i <= n; i++) {
        double t = (double)i / n, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        if (!(x >= 0 && y >= 0 && x < c->size - 1 && y < c->size - 1)) continue;
        float z = (float)(a[2] + t * (b[2] - a[2])) + 2.5f;
        for (int k = 0; k < 4; k++) {
            int at = ((int)y + k / 2) * c->size + (int)x + k % 2;
            if (z <= c->depth[at]) continue;
            c->depth[at] = z - 2;
            for (int m = 0; m < 3; m++) c->rgb[3 * at + m] = (unsigned char)(255 * rgb[m]);
        }
    }
}

/* The colour of a surface with an outward unit normal. */
static void shade(const eye *e, const double normal[3], const double colour[3], double rgb[3])
{
    double light[3];
    for (int k = 0; k < 3; k++) light[k] = .5 * e->back[k] + .75 * e->up[k] - .35 * e->right[k];
    peg_normalise(light);
    double bright = .55 + .45 * fmax(0, peg_dot(normal, light));
    for (int k = 0; k < 3; k++) rgb[k] = bright * colour[k];
}

/* A ring of a surface of revolution, between two circles (distance from the axis, height along it)
 * with unit normals (the same). Every other eighth is a little darker, so that one sees it roll. */
static void draw_ring(canvas *c, const eye *e, const double middle[3], const double axes[3][3],
                      const double circle[2][2], const double slope[2], const double colour[3])
{
    enum { SECTORS = 48 };
    double corner[2][2][3], light[3], dark[3];
    for (int k = 0; k < 3; k++) light[k] = colour[k], dark[k] = .85 * colour[k];
    for (int i = 0; i <= SECTORS; i++) {
        double angle = 2 * acos(-1) * i / SECTORS, normal[3], rgb[3];
        for (int m = 0; m < 2; m++) {
            double point[3];
            for (int k = 0; k < 3; k++)
                point[k] = middle[k] + circle[m][1] * axes[2][k] +
                           circle[m][0] * (cos(angle) * axes[0][k] + sin(angle) * axes[1][k]);
            memcpy(corner[m][0], corner[m][1], sizeof corner[m][0]);
            project(e, point, corner[m][1]);
        }
        double half = angle - acos(-1) / SECTORS;
        for (int k = 0; k < 3; k++)
            normal[k] = slope[0] * (cos(half) * axes[0][k] + sin(half) * axes[1][k]) +
                        slope[1] * axes[2][k];
        if (i == 0 || peg_dot(normal, e->back) < -.2) continue;
        shade(e, normal, (i - 1) / (SECTORS / 8) % 2 ? dark : light, rgb);
        fill(c, corner[0][0], corner[0][1], corner[1][1], rgb);
        fill(c, corner[0][0], corner[1][1], corner[1][0], rgb);
    }
}

/* Spheres, capsules, cylinders: rings from pole to pole. */
static void draw_round(canvas *c, const eye *e, const lab_shape *s, const lab_state *now,
                       const double colour[3])
{
    enum { RINGS = 12 }; /* of a half sphere; of a cylinder's end: one */
    double axes[3][3], middle[3], R[9], r = s->round;
    peg_quat_to_mat(now->q, R);
    for (int k = 0; k < 3; k++) {
        middle[k] = .5 * (s->vertex[0][k] + s->vertex[s->nv - 1][k]);
        axes[2][k] = s->nv == 1 ? R[3 * k + 2] : s->vertex[1][k] - s->vertex[0][k];
        axes[0][k] = R[3 * k];
    }
    double half = s->nv == 1 ? 0 : .5 * peg_norm(axes[2]);
    peg_normalise(axes[2]);
    if (fabs(peg_dot(axes[0], axes[2])) > .9)
        for (int k = 0; k < 3; k++) axes[0][k] = R[3 * k + 1];
    peg_cross(axes[2], axes[0], axes[1]);
    peg_normalise(axes[1]);
    peg_cross(axes[1], axes[2], axes[0]);
    const double side[2][2] = {{r, -half}, {r, half}};
    draw_ring(c, e, middle, (const double(*)[3])axes, side, (double[2]){1, 0}, colour);
    for (int end = -1; end <= 1; end += 2) {
        const double disc[2][2] = {{r, end * half}, {0, end * half}};
        if (s->kind == LAB_SHAPE_CYLINDER)
            draw_ring(c, e, middle, (const double(*)[3])axes, disc, (double[2]){0, end}, colour);
        for (int i = 0; i < RINGS && s->kind == LAB_SHAPE_CONVEX; i++) {
            double a = acos(-1) / 2 * i / RINGS, b = acos(-1) / 2 * (i + 1) / RINGS;
            double m = .5 * (a + b);
            const double circle[2][2] = {{r * cos(a), end * (half + r * sin(a))},
                                         {r * cos(b), end * (half + r * sin(b))}};
            draw_ring(c, e, middle, (const double(*)[3])axes, circle,
                      (double[2]){cos(m), end * sin(m)}, colour);
        }
    }
}

/* Sheets have two sides. */
static void draw_faces(canvas *c, const eye *e, const lab_body *b, const lab_shape *s,
                       const double colour[3])
{
    int may_hide = s->kind == LAB_SHAPE_MESH && b->kind == LAB_STATIC;
    double dark[3], fade = s->kind == LAB_SHAPE_MESH ? .75 : .35;
    for (int k = 0; k < 3; k++) dark[k] = fade * colour[k];
    for (int f = 0; f < s->nf; f++) {
        double normal[3], rgb[3];
        if (may_hide && face_hides(b->world, s, f, e)) continue;
        peg_copy3(s->normal[f], normal);
        if (peg_dot(normal, e->back) <= 0) {
            if (s->kind != LAB_SHAPE_MESH || s->closed) continue;
            for (int k = 0; k < 3; k++) normal[k] = -normal[k];
        }
        shade(e, normal, colour, rgb);
        double first[3], from[3], to[3];
        project(e, s->vertex[s->index[s->start[f]]], first);
        for (int i = s->start[f]; i < s->start[f + 1]; i++) {
            project(e, s->vertex[s->index[i]], from);
            project(e, s->vertex[s->index[i + 1 < s->start[f + 1] ? i + 1 : s->start[f]]], to);
            fill(c, first, from, to, rgb);
            stroke(c, from, to, dark);
        }
    }
}

static void draw_part(canvas *c, const eye *e, const lab_body *b, const lab_part *p,
                      const double colour[3])
{
    if (p->placed->nf == 0)
        draw_round(c, e, p->placed, &b->now, colour);
    else
        draw_faces(c, e, b, p->placed, colour);
}

/* A colour for the i-th body: hues that stay apart; red is kept for bodies that overlap. */
static void body_colour(int i, double rgb[3])
{
    double hue = fmod(.13 + .618033988749895 * i, 1) * .75 + .1;
    for (int k = 0; k < 3; k++)
        rgb[k] =
            .93 - .42 * clamp(2 - fabs(fmod(6 * hue + 2. * (k == 1 ? 2 : k == 2), 6) - 3), 0, 1);
}

/* The redder the deeper; full at a fiftieth of the size. */
static void redden(double colour[3], double depth)
{
    static const double red[3] = {.93, .2, .15};
    double t = clamp(50 * depth, 0, 1);
    for (int k = 0; k < 3; k++) colour[k] += t * (red[k] - colour[k]);
}

static void draw_world(canvas *c, const eye *e, lab_world *w)
{
    double volume, depth, *deep = calloc((size_t)w->bodies + 1, sizeof *deep);
    lab_measure(w, 1, &volume, &depth, deep);
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double colour[3] = {.95, .95, .93};
        if (b->kind != LAB_STATIC) body_colour(i, colour);
        if (b->kind == LAB_DYNAMIC && deep) redden(colour, deep[i] / cbrt(b->volume));
        for (int p = 0; b->present && !b->is_plane && p < b->parts; p++) {
            const lab_shape *s = b->part[p].placed;
            int may_hide = b->kind == LAB_STATIC && s->kind == LAB_SHAPE_CONVEX && s->nf > 0;
            if (may_hide && part_hides(w, s, e)) continue;
            draw_part(c, e, b, &b->part[p], colour);
        }
    }
    free(deep);
}

/* Averages the samples of each pixel into a cairo image at column x0. */
static void copy_panel(const canvas *c, cairo_surface_t *image, int x0)
{
    unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < PANEL; y++)
        for (int x = 0; x < PANEL; x++) {
            unsigned sum[3] = {0, 0, 0};
            for (int s = 0; s < SAMPLES * SAMPLES; s++) {
                int at = (y * SAMPLES + s / SAMPLES) * c->size + x * SAMPLES + s % SAMPLES;
                for (int k = 0; k < 3; k++) sum[k] += c->rgb[3 * at + k];
            }
            unsigned pixel = 0;
            for (int k = 0; k < 3; k++) pixel = pixel << 8 | sum[k] / (SAMPLES * SAMPLES);
            memcpy(data + (y + CAPTION) * stride + 4 * (x + x0), &pixel, 4);
        }
}

static void write_captions(cairo_t *cr, const lab_result *r, int x0)
{
    static const char *const models[LAB_CONTACT_COUNT] = {
        [LAB_PEG] = "exact contacts (peg)",       [LAB_ST] = "standard model (st)",
        [LAB_PAPER] = "PEG as published (paper)", [LAB_LNC] = "locally non-convex model (lnc)",
        [LAB_AP] = "Anitescu-Potra (ap)",         [LAB_ODE] = "stock ODE",
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

static void draw_panel(canvas *c, cairo_t *cr, cairo_surface_t *image, const lab_result *r,
                       const eye *e, int x0)
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
    eye e = {0};
    int shown = 0, at = 0;
    for (int i = 0; i < n; i++) shown += results[i].w != NULL;
    if (shown == 0) return 1;
    for (int i = n - 1; i >= 0; i--)
        if (results[i].w) look(results[i].w, &e);
    frame(results, n, &e);
    canvas c = {.size = PANEL * SAMPLES};
    size_t samples = (size_t)c.size * (size_t)c.size;
    c.depth = malloc(samples * sizeof *c.depth);
    c.rgb = malloc(3 * samples);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, PANEL * shown, PANEL + CAPTION);
    cairo_t *cr = cairo_create(image);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_surface_flush(image);
    int whole = c.depth && c.rgb && cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    for (int i = 0; whole && i < n; i++)
        if (results[i].w) draw_panel(&c, cr, image, &results[i], &e, PANEL * at++);
    cairo_destroy(cr);
    if (whole) whole = cairo_surface_write_to_png(image, path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(image);
    free(c.depth);
    free(c.rgb);
    return !whole;
}
