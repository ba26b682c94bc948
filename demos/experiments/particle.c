/* Plans and runs of the experiments of a particle over hills and a sawtooth. */
#include "demos/experiments/particle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "demos/world/world.h"

/* ---- plans ----------------------------------------------------------------------------------- */

static void plan_with(experiment_study *s, const double *h, int n)
{
    s->hs = n;
    memcpy(s->h, h, (size_t)n * sizeof *h);
    s->source = "62 random starts";
    experiment_plan_all(s, SET_STARTS, SET_STARTS);
}

static void add_paths(experiment_study *s, const double *h, int n)
{
    for (int k = 0; k < n; k++)
        for (int m = 0; m < s->models; m++) experiment_add(s, s->model[m], h[k], SET_PATH);
}

static void plan_hills(experiment_study *s)
{
    static const double h = .01;
    plan_with(s, &h, 1);
    s->source = "21 starts side by side";
    add_paths(s, &h, 1);
}

static void plan_sawtooth(experiment_study *s)
{
    static const double h[] = {1e-4, 1e-3, 1e-2, 1e-1};
    plan_with(s, h, 4);
    add_paths(s, h + 2, 1);
}

static void plan_step_sizes(experiment_study *s)
{
    static const double path_h[] = {1e-4, 1e-3, 1e-2, 1e-1};
    double h[16];
    int first = s->options->quick ? 4 : 0, n = 0;
    for (int k = first; k < 16; k++) h[n++] = 1e-5 * (double)(1 << k);
    plan_with(s, h, n);
    add_paths(s, path_h, 4);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Start number i: hills, side by side; sawtooth, random as in the paper. */
static void choose_start(const particle_case *c, uint64_t seed, int i, double x[2], double v[2])
{
    memcpy(x, c->x, sizeof c->x);
    memcpy(v, c->v, sizeof c->v);
    if (c->push > 0) {
        x[0] = -.5 + .1 * i;
        return;
    }
    double u[4];
    for (int k = 0; k <= i; k++)
        for (int j = 0; j < 4; j++) u[j] = lab_random_next(&seed);
    x[0] = 1.5 * u[0], x[1] = 1 + .5 * u[1];
    v[0] = -10 + 20 * u[2], v[1] = -10 + 20 * u[3];
}

/* Notes the position if a sample is due now. */
static void take_sample(double t, const double x[3], double (*sample)[2])
{
    long i = lround(t / SAMPLE_EVERY);
    if (i < 1 || i > SAMPLES || fabs(t - (double)i * SAMPLE_EVERY) > 1e-9) return;
    sample[i - 1][0] = x[0], sample[i - 1][1] = x[1];
}

static void follow(lab_world *w, const planar_path *truth, const planar_chain *terrain, int number,
                   const double x0[2], const double v0[2], FILE *csv)
{
    double largest = 0, sum = 0, size = 0, x[3], v[3] = {0, 0, 0}, seconds = 0;
    double sample[SAMPLES][2];
    const lab_body *b = lab_body_find(w, "particle");
    for (int i = 0; i < SAMPLES; i++) sample[i][0] = sample[i][1] = NAN;
    while (w->steps < w->planned && lab_step(w) == 0) {
        double exact[2];
        pegStats s;
        lab_pose(b, x, NULL);
        planar_path_at(truth, lab_time(w), exact, NULL);
        double error = hypot(x[0] - exact[0], x[1] - exact[1]);
        largest = fmax(largest, error), sum += error;
        take_sample(lab_time(w), x, sample);
        lab_last(w, &s);
        size += (double)experiment_size(w), seconds += s.time_solve;
    }
    pegStats total;
    double steps = fmax(1, (double)w->steps);
    lab_totals(w, &total);
    lab_pose(b, x, NULL);
    lab_motion(b, v, NULL);
    fprintf(csv, "%d,%.17g,%.17g,%.17g,%.17g,%.9g,%.9g,%.6g,%.6g,%.6g,%ld,%.9g,%.9g,%ld", number,
            x0[0], x0[1], v0[0], v0[1], w->failed ? INFINITY : largest, sum / steps, size / steps,
            1e3 * seconds / steps, 1e3 * w->seconds / steps, w->steps, planar_distance(terrain, x),
            hypot(v[0], v[1]), total.unconverged);
    for (int i = 0; i < SAMPLES; i++) fprintf(csv, ",%.12g,%.12g", sample[i][0], sample[i][1]);
    fputc('\n', csv);
}

static int run_starts(const experiment_study *s, const experiment_job *job, FILE *csv,
                      char why[LAB_TEXT])
{
    const particle_case *c = particle_case_of(s);
    planar_chain terrain;
    planar_path truth;
    particle_terrain(c, &terrain);
    fputs("start,x,y,vx,vy,error_max,error_mean,size,solve_ms,step_ms,steps,away,speed,"
          "unconverged",
          csv);
    for (int i = 1; i <= SAMPLES; i++) fprintf(csv, ",x%d,y%d", i, i);
    fputc('\n', csv);
    for (int i = 0; i < c->starts; i++) {
        double x[2], v[2];
        int user;
        choose_start(c, s->options->seed, i, x, v);
        if (particle_path(c, x, v, &truth)) {
            snprintf(why, LAB_TEXT, "the exact path from start %d has too many phases", i);
            return 1;
        }
        lab_setting set[4] = {{"x", x[0]}, {"y", x[1]}, {"vx", v[0]}, {"vy", v[1]}};
        lab_options options = {
            .contact = job->contact, .h = job->h, .seed = 1, .set = set, .sets = 4};
        lab_world *w = lab_open(lab_scene_find(c->scene), &options, why, &user);
        if (!w) return 1;
        follow(w, &truth, &terrain, i, x, v, csv);
        lab_close(w);
    }
    return 0;
}

static int run(const experiment_study *s, const experiment_job *job, FILE *csv, char why[LAB_TEXT])
{
    if (job->set == SET_STARTS) return run_starts(s, job, csv, why);
    lab_options options = {.contact = job->contact, .h = job->h, .seed = 1};
    return experiment_steps(lab_scene_find(s->kind->scene), &options, csv, why);
}

const experiment experiments_particle[] = {
    {"hills", "A particle is pushed over two hills: where does the model trap it?", "hills", 1,
     plan_hills, run, report_hills},
    {"sawtooth", "A particle over a sawtooth, without friction: paths and errors.", "sawtooth", 1,
     plan_sawtooth, run, report_sawtooth},
    {"sawtooth-friction", "The same with friction, faster.", "sawtooth-friction", 1, plan_sawtooth,
     run, report_sawtooth},
    {"step-size-2d", "The particle over the sawtooth: error over sixteen step sizes.", "sawtooth",
     1, plan_step_sizes, run, report_step_sizes},
    {0},
};
