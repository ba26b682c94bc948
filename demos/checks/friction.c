/* Checks of the scenes with friction. */
#include "demos/checks/checks.h"
#include "peg/base/math.h"

#include <math.h>
#include <stddef.h>

static const double HOLD_LIMIT = 1e-9; /* m, from t = 1 s on */
static const double PATH_LIMIT = 1e-3; /* of the distance slid */

/* ---- sliding blocks ---------------------------------------------------------------------------
 */

/* Closed form of ODE's own update (semi-implicit Euler) for a block on a slope: in every step
 * friction takes mu g h cos(slope) from the speed, or all of it. memory[0]: speed, memory[1]:
 * distance. */
static void slide_on(check_run *run, double speed, double slope)
{
    double *v = &run->memory[0], *way = &run->memory[1];
    if (run->step == 1) *v = speed;
    double free = *v + run->h * run->g * sin(slope);
    double friction = run->h * run->g * lab_mu(run->w) * cos(slope);
    *v = copysign(fmax(0, fabs(free) - friction), free);
    *way += run->h * *v;
}

/* Way since the start along the unit vectors, and height over the support. */
static void moved_along(check_run *run, const double along[3], const double up[3], double way[3])
{
    double x[3], d[3], aside[3];
    lab_body *block = check_body(run, "block", 0);
    lab_pose(block, x, NULL);
    peg_sub(x, run->start[1], d);
    peg_cross(up, along, aside);
    way[0] = peg_dot(along, d), way[1] = peg_dot(aside, d), way[2] = peg_dot(up, d);
    check_between(run, "height over the support", way[2], -1e-12, 1.01 * check_margin(0.75));
    check_near(run, "turn", check_turned(run, block), 0, 4 * check_margin(0.75));
}

static void step_incline(check_run *run)
{
    double slope = lab_key(run->w, "slope", 20) * acos(-1) / 180;
    double speed = lab_key(run->w, "speed", 0), s = sin(slope), c = cos(slope), way[3];
    moved_along(run, (double[3]){c, 0, -s}, (double[3]){s, 0, c}, way);
    slide_on(run, speed, slope);
    check_near(run, "distance", way[0], run->memory[1], PATH_LIMIT * fabs(run->memory[1]) + 1e-5);
    check_figure(run, "distance", way[0]);
    if (speed != 0 || lab_mu(run->w) <= tan(slope) || run->t <= 1) return;
    double moved[3], x[3];
    lab_pose(check_body(run, "block", 0), x, NULL);
    peg_sub(x, run->settled[1], moved);
    check_near(run, "move since t = 1 s", peg_norm(moved), 0, HOLD_LIMIT);
    check_largest(run, "move since t = 1 s", peg_norm(moved));
}

/* The pyramid of ODE (directions=0) is a square that keeps its axes: it brakes up to sqrt(2) times
 * as much, and not straight. */
static void step_slide(check_run *run)
{
    double angle = lab_key(run->w, "angle", 0) * acos(-1) / 180, way[3], v[3];
    double speed = lab_key(run->w, "speed", 3), a = lab_mu(run->w) * run->g;
    double along[3] = {cos(angle), sin(angle), 0};
    moved_along(run, along, (double[3]){0, 0, 1}, way);
    slide_on(run, speed, 0);
    lab_motion(check_body(run, "block", 0), v, NULL);
    double left = peg_dot(v, along), exact = run->memory[0];
    if (exact > a * run->h) {
        check_figure(run, "braking / exact", (speed - left) / (speed - exact));
        check_figure(run, "degrees sideways",
                     atan2(along[0] * v[1] - along[1] * v[0], left) * 180 / acos(-1));
    }
    if (lab_key(run->w, "directions", 4) == 0) return;
    check_near(run, "distance", way[0], run->memory[1], PATH_LIMIT * run->memory[1]);
    check_near(run, "way aside", way[1], 0, PATH_LIMIT * run->memory[1]);
}

