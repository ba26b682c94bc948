/* Allocation of the module: everything it allocates goes through here, so that running out of
 * memory can be tried at every place. */
#ifndef PEG_ARENA_H
#define PEG_ARENA_H

#include <stddef.h>

/* malloc / realloc / calloc / free. Null when the memory is exhausted (or a test says so). */
void *peg_alloc(size_t bytes);
void *peg_alloc_zero(size_t count, size_t bytes);
void *peg_realloc(void *p, size_t bytes);
void peg_free(void *p);
/* Room for `needed` elements in an array that at least doubles when it grows; null when the memory
 * is exhausted (the array then stays). */
void *peg_grow(void *array, size_t needed, size_t *capacity, size_t size);
/* The array with room for `needed` elements only, if it has more than twice as much. */
void *peg_shrink(void *array, size_t needed, size_t *capacity, size_t size);

/* For tests: the n-th allocation from now on fails (1 = the next one), and all after it if
 * `for_good`; 0 switches this off. Returns how many allocations were made since the last call. */
long peg_memory_fail_at(long n, int for_good);

/* Uses, from one reset to the next, after which memory that none of them needed is given back. */
enum { PEG_MEMORY_USES = 64 };

/* Stack-like memory of a step. Blocks are kept between steps, so a warmed step allocates nothing.
 */
typedef struct peg_arena {
    struct peg_block *first, *current;
    size_t used;    /* in the current block */
    int failed;     /* an allocation failed since the last reset */
    int uses, deep; /* resets since memory was given back; the blocks needed meanwhile, .. */
    size_t most;    /* .. and the bytes in use at most */
} peg_arena;

typedef struct peg_arena_mark {
    struct peg_block *block;
    size_t used;
} peg_arena_mark;

/* 16-byte aligned, not cleared; null when the memory is exhausted (then failed is set). */
void *peg_arena_alloc(peg_arena *arena, size_t bytes);
#define PEG_NEW(arena, type, count) peg_arena_alloc(arena, (size_t)(count) * sizeof(type))
/* The same, 32-byte aligned: for vectors. */
void *peg_arena_aligned(peg_arena *arena, size_t bytes);
/* Makes the last allocation, of `bytes`, longer where it is; 0 if p is another one or there is no
 * room behind it. */
int peg_arena_extend(peg_arena *arena, const void *p, size_t bytes, size_t needed);
peg_arena_mark peg_arena_here(const peg_arena *arena);
void peg_arena_back(peg_arena *arena, peg_arena_mark mark);
void peg_arena_reset(peg_arena *arena);
size_t peg_arena_bytes(const peg_arena *arena);
void peg_arena_free(peg_arena *arena);

#endif
