/* What a context keeps between steps, as bytes. */
#include "peg/base/arena.h"
#include "peg/step/stage.h"

/* --- saving --- */

static void save_resting(const peg_resting *r, peg_writer *w)
{
    size_t nb = (size_t)r->nb, np = (size_t)r->np;
    const int size[] = {r->valid,      r->planar,     r->nb,      r->np,
                        r->candidates, r->njoint_row, r->surfaces};
    peg_write(w, size, sizeof size);
    if (!r->valid) return;
    peg_write(w, &r->h, sizeof r->h);
    peg_write(w, &r->stats, sizeof r->stats);
    peg_write(w, r->joint_row, (size_t)r->njoint_row * sizeof *r->joint_row);
    for (size_t i = 0; i < nb; i++) {
        peg_body kind = {.kind = r->body[i].kind};
        peg_write(w, r->rest[i] == PEG_RESTING ? &r->body[i] : &kind, sizeof kind);
    }
    peg_write(w, r->root, nb * sizeof *r->root);
    peg_write(w, r->rest, nb * sizeof *r->rest);
    peg_write(w, r->changed, np * sizeof *r->changed);
    for (size_t i = 0; i < np; i++) {
        peg_part part = {.body = r->part[i].body};
        if (!r->changed[i]) part = r->part[i];
        part.shape = NULL, part.triangle_mesh = NULL, part.user = NULL;
        peg_write(w, &part, sizeof part);
    }
    for (int i = 0; i < r->candidates; i++) {
        peg_candidate c = r->candidate[i];
        int surface = c.surface ? (int)(c.surface - r->surface) : -1;
        c.surface = NULL;
        peg_write(w, &c, sizeof c);
        peg_write(w, &surface, sizeof surface);
    }
    peg_write(w, r->surface, (size_t)r->surfaces * sizeof *r->surface);
    for (size_t i = 0; i < nb; i++) {
        const peg_island_result *solved = r->solved[i];
        int is_kept = solved != NULL;
        peg_write(w, &is_kept, sizeof is_kept);
        if (!is_kept) continue;
        peg_write(w, &solved->stats, sizeof solved->stats);
        peg_write(w, &solved->contacts, sizeof solved->contacts);
        peg_write(w, solved->contact, (size_t)solved->contacts * sizeof *solved->contact);
    }
}

/* What is undefined of them is 0: equal states have equal bytes. */
static void save_cached_pairs(const peg_pair_cache *cache, peg_writer *w)
{
    for (size_t i = 0; i < cache->count; i++) {
        const peg_cached_pair *from = &cache->entry[i];
        peg_cached_pair to;
        memset(&to, 0, sizeof to);
        to.low = from->low, to.high = from->high;
        to.a = from->a, to.b = from->b;
        to.first = from->first, to.count = from->count;
        peg_copy3(from->n, to.n);
        peg_copy3(from->tangent, to.tangent);
        peg_copy3(from->reaction, to.reaction);
        peg_choice_copy(&from->choice, &to.choice);
        peg_write(w, &to, sizeof to);
    }
}

void peg_context_save(const peg_context *context, peg_writer *w)
{
    peg_write(w, &context->settings, sizeof context->settings);
    peg_write(w, &context->cache.count, sizeof context->cache.count);
    save_cached_pairs(&context->cache, w);
    peg_write(w, &context->cache.rows, sizeof context->cache.rows);
    peg_write(w, context->cache.row, context->cache.rows * sizeof *context->cache.row);
    save_resting(&context->resting, w);
}

/* --- restoring --- */

static int restore_cache(peg_pair_cache *cache, peg_reader *r, int *no_memory)
{
    peg_read(r, &cache->count, sizeof cache->count);
    cache->entry = peg_read_array(r, cache->count, sizeof *cache->entry, no_memory);
    cache->capacity = cache->count;
    peg_read(r, &cache->rows, sizeof cache->rows);
    cache->row = peg_read_array(r, cache->rows, sizeof *cache->row, no_memory);
    cache->row_capacity = cache->rows;
    return cache->entry && cache->row;
}

/* Room for n elements of what is left to be read; null, with a mark of the reason. */
static void *room_for(peg_arena *arena, peg_reader *r, int n, size_t size)
{
    if (n < 0 || (size_t)n > r->left / size) r->failed = 1;
    return r->failed ? NULL : peg_arena_alloc(arena, (size_t)n * size);
}

