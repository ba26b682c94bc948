/* One run as the page's script reads it. */
#include "demos/report/json_put.h"
#include "demos/report/page_pack.h"
#include "demos/report/page_run.h"
#include "demos/world/run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MOST 20000 /* points of a plot */

typedef struct run {
    FILE *file;
    const lab_trace *trace;
    int *moving; /* bodies whose pose changes */
    int count;
    long *kept; /* frames with poses */
    long frames;
    long *with_contacts; /* indices in kept */
    long contact_frames;
    int bad;
} run;

/* ---- what is kept ---------------------------------------------------------------------------- */

static int moves(const lab_trace *t, int body)
{
    const double *first = t->frame[0].state[body].pose;
    if (t->body[body].kind != LAB_STATIC) return 1;
    for (long k = 0; k < t->frames; k++)
        if (memcmp(first, t->frame[k].state[body].pose, sizeof t->frame->state->pose) != 0)
            return 1;
    return 0;
}

static long deepest_frame(const lab_trace *t)
{
    long deepest = 0;
    for (long k = 1; k < t->frames; k++)
        if (t->frame[k].depth > t->frame[deepest].depth) deepest = k;
    return deepest;
}

/* Every so many frames, the deepest and the last one. */
static void keep_frames(run *r, size_t budget)
{
    const lab_trace *t = r->trace;
    size_t frame = 40 * (size_t)(r->count + 1), all = frame * (size_t)t->frames;
    long every = 1 + (long)(all / (budget + 1)), deepest = deepest_frame(t);
    for (long k = 0; k < t->frames; k++)
        if (k % every == 0 || k == deepest || k == t->frames - 1) r->kept[r->frames++] = k;
}

/* Contacts may take as much as poses do. */
static void keep_contacts(run *r, size_t budget)
{
    const lab_trace *t = r->trace;
    size_t all = 0;
    for (long i = 0; i < r->frames; i++)
        if (t->frame[r->kept[i]].contacts > 0) all += 17 * (size_t)t->frame[r->kept[i]].contacts;
    long every = 1 + (long)(all / (budget + 1)), deepest = deepest_frame(t);
    for (long i = 0; i < r->frames; i++)
        if (i % every == 0 || r->kept[i] == deepest || i == r->frames - 1)
            r->with_contacts[r->contact_frames++] = i;
}

