/* Scenes with friction: blocks on an incline and on the flat, structures that stand on friction
 * alone, a bouncing cube, a pile that sleeps. Structures are dropped from `drop` above rest. What
 * they must show is checked in checks_friction.c. */
#include "demos/world/scene.h"

#include <math.h>

static const double MU = 0.5;
static const double DROP = 1e-3; /* m */

static double drop(lab_world *w)
{
    lab_friction(w, MU);
    return lab_key_number(w, "drop", DROP, 0, LAB_LENGTH_MAX);
}

static void floor_slab(lab_world *w)
{
    lab_add_box(w, "floor", LAB_STATIC, 60, 20, 1, 0, 0, -0.5, NULL);
}

static lab_body *cube(lab_world *w, double x, double y, double z)
{
    return lab_add_box(w, "cube", LAB_DYNAMIC, 1, 1, 1, x, y, z, NULL);
}

/* ---- sliding -------------------------------------------------------------------------------- */

/* A block on a slope that falls towards +x, launched downwards. */
static void build_incline(lab_world *w)
{
    double q[4], slope = lab_key_number(w, "slope", 20, -89, 89), s = sin(slope * acos(-1) / 180);
    double c = sqrt(1 - s * s),
           speed = lab_key_number(w, "speed", 0, -LAB_SPEED_MAX, LAB_SPEED_MAX);
    lab_friction(w, MU);
    lab_axis_angle(0, 1, 0, slope, q);
    lab_add_box(w, "slope", LAB_STATIC, 60, 10, 1, -0.5 * s, 0, -0.5 * c, q);
    lab_body *block = lab_add_box(w, "block", LAB_DYNAMIC, 1, 1, 0.5, 0.25 * s, 0, 0.25 * c, q);
    lab_velocity(block, (double[3]){speed * c, 0, -speed * s}, NULL);
}

/* A block on the flat, launched `angle` degrees off its side. */
static void build_slide(lab_world *w)
{
    double speed = lab_key_number(w, "speed", 3, -LAB_SPEED_MAX, LAB_SPEED_MAX),
           angle = lab_key_number(w, "angle", 0, -360, 360) * acos(-1) / 180;
    lab_friction(w, MU);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_body *block = lab_add_box(w, "block", LAB_DYNAMIC, 1, 1, 0.5, 0, 0, 0.25, NULL);
    lab_velocity(block, (double[3]){speed * cos(angle), speed * sin(angle), 0}, NULL);
}

/* A low three-legged body slides and turns at once: every leg has a direction of its own, and it
 * changes. Three legs, so that the load of each is determined. */
static void build_slide_turning(lab_world *w)
{
    const double radius = 0.5, height = 0.02, third = 2 * acos(-1) / 3;
    double p[6][3];
    lab_friction(w, MU);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    for (int i = 0; i < 6; i++) {
        p[i][0] = radius * cos(third * i);
        p[i][1] = radius * sin(third * i);
        p[i][2] = i < 3 ? 0 : height;
    }
    lab_body *plate = lab_add(w, "plate", LAB_DYNAMIC, NULL, NULL);
    lab_hull(plate, (const double(*)[3])p, 6, NULL, NULL);
    lab_velocity(plate,
                 (double[3]){lab_key_number(w, "speed", 3, -LAB_SPEED_MAX, LAB_SPEED_MAX), 0, 0},
                 (double[3]){0, 0, lab_key_number(w, "spin", 6, -LAB_SPEED_MAX, LAB_SPEED_MAX)});
}

/* Two blocks at rest, flush, the rear one pushed towards the other with a share `force` of what
 * friction can hold. The friction cone of the front block has nothing to align itself with. */
static void build_push(lab_world *w)
{
    const double weight = 1000 * 0.5 * 9.81;
    double degrees = lab_key_number(w, "angle", 0, -360, 360), angle = degrees * acos(-1) / 180,
           q[4];
    double along[3] = {cos(angle), sin(angle), 0}, force[3];
    lab_friction(w, MU);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
    lab_axis_angle(0, 0, 1, degrees, q);
    lab_add_box(w, "front", LAB_DYNAMIC, 1, 1, 0.5, along[0], along[1], 0.25, q);
    lab_body *rear = lab_add_box(w, "rear", LAB_DYNAMIC, 1, 1, 0.5, 0, 0, 0.25, q);
    double share = lab_key_number(w, "force", 0.9, -1e6, 1e6) * 2 * MU * weight;
    for (int k = 0; k < 3; k++) force[k] = share * along[k];
    lab_force(rear, force, NULL);
}

