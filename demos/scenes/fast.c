/* Fast scenes: bodies that cross each other's width, or turn by radians, within one step. What they
 * must show is checked in checks_fast.c. Without gravity, except `spin`. */
#include "demos/world/scene.h"

/* Uniform in [-a, a). */
static double around(lab_world *w, double a)
{
    return a * (2 * lab_random(w) - 1);
}

static void random_spin(lab_world *w, double each, double omega[3])
{
    for (int k = 0; k < 3; k++) omega[k] = around(w, each);
}

/* ---- straight at each other ----------------------------------------------------------------- */

/* A cube of .2 against a plate a tenth as thick. */
static void build_thin_plate(lab_world *w)
{
    double q[4], speed = lab_key_number(w, "speed", 100, -LAB_SPEED_MAX, LAB_SPEED_MAX);
    lab_gravity(w, 0, 0, 0);
    lab_add_box(w, "plate", LAB_STATIC, 0.02, 4, 4, 0, 0, 0, NULL);
    lab_random_rotation(w, q);
    double x = -0.5 - 0.5 * lab_random(w), y = around(w, 0.3), z = around(w, 0.3);
    lab_body *cube = lab_add_box(w, "cube", LAB_DYNAMIC, 0.2, 0.2, 0.2, x, y, z, q);
    lab_velocity(cube, (double[3]){speed, 0, 0}, NULL);
    lab_view(w, (double[3]){-1.2, -0.6, -0.6}, (double[3]){1.2, 0.6, 0.6});
    lab_camera(w, (double[3]){-0.4, -1, 0.3});
}

/* Two turning cubes of .2, not quite centre to centre. */
static void build_head_on(lab_world *w)
{
    double q[4], omega[3], speed = lab_key_number(w, "speed", 100, -LAB_SPEED_MAX, LAB_SPEED_MAX);
    lab_gravity(w, 0, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        lab_random_rotation(w, q);
        double x = side * (0.5 + 0.5 * lab_random(w)), y = around(w, 0.025), z = around(w, 0.025);
        lab_body *cube =
            lab_add_box(w, side < 0 ? "left" : "right", LAB_DYNAMIC, 0.2, 0.2, 0.2, x, y, z, q);
        random_spin(w, 10, omega);
        lab_velocity(cube, (double[3]){-side * speed, 0, 0}, omega);
    }
}

/* ---- turning fast --------------------------------------------------------------------------- */

/* Six free blades, 1 x .02 x .1, each turning towards a post that stands .4 from its centre; once
 * struck they wander off and meet each other. */
static void build_blades(lab_world *w)
{
    double rate = lab_key_number(w, "spin", 1, -100, 100) / lab_step_size(w);
    lab_gravity(w, 0, 0, 0);
    for (int i = 0; i < 6; i++) {
        double x = 1.3 * (i % 3), y = 1.3 * (i / 3), q[4];
        double sense = i % 2 ? 1 : -1, degrees = sense * (25 + 22 * i);
        lab_add_box(w, "post", LAB_STATIC, 0.02, 0.02, 1, x + 0.4, y, 0, NULL);
        lab_axis_angle(0, 0, 1, degrees, q);
        lab_body *blade = lab_add_box(w, "blade", LAB_DYNAMIC, 1, 0.02, 0.1, x, y, 0, q);
        lab_velocity(blade, NULL, (double[3]){0, 0, -sense * rate});
    }
}

/* A box that turns by `spin` radians per step falls, out of reach of anything at first, onto the
 * floor beside a wall and drifts towards the wall. */
static void build_spin(lab_world *w)
{
    double rate = lab_key_number(w, "spin", 1, -100, 100) / lab_step_size(w);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_add_box(w, "wall", LAB_STATIC, 1, 4, 4, 1.3, 0, 2, NULL);
    lab_body *box = lab_add_box(w, "box", LAB_DYNAMIC, 1, 0.8, 0.6, 0, 0, 1.2, NULL);
    lab_velocity(box, (double[3]){0.2, 0, 0}, (double[3]){rate, 0.1, 0});
}

const lab_scene lab_scenes_fast[] = {
    LAB_SCENE(thin_plate, "thin-plate", 0.2,
              "a cube shot at a plate a tenth as thick (speed=, seed)"),
    LAB_SCENE(head_on, "head-on", 0.2, "two cubes shot at each other (speed=, seed)"),
    LAB_SCENE(blades, "blades", 0.4, "six spinning blades and posts (spin= h|w|)"),
    LAB_SCENE(spin, "spin", 0.8, "a fast spinning box falls beside a wall (spin= h|w|)"),
    LAB_SCENES_END,
};
