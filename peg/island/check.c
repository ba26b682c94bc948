/* Check of the pairs at the poses of an iterate. */
#include "peg/island/check.h"

#include "peg/collide/separation.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"

/* Iteration from which on slow pairs that stay violated are advanced to their first contact, and
 * how often. */
enum { CAUSES = 2 * PEG_PATIENCE };

/* Whether the last check of a pair is still valid; the tolerance of recovering pairs grows with the
 * iterations. */
static int is_checked(const peg_island *I, const peg_pair *p)
{
    return p->checked > p->active && !peg_pair_recovers(p) &&
           !I->rigid[I->piece[p->a].rigid].moved && !I->rigid[I->piece[p->b].rigid].moved;
}

/* Adds the motion since the last check of the pair; returns whether it is still separated by that
 * check's bound and has moved little. Fast pairs, and pairs whose rows will be remade, are always
 * checked. */
static int stays_apart(const peg_island *I, peg_pair *p)
{
    const peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
    const peg_rigid *ra = &I->rigid[a->rigid], *rb = &I->rigid[b->rigid];
    double shift[3], floor = PEG_FLOOR * p->margin;
    peg_sub(ra->shift, rb->shift, shift);
    /* bound on the approach between the last two iterates, m */
    double moved = peg_norm(shift) + ra->turn * a->arm + rb->turn * b->arm;
    p->moved_since_rows += moved;
    p->moved_since_tilt += moved;
    p->moved_since_check += moved;
    p->clear -= moved;
    if ((I->forms & PEG_FORM_RECOVERY) || p->nexternal || p->checked <= p->active ||
        p->has_first_contact || p->fast)
        return 0;
    if (p->moved_since_check > PEG_ROW_REUSE * p->L ||
        (p->active && p->moved_since_rows > PEG_ROW_REUSE * p->L))
        return 0;
    if (!(p->s - moved >= floor)) return 0;
    p->s -= moved;
    p->shortfall = floor - p->s;
    return 1;
}

static void check_pair(peg_island *I, peg_pair *p, int may_tilt)
{
    double along = peg_separation_along(&I->piece[p->a].now, &I->piece[p->b].now, p->facet.n);
    peg_facet widest = {.kind = PEG_FEATURES_NONE}, before = p->facet;
    if (may_tilt && (p->active || along < PEG_FLOOR * p->margin))
        widest = peg_pair_tilt(I, p, along);
    int is_kept = memcmp(before.n, p->facet.n, sizeof before.n) == 0;
    p->shortfall = peg_pair_shortfall(I, p, &widest, is_kept ? &along : NULL);
    p->checked = 1 + p->active;
    p->moved_since_check = 0;
}

/* Of many overlapping pairs some can recover only after others: later iterations accept deeper ones
 * if the sum of depths falls. */
double peg_check_pairs(peg_island *I, int may_tilt)
{
    double opened = 0, deepened = -INFINITY, shortfall = -INFINITY;
    I->progress.work += PEG_WORK_OF_CHECK * I->npair;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        int recovers = peg_pair_recovers(p);
        double *most = recovers ? &deepened : &shortfall;
        p->rechecked = !is_checked(I, p) && !stays_apart(I, p);
        if (p->rechecked) check_pair(I, p, may_tilt);
        if (p->shortfall > 0) {
            p->violated = 1;
            p->tried.stuck = ++p->tried.failed_checks >= PEG_PATIENCE;
        }
        if (p->shortfall > *most) *most = p->shortfall;
        if (recovers) opened += fmin(p->s, 0) - p->s0;
    }
    if (deepened > shortfall && (I->progress.iteration < PEG_RECOVERY_FREE_FROM || opened <= 0))
        shortfall = deepened;
    return shortfall;
}

/* --- first contacts --- */

int peg_is_fast(const peg_island *I, const peg_pair *p)
{
    if (!peg_has_rule(I, PEG_RULE_FIRST_CONTACT)) return 0;
    return peg_pair_is_fast(I, p, (const peg_vec6 *)I->v);
}

/* Features that touch at q_0 without limit of friction, and are the first contact, too: the first
 * iterate has their rows, unless an obstacle has moved. A second time they would hold a wheel where
 * it stood. Beside joints such friction slips a little, and jaws need them: without them boxes that
 * an arm stacks slide by 1.5 mm. */
static int has_rows_of_start(const peg_island *I, const peg_pair *p, const peg_passage *passage)
{
    const peg_body *a = &I->rigid[I->piece[p->a].rigid].state;
    const peg_body *b = &I->rigid[I->piece[p->b].rigid].state;
    int sticks = isinf(p->surface->mu) || isinf(p->surface->mu2);
    int rests = !peg_is_moving_obstacle(a) && !peg_is_moving_obstacle(b);
    return sticks && rests && !I->joints.n && I->progress.iteration == 0 && passage->apart == 0 &&
           p->s0 <= PEG_NEAR * p->L;
}

int peg_add_first_contact(peg_island *I, int p, double depth)
{
    peg_pair *pair = &I->pair[p];
    if (pair->clear > 0) return pair->has_first_contact = 0;
    peg_passage passage = peg_conservative_advancement(I, pair, (const peg_vec6 *)I->v, depth);
    pair->has_first_contact = passage.hit;
    pair->clear = passage.clear;
    if (passage.hit && !has_rows_of_start(I, pair, &passage))
        peg_first_contact(I, p, &passage, (const peg_vec6 *)I->v);
    return passage.hit;
}

int peg_seek_first_contacts(peg_island *I, double shortfall)
{
    int passed = 0, violated = shortfall > 0 && peg_has_rule(I, PEG_RULE_CAUSE);
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (violated && I->progress.iteration >= CAUSES && p->s0 >= 0 && p->tried.causes < CAUSES &&
            p->s < 0) {
            p->tried.causes++;
            passed |= peg_add_first_contact(I, i, PEG_ROUNDED * p->width);
        } else if (p->rechecked || p->has_first_contact) {
            p->fast = peg_is_fast(I, p);
            if (p->fast) passed |= peg_add_first_contact(I, i, PEG_HIT_DEPTH * p->width);
        }
    }
    peg_remove_first_contacts(I);
    return passed;
}
