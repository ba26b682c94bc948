#include "peg/paper/unilateral_step.h"

#include "peg/base/clock.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/island/begin.h"
#include "peg/paper/paper.h"

peg_row *peg_add_row_of_points(peg_island *I, int p, const double point_a[3],
                               const double point_b[3], const double n[3], double gap,
                               peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_rigid *a = &I->rigid[I->piece[pair->a].rigid];
    peg_row *row = peg_row_set_add(I, out);
    double arm[3];
    if (!row) return NULL;
    *row = (peg_row){.pair = p, .kind = PEG_FEATURES_POINTS, .gap0 = gap, .gap = gap};
    peg_copy3(n, row->normal);
    peg_copy3(point_a, row->point);
    peg_sub(point_a, a->x0, arm);
    peg_rotate_back(a->R0, arm, row->local);
    row->prescribed = peg_start_jacobian(I, pair, point_a, point_b, n, row->Ga, row->Gb);
    row->bias = gap / I->h + row->prescribed;
    return row;
}

/* The model's answer; with compliance if there is none. */
static void solve(peg_island *I, const peg_unilateral_model *model)
{
    if (model->solve(I, model->data) == PEG_SOLVED || I->failed) return;
    I->stats->unconverged++;
    I->forms |= PEG_FORM_ELASTIC;
    I->stats->fallback_elastic++;
    if (model->solve(I, model->data) == PEG_SOLVED || I->failed) return;
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
    I->impulse.m = 0;
}

peg_result peg_unilateral_step(peg_island *I, const peg_unilateral_model *model)
{
    pegStats *stats = I->stats;
    double then = peg_seconds();
    peg_island_begin(I);
    I->forms &= ~(unsigned)PEG_FORM_RECOVERY;
    peg_lap(&then, &stats->time_check);
    for (int p = 0; p < I->npair && !I->failed; p++) model->describe(I, p, model->data);
    peg_lap(&then, &stats->time_rows);
    if (!I->failed) solve(I, model);
    peg_lap(&then, &stats->time_solve);
    if (I->failed) return PEG_NOT_CONVERGED;
    peg_island_move(I);
    for (int i = 0; i < I->npair; i++) peg_pair_shortfall(I, &I->pair[i], NULL, NULL);
    peg_lap(&then, &stats->time_check);
    return PEG_CONVERGED;
}
