/* Separating directions and impulses of pairs, sorted by the ids of their parts. */
#include "peg/step/pair_cache.h"

#include <stdlib.h>

#include "peg/base/arena.h"

static int compare(const void *left, const void *right)
{
    const peg_cached_pair *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

void peg_pair_cache_reset(peg_pair_cache *m)
{
    if (m->count > m->most) m->most = m->count;
    if (m->rows > m->most_rows) m->most_rows = m->rows;
    m->count = m->rows = 0;
    if (++m->uses < PEG_MEMORY_USES) return;
    m->entry = peg_shrink(m->entry, m->most, &m->capacity, sizeof *m->entry);
    m->row = peg_shrink(m->row, m->most_rows, &m->row_capacity, sizeof *m->row);
    m->most = m->most_rows = 0;
    m->uses = 0;
}

const peg_cached_pair *peg_pair_cache_find(const peg_pair_cache *memory, uint64_t low,
                                           uint64_t high)
{
    peg_cached_pair key = {.low = low, .high = high};
    if (!memory->count) return NULL;
    return bsearch(&key, memory->entry, memory->count, sizeof key, compare);
}

const peg_cached_pair *peg_pair_cache_find_from(const peg_pair_cache *memory, size_t *at,
                                                uint64_t low, uint64_t high)
{
    peg_cached_pair key = {.low = low, .high = high};
    size_t step = 1, end;
    /* strides that double until one passes the pair */
    for (end = *at; end < memory->count && compare(&memory->entry[end], &key) < 0; step *= 2) {
        *at = end + 1;
        end += step;
    }
    end = end < memory->count ? end + 1 : memory->count;
    while (*at < end) {
        size_t middle = *at + (end - *at) / 2;
        int order = compare(&memory->entry[middle], &key);
        if (order == 0) return &memory->entry[*at = middle];
        if (order < 0)
            *at = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

peg_cached_pair *peg_pair_cache_add(peg_pair_cache *m, uint64_t low, uint64_t high)
{
    void *grown = peg_grow(m->entry, m->count + 1, &m->capacity, sizeof *m->entry);
    if (!grown) return NULL;
    m->entry = grown;
    peg_cached_pair *entry = &m->entry[m->count++];
    entry->low = low, entry->high = high;
    return entry;
}

int peg_pair_cache_add_rows(peg_pair_cache *m, const peg_cached_contact *row, size_t n)
{
    if (n == 0) return 1;
    void *grown = peg_grow(m->row, m->rows + n, &m->row_capacity, sizeof *m->row);
    if (!grown) return 0;
    m->row = grown;
    memcpy(m->row + m->rows, row, n * sizeof *row);
    m->rows += n;
    return 1;
}
