#include "peg/paper/paper.h"

void peg_configuration_constraints(peg_constraints *c, int cross)
{
    if (c->island->planar)
        peg_plane_constraints(c, cross);
    else
        peg_space_constraints(c, cross);
}
