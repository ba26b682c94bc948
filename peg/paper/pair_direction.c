#include "peg/paper/pair_direction.h"

int peg_pair_direction(peg_island *I, peg_pair *pair, const peg_view *A, const peg_view *B,
                       peg_ssh *out)
{
    double start[3], xa[3], xb[3], *old = pair->last_choice.direction;
    peg_lp_status status = PEG_LP_UNBOUNDED;
    *out = (peg_ssh){.basis = {-1}};
    if (peg_dot(old, old) > 0)
        status = peg_ssh_separation(I->arena, A, B, (const double(*)[3])old, 1, out);
    if (status != PEG_LP_SOLVED) {
        peg_inner_point(A, B, xa);
        peg_inner_point(B, A, xb);
        peg_sub(xa, xb, start);
        if (peg_normalise(start) <= 1e-9 * pair->L) peg_copy3(pair->facet.n, start);
        status = peg_ssh_separation(I->arena, A, B, (const double(*)[3])start, 1, out);
    }
    I->stats->linear_programs += out->programs;
    if (status != PEG_LP_SOLVED) return 0;
    peg_normalise(out->n);
    peg_copy3(out->n, old);
    return 1;
}
