/* The standard model of Stewart and Trinkle [F 3, 5; W 8-9]: every near feature is a half-space and
 * all of them hold at once; one linearisation at the start of the step. What exactness is compared
 * with: it traps bodies at corners and leaves overlap of order h^2. */
#include "peg/island.h"

typedef struct near_features {
    peg_island *I;
    int pair, first_row; /* the pair's own rows begin there */
    peg_row_set seen;
} near_features;

/* Every facet of the pair whose features are within reach contributes the rows that are seen along
 * its normal: the union over all facets is the set of near vertex-face and edge-edge contacts. */
static void add_rows(void *context, const peg_facet *facet)
{
    near_features *near = context;
    peg_island *I = near->I;
    peg_pair *p = &I->pair[near->pair];
    peg_row_set *seen = &near->seen;
    seen->m = 0;
    p->facet = *facet;
    peg_patch_rows(I, near->pair, (const double(*)[6])I->v, seen);
    for (int i = 0; i < seen->m; i = peg_next_normal(seen, i)) {
        int known = 0;
        for (int j = near->first_row; j < I->rows.m && !known; j++)
            known = peg_row_same(&I->rows.row[j], &seen->row[i]);
        if (!known) peg_contact_append(I, &I->rows, seen, i);
    }
}

peg_result peg_standard(peg_island *I)
{
    near_features near = {.I = I};
    peg_island_begin(I);
    for (int i = 0; i < I->npair; i++) {
        near.pair = i;
        near.first_row = I->rows.m;
        peg_pair *p = &I->pair[i];
        const peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
        peg_facet chosen = p->facet;
        peg_separation(&a->start, &b->start, -p->reach, add_rows, &near);
        p->facet = chosen;
    }
    peg_outcome outcome = I->failed ? PEG_OUT_OF_MEMORY : peg_island_solve(I, PEG_ABOUT_FREE);
    if (outcome == PEG_INFEASIBLE) {
        I->elastic = 1;
        I->stats->fallback_elastic++;
        outcome = peg_island_solve(I, PEG_ABOUT_FREE);
    }
    if (outcome != PEG_SOLVED) {
        for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
        I->stats->unconverged++;
    }
    peg_island_move(I);
    for (int i = 0; i < I->npair; i++) peg_pair_shortfall(I, &I->pair[i]);
    return I->failed ? PEG_NOT_CONVERGED : PEG_CONVERGED;
}
