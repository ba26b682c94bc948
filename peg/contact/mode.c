#include "peg/contact/mode.h"

int peg_is_iterative(const peg_island *I)
{
    return I->mode == PEG_MODE_PGS || I->mode == PEG_MODE_PGS_COARSE;
}

int peg_is_coarse(const peg_island *I)
{
    return I->mode == PEG_MODE_PGS_COARSE;
}

peg_solve_mode peg_pgs_mode(const peg_island *I)
{
    return I->nd >= PEG_COARSE_FROM ? PEG_MODE_PGS_COARSE : PEG_MODE_PGS;
}

int peg_is_small(const peg_island *I)
{
    return I->nd < (I->joints.n ? PEG_COARSE_FROM : PEG_ITERATIVE_FROM);
}

int peg_keeps_motion(const peg_island *I)
{
    if ((I->forms & PEG_FORM_POSITIONS_APART) || peg_is_coarse(I)) return 1;
    return I->mode == PEG_MODE_LIMITED || ((I->forms & PEG_FORM_RECOVERY) && peg_is_iterative(I));
}

int peg_pair_recovers(const peg_pair *p)
{
    return !p->surface->soft && p->s0 < -PEG_TOUCH * p->L;
}

double peg_pair_may_open(const peg_island *I, const peg_pair *p)
{
    double speed = I->settings->max_depenetration_speed;
    return I->h * (speed > 0 ? speed : p->L);
}

double peg_pair_opening(const peg_island *I, const peg_pair *p)
{
    return I->progress.opening * peg_pair_may_open(I, p);
}
