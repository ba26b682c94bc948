/* Measures a trace anew: overlap, energy and momentum from nothing but shapes and states. */
#include "demos/report/output.h"
#include "demos/report/trace_check.h"
#include "demos/report/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

typedef struct largest {
    double value;
    long step;
} largest;

static void raise_to(largest *most, double value, long step)
{
    if (value > most->value || most->step < 0) *most = (largest){value, step};
}

typedef struct check {
    largest volume, depth, gain, impulse, path;
    double median, energy[2], momentum[2][3];
    long impulses; /* bodies and steps whose change of momentum could be checked */
} check;

/* ---- from step to step ----------------------------------------------------------------------- */

/* Adds the impulses of a frame's contacts to sum[body]. */
static void add_impulses(const trace_frame *f, double (*sum)[3])
{
    for (int i = 0; i < f->contacts; i++) {
        const trace_contact *c = &f->contact[i];
        for (int k = 0; k < 3; k++) {
            double J = c->impulse * c->normal[k] + c->friction[k];
            sum[c->a][k] += J, sum[c->b][k] -= J;
        }
    }
}

/* m (v' - v) - m h g - contact impulses of bodies without joints, relative to m h g. */
static void check_impulses(const lab_trace *t, const trace_frame *f, const unsigned char *joined,
                           double (*sum)[3], check *c)
{
    double g = peg_norm(t->gravity);
    memset(sum, 0, (size_t)t->bodies * sizeof *sum);
    add_impulses(f, sum);
    for (int i = 0; i < t->bodies; i++) {
        const trace_body *b = &t->body[i];
        double left[3];
        if (b->kind != LAB_DYNAMIC || joined[i] || !trace_present(f - 1, i) ||
            !trace_present(f, i) || (f->asleep && f->asleep[i]))
            continue;
        for (int k = 0; k < 3; k++)
            left[k] = b->mass * (f->state[i].vel[k] - f[-1].state[i].vel[k]) -
                      b->mass * t->h * t->gravity[k] - sum[i][k];
        c->impulses++;
        raise_to(&c->impulse, peg_norm(left) / (b->mass * t->h * g), f->step);
    }
}

/* |x' - x - h v'|: whether positions follow from velocities, m. */
static void check_paths(const lab_trace *t, const trace_frame *f, check *c)
{
    for (int i = 0; i < t->bodies; i++) {
        double d[3];
        if (t->body[i].kind != LAB_DYNAMIC || !trace_present(f - 1, i) || !trace_present(f, i))
            continue;
        peg_sub(f->state[i].pose, f[-1].state[i].pose, d);
        peg_add_scaled(d, -t->h, f->state[i].vel, d);
        raise_to(&c->path, peg_norm(d), f->step);
    }
}

