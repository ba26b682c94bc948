/* Worlds as traces. */
#include "demos/report/recorder.h"
#include "demos/report/output.h"
#include "demos/world/contact_points.h"
#include "demos/world/world.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* ---- bodies ---------------------------------------------------------------------------------- */

static int copy_body(const lab_body *from, trace_body *to)
{
    to->name = strdup(from->name);
    to->kind = from->kind;
    to->is_plane = from->is_plane;
    to->mass = from->mass;
    to->volume = from->volume;
    to->has_inertia = from->kind == LAB_DYNAMIC;
    if (to->has_inertia) memcpy(to->inertia, from->inertia, sizeof to->inertia);
    to->part = calloc((size_t)from->parts + 1, sizeof *to->part);
    if (!to->name || !to->part) return 0;
    for (int i = 0; i < from->parts; i++) {
        to->part[i] = lab_shape_copy(from->part[i].shape);
        if (!to->part[i]) return 0;
        to->parts++;
    }
    return 1;
}

/* Whom a joint connects, or a group excludes from touching. */
static int copy_connected(const lab_world *w, lab_trace *t)
{
    int room = 0;
    for (int i = 0; (w->has_groups || w->joints) && i < w->bodies; i++)
        for (int j = i + 1; j < w->bodies; j++) {
            const lab_body *a = w->body[i], *b = w->body[j];
            if (!(a->group > 0 && a->group == b->group) && !lab_are_joined(a, b)) continue;
            if (t->pairs == room) {
                room = 2 * room + 16;
                int(*more)[2] = realloc(t->connected, (size_t)room * sizeof *more);
                if (!more) return 0;
                t->connected = more;
            }
            t->connected[t->pairs][0] = i, t->connected[t->pairs++][1] = j;
        }
    return 1;
}

/* The box that the scene asks pictures to show, in the world. */
static void copy_view(const lab_world *w, lab_trace *t)
{
    t->has_view = w->has_view;
    for (int k = 0; k < 3; k++) t->view[0][k] = INFINITY, t->view[1][k] = -INFINITY;
    for (int i = 0; i < 8; i++) {
        double corner[3];
        for (int k = 0; k < 3; k++) corner[k] = w->scale * w->view[i >> k & 1][k];
        peg_rotate(w->turn, corner, corner);
        for (int k = 0; k < 3; k++) {
            t->view[0][k] = fmin(t->view[0][k], corner[k]);
            t->view[1][k] = fmax(t->view[1][k], corner[k]);
        }
    }
}

lab_trace *lab_trace_of(const lab_world *w)
{
    lab_trace *t = trace_new(w->bodies);
    if (!t) return NULL;
    int whole = 1;
    t->scene = strdup(w->scene->name);
    t->contact = strdup(lab_contact_name(w->options.contact));
    t->h = w->h, t->scale = w->scale, t->mu = w->mu;
    t->has_gravity = 1;
    t->is_planar = w->is_planar;
    peg_copy3(w->gravity, t->gravity);
    copy_view(w, t);
    t->has_camera = w->has_camera;
    peg_rotate(w->turn, w->camera, t->camera);
    t->has_camera &= peg_normalise(t->camera) > 0;
    t->has_bounds = w->has_bounds && w->turn_q[0] == 1;
    for (int k = 0; k < 3; k++) {
        t->bounds[0][k] = w->scale * w->low[k];
        t->bounds[1][k] = w->scale * w->high[k];
    }
    for (int i = 0; i < w->bodies; i++) whole &= copy_body(w->body[i], &t->body[i]);
    if (whole && t->scene && t->contact && copy_connected(w, t)) return t;
    trace_free(t);
    return NULL;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Times are left out: the same run gives the same trace. */
static char *stats_text(const lab_world *w, const pegStats *s)
{
    if ((!w->peg && !w->planar) || w->steps == 0) return NULL;
    json_t *json = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "pairs",
        (json_int_t)s->pairs, "islands", (json_int_t)s->islands, "rows", (json_int_t)s->rows,
        "outer", (json_int_t)s->outer_iterations, "unconverged", (json_int_t)s->unconverged,
        "switches", (json_int_t)s->switches, "traps", (json_int_t)s->traps, "clearance",
        (json_int_t)s->fallback_clearance, "elastic", (json_int_t)s->fallback_elastic, "halved",
        (json_int_t)s->fallback_halved, "plane", (json_int_t)s->fallback_plane, "scaled",
        (json_int_t)s->fallback_scaled, "residual", lab_number(s->residual_max), "gap_min",
        lab_number(s->min_separation), "energy_gain", lab_number(s->energy_gain_max));
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    return text;
}

