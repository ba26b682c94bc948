/* The convex sub-problem of the mixed LCP: impulses between fixed bounds. Symbols as in scaled.h:
 *
 *     min 1/2 |y|^2 + sum_i [ largest over lo_i <= u_i <= hi_i of -u_i s_i ],   s_i = n_i.y +
 * beta_i
 *
 * that is y = sum u_i n_i with s_i >= 0 where u_i = lo_i, s_i <= 0 where u_i = hi_i, s_i = 0
 * between. */
#ifndef PEG_NEWTON_H
#define PEG_NEWTON_H

#include "peg/block_cholesky.h"
#include "peg/scaled.h"

/* What lasts over several solves of the same rows. */
typedef struct peg_newton {
    const peg_scaled *scaled;
    peg_block_pattern pattern;
    peg_block_matrix matrix;
    int *meet;                        /* m: block of the row's two bodies; -1: none */
    unsigned char *linear, *factored; /* m: strictly between the bounds; those in the matrix */
    int has_factor;
    double rho, factor_rho;
    double *s, *p, *along;       /* m */
    double *d, *gradient, *step; /* 6 nb */
    int factorisations, steps;
} peg_newton;

/* False when the memory is exhausted. */
int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *newton);
/* u: on entry the warm start, between the bounds. tolerance: sqrt(J), of |u - clamp(u - s)|. On
 * PEG_SOLVED y = N u holds to rounding; on PEG_ITERATION_LIMIT they are the last iterate; on
 * PEG_SINGULAR a factorisation broke down. */
peg_outcome peg_newton_solve(peg_newton *newton, const double *lo, const double *hi,
                             double tolerance, double *u, double *y);

#endif
