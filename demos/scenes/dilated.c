/* Meshes with a radius that fit into each other: threads, races, holes, what lies around what [M].
 * What they must show is checked in demos/checks/dilated.c. */
#include "demos/world/scene.h"

#include <math.h>
#include <stdlib.h>

/* --- surfaces --- */

/* A grid of points with two triangles between each four. */
typedef struct surface {
    double (*point)[3];
    int (*triangle)[3];
    int points, triangles, room;
} surface;

static surface begin_surface(lab_body *body, int room)
{
    surface s = {.room = room};
    if (!body) return s;
    s.point = calloc((size_t)room, sizeof *s.point);
    s.triangle = calloc(4 * (size_t)room, sizeof *s.triangle);
    if (!s.point || !s.triangle) s.room = 0;
    return s;
}

static int add_point(surface *s, double x, double y, double z)
{
    if (s->points >= s->room) return 0;
    double *p = s->point[s->points];
    p[0] = x, p[1] = y, p[2] = z;
    return s->points++;
}

static void add_triangle(surface *s, int a, int b, int c)
{
    if (s->triangles >= 4 * s->room) return;
    int *t = s->triangle[s->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void add_square(surface *s, int a, int b, int c, int d)
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

static void end_surface(surface *s, lab_body *body, double radius)
{
    if (s->points)
        lab_trimesh(body, (const double(*)[3])s->point, s->points, (const int(*)[3])s->triangle,
                    s->triangles, NULL, NULL);
    if (s->points && radius > 0) lab_radius(body, radius);
    free(s->point);
    free(s->triangle);
}

/* A closed line of n places, (radius, height) counter-clockwise in a plane through the axis z,
 * turned about that: a ring. */
static void add_ring(lab_body *body, const double (*line)[2], int n, int sides, double radius)
{
    surface s = begin_surface(body, n * sides);
    double turn = 2 * acos(-1);
    for (int i = 0; i < sides; i++)
        for (int k = 0; k < n; k++) {
            double a = turn * i / sides;
            add_point(&s, line[k][0] * cos(a), line[k][0] * sin(a), line[k][1]);
        }
    for (int i = 0; i < sides; i++)
        for (int k = 0; k < n; k++) {
            int j = (i + 1) % sides, m = (k + 1) % n;
            add_square(&s, i * n + k, j * n + k, j * n + m, i * n + m);
        }
    end_surface(&s, body, radius);
}

/* An octahedron whose edges are cut into 2^levels, on a sphere. */
static int middle(surface *s, int a, int b, double r)
{
    double m[3], length = 0;
    for (int k = 0; k < 3; k++) m[k] = s->point[a][k] + s->point[b][k], length += m[k] * m[k];
    for (int k = 0; k < 3; k++) m[k] *= r / sqrt(length);
    for (int i = 0; i < s->points; i++) {
        double d = 0;
        for (int k = 0; k < 3; k++) d = fmax(d, fabs(m[k] - s->point[i][k]));
        if (d < 1e-9 * r) return i;
    }
    return add_point(s, m[0], m[1], m[2]);
}

static void divide(surface *s, int a, int b, int c, int levels, double r)
{
    if (levels == 0) {
        add_triangle(s, a, b, c);
        return;
    }
    int ab = middle(s, a, b, r), bc = middle(s, b, c, r), ca = middle(s, c, a, r);
    divide(s, a, ab, ca, levels - 1, r);
    divide(s, ab, b, bc, levels - 1, r);
    divide(s, ca, bc, c, levels - 1, r);
    divide(s, ab, bc, ca, levels - 1, r);
}

/* A ball of radius r in all. */
static void add_ball(lab_body *body, double r, int levels, double radius)
{
    static const int face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    surface s = begin_surface(body, 3 + (4 << (2 * levels)) * 2);
    for (int i = 0; i < 6; i++) {
        double x[3] = {0};
        x[i / 2] = i % 2 ? radius - r : r - radius;
        add_point(&s, x[0], x[1], x[2]);
    }
    for (int i = 0; i < 8 && s.room; i++)
        divide(&s, face[i][0], face[i][1], face[i][2], levels, r - radius);
    end_surface(&s, body, radius);
}

/* --- bolt in nut --- */

/* A thread of m points a pitch: a sheet that winds about z, `turns` pitches long. Its points lie on
 * the same lines for the bolt and for the nut. */
static void add_thread(lab_body *body, double radius, double depth, double pitch, double turns,
                       double round)
{
    enum { SIDES = 32, POINTS = 8 };
    int rows = (int)nearbyint(turns * POINTS) + 1;
    surface s = begin_surface(body, rows * SIDES);
    double turn = 2 * acos(-1);
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k < rows; k++) {
            double at = (double)(k % POINTS) / POINTS, a = turn * i / SIDES;
            double r = radius + depth * (.5 - fabs(2 * at - 1));
            double z = pitch * ((double)k / POINTS + (double)i / SIDES - ceil(.5 * turns));
            add_point(&s, r * cos(a), r * sin(a), z);
        }
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k + 1 < rows; k++) {
            int last = i + 1 == SIDES, up = last ? POINTS : 0, j = last ? 0 : i + 1;
            if (k + 1 + up >= rows) continue;
            add_square(&s, i * rows + k, j * rows + k + up, j * rows + k + up + 1,
                       i * rows + k + 1);
        }
    end_surface(&s, body, round);
}

