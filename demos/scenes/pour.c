/* Bodies poured: pour-boxes and pour-convex into an open box, pour-mixed onto bumpy ground with a
 * wall round it; container: let go all at once in an open box; stirrer, conveyor: in one with a
 * paddle that turns, on a belt. */
#include "demos/world/scene.h"

#include <math.h>
#include <stdio.h>

/* Inner half width and height of the box, m; its floor's top lies at z = 0. */
#define HALF       1.2
#define HEIGHT     4.0
#define BODIES_MAX 2000
/* What the last body has to fall and settle, s. */
#define SETTLING 2.5

static void add_container(lab_world *w)
{
    double wall = HALF + .5, middle = HEIGHT / 2;
    lab_add_box(w, "floor", LAB_STATIC, 4, 4, 1, 0, 0, -.5, NULL);
    lab_add_box(w, "wall-left", LAB_STATIC, 1, 4, HEIGHT, -wall, 0, middle, NULL);
    lab_add_box(w, "wall-right", LAB_STATIC, 1, 4, HEIGHT, wall, 0, middle, NULL);
    lab_add_box(w, "wall-front", LAB_STATIC, 2 * HALF, 1, HEIGHT, 0, -wall, middle, NULL);
    lab_add_box(w, "wall-back", LAB_STATIC, 2 * HALF, 1, HEIGHT, 0, wall, middle, NULL);
    lab_bounds(w, (double[3]){-HALF, -HALF, 0}, (double[3]){HALF, HALF, INFINITY});
}

static double between(lab_world *w, double low, double high)
{
    return low + (high - low) * lab_random(w);
}

static void add_random_box(lab_world *w, lab_body *body)
{
    double sides[3];
    for (int k = 0; k < 3; k++) sides[k] = between(w, .4, .8);
    lab_box(body, sides, NULL, NULL);
}

/* Of `points` points, or of 8 to 14: they are drawn anew until their middle lies well inside. */
void lab_random_hull(lab_world *w, lab_body *body)
{
    enum { MOST = 500 };
    static _Thread_local double p[MOST][3];
    int n = 8 + (int)(7 * lab_random(w)), wanted = lab_key_whole(w, "points", 0, 4, MOST);
    double radius = between(w, .35, LAB_HULL_RADIUS_MAX), off;
    if (wanted >= 4 && wanted <= MOST) n = wanted;
    do {
        double sum[3] = {0, 0, 0};
        for (int i = 0; i < n; i++) {
            double square = 0;
            do {
                square = 0;
                for (int k = 0; k < 3; k++)
                    p[i][k] = between(w, -1, 1), square += p[i][k] * p[i][k];
            } while (square > 1 || square < .01);
            for (int k = 0; k < 3; k++) {
                p[i][k] *= radius / sqrt(square);
                sum[k] += p[i][k] / n;
            }
        }
        off = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    } while (off > .3 * radius);
    lab_hull(body, (const double(*)[3])p, n, NULL, NULL);
}

static void pour(lab_world *w, void (*add_shape)(lab_world *, lab_body *))
{
    int count = lab_key_whole(w, "bodies", 10, 1, BODIES_MAX);
    add_container(w);
    for (int i = 0; i < count; i++) {
        char name[32];
        double q[4], x[3] = {between(w, -.5, .5), between(w, -.5, .5), 3};
        snprintf(name, sizeof name, "body-%d", i + 1);
        lab_random_rotation(w, q);
        lab_body *body = lab_add(w, name, LAB_DYNAMIC, x, q);
        add_shape(w, body);
        lab_enter(body, .25 * i, .3);
    }
    lab_run_until(w, .25 * count + SETTLING);
}

/* ---- all classes ------------------------------------------------------------------------------
 */

/* Bumpy ground of SIDE x SIDE m, with a rim and a wall behind it: as a heightfield, or the same as
 * a mesh. */
#define SIDE    6.0
#define SAMPLES 31
#define WALL    4.0 /* height */

static double ground_height(double x, double y)
{
    double out = fmax(fabs(x), fabs(y)) / (SIDE / 2);
    return .12 * sin(2.1 * x + .3) * cos(1.7 * y) + 1.2 * fmax(0, out - .6);
}

