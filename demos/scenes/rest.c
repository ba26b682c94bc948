/* Scenes of rest, of balance and of the moment it is lost: stacks, planks, edges, vertices. Each
 * has something degenerate on purpose (flush faces, coincident vertices, crossing edges); what it
 * must show is checked in checks_rest.c. */
#include "demos/world/scene.h"

#include <math.h>

static lab_body *cube(lab_world *w, double side, double x, double y, double z, const double *q)
{
    return lab_add_box(w, "cube", LAB_DYNAMIC, side, side, side, x, y, z, q);
}

static void floor_slab(lab_world *w)
{
    lab_add_box(w, "floor", LAB_STATIC, 20, 20, 1, 0, 0, -0.5, NULL);
}

/* ---- stacks --------------------------------------------------------------------------------- */

static void stack(lab_world *w, double twist_degrees)
{
    int n = lab_key_whole(w, "bodies", 10, 1, 1000);
    floor_slab(w);
    for (int i = 0; i < n; i++) {
        double q[4];
        lab_axis_angle(0, 0, 1, twist_degrees * i, q);
        cube(w, 1, 0, 0, 0.5 + i, q);
    }
}

static void build_stack_flush(lab_world *w)
{
    stack(w, 0);
}

static void build_stack_twisted(lab_world *w)
{
    stack(w, 17);
}

static void build_block(lab_world *w)
{
    floor_slab(w);
    for (int i = 0; i < 27; i++) cube(w, 1, i % 3 - 1, i / 3 % 3 - 1, 0.5 + i / 9, NULL);
}

/* ---- over an edge --------------------------------------------------------------------------- */

/* A slab slides off a table whose edge is the line x = z = 0. */
static void table_slide(lab_world *w, double yaw_degrees)
{
    double q[4];
    lab_axis_angle(0, 0, 1, yaw_degrees, q);
    lab_add_box(w, "table", LAB_STATIC, 10, 10, 10, -5, 0, -5, NULL);
    lab_body *slab = lab_add_box(w, "slab", LAB_DYNAMIC, 1, 1, 0.5, -1.5, 0, 0.25, q);
    lab_velocity(slab, (double[3]){2, 0, 0}, NULL);
}

static void build_table_slide(lab_world *w)
{
    table_slide(w, 0);
}

static void build_table_slide_yawed(lab_world *w)
{
    table_slide(w, 35);
}

/* A cube falls past a wall that its side is flush with. */
static void build_flush_wall(lab_world *w)
{
    lab_add_box(w, "wall", LAB_STATIC, 10, 10, 10, -5, 0, -5, NULL);
    cube(w, 1, 0.5, 0, 1, NULL);
}

/* A plank on a support of width 1, its centre of mass `offset` from the support's middle. */
static void plank(lab_world *w, double offset)
{
    lab_add_box(w, "support", LAB_STATIC, 1, 1, 1, 0, 0, -0.5, NULL);
    lab_add_box(w, "plank", LAB_DYNAMIC, 4, 0.5, 0.2, offset, 0, 0.1, NULL);
}

static void build_plank_49(lab_world *w)
{
    plank(w, 0.49);
}

static void build_plank_51(lab_world *w)
{
    plank(w, 0.51);
}

/* ---- edges and vertices --------------------------------------------------------------------- */

/* A cube, corner down, drops onto the edge of a block. */
static void build_corner_on_edge(lab_world *w)
{
    double q[4];
    lab_axis_angle(1, -1, 0, 54.735610317245346, q); /* acos(1 / sqrt(3)): diagonal upright */
    lab_add_box(w, "block", LAB_STATIC, 1, 1, 1, 0, 0, -0.5, NULL);
    cube(w, 0.5, 0.5, 0.1, 1.2, q);
}

/* Two rails, each with an edge towards the other; the upper one is dropped at (x, y). */
static void crossed_edges(lab_world *w, double x, double y)
{
    double along_x[4], along_y[4];
    lab_axis_angle(1, 0, 0, 45, along_x);
    lab_axis_angle(0, 1, 0, 45, along_y);
    lab_add_box(w, "lower", LAB_STATIC, 4, 0.5, 0.5, 0, 0, 0, along_x);
    lab_add_box(w, "upper", LAB_DYNAMIC, 0.5, 3, 0.5, x, y, 1, along_y);
}

