/* Reads traces of both versions: see docs/trace.md. The first error ends it and names its line. */
#define _GNU_SOURCE /* getline */
#include "demos/report/trace.h"
#include "demos/world/files.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path;
    char *text; /* of the error; empty: none */
    long line;
    int version;
    double quanta[4]; /* 0: not rounded */
    lab_trace *trace;
} reader;

static int fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keeps the first message; returns 0. */
static int fail(reader *r, const char *format, ...)
{
    if (*r->text) return 0;
    int n = r->line ? snprintf(r->text, LAB_TEXT, "%.200s, line %ld: ", r->path, r->line)
                    : snprintf(r->text, LAB_TEXT, "%.200s: ", r->path);
    va_list list;
    va_start(list, format);
    vsnprintf(r->text + n, LAB_TEXT - (size_t)n, format, list);
    va_end(list);
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int numbers(const json_t *json, double *out, size_t n)
{
    if (json_array_size(json) != n) return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(json, i);
        if (!json_is_number(x)) return 0;
        out[i] = json_number_value(x);
    }
    return 1;
}

static double number(const json_t *json, const char *key, double fallback)
{
    const json_t *x = json_object_get(json, key);
    return json_is_number(x) ? json_number_value(x) : fallback;
}

static char *copy(const json_t *json, const char *fallback)
{
    return strdup(json_is_string(json) ? json_string_value(json) : fallback);
}

/* ---- header ---------------------------------------------------------------------------------- */

static double (*read_points(const json_t *list, int *n))[3]
{
    size_t count = json_array_size(list);
    double(*p)[3] = malloc((count + 1) * sizeof *p);
    for (size_t i = 0; p && i < count; i++)
        if (!numbers(json_array_get(list, i), p[i], 3)) {
            free(p);
            return NULL;
        }
    *n = (int)count;
    return p;
}

/* Lists of indices, one after the other; null if one is no list of whole numbers. */
static int *read_faces(const json_t *list, int **start)
{
    size_t faces = json_array_size(list), corners = 0, at = 0;
    for (size_t f = 0; f < faces; f++) corners += json_array_size(json_array_get(list, f));
    int *index = malloc((corners + 1) * sizeof *index);
    *start = malloc((faces + 1) * sizeof **start);
    for (size_t f = 0; index && *start && f < faces; f++) {
        const json_t *face = json_array_get(list, f);
        (*start)[f] = (int)at;
        for (size_t c = 0; c < json_array_size(face); c++)
            index[at++] = (int)json_integer_value(json_array_get(face, c));
    }
    if (*start) (*start)[faces] = (int)at;
    return index;
}

static lab_shape *read_solid(const json_t *json, int is_mesh)
{
    int nv = 0, *start = NULL, nf;
    const json_t *faces = json_object_get(json, is_mesh ? "triangles" : "faces");
    double(*vertex)[3] = read_points(json_object_get(json, "vertices"), &nv);
    int *index = read_faces(faces, &start);
    lab_shape *s = NULL;
    nf = (int)json_array_size(faces);
    int whole = vertex && index && start && nf > 0;
    for (int f = 0; whole && f < nf; f++) {
        int corners = start[f + 1] - start[f];
        whole = is_mesh ? corners == 3 : corners >= 3;
    }
    int(*triangle)[3] = whole && is_mesh ? malloc((size_t)nf * sizeof *triangle) : NULL;
    if (triangle) memcpy(triangle, index, (size_t)nf * sizeof *triangle);
    if (whole && is_mesh && triangle)
        s = lab_shape_mesh((const double(*)[3])vertex, nv, (const int(*)[3])triangle, nf);
    else if (whole && !is_mesh)
        s = lab_shape_polyhedron((const double(*)[3])vertex, nv, start, index, nf);
    if (!s && whole && !is_mesh) s = lab_shape_hull((const double(*)[3])vertex, nv);
    free(triangle);
    free(vertex);
    free(index);
    free(start);
    return s;
}

static lab_shape *read_round(const json_t *json, const char *type)
{
    double radius = number(json, "radius", NAN), a[3], b[3] = {0, 0, 0};
    int one = !strcmp(type, "sphere");
    if (!(radius >= 0) || !numbers(json_object_get(json, one ? "center" : "a"), a, 3)) return NULL;
    if (!one && !numbers(json_object_get(json, "b"), b, 3)) return NULL;
    lab_shape *s = one                        ? lab_shape_sphere(radius)
                   : !strcmp(type, "capsule") ? lab_shape_capsule(radius, 1)
                                              : lab_shape_cylinder(radius, 1);
    if (s) memcpy(s->vertex[0], a, sizeof a);
    if (s && !one) memcpy(s->vertex[1], b, sizeof b);
    return s;
}

