#include "peg/lcp/cholesky.h"

#include <lapacke.h>

int peg_cholesky(int n, double *S)
{
    return n == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, S, n) == 0;
}

void peg_lower_solve(int n, const double *L, int m, double *X)
{
    if (n > 0 && m > 0) LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, m, L, n, X, n);
}

void peg_lower_solve_transposed(int n, const double *L, int m, double *X)
{
    if (n > 0 && m > 0) LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'T', 'N', n, m, L, n, X, n);
}
