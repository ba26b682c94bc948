/* Contacts that begin, go on and end, by pairs of geoms and their features. */
#include "plugin/contact.h"
#include "ode_glue/write/contacts.h"

#include <string.h>

/* A pair of the last steps: a run of its points. */
typedef struct pair {
    dGeomID geom[2]; /* as they lie in spaces, in the order of the contacts */
    dBodyID body[2];
    size_t first;
    int points;
    int met; /* in this step */
} pair;

typedef struct point {
    int features, feature1, feature2;
} point;

typedef struct side {
    pair *of;
    size_t n, room;
    point *point;
    size_t points, point_room;
} side;

struct peg_events {
    side now, before;
    pegContactEvent *event;
    size_t n, room;
};

/* One more of an array; null without memory. */
#define ADD(array, count, capacity)                                                                \
    add_to((void **)&(array), &(count), &(capacity), sizeof *(array))

static void *add_to(void **array, size_t *n, size_t *room, size_t size)
{
    void *grown = peg_grow(*array, *n + 1, room, size);
    if (!grown) return NULL;
    *array = grown;
    return (char *)grown + size * (*n)++;
}

static const peg_shape *shape_of(const peg_glue *glue, int part)
{
    return glue->scene.part[part].user;
}

/* The contacts of a pair may lie apart from each other: points are gathered pair by pair. */
static int gather(const peg_glue *glue, const peg_contact *c, int n, side *to)
{
    to->n = to->points = 0;
    for (int i = 0; i < n; i++) {
        dGeomID a = shape_of(glue, c[i].part_a)->geom, b = shape_of(glue, c[i].part_b)->geom;
        int known = 0;
        for (size_t k = 0; k < to->n && !known; k++)
            known = to->of[k].geom[0] == a && to->of[k].geom[1] == b;
        if (known) continue;
        pair *p = ADD(to->of, to->n, to->room);
        if (!p) return 0;
        *p = (pair){{a, b}, {dGeomGetBody(a), dGeomGetBody(b)}, to->points, 0, 1};
        for (int j = i; j < n; j++) {
            if (shape_of(glue, c[j].part_a)->geom != a || shape_of(glue, c[j].part_b)->geom != b)
                continue;
            pegContact named;
            peg_name_features(glue, &c[j], &named);
            point *one = ADD(to->point, to->points, to->point_room);
            if (!one) return 0;
            *one = (point){(int)named.features, named.feature1, named.feature2};
            p = &to->of[to->n - 1];
            p->points++;
        }
    }
    return 1;
}

static int count_common(const side *x, const pair *p, const side *y, const pair *q)
{
    int common = 0;
    for (int i = 0; i < p->points; i++)
        for (int j = 0; j < q->points; j++)
            if (!memcmp(&x->point[p->first + (size_t)i], &y->point[q->first + (size_t)j],
                        sizeof(point))) {
                common++;
                break;
            }
    return common;
}

static pair *find(const side *s, const pair *like)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->of[i].geom[0] == like->geom[0] && s->of[i].geom[1] == like->geom[1])
            return &s->of[i];
    return NULL;
}

static int tell(struct peg_events *e, pegContactEventType type, const pair *p, int began, int ended)
{
    pegContactEvent *event = ADD(e->event, e->n, e->room);
    if (!event) return 0;
    *event = (pegContactEvent){type,       p->geom[0], p->geom[1], p->body[0],
                               p->body[1], p->points,  began,      ended};
    if (type == PEG_CONTACT_END) event->points = 0;
    return 1;
}

/* Whether the geom is there and cannot have moved: of a sleeping body, or of none that moves. */
static int sleeps(const peg_glue *glue, dGeomID geom)
{
    if (peg_map_find(&glue->shapes.kept.geom, geom, NULL) < 0 || !dGeomIsEnabled(geom)) return 0;
    dBodyID body = dGeomGetBody(geom);
    return !body || !dBodyIsEnabled(body);
}

/* A pair of sleepers has no contacts in the step, and is kept without an event. */
static int keep_sleepers(const peg_glue *glue, struct peg_events *e, const pair *p)
{
    if (!sleeps(glue, p->geom[0]) || !sleeps(glue, p->geom[1])) return 0;
    pair *kept = ADD(e->now.of, e->now.n, e->now.room);
    if (!kept) return 0;
    *kept = *p;
    kept->first = e->now.points;
    for (int i = 0; i < p->points; i++) {
        point *one = ADD(e->now.point, e->now.points, e->now.point_room);
        if (!one) return 0;
        *one = e->before.point[p->first + (size_t)i];
    }
    return 1;
}

static int compare(const peg_glue *glue, struct peg_events *e)
{
    int done = 1;
    size_t now = e->now.n;
    for (size_t i = 0; i < now && done; i++) {
        const pair *p = &e->now.of[i];
        pair *q = find(&e->before, p);
        int common = q ? count_common(&e->now, p, &e->before, q) : 0;
        done = tell(e, q ? PEG_CONTACT_PERSIST : PEG_CONTACT_BEGIN, p, p->points - common,
                    q ? q->points - common : 0);
        if (q) q->met = 2;
    }
    for (size_t i = 0; i < e->before.n && done; i++) {
        const pair *q = &e->before.of[i];
        if (q->met == 2 || keep_sleepers(glue, e, q)) continue;
        done = tell(e, PEG_CONTACT_END, q, 0, q->points);
    }
    return done;
}

pegStatus peg_events_update(struct peg_events *e, peg_glue *glue)
{
    const peg_contact *contact;
    int n = peg_glue_contacts(glue, &contact);
    side swap = e->before;
    e->before = e->now;
    e->now = swap;
    e->n = 0;
    int done = gather(glue, contact, n, &e->now) && compare(glue, e);
    for (size_t i = 0; i < e->now.n; i++) e->now.of[i].met = 1;
    return done ? PEG_OK : PEG_ERROR_MEMORY;
}

void peg_events_clear(struct peg_events *e)
{
    e->now.n = e->now.points = e->before.n = e->before.points = e->n = 0;
}

void peg_events_free(struct peg_events *e)
{
    if (!e) return;
    peg_free(e->now.of);
    peg_free(e->now.point);
    peg_free(e->before.of);
    peg_free(e->before.point);
    peg_free(e->event);
    peg_free(e);
}

pegStatus pegWorldSetContactEvents(pegWorldID peg, int enabled)
{
    if (!peg || peg->glue->stepping) return PEG_ERROR_ARGUMENT;
    if (!enabled) {
        peg_events_free(peg->events);
        peg->events = NULL;
    } else if (!peg->events) {
        peg->events = peg_alloc_zero(1, sizeof *peg->events);
        if (!peg->events) return PEG_ERROR_MEMORY;
    }
    return PEG_OK;
}

int pegWorldGetContactEventCount(pegWorldID peg)
{
    return peg && peg->events ? (int)peg->events->n : 0;
}

pegStatus pegWorldGetContactEvent(pegWorldID peg, int index, pegContactEvent *event)
{
    if (!event || index < 0 || index >= pegWorldGetContactEventCount(peg))
        return PEG_ERROR_ARGUMENT;
    *event = peg->events->event[index];
    return PEG_OK;
}
