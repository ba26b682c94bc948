/* Binary glTF 2.0: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html */
#include "demos/report/gltf.h"
#include "demos/report/output.h"
#include "demos/report/tessellate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

#define SECTORS      32
#define FLOAT        5126  /* component type */
#define ARRAY_BUFFER 34962 /* target of vertex attributes */

typedef struct glb {
    const lab_trace *trace;
    json_t *views, *accessors, *meshes, *materials, *nodes, *samplers, *channels;
    unsigned char *data;
    size_t used, room;
    double centre[3], half; /* of what moves */
    int times, bad;         /* times: their accessor */
} glb;

/* ---- arrays ---------------------------------------------------------------------------------- */

static json_t *reals(const double *x, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}

/* Appends n vectors of `width` floats as a view of its own; returns the accessor. */
static int put_array(glb *g, const float *values, int n, int width, int target, int bounds)
{
    static const char *const type[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    size_t size = (size_t)n * (size_t)width * sizeof *values;
    if (g->used + size > g->room) {
        size_t room = 2 * g->room + size + 4096;
        unsigned char *more = realloc(g->data, room);
        if (!more) return g->bad = 1, 0;
        g->data = more, g->room = room;
    }
    memcpy(g->data + g->used, values, size);
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)g->used,
                             "byteLength", (json_int_t)size);
    if (target) json_object_set_new(view, "target", json_integer(target));
    json_array_append_new(g->views, view);
    g->used += size;
    json_t *accessor =
        json_pack("{s:i, s:i, s:i, s:s}", "bufferView", (int)json_array_size(g->views) - 1,
                  "componentType", FLOAT, "count", n, "type", type[width - 1]);
    double low[4], high[4];
    for (int k = 0; k < width; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < n * width; i++) {
        low[i % width] = fmin(low[i % width], values[i]);
        high[i % width] = fmax(high[i % width], values[i]);
    }
    if (bounds) json_object_set_new(accessor, "min", reals(low, width));
    if (bounds) json_object_set_new(accessor, "max", reals(high, width));
    json_array_append_new(g->accessors, accessor);
    return (int)json_array_size(g->accessors) - 1;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void find_room(glb *g)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const lab_trace *t = g->trace;
    for (long k = 0; k < t->frames; k++)
        for (int i = 0; i < t->bodies; i++) {
            if (t->body[i].is_plane || !trace_present(&t->frame[k], i)) continue;
            for (int d = 0; d < 3; d++) {
                low[d] = fmin(low[d], t->frame[k].state[i].pose[d]);
                high[d] = fmax(high[d], t->frame[k].state[i].pose[d]);
            }
        }
    g->half = 1;
    for (int d = 0; d < 3; d++) {
        g->centre[d] = low[d] <= high[d] ? .5 * (low[d] + high[d]) : 0;
        if (low[d] <= high[d]) g->half = fmax(g->half, high[d] - low[d]);
    }
}

static json_t *material(int i, int fixed)
{
    double hue = fmod(.13 + .618033988749895 * i, 1) * 6, rgb[4] = {.8, .8, .8, 1};
    for (int k = 0; k < 3 && !fixed; k++) {
        double d = fabs(fmod(hue + 6 - 2 * k, 6) - 3) - 1;
        rgb[k] = .35 + .45 * fmax(0, fmin(1, d));
    }
    return json_pack("{s:{s:o, s:f, s:f}, s:b}", "pbrMetallicRoughness", "baseColorFactor",
                     reals(rgb, 4), "metallicFactor", 0., "roughnessFactor", .8, "doubleSided", 1);
}

