/* glTF files hold the trace that they were made of; films are films. Environment: PEG_LAB, the
 * program. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "demos/report/gltf.h"
#include "demos/report/recorder.h"
#include "tests/runner.h"

static int lab(const char *format, const char *path)
{
    char arguments[512], line[2048];
    snprintf(arguments, sizeof arguments, format, path);
    snprintf(line, sizeof line, "'%s' %s >%s/stdout 2>%s/stderr", getenv("PEG_LAB"), arguments,
             test_folder(), test_folder());
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static unsigned char *read_bytes(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*n + 1);
    ck_assert_uint_eq(fread(bytes, 1, *n, file), *n);
    bytes[*n] = 0;
    fclose(file);
    return bytes;
}

/* ---- glTF ------------------------------------------------------------------------------------ */

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

typedef struct gltf {
    unsigned char *bytes;
    const unsigned char *data; /* of the binary chunk */
    size_t length;
    json_t *json;
} gltf;

static void gltf_open(gltf *g, const char *path)
{
    size_t n;
    g->bytes = read_bytes(path, &n);
    ck_assert_mem_eq(g->bytes, "glTF\2\0\0\0", 8);
    ck_assert_uint_eq(word(g->bytes + 8), n);
    size_t text = word(g->bytes + 12);
    ck_assert_mem_eq(g->bytes + 16, "JSON", 4);
    g->json = json_loadb((char *)g->bytes + 20, text, 0, NULL);
    ck_assert_ptr_nonnull(g->json);
    g->length = word(g->bytes + 20 + text);
    g->data = g->bytes + 28 + text;
    ck_assert_uint_eq(28 + text + g->length, n);
}

static json_t *at(const json_t *json, const char *key, json_int_t i)
{
    return json_array_get(json_object_get(json, key), (size_t)i);
}

static json_int_t integer(const json_t *json, const char *key)
{
    return json_integer_value(json_object_get(json, key));
}

/* The floats of an accessor, where they must lie inside of the data. */
static const float *floats(const gltf *g, json_int_t accessor, size_t *count)
{
    const json_t *a = at(g->json, "accessors", accessor);
    const json_t *v = at(g->json, "bufferViews", integer(a, "bufferView"));
    size_t offset = (size_t)integer(v, "byteOffset"), n = (size_t)integer(v, "byteLength");
    *count = (size_t)integer(a, "count");
    ck_assert_uint_le(offset + n, g->length);
    ck_assert_uint_eq(offset % 4, 0);
    const void *from = g->data + offset;
    return from;
}

/* The accessor that a node's property follows; -1: none. */
static json_int_t track(const gltf *g, size_t node, const char *path, json_int_t *times)
{
    const json_t *animation = at(g->json, "animations", 0), *channel;
    size_t i;
    json_array_foreach(json_object_get(animation, "channels"), i, channel)
    {
        const json_t *target = json_object_get(channel, "target");
        if (integer(target, "node") != (json_int_t)node ||
            strcmp(json_string_value(json_object_get(target, "path")), path) != 0)
            continue;
        const json_t *sampler = at(animation, "samplers", integer(channel, "sampler"));
        *times = integer(sampler, "input");
        return integer(sampler, "output");
    }
    return -1;
}

static lab_trace *record(const char *scene)
{
    lab_options options = {.contact = LAB_PEG, .seed = 3, .time = 1.5};
    lab_recorder r = {.keep = 1};
    lab_result result;
    lab_observer observer = lab_recorder_observer(&r);
    ck_assert_int_eq(lab_run(lab_scene_find(scene), &options, &observer, 0, &result), 0);
    lab_result_free(&result);
    return r.trace;
}

/* Every key frame of every body is its pose; quaternions do not jump to the other side. */
START_TEST(follows_the_trace)
{
    gltf g;
    lab_trace *t = record("pour-mixed");
    ck_assert_int_eq(gltf_write(test_path("a.glb"), t), 0);
    gltf_open(&g, test_path("a.glb"));
    int moving = 0, entering = 0;
    for (int i = 0; i < t->bodies; i++) {
        json_int_t times, x = track(&g, (size_t)i + 1, "translation", &times);
        const json_t *node = at(g.json, "nodes", i + 1);
        ck_assert_str_eq(json_string_value(json_object_get(node, "name")), t->body[i].name);
        ck_assert_ptr_nonnull(json_object_get(node, "mesh"));
        if (x < 0) continue;
        size_t n, count;
        const float *position = floats(&g, x, &n), *time = floats(&g, times, &count);
        json_int_t q = track(&g, (size_t)i + 1, "rotation", &times);
        const float *rotation = q < 0 ? NULL : floats(&g, q, &count);
        ck_assert_uint_eq(n, (size_t)t->frames);
        for (long k = 0; k < t->frames; k++) {
            const double *pose = t->frame[k].state[i].pose;
            ck_assert_double_eq_tol((double)time[k], t->frame[k].t, 1e-6);
            if (!trace_present(&t->frame[k], i)) continue;
            double dot = 0, step = 1;
            for (int d = 0; d < 3; d++) ck_assert_float_eq(position[3 * k + d], (float)pose[d]);
            for (int d = 0; d < 4 && rotation; d++) {
                dot += (double)rotation[4 * k + d] * pose[3 + (d + 1) % 4];
                if (k > 0 && d == 0) step = 0;
                if (k > 0) step += (double)rotation[4 * k + d] * (double)rotation[4 * k - 4 + d];
            }
            if (rotation) ck_assert_double_eq_tol(fabs(dot), 1, 1e-5);
            ck_assert_double_ge(step, 0);
        }
        moving++;
        entering += track(&g, (size_t)i + 1, "scale", &times) >= 0;
    }
    ck_assert_int_gt(moving, 2);
    ck_assert_int_gt(entering, 2);
    json_decref(g.json);
    free(g.bytes);
    trace_free(t);
}
END_TEST

