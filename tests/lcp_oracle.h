/* Reference solutions of LCPs and of island problems by trying every complementary basis. It shares
 * no code with the solvers. */
#ifndef LCP_ORACLE_H
#define LCP_ORACLE_H

#include "peg/lcp/problem.h"

enum { ORACLE_MAX = 10 };

/* Largest |min(w, z)| of w = A z + q. */
double oracle_residual(int n, const double *A, const double *q, const double *z);
/* z of the basis with the smallest residual among those that are not singular; returns the
 * residual (infinity: none). n <= ORACLE_MAX. */
double oracle_lcp(int n, const double *A, const double *q, double *z);
/* The same for an island: v; the residual is in units of the rows' scale. */
double oracle_island(const peg_problem *problem, double (*v)[6]);

#endif