static void add_ground(lab_world *w, int is_mesh)
{
    static const double size[2] = {SIDE, SIDE};
    static const int samples[2] = {SAMPLES, SAMPLES};
    double height[SAMPLES * SAMPLES], point[SAMPLES * SAMPLES][3];
    int triangle[2 * SAMPLES * SAMPLES][3], nt = 0;
    lab_body *ground = lab_add(w, "ground", LAB_STATIC, NULL, NULL);
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        double x = SIDE * (i % SAMPLES / (SAMPLES - 1.) - .5);
        double y = SIDE * (i / SAMPLES / (SAMPLES - 1.) - .5);
        height[i] = ground_height(x, y);
        point[i][0] = x, point[i][1] = y, point[i][2] = height[i];
        if (i % SAMPLES == SAMPLES - 1 || i / SAMPLES == SAMPLES - 1) continue;
        int corner[4] = {i, i + 1, i + 1 + SAMPLES, i + SAMPLES};
        for (int half = 0; half < 2; half++, nt++) {
            triangle[nt][0] = corner[0];
            triangle[nt][1] = corner[1 + half], triangle[nt][2] = corner[2 + half];
        }
    }
    if (is_mesh)
        lab_trimesh(ground, (const double(*)[3])point, SAMPLES * SAMPLES, (const int(*)[3])triangle,
                    nt, NULL, NULL);
    else
        lab_heightfield(ground, size, samples, height, NULL, NULL);
    /* whose ends overlap, so that nothing passes at the corners */
    for (int i = 0; i < 4; i++) {
        int k = i / 2;
        double sides[3] = {SIDE + 2, SIDE + 2, WALL}, at[3] = {0, 0, WALL / 2 - 1};
        sides[k] = 1, at[k] = (i % 2 ? -1 : 1) * (SIDE + 1) / 2;
        lab_box(ground, sides, at, NULL);
    }
}

/* A block with a step: a mesh that is not convex, about its centre. */
static void add_step_block(lab_body *body, double size)
{
    static const double outline[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
    static const int fan[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    double point[12][3];
    int triangle[20][3], nt = 0;
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 2; k++) point[i][k] = size * outline[i % 6][k];
        point[i][2] = i < 6 ? -.6 * size : .6 * size;
    }
    for (int i = 0; i < 4; i++) {
        int lower[3] = {fan[i][0], fan[i][2], fan[i][1]};
        for (int k = 0; k < 3; k++) triangle[nt][k] = lower[k], triangle[nt + 1][k] = fan[i][k] + 6;
        nt += 2;
    }
    for (int i = 0; i < 6; i++, nt += 2) {
        int next = (i + 1) % 6, wall[2][3] = {{i, next, next + 6}, {i, next + 6, i + 6}};
        for (int k = 0; k < 3; k++) triangle[nt][k] = wall[0][k], triangle[nt + 1][k] = wall[1][k];
    }
    lab_trimesh(body, (const double(*)[3])point, 12, (const int(*)[3])triangle, nt, NULL, NULL);
}

/* One of every class in turn. */
static void add_of_class(lab_world *w, lab_body *body, int i)
{
    double size = between(w, .15, .3), length = between(w, .2, .5);
    switch (i % 6) {
    case 0:
        lab_box(body, (double[3]){2 * size, size, length}, NULL, NULL);
        return;
    case 1:
        lab_sphere(body, size, NULL);
        return;
    case 2:
        lab_capsule(body, .7 * size, length, NULL, NULL);
        return;
    case 3:
        lab_cylinder(body, size, length, NULL, NULL);
        return;
    case 4:
        lab_random_hull(w, body);
        return;
    default:
        add_step_block(body, size);
    }
}

static void build_mixed(lab_world *w)
{
    int count = lab_key_whole(w, "bodies", 50, 1, BODIES_MAX), is_mesh = lab_key_flag(w, "mesh", 0);
    lab_friction(w, .5);
    add_ground(w, is_mesh);
    lab_bounds(w, (double[3]){-SIDE / 2, -SIDE / 2, -.2},
               (double[3]){SIDE / 2, SIDE / 2, INFINITY});
    for (int i = 0; i < count; i++) {
        char name[32];
        double q[4], x[3] = {between(w, -.6, .6), between(w, -.6, .6), 2};
        snprintf(name, sizeof name, "body-%d", i + 1);
        lab_random_rotation(w, q);
        lab_body *body = lab_add(w, name, LAB_DYNAMIC, x, q);
        add_of_class(w, body, i);
        lab_enter(body, .15 * i, .3);
    }
    lab_run_until(w, .15 * count + SETTLING);
}

/* ---- a container ------------------------------------------------------------------------------
 */

