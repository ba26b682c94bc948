/* Rows of an iteration: made at the iterate, or kept from the iteration before.
 *
 * Rows of a pair stay while nothing is wrong with it and its bodies have hardly moved since they
 * were made; what that leaves out the check of the poses finds. */
#include "peg/island/row_cache.h"

#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/patch.h"
#include "peg/lcp/gauss_seidel.h"

static int is_wrong(const peg_pair *p)
{
    return p->shortfall > 0 || p->has_first_contact || p->friction_pending ||
           p->moved_since_rows == INFINITY;
}

static void mark_dirty(peg_island *I, const peg_pair *p)
{
    I->dirty[I->piece[p->a].rigid] = I->dirty[I->piece[p->b].rigid] = 1;
}

/* Features lie at least s apart, along a normal within PEG_FACING of n. */
static int is_out_of_reach(const peg_pair *p)
{
    return !p->violated && PEG_FACING * p->s > p->reach;
}

/* In exact attempts only rows are kept that are unloaded, could not become loaded, and whose
 * linearisation error is below the pair's separation; after many iterations none. */
static int must_be_exact(const peg_island *I, const peg_pair *p)
{
    double wrong = p->moved_since_rows * p->moved_since_rows / p->L;
    return I->progress.iteration >= PEG_PATIENCE || p->active || p->s <= 2 * p->margin + wrong ||
           is_out_of_reach(p);
}

/* Rows of a pair are kept while it is not violated and is unloaded, or its bodies have hardly moved
 * since the rows were made; the check of the poses covers the difference. Rows of one pair are
 * contiguous in the set, in the order of the pairs. */
static int keep_rows(peg_island *I, int p, int anew, int *from)
{
    const peg_row_set *last = &I->before.rows;
    const peg_pair *pair = &I->pair[p];
    int dirty = I->dirty[I->piece[pair->a].rigid] || I->dirty[I->piece[pair->b].rigid];
    while (*from < last->patches && last->row[*from].pair < p) ++*from;
    if (last->m == 0 || is_wrong(pair)) return 0;
    if (!peg_is_iterative(I) && must_be_exact(I, pair)) return 0;
    if (!anew && dirty && pair->active && pair->moved_since_rows > PEG_ROW_REUSE * pair->L)
        return 0;
    int begin = *from;
    while (*from < last->patches && last->row[*from].pair == p) ++*from;
    peg_rows_append(I, &I->rows, last, begin, *from);
    return 1;
}

/* Rows of first contacts are kept for the step, with PGS their impulses too. */
static void append_first_contacts(peg_island *I)
{
    const peg_row_set *last = &I->before.rows;
    int old = last->patches;
    I->rows.patches = I->rows.m;
    for (int i = 0, end; i < I->first.m; i = end) {
        const peg_row *row = &I->first.row[i];
        const peg_pair *p = &I->pair[row->pair];
        end = peg_next_normal(&I->first, i);
        int begin = I->rows.m;
        peg_rows_append(I, &I->rows, &I->first, i, end);
        if (I->failed || !peg_is_iterative(I)) continue;
        if (old >= last->m) mark_dirty(I, p);
        for (int k = begin; k < I->rows.m && old < last->m; k++, old++) {
            I->rows.row[k].lambda_motion = last->row[old].lambda_motion;
            I->rows.row[k].lambda_restored = last->row[old].lambda_restored;
        }
    }
}

void peg_make_rows(peg_island *I, int p)
{
    peg_pair *pair = &I->pair[p];
    peg_pair_pose at = peg_pair_pose_now(I, pair);
    int begin = I->rows.m;
    pair->moved_since_rows = 0;
    if (is_out_of_reach(pair)) return;
    peg_patch_rows(I, p, &at, &I->rows);
    if (pair->violated && peg_has_rule(I, PEG_RULE_FACET_ROWS)) {
        if (pair->facet.kind == PEG_FEATURES_NONE) peg_pair_choose_facet(I, pair);
        /* overlapping pairs recover along their facet even where its features do not touch */
        peg_facet_rows(I, p, &at, peg_pair_recovers(pair) ? INFINITY : PEG_NEAR, &I->rows);
    }
    if (!peg_is_iterative(I) || I->rows.m == begin) return;
    I->rows.row[begin].pgs = peg_pgs_cache_create(I->arena, I->rows.m - begin);
    if (!I->rows.row[begin].pgs) I->failed = 1;
}

/* Rows per pair without a mesh that a new set has room for: of two boxes, face on face with
 * friction. Without it a flush wall of 180 bricks copied its rows four times, 6 % of the
 * instructions of its first step. Most triangles near to something make no rows: with room for
 * theirs tori that move by their size took up to 2.4 MB a step, more than test_moving_meshes
 * admits. */
enum { ROWS_OF_A_PAIR = 12 };

static int expected_rows(const peg_island *I)
{
    int solid = 0;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        solid += !peg_is_triangle(I->piece[p->a].part->shape) &&
                 !peg_is_triangle(I->piece[p->b].part->shape);
    }
    return ROWS_OF_A_PAIR * solid;
}

void peg_gather_rows(peg_island *I, int anew)
{
    peg_row_set before = I->rows;
    I->rows = I->before.rows;
    I->before.rows = before;
    I->rows.m = 0;
    if (!I->rows.capacity) peg_row_set_reserve(I, &I->rows, expected_rows(I));
    memset(I->dirty, 0, (size_t)I->nr);
    for (int p = 0; p < I->npair; p++)
        if (is_wrong(&I->pair[p]) || peg_pair_recovers(&I->pair[p])) mark_dirty(I, &I->pair[p]);
    int from = 0;
    for (int p = 0; p < I->npair; p++) {
        I->pair[p].rows_kept = keep_rows(I, p, anew, &from);
        if (I->pair[p].rows_kept) continue;
        peg_make_rows(I, p);
        I->progress.work += PEG_WORK_OF_ROWS;
        if (!anew) I->before.has_motion = 0;
    }
    append_first_contacts(I);
}

void peg_drop_rows(peg_island *I)
{
    I->rows.m = I->before.rows.m = 0;
    I->rows.patches = I->before.rows.patches = 0;
    I->before.has_motion = I->before.is_restored = 0;
}
