/* From the assembled island to the velocities that ODE steps with. */
#include "peg/island/island_step.h"

#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/restitution.h"
#include "peg/island/solve_policy.h"

/* Start poses; obstacles move with their own velocities. */
static void prepare(peg_island *I)
{
    I->progress.strides = 0;
    for (int i = 0; i < I->nr; i++) {
        const peg_body *state = &I->rigid[i].state;
        if (i < I->nd || state->kind == PEG_STATIC)
            memset(I->v[i], 0, sizeof I->v[i]);
        else
            memcpy(I->v[i], state->v, sizeof I->v[i]);
    }
    peg_island_place_mass(I);
}

static void count_outcome(peg_island *I)
{
    int rough = I->result.residual > PEG_UNCONVERGED || I->result.notes & PEG_NOTE_UNSOLVED;
    I->stats->unconverged += rough;
    I->stats->budget_ended += !rough && I->result.notes & PEG_NOTE_BUDGET;
}

void peg_island_step(peg_island *I)
{
    prepare(I);
    if (peg_solve_by_policy(I) != PEG_CONVERGED || I->failed) {
        I->failed = 1;
        return;
    }
    if (!(I->forms & PEG_FORM_POSITIONS_APART)) peg_end_velocities(I);
    memcpy(I->result.v_pose, I->v, (size_t)I->nd * sizeof *I->v);
    if (!(I->forms & (PEG_FORM_RECOVERY | PEG_FORM_POSITIONS_APART)))
        I->result.energy_gain = peg_island_gain_with(
            I, (const peg_vec6 *)(I->result.notes & PEG_NOTE_FINAL ? peg_velocities_after(I)
                                                                   : I->result.v_end));
    if (I->joints.relaxation > 0) I->result.notes |= PEG_NOTE_HELD;
    count_outcome(I);
    for (int i = 0; i < I->npair; i++) peg_pair_keep_choice(I, &I->pair[i]);
}
