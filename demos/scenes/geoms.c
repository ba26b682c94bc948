/* Every class of geoms on every other, and meshes: seams, slopes, shells, many triangles. What they
 * must show is checked in checks_geoms.c. */
#include "demos/scenes/geom_classes.h"
#include "demos/world/scene.h"

#include <math.h>
#include <stdlib.h>

const char *const geom_names[GEOM_COUNT] = {
    "box",   "convex",      "sphere", "capsule",      "cylinder",     "mesh",
    "plane", "heightfield", "sheet",  "rounded hull", "rounded mesh", "plate"};

static double between(lab_world *w, double low, double high)
{
    return low + (high - low) * lab_random(w);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct grid {
    double (*point)[3];
    int (*triangle)[3];
    int points, triangles;
} grid;

/* Room for rows x columns points, with two triangles for each, and two points more. */
static grid grid_new(lab_body *body, int rows, int columns)
{
    size_t n = (size_t)rows * (size_t)columns;
    grid g = {.point = calloc(n + 2, sizeof *g.point),
              .triangle = calloc(2 * n, sizeof *g.triangle),
              .points = (int)n};
    if (body && g.point && g.triangle) return g;
    free(g.point);
    free(g.triangle);
    return (grid){0};
}

static void grid_end(grid *g, lab_body *body)
{
    if (g->points)
        lab_trimesh(body, (const double(*)[3])g->point, g->points, (const int(*)[3])g->triangle,
                    g->triangles, NULL, NULL);
    free(g->point);
    free(g->triangle);
}

static void add_triangle(grid *g, int a, int b, int c)
{
    int *t = g->triangle[g->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void add_square(grid *g, int a, int b, int c, int d)
{
    add_triangle(g, a, b, c);
    add_triangle(g, a, c, d);
}

/* Height of the ground at a place, m. */
typedef double height_of(const void *context, double x, double y);

static double flat(const void *context, double x, double y)
{
    (void)context, (void)x, (void)y;
    return 0;
}

/* cells[0] x cells[1] squares of two triangles each, size[0] x size[1] m about the origin. */
static void add_sheet(lab_body *body, const double size[2], const int cells[2], height_of *height,
                      const void *context)
{
    int nx = cells[0] + 1, ny = cells[1] + 1;
    grid g = grid_new(body, ny, nx);
    for (int i = 0; i < g.points; i++) {
        double x = size[0] * (i % nx / (nx - 1.) - .5), y = size[1] * (i / nx / (ny - 1.) - .5);
        g.point[i][0] = x, g.point[i][1] = y, g.point[i][2] = height(context, x, y);
        if (i % nx < nx - 1 && i / nx < ny - 1) add_square(&g, i, i + 1, i + 1 + nx, i + nx);
    }
    grid_end(&g, body);
}

/* A ball of rings between two poles, its points at random distances from low to high. */
static void add_rough_ball(lab_world *w, lab_body *body, int rings, int sides, double low,
                           double high)
{
    grid g = grid_new(body, rings, sides);
    double pi = acos(-1);
    int south = g.points, north = south + 1;
    for (int i = 0; i < g.points; i++) {
        double polar = pi * (i / sides + 1) / (rings + 1), angle = 2 * pi * (i % sides) / sides;
        double r = between(w, low, high);
        int next = i % sides + 1 < sides ? i + 1 : i + 1 - sides;
        g.point[i][0] = r * sin(polar) * cos(angle), g.point[i][1] = r * sin(polar) * sin(angle);
        g.point[i][2] = -r * cos(polar);
        if (i / sides + 1 < rings)
            add_square(&g, i, next, next + sides, i + sides);
        else
            add_triangle(&g, i, next, north);
        if (i < sides) add_triangle(&g, next, i, south);
    }
    if (g.points) {
        g.point[south][2] = -between(w, low, high), g.point[north][2] = between(w, low, high);
        g.points += 2;
    }
    grid_end(&g, body);
}

/* A ring of radius `large` with a random thickness up to `small`. */
static void add_ring(lab_world *w, lab_body *body, double large, double small)
{
    enum { SECTIONS = 10, SIDES = 6 };
    grid g = grid_new(body, SECTIONS, SIDES);
    double turn = 2 * acos(-1);
    for (int i = 0; i < g.points; i++) {
        double u = turn * (i / SIDES) / SECTIONS, v = turn * (i % SIDES) / SIDES;
        double thick = between(w, .6, 1) * small, r = large + thick * cos(v);
        int across = i % SIDES + 1 < SIDES ? i + 1 : i + 1 - SIDES, n = SECTIONS * SIDES;
        g.point[i][0] = r * cos(u), g.point[i][1] = r * sin(u), g.point[i][2] = thick * sin(v);
        add_square(&g, i, (i + SIDES) % n, (across + SIDES) % n, across);
    }
    grid_end(&g, body);
}

/* ---- a class on a class ---------------------------------------------------------------------- */

/* A few waves in random directions. */
typedef struct waves {
    double wave[3][4]; /* along x, along y, phase, height */
} waves;

static waves random_waves(lab_world *w, double height)
{
    waves r;
    for (int i = 0; i < 3; i++) {
        r.wave[i][0] = between(w, -5, 5), r.wave[i][1] = between(w, -5, 5);
        r.wave[i][2] = between(w, 0, 6), r.wave[i][3] = between(w, 0, height / 3);
    }
    return r;
}

static double wave_height(const void *context, double x, double y)
{
    const waves *r = context;
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += r->wave[i][3] * sin(r->wave[i][0] * x + r->wave[i][1] * y + r->wave[i][2]);
    return sum;
}

enum { CELLS = 14 };

static void add_fine_field(lab_body *body, const double size[2], int cells, height_of *height,
                           const void *context)
{
    int row = cells + 1;
    double *sample = malloc(sizeof *sample * (size_t)row * (size_t)row);
    for (int i = 0; sample && i < row * row; i++)
        sample[i] = height(context, size[0] * (i % row / (double)cells - .5),
                           size[1] * (i / row / (double)cells - .5));
    if (sample) lab_heightfield(body, size, (const int[2]){row, row}, sample, NULL, NULL);
    free(sample);
}

static void add_field(lab_body *body, const double size[2], height_of *height, const void *context)
{
    add_fine_field(body, size, CELLS, height, context);
}

/* A bent sheet, as wide as fits into a ball of radius r with a radius of its own. */
static void add_plate(lab_world *w, lab_body *body, double r)
{
    double round = r * pow(10, between(w, -2, -.7)), width = 1.2 * (r - round);
    double sides[2] = {width, width * between(w, .4, 1)};
    int cells[2] = {1 + (int)between(w, 0, 4), 1 + (int)between(w, 0, 4)};
    waves bend = random_waves(w, between(w, 0, .4));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) bend.wave[i][k] /= 2 * r;
        bend.wave[i][3] *= r;
    }
    lab_shell(body, 2 * round);
    add_sheet(body, sides, cells, wave_height, &bend);
    lab_radius(body, round);
}

/* A random one of a class that fits into a ball of radius r. */
static void add_geom(lab_world *w, lab_body *body, int class, double r)
{
    double a = between(w, .2, 1), b = between(w, .2, 1), c = between(w, .2, 1), p[14][3];
    double l = 2 * r / sqrt(a * a + b * b + c * c), thick = r * between(w, .15, .7);
    switch (class) {
    case GEOM_BOX:
        lab_box(body, (double[3]){a * l, b * l, c * l}, NULL, NULL);
        return;
    case GEOM_CONVEX:
        for (int i = 0; i < 14; i++) {
            double q[4]; /* random points of a ball, one in each of eight octants at least */
            lab_random_rotation(w, q);
            double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            for (int k = 0; k < 3; k++) {
                p[i][k] = r * (.4 + .6 * a) * fabs(q[k]) / n * (i >> k & 1 ? 1 : -1);
            }
        }
        lab_hull(body, (const double(*)[3])p, 8 + (int)(7 * b), NULL, NULL);
        return;
    case GEOM_SPHERE:
        lab_sphere(body, r, NULL);
        return;
    case GEOM_CAPSULE:
        lab_capsule(body, thick, 2 * (r - thick), NULL, NULL);
        return;
    case GEOM_CYLINDER:
        lab_cylinder(body, thick, 2 * sqrt(r * r - thick * thick), NULL, NULL);
        return;
    case GEOM_ROUNDED_HULL:
    case GEOM_ROUNDED_MESH:
        thick = r * pow(10, between(w, -2, -.4));
        add_geom(w, body, class == GEOM_ROUNDED_MESH ? GEOM_MESH : GEOM_CONVEX, r - thick);
        lab_radius(body, thick);
        return;
    case GEOM_PLATE:
        add_plate(w, body, r);
        return;
    default:
        if (a < .6)
            add_rough_ball(w, body, 4, 7, .55 * r, r);
        else
            add_ring(w, body, .72 * r, .28 * r);
    }
}

/* What stands still, about the origin; returns how far it may reach up. */
static double add_still(lab_world *w, int class)
{
    static const double size[2] = {4, 4};
    static const int cells[2] = {CELLS, CELLS};
    double height = between(w, 0, .5), normal[3] = {between(w, -.4, .4), between(w, -.4, .4), 1};
    waves r = random_waves(w, height);
    if (class == GEOM_PLANE) {
        lab_plane(w, "b", normal, 0);
        return .6;
    }
    lab_body *b = lab_add(w, "b", LAB_STATIC, NULL, NULL);
    if (class == GEOM_FIELD)
        add_field(b, size, wave_height, &r);
    else
        add_sheet(b, size, cells, wave_height, &r);
    return height;
}

static void random_velocity(lab_world *w, lab_body *body, const double mean[3], double spread,
                            double spin)
{
    double v[3], omega[3];
    for (int k = 0; k < 3; k++) {
        v[k] = mean[k] + between(w, -spread, spread);
        omega[k] = between(w, -spin, spin);
    }
    lab_velocity(body, v, omega);
}

static lab_body *add_random(lab_world *w, const char *name, lab_kind kind, int class, double r,
                            double x, double y, double z)
{
    double q[4];
    lab_random_rotation(w, q);
    lab_body *body = lab_add(w, name, kind, (double[3]){x, y, z}, q);
    add_geom(w, body, class, r);
    return body;
}

static int moving_class(lab_world *w)
{
    int class = lab_key_whole(w, "a", GEOM_BOX, 0, GEOM_COUNT - 1);
    if (!geom_can_move(class)) lab_fail(w, "a %s cannot move (--set a=)", geom_names[class]);
    return geom_can_move(class) ? class : GEOM_BOX;
}

/* The body `a` is thrown at `b`: from above at what stands still (moving=0) or lies on a floor
 * (moving=2), or both at each other without weight (moving=1). */
static void build_drop_pair(lab_world *w)
{
    int a = moving_class(w);
    int b = lab_key_whole(w, "b", GEOM_BOX, 0, GEOM_COUNT - 1);
    int moving = lab_key_whole(w, "moving", DROP_STATIC, 0, DROP_MODES - 1);
    double ra = .15 * pow(4, lab_random(w)), rb = .15 * pow(4, lab_random(w)), top, side = .5;
    lab_friction(w, lab_random(w) < .5 ? 0 : .5);
    if (!geom_can_move(b)) {
        top = add_still(w, b);
    } else {
        double z = moving == DROP_LYING ? rb + .01 : 0;
        lab_body *body =
            add_random(w, "b", moving == DROP_STATIC ? LAB_STATIC : LAB_DYNAMIC, b, rb, 0, 0, z);
        if (moving == DROP_LYING) lab_add_box(w, "floor", LAB_STATIC, 9, 9, 1, 0, 0, -.5, NULL);
        if (moving == DROP_FREE) {
            lab_gravity(w, 0, 0, 0);
            random_velocity(w, body, (double[3]){0, 0, 1}, .3, 6);
        }
        top = z + rb, side = .7 * rb;
    }
    lab_body *body = add_random(w, "a", LAB_DYNAMIC, a, ra, between(w, -side, side),
                                between(w, -side, side), top + ra + between(w, .01, .2));
    random_velocity(w, body, (double[3]){0, 0, between(w, -5, -.5)}, .4, 8);
}

/* ---- seams and slopes ------------------------------------------------------------------------ */

/* The same ground of boxes side by side, 1 m x 1 m each. */
static void add_tiles(lab_body *ground)
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 10; j++)
            lab_box(ground, (double[3]){1, 1, .5}, (double[3]){i - 2, j - 4.5, -.25}, NULL);
}

