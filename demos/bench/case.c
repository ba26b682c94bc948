/* What a step costs: the same state stepped by all contact models, in turns. */
#include "demos/bench/bench.h"
#include "demos/world/world.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MS, CPU, PAIRS, ROWS, SOLVE, CHECK, ODE, PROBLEM, OUTER, COLUMNS };

#define BLOCK     5    /* steps of one model before the next one's turn */
#define STEPS_MAX 60   /* timed, of a phase */
#define STEPS_FEW 6    /* of dWorldStep where it is very slow */
#define AT_REST   1e-6 /* m/s: what moves slower has settled */
#define TOUCHING  10   /* steps in a row with contacts, after which a stock model has sunk in, .. */
#define SINKING   400  /* .. which may take so many */
#define RESTED    10   /* steps in a row without any motion end the settling, .. */
#define SETTLING  400  /* .. which takes so many at most */
#define LEADING   .75  /* of its time a case may take to come into the state that is timed */
#define MOVING    .3   /* s: from then on bodies hit each other, whatever the scene */
#define PATIENCE                                                                                   \
    20 /* s: so long a pile may take to come to rest; without friction it never does               \
        */

typedef struct contender {
    lab_contact model;
    lab_world *w;
    double value[COLUMNS][STEPS_MAX];
    int steps, wanted;
    double spent, room; /* s, of stepping; what it may spend */
    double depth, volume, speed;
    double memory;      /* bytes that the contacts hold; the stock models do not say */
    double (*start)[3]; /* where the bodies were before the timed steps */
} contender;

/* ---- saying ---------------------------------------------------------------------------------- */

const char *bench_measure_name(bench_measure measure)
{
    static const char *const names[] = {"moving", "settled", "equal accuracy",
                                        "equal accuracy at rest"};
    return names[measure];
}

void bench_emit(const bench_job *job, const char *list, json_t *value)
{
    json_t *line = json_pack("{s:o}", list, value);
    if (line) json_dumpf(line, job->out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    fputc('\n', job->out);
    fflush(job->out);
    json_decref(line);
}

void bench_skip(const bench_job *job, const char *format, ...)
{
    char text[LAB_TEXT];
    const bench_case *c = &job->what;
    int used = snprintf(text, sizeof text, "%s n=%d mu=%g, %s: ", c->scene, c->n, c->mu,
                        bench_measure_name(c->measure));
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, list);
    va_end(list);
    if (!job->quiet) fprintf(stderr, "bench: %s\n", text);
    bench_emit(job, "skipped", json_string(text));
}

static int is_stock(lab_contact model)
{
    return model == LAB_ODE || model == LAB_ODE_QUICK;
}

/* ---- states ---------------------------------------------------------------------------------- */

lab_world *bench_open(const bench_job *job, lab_contact model, double h)
{
    const bench_case *c = &job->what;
    char text[LAB_TEXT];
    int user;
    lab_setting bodies = {.value = c->n};
    if (c->key) snprintf(bodies.key, sizeof bodies.key, "%s", c->key);
    lab_options options = {.contact = model,
                           .h = h,
                           .seed = job->seed,
                           .mu_given = 1,
                           .mu = c->mu,
                           .set = &bodies,
                           .sets = c->key != NULL};
    lab_world *w = lab_open(lab_scene_find(c->scene), &options, text, &user);
    if (!w)
        bench_skip(job, "%s: %s", lab_contact_name(model), text);
    else
        w->options.set = NULL, w->options.sets = 0; /* asked for; the setting lives no longer */
    return w;
}

/* Largest speed of a body, of its centre or by its turning, m/s. */
static double speed_of(const lab_world *w)
{
    double speed = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double v[3], omega[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        lab_motion(b, v, omega);
        double turning = hypot(hypot(omega[0], omega[1]), omega[2]) * cbrt(b->volume) / 2;
        speed = fmax(speed, fmax(hypot(hypot(v[0], v[1]), v[2]), turning));
    }
    return speed;
}