static int read_part(reader *r, const json_t *json, trace_body *b)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    lab_shape *s = NULL;
    double normal[3];
    if (!type) return fail(r, "body '%s' has a part without a type", b->name);
    if (!strcmp(type, "convex") || !strcmp(type, "mesh")) {
        s = read_solid(json, *type == 'm');
        if (s) s->round = fmax(0, number(json, "radius", 0));
    } else if (!strcmp(type, "sphere") || !strcmp(type, "capsule") || !strcmp(type, "cylinder")) {
        s = read_round(json, type);
    } else if (!strcmp(type, "plane")) {
        b->is_plane = 1;
        if (numbers(json_object_get(json, "normal"), normal, 3))
            s = lab_shape_half_space(normal, number(json, "offset", 0));
    } else {
        b->others++;
        return 1;
    }
    if (!s)
        return fail(r, "body '%s' has a %s that has no volume or no valid faces or sizes", b->name,
                    type);
    b->part[b->parts++] = s;
    lab_moments m;
    lab_shape_moments(s, &m);
    if (s->nv > 0) b->volume += m.volume;
    return 1;
}

static int read_body(reader *r, const json_t *json, trace_body *b, int i)
{
    char name[32];
    const json_t *parts = json_object_get(json, "parts");
    snprintf(name, sizeof name, "body %d", i);
    b->name = copy(json_object_get(json, "name"), name);
    b->part = calloc(json_array_size(parts) + 1, sizeof *b->part);
    if (!b->name || !b->part) return fail(r, "out of memory");
    b->kind = json_is_true(json_object_get(json, "static"))      ? LAB_STATIC
              : json_is_true(json_object_get(json, "kinematic")) ? LAB_KINEMATIC
                                                                 : LAB_DYNAMIC;
    b->mass = number(json, "mass", 0);
    b->has_inertia = numbers(json_object_get(json, "inertia"), b->inertia, 9);
    for (size_t k = 0; k < json_array_size(parts); k++)
        if (!read_part(r, json_array_get(parts, k), b)) return 0;
    return 1;
}

static int read_connected(reader *r, const json_t *list)
{
    lab_trace *t = r->trace;
    size_t n = json_array_size(list);
    t->connected = malloc((n + 1) * sizeof *t->connected);
    if (!t->connected) return fail(r, "out of memory");
    for (size_t i = 0; i < n; i++) {
        double pair[2];
        if (!numbers(json_array_get(list, i), pair, 2) || !(pair[0] >= 0 && pair[0] < t->bodies) ||
            !(pair[1] >= 0 && pair[1] < t->bodies))
            return fail(r, "\"connected\" names a body that is not there");
        t->connected[i][0] = (int)pair[0], t->connected[i][1] = (int)pair[1];
        t->pairs++;
    }
    return 1;
}

