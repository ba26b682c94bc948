/* The models of the papers, each a (sub-)step of an island. */
#ifndef PEG_MODELS_H
#define PEG_MODELS_H

#include "peg/contact/island.h"

/* They always "converge": what they leave is what they are measured for. */
peg_result peg_standard(peg_island *island);
peg_result peg_paper(peg_island *island);
peg_result peg_lnc(peg_island *island);
peg_result peg_anitescu_potra(peg_island *island);

#endif
