/* Broad phase: all pairs of overlapping axis-aligned boxes by sort and sweep, O(n log n + pairs).
 */
#ifndef PEG_SWEEP_AND_PRUNE_H
#define PEG_SWEEP_AND_PRUNE_H

#include "peg/base/arena.h"
#include "peg/base/math.h"
#include "peg/base/thread_pool.h"

typedef struct peg_aabb {
    peg_vec3 lo, hi; /* may be infinite */
} peg_aabb;

/* Whether they overlap or touch. */
static inline int peg_aabb_overlap(const peg_aabb *a, const peg_aabb *b)
{
    for (int k = 0; k < 3; k++)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k]) return 0;
    return 1;
}

typedef void peg_pair_visitor(void *context, int i, int j);

/* Calls visit once for every pair i < j of boxes that overlap or touch, except pairs of which both
 * have fixed[] set; in a fixed order, on the thread that calls. pool: threads to search with; null:
 * that one. Returns 0 if memory ran out (some pairs were then not visited), else 1. */
int peg_sweep_pairs(peg_arena *arena, peg_pool *pool, const peg_aabb *box,
                    const unsigned char *fixed, int n, peg_pair_visitor *visit, void *context);

#endif
