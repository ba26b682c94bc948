/* What ODE's demos boxstack, moving convex, moving trimesh, heightfield and motion show: things of
 * all shapes dropped on a heap, one after the other. The keys that drop them are pressed by the
 * scene. Steps, gravity and surfaces are those of the demos. */
#include "demos/world/scene.h"

#include <math.h>
#include <stdio.h>

#define DENSITY 5

static const double Z[3] = {0, 0, 1};

static double between(lab_world *w, double low, double high)
{
    return low + (high - low) * lab_random(w);
}

/* ---- things ---------------------------------------------------------------------------------- */

/* A regular solid of 20 triangles. */
static void icosahedron(lab_body *body, double radius)
{
    double point[12][3], g = .5 * (1 + sqrt(5)), unit = radius / sqrt(1 + g * g);
    for (int i = 0; i < 12; i++) {
        int axis = i / 4;
        point[i][axis] = 0;
        point[i][(axis + 1) % 3] = i & 1 ? unit : -unit;
        point[i][(axis + 2) % 3] = i & 2 ? g * unit : -g * unit;
    }
    lab_hull(body, (const double(*)[3])point, 12, NULL, NULL);
}

/* A prism with n sides whose top is smaller than its base. */
static void frustum(lab_body *body, int n, double base, double top, double height)
{
    double point[32][3];
    for (int i = 0; i < 2 * n; i++) {
        double angle = 2 * acos(-1) * (i % n) / n, r = i < n ? base : top;
        point[i][0] = r * cos(angle);
        point[i][1] = r * sin(angle);
        point[i][2] = i < n ? -.5 * height : .5 * height;
    }
    lab_hull(body, (const double(*)[3])point, 2 * n, NULL, NULL);
}

/* A ring of the given radii: a mesh that is not convex anywhere inside. */
enum { RING = 14, TUBE = 8 };

static void torus(lab_body *body, double ring, double tube)
{
    double point[RING * TUBE][3], turn = 2 * acos(-1);
    int triangle[2 * RING * TUBE][3], nt = 0;
    for (int i = 0; i < RING; i++)
        for (int j = 0; j < TUBE; j++) {
            double out = ring + tube * cos(turn * j / TUBE), *p = point[TUBE * i + j];
            p[0] = out * cos(turn * i / RING);
            p[1] = out * sin(turn * i / RING);
            p[2] = tube * sin(turn * j / TUBE);
            int next = TUBE * ((i + 1) % RING), up = (j + 1) % TUBE;
            int corner[4] = {TUBE * i + j, next + j, next + up, TUBE * i + up};
            for (int half = 0; half < 2; half++, nt++) {
                triangle[nt][0] = corner[0];
                triangle[nt][1] = corner[1 + half], triangle[nt][2] = corner[2 + half];
            }
        }
    lab_trimesh(body, (const double(*)[3])point, RING * TUBE, (const int(*)[3])triangle, nt, NULL,
                NULL);
}

/* An octahedron with a spike on each of its faces. */
static void star(lab_body *body, double inner, double spike)
{
    double point[14][3];
    int triangle[24][3], nt = 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) point[i][k] = k == i / 2 ? (i % 2 ? inner : -inner) : 0;
    for (int f = 0; f < 8; f++) {
        int corner[3], signs = 0;
        for (int k = 0; k < 3; k++) {
            corner[k] = 2 * k + (f >> k & 1);
            signs += f >> k & 1;
            point[6 + f][k] = (f >> k & 1 ? spike : -spike) / sqrt(3);
        }
        for (int k = 0; k < 3;
             k++, nt++) { /* counter-clockwise in an odd number of positive signs */
            triangle[nt][0] = corner[k];
            triangle[nt][signs % 2 ? 1 : 2] = corner[(k + 1) % 3];
            triangle[nt][signs % 2 ? 2 : 1] = 6 + f;
        }
    }
    lab_trimesh(body, (const double(*)[3])point, 14, (const int(*)[3])triangle, nt, NULL, NULL);
}

/* A ball, a box and a rod in one body. */
static void composite(lab_body *body, const double side[3])
{
    double q[4];
    lab_axis_angle(0, 1, 0, 90, q);
    lab_sphere(body, .35 * side[0], (double[3]){.3 + .35 * side[0], 0, 0});
    lab_capsule(body, .06, .4, NULL, q);
    lab_box(body, (double[3]){.2, .5 * side[1] + .1, side[2]}, (double[3]){-.36, 0, 0}, NULL);
}

/* The thing that a key of the demos drops: box, sphere, capsule, cYlinder, conVex, composite (X),
 * mesh (M). */
