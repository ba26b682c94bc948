/* Extreme scenes: slivers, ratios of a thousand, no clearance, too little room, interlocked bodies,
 * an overlap to start with. What they must show is checked in checks_extreme.c. */
#include "demos/world/scene.h"

static void floor_plane(lab_world *w)
{
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
}

static lab_body *cube(lab_world *w, double side, double x, double y, double z)
{
    return lab_add_box(w, "cube", LAB_DYNAMIC, side, side, side, x, y, z, NULL);
}

/* ---- ratios --------------------------------------------------------------------------------- */

static void build_needles(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 8, 1, 1000);
    lab_add_box(w, "floor", LAB_STATIC, 20, 20, 1, 0, 0, -0.5, NULL);
    for (int i = 0; i < n; i++) {
        double q[4];
        lab_axis_angle(1, 0.3 * i, 0.2, 29 + 57 * i, q);
        lab_add_box(w, "needle", LAB_DYNAMIC, 1, 0.001, 0.001, 0, 0, 0.6 + 0.12 * i, q);
    }
}

/* A cube settles on four cubes of a thousandth of its size, of the same mass: with the same density
 * a tilt of 1e-10 would squeeze the small ones out, as there is no friction. */
static void build_size_ratio(lab_world *w)
{
    floor_plane(w);
    for (int i = 0; i < 4; i++)
        lab_mass(cube(w, 0.001, i % 2 ? 0.4 : -0.4, i / 2 ? 0.4 : -0.4, 0.0005), 1);
    lab_mass(lab_add_box(w, "load", LAB_DYNAMIC, 1, 1, 1, 0, 0, 0.502, NULL), 1);
}

/* A cube of a thousand times the mass between two others. */
static void build_mass_ratio(lab_world *w)
{
    floor_plane(w);
    cube(w, 1, 0, 0, 0.5);
    lab_mass(cube(w, 1, 0.1, 0, 1.5), 1e6);
    cube(w, 1, 0, 0, 2.5);
}

/* ---- little room ---------------------------------------------------------------------------- */

static void build_closing_walls(lab_world *w)
{
    for (int side = -1; side <= 1; side += 2) {
        lab_body *wall = lab_add_box(w, "wall", LAB_KINEMATIC, 1, 4, 6, side * 1.1, 0, -1, NULL);
        lab_velocity(wall, (double[3]){-side * 0.5, 0, 0}, NULL);
    }
    cube(w, 1, 0, 0, 0);
}

static void build_peg_in_hole(lab_world *w)
{
    double half = 0.5 + lab_key_number(w, "clearance", 1e-3, 0, 1) / 2, at = half + 0.5;
    for (int side = -1; side <= 1; side += 2) {
        lab_add_box(w, "wall", LAB_STATIC, 1, 4, 2, side * at, 0, 0, NULL);
        lab_add_box(w, "wall", LAB_STATIC, 2 * half, 1, 2, 0, side * at, 0, NULL);
    }
    lab_add_box(w, "peg", LAB_DYNAMIC, 1, 1, 1, 0, 0, 1.5001, NULL);
}

/* ---- interlocked ---------------------------------------------------------------------------- */

/* A hook of thickness t: crossbar along x (or y) with a long and a short leg, opening downwards
 * (sense -1) or upwards (1). The frame's origin is the middle of the crossbar. */
static lab_body *add_hook(lab_world *w, const char *name, lab_kind kind, double z, int along,
                          int sense)
{
    const double t = 0.1, span = 0.6, leg[2] = {0.5, 0.15};
    lab_body *body = lab_add(w, name, kind, (double[3]){0, 0, z}, NULL);
    double sides[3] = {t, t, t}, x[3] = {0, 0, 0};
    sides[along] = span;
    lab_box(body, sides, NULL, NULL);
    sides[along] = t;
    for (int i = 0; i < 2; i++) {
        sides[2] = leg[i];
        x[along] = (i ? 1 : -1) * (span - t) / 2;
        x[2] = sense * (t + leg[i]) / 2;
        lab_box(body, sides, x, NULL);
    }
    return body;
}

/* A hook drops by 1 mm into a fixed one that is turned the other way, and swings there. */
static void build_hook(lab_world *w)
{
    add_hook(w, "fixed hook", LAB_STATIC, 0, 0, 1);
    add_hook(w, "hook", LAB_DYNAMIC, 0.101, 1, -1);
}

/* One link: a frame of four bars of thickness .08, .4 wide along axis `along` and .58 high. */
static lab_body *add_link(lab_world *w, lab_kind kind, double z, int along)
{
    lab_body *link = lab_add(w, "link", kind, (double[3]){0, 0, z}, NULL);
    double bar[3] = {0.08, 0.08, 0.08}, post[3] = {0.08, 0.08, 0.42};
    bar[along] = 0.4;
    for (int side = -1; side <= 1; side += 2) {
        double x[3] = {0, 0, 0};
        lab_box(link, bar, (double[3]){0, 0, side * 0.25}, NULL);
        x[along] = side * 0.16;
        lab_box(link, post, x, NULL);
    }
    return link;
}