/* ---- standing ------------------------------------------------------------------------------- */

static void build_tower(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 20, 1, 1000);
    double z = drop(w), gap = lab_key_number(w, "gap", 0, 0, LAB_LENGTH_MAX);
    floor_slab(w);
    for (int i = 0; i < n; i++) cube(w, 0, 0, z + 0.5 + (1 + gap) * i);
    lab_view(w, (double[3]){-3, -3, 0}, (double[3]){3, 3, z + (1 + gap) * n});
}

/* Bricks in running bond, `joint` apart sideways, half bricks at the ends of every second course.
 */
static void build_wall(lab_world *w)
{
    int rows = lab_key_whole(w, "rows", 10, 1, 100);
    double z = drop(w), joint = lab_key_number(w, "joint", 1e-3, 0, .4);
    floor_slab(w);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows + i % 2; k++) {
            int half = i % 2 && (k == 0 || k == rows);
            double x = k - 0.5 * (rows - 1 + i % 2);
            if (half) x += k ? -0.25 : 0.25;
            lab_add_box(w, "brick", LAB_DYNAMIC, (half ? 0.5 : 1) - joint, 0.5, 0.5, x, 0,
                        z + 0.25 + 0.5 * i, NULL);
        }
}

static void pyramid(lab_world *w, int base)
{
    int rows = lab_key_whole(w, "rows", base, 1, 100);
    double z = drop(w), pitch = 1.05;
    floor_slab(w);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows - i; k++)
            cube(w, pitch * (k - 0.5 * (rows - i - 1)), 0, z + 0.5 + i);
}

static void build_pyramid_10(lab_world *w)
{
    pyramid(w, 10);
}

static void build_pyramid_20(lab_world *w)
{
    pyramid(w, 20);
}

/* Each slab overhangs the one below by .8 of what would tip those above it. */
static void build_staggered(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 10, 1, 1000);
    double x = 0, z = drop(w);
    floor_slab(w);
    for (int i = 0; i < n; i++) {
        lab_add_box(w, "slab", LAB_DYNAMIC, 1, 0.5, 0.25, x, 0, z + 0.125 + 0.25 * i, NULL);
        x += 0.8 * 0.5 / (n - 1 - i > 0 ? n - 1 - i : 1);
    }
}

/* Cards of a house. */
static const double CARD = 1, CARD_WIDTH = 0.6, CARD_THICKNESS = 0.02, CARD_LEAN = 15; /* degrees */

/* Two cards that lean on each other, their upper edges meeting at x; returns their height. */
static double tent(lab_world *w, double x, double z)
{
    double lean = CARD_LEAN * acos(-1) / 180, q[4];
    double across = (CARD * sin(lean) + CARD_THICKNESS * cos(lean)) / 2;
    double up = (CARD * cos(lean) + CARD_THICKNESS * sin(lean)) / 2;
    for (int side = -1; side <= 1; side += 2) {
        lab_axis_angle(0, 1, 0, -side * CARD_LEAN, q);
        lab_add_box(w, "card", LAB_DYNAMIC, CARD_THICKNESS, CARD_WIDTH, CARD, x + side * across, 0,
                    z + up, q);
    }
    return 2 * up;
}

/* Tents, and cards that lie from one top to the next: the feet of the next storey stand near their
 * ends. */
static void build_card_house(lab_world *w)
{
    const double pitch = 0.58, beyond = 0.04, apart = 0.001;
    int storeys = lab_key_whole(w, "storeys", 3, 1, 40);
    double z = drop(w);
    floor_slab(w);
    for (int n = storeys; n > 0; n--) {
        double first = -0.5 * pitch * (n - 1), height = 0;
        for (int i = 0; i < n; i++) height = tent(w, first + pitch * i, z);
        z += height;
        for (int i = 0; i + 1 < n; i++) {
            double left = first + pitch * i - (i == 0 ? beyond : -apart);
            double right = first + pitch * (i + 1) + (i + 2 == n ? beyond : -apart);
            lab_add_box(w, "lying card", LAB_DYNAMIC, right - left, CARD_WIDTH, CARD_THICKNESS,
                        (left + right) / 2, 0, z + CARD_THICKNESS / 2, NULL);
        }
        z += CARD_THICKNESS;
    }
}