/* A bolt turns down through a nut by its weight: both are sheets, .4 mm thick, of 8 points a pitch
 * and 32 a turn, the bolt 1 mm inside of the nut. Facets that fit into each other hold it unless
 * the thread falls faster than they do: pitch / 2 pi r > pi / 32 . pitch / 2 depth. */
static void build_bolt_nut(lab_world *w)
{
    double round = 2e-4, gap = lab_key_number(w, "clearance", 1e-3, 0, .02),
           pitch = lab_key_number(w, "pitch", .08, .01, 1);
    lab_friction(w, 0);
    lab_body *nut = lab_add(w, "nut", LAB_STATIC, NULL, NULL);
    add_thread(nut, .05 + gap + 2 * round, .024, pitch, 2, round);
    lab_body *bolt = lab_add(w, "bolt", LAB_DYNAMIC, NULL, NULL);
    lab_shell(bolt, 2 * round);
    add_thread(bolt, .05, .024, pitch, 3, round);
}

/* --- ball bearing --- */

enum { LINE = 12 };

/* The line of a race with a groove about (at, 0): of the inner one (side 1) or outer one (-1). */
static void race_line(double at, double groove, double thick, int side, double line[LINE][2])
{
    double pi = acos(-1), high = groove * cos(.2 * pi), back = at - side * (groove + thick);
    for (int k = 0; k < LINE - 2; k++) {
        double a = pi * (.5 + .6 * ((double)k / (LINE - 3) - .5));
        line[k][0] = at - side * groove * sin(a);
        line[k][1] = groove * cos(a) * -side;
    }
    line[LINE - 2][0] = line[LINE - 1][0] = back;
    line[LINE - 2][1] = side * high, line[LINE - 1][1] = -side * high;
}

/* A shaft with the inner race turns; balls of meshes roll between the races. */
static void build_ball_bearing(lab_world *w)
{
    int balls = lab_key_whole(w, "balls", 7, 1, 12);
    double line[LINE][2], round = 1e-3, ball = .05, groove = .056, at = .2;
    double speed = lab_key_number(w, "speed", 5, -LAB_SPEED_MAX, LAB_SPEED_MAX),
           turn = 2 * acos(-1);
    lab_friction(w, .3);
    lab_body *outer = lab_add(w, "outer", LAB_STATIC, NULL, NULL);
    race_line(at, groove + round, .03, -1, line);
    add_ring(outer, (const double(*)[2])line, LINE, 48, round);
    lab_body *inner = lab_add(w, "inner", LAB_DYNAMIC, NULL, NULL);
    race_line(at, groove + round, .03, 1, line);
    add_ring(inner, (const double(*)[2])line, LINE, 48, round);
    lab_velocity(inner, NULL, (double[3]){0, 0, speed});
    for (int i = 0; i < balls; i++) {
        double a = turn * i / balls, q[4], x[3] = {at * cos(a), at * sin(a), 0};
        lab_random_rotation(w, q);
        add_ball(lab_add(w, "ball", LAB_DYNAMIC, x, q), ball, 2, 5 * round);
    }
    if (lab_key_flag(w, "axle", 1))
        lab_join(w, LAB_HINGE, inner, NULL, (double[3]){0}, (double[3]){0, 0, 1}, NULL);
}

/* --- peg in a hole --- */

/* A peg of 24 sides, 20 mm in diameter, in a hole .01 mm wider on each side. */
static void build_peg_hole(lab_world *w)
{
    enum { SIDES = 24 };
    double gap = lab_key_number(w, "clearance", 1e-5, 0, .009), round = 5e-4, r = .01,
           deep = lab_key_number(w, "deep", .005, -1, .03);
    double block[4][2] = {{.02, -.03}, {.02, 0}, {r + gap + round, 0}, {r + gap + round, -.03}};
    double peg[4][2] = {{r - round, -.02}, {r - round, .02}, {2e-3, .02}, {2e-3, -.02}};
    lab_friction(w, lab_key_number(w, "friction", .1, 0, 1e9));
    lab_body *hole = lab_add(w, "hole", LAB_STATIC, NULL, NULL);
    add_ring(hole, (const double(*)[2])block, 4, SIDES, round);
    lab_body *body = lab_add(w, "peg", LAB_DYNAMIC, (double[3]){0, 0, .02 - deep}, NULL);
    add_ring(body, (const double(*)[2])peg, 4, SIDES, round);
    lab_add_box(w, "floor", LAB_STATIC, .1, .1, .01, 0, 0, -.04, NULL);
}

/* --- cable on a drum --- */

