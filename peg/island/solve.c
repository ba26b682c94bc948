/* Solves an island's rows, and keeps the account of their impulses. */
#include "peg/island/solve.h"

#include "peg/base/arena.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/lcp_rows.h"

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

/* In the position stage: the velocities of few bodies without joints, while there is work left, and
 * the projection of poses: rows without friction, whose solution is unique and found in a few
 * factorisations. Overlaps of many bodies cannot all open as much as they may. */
static int solves_exactly(const peg_island *I, peg_about about)
{
    int many = I->nd >= PEG_COARSE_FROM;
    if (!peg_is_iterative(I)) return 1;
    if (!(I->forms & PEG_FORM_POSITIONS_APART)) return 0;
    if (about == PEG_ABOUT_FREE) return !many && !I->joints.n && !peg_work_is_spent(I);
    return !many || !(I->forms & PEG_FORM_RECOVERY);
}

static int is_driven(const peg_island *I)
{
    for (int i = 0; i < I->rows.m; i++)
        if (!I->rows.row[i].friction && I->rows.row[i].prescribed != 0) return 1;
    return 0;
}

/* Whether projected Gauss-Seidel is to find what no exact solve has found. Overlaps that cannot
 * open as much as they may open as much as they can; where moving bodies leave no room nothing is
 * thrown about. */
static int may_iterate(const peg_island *I, peg_about about, peg_outcome outcome)
{
    if (outcome == PEG_SOLVED || I->failed || !peg_is_iterative(I)) return 0;
    if (about == PEG_ABOUT_FREE) return 1;
    return outcome != PEG_INFEASIBLE || ((I->forms & PEG_FORM_RECOVERY) && !is_driven(I));
}

/* The velocities of the answer, and its impulses. */
static void keep_motion(peg_island *I)
{
    memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
    for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda_motion = I->rows.row[i].lambda;
    I->before.has_motion = 1;
}

peg_outcome peg_island_solve(peg_island *I, peg_about about)
{
    peg_arena_mark mark = peg_arena_here(I->arena);
    peg_outcome outcome = PEG_SINGULAR;
    if (solves_exactly(I, about)) {
        outcome = peg_island_solve_exact(I, about);
        memset(I->dirty, 1, (size_t)I->nr);
    }
    if (may_iterate(I, about, outcome)) outcome = peg_island_solve_iterative(I, about);
    peg_arena_back(I->arena, mark);
    if (outcome != PEG_SOLVED) return outcome;
    if (about == PEG_ABOUT_FREE)
        keep_motion(I);
    else
        for (int i = 0; i < I->rows.m; i++) I->rows.row[i].lambda_restored = I->rows.row[i].lambda;
    return outcome;
}

peg_outcome peg_solve_and_accumulate(peg_island *I, peg_about about)
{
    peg_outcome outcome = peg_island_solve(I, about);
    int is_motion = about == PEG_ABOUT_FREE || !peg_keeps_motion(I);
    if (outcome == PEG_SOLVED && is_motion) peg_island_accumulate(I, about);
    return outcome;
}
