/* Dense symmetric positive definite systems, by LAPACK. */
#ifndef PEG_CHOLESKY_H
#define PEG_CHOLESKY_H

/* S = L L^T of an n x n matrix (either triangle), column by column, in place: the lower one becomes
 * L. 0: it is not positive definite. */
int peg_cholesky(int n, double *S);
/* L^-1 and L^-T times the m columns of X (n x m), in place. */
void peg_lower_solve(int n, const double *L, int m, double *X);
void peg_lower_solve_transposed(int n, const double *L, int m, double *X);

#endif