/* Time in which the topmost body would fall to the floor, at z = 0. */
static double fall_time(const lab_world *w)
{
    double top = 0, x[3];
    for (int i = 0; i < w->bodies; i++) {
        lab_pose(w->body[i], x, NULL);
        if (w->body[i]->kind == LAB_DYNAMIC && w->body[i]->present) top = fmax(top, x[2]);
    }
    return sqrt(2 * top / 9.81);
}

lab_world *bench_lead(const bench_job *job, int moving, double h, double until, int *early)
{
    lab_world *w = bench_open(job, LAB_PEG, h);
    *early = 0;
    if (!w) return NULL;
    double fall = fall_time(w) + job->what.entering;
    /* at .6 of the fall the lower half has landed; settled: a second later, or as long again */
    double to = moving ? .6 * fall : 2 * fall + (job->what.mu > 0 ? PATIENCE : 4),
           least = moving ? MOVING : fall + 1;
    while (lab_time(w) < to - h / 2) {
        int enough = lab_time(w) > least - h / 2;
        if (enough && !moving && speed_of(w) < AT_REST) break;
        if ((*early = enough && lab_cpu_now() > until)) break;
        int bad = lab_step(w);
        if (bad)
            bench_skip(job, "%s", lab_error(w));
        else if (!enough && lab_cpu_now() > until)
            bad = 1,
            bench_skip(job, "not reached: no more time at t = %.3g of %.3g s", lab_time(w), least);
        if (!bad) continue;
        lab_close(w);
        return NULL;
    }
    return w;
}

/* ---- contenders ------------------------------------------------------------------------------ */

static int step_once(contender *c)
{
    pegStats a, b;
    long rows = c->w->ode_rows;
    lab_totals(c->w, &a);
    if (lab_step(c->w)) return 0;
    lab_totals(c->w, &b);
    c->spent += c->w->last_cpu;
    int i = c->steps++;
    c->value[MS][i] = 1e3 * c->w->last_seconds;
    c->value[CPU][i] = 1e3 * c->w->last_cpu;
    c->value[PAIRS][i] = 1e3 * (b.time_pairs - a.time_pairs);
    c->value[ROWS][i] = 1e3 * (b.time_rows - a.time_rows);
    c->value[SOLVE][i] = 1e3 * (b.time_solve - a.time_solve);
    c->value[CHECK][i] = 1e3 * (b.time_check - a.time_check);
    c->value[ODE][i] = 1e3 * (b.time_ode - a.time_ode);
    double solves = fmax(1, (double)(b.solves - a.solves));
    double islands = (double)(b.islands - a.islands);
    c->value[PROBLEM][i] =
        (double)(b.rows - a.rows) * islands / solves + (double)(c->w->ode_rows - rows);
    c->memory = (double)b.memory;
    c->value[OUTER][i] =
        islands > 0 ? (double)(b.outer_iterations - a.outer_iterations) / islands : 0;
    return 1;
}

static void measure(contender *c)
{
    double depth, volume;
    lab_overlap(c->w, 1, &volume, &depth);
    c->depth = fmax(c->depth, depth);
    c->volume = fmax(c->volume, volume);
    c->speed = fmax(c->speed, speed_of(c->w));
}

/* Largest move of a body in the timed steps, m. */
static double drift_of(const contender *c)
{
    double drift = 0, x[3];
    for (int i = 0; i < c->w->bodies; i++) {
        lab_pose(c->w->body[i], x, NULL);
        if (c->w->body[i]->kind != LAB_DYNAMIC || !c->w->body[i]->present) continue;
        const double *s = c->start[i];
        drift = fmax(drift, hypot(hypot(x[0] - s[0], x[1] - s[1]), x[2] - s[2]));
    }
    return drift;
}

/* Bodies, at most, with which the dense solvers of a model make all steps, and a few. */
typedef struct capacity {
    int all, few;
} capacity;

/* dWorldStep's cost grows with the cube of its rows; the standard model's as fast, where its exact
 * solvers have to do. */