/* First order in h: the updates stop v0 h / 2 short of v0^2 / (2 mu g). */
static void end_slide(check_run *run)
{
    double speed = lab_key(run->w, "speed", 3), a = lab_mu(run->w) * run->g, x[3], d[3];
    if (run->memory[0] > 0 || lab_key(run->w, "directions", 4) == 0) return;
    lab_pose(check_body(run, "block", 0), x, NULL);
    peg_sub(x, run->start[1], d);
    double exact = speed * speed / (2 * a), way = peg_norm(d);
    check_figure(run, "distance / ODE's update", way / run->memory[1]);
    check_near(run, "distance of a continuous motion", way, exact,
               speed * run->h / 2 + a * run->h * run->h);
}

/* The cone of n directions reaches mu cos(pi / n) at worst: with a share of .9 four directions may
 * let the blocks creep, eight hold. */
static void step_push(check_run *run)
{
    double x[3], moved[3];
    lab_pose(check_body(run, "front", 0), x, NULL);
    peg_sub(x, run->start[1], moved);
    check_largest(run, "move of the front block", hypot(moved[0], moved[1]));
    if (lab_key(run->w, "directions", 4) >= 8)
        check_near(run, "move of the front block", hypot(moved[0], moved[1]), 0,
                   2 * check_margin(0.75));
}

/* ---- a body on three legs ---------------------------------------------------------------------
 */

/* Independent reference: y = x, y, angle and their rates, by explicit Euler in small steps. The
 * loads of the legs carry the weight and balance the moment of the friction at their feet, a height
 * below the centre of mass: sum N_i = m g, sum N_i (r_i - height mu u_i) = 0 with u_i the direction
 * in which leg i slides. */
static void legs_after(double mu, double g, double time, double y[6])
{
    const double radius = 0.5, height = 0.01, dt = 1e-5, creep = 1e-3;
    for (double t = 0; t < time; t += dt) {
        double r[3][2], u[3][2], e[3][2], a[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            double angle = y[2] + 2 * acos(-1) / 3 * i;
            r[i][0] = radius * cos(angle), r[i][1] = radius * sin(angle);
            u[i][0] = y[3] - y[5] * r[i][1], u[i][1] = y[4] + y[5] * r[i][0];
            double speed = fmax(creep, hypot(u[i][0], u[i][1]));
            for (int k = 0; k < 2; k++) {
                u[i][k] /= speed;
                e[i][k] = r[i][k] - height * mu * u[i][k];
            }
        }
        double load[3], sum = 0;
        for (int i = 0; i < 3; i++) {
            const double *b = e[(i + 1) % 3], *c = e[(i + 2) % 3];
            sum += load[i] = b[0] * c[1] - b[1] * c[0];
        }
        for (int i = 0; i < 3; i++) {
            double f = mu * g * load[i] / sum;
            a[0] -= f * u[i][0], a[1] -= f * u[i][1];
            a[2] -= f * (r[i][0] * u[i][1] - r[i][1] * u[i][0]) / (radius * radius / 4);
        }
        for (int k = 0; k < 3; k++) y[3 + k] += dt * a[k], y[k] += dt * y[3 + k];
    }
}

static void step_slide_turning(check_run *run)
{
    double omega[3];
    lab_motion(check_body(run, "plate", 0), NULL, omega);
    run->memory[0] += run->h * omega[2];
}

static void end_slide_turning(check_run *run)
{
    double x[3], y[6] = {0, 0, 0, lab_key(run->w, "speed", 3), 0, lab_key(run->w, "spin", 6)};
    legs_after(lab_mu(run->w), run->g, run->t, y);
    check_position(check_body(run, "plate", 0), x);
    double off = hypot(x[0] - y[0], x[1] - y[1]) / hypot(y[0], y[1]);
    check_figure(run, "place off / distance", off);
    check_figure(run, "turn / exact", run->memory[0] / y[2]);
    /* first order in h; a pyramid (directions=0) does not know how the legs slide */
    if (lab_key(run->w, "directions", 4) > 0)
        check_near(run, "place off / distance", off, 0, 1.5 * run->h);
}

