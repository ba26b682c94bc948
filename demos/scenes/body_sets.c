/* Reads or makes body sets. */
#include "demos/scenes/body_sets.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "demos/world/scene.h"

static const char *data_path(const char *name, char *path, size_t size)
{
    const char *folder = getenv("PEG_LAB_DATA");
    snprintf(path, size, "%s/%s", folder ? folder : ".", name);
    return path;
}

static const char *polygon_path(int set, char *path, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "box-of-polygons-%c.json", 'a' + set - 1);
    return data_path(name, path, size);
}

int body_sets_polygons(void)
{
    char path[1024];
    int n = 0;
    while (n < 26 && access(polygon_path(n + 1, path, sizeof path), R_OK) == 0) n++;
    return n;
}

/* Up to n numbers of a JSON list; returns how many. */
static int numbers(const json_t *list, double *out, int n)
{
    int count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < n; i++)
        out[count++] = json_number_value(json_array_get(list, i));
    return count;
}

/* ---- polygons -------------------------------------------------------------------------------- */

static int read_polygon(const json_t *json, body_of_set *b)
{
    const json_t *vertices = json_object_get(json, "vertices");
    double v[3] = {0};
    *b = (body_of_set){.angle = json_number_value(json_object_get(json, "rotation")),
                       .mass = json_number_value(json_object_get(json, "mass")),
                       .inertia = json_number_value(json_object_get(json, "inertia"))};
    for (size_t i = 0; i < json_array_size(vertices) && b->points < BODY_POINTS; i++)
        if (numbers(json_array_get(vertices, i), b->point[b->points], 2) == 2) b->points++;
    int whole = numbers(json_object_get(json, "position"), b->x, 2) == 2 &&
                numbers(json_object_get(json, "velocity"), v, 3) >= 2;
    b->v[0] = v[0], b->v[1] = v[1];
    return whole && b->points >= 3 && b->mass > 0 && b->inertia > 0;
}

static void recipe_polygon(uint64_t *random, int i, body_of_set *b)
{
    double mean[2] = {0, 0}, side = i % 2 ? 1 : -1;
    *b = (body_of_set){.x = {.5 * side, .8}, .v = {-.7 * side, 0}, .mass = .25, .inertia = .003};
    b->points = 10;
    for (int p = 0; p < b->points; p++)
        for (int k = 0; k < 2; k++) {
            b->point[p][k] = .25 * lab_random_next(random);
            mean[k] += b->point[p][k] / b->points;
        }
    for (int p = 0; p < b->points; p++)
        for (int k = 0; k < 2; k++) b->point[p][k] -= mean[k];
    b->angle = 2 * acos(-1) * lab_random_next(random);
}

int body_set_polygons(int set, uint64_t seed, body_set *out)
{
    out->count = 0;
    if (set == 0) {
        while (out->count < 25) {
            recipe_polygon(&seed, out->count, &out->body[out->count]);
            out->count++;
        }
        return 0;
    }
    char path[1024];
    json_t *json = json_load_file(polygon_path(set, path, sizeof path), 0, NULL);
    const json_t *bodies = json_object_get(json, "bodies");
    int whole = json_array_size(bodies) > 0;
    for (size_t i = 0; whole && i < json_array_size(bodies) && out->count < BODY_SET_MAX; i++)
        whole = read_polygon(json_array_get(bodies, i), &out->body[out->count++]);
    json_decref(json);
    return !whole;
}

/* ---- hulls ----------------------------------------------------------------------------------- */

static json_t *load_hulls(void)
{
    char path[1024];
    return json_load_file(data_path("random-hulls.json", path, sizeof path), 0, NULL);
}

int body_sets_hulls(void)
{
    json_t *json = load_hulls();
    size_t n = json_array_size(json_object_get(json, "hulls"));
    json_decref(json);
    return (int)(n / HULLS_PER_SET);
}

static int read_hull(const json_t *json, hull_of_set *h)
{
    const json_t *vertices = json_object_get(json, "vertices");
    h->points = 0;
    for (size_t i = 0; i < json_array_size(vertices) && h->points < HULL_POINTS; i++)
        if (numbers(json_array_get(vertices, i), h->point[h->points], 3) == 3) h->points++;
    return h->points >= 4 && numbers(json_object_get(json, "quaternion_wxyz"), h->q, 4) == 4;
}

static void recipe_hull(uint64_t *random, hull_of_set *h)
{
    h->points = 15;
    for (int p = 0; p < h->points; p++)
        for (int k = 0; k < 3; k++) h->point[p][k] = lab_random_next(random);
    lab_random_turn(random, h->q);
}

int body_set_hulls(int set, uint64_t seed, hull_of_set out[HULLS_PER_SET])
{
    if (set == 0) {
        for (int i = 0; i < HULLS_PER_SET; i++) recipe_hull(&seed, &out[i]);
        return 0;
    }
    json_t *json = load_hulls();
    const json_t *hulls = json_object_get(json, "hulls");
    int whole = 1;
    for (int i = 0; i < HULLS_PER_SET && whole; i++)
        whole = read_hull(json_array_get(hulls, (size_t)((set - 1) * HULLS_PER_SET + i)), &out[i]);
    json_decref(json);
    return !whole;
}
