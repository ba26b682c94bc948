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

/* Pairs that overlap, of PEG_LOT boxes of the order. */
typedef struct lot {
    int n, room; /* n > room: the rest is not kept */
    int (*pair)[2];
} lot;

/* Pairs of a lot that are kept at first: of most scenes all. */
enum { LOT_PAIRS = 16 * PEG_LOT };

typedef struct sweep {
    const peg_aabb *box;
    int axis, n;
    const unsigned char *fixed;
    const key *order;
    int *moving_from; /* n: the first moving box behind it in the order, among these */
    sorted all, moving;
    lot *lots;
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

static void meet(const sweep *s, int i, int j, lot *out)
{
    if (!peg_aabb_overlap(&s->box[i], &s->box[j])) return;
    if (out->n < out->room) {
        int *pair = out->pair[out->n];
        pair[0] = i < j ? i : j, pair[1] = i < j ? j : i;
    }
    out->n++;
}

/* Box i against those of the set from `from` on that begin within it. */
PEG_WIDE static void scan(const sweep *s, int i, const sorted *set, int from, lot *out)
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
            if (hit[l]) meet(s, i, set->box[at + l], out);
    }
}

static void scan_lot(void *data, int begin, int end)
{
    const sweep *s = data;
    lot *out = &s->lots[begin / PEG_LOT];
    out->n = 0;
    for (int k = begin; k < end; k++) {
        int i = s->order[k].box;
        if (s->fixed[i])
            scan(s, i, &s->moving, s->moving_from[k], out);
        else
            scan(s, i, &s->all, k + 1, out);
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

static void meet_all(const peg_aabb *box, const unsigned char *fixed, int n,
                     peg_pair_visitor *visit, void *context)
{
    for (int i = 0; i < n; i++)
        for (int j = fixed[i] ? n : 0; j < n; j++)
            if ((j > i || (j < i && fixed[j])) && peg_aabb_overlap(&box[i], &box[j]))
                visit(context, i < j ? i : j, i < j ? j : i);
}

/* The boxes in their order, and room for what they meet. */
static int begin(peg_arena *arena, sweep *s)
{
    int lots = (s->n + PEG_LOT - 1) / PEG_LOT;
    key *keys = PEG_NEW(arena, key, 2 * (size_t)s->n);
    s->moving_from = PEG_NEW(arena, int, s->n);
    s->lots = PEG_NEW(arena, lot, lots);
    for (int k = 0; k < lots && s->lots; k++)
        s->lots[k] = (lot){.room = LOT_PAIRS, .pair = PEG_NEW(arena, int[2], LOT_PAIRS)};
    if (!keys || !allocate(arena, s->n, &s->all) || !allocate(arena, s->n, &s->moving)) return 0;
    s->axis = widest_axis(s->box, s->n);
    s->order = sort_by_lo(s->box, s->axis, s->n, keys, keys + s->n);
    for (int k = 0; k < s->n; k++) {
        int i = s->order[k].box;
        add(s, i, &s->all);
        if (!s->fixed[i]) add(s, i, &s->moving);
        s->moving_from[k] = s->moving.n;
    }
    close_set(&s->all);
    close_set(&s->moving);
    return 1;
}

/* Where a lot has more pairs than it could keep. */
static int scan_again(peg_arena *arena, sweep *s, int index)
{
    lot *of = &s->lots[index];
    int from = PEG_LOT * index, to = from + PEG_LOT < s->n ? from + PEG_LOT : s->n;
    of->room = of->n;
    of->pair = PEG_NEW(arena, int[2], of->room);
    if (of->pair) scan_lot(s, from, to);
    return of->pair != NULL;
}

int peg_sweep_pairs(peg_arena *arena, peg_pool *pool, const peg_aabb *box,
                    const unsigned char *fixed, int n, peg_pair_visitor *visit, void *context)
{
    peg_arena_mark mark = peg_arena_here(arena);
    sweep s = {.box = box, .n = n, .fixed = fixed};
    if (are_few(fixed, n)) {
        meet_all(box, fixed, n, visit, context);
        return 1;
    }
    if (!begin(arena, &s)) return 0;
    peg_pool_loop(pool, scan_lot, &s, n);
    for (int i = 0; PEG_LOT * i < n; i++) {
        const lot *of = &s.lots[i];
        if (of->n > of->room && !scan_again(arena, &s, i)) return 0;
        for (int k = 0; k < of->n; k++) visit(context, of->pair[k][0], of->pair[k][1]);
    }
    peg_arena_back(arena, mark);
    return 1;
}
