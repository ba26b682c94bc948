/* Random pairs of convex parts, and what the gap functions say of them. */
#ifndef LAB_GAP_PAIRS_H
#define LAB_GAP_PAIRS_H

#include <stdint.h>

#include "peg/base/arena.h"
#include "peg/collide/separation.h"
#include "peg/shape/polytope.h"

typedef struct gap_pair {
    peg_polytope *shape[2];
    peg_view view[2];
    double x[2][3], R[2][9]; /* poses of the views */
    double size, largest;    /* radius of the smaller and of the larger part, m */
} gap_pair;

/* Pair number i of a sequence: boxes, hulls of 4 to 40 points, prisms and needles 1:1000; a third
 * at any distance of the centres, down to none, a third with up to 5 % of the size of overlap, a
 * third up to one size apart. 0: no such shape, or out of memory. */
int gap_pair_make(uint64_t seed, long i, gap_pair *out);
/* Part `side` of a pair as the hull of points, at the origin. 0: as gap_pair_make. */
int gap_pair_set(gap_pair *pair, int side, const double (*points)[3], int n, const double R[9]);
void gap_pair_place(gap_pair *pair, int part, const double x[3], const double R[9]);
/* Two hulls of n points on a sphere that overlap by 2 %. */
int gap_pair_balls(uint64_t seed, int n, gap_pair *pair);
/* The same shapes with poses of its own; end with gap_pair_free_views. 0: out of memory. */
int gap_pair_copy(const gap_pair *pair, gap_pair *out);
void gap_pair_free_views(gap_pair *pair);
void gap_pair_free(gap_pair *pair);

/* Disagreements of the gap functions; lengths are relative to the larger part. */
typedef struct gap_findings {
    double facets;            /* |g(d) - max over facets of s / n.d| */
    double witness;           /* |p_A - p_B - g d| */
    double ratio;             /* |rho(R1) - g| / (1 + |g|) */
    double units;             /* |max Phi_m - g| / (1 + |g|) */
    double basic;             /* |r_m by the program of its faces - 1 / (1 - Phi_m)| */
    int basics;               /* units it was looked at for */
    int failures;             /* programs without a certified answer */
    int wrong_sign;           /* of g, where |s| > 1e-9 sizes */
    int theorem;              /* the metric equivalence theorem [A 4-5] is violated */
    int overlaps, shallow;    /* shallow: by at most 5 % */
    int exact_one, exact_all; /* the depth is found from one start, from all of them */
    int interval_open;        /* 60 cuts leave the distance open by more than 1e-6 */
    int programs, pivots;     /* of the search from one start; pivots of g(d) */
} gap_findings;

void gap_measure(peg_arena *arena, const gap_pair *pair, gap_findings *out);

#endif
