/* Velocities that may end a step, and their impulses. */
#include "peg/island/known_velocities.h"

#include "peg/contact/row_set.h"

int peg_keep_velocities(peg_island *I, peg_known *kept)
{
    size_t size = (size_t)I->nd * sizeof *I->v, joints = (size_t)I->joints.n * sizeof(double);
    *kept = (peg_known){.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                        .motion = PEG_NEW(I->arena, peg_vec6, I->nd),
                        .joints = PEG_NEW(I->arena, double, I->joints.n),
                        .residual = I->result.residual,
                        .notes = I->result.notes};
    if (!kept->v || !kept->motion || !kept->joints) {
        I->failed = 1;
        return 0;
    }
    memcpy(kept->v, I->v, size);
    memcpy(kept->motion, I->v_motion, size);
    if (joints) memcpy(kept->joints, I->joints.lambda, joints);
    peg_rows_append(I, &kept->impulse, &I->impulse, 0, I->impulse.m);
    for (int i = 0; i < kept->impulse.m; i++) kept->impulse.row[i].pgs = NULL;
    return !I->failed;
}

int peg_take_velocities(peg_island *I, const peg_known *known)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    if (!known->v) return 0;
    I->impulse.m = 0;
    memcpy(I->v, known->v, size);
    memcpy(I->v_motion, known->motion, size);
    for (int k = 0; k < I->joints.n; k++) I->joints.lambda[k] = known->joints[k];
    peg_rows_append(I, &I->impulse, &known->impulse, 0, known->impulse.m);
    I->result.residual = known->residual;
    I->result.notes |= known->notes;
    return 1;
}
