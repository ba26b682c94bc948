/* The plain LCP that stands for an island's problem; see lemke_driver.c for how it comes about. */
#ifndef PEG_LEMKE_H
#define PEG_LEMKE_H

#include "peg/lcp/scaled.h"

/* Variable of the LCP: impulse of a row, or the slack sigma of its bound. */
typedef struct peg_lcp_variable {
    int row, sign; /* sign of the impulse; 0: sigma */
} peg_lcp_variable;

typedef struct peg_lcp {
    int n;
    double *A, *q; /* n x n, row-major; n */
    peg_lcp_variable *variable;
} peg_lcp;

/* False: no memory. */
int peg_lcp_of(peg_arena *arena, const peg_scaled *scaled, peg_lcp *lcp);

#endif
