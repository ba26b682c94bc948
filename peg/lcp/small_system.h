/* Small symmetric systems, with the same bits on every processor, unlike those of LAPACK. */
#ifndef PEG_SMALL_SYSTEM_H
#define PEG_SMALL_SYSTEM_H

#include <math.h>

enum { PEG_SMALL_SYSTEM = 6 }; /* unknowns at most */

/* Solves A x = b in place by Cholesky's factors; A: n x n, positive definite, of which the lower
 * triangle is read. Returns 0 if it is not. */
static inline int peg_solve_small(int n, double A[PEG_SMALL_SYSTEM][PEG_SMALL_SYSTEM], double *b)
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j <= k; j++) {
            double sum = A[k][j];
            for (int l = 0; l < j; l++) sum -= A[k][l] * A[j][l];
            if (j == k && !(sum > 0)) return 0;
            A[k][j] = j == k ? sqrt(sum) : sum / A[j][j];
        }
        for (int l = 0; l < k; l++) b[k] -= A[k][l] * b[l];
        b[k] /= A[k][k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int l = k + 1; l < n; l++) b[k] -= A[l][k] * b[l];
        b[k] /= A[k][k];
    }
    return 1;
}

#endif