/* 50 x 100 squares in one plane, 5 m x 10 m, on which the body slides across all kinds of seams. */
static lab_body *seams(lab_world *w, double z, int tiles)
{
    double speed = lab_key_number(w, "speed", tiles ? .5 : 3, -LAB_SPEED_MAX, LAB_SPEED_MAX),
           lift = lab_key_number(w, "lift", tiles ? 0 : 1e-3, 0, LAB_LENGTH_MAX),
           across = lab_key_number(w, "across", .25, -1, 1);
    int cells = lab_key_whole(w, "cells", 50, 1, 1000);
    lab_body *ground = lab_add(w, "ground", LAB_STATIC, NULL, NULL), *body;
    if (lab_key_flag(w, "tiles", tiles))
        add_tiles(ground);
    else
        add_sheet(ground, (const double[2]){5, 10}, (const int[2]){cells, 2 * cells}, flat, NULL);
    body = lab_add(w, "slider", LAB_DYNAMIC, (double[3]){-1.03, -4.01, z + lift}, NULL);
    lab_velocity(body, (double[3]){across * speed, speed * sqrt(1 - across * across), 0}, NULL);
    return body;
}

static void build_seams_box(lab_world *w)
{
    lab_box(seams(w, .15, 0), (double[3]){.5, .4, .3}, NULL, NULL);
}