static capacity capacity_of(lab_contact model)
{
    if (model == LAB_ODE) return (capacity){30, 110};
    if (model == LAB_PEG || model == LAB_ODE_QUICK) return (capacity){INT_MAX, INT_MAX};
    return (capacity){110, 300};
}

static int wanted_steps(const bench_job *job, lab_contact model)
{
    capacity most = capacity_of(model);
    if (job->what.n <= most.all) return job->quick ? STEPS_MAX / 2 : STEPS_MAX;
    return job->what.n <= most.few ? STEPS_FEW : 0;
}

int bench_come_to_rest(lab_world *w, double until)
{
    for (int i = 0, rested = 0; i < SETTLING && rested < RESTED && lab_cpu_now() < until; i++) {
        if (lab_step(w)) return 1;
        rested = speed_of(w) > 0 ? 0 : rested + 1;
    }
    return 0;
}

/* Brings the model into the lead's state and lets it find its own contacts: from rest the stock
 * models first have to sink in. Exact contacts that rest go on in the lead itself, which knows the
 * impulses already. */
static int enter(const bench_job *job, contender *c, lab_world *lead, int moving)
{
    int warm = moving ? 2 : c->model == LAB_PEG || c->model == LAB_ST ? 30 : 100;
    c->wanted = wanted_steps(job, c->model);
    if (c->wanted == STEPS_FEW) warm = STEPS_FEW;
    if (c->wanted == 0) {
        bench_skip(job, "%s takes too long at this size", lab_contact_name(c->model));
        return 0;
    }
    int goes_on = c->model == LAB_PEG && !moving;
    c->w = goes_on ? lead : bench_open(job, c->model, lead->h);
    c->start = c->w ? malloc((size_t)c->w->bodies * sizeof *c->start) : NULL;
    if (!c->start || (!goes_on && lab_match(c->w, lead))) return 0;
    if (goes_on && bench_come_to_rest(c->w, lab_cpu_now() + c->room / 3)) return 0;
    int sinks = !moving && is_stock(c->model);
    for (int i = 0, touching = 0; (i < warm || (sinks && touching < TOUCHING && i < SINKING)) &&
                                  c->spent < c->room / 3 && step_once(c);
         i++) {
        touching = c->value[PROBLEM][0] > 0 ? touching + 1 : 0;
        c->steps = 0;
    }
    c->spent = 0;
    for (int i = 0; i < c->w->bodies; i++) lab_pose(c->w->body[i], c->start[i], NULL);
    return 1;
}

static int is_done(const contender *c)
{
    return !c->w || c->w->failed || c->steps >= c->wanted || (c->spent > c->room && c->steps > 0);
}

static void race(contender *c, int n, int bodies)
{
    int every = 1 + bodies / 500; /* measuring takes all pairs of bodies */
    for (int block = 0, running = 1; running; block++) {
        running = 0;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < BLOCK && !is_done(&c[i]) && step_once(&c[i]); k++) continue;
            running |= !is_done(&c[i]);
            if (c[i].w && c[i].steps && (block % every == 0 || is_done(&c[i]))) measure(&c[i]);
        }
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static json_t *column(const contender *c, int which)
{
    return lab_number(c->steps ? lab_quantile(c->value[which], c->steps, .5) : NAN);
}

/* A stock model without contacts does not do the work that is compared. */
static int has_contacts(const contender *c)
{
    return !is_stock(c->model) || lab_quantile(c->value[PROBLEM], c->steps, .5) > 0;
}

/* Of the medians over the steps that both made: of wall clock, or of processor time, which other
 * work on the machine disturbs less. */
static json_t *ratio(const contender *c, int which, const contender *all, int n, lab_contact to)
{
    for (int i = 0; i < n; i++) {
        int common = all[i].steps < c->steps ? all[i].steps : c->steps;
        if (all[i].model == to && common > 0 && has_contacts(&all[i]))
            return lab_number(lab_quantile(c->value[which], common, .5) /
                              lab_quantile(all[i].value[which], common, .5));
    }
    return json_null();
}

