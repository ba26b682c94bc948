/* Sort and sweep along the axis on which the boxes' centres spread most. */
#include "peg/sweep.h"

/* Axis of the largest variance of the centres; infinite boxes have none and do not count. */
static int widest_axis(const peg_aabb *box, int n)
{
    int best = 0;
    double widest = -1;
    for (int k = 0; k < 3; k++) {
        double mean = 0, square = 0;
        int counted = 0;
        for (int i = 0; i < n; i++) {
            double c = .5 * box[i].lo[k] + .5 * box[i].hi[k];
            if (!isfinite(c)) continue;
            double d = c - mean;
            mean += d / ++counted;
            square += d * (c - mean);
        }
        if (square > widest) widest = square, best = k;
    }
    return best;
}

/* Sorts the indices by lo[axis], equal ones by index (merge sort, bottom up). Returns the sorted
 * array, which is order or scratch. */
static int *sort_by_lo(const peg_aabb *box, int axis, int n, int *order, int *scratch)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (long width = 1; width < n; width *= 2) {
        for (long begin = 0; begin < n; begin += 2 * width) {
            long i = begin, middle = begin + width < n ? begin + width : n;
            long j = middle, end = begin + 2 * width < n ? begin + 2 * width : n;
            for (long k = begin; k < end; k++) {
                int right =
                    i >= middle || (j < end && box[order[j]].lo[axis] < box[order[i]].lo[axis]);
                scratch[k] = right ? order[j++] : order[i++];
            }
        }
        int *swap = order;
        order = scratch, scratch = swap;
    }
    return order;
}

/* Boxes that the sweep has entered and not yet left, in the order of entry. */
typedef struct active {
    int *box, n;
} active;

/* Meets box i with the active ones, and forgets those that end before it begins. */
static void meet(active *list, const peg_aabb *box, int axis, int i, peg_pair_visitor *visit,
                 void *context)
{
    int kept = 0;
    for (int k = 0; k < list->n; k++) {
        int j = list->box[k];
        if (box[j].hi[axis] < box[i].lo[axis]) continue;
        list->box[kept++] = j;
        if (peg_aabb_overlap(box + i, box + j)) visit(context, i < j ? i : j, i < j ? j : i);
    }
    list->n = kept;
}

int peg_sweep_pairs(peg_arena *arena, const peg_aabb *box, const unsigned char *fixed, int n,
                    peg_pair_visitor *visit, void *context)
{
    peg_arena_mark mark = peg_arena_here(arena);
    int *memory = PEG_NEW(arena, int, 4 * (size_t)n);
    if (!memory) return 0;
    int axis = widest_axis(box, n);
    const int *order = sort_by_lo(box, axis, n, memory, memory + n);
    active moving = {memory + 2 * n, 0}, still = {memory + 3 * n, 0};
    for (int k = 0; k < n; k++) {
        int i = order[k];
        meet(&moving, box, axis, i, visit, context);
        if (!fixed[i]) meet(&still, box, axis, i, visit, context);
        active *own = fixed[i] ? &still : &moving;
        own->box[own->n++] = i;
    }
    peg_arena_back(arena, mark);
    return 1;
}