static int check_steps(const lab_trace *t, check *c)
{
    unsigned char *joined = calloc((size_t)t->bodies + 1, 1);
    double(*sum)[3] = calloc((size_t)t->bodies + 1, sizeof *sum);
    int whole = joined && sum;
    for (int i = 0; whole && i < t->pairs; i++)
        joined[t->connected[i][0]] = joined[t->connected[i][1]] = 1;
    for (long k = 1; whole && k < t->frames; k++) {
        const trace_frame *f = &t->frame[k];
        if (f->step != f[-1].step + 1) continue;
        raise_to(&c->gain, trace_energy_gain(t, f), f->step);
        check_paths(t, f, c);
        if (f->contacts >= 0 && t->has_gravity && peg_norm(t->gravity) > 0)
            check_impulses(t, f, joined, sum, c);
    }
    free(joined);
    free(sum);
    return whole;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int run_check(lab_trace *t, int progress, check *c)
{
    double angular[3], *volume = malloc(((size_t)t->frames + 1) * sizeof *volume);
    *c = (check){
        .volume.step = -1, .depth.step = -1, .gain.step = -1, .impulse.step = -1, .path.step = -1};
    if (!volume || trace_measure(t, progress)) {
        free(volume);
        return 0;
    }
    for (long k = 0; k < t->frames; k++) {
        const trace_frame *f = &t->frame[k];
        volume[k] = f->volume;
        raise_to(&c->volume, f->volume, f->step);
        raise_to(&c->depth, f->depth, f->step);
    }
    c->median = lab_quantile(volume + (t->frames > 1), t->frames - (t->frames > 1), .5);
    free(volume);
    for (int end = 0; end < 2; end++) {
        const trace_frame *f = &t->frame[end ? t->frames - 1 : 0];
        c->energy[end] = trace_energy(t, f);
        trace_momentum(t, f, c->momentum[end], angular);
    }
    return check_steps(t, c);
}

static json_t *largest_json(const largest *l)
{
    return json_pack("{s:o, s:I}", "max", lab_number(l->step < 0 ? NAN : l->value), "step",
                     (json_int_t)l->step);
}

static json_t *check_json(const lab_trace *t, const check *c)
{
    const double *p = c->momentum[0], *q = c->momentum[1];
    return json_pack("{s:s, s:s, s:f, s:I, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o}",
                     "scene", t->scene, "contact", t->contact, "h", t->h, "steps",
                     (json_int_t)t->frame[t->frames - 1].step, "overlap_volume",
                     largest_json(&c->volume), "overlap_volume_median", lab_number(c->median),
                     "depth", largest_json(&c->depth), "path", largest_json(&c->path), "energy",
                     "initial", lab_number(c->energy[0]), "final", lab_number(c->energy[1]),
                     "gain_max_per_step", lab_number(c->gain.step < 0 ? NAN : c->gain.value),
                     "momentum_residual", largest_json(&c->impulse), "momentum_initial",
                     json_pack("[o, o, o]", lab_number(p[0]), lab_number(p[1]), lab_number(p[2])),
                     "momentum_final",
                     json_pack("[o, o, o]", lab_number(q[0]), lab_number(q[1]), lab_number(q[2])));
}

static void print_check(const char *path, const lab_trace *t, const check *c)
{
    double mean = trace_mean_volume(t), percent = mean > 0 ? 100 / mean : 0;
    int dynamic = 0;
    for (int i = 0; i < t->bodies; i++) dynamic += t->body[i].kind == LAB_DYNAMIC;
    printf("%s: %s%s%s, %d bodies, h = %g s, steps %ld to %ld\n", path, t->scene,
           *t->scene ? ", " : "", trace_contact_label(t->contact), dynamic, t->h, t->frame[0].step,
           t->frame[t->frames - 1].step);
    printf("overlap            median %.3g %% of a body, max %.3g %% (step %ld)\n",
           percent * c->median, percent * c->volume.value, c->volume.step);
    printf("deepest            %.3g mm (step %ld)\n", 1e3 * c->depth.value, c->depth.step);
    if (isfinite(c->energy[0]))
        printf(
            "energy             %.6g J to %.6g J, largest increase in a step %.3g J (step %ld)\n",
            c->energy[0], c->energy[1], fmax(0, c->gain.value), c->gain.step);
    else
        printf("energy             unknown: the trace has no gravity or inertia\n");
    printf("momentum           (%.3g, %.3g, %.3g) to (%.3g, %.3g, %.3g) N s\n", c->momentum[0][0],
           c->momentum[0][1], c->momentum[0][2], c->momentum[1][0], c->momentum[1][1],
           c->momentum[1][2]);
    if (c->impulses)
        printf(
            "momentum residual  %.3g of m g h (step %ld): change of momentum without gravity and "
            "contact impulses\n",
            c->impulse.value, c->impulse.step);
    if (c->path.step >= 0)
        printf("position residual  %.3g mm (step %ld): x' - x - h v'\n", 1e3 * c->path.value,
               c->path.step);
}

int lab_check(const char *path, const char *summary, int quiet)
{
    char text[LAB_TEXT];
    check c;
    int status = 0;
    lab_trace *t = trace_read(path, text);
    if (!t) {
        fprintf(stderr, "peg-lab: %s\n", text);
        return 2;
    }
    if (!run_check(t, !quiet, &c)) {
        fputs("peg-lab: out of memory\n", stderr);
        status = 1;
    } else {
        if (!quiet) print_check(path, t, &c);
        json_t *json = summary ? check_json(t, &c) : NULL;
        if (summary && lab_json_write(json, summary)) {
            fprintf(stderr, "peg-lab: cannot write '%s': choose another file with --summary\n",
                    summary);
            status = 2;
        }
        json_decref(json);
    }
    trace_free(t);
    return status;
}
