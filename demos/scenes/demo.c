/* What ODE's demos cards, friction, rolling friction, gyroscopic, tracks and basket show. Steps,
 * gravity and surfaces are those of the demos. */
#include "demos/world/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peg/base/math.h"

static const double Z[3] = {0, 0, 1};

static double radians(double degrees)
{
    return degrees * acos(-1) / 180;
}

/* ---- cards ------------------------------------------------------------------------------------
 */

#define CARD_LENGTH 1.0
#define CARD_WIDTH  .5
#define CARD_THICK  .02

static void add_card(lab_world *w, double length, double y, double z, double degrees)
{
    double q[4];
    lab_axis_angle(1, 0, 0, degrees, q);
    lab_body *card =
        lab_add_box(w, "card", LAB_DYNAMIC, CARD_WIDTH, CARD_THICK, length, 0, y, z, q);
    lab_density(card, 1);
}

/* A house of cards: on each level pairs that lean against each other by 20 degrees, and a flat card
 * over each two of them, cut to fit between its neighbours (the demo's overlap at the start).
 * Nothing touches at first: each level falls a little. */
static void build_cards(lab_world *w)
{
    int levels = lab_key_whole(w, "levels", 5, 1, 40);
    double slack = .01, lean = radians(20);
    double tall = CARD_LENGTH * cos(lean) + CARD_THICK * sin(lean);
    double half = .5 * (CARD_LENGTH * sin(lean) + CARD_THICK * cos(lean)); /* of a card's width */
    double apart = 4 * half + 2 * slack, storey = tall + CARD_THICK + 2 * slack;
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 8);
    lab_friction(w, 5);
    lab_plane(w, "table", Z, 0);
    for (int level = 0; level < levels; level++) {
        int pairs = levels - level;
        double low = level * storey + slack;
        for (int i = 0; i < pairs; i++) {
            double y = apart * (i - .5 * (pairs - 1));
            add_card(w, CARD_LENGTH, y - half - .2 * slack, low + .5 * tall, -20);
            add_card(w, CARD_LENGTH, y + half + .2 * slack, low + .5 * tall, 20);
        }
        for (int i = 0; i + 1 < pairs; i++)
            add_card(w, apart - slack, apart * (i - .5 * (pairs - 2)),
                     low + tall + slack + .5 * CARD_THICK, 90);
    }
}

/* ---- friction ---------------------------------------------------------------------------------
 */

#define GRID      10
#define BOX_SIDE  .2
#define BOX_FORCE .05 /* N */

/* Ten masses by ten forces. With these constants the box in row j (mass) and column i (force)
 * should slide if i > j. */
static void build_friction(lab_world *w)
{
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 3);
    lab_surface(w, &(dSurfaceParameters){
                       .mode = dContactSoftCFM | dContactApprox1, .mu = .5, .soft_cfm = .01});
    lab_view(w, (double[3]){-.5, 0, 0}, (double[3]){6, 3.6, .1});
    lab_plane(w, "ground", Z, 0);
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            char name[32];
            snprintf(name, sizeof name, "box-%d-%d", i, j);
            lab_body *b = lab_add_box(w, name, LAB_DYNAMIC, BOX_SIDE, BOX_SIDE, BOX_SIDE / 4,
                                      2 * BOX_SIDE * i, 2 * BOX_SIDE * j, BOX_SIDE / 8, NULL);
            lab_mass(b, .2 * (j + 1));
            lab_group(b, 1); /* they meet the ground only */
            lab_force(b, (double[3]){BOX_FORCE * (i + 1), 0, 0}, NULL);
        }
}

/* ---- rolling friction --------------------------------------------------------------------------
 */

/* Balls that spin are put on the tops of eight ramps, each steeper than the one before. */
static void build_rolling(lab_world *w)
{
    enum { RAMPS = 8 };
    const double length = 6, width = .5, thick = .25, radius = .25;
    lab_gravity(w, 0, 0, -10);
    lab_contacts(w, 3);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactApprox1 | dContactRolling,
                                         .mu = .37,
                                         .rho = lab_key_number(w, "rho", .1, 0, 1e9)});
    lab_view(w, (double[3]){-3, 0, 0}, (double[3]){3, 4.6, 5});
    lab_plane(w, "ground", Z, 0);
    for (int i = 0; i < RAMPS; i++) {
        double angle = radians(45. * (i + 1) / RAMPS), along = length / cos(angle), q[4];
        double y = 1.25 * width * i, rise = length * tan(angle);
        lab_axis_angle(0, 1, 0, 45. * (i + 1) / RAMPS, q);
        lab_add_box(w, "ramp", LAB_STATIC, along, width, thick, 0, y,
                    .5 * (rise - thick * cos(angle)), q);
        double at[3] = {radius - .5 * length, y, rise + radius};
        lab_body *ball = lab_add(w, "ball", LAB_DYNAMIC, at, NULL);
        lab_sphere(ball, radius, NULL);
        lab_velocity(ball, NULL, (double[3]){0, 25, 0});
    }
}