static void *read_into(peg_arena *arena, peg_reader *r, int n, size_t size)
{
    void *array = room_for(arena, r, n, size);
    if (array) peg_read(r, array, (size_t)n * size);
    return array;
}

static int restore_candidates(peg_resting *to, peg_reader *r)
{
    peg_arena *arena = &to->arena;
    to->candidate = room_for(arena, r, to->candidates, sizeof *to->candidate);
    int *surface = room_for(arena, r, to->candidates, sizeof *surface);
    for (int i = 0; i < to->candidates && surface && to->candidate; i++) {
        peg_read(r, &to->candidate[i], sizeof *to->candidate);
        peg_read(r, &surface[i], sizeof *surface);
    }
    to->surface = read_into(arena, r, to->surfaces, sizeof *to->surface);
    if (!to->surface || !surface || !to->candidate) return 0;
    for (int i = 0; i < to->candidates; i++)
        to->candidate[i].surface = surface[i] < 0 ? NULL : &to->surface[surface[i]];
    return 1;
}

static int restore_islands(peg_resting *to, peg_reader *r)
{
    to->solved = PEG_NEW(&to->arena, peg_island_result *, to->nb);
    for (int i = 0; i < to->nb && to->solved; i++) {
        int is_kept = 0;
        to->solved[i] = NULL;
        peg_read(r, &is_kept, sizeof is_kept);
        if (!is_kept) continue;
        peg_island_result *solved = to->solved[i] = PEG_NEW(&to->arena, peg_island_result, 1);
        if (!solved) return 0;
        *solved = (peg_island_result){0};
        peg_read(r, &solved->stats, sizeof solved->stats);
        peg_read(r, &solved->contacts, sizeof solved->contacts);
        solved->contact = read_into(&to->arena, r, solved->contacts, sizeof *solved->contact);
        if (!solved->contact) return 0;
    }
    return to->solved != NULL;
}

/* 0: the bytes or the memory end early. */
static int restore_resting(peg_resting *to, peg_reader *r, peg_part_finder *find, void *data)
{
    peg_arena *arena = &to->arena;
    int size[7];
    peg_read(r, size, sizeof size);
    to->valid = size[0], to->planar = size[1], to->nb = size[2], to->np = size[3];
    to->candidates = size[4], to->njoint_row = size[5], to->surfaces = size[6];
    if (r->failed) return 0;
    if (!to->valid) return 1;
    peg_read(r, &to->h, sizeof to->h);
    peg_read(r, &to->stats, sizeof to->stats);
    to->joint_row = read_into(arena, r, to->njoint_row, sizeof *to->joint_row);
    to->body = read_into(arena, r, to->nb, sizeof *to->body);
    to->root = read_into(arena, r, to->nb, sizeof *to->root);
    to->rest = read_into(arena, r, to->nb, sizeof *to->rest);
    to->changed = read_into(arena, r, to->np, sizeof *to->changed);
    to->part = read_into(arena, r, to->np, sizeof *to->part);
    if (!restore_candidates(to, r) || !restore_islands(to, r)) return 0;
    for (int i = 0; i < to->np && to->part; i++)
        if (!to->changed[i] && !find(data, &to->part[i])) to->valid = 0;
    return !r->failed && !arena->failed;
}

static int same_settings(pegSettings saved, const pegSettings *now)
{
    saved.threads = now->threads;
    return memcmp(&saved, now, sizeof saved) == 0;
}

pegStatus peg_context_restore(peg_context *context, peg_reader *r, peg_part_finder *find,
                              void *data)
{
    pegSettings settings;
    peg_pair_cache cache = {0};
    peg_resting resting = {0};
    int no_memory = 0;
    peg_read(r, &settings, sizeof settings);
    int whole = restore_cache(&cache, r, &no_memory) && restore_resting(&resting, r, find, data);
    if (!whole) {
        no_memory |= resting.arena.failed;
        peg_free(cache.entry);
        peg_free(cache.row);
        peg_arena_free(&resting.arena);
        return no_memory ? PEG_ERROR_MEMORY : PEG_ERROR_STATE;
    }
    resting.valid = resting.valid && same_settings(settings, &context->settings);
    peg_free(context->cache.entry);
    peg_free(context->cache.row);
    peg_arena_free(&context->resting.arena);
    context->cache = cache;
    context->resting = resting;
    context->contacts = 0;
    return PEG_OK;
}