/* A box, sphere, capsule, cylinder or polyhedron inside of a sphere. */
static void add_within(lab_world *w, lab_body *body, double radius, int i)
{
    double point[12][3], sides[3], share = between(w, .4, .7), length = 0;
    switch (i % 5) {
    case 0:
        for (int k = 0; k < 3; k++) sides[k] = between(w, .5, 1), length += sides[k] * sides[k];
        for (int k = 0; k < 3; k++) sides[k] *= 2 * radius / sqrt(length);
        lab_box(body, sides, NULL, NULL);
        return;
    case 1:
        lab_sphere(body, radius, NULL);
        return;
    case 2:
        lab_capsule(body, share * radius, 2 * (1 - share) * radius, NULL, NULL);
        return;
    case 3:
        lab_cylinder(body, share * radius, 2 * sqrt(1 - share * share) * radius, NULL, NULL);
        return;
    default:
        for (int k = 0; k < 12; k++) { /* a turned spiral over the sphere */
            double z = 2 * (k + .5) / 12 - 1, angle = 2.4 * k + between(w, -.3, .3);
            point[k][0] = radius * sqrt(1 - z * z) * cos(angle);
            point[k][1] = radius * sqrt(1 - z * z) * sin(angle);
            point[k][2] = radius * z;
        }
        lab_hull(body, (const double(*)[3])point, 12, NULL, NULL);
    }
}

/* Bodies of five classes in a lattice above z = bottom, let go at once. */
static void fill_container(lab_world *w, double bottom)
{
    enum { SIDE_COUNT = 4, LAYER = SIDE_COUNT * SIDE_COUNT };
    int count = lab_key_whole(w, "bodies", 60, 1, BODIES_MAX);
    double step = 2 * HALF / SIDE_COUNT;
    add_container(w);
    for (int i = 0; i < count; i++) {
        char name[32];
        double q[4], x[3] = {step * (i % SIDE_COUNT + .5) - HALF,
                             step * (i / SIDE_COUNT % SIDE_COUNT + .5) - HALF,
                             bottom + step * (i / LAYER + .5)};
        snprintf(name, sizeof name, "body-%d", i + 1);
        lab_random_rotation(w, q);
        add_within(w, lab_add(w, name, LAB_DYNAMIC, x, q), between(w, .6, .98) * step / 2, i);
    }
    lab_run_until(w, SETTLING);
}

static void build_container(lab_world *w)
{
    lab_friction(w, .5);
    fill_container(w, 0);
}

/* One body has room between the paddle and a wall; two may jam. */
static void build_stirrer(lab_world *w)
{
    const double sides[3] = {.6 * HALF, .1, .6};
    lab_friction(w, .5);
    lab_body *paddle = lab_add_box(w, "paddle", LAB_KINEMATIC, sides[0], sides[1], sides[2], 0, 0,
                                   .5 * sides[2] + .02, NULL);
    lab_velocity(paddle, NULL,
                 (double[3]){0, 0, lab_key_number(w, "spin", 2, -LAB_SPEED_MAX, LAB_SPEED_MAX)});
    fill_container(w, sides[2] + .02);
}

/* The floor of the container is a belt that runs against a wall. */
static int conveyor_surface(lab_world *w, lab_body *a, lab_body *b, dSurfaceParameters *surface,
                            double fdir1[3])
{
    lab_body *belt = lab_body_at(w, 0);
    if (a != belt && b != belt) return 1;
    surface->mode |= dContactMotion1 | dContactFDir1;
    fdir1[0] = 1;
    surface->motion1 = lab_key_number(w, "speed", 1, -LAB_SPEED_MAX, LAB_SPEED_MAX);
    return 1;
}

static void build_conveyor(lab_world *w)
{
    lab_friction(w, .5);
    lab_pair_surfaces(w, conveyor_surface);
    fill_container(w, 0);
}

static void build_boxes(lab_world *w)
{
    pour(w, add_random_box);
}

static void build_convex(lab_world *w)
{
    pour(w, lab_random_hull);
}

const lab_scene lab_scenes_pour[] = {
    LAB_SCENE(boxes, "pour-boxes", 5, "random boxes dropped one by one into an open box (bodies=)"),
    LAB_SCENE(convex, "pour-convex", 5,
              "random convex polyhedra dropped one by one into an open box (bodies= points=)"),
    LAB_SCENE(mixed, "pour-mixed", 10,
              "bodies of all classes onto a walled heightfield or mesh (bodies= mesh=)"),
    LAB_SCENE(container, "container", 2.5,
              "bodies of five convex classes fall into an open box (bodies=)"),
    LAB_SCENE(stirrer, "stirrer", 4,
              "the same with a paddle that turns in it (bodies=, spin= rad/s)"),
    LAB_SCENE(conveyor, "conveyor", 4, "the same on a belt (bodies=, speed= m/s)"),
    LAB_SCENES_END,
};
