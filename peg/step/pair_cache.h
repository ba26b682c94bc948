/* What is remembered of pairs between steps. */
#ifndef PEG_PAIR_CACHE_H
#define PEG_PAIR_CACHE_H

#include <stdint.h>

#include "peg/collide/separation.h"
#include "peg/contact/row_set.h"

/* What is remembered of a pair between steps. */
typedef struct peg_memory_entry {
    uint64_t low, high; /* ids of the parts */
    int a, b;           /* the scene's parts that these are, or belong to */
    double n[3];        /* from the part with the greater id to the one with the smaller */
    peg_choice choice;
    size_t first; /* of its impulses */
    int count;
} peg_memory_entry;

typedef struct peg_remembered {
    peg_memory_entry *entry;
    size_t count, capacity;
    peg_row_memory *row;
    size_t rows, row_capacity;
} peg_remembered;

const peg_memory_entry *peg_recall(const peg_remembered *memory, uint64_t low, uint64_t high);
/* Null when memory ran out. */
peg_memory_entry *peg_remember(peg_remembered *memory, uint64_t low, uint64_t high);
/* Takes an island's rows to the end; 0 when memory ran out. */
int peg_remember_rows(peg_remembered *memory, const peg_row_memory *row, size_t n);
void peg_sort_memory(peg_remembered *memory);

#endif
