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

/* Room for one more element of an array that doubles; null when memory ran out. */
static void *one_more(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return array;
    size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = peg_realloc(array, more * size);
    if (grown) *capacity = more;
    return grown;
}

peg_memory_entry *peg_remember(peg_remembered *m, unsigned long low, unsigned long high)
{
    void *grown = one_more(m->entry, m->count, &m->capacity, sizeof *m->entry);
    if (!grown) return NULL;
    m->entry = grown;
    peg_memory_entry *entry = &m->entry[m->count++];
    *entry = (peg_memory_entry){.low = low, .high = high};
    return entry;
}

int peg_remember_row(peg_remembered *m, const peg_row *row)
{
    void *grown = one_more(m->row, m->rows, &m->row_capacity, sizeof *m->row);
    if (!grown) return 0;
    m->row = grown;
    m->row[m->rows++] = peg_row_remembered(row);
    return 1;
}

void peg_sort_memory(peg_remembered *memory)
{
    if (memory->count) qsort(memory->entry, memory->count, sizeof *memory->entry, compare);
}