/* The mesh of a body; -1: it has none. */
static int put_mesh(glb *g, int i)
{
    const trace_body *b = &g->trace->body[i];
    triangle_soup s = {0};
    for (int k = 0; k < b->parts; k++) {
        lab_shape *part = b->part[k];
        double round = part->round;
        if (part->nv == 1 && round == 0) part->round = .01 * g->half; /* particles are seen, too */
        soup_add_part(&s, part, SECTORS, g->centre, g->half);
        part->round = round;
    }
    g->bad |= s.no_memory;
    if (s.corners == 0) {
        soup_free(&s);
        return -1;
    }
    int position = put_array(g, s.position[0], s.corners, 3, ARRAY_BUFFER, 1);
    int normal = put_array(g, s.normal[0], s.corners, 3, ARRAY_BUFFER, 0);
    soup_free(&s);
    json_array_append_new(g->materials, material(i, b->kind == LAB_STATIC));
    json_t *primitive =
        json_pack("{s:{s:i, s:i}, s:i}", "attributes", "POSITION", position, "NORMAL", normal,
                  "material", (int)json_array_size(g->materials) - 1);
    json_array_append_new(g->meshes, json_pack("{s:[o]}", "primitives", primitive));
    return (int)json_array_size(g->meshes) - 1;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void put_channel(glb *g, int node, const char *path, const char *interpolation, int output)
{
    json_array_append_new(g->samplers, json_pack("{s:i, s:s, s:i}", "input", g->times,
                                                 "interpolation", interpolation, "output", output));
    json_array_append_new(g->channels, json_pack("{s:i, s:{s:i, s:s}}", "sampler",
                                                 (int)json_array_size(g->samplers) - 1, "target",
                                                 "node", node, "path", path));
}

/* The pose of a frame as glTF has it; where the body is absent, that of the nearest frame. */
static void pose_at(const lab_trace *t, long k, int body, double pose[7])
{
    for (long d = 0; d < t->frames; d++)
        for (int side = -1; side <= 1; side += 2) {
            long at = k + side * d;
            if (at < 0 || at >= t->frames || !trace_present(&t->frame[at], body)) continue;
            memcpy(pose, t->frame[at].state[body].pose, 7 * sizeof *pose);
            return;
        }
    memset(pose, 0, 7 * sizeof *pose);
    pose[3] = 1;
}

/* x, y, z, w of a unit quaternion, on the side of the one before. */
static void rotation_of(const double pose[7], const float *before, float out[4])
{
    double length = 0, side = 0;
    for (int k = 3; k < 7; k++) length += pose[k] * pose[k];
    for (int k = 0; k < 4; k++) out[k] = (float)(pose[3 + (k + 1) % 4] / sqrt(length));
    for (int k = 0; k < 4 && before; k++) side += (double)out[k] * before[k];
    for (int k = 0; k < 4 && side < 0; k++) out[k] = -out[k];
}

static int is_constant(const float *values, long n, int width)
{
    for (long i = 1; i < n; i++)
        if (memcmp(values, values + i * width, (size_t)width * sizeof *values) != 0) return 0;
    return 1;
}

static void put_motion(glb *g, int body, json_t *node, int number)
{
    const lab_trace *t = g->trace;
    size_t n = (size_t)t->frames;
    float *x = malloc((3 * n + 1) * sizeof *x), *q = malloc((4 * n + 1) * sizeof *q);
    float *scale = malloc((3 * n + 1) * sizeof *scale);
    if (!x || !q || !scale) g->bad = 1;
    for (long k = 0; !g->bad && k < t->frames; k++) {
        double pose[7];
        pose_at(t, k, body, pose);
        for (int d = 0; d < 3; d++) x[3 * k + d] = (float)pose[d];
        rotation_of(pose, k ? &q[4 * (k - 1)] : NULL, &q[4 * k]);
        for (int d = 0; d < 3; d++) scale[3 * k + d] = (float)trace_present(&t->frame[k], body);
    }
    if (!g->bad) {
        double first[7] = {x[0], x[1], x[2], q[0], q[1], q[2], q[3]};
        json_object_set_new(node, "translation", reals(first, 3));
        json_object_set_new(node, "rotation", reals(first + 3, 4));
        if (t->frames > 1 && !is_constant(x, t->frames, 3))
            put_channel(g, number, "translation", "LINEAR",
                        put_array(g, x, (int)t->frames, 3, 0, 0));
        if (t->frames > 1 && !is_constant(q, t->frames, 4))
            put_channel(g, number, "rotation", "LINEAR", put_array(g, q, (int)t->frames, 4, 0, 0));
        if (t->frames > 1 && !is_constant(scale, t->frames, 3))
            put_channel(g, number, "scale", "STEP", put_array(g, scale, (int)t->frames, 3, 0, 0));
    }
    free(x);
    free(q);
    free(scale);
}

static void put_times(glb *g)
{
    const lab_trace *t = g->trace;
    float *times = malloc(((size_t)t->frames + 1) * sizeof *times);
    if (!times) g->bad = 1;
    for (long k = 0; times && k < t->frames; k++) times[k] = (float)(t->frame[k].t - t->frame[0].t);
    for (long k = 1; times && k < t->frames; k++) /* strictly increasing, as floats too */
        if (!(times[k] > times[k - 1])) times[k] = nextafterf(times[k - 1], INFINITY);
    if (times) g->times = put_array(g, times, (int)t->frames, 1, 0, 1);
    free(times);
}

/* Up is y in glTF. */
static void root_rotation(const lab_trace *t, double q[4])
{
    double up[3] = {-t->gravity[0], -t->gravity[1], -t->gravity[2]};
    static const double y[3] = {0, 1, 0};
    if (!t->has_gravity || peg_normalise(up) == 0) up[0] = up[1] = 0, up[2] = 1;
    peg_cross(up, y, q);
    q[3] = 1 + up[1];
    double length = sqrt(peg_dot(q, q) + q[3] * q[3]);
    if (length < 1e-6) q[0] = 1, q[1] = q[2] = q[3] = 0, length = 1;
    for (int k = 0; k < 4; k++) q[k] /= length;
}

static void put_nodes(glb *g)
{
    const lab_trace *t = g->trace;
    double q[4];
    json_t *children = json_array();
    root_rotation(t, q);
    json_array_append_new(g->nodes, json_pack("{s:s, s:o, s:O}", "name",
                                              t->scene && *t->scene ? t->scene : "scene",
                                              "rotation", reals(q, 4), "children", children));
    if (t->frames > 1) put_times(g);
    for (int i = 0; i < t->bodies && !g->bad; i++) {
        int number = (int)json_array_size(g->nodes), mesh = put_mesh(g, i);
        json_t *node = json_pack("{s:s}", "name", t->body[i].name);
        if (mesh >= 0) json_object_set_new(node, "mesh", json_integer(mesh));
        if (!t->body[i].is_plane) put_motion(g, i, node, number);
        json_array_append_new(g->nodes, node);
        json_array_append_new(children, json_integer(number));
    }
    if (json_array_size(children) == 0) json_object_del(json_array_get(g->nodes, 0), "children");
    json_decref(children);
}

/* ---- file ------------------------------------------------------------------------------------ */

static void set_if_any(json_t *json, const char *key, json_t *list)
{
    if (json_array_size(list) > 0) json_object_set(json, key, list);
}

static char *json_text(const glb *g)
{
    json_t *json = json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:I}]}", "asset", "version",
                             "2.0", "generator", "peg-lab", "scene", 0, "scenes", "nodes", 0,
                             "buffers", "byteLength", (json_int_t)g->used);
    set_if_any(json, "nodes", g->nodes);
    set_if_any(json, "meshes", g->meshes);
    set_if_any(json, "materials", g->materials);
    set_if_any(json, "accessors", g->accessors);
    set_if_any(json, "bufferViews", g->views);
    if (json_array_size(g->channels) > 0)
        json_object_set_new(json, "animations",
                            json_pack("[{s:s, s:O, s:O}]", "name", "motion", "samplers",
                                      g->samplers, "channels", g->channels));
    if (g->used == 0) json_object_del(json, "buffers");
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(json);
    return text;
}

