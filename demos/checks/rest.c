/* Checks of the scenes of rest and of lost balance. */
#include "demos/checks/checks.h"

#include <math.h>
#include <stddef.h>

/* ---- over an edge -----------------------------------------------------------------------------
 */

/* Independent reference: a body in the plane whose flat lower side slides without friction over an
 * edge at the origin. x, z: centre of mass; a: tilt, nose down. While the edge touches the side,
 *     f = x sin a + z cos a - height = 0,
 * the force along grad f is as large as f'' = 0 needs; it ends where the side ends or where it
 * would pull. Then the body flies. */
typedef struct tipping {
    double height, half_length; /* of the centre of mass above the side; side behind it, m */
    double gyration;            /* I / m, m^2 */
    double g;
    int flies;
} tipping;

static void tipping_rates(tipping *b, const double y[6], double rate[6])
{
    double s = sin(y[2]), c = cos(y[2]), lever = y[0] * c - y[1] * s;
    double force = b->g * c - 2 * y[5] * (c * y[3] - s * y[4]) + y[5] * y[5] * b->height;
    force /= 1 + lever * lever / b->gyration;
    if (force < 0 || lever > b->half_length) b->flies = 1;
    if (b->flies) force = 0;
    for (int k = 0; k < 3; k++) rate[k] = y[3 + k];
    rate[3] = force * s;
    rate[4] = force * c - b->g;
    rate[5] = force * lever / b->gyration;
}

