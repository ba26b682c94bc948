/* The scene behind the live window. */
#include "demos/view/view.h"
#include "demos/view/lab_view.h"
#include "demos/report/draw.h"
#include "demos/report/tessellate.h"
#include "demos/world/contact_points.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

enum { SECTORS = 32, MODELS = LAB_CONTACT_COUNT };
static const unsigned STATIC_COLOUR = 0xd8d8d0;

typedef struct look {
    triangle_soup *soup; /* one per part */
    int parts;
    int *hides;
    double depth;
    int island, asleep;
    unsigned colour;
} look;

struct view {
    const lab_scene *scene;
    lab_options options;
    lab_contact model[MODELS];
    int models, current;
    lab_world *w;
    look *body;
    int bodies;
    double half; /* m: half the size of all but planes */
    double low[3], high[3];
    double volume, depth, *depth_of;
    char note[LAB_TEXT];
};

/* ---- shapes ---------------------------------------------------------------------------------- */

static void include_point(view *v, const double x[3])
{
    for (int k = 0; k < 3; k++) {
        v->low[k] = fmin(v->low[k], x[k]);
        v->high[k] = fmax(v->high[k], x[k]);
    }
}

/* The box that the scene asks pictures to show. */
static void include_view(view *v)
{
    for (int i = 0; i < 8; i++) {
        double corner[3];
        for (int k = 0; k < 3; k++) corner[k] = v->w->scale * v->w->view[i >> k & 1][k];
        peg_rotate(v->w->turn, corner, corner);
        include_point(v, corner);
    }
}

static void find_room(view *v)
{
    const lab_world *w = v->w;
    for (int k = 0; k < 3; k++) v->low[k] = INFINITY, v->high[k] = -INFINITY;
    if (w->has_view) include_view(v);
    for (int pass = 0; pass < 2 && !(v->low[0] <= v->high[0]); pass++) /* what moves, else all */
        for (int i = 0; i < w->bodies; i++) {
            const lab_body *b = w->body[i];
            if (b->is_plane || (pass == 0 && b->kind != LAB_DYNAMIC)) continue;
            for (int p = 0; p < b->parts; p++) {
                include_point(v, b->part[p].low);
                include_point(v, b->part[p].high);
            }
        }
    for (int k = 0; k < 3; k++)
        if (!(v->low[k] <= v->high[k])) v->low[k] = -1, v->high[k] = 1;
    v->half = 0;
    for (int k = 0; k < 3; k++) v->half = fmax(v->half, v->high[k] - v->low[k]);
}

static int make_looks(view *v)
{
    double centre[3];
    v->bodies = v->w->bodies;
    v->body = calloc((size_t)v->bodies + 1, sizeof *v->body);
    v->depth_of = calloc((size_t)v->bodies + 1, sizeof *v->depth_of);
    for (int k = 0; k < 3; k++) centre[k] = .5 * (v->low[k] + v->high[k]);
    for (int i = 0; i < v->bodies && v->body; i++) {
        const lab_body *b = v->w->body[i];
        look *l = &v->body[i];
        l->soup = calloc((size_t)b->parts + 1, sizeof *l->soup);
        l->hides = calloc((size_t)b->parts + 1, sizeof *l->hides);
        if (!l->soup || !l->hides) return 1;
        for (l->parts = 0; l->parts < b->parts; l->parts++) {
            lab_shape *part = b->part[l->parts].shape;
            double round = part->round;
            if (part->nv == 1 && round == 0) part->round = .01 * v->half; /* a particle */
            soup_add_part(&l->soup[l->parts], part, SECTORS, centre, 2 * v->half);
            part->round = round;
            if (l->soup[l->parts].no_memory) return 1;
        }
    }
    return !v->body || !v->depth_of;
}

static void free_looks(view *v)
{
    for (int i = 0; v->body && i < v->bodies; i++) {
        for (int p = 0; p < v->body[i].parts; p++) soup_free(&v->body[i].soup[p]);
        free(v->body[i].soup);
        free(v->body[i].hides);
    }
    free(v->body);
    free(v->depth_of);
    v->body = NULL, v->depth_of = NULL;
}

/* ---- looking --------------------------------------------------------------------------------- */

int view_bodies(const view *v)
{
    return v->bodies;
}

int view_parts(const view *v, int body)
{
    return v->body[body].parts;
}

view_part view_part_at(const view *v, int body, int part)
{
    const look *l = &v->body[body];
    const triangle_soup *s = &l->soup[part];
    return (view_part){s->corners, (const float(*)[3])s->position, (const float(*)[3])s->normal,
                       l->hides[part]};
}

double view_force(const view *v, int body)
{
    pegContactForce sum;
    const lab_body *b = v->w->body[body];
    if (!v->w->peg || !b->id || v->w->steps == 0) return NAN;
    return pegWorldGetBodyForce(v->w->peg, b->id, &sum, NULL, 0) == PEG_OK ? sum.normal_force : NAN;
}

