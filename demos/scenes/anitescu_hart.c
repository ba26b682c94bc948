/* The scenes of Anitescu and Hart 2007: balance2, pyramid1, dice3 and setup6. The slides give
 * frames but no parameter: sizes, places, gaps and speeds are ours. The seed perturbs every body;
 * no two overlap at the start. */
#include <math.h>

#include "demos/world/scene.h"

static double uniform(lab_world *w, double low, double high)
{
    return low + (high - low) * lab_random(w);
}

/* A turn by at most `most` rad about an axis of any direction. */
static void small_turn(lab_world *w, double most, double q[4])
{
    double axis[3], square;
    do {
        square = 0;
        for (int k = 0; k < 3; k++) {
            axis[k] = uniform(w, -1, 1);
            square += axis[k] * axis[k];
        }
    } while (square > 1 || square < 1e-3);
    lab_axis_angle(axis[0], axis[1], axis[2], most * sqrt(square) * 45 / atan(1), q);
}

static lab_body *add_cube(lab_world *w, const char *name, double side, double x, double y, double z,
                          const double *q)
{
    lab_body *body = lab_add_box(w, name, LAB_DYNAMIC, side, side, side, x, y, z, q);
    lab_mass(body, 1);
    return body;
}

static void add_floor(lab_world *w)
{
    lab_plane(w, "floor", (double[3]){0, 0, 1}, 0);
}

/* ---- balance2 -------------------------------------------------------------------------------- */

/* A plank on a cube, a cube on one of its ends, and one that falls on the other. */
static void build_balance(lab_world *w)
{
    double q[4], p[4], turn[4];
    lab_friction(w, .3);
    add_floor(w);
    lab_body *fulcrum = add_cube(w, "fulcrum", .5, 0, 0, .251, NULL);
    lab_mass(fulcrum, 2);
    lab_body *plank = lab_add_box(w, "plank", LAB_DYNAMIC, 4, .5, .2, uniform(w, -.01, .01), 0,
                                  .501 + .002 + .1, NULL);
    lab_mass(plank, 1);
    double top = .501 + .002 + .2;
    lab_axis_angle(0, 0, 1, uniform(w, -3, 3), turn);
    add_cube(w, "resting", .5, -1.6 + uniform(w, -.02, .02), 0, top + .008 + .25, turn);
    lab_axis_angle(1, 0, 0, .05 * 45 / atan(1), q);
    lab_axis_angle(0, 1, 0, (.1 + uniform(w, -.02, .02)) * 45 / atan(1), p);
    double both[4] = {
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    };
    add_cube(w, "falling", .5, 1.6 + uniform(w, -.02, .02), 0, top + .3 + .25, both);
}

/* ---- pyramid1 -------------------------------------------------------------------------------- */

static void build_pyramid(lab_world *w)
{
    lab_friction(w, .3);
    add_floor(w);
    double z = 0;
    for (int row = 3; row >= 1; row--) {
        z += .04;
        for (int i = 0; i < row; i++) {
            double q[4];
            small_turn(w, .02, q);
            add_cube(w, "cube", 1, 1.1 * (i - .5 * (row - 1)), 0, z + .5 - uniform(w, 0, .01), q);
        }
        z += 1;
    }
}

/* ---- dice3 ----------------------------------------------------------------------------------- */

static void build_dice(lab_world *w)
{
    lab_friction(w, .3);
    add_floor(w);
    for (int i = 0; i < 3; i++) {
        double q[4], spin[3];
        lab_random_rotation(w, q);
        lab_body *die = add_cube(w, "die", 1, 1.9 * (i - 1), 0, 1.2 + .3 * i, q);
        double v[3] = {-.6 * (i - 1) + uniform(w, -1, 1), uniform(w, -1, 1), -1};
        for (int k = 0; k < 3; k++) spin[k] = uniform(w, -4, 4);
        lab_velocity(die, v, spin);
    }
}

/* ---- setup6 ---------------------------------------------------------------------------------- */

/* n corners on a circle about the z axis, the first at `angle` degrees. */
static int ring(double (*p)[3], int n, double radius, double angle, double z)
{
    for (int i = 0; i < n; i++) {
        double at = (angle + 360. * i / n) * atan(1) / 45;
        p[i][0] = radius * cos(at), p[i][1] = radius * sin(at), p[i][2] = z;
    }
    return n;
}

static int shape_of(int kind, double (*p)[3])
{
    int n = 0;
    switch (kind) {
    case 0: /* cube */
        n = ring(p, 4, .25 * sqrt(2), 45, 0);
        return n + ring(p + n, 4, .25 * sqrt(2), 45, .5);
    case 1: /* tetrahedron, edge .6 */
        n = ring(p, 3, .6 / sqrt(3), 0, 0);
        p[n][0] = p[n][1] = 0, p[n][2] = .6 * sqrt(2. / 3);
        return n + 1;
    case 2: /* octahedron on a face, edge .5 */
        n = ring(p, 3, .5 / sqrt(3), 0, 0);
        return n + ring(p + n, 3, .5 / sqrt(3), 60, .5 * sqrt(2. / 3));
    case 3: /* hexagonal prism */
        n = ring(p, 6, .25, 30, 0);
        return n + ring(p + n, 6, .25, 30, .4);
    case 4: /* wedge */
        n = ring(p, 4, .25 * sqrt(2), 45, 0);
        for (int side = 0; side < 2; side++, n++)
            p[n][0] = -.25, p[n][1] = .5 * side - .25, p[n][2] = .3;
        return n;
    default: /* plank, upright */
        for (n = 0; n < 8; n++) {
            p[n][0] = n & 1 ? .05 : -.05, p[n][1] = n & 2 ? .25 : -.25, p[n][2] = n & 4 ? .8 : 0;
        }
        return n;
    }
}

static void build_setup(lab_world *w)
{
    static const char *const names[] = {"cube",  "tetrahedron", "octahedron",
                                        "prism", "wedge",       "plank"};
    lab_friction(w, .2);
    lab_plane(w, "table", (double[3]){0, 0, 1}, 0);
    double x = 0;
    for (int kind = 0; kind < 6; kind++) {
        double p[16][3], q[4], low = 0, high = 0;
        int n = shape_of(kind, p);
        for (int i = 0; i < n; i++) low = fmin(low, p[i][0]), high = fmax(high, p[i][0]);
        lab_axis_angle(0, 0, 1, uniform(w, -1.5, 1.5), q);
        lab_body *body = lab_add(w, names[kind], LAB_DYNAMIC,
                                 (double[3]){x - low, uniform(w, -.02, .02), .001}, q);
        lab_hull(body, (const double(*)[3])p, n, NULL, NULL);
        lab_mass(body, 1);
        x += high - low + .05;
    }
    lab_body *thrown =
        lab_add_box(w, "thrown", LAB_DYNAMIC, .5, .5, .5, -.75, uniform(w, -.05, .05), .27, NULL);
    lab_mass(thrown, 5);
    lab_velocity(thrown, (double[3]){3, 0, 0}, NULL);
}

const lab_scene lab_scenes_anitescu_hart[] = {
    LAB_SCENE_OF("balance2", "a plank on a cube, hit by a falling cube", .005, 2, build_balance,
                 NULL),
    LAB_SCENE_OF("pyramid1", "six cubes settle as a pyramid", .005, 2, build_pyramid, NULL),
    LAB_SCENE_OF("dice3", "three dice collide and fall", .005, 1.5, build_dice, NULL),
    LAB_SCENE_OF("setup6", "a cube is thrown along a row of six shapes", .005, 2, build_setup,
                 NULL),
    LAB_SCENES_END,
};
