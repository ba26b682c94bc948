/* Allocation with a fault injector for tests, and the arena of a step. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "peg/base/arena.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

static atomic_long fail_at, made;
static atomic_int fail_for_good;

long peg_memory_fail_at(long n, int for_good)
{
    fail_at = n;
    fail_for_good = for_good;
    return atomic_exchange(&made, 0);
}

static int must_fail(void)
{
    long n = ++made, fails = fail_at;
    return fails > 0 && (n == fails || (fail_for_good && n > fails));
}

void *peg_alloc(size_t bytes)
{
    return must_fail() ? NULL : malloc(bytes ? bytes : 1);
}

void *peg_alloc_zero(size_t count, size_t bytes)
{
    return must_fail() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void *peg_realloc(void *p, size_t bytes)
{
    return must_fail() ? NULL : realloc(p, bytes ? bytes : 1);
}

void peg_free(void *p)
{
    free(p);
}

void *peg_grow(void *array, size_t needed, size_t *capacity, size_t size)
{
    if (needed <= *capacity) return array;
    size_t more = *capacity ? 2 * *capacity : 64;
    if (more < needed) more = needed;
    void *grown = peg_realloc(array, more * size);
    if (grown) *capacity = more;
    return grown;
}

void *peg_shrink(void *array, size_t needed, size_t *capacity, size_t size)
{
    if (needed < 64) needed = 64;
    if (*capacity <= 2 * needed) return array;
    void *shrunk = peg_realloc(array, needed * size);
    if (!shrunk) return array;
    *capacity = needed;
    return shrunk;
}

struct peg_block {
    struct peg_block *next;
    size_t size;
    /* the memory follows, 16-byte aligned */
};

enum { HEADER = (sizeof(struct peg_block) + 15) / 16 * 16, SMALLEST_BLOCK = 1 << 14 };

/* Bytes of a page of those that Linux gives out where it is asked to: that a step touches 4 KiB for
 * the first time took half of the first step of a wall of 180 bricks. */
static const size_t HUGE_PAGE = 1 << 21;

static struct peg_block *allocate_block(size_t bytes)
{
    if (bytes < HUGE_PAGE) return peg_alloc(bytes);
    void *block = NULL;
    if (must_fail() || posix_memalign(&block, HUGE_PAGE, bytes)) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(block, bytes, MADV_HUGEPAGE); /* else pages are small */
#endif
    return block;
}

static void *block_memory(struct peg_block *block)
{
    return (char *)block + HEADER;
}

/* The next block that has room, moved to where it is needed: what follows the current one is empty.
 * A new one is half as large as all others together, so that little is left unused. */
static struct peg_block *next_block(peg_arena *arena, size_t bytes)
{
    struct peg_block **head = arena->current ? &arena->current->next : &arena->first;
    struct peg_block **place = head, *block;
    while (*place && (*place)->size < bytes) place = &(*place)->next;
    block = *place;
    if (block) {
        *place = block->next;
    } else {
        size_t size = peg_arena_bytes(arena) / 2;
        if (size < SMALLEST_BLOCK) size = SMALLEST_BLOCK;
        if (size < bytes) size = bytes;
        if (size >= SIZE_MAX - HEADER - HUGE_PAGE) return NULL;
        size += HEADER;
        if (size > HUGE_PAGE / 2) size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        block = allocate_block(size);
        if (!block) return NULL;
        block->size = size - HEADER;
    }
    block->next = *head;
    *head = block;
    int deep = 1;
    for (struct peg_block *b = arena->first; b != block; b = b->next) deep++;
    if (deep > arena->deep) arena->deep = deep;
    return block;
}

void *peg_arena_alloc(peg_arena *arena, size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (!arena->current || arena->current->size - arena->used < bytes) {
        struct peg_block *next = next_block(arena, bytes);
        if (!next) {
            arena->failed = 1;
            return NULL;
        }
        arena->current = next;
        arena->used = 0;
    }
    void *p = (char *)block_memory(arena->current) + arena->used;
    arena->used += bytes;
#ifdef __SANITIZE_ADDRESS__
    memset(p, 0xff, bytes); /* NaN: what is read before it is written shows */
#endif
    return p;
}

int peg_arena_extend(peg_arena *arena, const void *p, size_t bytes, size_t needed)
{
    bytes = (bytes + 15) / 16 * 16, needed = (needed + 15) / 16 * 16;
    if (!arena->current || arena->used < bytes) return 0;
    char *end = (char *)block_memory(arena->current) + arena->used;
    if ((const char *)p + bytes != end || arena->current->size - arena->used < needed - bytes)
        return 0;
    arena->used += needed - bytes;
#ifdef __SANITIZE_ADDRESS__
    memset(end, 0xff, needed - bytes);
#endif
    return 1;
}

void *peg_arena_aligned(peg_arena *arena, size_t bytes)
{
    enum { ALIGNMENT = 32 }; /* bytes of a vector */
    char *p = peg_arena_alloc(arena, bytes + ALIGNMENT);
    return p ? p + (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT : NULL;
}

peg_arena_mark peg_arena_here(const peg_arena *arena)
{
    return (peg_arena_mark){arena->current, arena->used};
}

static void note_use(peg_arena *arena)
{
    size_t bytes = arena->used;
    for (const struct peg_block *b = arena->first; arena->current && b != arena->current;
         b = b->next)
        bytes += b->size;
    if (bytes > arena->most) arena->most = bytes;
}

void peg_arena_back(peg_arena *arena, peg_arena_mark mark)
{
    note_use(arena);
    arena->current = mark.block;
    arena->used = mark.used;
}

static void free_blocks(struct peg_block **from)
{
    while (*from) {
        struct peg_block *next = (*from)->next;
        peg_free(*from);
        *from = next;
    }
}

/* Blocks that no use has needed, and those more than twice as large as all that was in use. */
static void give_back(peg_arena *arena)
{
    struct peg_block **place = &arena->first;
    for (int i = 0; i < arena->deep; i++) {
        struct peg_block *block = *place;
        if (block->size / 2 <= arena->most) {
            place = &block->next;
        } else {
            *place = block->next;
            peg_free(block);
        }
    }
    free_blocks(place);
}

void peg_arena_reset(peg_arena *arena)
{
    note_use(arena);
    arena->current = NULL;
    arena->used = 0;
    arena->failed = 0;
    if (++arena->uses < PEG_MEMORY_USES) return;
    if (arena->most < SMALLEST_BLOCK) arena->most = SMALLEST_BLOCK;
    give_back(arena);
    arena->uses = arena->deep = 0;
    arena->most = 0;
}

size_t peg_arena_bytes(const peg_arena *arena)
{
    size_t sum = 0;
    for (const struct peg_block *b = arena->first; b; b = b->next) sum += HEADER + b->size;
    return sum;
}

void peg_arena_free(peg_arena *arena)
{
    free_blocks(&arena->first);
    memset(arena, 0, sizeof *arena);
}