static json_t *record(const bench_job *job, const contender *c, const contender *all, int n,
                      double t, int early)
{
    const bench_case *what = &job->what;
    json_t *phases =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "pairs", column(c, PAIRS), "rows", column(c, ROWS),
                  "solve", column(c, SOLVE), "check", column(c, CHECK), "ode", column(c, ODE));
    json_t *json = json_pack("{s:s, s:i, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                             "scene", what->scene, "n", what->n, "mu", bench_mu(what->mu), "model",
                             lab_contact_name(c->model), "phase", bench_measure_name(what->measure),
                             "h", lab_number(c->w->h), "step_ms", column(c, MS), "phase_ms", phases,
                             "rows", column(c, PROBLEM), "depth_max", lab_number(c->depth),
                             "ratio_ode", ratio(c, MS, all, n, LAB_ODE), "ratio_quick",
                             ratio(c, MS, all, n, LAB_ODE_QUICK));
    if (!json) return NULL;
    json_object_set_new(json, "t", lab_number(t));
    json_object_set_new(json, "early", json_boolean(early));
    json_object_set_new(json, "cpu_ms", column(c, CPU));
    json_object_set_new(json, "cpu_ratio_ode", ratio(c, CPU, all, n, LAB_ODE));
    json_object_set_new(json, "cpu_ratio_quick", ratio(c, CPU, all, n, LAB_ODE_QUICK));
    json_object_set_new(json, "steps", json_integer(c->steps));
    json_object_set_new(json, "complete",
                        json_boolean(c->steps == c->wanted && !early && !c->w->failed));
    json_object_set_new(json, "step_ms_max", lab_number(lab_quantile(c->value[MS], c->steps, 1)));
    json_object_set_new(json, "overlap_volume_max", lab_number(c->volume));
    json_object_set_new(json, "speed_max", lab_number(c->speed));
    json_object_set_new(json, "drift", lab_number(drift_of(c)));
    json_object_set_new(json, "outer_mean", column(c, OUTER));
    double rows = lab_quantile(c->value[PROBLEM], c->steps, .5);
    json_object_set_new(json, "bytes_per_row",
                        c->memory > 0 && rows > 0 ? lab_number(c->memory / rows) : json_null());
    json_object_set_new(json, "ode_messages", json_integer(c->w->ode_messages));
    if (c->w->failed) json_object_set_new(json, "failed", json_string(c->w->error));
    return json;
}

void bench_phase(const bench_job *job)
{
    int early, moving = job->what.measure == BENCH_MOVING;
    double h = lab_scene_find(job->what.scene)->h, now = lab_cpu_now();
    lab_world *lead = bench_lead(job, moving, h, now + LEADING * (job->end - now), &early);
    contender *c = lead ? calloc((size_t)job->models, sizeof *c) : NULL;
    if (c && !job->quiet)
        fprintf(stderr, "bench: %s n=%d mu=%g: %s at t = %.3g s, %.3g s of processor time\n",
                job->what.scene, job->what.n, job->what.mu, bench_measure_name(job->what.measure),
                lab_time(lead), lab_cpu_now() - now);
    for (int i = 0; c && i < job->models; i++) {
        int left = 0;
        for (int k = i; k < job->models; k++) left += wanted_steps(job, job->model[k]) > 0;
        c[i].model = job->model[i];
        c[i].room = fmax(0, job->end - lab_cpu_now()) / (2 * fmax(1, left));
        if (!enter(job, &c[i], lead, moving)) c[i].wanted = 0;
    }
    if (c) race(c, job->models, job->what.n);
    for (int i = 0; c && i < job->models; i++) {
        if (c[i].w && c[i].steps && !has_contacts(&c[i]))
            bench_skip(job, "%s has no contacts in this state: not compared",
                       lab_contact_name(c[i].model));
        else if (c[i].w && c[i].wanted && (c[i].steps || c[i].w->failed))
            bench_emit(job, "records", record(job, &c[i], c, job->models, lab_time(lead), early));
        if (c[i].w != lead) lab_close(c[i].w);
        free(c[i].start);
    }
    free(c);
    lab_close(lead);
}
