#include "ode_glue/read/auto_disable.h"
#include "peg/base/arena.h"

#include <math.h>
#include <string.h>

/* Adds the body; null when memory is exhausted. */
static peg_idle_body *idle_body_of(struct peg_idle_bodies *g, dBodyID id)
{
    if (g->body.n == g->room) {
        int room = g->room ? 2 * g->room : 64;
        peg_idle_body *of = peg_realloc(g->of, (size_t)room * sizeof *of);
        if (!of) return NULL;
        g->of = of;
        g->room = room;
    }
    int i = peg_map_add(&g->body, id, NULL);
    return i < 0 ? NULL : &g->of[i];
}

/* A body that was destroyed may have left its address to another one: that lies elsewhere. One that
 * the program moved has left what it lay on. */
static int lies_where_left(const peg_idle_body *b, dBodyID id)
{
    return memcmp(b->x, dBodyGetPosition(id), sizeof b->x) == 0 &&
           memcmp(b->q, dBodyGetQuaternion(id), sizeof b->q) == 0;
}

static void restart(peg_idle_body *b, dBodyID id)
{
    b->steps_left = dBodyGetAutoDisableSteps(id);
    b->time_left = dBodyGetAutoDisableTime(id);
}

/* Whether the averages of the last velocities are below the thresholds. */
static int is_slow(peg_idle_body *b, dBodyID id)
{
    double linear = dBodyGetAutoDisableLinearThreshold(id);
    double angular = dBodyGetAutoDisableAngularThreshold(id), sum[6] = {0};
    memcpy(b->sample[b->next], dBodyGetLinearVel(id), 3 * sizeof(double));
    memcpy(b->sample[b->next] + 3, dBodyGetAngularVel(id), 3 * sizeof(double));
    b->next++;
    if (b->next == b->samples) b->next = 0, b->full = 1;
    if (!b->full) return 0;
    for (int i = 0; i < b->samples; i++)
        for (int k = 0; k < 6; k++) sum[k] += b->sample[i][k] / b->samples;
    return peg_norm(sum) <= linear && peg_norm(sum + 3) <= angular;
}

void peg_auto_disable_begin(peg_auto_disable *sleep)
{
    peg_map_clear(&sleep->coming.body);
}

pegStatus peg_auto_disable_add(peg_auto_disable *sleep, dBodyID id, double h, int *idle)
{
    int samples = dBodyGetAutoDisableAverageSamplesCount(id);
    *idle = 0;
    if (!dBodyGetAutoDisableFlag(id) || samples <= 0 || dBodyGetNumJoints(id) > 0) return PEG_OK;
    peg_idle_body *b = idle_body_of(&sleep->coming, id);
    if (!b) return PEG_ERROR_MEMORY;
    int old = peg_map_find(&sleep->kept.body, id, NULL);
    const peg_idle_body *before = old >= 0 ? &sleep->kept.of[old] : NULL;
    int known = before && before->samples == samples;
    if (known && lies_where_left(before, id)) {
        *b = *before;
        b->built = 0;
    } else {
        *b = (peg_idle_body){.samples = samples, .built = !known};
        b->sample = known ? before->sample : peg_alloc_zero((size_t)samples, sizeof *b->sample);
        if (!b->sample) return PEG_ERROR_MEMORY;
        restart(b, id);
    }
    if (!dBodyIsEnabled(id)) return PEG_OK;
    if (b->asleep) restart(b, id);
    if (!b->touched) return PEG_OK;
    if (is_slow(b, id)) {
        b->steps_left--;
        b->time_left -= h;
    } else {
        restart(b, id);
    }
    *idle = b->steps_left <= 0 && b->time_left <= 0;
    return PEG_OK;
}

void peg_auto_disable_note(peg_auto_disable *sleep, dBodyID id, int touched)
{
    int i = peg_map_find(&sleep->coming.body, id, NULL);
    if (i < 0) return;
    peg_idle_body *b = &sleep->coming.of[i];
    memcpy(b->x, dBodyGetPosition(id), sizeof b->x);
    memcpy(b->q, dBodyGetQuaternion(id), sizeof b->q);
    b->asleep = !dBodyIsEnabled(id);
    if (!b->asleep) b->touched = touched;
}

void peg_auto_disable_end(peg_auto_disable *sleep, int keep)
{
    struct peg_idle_bodies *now = &sleep->coming, *before = &sleep->kept, swap = *now;
    if (keep) {
        for (int i = 0; i < before->body.n; i++) {
            int j = peg_map_find(&now->body, before->body.key[i][0], NULL);
            if (j < 0 || now->of[j].built) peg_free(before->of[i].sample);
        }
        *now = *before;
        *before = swap;
    } else {
        for (int i = 0; i < now->body.n; i++)
            if (now->of[i].built) peg_free(now->of[i].sample);
    }
    peg_map_clear(&now->body);
}

void peg_auto_disable_save(const peg_auto_disable *sleep, dBodyID id, peg_writer *w)
{
    int i = peg_map_find(&sleep->kept.body, id, NULL), known = i >= 0;
    peg_write(w, &known, sizeof known);
    if (!known) return;
    peg_idle_body b = sleep->kept.of[i];
    const void *sample = b.sample;
    b.sample = NULL;
    peg_write(w, &b, sizeof b);
    peg_write(w, sample, (size_t)b.samples * sizeof *b.sample);
}

int peg_auto_disable_restore(peg_auto_disable *sleep, dBodyID id, peg_reader *r)
{
    int known, no_memory = 0;
    peg_idle_body b;
    peg_read(r, &known, sizeof known);
    if (!known) return !r->failed;
    peg_read(r, &b, sizeof b);
    b.sample =
        b.samples < 0 ? NULL : peg_read_array(r, (size_t)b.samples, sizeof *b.sample, &no_memory);
    peg_idle_body *to = b.sample ? idle_body_of(&sleep->kept, id) : NULL;
    if (to)
        *to = b;
    else
        peg_free(b.sample);
    return to != NULL;
}

void peg_auto_disable_free(peg_auto_disable *sleep)
{
    struct peg_idle_bodies *g = &sleep->kept;
    for (int i = 0; i < g->body.n; i++) peg_free(g->of[i].sample);
    for (int k = 0; k < 2; k++, g = &sleep->coming) {
        peg_map_free(&g->body);
        peg_free(g->of);
    }
    *sleep = (peg_auto_disable){0};
}
