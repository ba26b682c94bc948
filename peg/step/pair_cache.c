#include "peg/step/pair_cache.h"

#include <stdlib.h>

#include "peg/base/arena.h"

static int compare(const void *left, const void *right)
{
    const peg_memory_entry *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

const peg_memory_entry *peg_recall(const peg_remembered *memory, uint64_t low, uint64_t high)
{
    peg_memory_entry key = {.low = low, .high = high};
    if (!memory->count) return NULL;
    return bsearch(&key, memory->entry, memory->count, sizeof key, compare);
}

peg_memory_entry *peg_remember(peg_remembered *m, uint64_t low, uint64_t high)
{
    void *grown = peg_grow(m->entry, m->count + 1, &m->capacity, sizeof *m->entry);
    if (!grown) return NULL;
    m->entry = grown;
    peg_memory_entry *entry = &m->entry[m->count++];
    *entry = (peg_memory_entry){.low = low, .high = high};
    return entry;
}

int peg_remember_rows(peg_remembered *m, const peg_row_memory *row, size_t n)
{
    if (n == 0) return 1;
    void *grown = peg_grow(m->row, m->rows + n, &m->row_capacity, sizeof *m->row);
    if (!grown) return 0;
    m->row = grown;
    memcpy(m->row + m->rows, row, n * sizeof *row);
    m->rows += n;
    return 1;
}

/* Pairs come in order, but for those that rest. */
void peg_sort_memory(peg_remembered *memory)
{
    int sorted = 1;
    for (size_t i = 1; i < memory->count && sorted; i++)
        sorted = compare(&memory->entry[i - 1], &memory->entry[i]) <= 0;
    if (!sorted) qsort(memory->entry, memory->count, sizeof *memory->entry, compare);
}
