/* Linear programs of few rows and many columns:
 *
 *     min c.x   s.t.  A x = b,   x_j >= 0 but for the last `free` columns
 *     max b.y   s.t.  A^T y <= c,  equal in the last `free` columns
 *
 * The data should be of the order 1: tolerances are relative to the largest entries. */
#ifndef PEG_SIMPLEX_H
#define PEG_SIMPLEX_H

/* Most rows of a program: the inverse of a basis is kept whole. */
enum { PEG_LP_ROWS = 8 };

typedef struct peg_lp {
    int rows, columns, free; /* rows <= PEG_LP_ROWS */
    const double *A;         /* column after column, `rows` entries each */
    const double *b, *c;
} peg_lp;

typedef enum peg_lp_status {
    PEG_LP_SOLVED,
    PEG_LP_INFEASIBLE,
    PEG_LP_UNBOUNDED,
    PEG_LP_ITERATION_LIMIT,
    PEG_LP_NOT_CERTIFIED /* rounding: the answer fails its certificate */
} peg_lp_status;

typedef struct peg_lp_solution {
    /* Columns of the basic variables; -1: the row is redundant. On entry the basis to start from;
     * basis[0] < 0: none. */
    int basis[PEG_LP_ROWS];
    double x[PEG_LP_ROWS]; /* values of these; all other variables are 0 */
    double y[PEG_LP_ROWS];
    double value; /* c.x */
    double error; /* of the certificate, below */
    int pivots;
} peg_lp_solution;

/* Primal simplex method in two phases. On anything but SOLVED only `pivots` and `error` count. */
peg_lp_status peg_lp_solve(const peg_lp *lp, peg_lp_solution *solution);

/* The certificate, from the problem alone: the largest of |A x - b|, the negative parts of x and
 * c - A^T y, |c - A^T y| of free columns, and the duality gap |c.x - b.y|, each relative to the
 * sizes of what it is a difference of. SOLVED answers have at most 1e-10. */
double peg_lp_error(const peg_lp *lp, const peg_lp_solution *solution);

const char *peg_lp_status_name(peg_lp_status status);

#endif