/* Runge-Kutta from the level pose, centre of mass x beyond the edge at speed v, for time t. */
static void tipping_after(tipping *b, double x, double v, double t, double y[6])
{
    const int n = 20000;
    double h = t / n, k[4][6], at[6];
    double start[6] = {x, b->height, 0, v, 0, 0};
    for (int j = 0; j < 6; j++) y[j] = start[j];
    for (int i = 0; i < n; i++) {
        for (int stage = 0; stage < 4; stage++) {
            double f = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int j = 0; j < 6; j++) at[j] = y[j] + (stage ? f * k[stage - 1][j] : 0);
            tipping_rates(b, at, k[stage]);
        }
        for (int j = 0; j < 6; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* Before its centre of mass has passed the edge the slab keeps its height and its speed. */
static void step_table_slide(check_run *run)
{
    double x[3], v[3];
    lab_body *slab = check_body(run, "slab", 0);
    lab_pose(slab, x, NULL);
    lab_motion(slab, v, NULL);
    if (-1.5 + 2 * run->t > -2 * run->h) return;
    check_near(run, "speed on the table", v[0], 2, 1e-9);
    check_between(run, "height on the table", x[2], 0.25 - 1e-12, 0.25 + 1.01 * check_margin(0.75));
    check_near(run, "turn on the table", check_turned(run, slab), 0, 2 * check_margin(0.75));
}

static void end_table_slide(check_run *run)
{
    double x[3], y[6], turned = check_turned(run, check_body(run, "slab", 0));
    tipping slab = {0.25, 0.5, (1 + 0.25) / 12, run->g, 0};
    tipping_after(&slab, 0, 2, run->t - 0.75, y);
    check_position(check_body(run, "slab", 0), x);
    check_figure(run, "tilt / exact", turned / y[2]);
    check_near(run, "tilt / exact", turned / y[2], 1, 0.02 + 4 * run->h);
    check_near(run, "place sideways", x[1], 0, 1e-6);
    check_near(run, "distance", x[0], y[0], 0.01 + run->h);
    check_near(run, "height", x[2], y[1], 0.01 + 8 * run->h);
}

static void end_table_slide_yawed(check_run *run)
{
    double x[3], turned = check_turned(run, check_body(run, "slab", 0));
    check_position(check_body(run, "slab", 0), x);
    check_figure(run, "tilt", turned);
    check_between(run, "tilt", turned, 0.3, 3);
    check_between(run, "height", x[2], -6, -0.3);
}

static void end_plank_51(check_run *run)
{
    double y[6], turned = check_turned(run, check_body(run, "plank", 0));
    tipping plank = {0.1, 2, (16 + 0.04) / 12, run->g, 0};
    tipping_after(&plank, 0.01, 0, run->t, y);
    check_figure(run, "tilt / exact", turned / y[2]);
    check_near(run, "tilt / exact", turned / y[2], 1, 0.02 + 4 * run->h / run->t);
}

static void end_plank_49(check_run *run)
{
    check_figure(run, "tilt", check_turned(run, check_body(run, "plank", 0)));
}

/* ---- free fall beside something -----------------------------------------------------------------
 */

static void step_free_fall(check_run *run)
{
    double x[3];
    const double *start = run->start[lab_body_count(run->w) - 1];
    check_position(check_body(run, "cube", 0), x);
    double off = x[2] - (start[2] - check_fallen(run));
    double aside = hypot(x[0] - start[0], x[1] - start[1]);
    check_near(run, "height over free fall", off, 0, 1e-6);
    check_near(run, "move sideways", aside, 0, 1.01 * check_margin(sqrt(0.75)));
    check_largest(run, "height over free fall", fabs(off));
}

/* ---- one impact ---------------------------------------------------------------------------------
 */

/* A body that falls from rest is stopped by a vertical impulse J at r from its centre of mass:
 *     v_z = -g t + J / m,   omega = I^-1 (r x J z),
 * and the point of contact stays: J / m (1 + r_y^2 / (I_x / m) + r_x^2 / (I_y / m)) = g t. */
static void after_impact(check_run *run, const lab_body *body, const double r[2],
                         const double gyration[2])
{
    double v[3], omega[3];
    lab_motion(body, v, omega);
    double share = 1 + r[1] * r[1] / gyration[0] + r[0] * r[0] / gyration[1];
    double fall = run->g * run->t, impulse = fall / share;
    /* the step of the impact begins with a gap, and the next ones tilt the lever */
    double tolerance = fall * (0.02 + 3 * run->h);
    check_near(run, "v_z after the impact", v[2], impulse - fall, tolerance);
    check_near(run, "w_x after the impact", omega[0] * gyration[0], impulse * r[1], tolerance);
    check_near(run, "w_y after the impact", omega[1] * gyration[1], -impulse * r[0], tolerance);
    check_figure(run, "v_z / exact", v[2] / (impulse - fall));
}

/* Judges the impact in the second step after the fall was first disturbed. */
static void impact_step(check_run *run, const char *name, const double r[2],
                        const double gyration[2])
{
    double v[3];
    lab_body *body = check_body(run, name, 0);
    lab_motion(body, v, NULL);
    if (fabs(v[2] + run->g * run->t) < 1e-6 && run->memory[0] == 0) return;
    if (++run->memory[0] == 2) after_impact(run, body, r, gyration);
}

static void end_impact(check_run *run)
{
    if (run->memory[0] < 2) check_fail(run, "nothing was hit");
}

static void step_vertex_hit(check_run *run)
{
    impact_step(run, "cube", (double[2]){-0.4995, -0.4995}, (double[2]){1 / 6., 1 / 6.});
}

static void step_crossed_offset(check_run *run)
{
    impact_step(run, "upper", (double[2]){0, -0.05}, (double[2]){9.25 / 12, 0.5 / 12});
}

/* Balanced on the crossing of the edges, once it has fallen there (t = .25 s). */
static void step_crossed_edges(check_run *run)
{
    double x[3];
    check_position(check_body(run, "upper", 0), x);
    if (run->t < 0.5) return;
    double off = x[2] - sqrt(0.5);
    check_between(run, "height over the lower edge", off, -1e-12, 1.01 * check_margin(2.03));
    check_figure(run, "height over the lower edge", off);
}

/* The corner is caught by the edge: the cube is never lower than a corner of it on the edge, as
 * long as its centre is over the block. */
static void step_corner_on_edge(check_run *run)
{
    double x[3];
    check_position(check_body(run, "cube", 0), x);
    if (x[0] < 0.5) check_between(run, "height over the block", x[2], 0.25 - 1e-12, 2);
}

static void end_corner_on_edge(check_run *run)
{
    double x[3], v[3];
    check_position(check_body(run, "cube", 0), x);
    lab_motion(check_body(run, "cube", 0), v, NULL);
    check_figure(run, "height / free fall", x[2] - (1.2 - check_fallen(run)));
    check_between(run, "height over free fall", x[2] - (1.2 - check_fallen(run)), 0.1, 3);
}

/* ---- notch, dominoes ----------------------------------------------------------------------------
 */

static void end_v_notch(check_run *run)
{
    double x[3], v[3];
    check_position(check_body(run, "cube", 0), x);
    lab_motion(check_body(run, "cube", 0), v, NULL);
    check_figure(run, "height", x[2]);
    check_between(run, "place across the notch", x[0], -0.4, 0.4);
    check_between(run, "height in the notch", x[2], 0.3, 0.8);
}

static void end_dominoes(check_run *run)
{
    int fallen = 0;
    for (int i = 0; i < 8; i++) {
        double x[3];
        check_position(check_body(run, "domino", i), x);
        fallen += x[2] < 0.35;
    }
    check_figure(run, "fallen", fallen);
    if (fallen < 8) check_fail(run, "%d of 8 dominoes fell", fallen);
}

const check_spec check_specs_rest[] = {
    {"stack-flush", .properties = CHECK_RESTS | CHECK_TOUCHES, .size = 1, .chain = 10},
    {"stack-twisted", .properties = CHECK_RESTS | CHECK_TOUCHES, .size = 1, .chain = 10},
    {"block-3x3x3", .properties = CHECK_RESTS | CHECK_TOUCHES, .size = 1, .chain = 6},
    {"table-slide", .properties = CHECK_TOUCHES, .size = 1, .step = step_table_slide,
     .end = end_table_slide},
    {"table-slide-yawed", .properties = CHECK_TOUCHES, .size = 1, .step = step_table_slide,
     .end = end_table_slide_yawed},
    {"flush-wall", .size = 1, .step = step_free_fall},
    {"plank-49", .properties = CHECK_RESTS | CHECK_TOUCHES, .size = 1, .chain = 3,
     .end = end_plank_49},
    {"plank-51", .properties = CHECK_TOUCHES, .size = 1, .end = end_plank_51},
    {"corner-on-edge", .size = 0.5, .step = step_corner_on_edge, .end = end_corner_on_edge},
    {"crossed-edges", .properties = CHECK_RESTS, .size = 0.5, .step = step_crossed_edges},
    {"crossed-edges-offset", .size = 0.5, .step = step_crossed_offset, .end = end_impact},
    {"vertex-vertex-hit", .size = 1, .step = step_vertex_hit, .end = end_impact},
    {"vertex-vertex-miss", .size = 1, .step = step_free_fall},
    {"vertex-vertex-exact", .size = 1, .step = step_free_fall},
    {"v-notch", .size = 0.6, .end = end_v_notch},
    {"dominoes", .properties = CHECK_TOUCHES, .size = 0.1, .end = end_dominoes},
    {.scene = NULL},
};
