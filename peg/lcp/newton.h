/* The mixed LCP by Newton's method on the augmented Lagrangian. Symbols as in scaled.h. */
#ifndef PEG_NEWTON_H
#define PEG_NEWTON_H

#include "peg/lcp/block_ldu.h"
#include "peg/lcp/scaled.h"

typedef struct peg_newton {
    const peg_scaled *scaled;
    peg_block_pattern pattern;
    peg_block_matrix matrix;
    int *meet;                       /* m: block of the row's two bodies; -1: none */
    unsigned char *state, *factored; /* m: how p depends on d; the same of the matrix */
    int has_factor, symmetric;       /* of the matrix */
    int live;                        /* bounds follow p of the normal rows */
    int frozen;             /* rows with finite bounds keep their impulses: set by the caller */
    double rho, factor_rho; /* that of the matrix */
    double growth;          /* of rho, at the next rise */
    double *lo, *hi;        /* m: bounds of the impulses, from the normal impulses */
    double *before;         /* m: u before the step */
    double *s, *p, *along;  /* m */
    double *d, *gradient, *step; /* 6 nb; gradient: n */
    int factorisations, steps;   /* counts */
    int max_factorisations;      /* 0: no bound */
} peg_newton;

/* False when the memory is exhausted. */
int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *newton);
/* Natural residual |u - clamp(u - s)| with the bounds of u itself, between which it is brought; y =
 * N u. Infinity if something is not a number. */
double peg_newton_residual(peg_newton *newton, double *u, double *y);
/* u: on entry the warm start. tolerance: sqrt(J), of the residual. On PEG_SOLVED y = N u holds to
 * rounding; on PEG_ITERATION_LIMIT they are the last iterate; on PEG_SINGULAR a factorisation
 * broke down; PEG_INFEASIBLE is proved. */
peg_outcome peg_newton_solve(peg_newton *newton, double tolerance, double *u, double *y);

#endif
