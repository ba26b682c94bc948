/* Separating directions and impulses of pairs, kept from step to step for a warm start. */
#ifndef PEG_PAIR_CACHE_H
#define PEG_PAIR_CACHE_H

#include <stdint.h>

#include "peg/collide/separation.h"
#include "peg/contact/row_set.h"

typedef struct peg_cached_pair {
    uint64_t low, high; /* ids of the parts */
    int a, b;           /* the scene's parts that these are, or belong to */
    double n[3];        /* from the part with the greater id to the one with the smaller */
    double tangent[3];  /* first axis of its friction; or 0 */
    double reaction[3]; /* m/s: friction_axis.h */
    peg_choice choice;
    size_t first; /* of its impulses */
    int count;
} peg_cached_pair;

typedef struct peg_pair_cache {
    peg_cached_pair *entry;
    size_t count, capacity;
    peg_cached_contact *row;
    size_t rows, row_capacity;
    size_t most, most_rows; /* since memory was given back .. */
    int uses;               /* .. so many uses ago */
} peg_pair_cache;

/* Empties the cache. */
void peg_pair_cache_reset(peg_pair_cache *memory);

/* The same for pairs in ascending order: *at is 0 for the first one. */
const peg_cached_pair *peg_pair_cache_find_from(const peg_pair_cache *memory, size_t *at,
                                                uint64_t low, uint64_t high);
const peg_cached_pair *peg_pair_cache_find(const peg_pair_cache *memory, uint64_t low,
                                           uint64_t high);
/* In ascending order; all but the ids is for the caller to set. Null without memory. */
peg_cached_pair *peg_pair_cache_add(peg_pair_cache *memory, uint64_t low, uint64_t high);
/* Appends the rows of an island; 0 without memory. */
int peg_pair_cache_add_rows(peg_pair_cache *memory, const peg_cached_contact *row, size_t n);

#endif
