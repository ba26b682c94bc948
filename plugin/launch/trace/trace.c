/* Writes the parts of a trace: see trace.h. */
#include "ode_glue/read/geom.h"
#include "plugin/launch/base/json_write.h"
#include "plugin/launch/base/log.h"
#include "plugin/launch/base/options.h"
#include "plugin/launch/trace/trace.h"
#include "plugin/launch/trace/trace_body.h"
#include "plugin/launch/trace/trace_contacts.h"
#include "plugin/launch/trace/world_trace.h"
#include "plugin/launch/world/space_geoms.h"

#include <stdatomic.h>
#include <string.h>

struct peg_trace {
    FILE *file[PEG_TRACE_FILES];
    peg_trace_body *of;
    size_t n, room;
    peg_map known; /* bodies and geoms that live; number in the order of `at` */
    size_t *at;    /* known.room entries: index in `of` */
    int at_room;
    peg_map joined; /* (lower, higher) body, told */
    peg_map space;  /* null: destroyed */
};

static atomic_int traces; /* so far */

/* Spaces that this thread collided since it last stepped: their geoms without a body stand in the
 * world of the next step. More than these are heard of later. */
static PEG_THREAD struct {
    dSpaceID space[64];
    int n;
} recent;

/* ---- the things of a world ------------------------------------------------------------------- */

static void add(peg_trace *trace, dBodyID body, dGeomID geom)
{
    void *key = body ? (void *)body : (void *)geom;
    int known = trace->known.n, i = peg_map_add(&trace->known, key, NULL);
    if (i < 0) return;
    if (trace->at_room < trace->known.room) {
        size_t *at = peg_realloc(trace->at, (size_t)trace->known.room * sizeof *at);
        if (!at) return;
        trace->at = at;
        trace->at_room = trace->known.room;
    }
    if (i < known && (trace->of[trace->at[i]].body || trace->of[trace->at[i]].geom)) return;
    peg_trace_body *of = peg_grow(trace->of, trace->n + 1, &trace->room, sizeof *of);
    if (!of) return;
    trace->of = of;
    of[trace->n] = (peg_trace_body){body, body ? NULL : geom};
    trace->at[i] = trace->n++;
    peg_trace_put_body(trace->file[PEG_TRACE_BODIES], &of[trace->at[i]], trace->at[i]);
}

/* Geoms without a body stand; rays show nothing. */
static void add_geom(void *context, dGeomID geom)
{
    if (dGeomIsSpace(geom))
        peg_each_geom((dSpaceID)geom, add_geom, context);
    else if (!dGeomGetBody(geom) && dGeomGetClass(geom) != dRayClass)
        add(context, NULL, geom);
}

void peg_trace_space(dSpaceID space)
{
    for (int i = 0; i < recent.n; i++)
        if (recent.space[i] == space) return;
    if (recent.n < (int)(sizeof recent.space / sizeof *recent.space))
        recent.space[recent.n++] = space;
}

void peg_trace_gone(peg_trace *trace, void *object)
{
    int i = peg_map_find(&trace->known, object, NULL);
    if (i >= 0 && i < trace->at_room) trace->of[trace->at[i]] = (peg_trace_body){NULL, NULL};
    int space = peg_map_find(&trace->space, object, NULL);
    if (space >= 0) trace->space.key[space][0] = NULL;
    for (i = 0; i < recent.n; i++)
        if (recent.space[i] == object) recent.space[i--] = recent.space[--recent.n];
}

static int number_of(const peg_trace *trace, dBodyID body)
{
    int i = body ? peg_map_find(&trace->known, body, NULL) : -1;
    return i < 0 ? -1 : (int)trace->at[i];
}

/* Of a body, or of a geom without one; the geom is not looked at. */
static int number_of_any(const peg_trace *trace, dBodyID body, dGeomID geom)
{
    if (body) return number_of(trace, body);
    int i = geom ? peg_map_find(&trace->known, geom, NULL) : -1;
    if (i < 0 || i >= trace->at_room) return -1;
    return trace->of[trace->at[i]].geom == geom ? (int)trace->at[i] : -1;
}

