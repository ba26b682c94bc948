/* Rows of an iteration. */
#ifndef PEG_ROW_CACHE_H
#define PEG_ROW_CACHE_H

#include "peg/contact/island.h"

/* The rows at the iterate, to `rows`; those of the iteration before go to `last`. anew: for a solve
 * about v_f, which may keep rows of bodies that have moved. */
void peg_gather_rows(peg_island *island, int anew);
/* No rows are known: the next iteration makes all of them. */
void peg_drop_rows(peg_island *island);

/* Adds the rows of a pair at the iterate to I->rows. */
void peg_make_rows(peg_island *island, int pair);

#endif