static int read_head(reader *r, const json_t *json)
{
    const char *format = json_string_value(json_object_get(json, "format"));
    const json_t *bodies = json_object_get(json, "bodies");
    r->version = (int)number(json, "version", 0);
    if (!format || strcmp(format, "ode-peg-trace") != 0)
        return fail(r, "no trace: its first line should say \"format\":\"ode-peg-trace\"");
    if (r->version < 1 || r->version > 2)
        return fail(r, "trace of version %d: this program reads 1 and 2", r->version);
    if (!json_is_array(bodies)) return fail(r, "the header has no list \"bodies\"");
    lab_trace *t = r->trace = trace_new((int)json_array_size(bodies));
    if (!t) return fail(r, "out of memory");
    t->h = number(json, "h", NAN);
    if (!(t->h > 0 && isfinite(t->h))) return fail(r, "the step size \"h\" must be positive");
    t->scale = number(json, "scale", 1);
    t->scene = copy(json_object_get(json, "scene"), "");
    t->contact = copy(json_object_get(json, "contact"), "");
    if (!t->scene || !t->contact) return fail(r, "out of memory");
    t->has_gravity = numbers(json_object_get(json, "gravity"), t->gravity, 3);
    t->is_planar = json_is_true(json_object_get(json, "planar"));
    numbers(json_object_get(json, "quanta"), r->quanta, 4);
    for (int i = 0; i < t->bodies; i++)
        if (!read_body(r, json_array_get(bodies, (size_t)i), &t->body[i], i)) return 0;
    return read_connected(r, json_object_get(json, "connected"));
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int is_null_list(const json_t *json, size_t n)
{
    for (size_t i = 0; i < json_array_size(json); i++)
        if (json_is_null(json_array_get(json, i))) return json_array_size(json) == n;
    return 0;
}

static int read_state(reader *r, const json_t *pose, const json_t *vel, trace_state *s, int body)
{
    const char *name = r->trace->body[body].name;
    const double *q = r->quanta;
    if (!numbers(pose, s->pose, 7))
        return fail(r,
                    is_null_list(pose, 7) ? "the pose of body '%s' is not finite (null)"
                                          : "the pose of body '%s' is not seven numbers",
                    name);
    if (vel && !json_is_null(vel) && !numbers(vel, s->vel, 6))
        return fail(r, "the velocity of body '%s' is not six finite numbers", name);
    for (int i = 0; i < 7 && q[0] > 0; i++) s->pose[i] *= q[i > 2];
    for (int i = 0; i < 6 && q[0] > 0; i++) s->vel[i] *= q[2 + (i > 2)];
    double length = 0;
    for (int i = 3; i < 7; i++) length += s->pose[i] * s->pose[i];
    if (!(fabs(length - 1) < 1e-2))
        return fail(r, "the quaternion of body '%s' is not of unit length", name);
    for (int i = 3; i < 7 && (q[0] > 0 || fabs(length - 1) > 1e-9); i++) s->pose[i] /= sqrt(length);
    return 1;
}

static int read_all_states(reader *r, const json_t *json, trace_frame *f)
{
    const json_t *pose = json_object_get(json, "pose"), *vel = json_object_get(json, "vel");
    size_t n = (size_t)r->trace->bodies;
    if (json_array_size(pose) != n || (vel && json_array_size(vel) != n))
        return fail(r, "it has %zu poses and %zu velocities of %zu bodies", json_array_size(pose),
                    json_array_size(vel), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *own = json_array_get(pose, i);
        if (json_is_null(own))
            f->state[i].pose[0] = NAN;
        else if (!read_state(r, own, json_array_get(vel, i), &f->state[i], (int)i))
            return 0;
    }
    return 1;
}

static int index_of(reader *r, const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    json_int_t n = json_is_integer(x) ? json_integer_value(x) : -1;
    if (n >= 0 && n < r->trace->bodies) return (int)n;
    fail(r, "it names a body that is not there");
    return -1;
}

/* Version 2: what changed since the line before. */
static int read_changes(reader *r, const json_t *json, trace_frame *f)
{
    const json_t *moved = json_object_get(json, "moved"), *gone = json_object_get(json, "gone");
    const json_t *pose = json_object_get(json, "pose"), *vel = json_object_get(json, "vel");
    const lab_trace *t = r->trace;
    if (json_array_size(moved) != json_array_size(pose))
        return fail(r, "\"moved\" and \"pose\" differ in length");
    for (int i = 0; i < t->bodies; i++) {
        if (t->frames > 1)
            f->state[i] = f[-1].state[i];
        else
            f->state[i].pose[0] = NAN;
    }
    for (size_t k = 0; k < json_array_size(gone); k++) {
        int i = index_of(r, gone, k);
        if (i < 0) return 0;
        f->state[i].pose[0] = NAN;
    }
    for (size_t k = 0; k < json_array_size(moved); k++) {
        int i = index_of(r, moved, k);
        if (i < 0 ||
            !read_state(r, json_array_get(pose, k), json_array_get(vel, k), &f->state[i], i))
            return 0;
    }
    return 1;
}

static int features_of(const char *name)
{
    static const char *const names[] = {"vertex-face",   "face-vertex", "edge-edge",
                                        "vertex-vertex", "vertex-edge", "edge-vertex"};
    for (int i = 0; name && i < 6; i++)
        if (!strcmp(name, names[i])) return i;
    return PEG_FEATURES_UNKNOWN;
}

static int read_contact(reader *r, const json_t *json, trace_contact *c)
{
    const json_t *bodies = json_object_get(json, "bodies"), *facet = json_object_get(json, "facet");
    double of[3];
    c->a = index_of(r, bodies, 0), c->b = index_of(r, bodies, 1);
    if (c->a < 0 || c->b < 0) return 0;
    if (!numbers(json_object_get(json, "pos"), c->x, 3) ||
        !numbers(json_object_get(json, "normal"), c->normal, 3))
        return fail(r, "a contact of '%s' and '%s' has no finite position or normal",
                    r->trace->body[c->a].name, r->trace->body[c->b].name);
    c->gap = number(json, "gap", NAN);
    c->impulse = number(json, "impulse", 0);
    if (!numbers(json_object_get(json, "friction"), c->friction, 3))
        memset(c->friction, 0, sizeof c->friction);
    c->features = features_of(json_string_value(json_object_get(json, "features")));
    c->part = c->face = -1;
    if (numbers(facet, of, 3)) c->part = (int)of[1], c->face = (int)of[2];
    return 1;
}

static int read_contacts(reader *r, const json_t *list, trace_frame *f)
{
    size_t n = json_array_size(list);
    if (!list) return 1;
    f->contact = calloc(n + 1, sizeof *f->contact);
    if (!f->contact) return fail(r, "out of memory");
    f->contacts = 0;
    for (size_t i = 0; i < n; i++) {
        if (!read_contact(r, json_array_get(list, i), &f->contact[i])) return 0;
        f->contacts++;
    }
    return 1;
}

static int read_activity(reader *r, const json_t *json, trace_frame *f)
{
    const json_t *island = json_object_get(json, "island"),
                 *asleep = json_object_get(json, "asleep");
    size_t n = (size_t)r->trace->bodies;
    if (island && json_array_size(island) == n) {
        f->island = malloc((n + 1) * sizeof *f->island);
        for (size_t i = 0; f->island && i < n; i++) {
            const json_t *x = json_array_get(island, i);
            f->island[i] = json_is_integer(x) ? (int)json_integer_value(x) : -1;
        }
    }
    if (!asleep) return 1;
    f->asleep = calloc(n + 1, 1);
    for (size_t k = 0; f->asleep && k < json_array_size(asleep); k++) {
        int i = index_of(r, asleep, k);
        if (i < 0) return 0;
        f->asleep[i] = 1;
    }
    return f->asleep ? 1 : fail(r, "out of memory");
}

static void read_figures(const json_t *stats, trace_frame *f)
{
    static const char *const key[TRACE_MS][2] = {{"islands", NULL},
                                                 {"rows", NULL},
                                                 {"outer_iterations", "outer"},
                                                 {"unconverged", NULL},
                                                 {"residual", NULL}};
    for (int i = 0; i < TRACE_MS; i++) {
        f->figure[i] = number(stats, key[i][0], NAN);
        if (isnan(f->figure[i]) && key[i][1]) f->figure[i] = number(stats, key[i][1], NAN);
    }
    if (json_object_size(stats) > 0) f->stats = json_dumps(stats, JSON_COMPACT);
}

static int read_step(reader *r, const json_t *json)
{
    trace_frame *f = trace_add_frame(r->trace);
    if (!f) return fail(r, "out of memory");
    f->step = (long)number(json, "step", (double)(r->trace->frames - 1));
    f->t = number(json, "t", (double)f->step * r->trace->h);
    if (r->trace->frames > 1 && f->step <= f[-1].step)
        return fail(r, "step %ld comes after step %ld", f->step, f[-1].step);
    read_figures(json_object_get(json, "stats"), f);
    return (r->version == 2 ? read_changes : read_all_states)(r, json, f) &&
           read_contacts(r, json_object_get(json, "contacts"), f) && read_activity(r, json, f);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int read_line(reader *r, const char *line, size_t n)
{
    json_error_t error;
    json_t *json = json_loadb(line, n, 0, &error);
    int whole;
    if (!json && (n == 0 || line[n - 1] != '\n'))
        whole = fail(r, r->line == 1 ? "no trace: its first line is no JSON, or cut off"
                                     : "the line is cut off: the program that wrote it was ended "
                                       "early. Remove this line to use the ones before it");
    else if (!json)
        whole = fail(r, "no JSON: %.120s (NaN and Infinity are none)", error.text);
    else
        whole = r->line == 1 ? read_head(r, json) : read_step(r, json);
    json_decref(json);
    return whole;
}

static void read_lines(reader *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int whole = 1;
    while (whole && (n = getline(&line, &room, file)) > 0) {
        r->line++;
        whole = read_line(r, line, (size_t)n);
    }
    free(line);
    if (!whole) return;
    if (ferror(file))
        fail(r, "it cannot be read to its end: the packed file is cut off or damaged");
    r->line = 0;
    if (!r->trace) fail(r, "it is empty: a trace starts with a header line");
    if (r->trace && r->trace->frames == 0) fail(r, "it has a header but no steps");
}

lab_trace *trace_read(const char *path, char text[LAB_TEXT])
{
    reader r = {.path = path, .text = text};
    const char *fault = lab_file_fault(path);
    FILE *file = fault ? NULL : trace_open_read(path);
    *text = 0;
    if (!file) {
        fail(&r, "%s", fault ? fault : strerror(errno));
        return NULL;
    }
    read_lines(&r, file);
    fclose(file);
    if (*text == 0) return r.trace;
    trace_free(r.trace);
    return NULL;
}
