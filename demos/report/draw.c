/* Bodies into a depth buffer: faces with their edges, and round parts ring by ring. */
#include "demos/report/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* ---- what hides bodies -------------------------------------------------------------------------
 */

int lab_shape_hides(const lab_shape *s, const double point[3], const double to_eye[3])
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

static int is_shown(const lab_stage *stage, int body)
{
    return stage->trace->body[body].kind == LAB_DYNAMIC && stage->trace->body[body].parts > 0 &&
           trace_present(stage->frame, body);
}

/* Whether a static part hides the middles of more than a tenth of the bodies. */
static int part_hides(const lab_stage *stage, const lab_shape *s, const lab_eye *e)
{
    int shown = 0, hidden = 0;
    for (int i = 0; i < stage->trace->bodies; i++) {
        if (!is_shown(stage, i)) continue;
        shown++;
        hidden += lab_shape_hides(s, stage->frame->state[i].pose, e->back);
    }
    return 10 * hidden > shown;
}

/* Whether a triangle of a static mesh hides any of five points of a body. */
static int face_hides(const lab_stage *stage, const lab_shape *s, int face, const lab_eye *e)
{
    for (int i = 0; i < stage->trace->bodies; i++) {
        if (!is_shown(stage, i)) continue;
        double middle[3], r = .7 * lab_shape_radius(stage->placed[i][0], middle);
        for (int k = 0; k < 5; k++) {
            double point[3];
            peg_add_scaled(stage->frame->state[i].pose,
                           k == 4  ? 0
                           : k % 2 ? r
                                   : -r,
                           k < 2 ? e->right : e->up, point);
            if (triangle_hides(s, face, point, e->back)) return 1;
        }
    }
    return 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* x, y in samples, z towards the eye. */
static void project(const lab_canvas *c, const lab_eye *e, const double point[3], double out[3])
{
    double d[3];
    peg_sub(point, e->centre, d);
    out[0] = .5 * c->size + e->zoom * peg_dot(e->right, d);
    out[1] = .5 * c->size - e->zoom * peg_dot(e->up, d);
    out[2] = e->zoom * peg_dot(e->back, d);
}

double lab_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A triangle whose depth falls linearly over the picture. */
static void fill(lab_canvas *c, double a[3], double b[3], double d[3], const double rgb[3])
{
    double area = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
    if (!(fabs(area) > 1e-9)) return;
    int x0 = (int)lab_clamp(fmin(a[0], fmin(b[0], d[0])), 0, c->size);
    int x1 = (int)lab_clamp(fmax(a[0], fmax(b[0], d[0])) + 1, 0, c->size);
    int y0 = (int)lab_clamp(fmin(a[1], fmin(b[1], d[1])), 0, c->size);
    int y1 = (int)lab_clamp(fmax(a[1], fmax(b[1], d[1])) + 1, 0, c->size);
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
static void stroke(lab_canvas *c, const double a[3], const double b[3], const double rgb[3])
{
    int n = (int)lab_clamp(2 * fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])), 1, 1e5);
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
static void shade(const lab_eye *e, const double normal[3], const double colour[3], double rgb[3])
{
    double light[3];
    for (int k = 0; k < 3; k++) light[k] = .5 * e->back[k] + .75 * e->up[k] - .35 * e->right[k];
    peg_normalise(light);
    double bright = .55 + .45 * fmax(0, peg_dot(normal, light));
    for (int k = 0; k < 3; k++) rgb[k] = bright * colour[k];
}

/* A ring of a surface of revolution, between two circles (distance from the axis, height along it)
 * with unit normals (the same). Every other eighth is a little darker, so that one sees it roll. */
