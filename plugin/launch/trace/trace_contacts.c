/* Contacts of exact steps come from the library, those of ODE's own from the feedback of the
 * program's contact joints. */
#include "plugin/launch/trace/trace_contacts.h"
#include "peg/base/math.h"
#include "plugin/launch/base/json_write.h"

/* ---- joints of ODE's ------------------------------------------------------------------------- */

void peg_trace_watch_joints(peg_world_entry *entry)
{
    for (size_t i = 0; i < entry->records; i++) {
        peg_record *r = &entry->record[i];
        r->watched = !dJointGetFeedback(r->joint);
        if (!r->watched) continue;
        r->whole = (dJointFeedback){0};
        dJointSetFeedback(r->joint, &r->whole);
    }
}

void peg_trace_unwatch_joints(peg_world_entry *entry)
{
    for (size_t i = 0; i < entry->records; i++) {
        peg_record *r = &entry->record[i];
        if (r->watched) dJointSetFeedback(r->joint, NULL);
        r->watched = 0;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct point {
    int a, b; /* numbers; negative: not in the trace */
    const dReal *pos;
    double normal[3]; /* into a */
    double gap, impulse, friction[3];
    const char *features;
} point;

static void put_numbers(FILE *file, const char *key, const double *x)
{
    fprintf(file, ",\"%s\":[%.9g,%.9g,%.9g]", key, x[0], x[1], x[2]);
}

/* Whether all that is written of it is finite. */
static int is_finite(const point *p)
{
    double sum = p->gap + p->impulse;
    for (int k = 0; k < 3; k++) sum += p->pos[k] + p->normal[k] + p->friction[k];
    return isfinite(sum);
}

static void put_point(FILE *file, const point *p, int *count)
{
    if (p->a < 0 || p->b < 0 || !is_finite(p)) return;
    fprintf(file, "%s{\"bodies\":[%d,%d],\"features\":\"%s\"", (*count)++ ? "," : "", p->a, p->b,
            p->features);
    put_numbers(file, "pos", p->pos);
    put_numbers(file, "normal", p->normal);
    fprintf(file, ",\"gap\":%.9g,\"impulse\":%.9g", p->gap, p->impulse);
    put_numbers(file, "friction", p->friction);
    fputc('}', file);
}

static void put_exact(FILE *file, const peg_world_entry *entry, peg_trace_number *number)
{
    static const char *const names[] = {
        [PEG_VERTEX_FACE] = "vertex-face",  [PEG_FACE_VERTEX] = "face-vertex",
        [PEG_EDGE_EDGE] = "edge-edge",      [PEG_VERTEX_VERTEX] = "vertex-vertex",
        [PEG_VERTEX_EDGE] = "vertex-edge",  [PEG_EDGE_VERTEX] = "edge-vertex",
        [PEG_FEATURES_UNKNOWN] = "unknown",
    };
    int count = 0;
    for (int i = 0; i < pegWorldGetContactCount(entry->peg); i++) {
        pegContact c;
        if (pegWorldGetContact(entry->peg, i, &c) != PEG_OK) continue;
        point p = {.a = number(entry->trace, dGeomGetBody(c.g1), c.g1),
                   .b = number(entry->trace, dGeomGetBody(c.g2), c.g2),
                   .pos = c.pos,
                   .gap = c.gap,
                   .impulse = c.impulse,
                   .features = names[c.features]};
        peg_copy3(c.normal, p.normal);
        peg_copy3(c.friction, p.friction);
        put_point(file, &p, &count);
    }
}

/* The geoms of a contact may be gone, or made up by the program: they are only compared. */
static int number_of_other(const peg_world_entry *entry, const dContactGeom *g,
                           peg_trace_number *number)
{
    int n = number(entry->trace, NULL, g->g2);
    return n >= 0 ? n : number(entry->trace, NULL, g->g1);
}

/* f1 acts on the joint's first body, or on the second if there is only that. */
static void put_joints(FILE *file, const peg_world_entry *entry, peg_trace_number *number)
{
    int count = 0;
    for (size_t i = 0; i < entry->records; i++) {
        const peg_record *r = &entry->record[i];
        const dContactGeom *g = &r->contact.geom;
        const dJointFeedback *f = r->watched ? &r->whole : dJointGetFeedback(r->joint);
        dBodyID on = dJointGetBody(r->joint, 0), other = dJointGetBody(r->joint, 1);
        if (!on) on = other, other = NULL;
        if (!f || !on || peg_dot(f->f1, f->f1) == 0) continue;
        double sign = peg_dot(f->f1, g->normal) < 0 ? -1 : 1;
        point p = {.a = number(entry->trace, on, NULL),
                   .b = other ? number(entry->trace, other, NULL)
                              : number_of_other(entry, g, number),
                   .pos = g->pos,
                   .gap = -g->depth,
                   .impulse = entry->h * sign * peg_dot(f->f1, g->normal),
                   .features = "unknown"};
        for (int k = 0; k < 3; k++) {
            p.normal[k] = sign * g->normal[k];
            p.friction[k] = entry->h * f->f1[k] - p.impulse * p.normal[k];
        }
        put_point(file, &p, &count);
    }
}

void peg_trace_put_contacts(FILE *file, const peg_world_entry *entry, peg_trace_number *number)
{
    fputs(",\"contacts\":[", file);
    if (entry->exact)
        put_exact(file, entry, number);
    else
        put_joints(file, entry, number);
    fputc(']', file);
}
