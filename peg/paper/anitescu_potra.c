/* The model of Anitescu and Potra [F 10]: the standard model without the gap term psi/h. Contacts
 * in reach may not close any further, which keeps bodies apart by up to the reach and lets an
 * overlap stay; a constraint that is violated by mistake does no harm. */
#include "peg/paper/models.h"
#include "peg/paper/paper.h"

peg_result peg_anitescu_potra(peg_island *I)
{
    static const peg_model model = {peg_half_spaces, 0, 0};
    return peg_model_step(I, &model);
}
