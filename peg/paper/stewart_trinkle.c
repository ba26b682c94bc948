/* The standard model of Stewart and Trinkle [F 3, 5; W 8-9]: every near feature is a half-space and
 * all of them hold at once; one linearisation at the start of the step. What exactness is compared
 * with: it traps bodies at corners and leaves overlap of order h^2. */
#include "peg/paper/models.h"
#include "peg/paper/paper.h"

/* The potential contacts of the other models, as far as their orientation lets them carry an
 * impulse. Where on the feature they are does not matter: a half-space has no end. Unless it is
 * set psi_minimum grows with the reach that is asked for: [F 3] makes it large to show the traps.
 */
void peg_half_spaces(peg_constraints *c)
{
    peg_configuration_constraints(c, 0);
    const pegSettings *settings = c->island->settings;
    double deepest = peg_least_gap(c);
    if (!(settings->paper_psi_minimum > 0))
        deepest = fmin(deepest, -settings->reach * c->island->pair[c->pair].L);
    while (c->count > 0 && c->list[c->count - 1].first >= c->begin_member) c->count--;
    c->members = c->begin_member;
    for (int i = c->begin; i < c->contacts; i++)
        if (c->contact[i].row.gap0 >= deepest && peg_is_applicable(c, i))
            peg_add_constraint(c, PEG_UNILATERAL, &i, 1, 1);
}

peg_result peg_stewart_trinkle(peg_island *I)
{
    static const peg_model model = {peg_half_spaces, 1, 0};
    return peg_model_step(I, &model);
}
