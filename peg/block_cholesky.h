/* Cholesky factors of a symmetric positive definite matrix of 6x6 blocks, one block row per body:
 * P A P^T = L L^T. The pattern (which blocks of L are not zero) follows from the pairs of bodies
 * alone and is computed once. */
#ifndef PEG_BLOCK_CHOLESKY_H
#define PEG_BLOCK_CHOLESKY_H

#include "peg/memory.h"

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
    double *block; /* blocks, column-major each */
    double *room;  /* 6 n */
} peg_block_matrix;

/* Order of minimum degree. pair: count pairs of different bodies, repetitions allowed. False when
 * the memory is exhausted. */
int peg_block_pattern_create(peg_arena *arena, int n, const int (*pair)[2], int count,
                             peg_block_pattern *pattern);
int peg_block_matrix_create(peg_arena *arena, const peg_block_pattern *pattern,
                            peg_block_matrix *matrix);
/* Index of the block in which the two bodies meet: its row is the body that is eliminated later. */
int peg_block_find(const peg_block_pattern *pattern, int body_a, int body_b);
/* Overwrites the lower triangle of A with L; false if A is not positive definite. */
int peg_block_factorise(peg_block_matrix *matrix);
/* x = A^-1 x, x ordered by bodies. */
void peg_block_solve(const peg_block_matrix *matrix, double *x);

#endif