static void copy_figures(const lab_world *w, trace_frame *f)
{
    pegStats s;
    if (w->steps == 0) return;
    f->figure[TRACE_MS] = 1e3 * w->last_seconds;
    if (!w->peg && !w->planar) return;
    lab_last(w, &s);
    f->figure[TRACE_ISLANDS] = (double)s.islands;
    f->figure[TRACE_ROWS] = (double)s.rows;
    f->figure[TRACE_ITERATIONS] = (double)s.outer_iterations;
    f->figure[TRACE_UNCONVERGED] = (double)s.unconverged;
    f->figure[TRACE_RESIDUAL] = s.residual_max;
    f->stats = stats_text(w, &s);
}

static int copy_contacts(lab_world *w, const lab_trace *t, trace_frame *f)
{
    const lab_contact_point *p;
    if (!w->contact_log) return 1;
    int n = lab_contact_points(w, &p);
    if (n < 0) return 0;
    f->contact = calloc((size_t)n + 1, sizeof *f->contact);
    if (!f->contact) return 0;
    f->contacts = 0;
    for (int i = 0; i < n; i++, p++) {
        trace_contact *c = &f->contact[f->contacts];
        *c = (trace_contact){.a = p->a->number,
                             .b = p->b->number,
                             .gap = p->gap,
                             .impulse = p->impulse,
                             .features = p->features};
        peg_copy3(p->x, c->x);
        peg_copy3(p->normal, c->normal);
        peg_copy3(p->friction, c->friction);
        trace_find_facet(t, f, c);
        f->contacts++;
    }
    return 1;
}

int lab_trace_add(lab_trace *t, lab_world *w)
{
    trace_frame *f = trace_add_frame(t);
    if (!f) return 1;
    f->step = w->steps;
    f->t = lab_time(w);
    f->asleep = calloc((size_t)w->bodies + 1, 1);
    if (!f->asleep) return 1;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        const lab_state *s = &b->now;
        double *pose = f->state[i].pose, *vel = f->state[i].vel;
        peg_copy3(s->x, pose);
        memcpy(pose + 3, s->q, sizeof s->q);
        peg_copy3(s->v, vel);
        peg_copy3(s->omega, vel + 3);
        if (!b->present) pose[0] = NAN;
        f->asleep[i] = b->present && b->kind == LAB_DYNAMIC && lab_body_asleep(b);
    }
    copy_figures(w, f);
    return !copy_contacts(w, t, f) || trace_find_islands(t, f);
}

/* ---- recorders ------------------------------------------------------------------------------- */

static void record(lab_recorder *r, lab_world *w, const lab_measured *m)
{
    if (!r->keep) trace_drop_frame(r->trace);
    if (lab_trace_add(r->trace, w)) {
        lab_fail(w, "out of memory");
        return;
    }
    trace_frame *f = &r->trace->frame[r->trace->frames - 1];
    if (m && r->keep) {
        f->volume = m->volume, f->depth = m->depth;
        f->depth_of = calloc((size_t)w->bodies + 1, sizeof *f->depth_of);
        for (int i = 0; f->depth_of && i < w->bodies; i++) f->depth_of[i] = (float)m->depth_of[i];
    }
    if (r->writer.file && trace_write_frame(&r->writer, r->trace, f))
        lab_fail(w, "the trace '%.200s' could not be written", r->path);
}

static void begin(void *data, lab_world *w)
{
    lab_recorder *r = data;
    lab_contact_points_record(w);
    r->trace = lab_trace_of(w);
    if (!r->trace) {
        lab_fail(w, "out of memory");
        return;
    }
    if (r->path) {
        int version = r->compact || r->quantum > 0 || trace_is_packed(r->path) ? 2 : 1;
        r->writer = (trace_writer){trace_open_write(r->path), version, r->quantum, NULL};
        if (!r->writer.file || trace_write_head(&r->writer, r->trace))
            lab_fail(w, "the trace '%.200s' could not be written", r->path);
    }
    record(r, w, NULL);
}

static void step(void *data, lab_world *w, const lab_measured *m)
{
    lab_recorder *r = data;
    if (r->every > 1 && w->steps % r->every != 0 && w->steps != w->planned) return;
    record(r, w, m);
}

static void end(void *data, lab_world *w)
{
    lab_recorder *r = data;
    trace_writer_end(&r->writer);
    if (r->writer.file && fclose(r->writer.file) != 0)
        lab_fail(w, "the trace '%.200s' could not be written in full", r->path);
    r->writer.file = NULL;
}

lab_observer lab_recorder_observer(lab_recorder *r)
{
    return (lab_observer){begin, step, end, r};
}

void lab_recorder_free(lab_recorder *r)
{
    trace_writer_end(&r->writer);
    if (r->writer.file) fclose(r->writer.file);
    trace_free(r->trace);
    *r = (lab_recorder){0};
}
