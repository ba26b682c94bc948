#include "demos/sweep/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "demos/checks/checks.h"
#include "demos/experiments/experiment.h"
#include "demos/report/output.h"
#include "demos/scenes/scene_file.h"
#include "demos/world/world.h"
#include "lab_build.h" /* LAB_BUILD, by meson */

const sweep_column sweep_columns[] = {
    {"case_key", "TEXT PRIMARY KEY", "peg-lab's arguments that repeat it"},
    {"scene", "TEXT", "name or file"},
    {"contact", "TEXT", "contact model"},
    {"h", "REAL", "step size, s"},
    {"mu", "REAL", "coefficient of friction in force"},
    {"seed", "INTEGER", ""},
    {"keys", "TEXT", "key=value,.."},
    {"steps", "INTEGER", "made"},
    {"failed", "INTEGER", "criteria of the scene's check that were not met"},
    {"why", "TEXT", "the first of them"},
    {"overlap_median", "REAL", "of the steps, in mean body volumes"},
    {"overlap_max", "REAL", ""},
    {"depth_max", "REAL", "m"},
    {"inside_max", "REAL", "depth inside the steps, m; fast scenes only"},
    {"gain_max", "REAL", "energy gain of a step, of what was put in"},
    {"drift", "REAL", "since t = 1 s, m or rad"},
    {"speed", "REAL", "of standing bodies since t = 1 s, m/s"},
    {"cone", "REAL", "friction beyond its cone, of the largest there can be"},
    {"escaped", "INTEGER", "bodies outside of the bounds"},
    {"figure_1", "TEXT", "what the scene is about"},
    {"value_1", "REAL", ""},
    {"figure_2", "TEXT", ""},
    {"value_2", "REAL", ""},
    {"unconverged", "INTEGER",
     "steps whose velocities hold only roughly (models other than peg: without a certificate)"},
    {"clearance", "INTEGER", "fallbacks"},
    {"elastic", "INTEGER", ""},
    {"limited", "INTEGER", "islands that ended a step with limited bodies"},
    {"frozen", "INTEGER", "of these: nothing moved although something should"},
    {"first_contact", "INTEGER", ""},
    {"switches", "INTEGER", ""},
    {"islands", "INTEGER", "summed over the steps"},
    {"solves", "INTEGER", ""},
    {"rows", "INTEGER", "summed over the solves"},
    {"rows_max", "INTEGER", ""},
    {"outer_iterations", "INTEGER", "summed over the islands"},
    {"outer_iterations_max", "INTEGER", ""},
    {"friction_unconverged", "INTEGER", "solves whose friction is not certified"},
    {"residual_max", "REAL", ""},
    {"settings", "TEXT", "of the library: name=value,.. of what is not its default"},
    {"seconds", "REAL", "wall time of the case"},
    {"step_ms", "REAL", "mean wall time of a step"},
    {"version", "TEXT", "of the library"},
    {"build", "TEXT", "of peg-lab: its commit, or its version"},
    {"machine", "TEXT", "name: processors"},
    {NULL, NULL, NULL},
};

const char *sweep_build(void)
{
    return LAB_BUILD;
}

/* The name of this machine and its processors. */
static const char *machine(void)
{
    static char text[256];
    char name[64] = "?", line[256], model[128] = "?";
    if (*text) return text;
    gethostname(name, sizeof name - 1);
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(model, sizeof model, "%.120s", strchr(line, ':') + 2);
            model[strcspn(model, "\n")] = 0;
            break;
        }
    if (f) fclose(f);
    snprintf(text, sizeof text, "%s: %ld x %s", name, sysconf(_SC_NPROCESSORS_ONLN), model);
    return text;
}

json_t *sweep_number(double x)
{
    return isinf(x) ? json_string(x > 0 ? "inf" : "-inf") : lab_number(x);
}

static void put(json_t *row, const char *key, double value)
{
    json_object_set_new(row, key, lab_number(value));
}

static void count(json_t *row, const char *key, long value)
{
    json_object_set_new(row, key, json_integer(value));
}

static json_t *row_of(const sweep_case *c)
{
    char key[SWEEP_KEY_SIZE], keys[SWEEP_SETS * 64] = "";
    sweep_key(c, key);
    for (int i = 0, n = 0; i < c->sets; i++)
        n += snprintf(keys + n, sizeof keys - (size_t)n, "%s%s=%.17g", i ? "," : "", c->set[i].key,
                      sweep_case_set(c, i).value);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:s, s:s, s:s}", "case_key", key, "scene",
                     c->scene, "contact", lab_contact_name(c->contact), "h", lab_number(c->h), "mu",
                     c->mu_given ? sweep_number(c->mu) : json_null(), "seed", (json_int_t)c->seed,
                     "keys", keys, "version", pegVersion(), "build", LAB_BUILD, "machine",
                     machine());
}