static void thing(lab_world *w, lab_body *body, char key)
{
    double side[3], pick = lab_random(w);
    for (int k = 0; k < 3; k++) side[k] = between(w, .1, .6);
    switch (key) {
    case 'b':
        lab_box(body, side, NULL, NULL);
        break;
    case 's':
        lab_sphere(body, .5 * side[0], NULL);
        break;
    case 'c':
        lab_capsule(body, .5 * side[0], side[1], NULL, NULL);
        break;
    case 'y':
        lab_cylinder(body, .5 * side[0], side[1], NULL, NULL);
        break;
    case 'x':
        composite(body, side);
        break;
    case 'm':
        if (pick < .5)
            torus(body, .25 + .2 * side[0], .08 + .1 * side[1]);
        else
            star(body, .15 + .1 * side[0], .3 + .3 * side[1]);
        break;
    default:
        if (pick < .4)
            icosahedron(body, .2 + .3 * side[0]);
        else if (pick < .7)
            frustum(body, 3 + (int)(6 * side[1]), .2 + .3 * side[0], .1 + .2 * side[2],
                    side[1] + .1);
        else
            lab_random_hull(w, body);
    }
    lab_density(body, DENSITY);
}

/* Presses the keys in turn, the first at t = 0, `pause` s apart; x: where the heap is at t = 0, v:
 * how it moves. */
static void drop_things(lab_world *w, const char *keys, int usual, double pause, const double x[3],
                        const double v[3])
{
    int count = lab_key_whole(w, "bodies", usual, 1, 1000);
    for (int i = 0, at = 0; i < count; i++) {
        double q[4], place[3], t = pause * i;
        char name[32], key = keys[at++];
        if (!keys[at]) at = 0;
        for (int k = 0; k < 3; k++)
            place[k] = x[k] + v[k] * t + (k < 2 ? between(w, -1, 1) : between(w, 0, 1));
        lab_random_rotation(w, q);
        snprintf(name, sizeof name, "%c%d", key, i + 1);
        lab_body *body = lab_add(w, name, LAB_DYNAMIC, place, q);
        thing(w, body, key);
        lab_enter(body, t, .3);
    }
}

static const double still[3] = {0, 0, 0}, above[3] = {0, 0, 2};

/* ---- heaps on the ground ----------------------------------------------------------------------
 */

static void set_bouncing(lab_world *w)
{
    lab_surface(w, &(dSurfaceParameters){.mode = dContactBounce | dContactSoftCFM,
                                         .mu = dInfinity,
                                         .bounce = .1,
                                         .bounce_vel = .1,
                                         .soft_cfm = .01});
}

static void tune_boxstack(dWorldID world, double scale)
{
    dWorldSetCFM(world, 1e-5 * pow(scale, -3));
    dWorldSetAutoDisableFlag(world, 1);
    dWorldSetAutoDisableLinearThreshold(world, scale * dWorldGetAutoDisableLinearThreshold(world));
    dWorldSetAutoDisableAverageSamplesCount(world, 10);
    dWorldSetLinearDamping(world, .00001);
    dWorldSetAngularDamping(world, .005);
    dWorldSetMaxAngularSpeed(world, 200);
    dWorldSetContactMaxCorrectingVel(world, .1 * scale);
    dWorldSetContactSurfaceLayer(world, .001 * scale);
}

static void build_boxstack(lab_world *w)
{
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 8);
    set_bouncing(w);
    lab_tune(w, tune_boxstack);
    lab_view(w, (double[3]){-2, -2, 0}, (double[3]){2, 2, 1});
    lab_plane(w, "ground", Z, 0);
    drop_things(w, "bscyvx", 36, 1, above, still);
}

static void tune_plain(dWorldID world, double scale)
{
    dWorldSetCFM(world, 1e-5 * pow(scale, -3));
}

static void build_convex(lab_world *w)
{
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 8);
    set_bouncing(w);
    lab_tune(w, tune_plain);
    lab_view(w, (double[3]){-2, -2, 0}, (double[3]){2, 2, 1});
    lab_plane(w, "ground", Z, 0);
    drop_things(w, "v", 30, 1, above, still);
}

/* Two meshes stand on the ground, others fall on them. */
static void build_trimesh(lab_world *w)
{
    double q[4];
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 64);
    set_bouncing(w);
    lab_tune(w, tune_plain);
    lab_view(w, (double[3]){-1.6, -1.5, 0}, (double[3]){1.6, 1.5, 1.4});
    lab_plane(w, "ground", Z, 0);
    lab_axis_angle(1, 0, 0, 90, q);
    torus(lab_add(w, "ring", LAB_STATIC, (double[3]){-.6, 0, .7}, q), .5, .16);
    star(lab_add(w, "star", LAB_STATIC, (double[3]){.7, 0, .5}, NULL), .3, .7);
    drop_things(w, "mbmsmcmvmy", 24, 1.5, above, still);
}

