/* Contact points of exact contacts come from the library (or from its core, of planar worlds);
 * those of stock ODE from the feedback of the contact joints. */
#include "demos/world/contact_points.h"
#include "demos/world/planar_world.h"

#include <stdlib.h>

#include "peg/base/math.h"

enum { CHUNK = 256 };

/* Feedback structures must stay where they are until the step is over: hence chunks. */
typedef struct chunk {
    dJointFeedback feedback[CHUNK];
    dContactGeom geom[CHUNK];
    struct chunk *next;
} chunk;

struct lab_contact_log {
    int record, joints, no_memory;
    chunk *first, *last; /* last: in use */
    lab_contact_point *point;
    int points, room;
};

void lab_contact_points_record(lab_world *w)
{
    if (!w->contact_log) w->contact_log = calloc(1, sizeof *w->contact_log);
    if (w->contact_log)
        w->contact_log->record = 1;
    else
        lab_fail(w, "out of memory");
}

void lab_contact_points_free(lab_world *w)
{
    struct lab_contact_log *log = w->contact_log;
    if (!log) return;
    while (log->first) {
        chunk *next = log->first->next;
        free(log->first);
        log->first = next;
    }
    free(log->point);
    free(log);
    w->contact_log = NULL;
}

/* ---- stock ODE ------------------------------------------------------------------------------- */

void lab_contact_joints_clear(lab_world *w)
{
    if (w->contact_log) w->contact_log->joints = 0;
}

/* The chunk of the next joint. */
static chunk *chunk_for(struct lab_contact_log *log)
{
    if (log->joints == 0) log->last = log->first;
    if (log->joints > 0 && log->joints % CHUNK == 0) log->last = log->last->next;
    if (log->last) return log->last;
    chunk *fresh = calloc(1, sizeof *fresh), **end = &log->first;
    if (!fresh) return NULL;
    while (*end) end = &(*end)->next;
    return log->last = *end = fresh;
}

void lab_contact_joints_add(lab_world *w, dJointID joint, const dContactGeom *geom)
{
    struct lab_contact_log *log = w->contact_log;
    if (!log || !log->record || log->no_memory) return;
    chunk *c = chunk_for(log);
    if (!c) {
        log->no_memory = 1;
        return;
    }
    int i = log->joints++ % CHUNK;
    c->geom[i] = *geom;
    c->feedback[i] = (dJointFeedback){0};
    dJointSetFeedback(joint, &c->feedback[i]);
}

static int add_point(struct lab_contact_log *log, const lab_contact_point *p)
{
    if (log->points == log->room) {
        int room = 2 * log->room + 64;
        lab_contact_point *more = realloc(log->point, (size_t)room * sizeof *more);
        if (!more) return 0;
        log->point = more, log->room = room;
    }
    log->point[log->points++] = *p;
    return 1;
}

static void split_force(const double force[3], double h, lab_contact_point *p)
{
    p->impulse = h * peg_dot(force, p->normal);
    for (int k = 0; k < 3; k++) p->friction[k] = h * force[k] - p->impulse * p->normal[k];
}

/* ODE turns a joint round whose first geom has no body: f1 then acts on the second. Its solver can
 * give friction without a normal impulse. */
static int read_joints(lab_world *w)
{
    struct lab_contact_log *log = w->contact_log;
    const chunk *c = log->first;
    for (int i = 0; i < log->joints; i++) {
        const dContactGeom *geom = &c->geom[i % CHUNK];
        const dJointFeedback *feedback = &c->feedback[i % CHUNK];
        lab_contact_point p = {.a = dGeomGetData(geom->g1),
                               .b = dGeomGetData(geom->g2),
                               .gap = -geom->depth,
                               .features = PEG_FEATURES_UNKNOWN};
        double sign = dGeomGetBody(geom->g1) ? 1 : -1, force[3];
        for (int k = 0; k < 3; k++) force[k] = sign * feedback->f1[k];
        peg_copy3(geom->pos, p.x);
        peg_copy3(geom->normal, p.normal);
        split_force(force, w->h, &p);
        if (peg_dot(force, force) > 0 && !add_point(log, &p)) return 0;
        if (i % CHUNK == CHUNK - 1) c = c->next;
    }
    return 1;
}

/* ---- exact contacts -------------------------------------------------------------------------- */

static int read_peg(lab_world *w)
{
    for (int i = 0; i < pegWorldGetContactCount(w->peg); i++) {
        pegContact c;
        if (pegWorldGetContact(w->peg, i, &c) != PEG_OK) continue;
        lab_contact_point p = {.a = dGeomGetData(c.g1),
                               .b = dGeomGetData(c.g2),
                               .gap = c.gap,
                               .impulse = c.impulse,
                               .features = c.features};
        peg_copy3(c.pos, p.x);
        peg_copy3(c.normal, p.normal);
        peg_copy3(c.friction, p.friction);
        if (!add_point(w->contact_log, &p)) return 0;
    }
    return 1;
}

static int read_planar(lab_world *w)
{
    lab_contact_point p;
    for (int i = 0; lab_planar_contact(w->planar, i, &p); i++)
        if (!add_point(w->contact_log, &p)) return 0;
    return 1;
}

int lab_contact_points(lab_world *w, const lab_contact_point **points)
{
    struct lab_contact_log *log = w->contact_log;
    *points = NULL;
    if (!log || log->no_memory) return -1;
    log->points = 0;
    int whole = 1;
    if (w->steps > 0) whole = w->planar ? read_planar(w) : w->peg ? read_peg(w) : read_joints(w);
    *points = log->point;
    return whole ? log->points : -1;
}
