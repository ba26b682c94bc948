#include <stdlib.h>

#include "peg/scene.h"

static int compare(const void *left, const void *right)
{
    const peg_memory_entry *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

const peg_memory_entry *peg_recall(const peg_remembered *memory, unsigned long low,
                                   unsigned long high)
{
    peg_memory_entry key = {.low = low, .high = high};
    if (!memory->count) return NULL;
    return bsearch(&key, memory->entry, memory->count, sizeof key, compare);
}

int peg_remember(peg_remembered *memory, unsigned long low, unsigned long high, const double n[3])
{
    if (memory->count == memory->capacity) {
        size_t capacity = memory->capacity ? 2 * memory->capacity : 64;
        peg_memory_entry *grown = peg_realloc(memory->entry, capacity * sizeof *grown);
        if (!grown) return 0;
        memory->entry = grown;
        memory->capacity = capacity;
    }
    peg_memory_entry *entry = &memory->entry[memory->count++];
    entry->low = low;
    entry->high = high;
    peg_copy3(n, entry->n);
    return 1;
}

void peg_sort_memory(peg_remembered *memory)
{
    if (memory->count) qsort(memory->entry, memory->count, sizeof *memory->entry, compare);
}
