/* What projected Gauss-Seidel keeps of its problem, for the files that work on it. y = F^-1 (v -
 * v_f) as in scaled.h, where rows are n = F^T G^T, not of unit length; bodies that cannot move
 * share one block of zeros. */
#ifndef PEG_GAUSS_SEIDEL_STATE_H
#define PEG_GAUSS_SEIDEL_STATE_H

#include "peg/lcp/scaled.h"
#include "peg/lcp/gauss_seidel.h"

/* Numbers of bodies and rows in vectors of four: the machine adds and multiplies them at once, in
 * the same order with any instruction set. Those of a body are six and two zeros, of a row twelve.
 */
typedef double quad __attribute__((vector_size(32)));
enum { STRIDE = 8, CONTACT = 3 };

/* Four numbers of two quads, counted from the first one on. */
#ifdef __clang__
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef long long lanes __attribute__((vector_size(32)));
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (lanes){i, j, k, l})
#endif

#define HOT static inline __attribute__((always_inline))

typedef struct pgs_row {
    union {
        quad q[3];
        double d[12];
    } n;
    double before[CONTACT - 1]; /* products with the rows one and two places before, if visited with
                                   these */
    double beta, soft;          /* the row's speed is n.y + beta + soft lambda; soft: compliance */
    double scale, gain;         /* n.n + soft; FURTHER over that */
    double lo, hi, mu;          /* -lo - mu lambda_normal <= lambda <= hi + mu lambda_normal */
    double per_speed;           /* share of the allowed speed per impulse */
    int bounded;
    int normal;   /* the normal row is so many places before; 0: there is none */
    int together; /* rows from here on that are visited at once */
} pgs_row;

/* bodies a, b; nb: what cannot move */
typedef struct pgs_group {
    int begin, end;
    int a, b;
    int ready; /* its rows are loaded */
    peg_pgs_cache *pgs;
    pgs_row *row;
} pgs_group;

typedef struct pgs_state {
    const peg_problem *problem;
    const peg_pgs_goal *goal;
    const double *warm; /* m: the warm start */
    int nb, groups;
    int singular;
    peg_mass_root *root;
    pgs_row *row; /* of groups whose rows nobody keeps, so many */
    int rows;
    pgs_group *group;
    double *y;              /* STRIDE (nb + 1) */
    double *target;         /* the same of v_f */
    double *lambda;         /* m */
    double largest;         /* change of an impulse in the last iteration, squared, J */
    double sum;             /* of all these changes, squared, J */
    double *moved, *before; /* nb + 1: largest change in this iteration and the one before */
    unsigned char *reached; /* nb + 1: dirty up or changed */
    int *active, actives;   /* groups of such bodies */
    peg_lcp_row *filled;    /* of the group that is loaded: as many as the largest has */
    int spread;             /* in the last iteration more were reached */
    int iterations;         /* so far */
    long visits;            /* of rows */
} pgs_state;

/* at: where the row's impulse is. */
HOT double clamped(const pgs_row *row, const double *at, double lambda)
{
    double more = row->mu * at[-row->normal];
    return peg_min(peg_max(lambda, -row->lo - more), row->hi + more);
}

/* What the group's rows see of y. */
HOT void gather(const pgs_state *s, const pgs_group *g, quad y[3])
{
    const quad *a = (const quad *)(s->y + STRIDE * g->a), *b = (const quad *)(s->y + STRIDE * g->b);
    y[0] = a[0];
    y[1] = PICK(a[1], b[0], 0, 1, 4, 5);
    y[2] = PICK(b[0], b[1], 2, 3, 4, 5);
}

/* m/s */
HOT double speed_of(const pgs_row *row, double lambda, const quad y[3])
{
    quad q = row->n.q[0] * y[0] + row->n.q[1] * y[1] + row->n.q[2] * y[2];
    return row->beta + row->soft * lambda + ((q[0] + q[1]) + (q[2] + q[3]));
}

/* --- conjugate_gradient.c --- */

/* Whether v = 0 is the answer but for a share of what the bodies would gain in the step. */
int peg_pgs_rests(const pgs_state *s, double share);

/* Moves the impulses of the rows that are loaded towards those that carry all bodies: so many steps
 * at most, until the bodies rest or a row comes to a bound. Returns 0 without memory. */
int peg_pgs_descend(peg_arena *arena, pgs_state *s, int steps);

#endif