view_body view_body_at(const view *v, int body)
{
    const lab_body *b = v->w->body[body];
    const look *l = &v->body[body];
    view_body out = {.name = b->name,
                     .present = b->present,
                     .moves = b->kind != LAB_STATIC,
                     .island = l->island,
                     .asleep = l->asleep,
                     .colour = l->colour,
                     .depth = l->depth,
                     .speed = peg_norm(b->now.v),
                     .turning = peg_norm(b->now.omega),
                     .mass = b->mass};
    double R[9];
    peg_quat_to_mat(b->now.q, R);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) out.matrix[4 * k + i] = R[3 * i + k];
        out.matrix[12 + i] = b->now.x[i];
    }
    out.matrix[15] = 1;
    return out;
}

view_state view_state_of(const view *v)
{
    pegStats last;
    const lab_contact_point *point;
    lab_last(v->w, &last);
    int contacts = lab_contact_points(v->w, &point);
    return (view_state){.scene = v->scene->name,
                        .contact = lab_contact_name(v->model[v->current]),
                        .t = lab_time(v->w),
                        .h = v->w->h,
                        .steps = v->w->steps,
                        .ms = 1e3 * v->w->last_seconds,
                        .volume = 100 * v->volume,
                        .depth = v->depth,
                        .energy = lab_world_energy(v->w).now,
                        .contacts = contacts > 0 ? contacts : 0,
                        .islands = (int)last.islands,
                        .rows = (int)last.rows,
                        .error = v->w->failed ? v->w->error : NULL};
}

view_frame view_frame_of(const view *v)
{
    const lab_world *w = v->w;
    view_frame f;
    double up[3] = {-w->gravity[0], -w->gravity[1], -w->gravity[2]}, away[3] = {1, 0, 0}, right[3];
    peg_copy3(v->low, f.low);
    peg_copy3(v->high, f.high);
    if (peg_normalise(up) == 0) up[0] = up[1] = 0, up[2] = 1;
    if (fabs(up[0]) > .6) away[0] = 0, away[1] = 1;
    peg_cross(up, away, right);
    peg_normalise(right);
    peg_cross(right, up, away);
    for (int k = 0; k < 3; k++)
        f.to_eye[k] = w->is_planar ? k == 2 : .3 * right[k] - .78 * away[k] + .4 * up[k];
    if (w->has_camera) peg_rotate(w->turn, w->camera, f.to_eye);
    if (peg_normalise(f.to_eye) == 0) f.to_eye[2] = 1;
    peg_copy3(up, f.up);
    return f;
}

void view_look(view *v, const double to_eye[3])
{
    for (int i = 0; i < v->bodies; i++) {
        const lab_body *b = v->w->body[i];
        for (int p = 0; p < b->parts; p++) {
            const lab_shape *s = b->part[p].placed;
            int shown = 0, hidden = 0,
                may = b->kind == LAB_STATIC && !b->is_plane && s->kind == LAB_SHAPE_CONVEX &&
                      s->nf > 0;
            for (int k = 0; k < v->bodies && may; k++) {
                const lab_body *other = v->w->body[k];
                if (other->kind != LAB_DYNAMIC || !other->present) continue;
                shown++;
                hidden += lab_shape_hides(s, other->now.x, to_eye);
            }
            v->body[i].hides[p] = 10 * hidden > shown;
        }
    }
}

static void see_body(void *data, dBodyID body, int island, int asleep, unsigned colour)
{
    view *v = data;
    dGeomID geom = dBodyGetFirstGeom(body);
    const lab_body *b = geom ? dGeomGetData(geom) : NULL;
    if (!b) return;
    v->body[b->number].island = island;
    v->body[b->number].asleep = asleep;
    v->body[b->number].colour = colour;
}

/* Islands and sleep of the last step. */
static void see_bodies(view *v)
{
    pegDebugDraw draw = {.data = v, .kinds = PEG_DRAW_BODY, .body = see_body};
    for (int i = 0; i < v->bodies; i++) {
        const lab_body *b = v->w->body[i];
        v->body[i].island = -1;
        v->body[i].asleep = b->kind == LAB_DYNAMIC && lab_body_asleep(b);
        v->body[i].colour = b->kind == LAB_STATIC ? STATIC_COLOUR : 0x7799bb;
    }
    if (v->w->peg) pegWorldDebugDraw(v->w->peg, &draw);
}

