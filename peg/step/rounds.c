/* From round to round of a step. */
#include "peg/step/rounds.h"

#include "peg/contact/mode.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"

/* Contacts of the wide attempt are no rows; exact answers move what opens an overlap faster than
 * its velocity after the step. */
static int may_go_on(const peg_island *I)
{
    int is_middle = (I->forms & PEG_FORM_MIDPOINT) != 0;
    int opens = (I->forms & PEG_FORM_RECOVERY) && !peg_is_iterative(I);
    return peg_work_is_scarce(I) && !I->loads && !opens && !is_middle &&
           !(I->result.notes & (PEG_NOTE_UNSOLVED | PEG_NOTE_FINAL));
}

/* By pair: those of one candidate lie together. */
static int keep_rows(peg_assembly *a)
{
    const peg_island *I = &a->island;
    int n = I->result.motion_rows;
    peg_row *room = PEG_NEW(&a->worker->results, peg_row, n);
    int *count = PEG_NEW(I->arena, int, I->npair);
    if (!room || !count) return 0;
    memset(count, 0, (size_t)I->npair * sizeof *count);
    for (int i = 0; i < n; i++) count[I->impulse.row[i].pair]++;
    for (int p = 0; p < I->npair; p++) {
        peg_candidate *c = &a->stage->candidate[a->candidate_of[p]];
        c->impulse = room;
        c->impulses = 0;
        room += count[p];
    }
    for (int i = 0; i < n; i++) {
        const peg_row *row = &I->impulse.row[i];
        peg_candidate *c = &a->stage->candidate[a->candidate_of[row->pair]];
        c->impulse[c->impulses] = *row;
        c->impulse[c->impulses++].pgs = NULL;
    }
    return 1;
}

int peg_round_keep(peg_assembly *a)
{
    const peg_island *I = &a->island;
    const peg_vec6 *motion = (const peg_vec6 *)peg_velocities_after(I);
    int goes_on = may_go_on(I);
    for (int i = 0; i < I->nd; i++) {
        peg_body_result *r = &a->stage->result[I->rigid[i].body];
        r->goes_on = goes_on ? 1 : -1;
        memcpy(r->v_motion, motion[i], sizeof r->v_motion);
        r->residual = I->result.residual;
        r->notes = I->result.notes & PEG_NOTE_BUDGET;
    }
    return !goes_on || keep_rows(a);
}

int peg_round_recall(peg_assembly *a)
{
    peg_island *I = &a->island;
    const peg_stage *s = a->stage;
    int known = 0, unknown = 0;
    for (int i = 0; i < I->nd && s->round > 0; i++) {
        int goes_on = s->result[I->rigid[i].body].goes_on;
        known += goes_on > 0, unknown += goes_on < 0;
    }
    if (known == 0 || unknown > 0) return 1;
    I->known = (peg_known){.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                           .motion = PEG_NEW(I->arena, peg_vec6, I->nd),
                           .joints = PEG_NEW(I->arena, double, I->joints.n)};
    if (!I->known.v || !I->known.motion || !I->known.joints) return 0;
    for (int i = 0; i < I->nd; i++) {
        const peg_body_result *r = &s->result[I->rigid[i].body];
        memcpy(I->known.v[i], r->v_pose, sizeof r->v_pose);
        memcpy(I->known.motion[i], r->goes_on ? r->v_motion : r->v_pose, sizeof r->v_pose);
        I->known.residual = fmax(I->known.residual, r->residual);
        I->known.notes |= r->notes;
    }
    for (int p = 0; p < I->npair; p++) {
        const peg_candidate *c = &s->candidate[a->candidate_of[p]];
        int from = I->known.impulse.m;
        if (c->impulses == 0) continue;
        if (!peg_row_set_extend(I, &I->known.impulse, c->impulses)) return 0;
        memcpy(I->known.impulse.row + from, c->impulse, (size_t)c->impulses * sizeof *c->impulse);
        for (int i = from; i < I->known.impulse.m; i++) I->known.impulse.row[i].pair = p;
    }
    for (int k = 0; k < I->joints.n; k++)
        I->known.joints[k] = I->joints.source[k].sign * s->joint_lambda[I->joints.source[k].row];
    return 1;
}
