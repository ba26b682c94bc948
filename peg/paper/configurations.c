/* The configurations of [W 5], in the plane or in space. */
#include "peg/paper/paper.h"

void peg_configuration_constraints(peg_constraints *c, int cross)
{
    if (c->island->common.planar)
        peg_plane_constraints(c, cross);
    else
        peg_space_constraints(c, cross);
}