/* Pairs that joints connect, each once. */
static void put_joined(peg_trace *trace, dBodyID body)
{
    for (int k = dBodyGetNumJoints(body) - 1; k >= 0; k--) {
        dJointID joint = dBodyGetJoint(body, k);
        dBodyID a = dJointGetBody(joint, 0), b = dJointGetBody(joint, 1);
        if (!a || !b || a != body || dJointGetType(joint) == dJointTypeContact) continue;
        int i = number_of(trace, a), j = number_of(trace, b), known = trace->joined.n;
        if (i < 0 || j < 0 || peg_map_add(&trace->joined, a < b ? a : b, a < b ? b : a) < known)
            continue;
        fprintf(trace->file[PEG_TRACE_JOINED], "[%d,%d]\n", i, j);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void put_pose(FILE *file, const peg_trace_body *t)
{
    double pose[7], R[9];
    dMatrix3 turned = {0};
    dQuaternion q;
    if (t->body) {
        peg_copy3(dBodyGetPosition(t->body), pose);
        memcpy(pose + 3, dBodyGetQuaternion(t->body), 4 * sizeof(double));
    } else {
        peg_geom_pose(t->geom, pose, R);
        for (int i = 0; i < 9; i++) turned[4 * (i / 3) + i % 3] = R[i];
        dQfromR(q, turned);
        memcpy(pose + 3, q, 4 * sizeof(double));
    }
    peg_json_put_numbers(file, pose, 7);
}

static void put_velocity(FILE *file, const peg_trace_body *t)
{
    double v[6] = {0};
    if (t->body) {
        peg_copy3(dBodyGetLinearVel(t->body), v);
        peg_copy3(dBodyGetAngularVel(t->body), v + 3);
    }
    peg_json_put_numbers(file, v, 6);
}

static void put_all(FILE *file, const peg_trace *trace,
                    void (*put)(FILE *file, const peg_trace_body *t))
{
    for (size_t i = 0; i < trace->n; i++) {
        const peg_trace_body *t = &trace->of[i];
        if (i) fputc(',', file);
        if (t->body || t->geom)
            put(file, t);
        else
            fputs("null", file);
    }
}

static void put_stats(FILE *file, const peg_world_entry *entry)
{
    pegStats s;
    if (!entry->exact) return;
    pegWorldGetStats(entry->peg, &s);
    fprintf(file,
            "\"pairs\":%ld,\"islands\":%ld,\"rows\":%ld,\"outer\":%ld,\"unconverged\":%ld,"
            "\"switches\":%ld,\"clearance\":%ld,\"elastic\":%ld,\"halved\":%ld,\"scaled\":%ld,"
            "\"residual\":",
            s.pairs, s.islands, s.rows, s.outer_iterations, s.unconverged, s.switches,
            s.fallback_clearance, s.fallback_elastic, s.fallback_halved, s.fallback_scaled);
    peg_json_put_number(file, s.residual_max);
    fputs(",\"gap_min\":", file);
    peg_json_put_number(file, s.min_separation);
    fputs(",\"energy_gain\":", file);
    peg_json_put_number(file, s.energy_gain_max);
}

static void put_asleep(FILE *file, const peg_trace *trace)
{
    int count = 0;
    fputs(",\"asleep\":[", file);
    for (size_t i = 0; i < trace->n; i++) {
        dBodyID body = trace->of[i].body;
        if (body && !dBodyIsEnabled(body) && !dBodyIsKinematic(body))
            fprintf(file, "%s%zu", count++ ? "," : "", i);
    }
    fputc(']', file);
}

static void put_line(const peg_trace *trace, const peg_world_entry *entry)
{
    FILE *file = trace->file[PEG_TRACE_STEPS];
    fprintf(file, "%zu {\"step\":%ld,\"t\":%.17g,\"pose\":[", trace->n, entry->steps, entry->time);
    put_all(file, trace, put_pose);
    fputs(PEG_TRACE_VEL, file);
    put_all(file, trace, put_velocity);
    fputs(PEG_TRACE_STATS, file);
    put_stats(file, entry);
    fputc('}', file);
    peg_trace_put_contacts(file, entry, number_of_any);
    put_asleep(file, trace);
    fputs("}\n", file);
    for (int i = 0; i < PEG_TRACE_FILES; i++) fflush(trace->file[i]);
}

static void put_head(FILE *file, const peg_world_entry *entry, double h)
{
    dVector3 g;
    dWorldGetGravity(entry->world, g);
    fprintf(file,
            "{\"format\":\"ode-peg-trace\",\"version\":1,\"contact\":\"%s\",\"h\":%.17g,\"scene\":",
            peg_launch_options.name, h);
    peg_json_put_string(file, peg_launch_options.scene);
    fputs(",\"gravity\":", file);
    peg_json_put_numbers(file, g, 3);
    fputc('\n', file);
}

static peg_trace *begin(void)
{
    static const char *const part[PEG_TRACE_FILES] = {PEG_TRACE_PARTS};
    char base[4096], name[4200];
    peg_trace *trace = peg_alloc_zero(1, sizeof *trace);
    int number = atomic_fetch_add(&traces, 1) + 1;
    if (!trace || !peg_trace_name(base, sizeof base, peg_launch_options.trace, number))
        return trace;
    for (int i = 0; i < PEG_TRACE_FILES; i++) {
        snprintf(name, sizeof name, "%s%s", base, part[i]);
        trace->file[i] = fopen(name, "we");
        if (trace->file[i]) continue;
        peg_log("cannot write '%s': no trace", name);
        peg_trace_end(trace);
        return NULL;
    }
    return trace;
}

void peg_trace_before(peg_world_entry *entry, double h)
{
    if (!peg_launch_options.trace || entry->steps > 0) return;
    peg_trace *trace = begin();
    pthread_mutex_lock(&entry->lock);
    entry->trace = trace;
    pthread_mutex_unlock(&entry->lock);
    if (!entry->trace) return;
    put_head(entry->trace->file[PEG_TRACE_HEAD], entry, h);
    peg_trace_after(entry);
}

void peg_trace_after(peg_world_entry *entry)
{
    peg_trace *trace = entry->trace;
    if (!trace || entry->steps % peg_launch_options.trace_every != 0) return;
    pthread_mutex_lock(&entry->lock);
    /* what has come since the last step */
    for (size_t i = 0; i < entry->bodies; i++) add(trace, entry->body[i], NULL);
    for (int i = 0; i < recent.n; i++) peg_map_add(&trace->space, recent.space[i], NULL);
    recent.n = 0;
    for (int i = 0; i < trace->space.n; i++)
        if (trace->space.key[i][0]) add_geom(trace, trace->space.key[i][0]);
    for (size_t i = 0; i < entry->bodies; i++) put_joined(trace, entry->body[i]);
    put_line(trace, entry);
    pthread_mutex_unlock(&entry->lock);
}

void peg_trace_end(peg_trace *trace)
{
    if (!trace) return;
    for (int i = 0; i < PEG_TRACE_FILES; i++)
        if (trace->file[i]) fclose(trace->file[i]);
    peg_map_free(&trace->known);
    peg_map_free(&trace->joined);
    peg_map_free(&trace->space);
    peg_free(trace->of);
    peg_free(trace->at);
    peg_free(trace);
}