/* A mesh reaches exactly as far as the body that it shows: spheres, cylinders and boxes, too. */
START_TEST(shapes_have_their_size)
{
    gltf g;
    lab_trace *t = record("mesh-rest");
    ck_assert_int_eq(gltf_write(test_path("b.glb"), t), 0);
    gltf_open(&g, test_path("b.glb"));
    for (int i = 0; i < t->bodies; i++) {
        const json_t *node = at(g.json, "nodes", i + 1);
        const json_t *mesh = at(g.json, "meshes", integer(node, "mesh"));
        const json_t *attributes = json_object_get(at(mesh, "primitives", 0), "attributes");
        size_t n, m;
        const float *x = floats(&g, integer(attributes, "POSITION"), &n);
        const float *normal = floats(&g, integer(attributes, "NORMAL"), &m);
        double low[3], high[3], to[3], from[3];
        lab_shape_bounds(t->body[i].part[0], low, high);
        for (int k = 0; k < 3; k++) to[k] = -INFINITY, from[k] = INFINITY;
        for (size_t v = 0; v < n; v++) {
            double length = 0;
            for (size_t k = 0; k < 3; k++) {
                to[k] = fmax(to[k], (double)x[3 * v + k]);
                from[k] = fmin(from[k], (double)x[3 * v + k]);
                length += (double)normal[3 * v + k] * (double)normal[3 * v + k];
            }
            ck_assert_double_eq_tol(length, 1, 1e-5);
        }
        ck_assert_uint_eq(n, m);
        ck_assert_uint_eq(n % 3, 0);
        for (int k = 0; k < 3 && t->body[i].parts == 1 && !t->body[i].is_plane; k++) {
            double size = high[k] - low[k];
            ck_assert_double_eq_tol(to[k], high[k], 6e-3 * size + 1e-6); /* 32 sectors */
            ck_assert_double_eq_tol(from[k], low[k], 6e-3 * size + 1e-6);
        }
    }
    json_decref(g.json);
    free(g.bytes);
    trace_free(t);
}
END_TEST

START_TEST(refuses_unwritable_files)
{
    ck_assert_int_eq(lab("run hills --steps 2 --quiet --gltf %s", "/nowhere/x.glb"), 2);
    ck_assert_int_eq(lab("run hills --steps 2 --quiet --video %s", "/nowhere/x.gif"), 2);
    ck_assert_int_eq(lab("run hills --steps 2 --quiet --video-speed 0 --video %s", "x.gif"), 2);
}
END_TEST

/* ---- films ----------------------------------------------------------------------------------- */

START_TEST(makes_films)
{
    size_t n;
    char command[256];
    snprintf(command, sizeof command, "compare v-notch --contact ode,peg --time .8 --out %s %s",
             test_folder(), "--quiet --video %s");
    ck_assert_int_eq(lab(command, test_path("f.gif")), 0);
    unsigned char *gif = read_bytes(test_path("f.gif"), &n);
    ck_assert_mem_eq(gif, "GIF89a", 6);
    ck_assert_int_eq(gif[6] | gif[7] << 8, 480);
    int frames = 0; /* blocks of graphic control */
    for (size_t i = 0; i + 3 < n; i++) frames += !memcmp(gif + i, "\x21\xf9\x04", 3);
    ck_assert_int_ge(frames, 10);
    free(gif);
    ck_assert_int_eq(lab("run v-notch --time .8 --quiet --video %s", test_path("f.mp4")), 0);
    unsigned char *mp4 = read_bytes(test_path("f.mp4"), &n);
    ck_assert_mem_eq(mp4 + 4, "ftyp", 4);
    ck_assert_uint_gt(n, 4000);
    free(mp4);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("films");
    TCase *tests = tcase_create("films");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, follows_the_trace);
    tcase_add_test(tests, shapes_have_their_size);
    tcase_add_test(tests, refuses_unwritable_files);
    if (system("command -v ffmpeg >/dev/null") == 0)
        tcase_add_test(tests, makes_films);
    else
        puts("films: skipped, no ffmpeg on this machine");
    return suite;
}
