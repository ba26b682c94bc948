/* Sort and sweep along the axis on which the boxes' centres spread most. */
#include "peg/base/sweep_and_prune.h"

#include "peg/base/arena.h"

/* Axis of the largest variance of the centres; infinite boxes have none and do not count. */
static int widest_axis(const peg_aabb *box, int n)
{
    peg_vec3 first = {0}, sum = {0}, square = {0};
    int counted[3] = {0}, best = 0;
    double widest = -1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double c = .5 * box[i].lo[k] + .5 * box[i].hi[k];
            if (!isfinite(c)) continue;
            if (!counted[k]++) first[k] = c;
            sum[k] += c - first[k];
            square[k] += (c - first[k]) * (c - first[k]);
        }
    for (int k = 0; k < 3; k++) {
        double spread = counted[k] ? square[k] - sum[k] * sum[k] / counted[k] : 0;
        if (spread > widest) widest = spread, best = k;
    }
    return best;
}

typedef struct key {
    double lo;
    int box;
} key;

/* Sorts the boxes by lo[axis], equal ones by index (merge sort, bottom up). Returns the sorted
 * array, which is order or scratch. */
static const key *sort_by_lo(const peg_aabb *box, int axis, int n, key *order, key *scratch)
{
    for (int i = 0; i < n; i++) order[i] = (key){box[i].lo[axis], i};
    for (long width = 1; width < n; width *= 2) {
        for (long begin = 0; begin < n; begin += 2 * width) {
            long i = begin, middle = begin + width < n ? begin + width : n;
            long j = middle, end = begin + 2 * width < n ? begin + 2 * width : n;
            for (long k = begin; k < end; k++) {
                int right = i >= middle || (j < end && order[j].lo < order[i].lo);
                scratch[k] = right ? order[j++] : order[i++];
            }
        }
        key *swap = order;
        order = scratch, scratch = swap;
    }
    return order;
}

/* A box, axes in the order in which they are tested. */
typedef struct entry {
    double lo[3], hi[3];
    int box;
} entry;

static entry entry_of(const peg_aabb *box, int axis, int i)
{
    entry e = {.box = i};
    for (int k = 0; k < 3; k++) {
        e.lo[k] = box[i].lo[(axis + k) % 3];
        e.hi[k] = box[i].hi[(axis + k) % 3];
    }
    return e;
}

/* Boxes that the sweep has entered, in the order of entry; those that it has left go when the list
 * has grown by a share. */
typedef struct active {
    entry *of;
    int n, limit;
} active;

static void meet(const active *list, const entry *e, peg_pair_visitor *visit, void *context)
{
    for (const entry *f = list->of, *end = f + list->n; f < end; f++) {
        if ((f->lo[1] > e->hi[1]) | (e->lo[1] > f->hi[1]) | (e->lo[0] > f->hi[0])) continue;
        if ((f->lo[2] > e->hi[2]) | (e->lo[2] > f->hi[2]) | (f->lo[0] > e->hi[0])) continue;
        visit(context, e->box < f->box ? e->box : f->box, e->box < f->box ? f->box : e->box);
    }
}

static void enter(active *list, const entry *e)
{
    if (list->n == list->limit) {
        int kept = 0;
        for (int k = 0; k < list->n; k++)
            if (!(list->of[k].hi[0] < e->lo[0])) list->of[kept++] = list->of[k];
        list->n = kept;
        list->limit = kept + kept / 4 + 16;
    }
    list->of[list->n++] = *e;
}

int peg_sweep_pairs(peg_arena *arena, const peg_aabb *box, const unsigned char *fixed, int n,
                    peg_pair_visitor *visit, void *context)
{
    peg_arena_mark mark = peg_arena_here(arena);
    key *keys = PEG_NEW(arena, key, 2 * (size_t)n);
    entry *entries = PEG_NEW(arena, entry, 2 * (size_t)n + 32);
    if (!keys || !entries) return 0;
    int axis = widest_axis(box, n);
    const key *order = sort_by_lo(box, axis, n, keys, keys + n);
    active moving = {entries, 0, 16}, still = {entries + n + 16, 0, 16};
    for (int k = 0; k < n; k++) {
        int i = order[k].box;
        entry e = entry_of(box, axis, i);
        meet(&moving, &e, visit, context);
        if (!fixed[i]) meet(&still, &e, visit, context);
        enter(fixed[i] ? &still : &moving, &e);
    }
    peg_arena_back(arena, mark);
    return 1;
}
