/* Changes of the pairs' chosen facets after a solve: switch and lock. */
#include "peg/island/alternatives.h"

#include "peg/contact/disjunction.h"

/* Switches of a pair's facet in a step, at most: without a limit 206 islands of demo-bridge freeze
 * in 3 s. */
enum { SWITCHES_PAIR = 4 };

/* Gap at q_0, L, below which the features of a row have passed each other. */
static const double BEHIND = 1e-5;

int peg_switch_pairs(peg_island *I)
{
    int switched = 0;
    if (!peg_has_rule(I, PEG_RULE_SWITCH)) return 0;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (!p->rechecked || !p->active || p->tried.switches >= SWITCHES_PAIR) continue;
        if (!peg_pair_switch(I, p)) continue;
        p->moved_since_rows = INFINITY;
        switched++;
    }
    return switched;
}

/* A loaded row whose features had passed each other at q_0 pushes the body out at the far side.
 * Rows of first contact are exempt. */
int peg_lock_pairs(peg_island *I)
{
    int locked = 0;
    if (!peg_has_rule(I, PEG_RULE_LOCK)) return 0;
    for (int i = 0; i < I->rows.m; i++) {
        const peg_row *row = &I->rows.row[i];
        peg_pair *p = &I->pair[row->pair];
        int is_loaded = !row->friction && (row->lambda > 0 || row->lambda_motion > 0);
        int is_behind = p->s0 >= -PEG_TOUCH * p->L && row->gap0 < -BEHIND * p->L;
        if (p->tried.locked || row->first_contact || !is_loaded || !is_behind) continue;
        peg_pair_lock(I, p);
        p->moved_since_rows = INFINITY;
        locked++;
    }
    return locked;
}
