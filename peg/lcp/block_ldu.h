/* Factors P A P^T = L D U of a matrix of 6x6 blocks, one block row per body, whose pattern is
 * symmetric; U = L^T if A is. The pattern (which blocks of L are not zero) follows from the pairs
 * of bodies alone and is computed once. The diagonal blocks of A must be well conditioned one after
 * the other, as they are for positive definite A. */
#ifndef PEG_BLOCK_LDU_H
#define PEG_BLOCK_LDU_H

#include "peg/base/arena.h"

/* Numbers in a body's velocity, and in a block of the matrix. */
enum { PEG_BLOCK = 6, PEG_BLOCK_SIZE = 36 };

/* Blocks of column k of L: the diagonal one at start[k], then those of below[k][0..count[k]-1],
 * ascending. Rows and columns are counted in the order of elimination. */
typedef struct peg_block_pattern {
    int n;       /* bodies */
    int blocks;  /* in L */
    int *order;  /* order[k]: body that is eliminated k-th */
    int *place;  /* its inverse */
    int *start;  /* n */
    int *count;  /* n */
    int **below; /* n */
} peg_block_pattern;

typedef struct peg_block_matrix {
    const peg_block_pattern *pattern;
    double *lower; /* blocks, column-major each */
    double *upper; /* transposed blocks above the diagonal, at the place of those they mirror; those
                      of the diagonal are in lower */
    double *room;  /* a column of blocks, or a vector */
} peg_block_matrix;

/* Order of approximate minimum degree. pair: count pairs of different bodies, repetitions allowed.
 * False when the memory is exhausted. */
int peg_block_pattern_create(peg_arena *arena, int n, const int (*pair)[2], int count,
                             peg_block_pattern *pattern);
int peg_block_matrix_create(peg_arena *arena, const peg_block_pattern *pattern,
                            peg_block_matrix *matrix);
/* Index of the block in which the two bodies meet: its row is the body that is eliminated later. */
int peg_block_find(const peg_block_pattern *pattern, int body_a, int body_b);
/* Overwrites A with its factors; a symmetric A needs the lower triangle only. False if A is
 * singular. */
int peg_block_factorise(peg_block_matrix *matrix, int symmetric);
/* x = A^-1 x, x ordered by bodies. */
void peg_block_solve(const peg_block_matrix *matrix, int symmetric, double *x);

#endif
