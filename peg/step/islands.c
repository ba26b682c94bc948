/* The islands of a step: solved apart, on one thread or several, and gathered in the order of their
 * roots, so that the results do not depend on who solved what and when. */
#include "peg/step/islands.h"

#include <stdlib.h>

#include "peg/base/arena.h"
#include "peg/base/thread_pool.h"
#include "peg/contact/kinematics.h"
#include "peg/step/assemble.h"
#include "peg/step/context.h"
#include "peg/step/pair_cache.h"

/* Pairs to be solved below which waking the other threads takes longer than it saves: for stacks at
 * rest on two cores 24 pairs take 1.07 of the time, 45 take .73. */
#define PARALLEL_FROM 32

/* --- workers --- */

static int worker_begin(const peg_stage *s, peg_worker *w)
{
    int nb = s->scene->nb;
    if (!w->rigid_of) {
        w->rigid_of = PEG_NEW(&w->arena, int, nb + 1);
        for (int i = 0; i <= nb && w->rigid_of; i++) w->rigid_of[i] = -1;
    }
    if (!w->piece_of || w->pieces < s->parts) {
        w->pieces = 2 * s->parts;
        w->piece_of = PEG_NEW(&w->arena, int, w->pieces);
        for (int i = 0; i < w->pieces && w->piece_of; i++) w->piece_of[i] = -1;
    }
    return w->rigid_of && w->piece_of;
}

int peg_workers_begin(peg_stage *s)
{
    for (int i = 0; i < s->context->settings.threads; i++) {
        peg_worker *w = &s->context->worker[i];
        w->rigid_of = w->piece_of = NULL;
        w->failed = w->unsolved = 0;
    }
    return worker_begin(s, &s->context->worker[0]);
}

/* Returns 0 without memory. */
static int call_workers(peg_stage *s)
{
    peg_context *context = s->context;
    int threads = context->settings.threads;
    peg_context_pool(context);
    for (int i = 1; i < threads && context->pool; i++) {
        peg_worker *w = &context->worker[i];
        if (!worker_begin(s, w)) return 0;
    }
    return context->pool != NULL;
}

/* --- what is to be solved --- */

static int is_moving_obstacle(const peg_stage *s, int body)
{
    return body >= 0 && peg_is_moving_obstacle(&s->scene->body[body]);
}

/* Or something that comes to wake it. */
static int has_awake_body(const peg_stage *s, int root)
{
    for (int b = s->first_body[root]; b >= 0; b = s->next_body[b])
        if (!s->scene->body[b].asleep || s->woken_by_joint[b]) return 1;
    for (int i = s->first_pair[root]; i >= 0; i = s->next_pair[i]) {
        const peg_candidate *c = &s->candidate[i];
        if (is_moving_obstacle(s, s->placed[c->a].body) ||
            is_moving_obstacle(s, s->placed[c->b].body))
            return 1;
    }
    return 0;
}

typedef struct job {
    int root, pairs;
} job;

typedef struct jobs {
    peg_stage *stage;
    job *job;
    int n, pairs;
} jobs;

/* The largest first: nobody waits for it at the end. */
static int by_size(const void *left, const void *right)
{
    const job *a = left, *b = right;
    if (a->pairs != b->pairs) return a->pairs > b->pairs ? -1 : 1;
    return (a->root > b->root) - (a->root < b->root);
}

static void run_job(void *data, int worker, int index)
{
    const jobs *list = data;
    peg_worker *w = &list->stage->context->worker[worker];
    if (!w->failed) peg_run_island(list->stage, w, list->job[index].root, NULL);
}

/* The largest islands, as long as the next one has more than a thread's share of all pairs. Returns
 * how many. */
static int run_shared(const jobs *list)
{
    peg_stage *s = list->stage;
    peg_worker *w = &s->context->worker[0];
    int left = list->pairs, i = 0;
    if (peg_threads_for(s->context, left))
        qsort(list->job, (size_t)list->n, sizeof *list->job, by_size);
    for (; i < list->n && !w->failed; i++) {
        const job *j = &list->job[i];
        peg_pool *pool = peg_threads_for(s->context, j->pairs);
        if (!pool || (double)j->pairs * peg_pool_threads(pool) <= left) break;
        peg_run_island(s, w, j->root, pool);
        left -= j->pairs;
    }
    return i;
}

/* A capture sees the problems one after the other, in the order of the roots. */
static int is_parallel(const jobs *list)
{
    const peg_context *context = list->stage->context;
    return context->settings.threads > 1 && !context->capture && list->n > 1 &&
           list->pairs >= PARALLEL_FROM;
}

void peg_run_islands(peg_stage *s)
{
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    jobs list = {.stage = s, .job = PEG_NEW(arena, job, s->scene->nb)};
    if (!list.job || !worker_begin(s, &s->context->worker[0])) {
        s->failed = 1;
        return;
    }
    for (int root = 0; root < s->scene->nb; root++) {
        if (s->first_pair[root] < 0 || !s->dirty[root] || !has_awake_body(s, root)) continue;
        job *j = &list.job[list.n++];
        *j = (job){.root = root};
        for (int i = s->first_pair[root]; i >= 0; i = s->next_pair[i]) j->pairs++;
        list.pairs += j->pairs;
    }
    for (int i = 0; i < list.n; i++) peg_query_surfaces(s, list.job[i].root);
    if (s->failed) return;
    int shared = run_shared(&list);
    list.job += shared, list.n -= shared;
    if (!is_parallel(&list)) {
        for (int i = 0; i < list.n; i++) run_job(&list, 0, i);
    } else if (call_workers(s)) {
        qsort(list.job, (size_t)list.n, sizeof *list.job, by_size);
        peg_pool_run(s->context->pool, run_job, &list, list.n);
    } else {
        s->failed = 1;
    }
    for (int i = 0; i < s->context->settings.threads; i++) {
        s->failed |= s->context->worker[i].failed;
        s->unsolved |= s->context->worker[i].unsolved;
    }
    peg_arena_back(arena, mark);
}

/* --- what came of it --- */

int peg_is_island_solved(const peg_stage *s, int root)
{
    return s->root[root] == root && s->solved[root] && s->solved[root]->stats.islands;
}

static int gather_contacts(peg_context *context, const peg_island_result *from)
{
    if (from->contacts == 0) return 1;
    size_t n = (size_t)context->contacts, more = (size_t)from->contacts;
    peg_contact *grown =
        peg_grow(context->contact, n + more, &context->contact_capacity, sizeof *grown);
    if (!grown) return 0;
    context->contact = grown;
    memcpy(grown + n, from->contact, more * sizeof *grown);
    context->contacts += from->contacts;
    return 1;
}

int peg_gather_islands(peg_stage *s)
{
    peg_context *context = s->context;
    for (int root = 0; root < s->scene->nb; root++) {
        const peg_island_result *from = s->solved[root];
        if (!peg_is_island_solved(s, root)) continue;
        for (int i = s->first_pair[root]; i >= 0; i = s->next_pair[i])
            s->candidate[i].first += context->next_cache.rows;
        if (!gather_contacts(context, from) ||
            !peg_pair_cache_add_rows(&context->next_cache, from->row, from->rows))
            return 0;
    }
    return 1;
}
