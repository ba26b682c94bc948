/* Solves an island's rows, and keeps the account of their impulses. */
#include "peg/island/solve.h"

#include "peg/base/arena.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"

/* Whether a contact, of which these are the rows, has an impulse: friction with a limit of its own
 * may have one where nothing bears any more (see pair.friction_pending). */
static int acts(const peg_row_set *rows, int begin, int end)
{
    int any = 0;
    for (int i = begin; i < end; i++) any |= rows->row[i].lambda != 0;
    return any;
}

void peg_island_accumulate(peg_island *I, peg_about about)
{
    if (about == PEG_ABOUT_FREE) I->impulse.m = 0;
    for (int i = 0, end; i < I->rows.m; i = end) {
        end = peg_next_normal(&I->rows, i);
        if (acts(&I->rows, i, end)) peg_rows_append(I, &I->impulse, &I->rows, i, end);
    }
}

peg_outcome peg_island_solve(peg_island *I, peg_about about)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    peg_outcome outcome = peg_is_iterative(I) ? peg_island_solve_iterative(I, about)
                                              : peg_island_solve_exact(I, about);
    peg_arena_back(I->arena, mark);
    if (outcome != PEG_SOLVED) return outcome;
    if (about == PEG_ABOUT_FREE) {
        memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
        for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda_motion = I->rows.row[i].lambda;
        I->has_motion = 1;
    } else {
        for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda_restored = I->rows.row[i].lambda;
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