/* ---- heightfield ------------------------------------------------------------------------------
 */

static void tune_heightfield(dWorldID world, double scale)
{
    tune_boxstack(world, scale);
    dWorldSetLinearDamping(world, 0);
    dWorldSetAngularDamping(world, 0);
    dWorldSetMaxAngularSpeed(world, dInfinity);
    dWorldSetAutoDisableAverageSamplesCount(world, 1);
}

/* A valley between hills, 4 m x 8 m, 15 x 31 samples, and a plane that catches what leaves it. */
static void build_heightfield(lab_world *w)
{
    enum { NX = 15, NY = 31 };
    double height[NX * NY];
    lab_gravity(w, 0, 0, -.05);
    lab_contacts(w, 8);
    set_bouncing(w);
    lab_tune(w, tune_heightfield);
    lab_view(w, (double[3]){-2, -4, 0}, (double[3]){2, 4, 1});
    lab_plane(w, "plane", Z, 0);
    for (int i = 0; i < NX * NY; i++) {
        double x = i % NX / (NX - 1.) - .5, y = i / NX / (NY - 1.) - .5;
        height[i] = .6 + 2.4 * (x * x + y * y) + .15 * sin(19 * x) * cos(14 * y);
    }
    lab_heightfield(lab_add(w, "hills", LAB_STATIC, NULL, NULL), (double[2]){4, 8},
                    (int[2]){NX, NY}, height, NULL, NULL);
    drop_things(w, "bscyvx", 18, 1, above, still);
}

/* ---- motion -----------------------------------------------------------------------------------
 */

/* A platform that has no body is moved by the program; things ride on it because contacts with it
 * ask for its velocity. */
static const double lift[3] = {.2, .1, .25};

static int motion_surface(lab_world *w, lab_body *a, lab_body *b, dSurfaceParameters *surface,
                          double fdir1[3])
{
    lab_body *platform = lab_body_at(w, 1);
    if (a != platform && b != platform) return 1;
    /* The normal is taken to point up; of a touch at its sides it does not, but there only things
     * that have missed the platform are. */
    surface->mode |= dContactMotion1 | dContactMotion2 | dContactMotionN | dContactFDir1;
    fdir1[0] = 1;
    surface->motion1 = lift[0], surface->motion2 = lift[1], surface->motionN = lift[2];
    return 1;
}

static void tune_motion(dWorldID world, double scale)
{
    tune_boxstack(world, scale);
    dWorldSetAutoDisableFlag(world, 0);
    dWorldSetContactMaxCorrectingVel(world, dInfinity);
}

static void build_motion(lab_world *w)
{
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 8);
    lab_surface(w, &(dSurfaceParameters){
                       .mode = dContactBounce, .mu = 1, .bounce = .25, .bounce_vel = .01});
    lab_pair_surfaces(w, motion_surface);
    lab_tune(w, tune_motion);
    lab_plane(w, "ground", Z, 0);
    lab_add_box(w, "platform", LAB_STATIC, 4, 4, 1, 0, 0, 0, NULL);
    drop_things(w, "bscy", 16, 2, above, lift);
}

static void move_platform(lab_world *w, double t)
{
    lab_move(lab_body_at(w, 1), (double[3]){lift[0] * t, lift[1] * t, lift[2] * t}, NULL);
}

const lab_scene lab_scenes_demo_drop[] = {
    LAB_SCENE_OF("demo-boxstack", "ODE's demo: things of all shapes dropped on a heap (bodies=)",
                 .02, 60, build_boxstack, NULL),
    LAB_SCENE_OF("demo-convex", "ODE's demo: convex polyhedra dropped on a heap (bodies=)", .05, 60,
                 build_convex, NULL),
    LAB_SCENE_OF("demo-trimesh", "ODE's demo: meshes and others dropped on two meshes (bodies=)",
                 .05, 60, build_trimesh, NULL),
    LAB_SCENE_OF("demo-heightfield", "ODE's demo: things dropped into a valley (bodies=)", .05, 60,
                 build_heightfield, NULL),
    LAB_SCENE_OF("demo-motion", "ODE's demo: things ride on a platform that rises (bodies=)", .02,
                 60, build_motion, move_platform),
    LAB_SCENES_END,
};