/* A cable of links, jointed rods, lies over a drum, a mesh with a radius; a weight at each end. The
 * weights are light: what hangs from a light link by a joint swings it too fast for the step. */
static void build_cable_drum(lab_world *w)
{
    enum { LINKS = 24 };
    double drum = .3, thick = .02, length = .1, turn = acos(-1);
    double line[4][2] = {{drum - .01, -.2}, {drum - .01, .2}, {.05, .2}, {.05, -.2}};
    double across[4], x[3] = {0}, end[2][3], q[4];
    lab_friction(w, .3);
    lab_axis_angle(1, 0, 0, 90, across);
    add_ring(lab_add(w, "drum", LAB_STATIC, NULL, across), (const double(*)[2])line, 4, 32, .01);
    lab_body *last = NULL;
    double around = 2 * asin(.5 * length / (drum + thick + .01)), r = drum + thick + .01;
    int on_drum = (int)(turn / around);
    double start = .5 * (turn + on_drum * around);
    for (int i = 0; i < LINKS; i++) {
        int over = i - (LINKS - on_drum) / 2;
        for (int k = 0; k < 2; k++) {
            int n = over + k;
            double a = start - around * (n < 0 ? 0 : n > on_drum ? on_drum : n);
            double down = n < 0 ? -n : n > on_drum ? n - on_drum : 0;
            end[k][0] = r * cos(a), end[k][1] = 0, end[k][2] = r * sin(a) - length * down;
        }
        for (int k = 0; k < 3; k++) x[k] = .5 * (end[0][k] + end[1][k]);
        lab_axis_angle(0, 1, 0,
                       atan2(end[1][0] - end[0][0], end[1][2] - end[0][2]) * 180 / acos(-1), q);
        lab_body *link = lab_add(w, "link", LAB_DYNAMIC, x, q);
        lab_capsule(link, thick, length, NULL, NULL);
        lab_mass(link, .5);
        if (last) lab_join(w, LAB_BALL, last, link, end[0], NULL, NULL);
        if (i == 0 || i == LINKS - 1) {
            double *at = end[i > 0], low[3] = {at[0], 0, at[2] - .1};
            lab_body *weight =
                lab_add_block(w, "weight", (double[3]){.1, .1, .1}, low,
                              i ? lab_key_number(w, "second", 1, LAB_MASS_MIN, LAB_MASS_MAX) : 1);
            lab_join(w, LAB_BALL, link, weight, at, NULL, NULL);
        }
        last = link;
    }
}

/* --- sheet over a ball --- */

/* A sheet of plates, meshes with a radius that are jointed at the middles of their sides, falls on
 * a ball, a mesh with a radius. */
static void build_sheet_ball(lab_world *w)
{
    enum { ROW = 5 };
    double side = .2, round = .01, high = .42;
    lab_body *plate[ROW][ROW];
    lab_friction(w, .4);
    lab_plane(w, "floor", (double[3]){0, 0, 1}, -.5);
    add_ball(lab_add(w, "ball", LAB_STATIC, NULL, NULL), .4, 3, .02);
    for (int i = 0; i < ROW; i++)
        for (int j = 0; j < ROW; j++) {
            double x = side * (i - .5 * (ROW - 1)), y = side * (j - .5 * (ROW - 1));
            double h = .5 * side - 1.3 * round;
            plate[i][j] = lab_add(w, "plate", LAB_DYNAMIC, (double[3]){x, y, high}, NULL);
            surface s = begin_surface(plate[i][j], 4);
            for (int k = 0; k < 4; k++) add_point(&s, k == 1 || k == 2 ? h : -h, k > 1 ? h : -h, 0);
            add_square(&s, 0, 1, 2, 3);
            lab_shell(plate[i][j], 2 * round);
            end_surface(&s, plate[i][j], round);
            double m[3] = {x - .5 * side, y, high};
            if (i) lab_join(w, LAB_BALL, plate[i - 1][j], plate[i][j], m, NULL, NULL);
            m[0] = x, m[1] = y - .5 * side;
            if (j) lab_join(w, LAB_BALL, plate[i][j - 1], plate[i][j], m, NULL, NULL);
        }
}

const lab_scene lab_scenes_dilated[] = {
    LAB_SCENE(bolt_nut, "bolt-nut", .5,
              "a bolt turns down through a nut, both sheets with a radius (clearance=, pitch=)"),
    LAB_SCENE(ball_bearing, "ball-bearing", 1,
              "balls of meshes between the races of a turning shaft (balls=, speed=, axle=, seed)"),
    LAB_SCENE(peg_hole, "peg-hole", .5,
              "a peg in a hole, meshes .01 mm apart (clearance=, deep=, friction=)"),
    LAB_SCENE(cable_drum, "cable-drum", 2,
              "a cable of 24 links over a drum, weights at its ends (second=)"),
    LAB_SCENE(sheet_ball, "sheet-ball", 2, "a sheet of 25 jointed plates falls on a ball"),
    LAB_SCENES_END,
};
