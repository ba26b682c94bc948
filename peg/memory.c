#include "peg/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static long fail_at, made;
static int fail_for_good;

long peg_memory_fail_at(long n, int for_good)
{
    long before = made;
    fail_at = n;
    fail_for_good = for_good;
    made = 0;
    return before;
}

static int must_fail(void)
{
    made++;
    return fail_at > 0 && (made == fail_at || (fail_for_good && made > fail_at));
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

struct peg_block {
    struct peg_block *next;
    size_t size;
    /* the memory follows, 16-byte aligned */
};

enum { HEADER = (sizeof(struct peg_block) + 15) / 16 * 16, SMALLEST_BLOCK = 1 << 16 };

static void *block_memory(struct peg_block *block)
{
    return (char *)block + HEADER;
}

void *peg_arena_alloc(peg_arena *arena, size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (arena->current && arena->current->size - arena->used >= bytes) {
        void *p = (char *)block_memory(arena->current) + arena->used;
        arena->used += bytes;
        return p;
    }
    struct peg_block *next = arena->current ? arena->current->next : arena->first;
    if (!next || next->size < bytes) {
        size_t size = arena->current ? 2 * arena->current->size : SMALLEST_BLOCK;
        if (size < bytes) size = bytes;
        struct peg_block *fresh = size < SIZE_MAX - HEADER ? peg_alloc(HEADER + size) : NULL;
        if (!fresh) {
            arena->failed = 1;
            return NULL;
        }
        fresh->size = size;
        fresh->next = next;
        if (arena->current)
            arena->current->next = fresh;
        else
            arena->first = fresh;
        next = fresh;
    }
    arena->current = next;
    arena->used = bytes;
    return block_memory(next);
}

peg_arena_mark peg_arena_here(const peg_arena *arena)
{
    return (peg_arena_mark){arena->current, arena->used};
}

void peg_arena_back(peg_arena *arena, peg_arena_mark mark)
{
    arena->current = mark.block;
    arena->used = mark.used;
}

void peg_arena_reset(peg_arena *arena)
{
    arena->current = NULL;
    arena->used = 0;
    arena->failed = 0;
}

void peg_arena_free(peg_arena *arena)
{
    while (arena->first) {
        struct peg_block *next = arena->first->next;
        peg_free(arena->first);
        arena->first = next;
    }
    memset(arena, 0, sizeof *arena);
}
