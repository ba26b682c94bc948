/* Time against step size at equal accuracy: of the steps with which a model leaves little overlap
 * the cheapest, and what a simulated second costs then: one of full motion, or one at rest. */
#include "demos/bench/bench.h"
#include "demos/world/world.h"

#include <math.h>

static const double step_sizes[] = {.1, .05, .02, .01, .005, .002, .001, 5e-4, 2e-4, 1e-4};
#define STEP_SIZES ((int)(sizeof step_sizes / sizeof step_sizes[0]))

static const double ACCURATE = .01;    /* depth of overlap, of the mean body's size */
static const double LOOK_EVERY = 5e-4; /* s, at least: bodies move by less than that depth */

typedef enum outcome { GOOD, TOO_DEEP, FAILED, OUT_OF_TIME } outcome;

static int is_at_rest(const bench_job *job)
{
    return job->what.measure == BENCH_ACCURACY_AT_REST;
}

/* One simulated second from the lead's state. second: the most that it may cost, s, and what it
 * costs, or would if it were finished. */
static outcome attempt(const bench_job *job, const lab_world *lead, lab_contact model, double h,
                       double until, double *second)
{
    lab_world *w = bench_open(job, model, h);
    if (!w) return FAILED;
    long steps = lround(1 / h), every = lround(LOOK_EVERY / h);
    double limit = ACCURATE * cbrt(lab_mean_volume(w)) / w->scale, depth = 0, volume;
    double most = *second, begun;
    outcome result = lab_match(w, lead) ? FAILED : GOOD;
    if (result == GOOD && is_at_rest(job) && model == LAB_PEG && bench_come_to_rest(w, until))
        result = FAILED;
    begun = w->cpu_seconds;
    for (long i = 0; i < steps && result == GOOD; i++) {
        if (lab_step(w)) result = FAILED;
        if (result == GOOD && (every < 2 || i % every == 0)) lab_overlap(w, 1, &volume, &depth);
        if (depth > limit) result = TOO_DEEP;
        *second = (w->cpu_seconds - begun) / (double)(i + 1) * (double)steps;
        int dear = w->cpu_seconds - begun > most;
        if (result == GOOD && i + 1 < steps && (dear || lab_cpu_now() > until))
            result = OUT_OF_TIME;
    }
    lab_close(w);
    return result;
}

typedef struct finding {
    double h, second; /* nan: none found */
    double at_least;  /* s, if none was found: what the first step size not refuted would cost */
} finding;

/* The largest step, and smaller ones as long as these are cheaper. */
static finding search(const bench_job *job, const lab_world *lead, lab_contact model, double until)
{
    finding f = {NAN, NAN, NAN};
    for (int i = 0; i < STEP_SIZES; i++) {
        int found = !isnan(f.h);
        double second = found ? f.second : INFINITY;
        outcome result = attempt(job, lead, model, step_sizes[i], until, &second);
        if (found && !(result == GOOD && second < f.second)) break;
        if (result == GOOD)
            f = (finding){step_sizes[i], second, NAN};
        else
            f.at_least = second;
        if (result == OUT_OF_TIME) break;
    }
    return f;
}

/* What a simulated second costs against another model; a bound where that one has only a bound. */
static double against(const finding *f, const bench_job *job, lab_contact to, const finding *self)
{
    for (int i = 0; i < job->models; i++)
        if (job->model[i] == to)
            return self->second / (isnan(f[i].second) ? f[i].at_least : f[i].second);
    return NAN;
}

void bench_accuracy(const bench_job *job)
{
    finding found[LAB_CONTACT_COUNT];
    double now = lab_cpu_now();
    int early;
    lab_world *lead = bench_lead(job, !is_at_rest(job), lab_scene_find(job->what.scene)->h,
                                 now + .3 * (job->end - now), &early);
    if (!lead) return;
    for (int i = job->models - 1; i >= 0; i--) { /* QuickStep, the cheapest, is the last */
        now = lab_cpu_now();
        double until = now + (job->end - now) / (i + 1);
        found[i] = search(job, lead, job->model[i], until);
        if (isnan(found[i].h))
            bench_skip(job, "no step size found for %s", lab_contact_name(job->model[i]));
    }
    for (int i = 0; i < job->models; i++) {
        const finding *f = &found[i];
        bench_emit(job, "equal_accuracy",
                   json_pack("{s:s, s:i, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "scene",
                             job->what.scene, "n", job->what.n, "mu", bench_mu(job->what.mu),
                             "phase", is_at_rest(job) ? "settled" : "moving", "model",
                             lab_contact_name(job->model[i]), "h", lab_number(f->h), "second_ms",
                             lab_number(1e3 * f->second), "second_ms_at_least",
                             lab_number(1e3 * f->at_least), "ratio_ode",
                             lab_number(against(found, job, LAB_ODE, f)), "ratio_quick",
                             lab_number(against(found, job, LAB_ODE_QUICK, f))));
    }
    lab_close(lead);
}
