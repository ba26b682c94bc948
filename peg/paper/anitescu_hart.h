/* The ratio model of Anitescu and Hart [A]: active sets and the stabilised step. */
#ifndef PEG_ANITESCU_HART_H
#define PEG_ANITESCU_HART_H

#include "peg/contact/island.h"
#include "peg/paper/ratio_metric.h"

/* A pair at the start of a step. */
typedef struct peg_ratio_pair {
    peg_island *island;
    const peg_pair *pair;
    const peg_view *A, *B;
    peg_vec3 xa, xb;    /* inner points */
    double rho;         /* [A 3] */
    double active;      /* eps_t: the pair is active up to this rho [A 9], and its units E2 */
    double band;        /* eps_x, m: E3, E4 [A 8] */
    const peg_ratio *r; /* the program's answer; null for a particle */
    int count, room;
    peg_bcu *unit;
} peg_ratio_pair;

/* Inner points, rho and the tolerances of a pair. A program without an answer counts as a step
 * without one; the pair is then active, with rho = 0. */
void peg_ratio_begin(peg_island *island, const peg_pair *pair, peg_ratio *r, peg_ratio_pair *out);

/* The active units E of a pair [A 8]: all feature pairs whose orientation lets them touch, by E2 to
 * E4. The adjacent ones: those of the active faces of the program and what is near to them ("nearly
 * active BCUs", [A] slide 41). To out->unit, in the arena. */
void peg_ratio_units(peg_ratio_pair *pair);
void peg_ratio_adjacent_units(peg_ratio_pair *pair);

#endif
