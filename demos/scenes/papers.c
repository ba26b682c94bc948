/* Spatial scenes of the papers: box-of-polyhedra [W Fig. 23], slender-rod [F Fig. 19-21, table 1].
 */
#include <math.h>
#include <stdio.h>

#include "demos/scenes/body_sets.h"
#include "demos/world/scene.h"

/* ---- box of polyhedra ------------------------------------------------------------------------ */

#define BOX_WIDTH  10.
#define BOX_WALL   .25
#define BOX_HEIGHT 4.

/* The walls begin below the floor's surface, as those of the authors' box in the plane do. If they
 * stood on it, a vertex on the floor could pass under a wall: there it is outside of both. */
static void add_box(lab_world *w)
{
    double wide = BOX_WIDTH + 2 * BOX_WALL, at = .5 * (BOX_WIDTH + BOX_WALL);
    double high = BOX_HEIGHT + BOX_WALL, up = .5 * (BOX_HEIGHT - BOX_WALL);
    lab_add_box(w, "floor", LAB_STATIC, wide, wide, BOX_WALL, 0, 0, -.5 * BOX_WALL, NULL);
    lab_add_box(w, "wall-left", LAB_STATIC, BOX_WALL, wide, high, -at, 0, up, NULL);
    lab_add_box(w, "wall-right", LAB_STATIC, BOX_WALL, wide, high, at, 0, up, NULL);
    lab_add_box(w, "wall-front", LAB_STATIC, BOX_WIDTH, BOX_WALL, high, 0, -at, up, NULL);
    lab_add_box(w, "wall-back", LAB_STATIC, BOX_WIDTH, BOX_WALL, high, 0, at, up, NULL);
    double half = .5 * BOX_WIDTH;
    lab_bounds(w, (double[3]){-half, -half, 0}, (double[3]){half, half, INFINITY});
}

/* The middle of the hulls' cube is put where the authors drop their bodies. The paper does not say
 * what size they have: half of the unit cube, since the authors' stored run halves its icosahedra.
 */
static void build_polyhedra(lab_world *w)
{
    int set = lab_key_whole(w, "set", 0, 0, 1000);
    hull_of_set hull[HULLS_PER_SET];
    double size = lab_key_number(w, "size", .5, .01, 2);
    /* relative to the smaller hull, whose radius is about .65 of the cube: epsilon = .1 m */
    lab_reach(w, lab_key_number(w, "reach", .1 / (.65 * fmax(size, .1)), 0, 10));
    if (set > body_sets_hulls() || body_set_hulls(set, lab_world_options(w)->seed, hull)) {
        lab_fail(w,
                 "--set set=%d: the authors' files have no such set (PEG_LAB_DATA names their "
                 "folder): take "
                 "set 0, which is made by the recipe",
                 set);
        return;
    }
    add_box(w);
    for (int i = 0; i < HULLS_PER_SET; i++) {
        char name[32];
        snprintf(name, sizeof name, "polyhedron-%d", i + 1);
        for (int p = 0; p < hull[i].points; p++)
            for (int k = 0; k < 3; k++) hull[i].point[p][k] = size * (hull[i].point[p][k] - .5);
        lab_body *b = lab_add(w, name, LAB_DYNAMIC, (double[3]){3, 0, 2}, hull[i].q);
        lab_hull(b, (const double(*)[3])hull[i].point, hull[i].points, NULL, NULL);
        lab_velocity(b, (double[3]){-5, 0, 0}, NULL);
        lab_enter(b, .5 * i, 0);
    }
}

/* ---- slender rod ----------------------------------------------------------------------------- */

#define ROD_LENGTH 1.
#define ROD_RADIUS .2
#define CUBE       .25
#define PITCH      .433 /* a cube's diagonal */

/* Geometry of a hexagonal prism, mass and inertia of the ideal cylinder. */
static void add_rod(lab_world *w)
{
    const double pi = acos(-1), m = 900 * pi * ROD_RADIUS * ROD_RADIUS * ROD_LENGTH;
    double across = m * (3 * ROD_RADIUS * ROD_RADIUS + ROD_LENGTH * ROD_LENGTH) / 12;
    double along = .5 * m * ROD_RADIUS * ROD_RADIUS, p[12][3];
    for (int i = 0; i < 12; i++) {
        p[i][0] = ROD_RADIUS * cos(pi / 3 * (i / 2));
        p[i][1] = (i % 2 - .5) * ROD_LENGTH;
        p[i][2] = ROD_RADIUS * sin(pi / 3 * (i / 2));
    }
    lab_body *rod = lab_add(w, "rod", LAB_DYNAMIC, (double[3]){0, 0, .5}, NULL);
    lab_hull(rod, (const double(*)[3])p, 12, NULL, NULL);
    lab_mass_properties(rod, m, (double[9]){across, 0, 0, 0, along, 0, 0, 0, across});
    lab_velocity(rod, (double[3]){0, 5, .2}, (double[3]){-2 * pi, 0, 0});
}

static void build_rod(lab_world *w)
{
    /* relative to the cubes' radius of .2165 m: epsilon = .1 m */
    lab_reach(w, lab_key_number(w, "reach", .46, 0, 10));
    lab_view(w, (double[3]){-1.1, -.6, -.3}, (double[3]){1.1, 4.2, .8});
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 10; j++) {
            double q[4];
            lab_random_rotation(w, q);
            lab_add_box(w, "cube", LAB_STATIC, CUBE, CUBE, CUBE, (i - 2) * PITCH, j * PITCH, 0, q);
        }
    add_rod(w);
}

const lab_scene lab_scenes_papers[] = {
    LAB_SCENE(polyhedra, "box-of-polyhedra", 5,
              "random polyhedra thrown into an open box (set=, size=, reach=)"),
    LAB_SCENE(rod, "slender-rod", 1.75, "a rod tumbles over a field of cubes (reach=)"),
    LAB_SCENES_END,
};
