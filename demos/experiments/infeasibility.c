/* infeasibility [A slides 28-36]: the largest violation of the ratio metric over the step size. */
#include "demos/experiments/infeasibility.h"

#include <math.h>
#include <string.h>

#include "demos/world/world.h"
#include "peg/base/math.h"

const infeasibility_scene infeasibility_scenes[INFEASIBILITY_SCENES] = {
    {"balance2", "balance2", 0, 0, 6}, {"pyramid1", "pyramid1", 0, 0, 6},
    {"dice3", "dice3", 0, 0, 4},       {"dice3 without friction", "dice3", 1, 0, 4},
    {"setup6", "setup6", 0, 0, 4},
};

const char *const infeasibility_variant_names[RATIO_VARIANTS] = {
    "ratio",           "ratio, gamma .5", "ratio, gamma .1", "ratio, no stabilisation",
    "ratio, gap only", "ratio, traps",    "ratio, adjacent"};

static const struct {
    const char *key;
    double value;
} keys[RATIO_VARIANTS] = {
    {NULL, 0},       {"gamma", .5}, {"gamma", .1},   {"gamma", 0},
    {"gradient", 0}, {"traps", 1},  {"adjacent", 1},
};

enum { PER_SCENE = 1000, PER_VARIANT = 100 };

int infeasibility_set(int scene, infeasibility_variant variant, int seed)
{
    return scene * PER_SCENE + (int)variant * PER_VARIANT + seed;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* The variants of ratio and the other models show tendencies: fewer seeds do. */
static int seeds_of(const experiment_study *s, lab_contact model, infeasibility_variant variant)
{
    if (s->options->quick) return 1;
    if (model == LAB_RATIO && variant == RATIO_PLAIN) return INFEASIBILITY_SEEDS;
    return model == LAB_PEG || variant == RATIO_GAP ? 4 : 2;
}

static void plan_scene(experiment_study *s, int scene, int k)
{
    for (int m = 0; m < s->models; m++)
        for (int v = 0; v < (s->model[m] == LAB_RATIO ? RATIO_VARIANTS : 1); v++)
            for (int seed = 0; seed < seeds_of(s, s->model[m], (infeasibility_variant)v); seed++)
                experiment_add(s, s->model[m], s->h[k],
                               infeasibility_set(scene, (infeasibility_variant)v, seed));
}

void infeasibility_plan(experiment_study *s)
{
    static const lab_contact all[] = {LAB_RATIO, LAB_LP, LAB_PEG, LAB_ST, LAB_AP};
    if (s->options->models == 0) {
        s->models = (int)(sizeof all / sizeof *all);
        memcpy(s->model, all, sizeof all);
    }
    s->hs = s->options->quick ? 3 : 5;
    for (int k = 0; k < s->hs; k++) s->h[k] = .02 / (1 << (s->hs - 1 - k));
    s->source = "cubes, planks and five other polyhedra";
    for (int k = 0; k < s->hs; k++)
        for (int scene = 0; scene < INFEASIBILITY_SCENES; scene++) plan_scene(s, scene, k);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void write_step(lab_world *w, FILE *csv)
{
    double volume, depth, square = 0, fastest = 0, top = -INFINITY;
    double rho = lab_least_ratio(w);
    pegStats s;
    lab_measure(w, 1, &volume, &depth, NULL);
    lab_last(w, &s);
    for (int i = 0; i < w->bodies; i++) {
        double x[3], v[3], omega[3];
        if (w->body[i]->kind != LAB_DYNAMIC) continue;
        lab_pose(w->body[i], x, NULL);
        lab_motion(w->body[i], v, omega);
        square += peg_dot(v, v) + peg_dot(omega, omega);
        fastest = fmax(fastest, peg_norm(v));
        top = fmax(top, x[2]);
    }
    fprintf(csv,
            "%.9g,%.9g,%.6g,%.6g,%.6g,%.9g,%.6g,%.9g,%ld,%.4g,%.4g,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n",
            lab_time(w), fmin(rho, 1), fmax(0, -rho), depth, volume, sqrt(square), fastest, top,
            s.rows_max, 1e3 * s.time_solve, 1e3 * w->last_seconds, s.unconverged,
            s.friction_unconverged, s.friction_passes, s.friction_islands, s.sliding_islands,
            s.contact_units, s.contact_unit_sets_differ);
}

int infeasibility_run(const experiment_study *s, const experiment_job *job, FILE *csv,
                      char why[LAB_TEXT])
{
    int user, variant = job->set % PER_SCENE / PER_VARIANT;
    const infeasibility_scene *scene = &infeasibility_scenes[job->set / PER_SCENE];
    lab_setting setting = {.value = keys[variant].value};
    lab_options options = {.contact = job->contact,
                           .h = job->h,
                           .seed = s->options->seed + (uint64_t)(job->set % PER_VARIANT),
                           .mu_given = scene->mu_given,
                           .mu = scene->mu,
                           .set = &setting,
                           .sets = keys[variant].key != NULL};
    if (options.sets) snprintf(setting.key, sizeof setting.key, "%s", keys[variant].key);
    lab_world *w = lab_open(lab_scene_find(scene->scene), &options, why, &user);
    fputs("t,rho,infeasibility,depth,volume,speed,v_max,z_top,rows,solve_ms,step_ms,failures,"
          "lagged,passes,rubbing,sliding,units,differ\n",
          csv);
    if (!w) return 1;
    while (w->steps < w->planned && lab_step(w) == 0) write_step(w, csv);
    int failed = w->failed;
    snprintf(why, LAB_TEXT, "%s", w->error);
    lab_close(w);
    return failed;
}