static void build_seams_tiles(lab_world *w)
{
    lab_box(seams(w, .15, 1), (double[3]){.5, .4, .3}, NULL, NULL);
}

static void build_seams_sphere(lab_world *w)
{
    lab_sphere(seams(w, .2, 0), .2, NULL);
}

/* Lying, so that it glides along its axis a little askew. */
static void build_seams_capsule(lab_world *w)
{
    double q[4];
    lab_axis_angle(1, .2, 0, 90, q);
    lab_capsule(seams(w, .15, 0), .15, .4, NULL, q);
}

/* Standing on its end. */
static void build_seams_cylinder(lab_world *w)
{
    lab_cylinder(seams(w, .15, 0), .25, .3, NULL, NULL);
}

static double slope(const void *context, double x, double y)
{
    (void)y;
    return -*(const double *)context * x;
}

/* A sphere rolls down a heightfield of slope 1 : 4 in its middle, without sliding. */
static void build_mesh_roll(lab_world *w)
{
    static const double size[2] = {12, 6};
    double fall = lab_key_number(w, "slope", .25, -10, 10), radius = .2;
    lab_friction(w, .5);
    add_field(lab_add(w, "ground", LAB_STATIC, NULL, NULL), size, slope, &fall);
    double x = -5, z = -fall * x + radius * sqrt(1 + fall * fall);
    lab_sphere(lab_add(w, "ball", LAB_DYNAMIC, (double[3]){x, .1, z}, NULL), radius, NULL);
}

