/* Checks of the scenes of geoms and meshes. */
#include "demos/checks/checks.h"
#include "demos/oracle/distance.h"
#include "demos/world/world.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "peg/base/math.h"

static const double DEPTH_LIMIT = 1e-12; /* of the body size: rounding of the measure */
static const double DROP_LIMIT = 1e-12;  /* the same, of what is thrown */
static const double GRAZE_LIMIT = .1;    /* inside a step, of the smallest body's size */
static const double KICK_LIMIT = 1e-9;   /* m/s, at a seam */
static const double ENERGY_LIMIT = 1e-3; /* of what rolls, relative */
static const double MISSED = .4;         /* of what is thrown: it was passed through (then .5) */
/* Looks inside of a step; of what is thrown, so many more for each thickness that a body moves. */
enum { POSES_INSIDE = 8, POSES_MORE = 10, POSES_MOST = 200 };

/* Twice the radius of the smallest body that has a volume (floors left out), m. */
static double size_of(const lab_world *w)
{
    double size = INFINITY, centre[3];
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->volume > 0 && strcmp(b->name, "floor") != 0)
            size = fmin(size, 2 * lab_shape_radius(b->part[0].shape, centre));
    }
    return size / w->scale;
}

/* Least side of the boxes about the moving bodies, in their own frames, m. */
static double thickness_of(const lab_world *w)
{
    double least = INFINITY, low[3], high[3];
    for (int i = 0; i < w->bodies; i++) {
        if (w->body[i]->kind != LAB_DYNAMIC) continue;
        lab_shape_bounds(w->body[i]->part[0].shape, low, high);
        for (int k = 0; k < 3; k++) least = fmin(least, high[k] - low[k]);
    }
    return least / w->scale;
}

/* How far a point of a body gets within the step at most, m. */
static double travel_of(const lab_world *w)
{
    double most = 0, centre[3];
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        if (b->kind != LAB_DYNAMIC) continue;
        double radius = lab_shape_radius(b->part[0].shape, centre);
        most = fmax(most, peg_norm(b->now.v) + radius * peg_norm(b->now.omega));
    }
    return most * w->h / w->scale;
}

static void begin_overlap(check_run *run)
{
    run->memory[1] = size_of(run->w);
}

static void step_overlap(check_run *run)
{
    double volume, depth, limit = DEPTH_LIMIT * run->memory[1];
    lab_overlap(run->w, 1, &volume, &depth);
    check_largest(run, "depth / size", depth / run->memory[1]);
    if (!(depth <= limit)) check_fail(run, "depth of %.3g m, %.3g allowed", depth, limit);
}

/* Also inside of the step: what is hit is not passed through. */
static void step_inside(check_run *run)
{
    step_overlap(run);
    for (int i = 1; i < POSES_INSIDE; i++) {
        double volume, depth;
        lab_overlap(run->w, (double)i / POSES_INSIDE, &volume, &depth);
        check_largest(run, "depth inside / size", depth / run->memory[1]);
        if (!(depth <= GRAZE_LIMIT * run->memory[1]))
            check_fail(run, "depth of %.3g m at %d/%d of the step", depth, i, POSES_INSIDE);
    }
}

/* What is thrown at something: overlap of 1e-9 of its size counts, and it does not pass through;
 * what turns by radians within a step may graze. */
static void step_drop(check_run *run)
{
    double volume, depth, size = run->memory[1], thickness = thickness_of(run->w);
    lab_overlap(run->w, 1, &volume, &depth);
    check_largest(run, "depth / size", depth / size);
    if (!(depth <= DROP_LIMIT * size)) check_fail(run, "depth of %.3g m", depth);
    int poses = POSES_INSIDE + (int)fmin(POSES_MOST, POSES_MORE * travel_of(run->w) / thickness);
    for (int i = 1; i < poses; i++) {
        lab_overlap(run->w, (double)i / poses, &volume, &depth);
        check_largest(run, "depth inside / thickness", depth / thickness);
        if (!(depth <= MISSED * thickness))
            check_fail(run, "depth of %.3g m at %d/%d of the step", depth, i, poses);
    }
}

/* ---- seams and slopes ------------------------------------------------------------------------ */

/* Without friction a level sheet changes nothing but the speed at which the body comes down, and
 * the margin, which opens by no more than a twentieth in a step. */
