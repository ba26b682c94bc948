/* Contact by the signed separation [J]: every pair within reach has one direction n, the one that
 * repeated linear programs lead to from the direction of the step before, and a unilateral
 * constraint 0 <= G v + psi/h at every corner of its contact polygon. One linearisation.
 *
 * paper   | C           | unit | meaning
 * g       | peg_ssh     | -    | signed separation: signed_separation.h
 * dg      | row.Ga, Gb  | 1, m | its subdifferential: the rows of the corners span it
 * C       | settings->lp_stiffness | N/m | 0: constraints; > 0: contact_potential.c */
#include "peg/contact/friction.h"
#include "peg/contact/kinematics.h"
#include "peg/island/solve.h"
#include "peg/paper/contact_potential.h"
#include "peg/paper/models.h"
#include "peg/paper/pair_direction.h"
#include "peg/paper/signed_separation.h"
#include "peg/paper/unilateral_step.h"

/* Vertices so near the outermost ones, in L, are part of the features that touch: the next step
 * could bring them there. */
static const double BAND = 0.05;

/* The row of a corner with its friction. */
static void add_corner(peg_island *I, int p, const peg_polygon_corner *corner, const double *n,
                       int i)
{
    const peg_pair *pair = &I->pair[p];
    peg_row *row = peg_add_row_of_points(I, p, corner->a, corner->b, n, corner->gap, &I->rows);
    if (!row) return;
    row->i = i;
    if (!peg_has_friction(pair->surface)) return;
    peg_pair_pose at = peg_pair_pose_now(I, pair);
    peg_friction_frame frame;
    peg_copy3(n, frame.normal);
    for (int k = 0; k < 3; k++) frame.mid_point[k] = 0.5 * (corner->a[k] + corner->b[k]);
    peg_friction_rows(I, pair, &at, &frame, &I->rows);
}

static void describe(peg_island *I, int p, void *unused)
{
    peg_pair *pair = &I->pair[p];
    const peg_view *A = &I->piece[pair->a].start, *B = &I->piece[pair->b].start;
    peg_polygon_corner *corner;
    peg_ssh ssh;
    (void)unused;
    if (!peg_pair_direction(I, pair, A, B, &ssh)) return;
    int n = peg_contact_polygon(I->arena, A, B, ssh.n, BAND * pair->L, &corner);
    if (n < 0) I->failed = 1;
    for (int i = 0; i < n; i++) add_corner(I, p, &corner[i], ssh.n, i);
    if (n == 0) { /* the features do not face each other */
        peg_polygon_corner witness = {.gap = ssh.s};
        peg_copy3(ssh.a, witness.a);
        peg_copy3(ssh.b, witness.b);
        add_corner(I, p, &witness, ssh.n, 0);
    }
}

static peg_outcome solve(peg_island *I, void *unused)
{
    (void)unused;
    peg_outcome outcome = peg_island_solve(I, PEG_ABOUT_FREE);
    if (outcome == PEG_SOLVED) peg_island_accumulate(I, PEG_ABOUT_FREE);
    return outcome;
}

peg_result peg_johnson_ortiz_leyendecker(peg_island *I)
{
    static const peg_unilateral_model model = {describe, solve, NULL};
    if (I->settings->lp_stiffness > 0) return peg_contact_potential(I);
    return peg_unilateral_step(I, &model);
}
