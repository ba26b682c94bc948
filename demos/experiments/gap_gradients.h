/* Gradients of the gap functions against differences. */
#ifndef LAB_GAP_GRADIENTS_H
#define LAB_GAP_GRADIENTS_H

#include "demos/experiments/gap_pairs.h"

typedef struct gap_differences {
    double worst;  /* largest difference, relative to the sizes that it is made of */
    long compared; /* the others are kinks, or lie too near to one */
} gap_differences;

/* g' = n.(v + w x (p_A - x_A)), less g n.v where d follows the centres, against central differences
 * of motions of part A: `directions` of them, each with both kinds of d. 0: out of memory. */
int gap_check_subgradient(peg_arena *arena, const gap_pair *pair, uint64_t *random, int directions,
                          gap_differences *sum);

/* grad Phi = (J - Phi K) / w of a random unit of every kind, by motions of both parts; of each kind
 * one sum. 0: out of memory. */
int gap_check_units(const gap_pair *pair, uint64_t *random, gap_differences sum[3]);

typedef enum gap_kink { GAP_FLUSH_FACES, GAP_EDGE_ON_FACE, GAP_PARALLEL_EDGES, GAP_KINKS } gap_kink;
/* The one-sided derivative of g for boxes that touch so, under a random turn of the upper one, is
 * the largest over the optimal n of the least over the corners of the contact polygon. */
int gap_check_kink(peg_arena *arena, gap_kink kink, uint64_t *random, gap_differences *sum);

#endif