static void step_seams(check_run *run)
{
    double *before = run->memory + 2, x[3], v[6], up, kick = 0;
    lab_pose(check_body(run, "slider", 0), x, NULL);
    lab_motion(check_body(run, "slider", 0), v, v + 3);
    up = run->t > .2 ? fabs(v[2] - before[2]) : v[2];
    for (int k = 0; k < 6; k++) {
        if (k != 2) kick = fmax(kick, fabs(v[k] - before[k]));
        before[k] = v[k];
    }
    if (fabs(x[0]) > 2 || fabs(x[1]) > 4.5) return; /* the sheet ends at 2.5 and 5 */
    kick = fmax(kick, up - check_margin(run->spec->size) / (20 * run->h));
    check_largest(run, "kick", kick);
    if (!(kick <= KICK_LIMIT)) check_fail(run, "a kick of %.3g m/s", kick);
}

static void begin_seams(check_run *run)
{
    lab_motion(check_body(run, "slider", 0), run->memory + 2, run->memory + 5);
}

/* Rolls without sliding: a = 5/7 g sin of the slope, in every step of the update. */
static void step_roll(check_run *run)
{
    double v[3], slope = .25;
    const lab_options *options = lab_world_options(run->w);
    for (int i = 0; i < options->sets; i++)
        if (!strcmp(options->set[i].key, "slope")) slope = options->set[i].value;
    double want = 5. / 7 * run->g * slope / sqrt(1 + slope * slope) * run->t;
    lab_motion(check_body(run, "ball", 0), v, NULL);
    double error = fabs(peg_dot(v, v) / (want * want) - 1);
    if (run->t < .2) return;
    check_largest(run, "energy error", error);
    if (!(error <= ENERGY_LIMIT))
        check_fail(run, "rolls at %.9g m/s, %.9g expected", peg_norm(v), want);
}

/* ---- shells ---------------------------------------------------------------------------------- */

static void step_shell(check_run *run)
{
    double x[3];
    lab_pose(check_body(run, "a", 0), x, NULL);
    if (fmax(fabs(x[0]), fabs(x[1])) < 2.5 && x[2] < -.2)
        check_fail(run, "the body is behind the shell, at %.3g m", x[2]);
    step_inside(run);
}

static void step_kept(check_run *run)
{
    const lab_body *shell = check_body(run, "shell", 0);
    for (int i = 0; i < run->w->bodies; i++) {
        const lab_body *b = run->w->body[i];
        if (b->kind != LAB_DYNAMIC) continue;
        double turns = fabs(lab_winding(shell->part[0].placed, b->now.x));
        if (!(turns > .5)) check_fail(run, "body '%s' is outside", b->name);
    }
    step_overlap(run);
}

/* ---- many triangles -------------------------------------------------------------------------- */

static void end_100k(check_run *run)
{
    const pegStats *t = &run->result->total;
    check_figure(run, "(pairs + rows) / solve", (t->time_pairs + t->time_rows) / t->time_solve);
}

const check_spec check_specs_geoms[] = {
    {"drop-pair", .properties = CHECK_OVERLAPS, .size = .1, .begin = begin_overlap,
     .step = step_drop},
    {"pour-mixed", .properties = CHECK_OVERLAPS, .size = .1, .begin = begin_overlap,
     .step = step_overlap, .end = check_pour},
    {"seams-box", .size = .3, .begin = begin_seams, .step = step_seams},
    {"seams-tiles", .size = .3, .begin = begin_seams, .step = step_seams},
    {"seams-sphere", .size = .4, .begin = begin_seams, .step = step_seams},
    {"seams-capsule", .size = .3, .begin = begin_seams, .step = step_seams},
    {"seams-cylinder", .size = .3, .begin = begin_seams, .step = step_seams},
    {"mesh-roll", .size = .4, .step = step_roll},
    {"mesh-rest", .properties = CHECK_STANDS | CHECK_TOUCHES, .size = .3},
    {"shell-fast", .properties = CHECK_OVERLAPS, .size = .1, .key = "speed",
     .values = {10, 100, 300, 1000}, .begin = begin_overlap, .step = step_shell},
    {"mesh-inside", .properties = CHECK_OVERLAPS, .size = .1, .begin = begin_overlap,
     .step = step_kept},
    {"mesh-100k", .properties = CHECK_OVERLAPS, .size = .1, .begin = begin_overlap,
     .step = step_overlap, .end = end_100k},
    {.scene = NULL},
};