/* One of each class at rest on a flat sheet or (field=1) heightfield. */
static void build_mesh_rest(lab_world *w)
{
    static const double size[2] = {6, 4}, edge[3] = {.4, .3, .3};
    double q[4], half[8][3];
    int field = lab_key_flag(w, "field", 0);
    lab_body *ground = lab_add(w, "ground", LAB_STATIC, NULL, NULL);
    lab_friction(w, .5);
    if (field)
        add_field(ground, size, flat, NULL);
    else
        add_sheet(ground, size, (const int[2]){60, 40}, flat, NULL);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) half[i][k] = (i >> k & 1 ? .5 : -.5) * edge[k];
    lab_axis_angle(1, .1, 0, 90, q);
    lab_box(lab_add(w, "box", LAB_DYNAMIC, (double[3]){-2, .03, .15}, NULL), edge, NULL, NULL);
    lab_hull(lab_add(w, "convex", LAB_DYNAMIC, (double[3]){-1, .03, .15}, NULL),
             (const double(*)[3])half, 8, NULL, NULL);
    lab_capsule(lab_add(w, "capsule", LAB_DYNAMIC, (double[3]){0, .03, .15}, NULL), .15, .4, NULL,
                q);
    lab_cylinder(lab_add(w, "cylinder", LAB_DYNAMIC, (double[3]){1, .03, .15}, NULL), .2, .3, NULL,
                 NULL);
    lab_sphere(lab_add(w, "sphere", LAB_DYNAMIC, (double[3]){2, .03, .15}, NULL), .15, NULL);
}

/* ---- shells ---------------------------------------------------------------------------------- */

/* A body shot at a thin shell, a sheet of 200 triangles. */
static void build_shell_fast(lab_world *w)
{
    int class = moving_class(w);
    double speed = lab_key_number(w, "speed", 100, -LAB_SPEED_MAX, LAB_SPEED_MAX),
           r = between(w, .05, .3);
    waves ground = random_waves(w, .2);
    lab_gravity(w, 0, 0, 0);
    add_sheet(lab_add(w, "shell", LAB_STATIC, NULL, NULL), (const double[2]){6, 6},
              (const int[2]){10, 10}, wave_height, &ground);
    lab_body *body = add_random(w, "a", LAB_DYNAMIC, class, r, between(w, -.5, .5),
                                between(w, -.5, .5), .2 + r + between(w, .1, .5));
    random_velocity(w, body, (double[3]){0, 0, -speed}, .1 * speed, 10);
}

