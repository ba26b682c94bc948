/* The mixed LCP by Newton's method on the augmented Lagrangian. Symbols as in scaled.h. */
#ifndef PEG_NEWTON_H
#define PEG_NEWTON_H

#include "peg/lcp/block_ldu.h"
#include "peg/lcp/friction_cone.h"
#include "peg/lcp/scaled.h"

/* Where the bounds of the friction rows come from: see newton.c. */
typedef enum peg_bounds { PEG_BOUNDS_KEPT, PEG_BOUNDS_LIVE, PEG_BOUNDS_CONE } peg_bounds;

typedef double peg_two __attribute__((vector_size(16)));

/* A row as the loops read it: bodies that cannot move share one behind the others. */
typedef struct peg_newton_row {
    union {
        peg_two of[PEG_BLOCK]; /* na, nb */
        double d[2 * PEG_BLOCK];
    } n;
    int a, b;          /* first coordinates of its bodies */
    int bounded;       /* as in peg_scaled_row, .. */
    int normal;        /* .. -1 where mu is 0 */
    int follows;       /* acts on the same bodies as its normal row */
    double beta, soft; /* soft: ns^2 */
} peg_newton_row;

typedef struct peg_newton {
    const peg_scaled *scaled;
    peg_newton_row *row; /* m */
    peg_block_pattern pattern;
    peg_block_matrix matrix;
    int *meet;                       /* m: block of the row's two bodies; -1: none */
    unsigned char *state, *factored; /* m: how p depends on d; the same of the matrix */
    int *contact;                    /* m: rows of the contact that begins here; 0: none does */
    int has_factor, symmetric;       /* of the matrix */
    peg_bounds bounds, factor_bounds;
    int bounds_follow, has_cones; /* normal impulses; contacts that are tried as cones */
    int has_limits;               /* some bounds are finite and not 0 */
    const double *bound;          /* m: of bounded rows, given by the caller; null: those of u */
    double rho, factor_rho;       /* that of the matrix */
    double growth;                /* of rho, at the next rise */
    double live_rho;              /* where cones took over; 0: they have not */
    /* m, and zeros up to a whole vector: what loops over all rows read side by side */
    double *limit, *mu;       /* as in peg_scaled_row */
    double *penalty, *weight; /* rho / (1 + rho soft), and its inverse */
    double *lo, *hi;          /* bounds of the impulses, from the normal impulses */
    double *before;           /* u before the step */
    double *s, *p, *along;    /* speeds, impulses, what the Newton step adds to the speeds */
    double *change;           /* m: of u, in the last step if it stalled, else 0 */
    double *d, *y, *step;     /* 6 nb, and six zeros for what cannot move */
    double *gradient;         /* the same; at least n */
    int steps;
    double work, cost;              /* of all factorisations; of one */
    double most_work, most_of_call; /* of all calls, infinite: no bound; of the call */
    peg_rescue rescue;              /* see problem.h */
    int ends_near;                  /* takes residuals of some tolerances where steps stall */
    int starts_with_cones; /* from velocities that have converged, in islands of any size */
} peg_newton;

/* False when the memory is exhausted. */
int peg_newton_create(peg_arena *arena, const peg_scaled *scaled, peg_newton *newton);
/* Natural residual |u - clamp(u - s)| with the bounds of u itself, between which it is brought; y =
 * N u, its velocities. Infinity if something is not a number. */
double peg_newton_residual(peg_newton *newton, double *u, double *y);
/* u: on entry the warm start. tolerance: sqrt(J), of the residual. On PEG_SOLVED y = N u holds to
 * rounding; on PEG_ITERATION_LIMIT they are the last iterate; on PEG_SINGULAR a factorisation
 * broke down; PEG_INFEASIBLE is proved. */
peg_outcome peg_newton_solve(peg_newton *newton, double tolerance, double *u, double *y);

#endif
