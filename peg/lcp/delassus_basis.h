/* The equations that the states of the rows ask of their impulses, one of each row i:
 *
 *     held:  W_i x + SHIFT x_i = e_i
 *     open, or friction that slides:  x_i - slope_i x_normal = 0
 *
 * slope: 0, or +-mu. They are factorised for the states of one moment: of the held rows H by their
 * own equations, with those of the sliding rows f put in,
 *
 *     K = W_HH + SHIFT + sum slope_f W_Hf, in the column of the normal row of f
 *
 * When row r changes its state, its equation a x = b becomes a' x = b'. With p, the solution for
 * e_r in place of the right side,
 *
 *     x' = x + p (b' - a' x) / a' p
 *
 * as p changes no other equation: Sherman and Morrison's formula (Golub, Van Loan, Matrix
 * Computations, 2.1.4) for rows, kept as a product (Dantzig, Orchard-Hays, The product form for the
 * inverse in the simplex method, 1954). A change takes the square of the rows, a factorisation the
 * third power. */
#ifndef PEG_DELASSUS_BASIS_H
#define PEG_DELASSUS_BASIS_H

#include "peg/lcp/delassus_matrix.h"

/* Compliance of a held row, relative to its scale: small beside the eigenvalues of rows that are
 * independent, large beside rounding. With 1e-8 a chain of 10 links takes 3.6 times the
 * instructions, with 1e-10 1.2 times. */
#define PEG_HELD_SHIFT 1e-9

/* Changes until the equations are factorised again: with 4 the problems of a chain of 10 links take
 * 1.04 times the instructions, with 16 or 32 as many. */
enum { PEG_BASIS_CHANGES = 8 };

typedef enum peg_row_state {
    PEG_ROW_OPEN, /* u = 0 */
    PEG_ROW_HELD, /* s = 0 */
    PEG_ROW_UP,   /* friction at its upper bound, ... */
    PEG_ROW_DOWN  /* ... and at its lower one */
} peg_row_state;

/* The equation of a row. */
typedef struct peg_basis_equation {
    int is_held;
    double slope;
} peg_basis_equation;

/* A row whose equation has changed. */
typedef struct peg_basis_change {
    int row;
    peg_basis_equation is; /* a' */
    double pivot;          /* a' p */
    peg_doubles *p;        /* vectors */
} peg_basis_change;

typedef struct peg_basis {
    peg_delassus *D;
    const peg_row_state *state; /* m: the caller's */
    const double *e;            /* m: right sides, of held rows; the caller's */
    peg_doubles *x;             /* vectors: solution for e */
    peg_basis_equation *now;    /* m */
    /* as they were factorised */
    peg_basis_equation *first; /* m */
    int held, symmetric;       /* held rows; whether none of these has sliding friction */
    int *member, *place;       /* held: their rows; m: the inverse */
    int sliding, *slider;      /* rows whose slope is not 0 and whose normal row is held */
    int blocks;                /* vectors of as many numbers */
    int *pivot;                /* held: the row that was exchanged with this one */
    peg_doubles *K;            /* the factors: by rows, four for each vector; those and columns
                                  beyond the held ones are those of the identity */
    double *d;                 /* held: right side, and solution */
    /* since then */
    int changes, most_changes; /* most: PEG_BASIS_CHANGES, or the caller's */
    peg_basis_change change[PEG_BASIS_CHANGES];
    unsigned char *has_changed; /* m: rows that are among them */
    double products;            /* of numbers, so far */
} peg_basis;

/* 0 if memory is exhausted. */
int peg_basis_create(peg_arena *arena, peg_delassus *D, const peg_row_state *state, const double *e,
                     peg_basis *basis);
/* Factorises the equations of the present states. 0 if they are singular. */
int peg_basis_factorise(peg_basis *basis);
/* The same, and solves them. */
int peg_basis_begin(peg_basis *basis);
/* The same after row i, and of a normal row its friction, may have changed their states. */
int peg_basis_follow(peg_basis *basis, int i);
/* x (vectors) for other right sides b (m) of held rows. */
void peg_basis_solve(peg_basis *basis, const double *b, peg_doubles *x);

#endif
