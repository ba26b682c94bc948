/* Piles: any number of bodies dropped at once into a walled pit whose floor grows with their number
 * (pile-boxes, pile-convex). What `bench` measures. */
#include "demos/world/scene.h"

#include <math.h>
#include <stdio.h>

#define BODIES_MAX 10000
#define CELL       1.1 /* m, of the lattice the bodies start in; holds the largest body, turned */
#define WALL       10. /* m, thickness of floor and walls */

/* Edge of the floor: settled piles of all sizes are about as high as they are wide. */
static double floor_edge(int n)
{
    return fmax(2 * CELL, .8 * cbrt((double)n));
}

static void add_pit(lab_world *w, double edge, double height)
{
    double at = (edge + WALL) / 2, outer = edge + 2 * WALL, middle = height / 2;
    lab_add_box(w, "floor", LAB_STATIC, outer, outer, WALL, 0, 0, -WALL / 2, NULL);
    lab_add_box(w, "wall-left", LAB_STATIC, WALL, outer, height, -at, 0, middle, NULL);
    lab_add_box(w, "wall-right", LAB_STATIC, WALL, outer, height, at, 0, middle, NULL);
    lab_add_box(w, "wall-front", LAB_STATIC, edge, WALL, height, 0, -at, middle, NULL);
    lab_add_box(w, "wall-back", LAB_STATIC, edge, WALL, height, 0, at, middle, NULL);
    lab_bounds(w, (double[3]){-edge / 2, -edge / 2, 0}, (double[3]){edge / 2, edge / 2, height});
}

/* A box of edges .4 to .63 or a hull; its size is what its cell must hold. */
static void add_shape(lab_world *w, lab_body *body, const double sides[3])
{
    if (sides)
        lab_box(body, sides, NULL, NULL);
    else
        lab_random_hull(w, body);
}

static void pile(lab_world *w, int boxes)
{
    int n = lab_key_whole(w, "bodies", 30, 1, BODIES_MAX);
    int wide = (int)(floor_edge(n) / CELL * (1 + 1e-9));
    double edge = floor_edge(n), pitch = edge / wide;
    lab_friction(w, .5);
    add_pit(w, edge, CELL * (2 + n / (wide * wide)) + 2);
    for (int i = 0; i < n; i++) {
        char name[32];
        int place = i % (wide * wide), layer = i / (wide * wide);
        double q[4], sides[3], radius = LAB_HULL_RADIUS_MAX;
        for (int k = 0; k < 3; k++) sides[k] = .4 + .23 * lab_random(w);
        if (boxes)
            radius = .5 * sqrt(sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2]);
        double x[3] = {pitch * (place % wide + .5) - edge / 2,
                       pitch * (place / wide + .5) - edge / 2, CELL * (layer + .5)};
        for (int k = 0; k < 3; k++) x[k] += (CELL - 2 * radius) * (lab_random(w) - .5);
        snprintf(name, sizeof name, "body-%d", i + 1);
        lab_random_rotation(w, q);
        add_shape(w, lab_add(w, name, LAB_DYNAMIC, x, q), boxes ? sides : NULL);
    }
}

static void build_boxes(lab_world *w)
{
    pile(w, 1);
}

static void build_convex(lab_world *w)
{
    pile(w, 0);
}

const lab_scene lab_scenes_pile[] = {
    LAB_SCENE(boxes, "pile-boxes", 3, "random boxes dropped at once into a pit (bodies=)"),
    LAB_SCENE(convex, "pile-convex", 3,
              "random convex polyhedra dropped at once into a pit (bodies= points=)"),
    LAB_SCENES_END,
};