/* ---- bouncing, sleeping -----------------------------------------------------------------------
 */

/* memory: bounces, height before, highest since the last bounce. */
static void step_bounce(check_run *run)
{
    double x[3], e = lab_key(run->w, "restitution", 0.5), drop = lab_key(run->w, "drop", 1);
    double *bounces = &run->memory[0], *before = &run->memory[1], *top = &run->memory[2];
    check_position(check_body(run, "cube", 0), x);
    double v[3], height = x[2] - 0.5;
    lab_motion(check_body(run, "cube", 0), v, NULL);
    int rises = v[2] > 1e-3 && *before <= 0;
    *before = v[2];
    if (!rises) {
        *top = fmax(*top, height);
        return;
    }
    if (*bounces == 1) {
        check_figure(run, "first rebound", *top);
        check_near(run, "first rebound / exact", *top / (e * e * drop), 1, 10 * run->h);
    }
    ++*bounces;
    *top = height;
    check_figure(run, "bounces", *bounces);
}

static void end_bounce(check_run *run)
{
    double x[3], e = lab_key(run->w, "restitution", 0.5);
    check_position(check_body(run, "cube", 0), x);
    check_between(run, "bounces", run->memory[0], 3, 1e4);
    /* a cube that bounces flush without loss is unstable: every bounce multiplies what rounding
     * tilts */
    if (e < 1) check_near(run, "place sideways", hypot(x[0], x[1]), 0, 1e-6);
}

static int awake(check_run *run)
{
    int count = 0;
    for (int i = 0; i < lab_body_count(run->w); i++) {
        const lab_body *body = lab_body_at(run->w, i);
        count +=
            lab_body_kind(body) == LAB_DYNAMIC && lab_body_present(body) && !lab_body_asleep(body);
    }
    return count;
}

/* The hit comes soon after t = 2.3 s. memory: most that were awake after it. */
static void step_pile_wake(check_run *run)
{
    int count = awake(run);
    if (run->t < 2 && run->t > 2 - 1.5 * run->h && count > 0)
        check_fail(run, "%d bodies are awake before the hit", count);
    if (run->t > 2) run->memory[0] = fmax(run->memory[0], count);
}

static void end_pile_wake(check_run *run)
{
    check_figure(run, "woken", run->memory[0] - 1);
    if (run->memory[0] < 4) check_fail(run, "the hit woke %g bodies", run->memory[0] - 1);
    if (awake(run) > 0) check_fail(run, "%d bodies are awake in the end", awake(run));
}

const check_spec check_specs_friction[] = {
    {"incline", .properties = CHECK_TOUCHES, .size = 0.5, .step = step_incline},
    {"slide", .properties = CHECK_TOUCHES, .size = 0.5, .step = step_slide, .end = end_slide},
    {"slide-turning", .properties = CHECK_TOUCHES, .size = 0.02, .step = step_slide_turning,
     .end = end_slide_turning},
    {"push", .properties = CHECK_TOUCHES, .size = 0.5, .step = step_push},
    {"tower-20", .properties = CHECK_STANDS, .size = 1},
    {"wall-10x10", .properties = CHECK_STANDS, .size = 0.5},
    {"pyramid-10", .properties = CHECK_STANDS, .size = 1},
    {"pyramid-20", .properties = CHECK_STANDS, .size = 1},
    {"stack-staggered", .properties = CHECK_STANDS, .size = 0.5},
    {"card-house", .properties = CHECK_STANDS, .size = 0.6},
    {"arch-25", .properties = CHECK_STANDS, .size = 1},
    {"mass-stack", .properties = CHECK_STANDS, .size = 1},
    {"bounce", .size = 1, .step = step_bounce, .end = end_bounce},
    {"pile-wake", .properties = CHECK_TOUCHES, .size = 0.5, .step = step_pile_wake,
     .end = end_pile_wake},
    {.scene = NULL},
};
