/* Sort and sweep along the axis on which the boxes' centres spread most: a box is tested against
 * those that begin within it, eight at a time, by bounds that are rounded outwards to single
 * precision; what overlaps so is tested in double precision. */
#include "peg/base/sweep_and_prune.h"

#include <float.h>

#include "peg/base/arena.h"
#include "peg/base/lanes.h"

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

/* --- the sweep --- */

/* Boxes in the order of their begin along the axis, and PEG_LANES that overlap nothing. */
typedef struct sorted {
    float *begin;
    float *lo[2], *hi[2]; /* along the other two axes */
    int *box;
    int n;
} sorted;

typedef struct sweep {
    const peg_aabb *box;
    int axis;
    peg_pair_visitor *visit;
    void *context;
} sweep;

static float below(double x)
{
    float f = (float)x, less = f - (fabsf(f) * FLT_EPSILON + FLT_MIN);
    return less == less ? less : -INFINITY;
}

static float above(double x)
{
    return -below(-x);
}

static int allocate(peg_arena *arena, int n, sorted *set)
{
    size_t room = (size_t)n + PEG_LANES;
    set->begin = PEG_NEW(arena, float, room);
    for (int k = 0; k < 2; k++) {
        set->lo[k] = PEG_NEW(arena, float, room);
        set->hi[k] = PEG_NEW(arena, float, room);
    }
    set->box = PEG_NEW(arena, int, room);
    return !arena->failed;
}

static void add(const sweep *s, int i, sorted *set)
{
    const peg_aabb *box = &s->box[i];
    int at = set->n++;
    set->begin[at] = below(box->lo[s->axis]);
    for (int k = 0; k < 2; k++) {
        set->lo[k][at] = below(box->lo[(s->axis + 1 + k) % 3]);
        set->hi[k][at] = above(box->hi[(s->axis + 1 + k) % 3]);
    }
    set->box[at] = i;
}

static void close_set(sorted *set)
{
    for (int l = 0; l < PEG_LANES; l++) {
        int at = set->n + l;
        set->begin[at] = NAN;
        for (int k = 0; k < 2; k++) set->lo[k][at] = set->hi[k][at] = 0;
        set->box[at] = 0;
    }
}

PEG_HOT peg_floats load(const float *from)
{
    peg_floats x;
    memcpy(&x, from, sizeof x);
    return x;
}

static void meet(const sweep *s, int i, int j)
{
    if (peg_aabb_overlap(&s->box[i], &s->box[j]))
        s->visit(s->context, i < j ? i : j, i < j ? j : i);
}

/* Box i against those of the set from `from` on that begin within it. */
PEG_WIDE static void scan(const sweep *s, int i, const sorted *set, int from)
{
    const peg_aabb *box = &s->box[i];
    float end = above(box->hi[s->axis]);
    peg_floats lo[2], hi[2];
    for (int k = 0; k < 2; k++) {
        lo[k] = peg_floats_of(below(box->lo[(s->axis + 1 + k) % 3]));
        hi[k] = peg_floats_of(above(box->hi[(s->axis + 1 + k) % 3]));
    }
    for (int at = from; set->begin[at] <= end; at += PEG_LANES) {
        peg_float_mask hit = load(set->begin + at) <= peg_floats_of(end);
        for (int k = 0; k < 2; k++)
            hit &= (load(set->lo[k] + at) <= hi[k]) & (load(set->hi[k] + at) >= lo[k]);
        peg_double_mask any = (peg_double_mask)hit;
        if (!(any[0] | any[1] | any[2] | any[3])) continue;
        for (int l = 0; l < PEG_LANES; l++)
            if (hit[l]) meet(s, i, set->box[at + l]);
    }
}

/* Whether so few move that each is tested against all in less time than all are sorted. */
static int are_few(const unsigned char *fixed, int n)
{
    int moving = 0, passes = 0;
    for (int i = 0; i < n; i++) moving += !fixed[i];
    for (long width = 1; width < n; width *= 2) passes++;
    return moving <= 4 * passes;
}

static void meet_all(const sweep *s, const unsigned char *fixed, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = fixed[i] ? n : 0; j < n; j++)
            if (j > i || (j < i && fixed[j])) meet(s, i, j);
}

int peg_sweep_pairs(peg_arena *arena, const peg_aabb *box, const unsigned char *fixed, int n,
                    peg_pair_visitor *visit, void *context)
{
    peg_arena_mark mark = peg_arena_here(arena);
    sweep s = {box, 0, visit, context};
    if (are_few(fixed, n)) {
        meet_all(&s, fixed, n);
        return 1;
    }
    s.axis = widest_axis(box, n);
    sorted all = {0}, moving = {0};
    key *keys = PEG_NEW(arena, key, 2 * (size_t)n);
    if (!keys || !allocate(arena, n, &all) || !allocate(arena, n, &moving)) return 0;
    const key *order = sort_by_lo(box, s.axis, n, keys, keys + n);
    for (int k = 0; k < n; k++) {
        add(&s, order[k].box, &all);
        if (!fixed[order[k].box]) add(&s, order[k].box, &moving);
    }
    close_set(&all);
    close_set(&moving);
    for (int k = 0, next = 0; k < n; k++) {
        int i = order[k].box;
        next += !fixed[i];
        if (fixed[i])
            scan(&s, i, &moving, next);
        else
            scan(&s, i, &all, k + 1);
    }
    peg_arena_back(arena, mark);
    return 1;
}