/* Six bodies, one of each class, tumble inside of a closed shell, which stands still or (moving=1)
 * flies and turns itself. */
static void build_mesh_inside(lab_world *w)
{
    double x[3] = {0, 0, 0}, speed = lab_key_number(w, "speed", 3, -LAB_SPEED_MAX, LAB_SPEED_MAX);
    int moving = lab_key_flag(w, "moving", 0);
    lab_body *shell = lab_add(w, "shell", moving ? LAB_DYNAMIC : LAB_STATIC, x, NULL);
    add_rough_ball(w, shell, 7, 12, .9, 1.2);
    if (moving) {
        lab_gravity(w, 0, 0, 0);
        lab_mass(shell, 200);
        random_velocity(w, shell, x, 1, 3);
    }
    lab_friction(w, .3);
    for (int i = 0; i < GEOM_MOVING; i++) {
        double angle = i * acos(-1) / 3;
        lab_body *body = add_random(w, geom_names[i], LAB_DYNAMIC, i, .17, .4 * cos(angle),
                                    .4 * sin(angle), between(w, -.2, .2));
        random_velocity(w, body, (double[3]){0}, speed, 10);
    }
}

/* ---- many triangles -------------------------------------------------------------------------- */

/* 100 bodies of all classes on ground of 224 x 224 squares. */
static void build_mesh_100k(lab_world *w)
{
    enum { ROW = 10 };
    static const double size[2] = {12, 12};
    int cells = lab_key_whole(w, "cells", 224, 10, 1000);
    int only =
        lab_key_whole(w, "a", GEOM_MOVING, 0, GEOM_COUNT - 1); /* GEOM_MOVING: the first six */
    waves ground = random_waves(w, .3);
    lab_body *mesh = lab_add(w, "ground", LAB_STATIC, NULL, NULL);
    lab_friction(w, .5);
    if (lab_key_flag(w, "field", 0))
        add_fine_field(mesh, size, cells, wave_height, &ground);
    else
        add_sheet(mesh, size, (const int[2]){cells, cells}, wave_height, &ground);
    for (int i = 0; i < ROW * ROW; i++) {
        int class = geom_can_move(only) ? only : i % GEOM_MOVING;
        add_random(w, geom_names[class], LAB_DYNAMIC, class, between(w, .15, .35), i % ROW - 4.5,
                   i / ROW - 4.5, .7);
    }
}

const lab_scene lab_scenes_geoms[] = {
    LAB_SCENE(drop_pair, "drop-pair", .8,
              "a body of class a thrown at one of class b (a=, b=, moving=, seed)"),
    LAB_SCENE(
        seams_box, "seams-box", 2,
        "a box slides over a flat sheet of 10 000 triangles (speed=, lift=, across=, cells=)"),
    LAB_SCENE(seams_tiles, "seams-tiles", 8,
              "a box slides over boxes side by side (speed=, lift=, across=, tiles=)"),
    LAB_SCENE(
        seams_sphere, "seams-sphere", 2,
        "a sphere slides over a flat sheet of 10 000 triangles (speed=, lift=, across=, cells=)"),
    LAB_SCENE(seams_capsule, "seams-capsule", 2,
              "a lying capsule slides over the same (speed=, lift=, across=, cells=)"),
    LAB_SCENE(seams_cylinder, "seams-cylinder", 2,
              "a standing cylinder slides over the same (speed=, lift=, across=, cells=, tiles=)"),
    LAB_SCENE(mesh_roll, "mesh-roll", 2, "a sphere rolls down a heightfield (slope=)"),
    LAB_SCENE(mesh_rest, "mesh-rest", 3,
              "a body of every class at rest on a flat sheet (field=1: heightfield)"),
    LAB_SCENE(shell_fast, "shell-fast", .1,
              "a body of class a shot at a thin shell (a=, speed=, seed)"),
    LAB_SCENE(mesh_inside, "mesh-inside", 3,
              "a body of each class inside of a closed shell (speed=, moving=, seed)"),
    LAB_SCENE(mesh_100k, "mesh-100k", 1.5,
              "100 bodies of all classes on a mesh of 100 352 triangles (cells=, a=, field=)"),
    LAB_SCENES_END,
};