/* The uppermost link is fixed, the lowest gets a kick. */
static void build_links(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 10, 2, 1000);
    lab_body *last = NULL;
    for (int i = 0; i < n; i++) last = add_link(w, i ? LAB_DYNAMIC : LAB_STATIC, -0.415 * i, i % 2);
    lab_velocity(last, (double[3]){2, 1, 0}, NULL);
}

/* A round bar of radius .1 bent to two half circles of radius .4 about (0, +-.25, 0), in rings. */
enum { RINGS = 22, SIDES = 10, RING_VERTICES = RINGS * SIDES, RING_TRIANGLES = 2 * RING_VERTICES };

typedef struct ring_mesh {
    double vertex[RING_VERTICES][3];
    int triangle[RING_TRIANGLES][3];
} ring_mesh;

static void set_ring_mesh(ring_mesh *m)
{
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < SIDES; j++) {
            int half = i < RINGS / 2, right = (j + 1) % SIDES, next = (i + 1) % RINGS * SIDES;
            double a = M_PI * (i % (RINGS / 2)) / (RINGS / 2 - 1) + (half ? 0 : M_PI);
            double b = 2 * M_PI * j / SIDES, out = .4 + .1 * cos(b), *x = m->vertex[i * SIDES + j];
            x[0] = out * cos(a);
            x[1] = out * sin(a) + (half ? .25 : -.25);
            x[2] = .1 * sin(b);
            int corner[4] = {i * SIDES + j, next + j, next + right, i * SIDES + right};
            for (int k = 0; k < 3; k++) {
                m->triangle[2 * (i * SIDES + j)][k] = corner[k];
                m->triangle[2 * (i * SIDES + j) + 1][k] = corner[(k + 2) % 4];
            }
        }
}

/* A net of rings that others link along x and y, n to a side; its rim is fixed. */
static void build_chain_net(lab_world *w)
{
    int n = lab_key_whole(w, "n", 4, 3, 40);
    double lying[4], along_x[4], along_y[4];
    ring_mesh m;
    set_ring_mesh(&m);
    lab_axis_angle(0, 0, 1, 90, lying);
    lab_axis_angle(1, 1, 1, 240, along_x);
    lab_axis_angle(0, 1, 0, 90, along_y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int rim_x = i == 0 || i == n - 1, rim_y = j == 0 || j == n - 1;
            double x = 1.65 * i, y = 1.6 * j;
            if (rim_x && rim_y) continue;
            struct {
                int is_there;
                double x[3], *q;
            } ring[3] = {{1, {x, y, 0}, lying},
                         {i < n - 1 && !rim_y, {x + .825, y, 0}, along_x},
                         {j < n - 1 && !rim_x, {x, y + .8, 0}, along_y}};
            for (int k = 0; k < 3; k++) {
                if (!ring[k].is_there) continue;
                lab_kind kind = k == 0 && (rim_x || rim_y) ? LAB_STATIC : LAB_DYNAMIC;
                lab_body *body = lab_add(w, "ring", kind, ring[k].x, ring[k].q);
                lab_density(body, 7680);
                lab_trimesh(body, (const double(*)[3])m.vertex, RING_VERTICES,
                            (const int(*)[3])m.triangle, RING_TRIANGLES, NULL, NULL);
            }
        }
}

/* ---- bad from the start --------------------------------------------------------------------- */

/* One cube sunk .01 into the floor, another .1 into the first. */
static void build_overlap_start(lab_world *w)
{
    floor_plane(w);
    cube(w, 1, 0, 0, 0.49);
    cube(w, 1, 0.2, 0.1, 1.39);
}

const lab_scene lab_scenes_extreme[] = {
    LAB_SCENE(needles, "needles", 1, "a heap of needles, 1:1000 (bodies=)"),
    LAB_SCENE(size_ratio, "size-ratio", 2, "a cube on four cubes a thousandth its size"),
    LAB_SCENE(mass_ratio, "mass-ratio", 2,
              "a cube of a thousand times the mass between two others"),
    LAB_SCENE(closing_walls, "closing-walls", 0.5, "two moving walls squeeze a falling block"),
    LAB_SCENE(peg_in_hole, "peg-in-hole", 0.6, "a block slides into a square hole (clearance= m)"),
    LAB_SCENE(hook, "hook", 1, "a hook drops into a hook and swings"),
    LAB_SCENE(links, "links", 1, "a chain of interlocked links, kicked (bodies=)"),
    LAB_SCENE(chain_net, "chain-net", 1,
              "a net of linked rings, 440 triangles each, falls into its links (n=)"),
    LAB_SCENE(overlap_start, "overlap-start", 2, "cubes that start with overlaps of .01 and .1"),
    LAB_SCENES_END,
};
