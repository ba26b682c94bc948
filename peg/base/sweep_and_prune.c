/* Sort and sweep along the axis on which the boxes' centres spread most. The boxes that the sweep
 * is in lie in a grid over the other two axes, so that a box is tested only against those near it.
 */
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

/* --- the grid --- */

/* Cells that a box may lie in; larger ones are tested against all. */
enum { CELLS_OF_BOX = 16 };

/* Fewer boxes than this need no grid. */
enum { FEW = 200 };

/* Cells are this much wider than boxes are on average. */
static const double CELL = 1.25;

/* A box, axes in the order in which they are tested: that of the sweep is the first. */
typedef struct entry {
    double lo[3], hi[3];
    int box;
} entry;

/* A box in a cell; the next one there. */
typedef struct node {
    int entry, next;
} node;

/* The boxes that the sweep has entered, by cell; the last list has the large ones. A box that the
 * sweep has left goes when it is met. */
typedef struct active {
    int *first;
} active;

typedef struct sweep {
    entry *entry;
    node *node;
    int nodes, cells[2];
    double origin[2], per_length[2];
    peg_pair_visitor *visit;
    void *context;
} sweep;

static entry entry_of(const peg_aabb *box, int axis, int i)
{
    entry e = {.box = i};
    for (int k = 0; k < 3; k++) {
        e.lo[k] = box[i].lo[(axis + k) % 3];
        e.hi[k] = box[i].hi[(axis + k) % 3];
    }
    return e;
}

static int cell_along(const sweep *s, int k, double x)
{
    double at = (x - s->origin[k]) * s->per_length[k];
    return at >= s->cells[k] ? s->cells[k] - 1 : at > 0 ? (int)at : 0;
}

/* Extents along an axis of the boxes that are no larger than `most`: their mean, and where they
 * are. Returns how many. */
static int measure(const sweep *s, int n, int k, double most, double *mean, double range[2])
{
    double sum = 0;
    int count = 0;
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int i = 0; i < n; i++) {
        const entry *e = &s->entry[i];
        double extent = e->hi[k] - e->lo[k];
        if (!(extent >= 0 && extent <= most && isfinite(extent))) continue;
        range[0] = peg_min(range[0], e->lo[k]), range[1] = peg_max(range[1], e->hi[k]);
        sum += extent, count++;
    }
    *mean = count ? sum / count : 0;
    return count;
}

/* Cells in proportion to the boxes, but for those much larger than the mean, such as floors; no
 * more than there are boxes in all. What lies outside counts to the cells at the border. */
static void set_grid(sweep *s, int n)
{
    for (int k = 0; k < 2; k++) {
        double mean, range[2];
        int count = measure(s, n, k + 1, INFINITY, &mean, range);
        if (count) count = measure(s, n, k + 1, 2 * mean, &mean, range);
        double length = count ? range[1] - range[0] : 0;
        double cells = mean > 0 && n >= FEW ? peg_min(length / (CELL * mean), sqrt((double)n)) : 1;
        s->cells[k] = cells > 1 ? (int)cells : 1;
        s->origin[k] = count ? range[0] : 0;
        s->per_length[k] = length > 0 ? s->cells[k] / length : 0;
    }
}

/* --- the sweep --- */

static int overlaps(const entry *e, const entry *f)
{
    return !((f->lo[1] > e->hi[1]) | (e->lo[1] > f->hi[1]) | (e->lo[0] > f->hi[0])) &&
           !((f->lo[2] > e->hi[2]) | (e->lo[2] > f->hi[2]) | (f->lo[0] > e->hi[0]));
}

/* Two boxes that share cells meet in the one that has the lowest corner of what they share. */
static int meets_in(const sweep *s, const entry *e, const entry *f, int cell)
{
    int i = cell_along(s, 0, peg_max(e->lo[1], f->lo[1]));
    return cell == i * s->cells[1] + cell_along(s, 1, peg_max(e->lo[2], f->lo[2]));
}

static void meet(sweep *s, const active *of, const entry *e, int cell)
{
    int large = s->cells[0] * s->cells[1];
    for (int *link = &of->first[cell]; *link >= 0;) {
        const node *at = &s->node[*link];
        const entry *f = &s->entry[at->entry];
        if (f->hi[0] < e->lo[0]) {
            *link = at->next;
            continue;
        }
        link = &s->node[*link].next;
        if (!overlaps(e, f) || (cell < large && large > 1 && !meets_in(s, e, f, cell))) continue;
        s->visit(s->context, e->box < f->box ? e->box : f->box, e->box < f->box ? f->box : e->box);
    }
}

static void enter(sweep *s, const active *into, int i, int cell)
{
    s->node[s->nodes] = (node){i, into->first[cell]};
    into->first[cell] = s->nodes++;
}

/* Box i against those that the sweep is in, and into its own cells. */
static void pass(sweep *s, int i, const active *moving, const active *still, int is_fixed)
{
    const entry *e = &s->entry[i];
    const active *own = is_fixed ? still : moving;
    int lo[2], hi[2], large = s->cells[0] * s->cells[1];
    for (int k = 0; k < 2; k++) {
        lo[k] = cell_along(s, k, e->lo[k + 1]);
        hi[k] = cell_along(s, k, e->hi[k + 1]);
    }
    int is_large = (double)(hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) > CELLS_OF_BOX;
    for (int x = lo[0]; x <= hi[0]; x++)
        for (int y = lo[1]; y <= hi[1]; y++) {
            int cell = x * s->cells[1] + y;
            meet(s, moving, e, cell);
            if (!is_fixed) meet(s, still, e, cell);
            if (!is_large) enter(s, own, i, cell);
        }
    meet(s, moving, e, large);
    if (!is_fixed) meet(s, still, e, large);
    if (is_large) enter(s, own, i, large);
}

int peg_sweep_pairs(peg_arena *arena, const peg_aabb *box, const unsigned char *fixed, int n,
                    peg_pair_visitor *visit, void *context)
{
    peg_arena_mark mark = peg_arena_here(arena);
    sweep s = {.visit = visit, .context = context};
    key *keys = PEG_NEW(arena, key, 2 * (size_t)n);
    s.entry = PEG_NEW(arena, entry, n);
    s.node = PEG_NEW(arena, node, CELLS_OF_BOX * (size_t)n);
    if (!keys || !s.entry || !s.node) return 0;
    int axis = widest_axis(box, n);
    const key *order = sort_by_lo(box, axis, n, keys, keys + n);
    for (int k = 0; k < n; k++) s.entry[k] = entry_of(box, axis, order[k].box);
    set_grid(&s, n);
    int lists = s.cells[0] * s.cells[1] + 1;
    active moving = {PEG_NEW(arena, int, lists)}, still = {PEG_NEW(arena, int, lists)};
    if (!moving.first || !still.first) return 0;
    for (int i = 0; i < lists; i++) moving.first[i] = still.first[i] = -1;
    for (int k = 0; k < n; k++) pass(&s, k, &moving, &still, fixed[order[k].box]);
    peg_arena_back(arena, mark);
    return 1;
}