/* ---- gyroscopic -------------------------------------------------------------------------------
 */

static void add_top(lab_world *w, double y, int gyroscopic)
{
    const double disc = 1, thick = .25, spin[3] = {1, 0, 7}, v[3] = {0, .2, 0};
    double across = disc * disc / 4 + thick * thick / 12; /* of a cylinder of 1 kg */
    const double inertia[9] = {across, 0, 0, 0, across, 0, 0, 0, disc * disc / 2};
    lab_body *top =
        lab_add(w, gyroscopic ? "top" : "top-without", LAB_DYNAMIC, (double[3]){.8, y, 2}, NULL);
    lab_cylinder(top, disc, thick, NULL, NULL);
    lab_capsule(top, .05, 1.5, NULL, NULL);
    lab_mass_properties(top, 1, inertia);
    lab_velocity(top, v, spin);
    lab_gyroscopic(top, gyroscopic);
}

static void tune_tops(dWorldID world, double scale)
{
    dWorldSetCFM(world, 1e-5 * pow(scale, -3));
    dWorldSetLinearDamping(world, .00001);
    dWorldSetAngularDamping(world, .0001);
}

/* Two tops fall on the ground: one with the gyroscopic torque, one without. */
static void build_gyroscopic(lab_world *w)
{
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 4);
    lab_friction(w, 2);
    lab_tune(w, tune_tops);
    lab_plane(w, "ground", Z, 0);
    add_top(w, -2, 1);
    add_top(w, 2, 0);
}

/* ---- tracks -----------------------------------------------------------------------------------
 */

#define TRACK_LENGTH 10.0
#define TRACK_HEIGHT 1.0
#define TRACK_WIDTH  .1
#define TRACK_SLOPE  10 /* degrees */
#define BALL_RADIUS  .4

/* Above the upper end of its track; y = 2 i. */
static void start_of_ball(int i, double x[3])
{
    double c = cos(radians(TRACK_SLOPE)), s = sin(radians(TRACK_SLOPE));
    x[0] = .5 * (TRACK_LENGTH * c - TRACK_HEIGHT * s) - BALL_RADIUS;
    x[1] = 2 * i;
    x[2] = 2 + BALL_RADIUS + .5 * (TRACK_LENGTH * s + TRACK_HEIGHT * c);
}

/* A board along x as 12 triangles. */
static void board_mesh(lab_body *body, const double x[3], const double q[4])
{
    static const int side[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const double sides[3] = {TRACK_LENGTH, TRACK_WIDTH, TRACK_HEIGHT};
    double point[8][3];
    int triangle[12][3];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) point[i][k] = (i >> k & 1 ? .5 : -.5) * sides[k];
    for (int i = 0; i < 12; i++) {
        const int *corner = side[i / 2];
        triangle[i][0] = corner[0];
        triangle[i][1] = corner[1 + i % 2], triangle[i][2] = corner[2 + i % 2];
    }
    lab_trimesh(body, (const double(*)[3])point, 8, (const int(*)[3])triangle, 12, x, q);
}

/* Balls roll down between two boards that stand like a gutter: one pair of boxes, one of meshes. */
static void build_tracks(lab_world *w)
{
    lab_gravity(w, 0, 0, -9.8);
    lab_contacts(w, 8);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactBounce | dContactApprox1 | dContactSoftERP,
                                         .mu = 10,
                                         .bounce = .2,
                                         .soft_erp = 1e-3});
    lab_view(w, (double[3]){-5, -1, .5}, (double[3]){5, 3, 4});
    lab_plane(w, "ground", Z, 0);
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < 2; i++) {
            double lean[4], slope[4], q[4];
            lab_axis_angle(1, 0, 0, -80 * side, lean);
            lab_axis_angle(0, 1, 0, -TRACK_SLOPE, slope);
            peg_quat_mul(slope, lean, q);
            const double x[3] = {0, 2 * i + .5 * side * (1 + TRACK_WIDTH), 2};
            lab_body *track = lab_add(w, i ? "box-track" : "mesh-track", LAB_STATIC, x, q);
            if (i)
                lab_box(track, (double[3]){TRACK_LENGTH, TRACK_WIDTH, TRACK_HEIGHT}, NULL, NULL);
            else
                board_mesh(track, NULL, NULL);
        }
    for (int i = 0; i < 2; i++) {
        double x[3];
        start_of_ball(i, x);
        lab_body *ball = lab_add(w, "ball", LAB_DYNAMIC, x, NULL);
        lab_sphere(ball, BALL_RADIUS, NULL);
        lab_density(ball, .1);
    }
}