static void put_word(FILE *file, uint32_t word)
{
    for (int i = 0; i < 4; i++) fputc((int)(word >> 8 * i & 255), file);
}

static void put_chunk(FILE *file, const char *name, const void *data, size_t n, int fill)
{
    size_t whole = (n + 3) / 4 * 4;
    put_word(file, (uint32_t)whole);
    fwrite(name, 1, 4, file);
    fwrite(data, 1, n, file);
    for (size_t i = n; i < whole; i++) fputc(fill, file);
}

static int write_file(const char *path, const glb *g)
{
    char *text = json_text(g);
    size_t n = text ? strlen(text) : 0, length = 12 + 8 + (n + 3) / 4 * 4;
    if (g->used) length += 8 + (g->used + 3) / 4 * 4;
    FILE *file = text && length <= UINT32_MAX ? fopen(path, "wb") : NULL;
    int bad = !file;
    if (file) {
        fwrite("glTF", 1, 4, file);
        put_word(file, 2);
        put_word(file, (uint32_t)length);
        put_chunk(file, "JSON", text, n, ' ');
        if (g->used) put_chunk(file, "BIN\0", g->data, g->used, 0);
        bad = ferror(file) != 0;
        bad |= fclose(file) != 0;
    }
    free(text);
    return bad;
}

int gltf_write(const char *path, const lab_trace *trace)
{
    glb g = {.trace = trace};
    json_t **list[] = {&g.views, &g.accessors, &g.meshes,  &g.materials,
                       &g.nodes, &g.samplers,  &g.channels};
    for (int i = 0; i < 7; i++) *list[i] = json_array();
    find_room(&g);
    put_nodes(&g);
    int bad = g.bad || write_file(path, &g);
    for (int i = 0; i < 7; i++) json_decref(*list[i]);
    free(g.data);
    return bad;
}
