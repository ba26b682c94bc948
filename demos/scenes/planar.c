/* Planar scenes of the papers: pour-2d, hills, sawtooth, sawtooth-friction. */
#include <math.h>
#include <stdio.h>

#include "demos/scenes/body_sets.h"
#include "demos/oracle/planar_path.h"
#include "demos/world/scene.h"

/* ---- box of polygons [W Fig. 20] ------------------------------------------------------------- */

static void add_slab(lab_world *w, const char *name, double width, double height, double x,
                     double y)
{
    const double corner[4][2] = {{-.5 * width, -.5 * height},
                                 {.5 * width, -.5 * height},
                                 {.5 * width, .5 * height},
                                 {-.5 * width, .5 * height}};
    lab_polygon(lab_add(w, name, LAB_STATIC, (double[3]){x, y, 0}, NULL), corner, 4);
}

static void build_pour(lab_world *w)
{
    int set = lab_key_whole(w, "set", 0, 0, 26),
        count = lab_key_whole(w, "bodies", 20, 1, BODY_SET_MAX);
    body_set bodies;
    lab_planar_scene(w);
    lab_gravity(w, 0, -9.8, 0);
    lab_reach(w, lab_key_number(w, "reach", 0, 0, 10));
    if (body_set_polygons(set, lab_world_options(w)->seed, &bodies)) {
        lab_fail(w,
                 "--set set=%d: the authors' files have no such set (PEG_LAB_DATA names their "
                 "folder): take "
                 "set 0, which is made by the recipe",
                 set);
        return;
    }
    add_slab(w, "floor", 2, .4, 0, -.2);
    add_slab(w, "wall-left", .4, 2, -1, .6);
    add_slab(w, "wall-right", .4, 2, 1, .6);
    lab_bounds(w, (double[3]){-.8, 0, -1}, (double[3]){.8, INFINITY, 1});
    for (int i = 0; i < count && i < bodies.count; i++) {
        const body_of_set *b = &bodies.body[i];
        char name[32];
        snprintf(name, sizeof name, "polygon-%d", i + 1);
        const double q[4] = {cos(.5 * b->angle), 0, 0, sin(.5 * b->angle)}, J = b->inertia;
        lab_body *body = lab_add(w, name, LAB_DYNAMIC, (double[3]){b->x[0], b->x[1], 0}, q);
        lab_polygon(body, b->point, b->points);
        lab_mass_properties(body, b->mass, (double[9]){J, 0, 0, 0, J, 0, 0, 0, J});
        lab_velocity(body, (double[3]){b->v[0], b->v[1], 0}, NULL);
        /* the authors' as published; others above what lies in their place */
        lab_enter(body, .25 * i, set > 0 ? 0 : .1);
    }
}

/* ---- a particle over a terrain [F 3.1-3.3] --------------------------------------------------- */

static void add_particle(lab_world *w, const double x[2], const double v[2], double push)
{
    lab_body *b =
        lab_add(w, "particle", LAB_DYNAMIC,
                (double[3]){lab_key_number(w, "x", x[0], -LAB_LENGTH_MAX, LAB_LENGTH_MAX),
                            lab_key_number(w, "y", x[1], -LAB_LENGTH_MAX, LAB_LENGTH_MAX), 0},
                NULL);
    lab_particle(b);
    lab_mass_properties(b, 5, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    lab_velocity(b,
                 (double[3]){lab_key_number(w, "vx", v[0], -LAB_SPEED_MAX, LAB_SPEED_MAX),
                             lab_key_number(w, "vy", v[1], -LAB_SPEED_MAX, LAB_SPEED_MAX), 0},
                 NULL);
    lab_force(b, (double[3]){lab_key_number(w, "push", push, -1e6, 1e6), 0, 0}, NULL);
}

/* Radius as pegSettings.reach takes it: about the mean of the points. */
static double polygon_radius(const double (*p)[2], int n)
{
    double mean[2] = {0, 0}, radius = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) mean[k] += p[i][k] / n;
    for (int i = 0; i < n; i++) radius = fmax(radius, hypot(p[i][0] - mean[0], p[i][1] - mean[1]));
    return radius;
}

/* Reaches from inside of the first body of a terrain into the last one: see PLANAR_BASE. */
static void add_base(lab_world *w, double from, double to)
{
    const double slab[4][2] = {{from, -1}, {to, -1}, {to, PLANAR_BASE}, {from, PLANAR_BASE}};
    lab_polygon(lab_add(w, "base", LAB_STATIC, NULL, NULL), slab, 4);
}

static void build_hills(lab_world *w)
{
    double p[HILL_POINTS][2];
    lab_planar_scene(w);
    for (int i = 0; i < 2; i++) {
        planar_hill(i, p);
        lab_polygon(lab_add(w, "hill", LAB_STATIC, NULL, NULL), (const double(*)[2])p, HILL_POINTS);
    }
    lab_reach(w, lab_key_number(w, "epsilon", .5, 0, 1) /
                     polygon_radius((const double(*)[2])p, HILL_POINTS));
    add_base(w, 0, 2);
    add_particle(w, (double[2]){0, 2}, (double[2]){0, 0}, 12);
}

static void build_sawtooth_from(lab_world *w, double speed)
{
    double p[TOOTH_POINTS][2];
    lab_planar_scene(w);
    for (int i = 0; i < 3; i++) {
        planar_tooth(i, p);
        lab_polygon(lab_add(w, "tooth", LAB_STATIC, NULL, NULL), (const double(*)[2])p,
                    TOOTH_POINTS);
    }
    lab_reach(w, lab_key_number(w, "epsilon", .25, 0, 1) /
                     polygon_radius((const double(*)[2])p, TOOTH_POINTS));
    add_base(w, 1.5, 4.5);
    add_particle(w, (double[2]){0, .75}, (double[2]){speed, 1.8}, 0);
}

static void build_sawtooth(lab_world *w)
{
    build_sawtooth_from(w, 2);
}

static void build_sawtooth_friction(lab_world *w)
{
    build_sawtooth_from(w, 6);
    lab_friction(w, .5);
}

const lab_scene lab_scenes_planar[] = {
    LAB_SCENE(pour, "pour-2d", 5,
              "polygons dropped one by one into an open box of the plane (set= bodies= reach=)"),
    LAB_SCENE(hills, "hills", 3,
              "a particle that is pushed over two round hills (push=, x=, y=, vx=, vy=, epsilon=)"),
    LAB_SCENE(sawtooth, "sawtooth", 1.5,
              "a particle that slides over the teeth of a saw (x=, y=, vx=, vy=, push=, epsilon=)"),
    LAB_SCENE(sawtooth_friction, "sawtooth-friction", 1.5, "the same with friction, faster"),
    LAB_SCENES_END,
};
