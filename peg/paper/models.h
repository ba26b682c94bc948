/* The models of the papers, each a (sub-)step of an island. */
#ifndef PEG_MODELS_H
#define PEG_MODELS_H

#include "peg/contact/island.h"

/* They always "converge": what they leave is what they are measured for. */
peg_result peg_stewart_trinkle(peg_island *island);
peg_result peg_published(peg_island *island);
peg_result peg_locally_nonconvex(peg_island *island);
peg_result peg_anitescu_potra(peg_island *island);
/* These two know joints: their rows are those of the island's own solvers. */
peg_result peg_johnson_ortiz_leyendecker(peg_island *island);
peg_result peg_anitescu_hart(peg_island *island);

#endif
