/* Warm start of a solve about v_f: the impulses of the last iteration, else those at which an exact
 * solve of the step ended short of an answer, else of the last step. */
#include "peg/island/warm_start.h"

#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"

/* Contacts that a pair carried impulses by in the iteration before, or in the step before. */
typedef struct carried {
    const peg_cached_contact *contact;
    int n;
    peg_cached_contact *room; /* of those of an iteration */
    unsigned char *taken;     /* n */
} carried;

/* Adds the impulses of the old contact k to the contact i. The friction is handed on as a vector,
 * since its axes follow the sliding: n axes evenly spread over half a turn add up to sum d d^T =
 * n/2. */
static void take_impulses(const peg_island *I, carried *c, int k, int i, double *lambda)
{
    const peg_cached_contact *old = &c->contact[k];
    int end = peg_next_normal(&I->rows, i), axes = 0;
    c->taken[k] = 1;
    lambda[i] += old->lambda;
    for (int f = i + 1; f < end; f++) axes += !I->rows.row[f].rolls;
    for (int f = i + 1; f < end; f++) {
        const peg_row *row = &I->rows.row[f];
        double share = row->rolls || axes < 2 ? 1 : 2.0 / axes;
        lambda[f] += share * peg_dot(row->rolls ? old->rolling : old->sliding, row->normal);
    }
}

static int find_features(const peg_island *I, const carried *c, int i)
{
    const peg_row *row = &I->rows.row[i];
    for (int k = 0; k < c->n; k++) {
        const peg_cached_contact *old = &c->contact[k];
        if (!c->taken[k] && old->kind == (int)row->kind && old->i == row->i && old->j == row->j)
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

/* Contacts of the same features keep their impulses. Features of flush corners alternate, and
 * crossings of nearly parallel edges move: the remaining impulses go to the nearest contact. */
static void warm_pair(const peg_island *I, int begin, int end, carried *c, double *lambda)
{
    if (c->n == 0) return;
    memset(c->taken, 0, (size_t)c->n);
    for (int i = begin; i < end; i = peg_next_normal(&I->rows, i)) {
        int k = find_features(I, c, i);
        if (k >= 0) take_impulses(I, c, k, i, lambda);
    }
    for (int k = 0; k < c->n; k++) {
        const peg_cached_contact *old = &c->contact[k];
        if (c->taken[k] || !(old->lambda > 0)) continue;
        take_impulses(I, c, k, find_nearest(I, begin, end, old->local), lambda);
    }
}

/* Rows of one pair are contiguous; those of first contacts follow all others, in the same order of
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

/* Of the rows begin .. of one pair in the iteration before. */
static void carry_rows(const peg_row_set *last, int begin, int end, carried *c)
{
    c->contact = c->room;
    c->n = 0;
    for (int i = begin; i < end; i = peg_next_normal(last, i))
        c->room[c->n++] = peg_contact_to_cache(last, i, 1);
}

/* Room for the contacts of any pair. */
static int allocate(const peg_island *I, const peg_row_set *last, carried *c)
{
    int most = 0;
    for (int i = 0, end; i < last->m; i = end) {
        end = end_of_pair(last, i);
        most = end - i > most ? end - i : most;
    }
    if (most) c->room = PEG_NEW(I->arena, peg_cached_contact, most);
    for (int p = 0; p < I->npair && last->m == 0; p++)
        if (I->pair[p].cached_contacts > most) most = I->pair[p].cached_contacts;
    c->taken = PEG_NEW(I->arena, unsigned char, most);
    return c->taken && (c->room || last->m == 0);
}

int peg_warm_start(const peg_island *I, double *lambda)
{
    const peg_row_set *rows = &I->rows;
    const peg_row_set *last = I->before.rows.m ? &I->before.rows : &I->unfinished;
    carried c = {0};
    /* of those of a whole step up to mid-step */
    double share = last->m == 0 && (I->forms & PEG_FORM_MIDPOINT) ? 0.5 : 1;
    peg_arena_mark mark = peg_arena_here(I->arena);
    if (!allocate(I, last, &c)) return 0;
    for (int i = 0, end, from = 0; i < rows->m; i = end) {
        const peg_row *row = &rows->row[i];
        const peg_pair *p = &I->pair[row->pair];
        end = end_of_pair(rows, i);
        if (last->m == 0) {
            c.contact = p->cached, c.n = p->cached_contacts;
        } else {
            while (from < last->m && comes_before(&last->row[from], row)) from++;
            int same = from < last->m && !comes_before(row, &last->row[from]);
            carry_rows(last, from, same ? end_of_pair(last, from) : from, &c);
        }
        if (peg_is_iterative(I) && (p->rows_kept || row->first_contact)) continue;
        for (int k = i; k < end; k++) lambda[k] = 0;
        if (last->m == 0 && row->first_contact) continue; /* the rows of its pair have them */
        warm_pair(I, i, end, &c, lambda);
        for (int k = i; k < end; k++) lambda[k] *= share;
    }
    peg_arena_back(I->arena, mark);
    return 1;
}
