/* The locally non-convex model of Nguyen [W 2, eqs. 12-15]: I-constraints, so that no corner is a
 * trap, but no X-constraints: two corners can still pass through each other [W Fig. 6]. */
#include "peg/paper/models.h"
#include "peg/paper/paper.h"

static void constrain(peg_constraints *c)
{
    peg_configuration_constraints(c, 0);
}

peg_result peg_locally_nonconvex(peg_island *I)
{
    static const peg_model model = {constrain, 1, 1};
    return peg_model_step(I, &model);
}
