/* The island's problem in the coordinates in which the mass matrix is the identity, the rows have
 * unit length and impulses and velocities have the same unit, sqrt(J):
 *
 *     min 1/2 |y|^2   subject to   s_i = n_i.y + beta_i >= 0,       y = sum_i u_i n_i,  u >= 0
 *
 * here      | in problem.h                                | note
 * y (body)  | F^-1 (v - v_f), M^-1 = F F^T                | 6 per body, first in y
 * y (rest)  | sqrt(c_i) lambda_i                          | one coordinate per compliant row
 * n_i       | (F^T G_i^T, sqrt(c_i)) / sqrt(scale_i)      | two blocks of 6 and one coordinate
 * beta_i    | (b_i + G_i v_f) / sqrt(scale_i)             |
 * u_i       | lambda_i sqrt(scale_i)                      |
 *
 * A bounded row has |u_i| <= limit_i + mu_i u_normal instead, with limit and mu in these units. */
#ifndef PEG_SCALED_H
#define PEG_SCALED_H

#include "peg/lcp/problem.h"

/* Solutions of equations with a shift on their diagonal, at most; each leaves the share shift /
 * (shift + eigenvalue) of s. What leaves more than PEG_GETS_ON of it leaves rounding. */
enum { PEG_SOLUTIONS = 4 };
#define PEG_GETS_ON 0.25
/* Share of the tolerance at which no other solution follows, nor a path: rounding. Without it a
 * bridge of 15 hinges and a chain of 10 links take 1.05 and 1.06 times the instructions. */
#define PEG_ROUNDED_RESIDUAL 1e-4

/* Cholesky factor F of a body's M^-1: sqrt(1/m), and the lower triangle of the angular block by
 * rows. */
typedef struct peg_mass_root {
    double linear, angular[6];
} peg_mass_root;

typedef struct peg_scaled_row {
    int a, b, slack; /* first coordinates of the blocks; the compliance's own one; -1: none */
    int index;       /* of the row in the problem */
    double na[6], nb[6], ns;
    double beta;
    double root_scale;
    double size;         /* sum of the magnitudes that cancel in beta */
    int bounded, normal; /* normal: scaled row, -1: none */
    double mu, limit;
} peg_scaled_row;

typedef struct peg_scaled {
    int n, m; /* coordinates, rows (rows without a Jacobian are left out) */
    int nv;   /* of the coordinates the first ones: velocities of bodies */
    peg_mass_root *root;
    peg_scaled_row *row;
    double unit; /* sqrt(J): of v_f and of the velocities that rows with b < 0 demand; unlike
                    peg_residual_unit it does not grow with rows that are far from active */
} peg_scaled;

/* False if the block is not positive definite and finite. */
int peg_mass_root_of(const peg_mass_block *mass, peg_mass_root *root);

/* g = F^T J. */
static inline void peg_mass_root_row(const peg_mass_root *root, const double *J, double *g)
{
    const double *f = root->angular;
    for (int k = 0; k < 3; k++) g[k] = root->linear * J[k];
    g[3] = f[0] * J[3] + f[1] * J[4] + f[3] * J[5];
    g[4] = f[2] * J[4] + f[4] * J[5];
    g[5] = f[5] * J[5];
}

/* v = target + F y. */
static inline void peg_mass_root_velocity(const peg_mass_root *root, const double *y,
                                          const double *target, double *v)
{
    const double *f = root->angular;
    for (int k = 0; k < 3; k++) v[k] = target[k] + root->linear * y[k];
    v[3] = target[3] + f[0] * y[3];
    v[4] = target[4] + f[1] * y[3] + f[2] * y[4];
    v[5] = target[5] + f[3] * y[3] + f[4] * y[4] + f[5] * y[5];
}

/* y = F^-1 v. */
void peg_mass_root_solve(const peg_mass_root *root, const double *v, double *y);

/* PEG_SOLVED if the problem could be scaled, else INFEASIBLE (a row without a Jacobian demands a
 * velocity), SINGULAR (a mass or a number that is none) or OUT_OF_MEMORY. */
peg_outcome peg_scale(peg_arena *arena, const peg_problem *problem, peg_scaled *out);
/* v and lambda from y and u. */
void peg_unscale(const peg_problem *problem, const peg_scaled *scaled, const double *y,
                 const double *u, peg_solution *solution);

/* Farkas' lemma with room for rounding: whether the weights w (one per row; >= 0, but any sign for
 * infinite bounds and 0 for finite ones) prove that no y of a sensible size satisfies the rows.
 * Compliant rows never contradict. y is room for n numbers. */
int peg_scaled_contradicts(const peg_scaled *scaled, const double *w, double *y);

/* u by Lemke's method, bounded rows included; uncertified. A contradiction is proved. */
peg_outcome peg_lemke_scaled(peg_arena *arena, const peg_scaled *scaled, double *u,
                             peg_pivoting *pivoting);

static inline double peg_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Largest |u_i| of a bounded row. */
static inline double peg_scaled_bound(const peg_scaled_row *row, const double *u)
{
    return row->limit + (row->normal >= 0 ? row->mu * peg_max(u[row->normal], 0) : 0);
}

int peg_scaled_has_bounds(const peg_scaled *scaled);

/* y = N u, and s. */
void peg_scaled_response(const peg_scaled *scaled, const double *u, double *y, double *s);

static inline double peg_scaled_dot(const peg_scaled_row *row, const double *y)
{
    double sum = 0;
    if (row->a >= 0)
        for (int k = 0; k < 6; k++) sum += row->na[k] * y[row->a + k];
    if (row->b >= 0)
        for (int k = 0; k < 6; k++) sum += row->nb[k] * y[row->b + k];
    if (row->slack >= 0) sum += row->ns * y[row->slack];
    return sum;
}

/* y += t n */
static inline void peg_scaled_add(const peg_scaled_row *row, double t, double *y)
{
    if (row->a >= 0)
        for (int k = 0; k < 6; k++) y[row->a + k] += t * row->na[k];
    if (row->b >= 0)
        for (int k = 0; k < 6; k++) y[row->b + k] += t * row->nb[k];
    if (row->slack >= 0) y[row->slack] += t * row->ns;
}

#endif