void view_draw(view *v, const pegDebugDraw *draw)
{
    const lab_contact_point *c;
    if (v->w->peg) {
        pegWorldDebugDraw(v->w->peg, draw);
        return;
    }
    for (int n = lab_contact_points(v->w, &c); n > 0; n--, c++) {
        double end[3], force[3];
        peg_add_scaled(c->x, draw->normal_length, c->normal, end);
        if (draw->kinds & PEG_DRAW_NORMAL)
            draw->segment(draw->data, PEG_DRAW_NORMAL, c->x, end, 0x40c040);
        peg_add_scaled(c->friction, c->impulse, c->normal, force);
        peg_add_scaled(c->x, draw->force_scale / v->w->h, force, end);
        if (draw->kinds & PEG_DRAW_FORCE)
            draw->segment(draw->data, PEG_DRAW_FORCE, c->x, end, 0xff8000);
        if (draw->kinds & PEG_DRAW_POINT) draw->point(draw->data, PEG_DRAW_POINT, c->x, 0xffffff);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void measure_overlap(view *v)
{
    double volume, mean = lab_mean_volume(v->w);
    memset(v->depth_of, 0, (size_t)v->bodies * sizeof *v->depth_of);
    lab_measure(v->w, 1, &volume, &v->depth, v->depth_of);
    v->volume = mean > 0 ? volume / mean : 0;
    for (int i = 0; i < v->bodies; i++) v->body[i].depth = v->depth_of[i];
}

int view_step(view *v, int measure)
{
    int failed = lab_step(v->w);
    see_bodies(v);
    v->volume = v->depth = 0;
    for (int i = 0; i < v->bodies; i++) v->body[i].depth = 0;
    if (measure && !failed) measure_overlap(v);
    return failed;
}

int view_models(const view *v)
{
    return v->models;
}

const char *view_model_name(const view *v, int model)
{
    return lab_contact_name(v->model[model]);
}

int view_model(const view *v)
{
    return v->current;
}

const char *view_note(const view *v)
{
    return v->note;
}

/* What a scene keeps of its own besides poses. */
static void copy_tags(lab_world *to, const lab_world *from)
{
    for (int i = 0; i < to->bodies; i++) to->body[i]->tag = from->body[i]->tag;
    for (int i = 0; i < to->joints; i++) {
        to->joint[i]->counter = from->joint[i]->counter;
        if (from->joint[i]->broken) lab_joint_break(to->joint[i]);
    }
}

static lab_world *open_model(view *v, int model)
{
    int user;
    lab_options options = v->options;
    options.contact = v->model[model];
    lab_world *w = lab_open(v->scene, &options, v->note, &user);
    if (w) lab_contact_points_record(w);
    if (w) *v->note = 0;
    return w;
}

static void take_world(view *v, lab_world *w, int model)
{
    lab_close(v->w);
    v->w = w;
    v->current = model;
    see_bodies(v);
    measure_overlap(v);
}

int view_switch(view *v, int model)
{
    lab_world *w = open_model(v, model);
    if (!w) return 1;
    if (lab_match(w, v->w)) {
        snprintf(v->note, sizeof v->note, "%s", lab_error(w));
        lab_close(w);
        return 1;
    }
    copy_tags(w, v->w);
    take_world(v, w, model);
    return 0;
}

int view_restart(view *v)
{
    lab_world *w = open_model(v, v->current);
    if (w) take_world(v, w, v->current);
    return !w;
}

int view_write_picture(const char *path, const unsigned char *rgba, int width, int height)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < height && data; y++)
        for (int x = 0; x < width; x++) {
            const unsigned char *from = &rgba[4 * ((size_t)(height - 1 - y) * (size_t)width + x)];
            unsigned pixel = (unsigned)from[0] << 16 | (unsigned)from[1] << 8 | from[2];
            memcpy(data + (size_t)y * (size_t)stride + 4 * (size_t)x, &pixel, 4);
        }
    cairo_surface_mark_dirty(image);
    int bad = cairo_surface_write_to_png(image, path) != CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(image);
    return bad;
}

#ifndef HAVE_VIEW
int view_window(view *v, const char *picture, long steps)
{
    (void)v, (void)picture, (void)steps;
    fputs("peg-lab: built without the live window: install libglfw3-dev libimgui-dev libgl-dev and "
          "build anew (meson: -Dview=enabled), or use compare, whose page replays the run\n",
          stderr);
    return 1;
}
#endif

int view_scene(const lab_scene *scene, const lab_options *options, const lab_contact *models, int n,
               const char *picture)
{
    static const lab_contact usual[] = {LAB_PEG, LAB_ODE, LAB_ODE_QUICK};
    view v = {.scene = scene, .options = *options, .models = n > 0 ? n : 3};
    memcpy(v.model, n > 0 ? models : usual, (size_t)v.models * sizeof *usual);
    v.w = open_model(&v, 0);
    if (!v.w) {
        fprintf(stderr, "peg-lab: %s\n", v.note);
        return 2;
    }
    int status = 1;
    if (v.w->is_planar && n == 0) v.models = 1;
    find_room(&v);
    if (make_looks(&v)) {
        fputs("peg-lab: out of memory\n", stderr);
    } else {
        see_bodies(&v);
        measure_overlap(&v);
        status = view_window(&v, picture, v.w->planned);
    }
    free_looks(&v);
    lab_close(v.w);
    return status;
}
