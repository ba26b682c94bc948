#include "ode_glue/base/map.h"
#include "peg/base/arena.h"

#include <stdint.h>
#include <string.h>

/* Slots of the smallest table; a power of 2. */
enum { SMALLEST = 64 };

/* The slot where the pair is, or the free one where it belongs. */
static int *slot_of(const peg_map *map, void *a, void *b)
{
    uint64_t hash = ((uintptr_t)a * UINT64_C(0x9e3779b97f4a7c15)) ^ (uintptr_t)b;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    uint64_t mask = 2 * (uint64_t)map->room - 1;
    for (uint64_t i = hash >> 32;; i++) {
        int *slot = &map->slot[i & mask];
        if (*slot == 0 || (map->key[*slot - 1][0] == a && map->key[*slot - 1][1] == b)) return slot;
    }
}

static int grow(peg_map *map)
{
    size_t room = map->room ? 2 * (size_t)map->room : SMALLEST;
    if (room > INT32_MAX / 2) return 0;
    int *slot = peg_alloc_zero(2 * room, sizeof *slot);
    void *(*key)[2] = slot ? peg_realloc(map->key, room * sizeof *key) : NULL;
    if (!key) {
        peg_free(slot);
        return 0;
    }
    peg_free(map->slot);
    *map = (peg_map){key, map->n, (int)room, slot};
    for (int i = 0; i < map->n; i++) *slot_of(map, key[i][0], key[i][1]) = i + 1;
    return 1;
}

int peg_map_find(const peg_map *map, void *a, void *b)
{
    return map->n ? *slot_of(map, a, b) - 1 : -1;
}

int peg_map_add(peg_map *map, void *a, void *b)
{
    if (map->n == map->room) {
        int known = peg_map_find(map, a, b);
        if (known >= 0) return known;
        if (!grow(map)) return -1;
    }
    int *slot = slot_of(map, a, b);
    if (*slot) return *slot - 1;
    map->key[map->n][0] = a;
    map->key[map->n][1] = b;
    *slot = ++map->n;
    return map->n - 1;
}

void *peg_map_grow_beside(const peg_map *map, void *array, int *room, size_t size)
{
    if (*room >= map->room) return array;
    char *grown = peg_realloc(array, (size_t)map->room * size);
    if (!grown) return NULL;
    memset(grown + (size_t)*room * size, 0, (size_t)(map->room - *room) * size);
    *room = map->room;
    return grown;
}

void peg_map_clear(peg_map *map)
{
    if (map->n) memset(map->slot, 0, 2 * (size_t)map->room * sizeof *map->slot);
    map->n = 0;
}

void peg_map_free(peg_map *map)
{
    peg_free(map->key);
    peg_free(map->slot);
    *map = (peg_map){0};
}
