/* Bodies poured into an open box: pour-boxes, pour-convex. */
#include "demos/scene.h"

#include <math.h>
#include <stdio.h>

/* Inner half width and height of the box, m; its floor's top lies at z = 0. */
#define HALF       1.2
#define HEIGHT     4.0
#define BODIES_MAX 2000

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

/* The points are drawn anew until their middle lies well inside. */
void lab_random_hull(lab_world *w, lab_body *body)
{
    int n = 8 + (int)(7 * lab_random(w));
    double radius = between(w, .35, LAB_HULL_RADIUS_MAX), p[14][3], off;
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
    double count = lab_key(w, "bodies", 10);
    if (!(count >= 1 && count <= BODIES_MAX && count == floor(count))) {
        lab_fail(w, "bodies must be a whole number from 1 to %d (--set bodies=)", BODIES_MAX);
        return;
    }
    add_container(w);
    for (int i = 0; i < (int)count; i++) {
        char name[32];
        double q[4], x[3] = {between(w, -.5, .5), between(w, -.5, .5), 3};
        snprintf(name, sizeof name, "body-%d", i + 1);
        lab_random_rotation(w, q);
        lab_body *body = lab_add(w, name, LAB_DYNAMIC, x, q);
        add_shape(w, body);
        lab_enter(body, .25 * i, .3);
    }
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
    {"pour-boxes", "random boxes dropped one by one into an open box", .01, 5, build_boxes, NULL},
    {"pour-convex", "random convex polyhedra dropped one by one into an open box", .01, 5,
     build_convex, NULL},
    {0},
};
