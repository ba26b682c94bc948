/* Pairs of pointers, numbered in the order in which they were added, found again by hashing. */
#ifndef PEG_MAP_H
#define PEG_MAP_H

#include <stddef.h>

typedef struct peg_map {
    void *(*key)[2]; /* n of room */
    int n, room;     /* room: 0 or a power of two */
    int *slot;       /* 2 room hash slots: number of the pair plus one, 0 for a free slot */
} peg_map;

/* Number of the pair, or -1. */
int peg_map_find(const peg_map *map, void *a, void *b);
/* Number of the pair, added if it is new (then it is map->n - 1); -1 when memory is exhausted. */
int peg_map_add(peg_map *map, void *a, void *b);
/* An array that lies beside the pairs, grown from *room to map->room entries, new ones zero; null
 * without memory, and then the old one stays. */
void *peg_map_grow_beside(const peg_map *map, void *array, int *room, size_t size);
/* Forgets all pairs, keeps the memory. */
void peg_map_clear(peg_map *map);
void peg_map_free(peg_map *map);

#endif
