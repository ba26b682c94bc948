/* Rows with infinite bounds, as of joints without motors and stops. Symbols as in scaled.h:
 *
 *     (N^T N) u = -s,   s = N^T y + beta,   N^T N = J M^-1 J^T + C with rows of unit length
 *
 * here      | in problem.h                   | unit
 * y         | F^-1 (v - v_f), M^-1 = F F^T   | sqrt(J), 6 per body
 * u         | lambda sqrt(scale)             | sqrt(J)
 */
#ifndef PEG_EQUATIONS_H
#define PEG_EQUATIONS_H

#include "peg/base/lanes.h"
#include "peg/lcp/scaled.h"

typedef struct peg_equation {
    int body[2];    /* -1: none */
    double n[2][6]; /* of unit length, with ns */
    double ns;      /* the compliance's part */
    double beta, scale;
    int first;      /* of the envelope: a vector's first number */
    peg_doubles *L; /* numbers first .. below the diagonal, 0 to the end of their last vector */
    double inverse; /* of the number on the diagonal */
} peg_equation;

typedef struct peg_equations {
    int n, m;                  /* bodies, rows */
    const peg_lcp_row *source; /* m: of the problem */
    const peg_mass_root *root; /* n */
    const peg_vec6 *target;    /* n: v_f */
    peg_equation *row;         /* m */
    peg_doubles *x;            /* vectors of m numbers */
    double *u, *s;             /* m */
    peg_vec6 *y;               /* n: N u */
    double products;           /* of numbers, of a factorisation */
} peg_equations;

/* Rows of nb bodies with these roots of their masses, and their factors; the problem's masses are
 * not read. PEG_ITERATION_LIMIT: rows of L are so long that other methods are faster; PEG_SINGULAR:
 * a row of immovable bodies, or a number that is none. */
peg_outcome peg_equations_create(peg_arena *arena, const peg_problem *problem,
                                 const peg_mass_root *root, peg_equations *e);
/* Another v_f. Returns the unit of residuals, sqrt(J): the root of its energy and of the largest
 * beta^2. */
double peg_equations_set_target(peg_equations *e, const peg_vec6 *target);
/* Solves them from the impulses lambda, as of a warm start. Returns the largest |s| that is left:
 * no more than `enough` if that can be. */
double peg_equations_solve(peg_equations *e, const double *lambda, double enough);
/* The solution: v, m/s and rad/s, and lambda, N s. */
void peg_equations_take(const peg_equations *e, peg_vec6 *v, double *lambda);

/* Impulses of a row that is none of the equations, in up to four variants side by side: n of two of
 * the bodies (-1: none). */
typedef struct peg_impulse {
    int body[2];
    peg_doubles n[2][6];
} peg_impulse;

/* y of all n bodies, where the equations hold what they held before the impulse. x: room for m
 * vectors. */
void peg_equations_respond(const peg_equations *e, const peg_impulse *impulse, peg_doubles *x,
                           peg_doubles (*y)[6]);

/* A problem of equations alone: uncertified, written on PEG_SOLVED only. */
peg_outcome peg_solve_equations(peg_arena *arena, const peg_problem *problem,
                                const peg_norms *norms, double tolerance, peg_solution *solution);

#endif
