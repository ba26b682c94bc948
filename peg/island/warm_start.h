/* The impulses that a solve starts from. */
#ifndef PEG_WARM_START_H
#define PEG_WARM_START_H

#include "peg/contact/island.h"

/* lambda: one per row; those of rows that were kept, and for PGS those of first contacts, stay
 * unwritten: row.lambda_motion. Returns 0 without memory. */
int peg_warm_start(const peg_island *island, double *lambda);

#endif
