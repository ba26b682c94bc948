/* Where a solve about v_f starts: the impulses of the iteration before, or of the step before. */
#include "peg/island/warm_start.h"

#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"

/* Impulses that a pair carried in the iteration before, or in the step before: normal rows, each
 * followed by its friction rows. */
typedef struct carried {
    const peg_row *row; /* else old */
    const peg_cached_row *old;
    int n;
    unsigned char *taken; /* n */
} carried;

static peg_cached_row carried_row(const carried *c, int k)
{
    peg_cached_row row = c->row ? peg_row_to_cache(&c->row[k]) : c->old[k];
    if (c->row) row.lambda = c->row[k].lambda_motion;
    return row;
}

/* Adds the impulses of the old contact k to the contact i. The friction is handed on as a vector,
 * since its axes follow the sliding: n axes evenly spread over half a turn add up to sum d d^T =
 * n/2. */
static void take_impulses(const peg_island *I, carried *c, int k, int i, double *lambda)
{
    double sliding[3] = {0}, rolling[3] = {0};
    int end = peg_next_normal(&I->rows, i), axes = 0;
    c->taken[k] = 1;
    lambda[i] += carried_row(c, k).lambda;
    for (int f = k + 1; f < c->n; f++) {
        peg_cached_row old = carried_row(c, f);
        if (!old.friction) break;
        double *sum = old.rolls ? rolling : sliding;
        peg_add_scaled(sum, old.lambda, old.direction, sum);
    }
    for (int f = i + 1; f < end; f++) axes += !I->rows.row[f].rolls;
    for (int f = i + 1; f < end; f++) {
        const peg_row *row = &I->rows.row[f];
        double share = row->rolls || axes < 2 ? 1 : 2.0 / axes;
        lambda[f] += share * peg_dot(row->rolls ? rolling : sliding, row->normal);
    }
}

static int find_features(const peg_island *I, const carried *c, int i)
{
    const peg_row *row = &I->rows.row[i];
    for (int k = 0; k < c->n; k++) {
        peg_cached_row old = carried_row(c, k);
        if (!old.friction && !c->taken[k] && old.kind == (int)row->kind && old.i == row->i &&
            old.j == row->j)
            return k;
    }
    return -1;
}

static int find_nearest(const peg_island *I, int begin, int end, const double *local)
{
    int best = begin;
    double nearest = INFINITY;
    for (int i = begin; i < end; i = peg_next_normal(&I->rows, i)) {
        double apart[3];
        peg_sub(I->rows.row[i].local, local, apart);
        double square = peg_dot(apart, apart);
        if (square < nearest) nearest = square, best = i;
    }
    return best;
}

/* The same features carry on their impulses. Flush corners are seen now as these and now as those
 * features, and crossings of nearly parallel edges wander: what is left goes to the nearest point.
 */
static void warm_pair(const peg_island *I, int begin, int end, carried *c, double *lambda)
{
    if (c->n == 0) return;
    memset(c->taken, 0, (size_t)c->n);
    for (int i = begin; i < end; i = peg_next_normal(&I->rows, i)) {
        int k = find_features(I, c, i);
        if (k >= 0) take_impulses(I, c, k, i, lambda);
    }
    for (int k = 0; k < c->n; k++) {
        peg_cached_row old = carried_row(c, k);
        if (old.friction || c->taken[k] || !(old.lambda > 0)) continue;
        take_impulses(I, c, k, find_nearest(I, begin, end, old.local), lambda);
    }
}

/* Rows of one pair lie together, those of first contacts behind all others, in the same order of
 * pairs. */
static int end_of_pair(const peg_row_set *set, int i)
{
    int end = i;
    while (end < set->m && set->row[end].pair == set->row[i].pair &&
           set->row[end].first_contact == set->row[i].first_contact)
        end++;
    return end;
}

static int comes_before(const peg_row *a, const peg_row *b)
{
    return a->first_contact != b->first_contact ? b->first_contact : a->pair < b->pair;
}

int peg_warm_start(const peg_island *I, double *lambda)
{
    const peg_row_set *rows = &I->rows, *last = &I->before.rows;
    int most = last->m;
    for (int p = 0; p < I->npair && last->m == 0; p++)
        if (I->pair[p].cached_rows > most) most = I->pair[p].cached_rows;
    carried c = {.taken = PEG_NEW(I->arena, unsigned char, most)};
    if (!c.taken) return 0;
    for (int i = 0, end, from = 0; i < rows->m; i = end) {
        const peg_row *row = &rows->row[i];
        const peg_pair *p = &I->pair[row->pair];
        end = end_of_pair(rows, i);
        if (last->m == 0) {
            c.old = p->cached, c.n = p->cached_rows;
        } else {
            while (from < last->m && comes_before(&last->row[from], row)) from++;
            int to = end_of_pair(last, from);
            int same = from < to && !comes_before(row, &last->row[from]);
            c.row = last->row + from, c.n = same ? to - from : 0;
        }
        if (peg_is_iterative(I) && (p->rows_kept || row->first_contact)) continue;
        for (int k = i; k < end; k++) lambda[k] = 0;
        warm_pair(I, i, end, &c, lambda);
    }
    return 1;
}