/* A semicircle of wedge-shaped stones, a fifth of its radius thick: more than the .107 that it
 * needs (Heyman), and more friction than its feet need. */
static void build_arch(lab_world *w)
{
    const double inner = 4.5, outer = 5.5, depth = 1;
    int n = lab_key_whole(w, "bodies", 25, 3, 1000);
    double z = drop(w);
    floor_slab(w);
    for (int i = 0; i < n; i++) {
        double p[8][3];
        for (int k = 0; k < 8; k++) {
            int joint = i + (k & 1);
            double radius = k & 2 ? outer : inner, angle = acos(-1) * joint / n;
            p[k][0] = radius * cos(angle);
            p[k][1] = k & 4 ? depth / 2 : -depth / 2;
            p[k][2] = z + (joint == 0 || joint == n ? 0 : radius * sin(angle));
        }
        lab_hull(lab_add(w, "stone", LAB_DYNAMIC, NULL, NULL), (const double(*)[3])p, 8, NULL,
                 NULL);
    }
}

/* 1 t on 1 kg on 1 t on 1 kg, or 1 t on the top of all. */
static void build_mass_stack(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 4, 1, 1000);
    double z = drop(w), heavy = lab_key_number(w, "ratio", 1000, LAB_MASS_MIN, LAB_MASS_MAX),
           gap = lab_key_number(w, "gap", 0, 0, LAB_LENGTH_MAX);
    int only_top = lab_key_flag(w, "top", 0);
    floor_slab(w);
    for (int i = 0; i < n; i++) {
        int is_heavy = only_top ? i == n - 1 : i % 2;
        lab_mass(cube(w, 0, 0, z + 0.5 + i * (1 + gap)), is_heavy ? heavy : 1);
    }
}

/* ---- bouncing, sleeping --------------------------------------------------------------------- */

static void build_bounce(lab_world *w)
{
    lab_friction(w, MU);
    lab_restitution(w, lab_key_number(w, "restitution", 0.5, 0, 1));
    floor_slab(w);
    cube(w, 0, 0, 0.5 + lab_key_number(w, "drop", 1, 0, LAB_LENGTH_MAX));
}

/* A pyramid of ten falls asleep and is hit by a flying cube at t = 2 s. */
static void build_pile_wake(lab_world *w)
{
    lab_auto_disable(w);
    pyramid(w, 4);
    lab_body *shot = lab_add_box(w, "shot", LAB_DYNAMIC, 0.5, 0.5, 0.5, -5, 0.1, 1.6, NULL);
    lab_velocity(shot, (double[3]){8, 0, 1}, NULL);
    lab_enter(shot, 2, 0.1);
}

const lab_scene lab_scenes_friction[] = {
    LAB_SCENE(incline, "incline", 6, "a block on a slope (slope= degrees, speed= downhill)"),
    LAB_SCENE(slide, "slide", 8, "a block slides to rest on the flat (speed=, angle= of it)"),
    LAB_SCENE(slide_turning, "slide-turning", 1.5,
              "a flat body on three legs slides and turns (speed=, spin=)"),
    LAB_SCENE(push, "push", 2,
              "a block pushes a block that friction should hold (angle=, force= share)"),
    LAB_SCENE(tower, "tower-20", 30, "a tower of cubes (bodies=, drop=, gap=)"),
    LAB_SCENE(wall, "wall-10x10", 30, "a wall in running bond (rows=, joint=, drop=)"),
    LAB_SCENE(pyramid_10, "pyramid-10", 11, "an upright pyramid of cubes (rows=, drop=)"),
    LAB_SCENE(pyramid_20, "pyramid-20", 11, "the same, twice as high (rows=, drop=)"),
    LAB_SCENE(staggered, "stack-staggered", 11,
              "slabs, each overhanging the one below (bodies=, drop=)"),
    LAB_SCENE(card_house, "card-house", 11, "a house of cards (storeys=, drop=)"),
    LAB_SCENE(arch, "arch-25", 11, "an arch of stones (bodies=, drop=)"),
    LAB_SCENE(mass_stack, "mass-stack", 11,
              "cubes of 1 t on cubes of 1 kg (bodies=, ratio=, top=1: one, drop=, gap= m)"),
    LAB_SCENE(bounce, "bounce", 10, "a cube falls and bounces (restitution=, drop=)"),
    LAB_SCENE(pile_wake, "pile-wake", 8, "a sleeping pile is hit (rows=, drop=)"),
    LAB_SCENES_END,
};