static int choose(run *r, size_t budget)
{
    const lab_trace *t = r->trace;
    r->moving = malloc(((size_t)t->bodies + 1) * sizeof *r->moving);
    r->kept = malloc(((size_t)t->frames + 1) * sizeof *r->kept);
    r->with_contacts = malloc(((size_t)t->frames + 1) * sizeof *r->with_contacts);
    if (!r->moving || !r->kept || !r->with_contacts) return 0;
    for (int i = 0; i < t->bodies; i++)
        if (moves(t, i)) r->moving[r->count++] = i;
    keep_frames(r, budget);
    keep_contacts(r, budget);
    return 1;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void *room_for(run *r, size_t n, size_t size)
{
    void *values = calloc(n + 1, size);
    if (!values) r->bad = 1;
    return values;
}

static void put_array(run *r, const char *name, const char *type, void *values, size_t n,
                      size_t size, size_t stride)
{
    if (!values) return;
    json_put_string(r->file, name);
    fputc(':', r->file);
    r->bad |= page_put_array(r->file, type, values, n, size, stride);
    free(values);
}

static void put_poses(run *r)
{
    size_t m = (size_t)r->count, n = m * (size_t)r->frames;
    float *pose = room_for(r, 7 * n, sizeof *pose), *depth = room_for(r, n, sizeof *depth);
    for (size_t i = 0; pose && depth && i < n; i++) {
        const trace_frame *f = &r->trace->frame[r->kept[i / m]];
        int body = r->moving[i % m], there = trace_present(f, body);
        for (int k = 0; k < 7; k++) pose[7 * i + k] = there ? (float)f->state[body].pose[k] : NAN;
        depth[i] = f->depth_of ? f->depth_of[body] : 0;
    }
    put_array(r, "pose", "f32", pose, 7 * n, sizeof *pose, 7 * m);
    fputc(',', r->file);
    put_array(r, "depth", "f32", depth, n, sizeof *depth, m);
}

static void put_activity(run *r)
{
    size_t m = (size_t)r->count, n = m * (size_t)r->frames;
    uint16_t *island = room_for(r, n, sizeof *island);
    uint8_t *asleep = room_for(r, n, 1);
    for (size_t i = 0; island && asleep && i < n; i++) {
        const trace_frame *f = &r->trace->frame[r->kept[i / m]];
        int body = r->moving[i % m], number = f->island ? f->island[body] : -1;
        island[i] = number < 0 ? UINT16_MAX : (uint16_t)(number % UINT16_MAX);
        asleep[i] = f->asleep && f->asleep[body];
    }
    put_array(r, "island", "u16", island, n, sizeof *island, m);
    fputc(',', r->file);
    put_array(r, "asleep", "u8", asleep, n, 1, m);
}

static void put_steps(run *r)
{
    size_t n = (size_t)r->frames;
    uint32_t *step = room_for(r, n, sizeof *step), *of = room_for(r, n, sizeof *of);
    long at = 0;
    for (long i = 0; step && of && i < r->frames; i++) {
        step[i] = (uint32_t)r->trace->frame[r->kept[i]].step;
        while (at + 1 < r->contact_frames && r->with_contacts[at + 1] <= i) at++;
        of[i] = (uint32_t)at;
    }
    put_array(r, "step", "u32", step, n, sizeof *step, 1);
    fputc(',', r->file);
    put_array(r, "contactFrame", "u32", of, n, sizeof *of, 1);
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef struct facet {
    int body, part, face;
} facet;

static int by_facet(const void *a, const void *b)
{
    const facet *p = a, *q = b;
    if (p->body != q->body) return p->body < q->body ? -1 : 1;
    if (p->part != q->part) return p->part < q->part ? -1 : 1;
    return (p->face > q->face) - (p->face < q->face);
}

typedef struct contact_arrays {
    size_t n;
    double low[3], high[3];
    const trace_contact **of;
    facet *facet; /* sorted, each once */
    size_t facets;
} contact_arrays;

static facet facet_of(const trace_contact *c)
{
    return (facet){c->features == PEG_FACE_VERTEX ? c->a : c->b, c->part, c->face};
}

static void gather_contacts(run *r, contact_arrays *c)
{
    const lab_trace *t = r->trace;
    for (long i = 0; i < r->contact_frames; i++) {
        int n = t->frame[r->kept[r->with_contacts[i]]].contacts;
        c->n += n > 0 ? (size_t)n : 0;
    }
    c->of = room_for(r, c->n, sizeof *c->of);
    c->facet = room_for(r, c->n, sizeof *c->facet);
    if (r->bad) return;
    size_t at = 0, facets = 0;
    for (int k = 0; k < 3; k++) c->low[k] = INFINITY, c->high[k] = -INFINITY;
    for (long i = 0; i < r->contact_frames; i++) {
        const trace_frame *f = &t->frame[r->kept[r->with_contacts[i]]];
        for (int p = 0; p < f->contacts; p++) {
            const trace_contact *one = c->of[at++] = &f->contact[p];
            if (one->face >= 0) c->facet[facets++] = facet_of(one);
            for (int k = 0; k < 3; k++) {
                c->low[k] = fmin(c->low[k], one->x[k]);
                c->high[k] = fmax(c->high[k], one->x[k]);
            }
        }
    }
    qsort(c->facet, facets, sizeof *c->facet, by_facet);
    for (size_t i = 0; i < facets; i++)
        if (c->facets == 0 || by_facet(&c->facet[c->facets - 1], &c->facet[i]) != 0)
            c->facet[c->facets++] = c->facet[i];
}

static uint32_t facet_number(const contact_arrays *c, const trace_contact *one)
{
    facet wanted = facet_of(one);
    const facet *found =
        one->face < 0 ? NULL : bsearch(&wanted, c->facet, c->facets, sizeof wanted, by_facet);
    return found ? (uint32_t)(found - c->facet + 1) : 0;
}

static void put_contact_arrays(run *r, const contact_arrays *c)
{
    uint32_t *count = room_for(r, (size_t)r->contact_frames, sizeof *count);
    uint16_t *pos = room_for(r, 3 * c->n, sizeof *pos);
    int8_t *normal = room_for(r, 3 * c->n, 1);
    float *impulse = room_for(r, c->n, sizeof *impulse);
    uint32_t *number = room_for(r, c->n, sizeof *number);
    if (r->bad) return;
    for (long i = 0; i < r->contact_frames; i++) {
        int n = r->trace->frame[r->kept[r->with_contacts[i]]].contacts;
        count[i] = n > 0 ? (uint32_t)n : 0;
    }
    for (size_t i = 0; i < c->n; i++) {
        const trace_contact *one = c->of[i];
        for (int k = 0; k < 3; k++) {
            double size = c->high[k] - c->low[k];
            pos[3 * i + (size_t)k] =
                (uint16_t)(size > 0 ? nearbyint((one->x[k] - c->low[k]) / size * 65535) : 0);
            normal[3 * i + (size_t)k] = (int8_t)nearbyint(127 * fmax(-1, fmin(1, one->normal[k])));
        }
        uint32_t bits;
        float value = (float)one->impulse;
        memcpy(&bits, &value, sizeof bits);
        bits &= 0xfffff000u; /* three digits are enough for lines */
        memcpy(&impulse[i], &bits, sizeof bits);
        number[i] = facet_number(c, one);
    }
    put_array(r, "count", "u32", count, (size_t)r->contact_frames, sizeof *count, 1);
    fputc(',', r->file);
    put_array(r, "pos", "u16", pos, 3 * c->n, sizeof *pos, 3);
    fputc(',', r->file);
    put_array(r, "normal", "i8", normal, 3 * c->n, 1, 3);
    fputc(',', r->file);
    put_array(r, "impulse", "f32", impulse, c->n, sizeof *impulse, 1);
    fputc(',', r->file);
    put_array(r, "facet", "u32", number, c->n, sizeof *number, 1);
}

static void put_contacts(run *r)
{
    contact_arrays c = {0};
    int any = 0;
    for (long k = 0; k < r->trace->frames; k++) any |= r->trace->frame[k].contacts > 0;
    if (!any) return;
    gather_contacts(r, &c);
    fputs(",\"contacts\":{\"low\":", r->file);
    json_put_numbers(r->file, c.low, 3, 9);
    fputs(",\"high\":", r->file);
    json_put_numbers(r->file, c.high, 3, 9);
    fputs(",\"arrays\":{", r->file);
    put_contact_arrays(r, &c);
    fputs("}},\"facets\":[", r->file);
    for (size_t i = 0; i < c.facets; i++)
        fprintf(r->file, "%s[%d,%d,%d]", i ? "," : "", c.facet[i].body, c.facet[i].part,
                c.facet[i].face);
    fputc(']', r->file);
    free(c.of);
    free(c.facet);
}

/* ---- series ---------------------------------------------------------------------------------- */

static double value_of(const lab_trace *t, const trace_frame *f, int which)
{
    switch (which) {
    case 0:
        return f->volume;
    case 1:
        return f->depth;
    case 2:
        return trace_energy(t, f);
    case 3:
        return f->contacts < 0 || f->step == 0 ? NAN : f->contacts;
    case 4:
        return f->figure[TRACE_ITERATIONS];
    case 5:
        return f->figure[TRACE_UNCONVERGED];
    default:
        return f->figure[TRACE_MS];
    }
}

/* Of more points than a plot can show, the largest of each group. */
static void put_series(run *r)
{
    static const char *const name[] = {"overlap",    "depth",       "energy", "contacts",
                                       "iterations", "unconverged", "ms"};
    const lab_trace *t = r->trace;
    long every = (t->frames + SERIES_MOST - 1) / SERIES_MOST;
    size_t n = (size_t)((t->frames + every - 1) / every);
    uint32_t *step = room_for(r, n, sizeof *step);
    fputs(",\"times\":[", r->file);
    for (size_t i = 0; i < n; i++) {
        if (i) fputc(',', r->file);
        json_put_number(r->file, t->frame[(long)i * every].t, 9);
        if (step) step[i] = (uint32_t)t->frame[(long)i * every].step;
    }
    fputs("],\"series\":{", r->file);
    put_array(r, "step", "u32", step, n, sizeof *step, 1);
    for (int which = 0; which < 7; which++) {
        float *value = room_for(r, n, sizeof *value);
        for (long k = 0; value && k < t->frames; k++) {
            float *to = &value[k / every], v = (float)value_of(t, &t->frame[k], which);
            *to = k % every ? fmaxf(*to, v) : v;
        }
        fputc(',', r->file);
        put_array(r, name[which], "f32", value, n, sizeof *value, 1);
    }
    fputc('}', r->file);
}

static void put_figures(run *r)
{
    const lab_trace *t = r->trace;
    size_t n = (size_t)t->frames;
    double *volume = room_for(r, n, sizeof *volume), most = 0, gain = NAN;
    long deepest = deepest_frame(t), first = t->frames > 1;
    if (!volume) return;
    for (long k = first; k < t->frames; k++) {
        volume[k] = t->frame[k].volume;
        most = fmax(most, volume[k]);
        if (k == 0 || t->frame[k].step != t->frame[k - 1].step + 1) continue;
        double step = trace_energy_gain(t, &t->frame[k]);
        gain = isnan(gain) ? step : fmax(gain, step);
    }
    fputs(",\"figures\":{\"depthMax\":", r->file);
    json_put_number(r->file, t->frame[deepest].depth, 17);
    fprintf(r->file, ",\"depthTime\":%.9g,\"steps\":%ld,\"overlapMedian\":", t->frame[deepest].t,
            t->frame[t->frames - 1].step);
    json_put_number(r->file, lab_quantile(volume + first, t->frames - first, .5), 17);
    fputs(",\"overlapMax\":", r->file);
    json_put_number(r->file, most, 17);
    fputs(",\"gainMax\":", r->file);
    json_put_number(r->file, isnan(gain) ? gain : fmax(0, gain), 9);
    fputc('}', r->file);
    free(volume);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void put_body(FILE *file, const trace_body *b)
{
    static const char *const kind[] = {
        [LAB_STATIC] = "static", [LAB_KINEMATIC] = "kinematic", [LAB_DYNAMIC] = "dynamic"};
    fputs("{\"name\":", file);
    json_put_string(file, b->name);
    fprintf(file, ",\"kind\":\"%s\",\"parts\":[", kind[b->kind]);
    for (int i = 0; i < b->parts; i++) {
        if (i) fputc(',', file);
        trace_put_part(file, b->part[i], 9);
    }
    fputs("]}", file);
}

static void put_bodies(run *r)
{
    const lab_trace *t = r->trace;
    int n = 0;
    fputs(",\"bodies\":[", r->file);
    for (int i = 0; i < t->bodies; i++) {
        if (i) fputc(',', r->file);
        put_body(r->file, &t->body[i]);
    }
    fputs("],\"fixed\":[", r->file);
    for (int i = 0; i < t->bodies; i++) {
        if (moves(t, i) || !trace_present(t->frame, i)) continue;
        fprintf(r->file, "%s{\"body\":%d,\"pose\":", n++ ? "," : "", i);
        json_put_numbers(r->file, t->frame[0].state[i].pose, 7, 17);
        fputc('}', r->file);
    }
    fputs("],\"moving\":[", r->file);
    for (int i = 0; i < r->count; i++) fprintf(r->file, "%s%d", i ? "," : "", r->moving[i]);
    fputc(']', r->file);
}

static void put_head(run *r, const char *label)
{
    const lab_trace *t = r->trace;
    double mean = trace_mean_volume(t);
    fputs("{\"label\":", r->file);
    json_put_string(r->file, label);
    fputs(",\"contact\":", r->file);
    json_put_string(r->file, t->contact);
    fprintf(r->file, ",\"h\":%.17g,\"planar\":%s,\"meanVolume\":", t->h,
            t->is_planar ? "true" : "false");
    json_put_number(r->file, mean, 17);
    fputs(",\"bodySize\":", r->file);
    json_put_number(r->file, mean > 0 ? cbrt(mean) : 1, 9);
    if (t->has_gravity) fputs(",\"gravity\":", r->file);
    if (t->has_gravity) json_put_numbers(r->file, t->gravity, 3, 9);
    if (t->has_view) {
        fputs(",\"view\":[", r->file);
        json_put_numbers(r->file, t->view[0], 3, 9);
        fputc(',', r->file);
        json_put_numbers(r->file, t->view[1], 3, 9);
        fputc(']', r->file);
    }
    if (t->has_camera) fputs(",\"camera\":", r->file);
    if (t->has_camera) json_put_numbers(r->file, t->camera, 3, 9);
    fputs(",\"time\":[", r->file);
    for (long i = 0; i < r->frames; i++) {
        if (i) fputc(',', r->file);
        json_put_number(r->file, t->frame[r->kept[i]].t, 9);
    }
    fputc(']', r->file);
}

int page_put_run(FILE *file, const lab_trace *trace, const char *label, size_t budget)
{
    run r = {.file = file, .trace = trace};
    int whole = choose(&r, budget);
    if (whole) {
        put_head(&r, label);
        put_bodies(&r);
        fputs(",\"arrays\":{", file);
        put_steps(&r);
        fputc(',', file);
        put_poses(&r);
        fputc(',', file);
        put_activity(&r);
        fputc('}', file);
        put_contacts(&r);
        put_series(&r);
        put_figures(&r);
        fputc('}', file);
    }
    free(r.moving);
    free(r.kept);
    free(r.with_contacts);
    return !whole || r.bad;
}