static void put_check(json_t *row, const check_result *r)
{
    count(row, "steps", r->steps);
    count(row, "failed", r->failed);
    json_object_set_new(row, "why", json_string(r->why));
    put(row, "overlap_median", r->overlap_median);
    put(row, "overlap_max", r->overlap);
    put(row, "depth_max", r->depth);
    put(row, "inside_max", r->inside);
    put(row, "gain_max", r->gain);
    put(row, "drift", r->drift);
    put(row, "speed", r->speed);
    put(row, "cone", r->cone);
    count(row, "escaped", r->escaped);
    put(row, "step_ms", r->ms);
    json_object_set_new(row, "settings", json_string(r->settings));
    for (int i = 0; i < 2; i++) {
        if (!*r->figure[i].name) continue;
        json_object_set_new(row, i ? "figure_2" : "figure_1", json_string(r->figure[i].name));
        put(row, i ? "value_2" : "value_1", r->figure[i].value);
    }
}

static void put_stats(json_t *row, const pegStats *s)
{
    count(row, "unconverged", s->unconverged);
    count(row, "clearance", s->fallback_clearance);
    count(row, "elastic", s->fallback_elastic);
    count(row, "limited", s->limited_islands);
    count(row, "frozen", s->frozen_islands);
    count(row, "first_contact", s->first_contact);
    count(row, "switches", s->switches);
    count(row, "islands", s->islands);
    count(row, "solves", s->solves);
    count(row, "rows", s->rows);
    count(row, "rows_max", s->rows_max);
    count(row, "outer_iterations", s->outer_iterations);
    count(row, "outer_iterations_max", s->outer_iterations_max);
    count(row, "friction_unconverged", s->friction_unconverged);
    put(row, "residual_max", s->residual_max);
}

static char *text_of(json_t *row)
{
    char *text = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(row);
    return text;
}

char *sweep_lost(const sweep_case *c, const char *why)
{
    json_t *row = row_of(c);
    if (!row) return NULL;
    count(row, "failed", 1);
    json_object_set_new(row, "why", json_string(why));
    return text_of(row);
}

static char *run_experiment(const sweep_plan *plan, const sweep_case *c)
{
    char dir[1024];
    double start = lab_now();
    experiment_outcome outcome;
    experiment_options options = {.dir = dir, .quick = c->quick, .seed = c->seed, .quiet = 1};
    snprintf(dir, sizeof dir, "%s/%s", plan->out, c->experiment);
    if (lab_experiment_run(c->experiment, &options, c->run, &outcome))
        return sweep_lost(c, "its file could not be written");
    json_t *row = row_of(c);
    if (!row) return NULL;
    json_object_set_new(row, "contact", json_string(lab_contact_name(outcome.contact)));
    put(row, "h", outcome.h);
    count(row, "failed", outcome.failed);
    json_object_set_new(row, "why",
                        json_string(outcome.failed ? "the simulation ended early" : ""));
    json_object_set_new(row, "figure_1", json_string("initial condition"));
    put(row, "value_1", outcome.set);
    put(row, "seconds", lab_now() - start);
    return text_of(row);
}

/* The scene of a case, and the file if it is one, which is the caller's to free. Null: text says
 * what is wrong with it. */
static const lab_scene *scene_of(const sweep_case *c, lab_file **file, char text[LAB_TEXT])
{
    *file = NULL;
    snprintf(text, LAB_TEXT, "no such scene");
    if (!lab_is_file(c->scene)) return lab_scene_find(c->scene);
    *file = lab_file_read(c->scene, c->mesh_dir, NULL, text);
    return *file ? lab_file_scene(*file) : NULL;
}

int sweep_case_is_refused(const sweep_case *c, char text[LAB_TEXT])
{
    lab_file *file;
    lab_setting set[SWEEP_SETS];
    if (c->experiment) return 0;
    const lab_scene *scene = scene_of(c, &file, text);
    lab_options options = sweep_case_options(c, set);
    options.data = file;
    int refused = !scene || lab_is_refused(scene, &options, text);
    lab_file_free(file);
    return refused;
}

char *sweep_run(const sweep_plan *plan, const sweep_case *c)
{
    char text[LAB_TEXT];
    double start = lab_now();
    lab_file *file;
    if (c->experiment) return run_experiment(plan, c);
    const lab_scene *scene = scene_of(c, &file, text);
    if (!scene) return sweep_lost(c, text);
    lab_setting set[SWEEP_SETS];
    lab_options options = sweep_case_options(c, set);
    options.data = file;
    check_result result;
    check_scene(scene, &options, &result);
    json_t *row = row_of(c);
    if (row) {
        if (c->h == 0) put(row, "h", scene->h);
        put_check(row, &result);
        put_stats(row, &result.total);
        put(row, "seconds", lab_now() - start);
    }
    lab_file_free(file);
    return text_of(row);
}
