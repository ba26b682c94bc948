#include "peg/contact/mode.h"

int peg_is_coarse(const peg_island *I)
{
    return I->iterative && I->nd >= PEG_COARSE_FROM;
}

int peg_keeps_motion(const peg_island *I)
{
    return peg_is_coarse(I) || (I->iterative && I->recovering);
}

int peg_pair_recovers(const peg_pair *p)
{
    return !p->surface.soft && p->s0 < -PEG_TOUCH * p->L;
}

double peg_pair_opening(const peg_island *I, const peg_pair *p)
{
    return I->h *
           (I->settings->max_depenetration_speed > 0 ? I->settings->max_depenetration_speed : p->L);
}