static void draw_ring(lab_canvas *c, const lab_eye *e, const double middle[3],
                      const double axes[3][3], const double circle[2][2], const double slope[2],
                      const double colour[3])
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
            project(c, e, point, corner[m][1]);
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
static void draw_round(lab_canvas *c, const lab_eye *e, const lab_shape *s, const double q[4],
                       const double colour[3])
{
    enum { RINGS = 12 }; /* of a half sphere; of a cylinder's end: one */
    double axes[3][3], middle[3], R[9], r = s->round;
    peg_quat_to_mat(q, R);
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
static void draw_faces(lab_canvas *c, const lab_eye *e, const lab_stage *stage, const lab_shape *s,
                       int is_static, const double colour[3])
{
    int may_hide = s->kind == LAB_SHAPE_MESH && is_static;
    double dark[3], fade = s->kind == LAB_SHAPE_MESH ? .75 : .35;
    for (int k = 0; k < 3; k++) dark[k] = fade * colour[k];
    for (int f = 0; f < s->nf; f++) {
        double normal[3], rgb[3];
        if (may_hide && face_hides(stage, s, f, e)) continue;
        peg_copy3(s->normal[f], normal);
        if (peg_dot(normal, e->back) <= 0) {
            if (s->kind != LAB_SHAPE_MESH || s->closed) continue;
            for (int k = 0; k < 3; k++) normal[k] = -normal[k];
        }
        shade(e, normal, colour, rgb);
        double first[3], from[3], to[3];
        project(c, e, s->vertex[s->index[s->start[f]]], first);
        for (int i = s->start[f]; i < s->start[f + 1]; i++) {
            project(c, e, s->vertex[s->index[i]], from);
            project(c, e, s->vertex[s->index[i + 1 < s->start[f + 1] ? i + 1 : s->start[f]]], to);
            fill(c, first, from, to, rgb);
            stroke(c, from, to, dark);
        }
    }
}

void lab_draw_body(lab_canvas *c, const lab_eye *e, const lab_stage *stage, int body,
                   const double colour[3])
{
    const trace_body *b = &stage->trace->body[body];
    if (b->is_plane || !trace_present(stage->frame, body)) return;
    for (int p = 0; p < b->parts; p++) {
        const lab_shape *s = stage->placed[body][p];
        int is_static = b->kind == LAB_STATIC, is_convex = s->kind == LAB_SHAPE_CONVEX && s->nf > 0;
        if (is_static && is_convex && part_hides(stage, s, e)) continue;
        if (s->nf == 0)
            draw_round(c, e, s, &stage->frame->state[body].pose[3], colour);
        else
            draw_faces(c, e, stage, s, is_static, colour);
    }
}

/* ---- stages ---------------------------------------------------------------------------------- */

int lab_stage_open(lab_stage *stage, const lab_trace *t)
{
    *stage = (lab_stage){.trace = t};
    stage->placed = calloc((size_t)t->bodies + 1, sizeof *stage->placed);
    if (!stage->placed) return 1;
    for (int i = 0; i < t->bodies; i++) {
        stage->placed[i] = calloc((size_t)t->body[i].parts + 1, sizeof **stage->placed);
        for (int k = 0; stage->placed[i] && k < t->body[i].parts; k++)
            if (!(stage->placed[i][k] = lab_shape_copy(t->body[i].part[k]))) return 1;
        if (!stage->placed[i]) return 1;
    }
    return 0;
}

void lab_stage_place(lab_stage *stage, const trace_frame *f)
{
    const lab_trace *t = stage->trace;
    for (int i = 0; i < t->bodies; i++) {
        const double *pose = f->state[i].pose;
        double R[9];
        int same =
            stage->frame && memcmp(stage->frame->state[i].pose, pose, sizeof f->state[i].pose) == 0;
        if (same || t->body[i].is_plane || !trace_present(f, i)) continue;
        peg_quat_to_mat(pose + 3, R);
        for (int k = 0; k < t->body[i].parts; k++)
            lab_shape_move(t->body[i].part[k], pose, R, stage->placed[i][k]);
    }
    stage->frame = f;
}

void lab_stage_free(lab_stage *stage)
{
    for (int i = 0; stage->placed && i < stage->trace->bodies; i++) {
        for (int k = 0; stage->placed[i] && k < stage->trace->body[i].parts; k++)
            lab_shape_free(stage->placed[i][k]);
        free(stage->placed[i]);
    }
    free(stage->placed);
    *stage = (lab_stage){0};
}
