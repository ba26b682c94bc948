/* Solves an island's rows and accumulates their impulses. */
#include "peg/island/solve.h"

#include "peg/base/arena.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/lcp_rows.h"

void peg_island_accumulate(peg_island *I, peg_about about)
{
    if (about == PEG_ABOUT_FREE) I->impulse.m = 0;
    if (!peg_row_set_reserve(I, &I->impulse, I->rows.m)) return;
    for (int i = 0, end; i < I->rows.m; i = end) {
        int acts = 0;
        end = peg_next_normal(&I->rows, i);
        /* friction with a fixed limit may act where no row is loaded any more
         * (pair.friction_pending) */
        for (int k = i; k < end; k++) acts |= I->rows.row[k].lambda != 0;
        if (acts) peg_rows_append(I, &I->impulse, &I->rows, i, end);
    }
}

/* In the position stage: the velocities of bodies without joints, while there is work left, and the
 * projection of poses: rows without friction, whose solution is unique and found in a few
 * factorisations. Overlaps of many bodies cannot all open as much as they may. */
static int solves_exactly(const peg_island *I, peg_about about)
{
    if (!peg_is_iterative(I)) return 1;
    if (!(I->forms & PEG_FORM_POSITIONS_APART)) return 0;
    if (I->nd >= PEG_COARSE_FROM && (I->forms & PEG_FORM_RECOVERY)) return 0;
    return about == PEG_ABOUT_ITERATE || (!I->joints.n && !peg_work_is_spent(I));
}

/* Whether PGS replaces an exact solve that failed: overlaps then recover as far as they can, and
 * bodies without room between moving obstacles are not thrown about. */
static int may_iterate(const peg_island *I, peg_about about, peg_outcome outcome)
{
    if (outcome == PEG_SOLVED || I->failed || !peg_is_iterative(I)) return 0;
    if (about == PEG_ABOUT_FREE) return 1;
    if (outcome != PEG_INFEASIBLE) return 1;
    for (int i = 0; i < I->rows.m; i++)
        if (!I->rows.row[i].friction && I->rows.row[i].prescribed != 0) return 0;
    return (I->forms & PEG_FORM_RECOVERY) != 0;
}

/* Where an exact solve ended short of an answer the next one goes on from its impulses. */
static void keep_unfinished(peg_island *I)
{
    I->unfinished.m = 0;
    peg_rows_append(I, &I->unfinished, &I->rows, 0, I->rows.m);
}

peg_outcome peg_island_solve(peg_island *I, peg_about about)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    peg_outcome outcome = PEG_SINGULAR;
    if (solves_exactly(I, about)) {
        outcome = peg_island_solve_exact(I, about);
        memset(I->dirty, 1, (size_t)I->nr);
    }
    if (outcome == PEG_ITERATION_LIMIT && about == PEG_ABOUT_FREE) {
        peg_arena_back(I->arena, mark);
        keep_unfinished(I);
        mark = peg_arena_here(I->arena);
    }
    I->progress.infeasible = outcome == PEG_INFEASIBLE;
    if (may_iterate(I, about, outcome)) outcome = peg_island_solve_iterative(I, about);
    peg_arena_back(I->arena, mark);
    if (outcome != PEG_SOLVED) return outcome;
    if (about == PEG_ABOUT_FREE) {
        memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
        I->before.has_motion = 1;
    }
    for (int i = 0; i < I->rows.m; i++) {
        peg_row *row = &I->rows.row[i];
        *(about == PEG_ABOUT_FREE ? &row->lambda_motion : &row->lambda_restored) = row->lambda;
    }
    return outcome;
}

peg_outcome peg_solve_and_accumulate(peg_island *I, peg_about about)
{
    peg_outcome outcome = peg_island_solve(I, about);
    int is_motion = about == PEG_ABOUT_FREE || !peg_keeps_motion(I);
    if (outcome == PEG_SOLVED && is_motion) peg_island_accumulate(I, about);
    return outcome;
}
