/* What is kept between steps, and its settings. */
#include "peg/step/context.h"

#include "peg/base/arena.h"
#include "peg/base/settings.h"
#include "peg/base/thread_pool.h"
#include "peg/peg.h"

pegStatus peg_context_create(const pegSettings *settings, peg_context **out)
{
    pegSettings defaults;
    *out = NULL;
    if (!settings) {
        peg_settings_default(&defaults);
        settings = &defaults;
    }
    pegStatus status = peg_settings_check(settings);
    if (status != PEG_OK) return status;
    peg_context *context = peg_alloc_zero(1, sizeof *context);
    if (!context) return PEG_ERROR_MEMORY;
    context->settings = *settings;
    *out = context;
    return PEG_OK;
}

void peg_context_destroy(peg_context *context)
{
    if (!context) return;
    peg_pool_destroy(context->pool);
    for (int i = 0; i < PEG_THREADS_MAX; i++) {
        peg_arena_free(&context->worker[i].arena);
        peg_arena_free(&context->worker[i].results);
    }
    peg_arena_free(&context->arena);
    peg_arena_free(&context->kept);
    peg_arena_free(&context->resting.arena);
    peg_arena_free(&context->next_resting.arena);
    peg_free(context->cache.entry);
    peg_free(context->cache.row);
    peg_free(context->next_cache.entry);
    peg_free(context->next_cache.row);
    peg_free(context->contact);
    peg_free(context);
}

peg_pool *peg_context_pool(peg_context *context)
{
    if (!context->pool) context->pool = peg_pool_create(context->settings.threads);
    return context->pool;
}

peg_pool *peg_threads_for(peg_context *context, int rounds)
{
    int shared = context->settings.threads > 1 && !context->capture && rounds >= PEG_SHARED_FROM;
    return shared ? peg_context_pool(context) : NULL;
}

const pegSettings *peg_context_settings(const peg_context *context)
{
    return &context->settings;
}

void peg_context_set_capture(peg_context *context, const peg_capture *capture)
{
    context->capture = capture;
}

pegStatus peg_context_set_settings(peg_context *context, const pegSettings *settings)
{
    pegStatus status = settings ? peg_settings_check(settings) : PEG_ERROR_ARGUMENT;
    if (status != PEG_OK) return status;
    if (settings->threads != context->settings.threads) {
        peg_pool_destroy(context->pool);
        context->pool = NULL;
    }
    /* any number of threads comes to the same */
    context->settings.threads = settings->threads;
    if (memcmp(&context->settings, settings, sizeof *settings) != 0) context->resting.valid = 0;
    context->settings = *settings;
    return status;
}

int peg_contacts(const peg_context *context, const peg_contact **contacts)
{
    *contacts = context->contact;
    return context->contacts;
}

static size_t remembered_bytes(const peg_pair_cache *m)
{
    return m->capacity * sizeof *m->entry + m->row_capacity * sizeof *m->row;
}

static int reset(peg_arena *arena)
{
    peg_arena_reset(arena);
    return arena->uses == 0;
}

int peg_context_reset(peg_context *context)
{
    int gave = reset(&context->arena) + reset(&context->kept);
    peg_pair_cache_reset(&context->next_cache);
    gave += context->next_cache.uses == 0;
    for (int i = 0; i < context->settings.threads; i++)
        gave += reset(&context->worker[i].arena) + reset(&context->worker[i].results);
    return gave > 0;
}

size_t peg_context_memory(const peg_context *context)
{
    size_t sum = sizeof *context + peg_arena_bytes(&context->arena) +
                 peg_arena_bytes(&context->kept) + peg_arena_bytes(&context->resting.arena) +
                 peg_arena_bytes(&context->next_resting.arena) + remembered_bytes(&context->cache) +
                 remembered_bytes(&context->next_cache) +
                 context->contact_capacity * sizeof *context->contact;
    for (int i = 0; i < PEG_THREADS_MAX; i++)
        sum += peg_arena_bytes(&context->worker[i].arena) +
               peg_arena_bytes(&context->worker[i].results);
    return sum;
}
