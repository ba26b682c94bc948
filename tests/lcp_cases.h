/* Island problems for the tests of the solvers. */
#ifndef LCP_CASES_H
#define LCP_CASES_H

#include "peg/lcp/problem.h"

#include <stdint.h>

enum { CASE_BODIES = 40, CASE_ROWS = 4000 };

typedef struct lcp_case {
    peg_problem problem;
    peg_mass_block mass[CASE_BODIES];
    double target[CASE_BODIES][6];
    peg_lcp_row row[CASE_ROWS];
} lcp_case;

double case_uniform(uint64_t *seed, double low, double high);
int case_integer(uint64_t *seed, int low, int high); /* both included */

/* nb bodies with masses 10^+-decades, random inertia and velocities, no rows. */
void case_bodies(lcp_case *c, uint64_t *seed, int nb, double decades);
void case_add_row(lcp_case *c, peg_lcp_row row);
/* A row of random numbers, or of small integers, which makes ties and dependent rows. */
void case_add_random_row(lcp_case *c, uint64_t *seed, int integers);
/* A contact at p (relative to the bodies' centres) with normal n into body a. */
void case_add_contact(lcp_case *c, int a, int b, const double *pa, const double *pb,
                      const double *n, double bound);
/* count unit boxes on the ground, points x points contacts between each, gravity times h = 0.1. */
void case_stack(lcp_case *c, int count, int points, double mass_ratio);
/* A unit box between two walls that close with the given speed, and rest on the ground. */
void case_walls(lcp_case *c, double speed);
/* Solution arrays of a case. */
typedef struct case_solution {
    double v[CASE_BODIES][6], lambda[CASE_ROWS];
    peg_solution solution;
} case_solution;
void case_clear(case_solution *s);

/* Largest difference of the velocities in the energy norm of a body, relative to the unit. */
double case_difference(const lcp_case *c, const case_solution *a, const case_solution *b);

#endif
