/* The standard model of Stewart and Trinkle [F 3, 5; W 8-9]: every near feature is a half-space and
 * all of them hold at once; one linearisation at the start of the step. What exactness is compared
 * with: it traps bodies at corners and leaves overlap of order h^2. */
#include "peg/paper.h"

/* The potential contacts of the other models, as far as their orientation lets them carry an
 * impulse. Where on the feature they are does not matter: a half-space has no end. */
void peg_half_spaces(peg_constraints *c)
{
    if (c->island->planar)
        peg_plane_constraints(c, 0);
    else
        peg_space_constraints(c, 0);
    while (c->count > 0 && c->list[c->count - 1].first >= c->begin_member) c->count--;
    c->members = c->begin_member;
    for (int i = c->begin; i < c->contacts; i++)
        if (peg_is_applicable(c, i)) peg_add_constraint(c, PEG_UNILATERAL, &i, 1, 1);
}

peg_result peg_standard(peg_island *I)
{
    static const peg_model model = {peg_half_spaces, 1};
    return peg_model_step(I, &model);
}