static void build_crossed_edges(lab_world *w)
{
    crossed_edges(w, 0, 0);
}

static void build_crossed_edges_offset(lab_world *w)
{
    crossed_edges(w, 0.1, 0.05);
}

/* A cube is dropped beside a block with which it shares, seen from above, a corner of dx by dy. */
static void vertex_vertex(lab_world *w, double dx, double dy)
{
    lab_add_box(w, "block", LAB_STATIC, 1, 1, 1, 0, 0, -0.5, NULL);
    cube(w, 1, 1 - dx, 1 - dy, 1.2, NULL);
}

static void build_vertex_hit(lab_world *w)
{
    vertex_vertex(w, 1e-3, 1e-3);
}

static void build_vertex_miss(lab_world *w)
{
    vertex_vertex(w, -1e-3, 1e-3);
}

static void build_vertex_exact(lab_world *w)
{
    vertex_vertex(w, 0, 0);
}

/* ---- notch, dominoes ------------------------------------------------------------------------ */

static void build_v_notch(lab_world *w)
{
    double q[4], side = sqrt(2);
    lab_axis_angle(0, 1, 0, 45, q);
    lab_add_box(w, "left", LAB_STATIC, side, 4, side, -1, 0, 0, q);
    lab_add_box(w, "right", LAB_STATIC, side, 4, side, 1, 0, 0, q);
    lab_random_rotation(w, q);
    cube(w, 0.6, 0.05, 0, 1.5, q);
    lab_view(w, (double[3]){-1.5, -0.8, -0.8}, (double[3]){1.5, 0.8, 2});
    lab_camera(w, (double[3]){0.25, -1, 0.3}); /* along the notch */
}

static void build_dominoes(lab_world *w)
{
    floor_slab(w);
    for (int i = 0; i < 8; i++) {
        lab_body *d = lab_add_box(w, "domino", LAB_DYNAMIC, 0.1, 0.6, 1, 0.5 * i, 0, 0.5, NULL);
        if (i == 0) lab_velocity(d, (double[3]){1, 0, 0}, (double[3]){0, 2, 0});
    }
}

const lab_scene lab_scenes_rest[] = {
    LAB_SCENE(stack_flush, "stack-flush", 6, "cubes stacked face on face (bodies=)"),
    LAB_SCENE(stack_twisted, "stack-twisted", 6,
              "cubes stacked, each turned by 17 degrees more (bodies=)"),
    LAB_SCENE(block, "block-3x3x3", 2, "27 cubes, all neighbours flush"),
    LAB_SCENE(table_slide, "table-slide", 1.5, "a slab slides off a table"),
    LAB_SCENE(table_slide_yawed, "table-slide-yawed", 1.5, "a yawed slab slides off a table"),
    LAB_SCENE(flush_wall, "flush-wall", 1, "a cube falls past a wall it is flush with"),
    LAB_SCENE(plank_49, "plank-49", 2, "a plank, its centre of mass just inside its support"),
    LAB_SCENE(plank_51, "plank-51", 1, "a plank, its centre of mass just outside its support"),
    LAB_SCENE(corner_on_edge, "corner-on-edge", 0.8, "a cube falls, corner first, onto an edge"),
    LAB_SCENE(crossed_edges, "crossed-edges", 2, "edge falls on edge, balanced"),
    LAB_SCENE(crossed_edges_offset, "crossed-edges-offset", 1, "edge falls on edge, off balance"),
    LAB_SCENE(vertex_hit, "vertex-vertex-hit", 0.6, "a cube falls on a corner of 1 mm"),
    LAB_SCENE(vertex_miss, "vertex-vertex-miss", 0.6, "a cube falls past a corner by 1 mm"),
    LAB_SCENE(vertex_exact, "vertex-vertex-exact", 0.6,
              "a cube falls past a corner that it just touches"),
    LAB_SCENE(v_notch, "v-notch", 2, "a cube falls into a notch (seed)"),
    LAB_SCENE(dominoes, "dominoes", 2.5, "eight dominoes"),
    LAB_SCENES_END,
};