/* The balls start again once the first is far behind the end of its track. */
static void restart_balls(lab_world *w, double t)
{
    double x[3];
    (void)t;
    lab_pose(lab_body_find(w, "ball"), x, NULL);
    if (x[0] >= -TRACK_LENGTH) return;
    for (int i = 0; i < 2; i++) {
        lab_body *ball = lab_body_find(w, i ? "ball-2" : "ball");
        start_of_ball(i, x);
        lab_move(ball, x, NULL);
        lab_velocity(ball, NULL, NULL);
    }
}

/* ---- basket -----------------------------------------------------------------------------------
 */

/* A chute, the quarter of a circle in the plane of y and z with raised borders, throws a ball into
 * a basket, a funnel of rings with a floor: one mesh, whose front is where the ball is. */
enum { CHUTE = 16, RIM = 16, RINGS = 4 };
#define CHUTE_RADIUS 1.5
#define CHUTE_Y      2.1 /* where it ends, level */
#define BASKET_Y     -.3

static int add_quad(int (*triangle)[3], int nt, int a, int b, int c, int d)
{
    const int corner[6] = {a, b, c, a, c, d};
    for (int k = 0; k < 6; k++) triangle[nt + k / 3][k % 3] = corner[k];
    return nt + 2;
}

static void add_court(lab_world *w)
{
    static const double ring[RINGS][2] = {{.55, 4.4}, {.5, 4.1}, {.45, 3.8}, {.4, 3.5}};
    double point[3 * (CHUTE + 1) + RIM * RINGS + 1][3];
    int triangle[4 * CHUTE + 2 * RIM * RINGS][3], nv = 0, nt = 0;
    for (int i = 0; i <= CHUTE; i++) {
        double angle = radians(90. * i / CHUTE);
        for (int k = -1; k <= 1; k++, nv++) {
            point[nv][0] = .4 * k;
            point[nv][1] = CHUTE_Y + CHUTE_RADIUS * cos(angle);
            point[nv][2] = 7 - CHUTE_RADIUS * sin(angle) + .1 * abs(k);
            if (i < CHUTE && k < 1) nt = add_quad(triangle, nt, nv, nv + 3, nv + 4, nv + 1);
        }
    }
    for (int r = 0; r < RINGS; r++)
        for (int i = 0; i < RIM; i++, nv++) {
            double angle = 2 * acos(-1) * i / RIM;
            point[nv][0] = ring[r][0] * cos(angle);
            point[nv][1] = BASKET_Y + ring[r][0] * sin(angle);
            point[nv][2] = ring[r][1];
            int next = i + 1 < RIM ? nv + 1 : nv + 1 - RIM;
            if (r + 1 < RINGS) nt = add_quad(triangle, nt, nv, next, next + RIM, nv + RIM);
        }
    point[nv][0] = 0, point[nv][1] = BASKET_Y, point[nv][2] = ring[RINGS - 1][1] - .05;
    for (int i = 0; i < RIM; i++, nt++) {
        triangle[nt][0] = nv - RIM + i;
        triangle[nt][1] = nv - RIM + (i + 1) % RIM, triangle[nt][2] = nv;
    }
    lab_body *court = lab_add(w, "court", LAB_STATIC, NULL, NULL);
    lab_trimesh(court, (const double(*)[3])point, nv + 1, (const int(*)[3])triangle, nt, NULL,
                NULL);
}

static void build_basket(lab_world *w)
{
    lab_gravity(w, 0, 0, -9.8);
    lab_contacts(w, 32);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactSoftERP | dContactSoftCFM |
                                                 dContactApprox1 | dContactSlip1 | dContactSlip2,
                                         .mu = 50,
                                         .slip1 = .7,
                                         .slip2 = .7,
                                         .soft_erp = .96,
                                         .soft_cfm = .04});
    add_court(w);
    lab_view(w, (double[3]){-.6, -1, 3.4}, (double[3]){.6, 3.6, 7});
    lab_body *ball = lab_add(w, "ball", LAB_DYNAMIC, (double[3]){0, 3.4, 7.15}, NULL);
    lab_sphere(ball, .14, NULL);
    lab_density(ball, 1);
}

const lab_scene lab_scenes_demo[] = {
    LAB_SCENE(cards, "demo-cards", 60, "ODE's demo: a house of cards (levels=)"),
    LAB_SCENE_OF("demo-friction", "ODE's demo: boxes of ten masses, pushed by ten forces", .05, 60,
                 build_friction, NULL),
    LAB_SCENE_OF("demo-rolling-friction", "ODE's demo: spinning balls on eight ramps (rho=)", .017,
                 60, build_rolling, NULL),
    LAB_SCENE_OF("demo-gyroscopic", "ODE's demo: a top with and one without the gyroscopic torque",
                 .02, 60, build_gyroscopic, NULL),
    LAB_SCENE_OF("demo-tracks", "ODE's demo: balls roll down gutters of boxes and of meshes", .02,
                 60, build_tracks, restart_balls),
    LAB_SCENE_OF("demo-basket", "ODE's demo: a chute throws a ball into a basket", .001, 60,
                 build_basket, NULL),
    LAB_SCENES_END,
};
