/* Time against step size at equal accuracy: the largest step with which a model leaves little
 * overlap, and what a simulated second costs then. */
#include "demos/bench.h"
#include "demos/world.h"

#include <math.h>

static const double step_sizes[] = {.05, .02, .01, .005, .002, .001, 5e-4, 2e-4, 1e-4};
#define STEP_SIZES ((int)(sizeof step_sizes / sizeof step_sizes[0]))

static const double ACCURATE = .01;    /* depth of overlap, of the mean body's size */
static const double LOOK_EVERY = 5e-4; /* s, at least: bodies move by less than that depth */

typedef enum outcome { GOOD, TOO_DEEP, FAILED, OUT_OF_TIME } outcome;

/* One simulated second from the lead's state. second: what it costs, or would if it were finished,
 * s. */
static outcome attempt(const bench_job *job, const lab_world *lead, lab_contact model, double h,
                       double until, double *second)
{
    lab_world *w = bench_open(job, model, h);
    if (!w) return FAILED;
    long steps = lround(1 / h), every = lround(LOOK_EVERY / h);
    double limit = ACCURATE * cbrt(lab_mean_volume(w)) / w->scale, depth = 0, volume;
    outcome result = lab_match(w, lead) ? FAILED : GOOD;
    for (long i = 0; i < steps && result == GOOD; i++) {
        if (lab_step(w)) result = FAILED;
        if (result == GOOD && (every < 2 || i % every == 0)) lab_overlap(w, 1, &volume, &depth);
        if (depth > limit) result = TOO_DEEP;
        *second = w->seconds / (double)(i + 1) * (double)steps;
        if (result == GOOD && i + 1 < steps && lab_now() > until) result = OUT_OF_TIME;
    }
    lab_close(w);
    return result;
}

typedef struct finding {
    double h, second; /* nan: none found */
    double at_least;  /* s, if none was found: what the first step size not refuted would cost */
} finding;

static finding search(const bench_job *job, const lab_world *lead, lab_contact model, double until)
{
    finding f = {NAN, NAN, NAN};
    for (int i = 0; i < STEP_SIZES; i++) {
        double second = 0;
        outcome result = attempt(job, lead, model, step_sizes[i], until, &second);
        if (result == GOOD) return (finding){step_sizes[i], second, NAN};
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
    double now = lab_now();
    int early;
    lab_world *lead =
        bench_lead(job, 1, lab_scene_find(job->what.scene)->h, now + .3 * (job->end - now), &early);
    if (!lead) return;
    for (int i = job->models - 1; i >= 0; i--) { /* QuickStep, the cheapest, is the last */
        now = lab_now();
        double until = now + (job->end - now) / (i + 1);
        found[i] = search(job, lead, job->model[i], until);
        if (isnan(found[i].h))
            bench_skip(job, "no step size found for %s", lab_contact_name(job->model[i]));
    }
    for (int i = 0; i < job->models; i++) {
        const finding *f = &found[i];
        bench_emit(job, "equal_accuracy",
                   json_pack("{s:s, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "scene",
                             job->what.scene, "n", job->what.n, "mu", lab_number(job->what.mu),
                             "model", lab_contact_name(job->model[i]), "h", lab_number(f->h),
                             "second_ms", lab_number(1e3 * f->second), "second_ms_at_least",
                             lab_number(1e3 * f->at_least), "ratio_ode",
                             lab_number(against(found, job, LAB_ODE, f)), "ratio_quick",
                             lab_number(against(found, job, LAB_ODE_QUICK, f))));
    }
    lab_close(lead);
}
