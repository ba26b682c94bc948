/* The island's problem as a mixed LCP [W 8-9, 48-49 with the disjunction resolved]:
 *
 *     M v - G^T lambda = M v_f
 *     0 <= w = G v + C lambda + b   _|_   lambda >= 0
 *
 * paper | C           | unit          | shape
 * M     | inv_mass    | 1/kg, 1/(kg m^2) | block diagonal, 6x6 per body: 1/m, world inverse inertia
 * v_f   | target      | m/s, rad/s    | 6 per body: linear, angular (world frame)
 * v     | v           | m/s, rad/s    | 6 per body
 * G     | row.Ja, Jb  | 1, m          | 12 per row: bodies a and b (-1: immovable, its J is unused)
 * b     | row.b       | m/s           | 1 per row
 * C     | row.c       | 1/kg          | >= 0, compliance of the row (0: rigid)
 * lambda| lambda      | N s           | 1 per row
 *
 * M is positive definite, so v is unique whenever the rows are consistent; lambda need not be. With
 * c > 0 in every row the problem always has a solution. Solvers know nothing else. */
#ifndef PEG_PROBLEM_H
#define PEG_PROBLEM_H

#include "peg/base/arena.h"
#include "peg/base/types.h"
#include "peg/base/math.h"

typedef struct peg_mass_block {
    double inv_mass;
    peg_mat3 inv_inertia; /* world frame, symmetric positive definite */
} peg_mass_block;

typedef struct peg_lcp_row {
    int body_a, body_b; /* indices of bodies, or -1 */
    double Ja[6], Jb[6];
    double b; /* m/s */
    double c; /* 1/kg */
    /* A bounded row (friction): |lambda| <= B with w >= 0 at lambda = -B, w <= 0 at lambda = B and
     * w = 0 between; B = limit + mu lambda[normal]. */
    int bounded;
    int normal;   /* index of an unbounded row before this one; -1, or mu = 0: none */
    double mu;    /* >= 0 */
    double limit; /* N s, >= 0; infinite: w = 0 always */
} peg_lcp_row;

/* w = 0 whatever the impulse is, as of a joint without motor and stop. */
static inline int peg_is_equation(const peg_lcp_row *row)
{
    return row->bounded && isinf(row->limit);
}

typedef struct peg_problem {
    int nb, m;
    const peg_mass_block *mass; /* nb */
    const peg_vec6 *target;     /* nb */
    const peg_lcp_row *row;     /* m */
} peg_problem;

typedef enum peg_outcome {
    PEG_SOLVED = 0,
    PEG_INFEASIBLE, /* the rows contradict each other: no v satisfies them */
    PEG_RAY,        /* Lemke ended on a ray */
    PEG_ITERATION_LIMIT,
    PEG_SINGULAR,      /* a factorisation broke down */
    PEG_NOT_CERTIFIED, /* an answer came whose residual is too large */
    PEG_LAGGED,        /* friction only: see peg_solve_newton */
    PEG_OUT_OF_MEMORY
} peg_outcome;

/* Whether there is a solution, if only one with lagged friction. */
static inline int peg_is_answer(peg_outcome outcome)
{
    return outcome == PEG_SOLVED || outcome == PEG_LAGGED;
}

typedef enum peg_method {
    PEG_METHOD_NONE, /* the warm start is the answer */
    PEG_METHOD_EQUATIONS,
    PEG_METHOD_DELASSUS,
    PEG_METHOD_NEWTON,
    PEG_METHOD_ACTIVE_SET,
    PEG_METHOD_LEMKE,
    PEG_METHOD_PGS
} peg_method;

typedef struct peg_solution {
    peg_vec6 *v;       /* nb; the caller's array */
    double *lambda;    /* m; the caller's array; on entry the warm start (zeros are fine); after
                          PEG_ITERATION_LIMIT the iterate, or the warm start if that is nearer */
    double unit;       /* peg_residual_unit of the problem, of peg_solve */
    double residual;   /* of peg_residual */
    double cone;       /* of peg_cone_excess */
    double left;       /* of PEG_METHOD_PGS: root of the squares of what all rows changed in the
                          last iteration, sqrt(J) */
    int iterations;    /* of the method */
    double work;       /* of all methods, added up: see newton.h, PEG_PRODUCTS_OF_WORK,
                          PEG_VISITS_OF_WORK */
    peg_method method; /* that it is from */
} peg_solution;

/* Products of numbers that take as long as one unit of the work of Newton's method. */
#define PEG_PRODUCTS_OF_WORK 500
/* Visits of rows by projected Gauss-Seidel that do. */
#define PEG_VISITS_OF_WORK 6

/* What is tried where Newton's method fails. */
typedef enum peg_rescue {
    PEG_RESCUE_ALL = 0,    /* the fixed point, then less friction */
    PEG_RESCUE_FIXED_POINT /* of friction bounds and normal impulses, and Newton's method from
                              there: where other attempts follow */
} peg_rescue;

typedef struct peg_solve_options {
    pegSolver solver;
    double tolerance; /* relative to peg_residual_unit */
    double most_work; /* 0: no bound */
    peg_rescue rescue;
} peg_solve_options;

/* Products that a method may still take. */
static inline double peg_products_left(const peg_solve_options *options,
                                       const peg_solution *solution)
{
    double left = options->most_work - solution->work;
    return options->most_work > 0 ? PEG_PRODUCTS_OF_WORK * left : INFINITY;
}

/* v += M^-1 J^T lambda of one body. */
void peg_add_impulse(const peg_mass_block *mass, const double J[6], double lambda, double v[6]);

/* J v of a row. */
double peg_lcp_speed(const peg_lcp_row *row, const peg_vec6 *v);

/* Scale of row i: the velocity unit of its residual is 1/sqrt(scale), scale = J M^-1 J^T + c, 1/kg.
 */
double peg_row_scale(const peg_problem *problem, int i);

/* What the certificate measures with: Cholesky factors of the inverse masses (scaled.h), and roots
 * of the scales of the rows. */
typedef struct peg_norms {
    struct peg_mass_root *mass; /* nb */
    double *row;                /* m */
    int are_good;               /* all masses have a factor */
} peg_norms;

/* 0 if memory is exhausted. */
int peg_norms_create(peg_arena *arena, const peg_problem *problem, peg_norms *norms);

/* The certificate, computed from the problem alone: the largest of
 *  - |M (v - v_f) - G^T lambda| per body in the energy norm,
 *  - negative parts of w and lambda, and min(w, lambda) products, in the same norm
 *    (w_i / sqrt(scale_i), lambda_i sqrt(scale_i); complementarity as |min(., .)|),
 *  - |lambda - clamp(lambda - w, -B, B)| of bounded rows in the same norm, with B from the normal
 *    impulse of this solution.
 * Unit: sqrt(J). NaN gives infinity. */
double peg_residual(const peg_problem *problem, const peg_solution *solution);
/* The same with known norms; ends where it exceeds `most`. */
double peg_residual_up_to(const peg_problem *problem, const peg_norms *norms,
                          const peg_solution *solution, double most);

/* Largest excess |lambda| - B of a bounded row, relative to B. */
double peg_cone_excess(const peg_problem *problem, const peg_solution *solution);

/* Size that the residual is compared with: sqrt of the kinetic energy of v_f and of the velocities
 * that the rows demand (max_i |b_i| / sqrt(scale_i)), at least a tiny positive number. */
double peg_residual_unit(const peg_problem *problem);
/* The same with known norms. */
double peg_residual_unit_by(const peg_problem *problem, const peg_norms *norms);

/* Solves, and checks the residual. solver = AUTO: equations alone by factors of their envelope
 * (equations.h); bounded rows of small problems by their Delassus matrix (delassus.h), then by
 * Newton, and by the active set if none has a finite bound; others by
 * the active set, large ones by Newton first, and by Lemke if the answer is not certified.
 * PROJECTED: the same without Lemke, and without Newton where no row is bounded. LEMKE: that alone.
 * On anything but PEG_SOLVED (and PEG_LAGGED, of bounded rows) the solution is not to be used,
 * except that after PEG_INFEASIBLE nothing is written. Rows with a zero Jacobian: ignored if b >= 0
 * (lambda = 0), else infeasible. Memory comes from the arena, which is handed back as it was. */
peg_outcome peg_solve(peg_arena *arena, const peg_problem *problem,
                      const peg_solve_options *options, peg_solution *solution);

/* The methods by themselves, uncertified.
 * Active set: a dual one (Goldfarb, Idnani 1983) that starts from the rows that the warm start
 * loads, or else from those that projected Gauss-Seidel iterations find active; bounded rows
 * without finite bounds only. Lemke: complementary pivoting on A = G M^-1 G^T + C with the
 * lexicographic ratio test; also for bounded rows. */
peg_outcome peg_solve_active_set(peg_arena *arena, const peg_problem *problem,
                                 const peg_solve_options *options, peg_solution *solution);
peg_outcome peg_solve_lemke(peg_arena *arena, const peg_problem *problem,
                            const peg_solve_options *options, peg_solution *solution);

/* Newton's method on the augmented Lagrangian. PEG_LAGGED: every bounded impulse is within its
 * bound, and all conditions hold to the residual, at most 2e-3 of the unit; or, if it is larger,
 * those of the unbounded rows to the tolerance, while friction does not oppose the sliding as it
 * should. A caller may use that and count it. */
peg_outcome peg_solve_newton(peg_arena *arena, const peg_problem *problem,
                             const peg_solve_options *options, peg_solution *solution);

/* The same of the contacts that may act alone, where that leaves all others open to `least`,
 * sqrt(J). */
peg_outcome peg_solve_working_set(peg_arena *arena, const peg_problem *problem,
                                  const peg_solve_options *options, double least,
                                  peg_solution *solution);

/* Larger problems are not pivoted: the work grows with the third power, and the memory with the
 * second. */
#define PEG_LEMKE_ROWS 2000

/* What pivoting may take, and has taken. */
typedef struct peg_pivoting {
    double most_products; /* infinite: no bound; 0 and less: nothing is left */
    double products;
    int pivots;
} peg_pivoting;

/* Lemke's method for a plain LCP: w = A z + q >= 0, z >= 0, w.z = 0; A row-major n x n.
 * Lexicographic, so that it ends on every problem; a ray is reported, never used. */
peg_outcome peg_lemke(peg_arena *arena, int n, const double *A, const double *q, double *z,
                      peg_pivoting *pivoting);

const char *peg_outcome_name(peg_outcome outcome);

/* Writes a problem to a text file that peg_problem_read gives back bit for bit (17 digits). */
pegStatus peg_problem_write(const peg_problem *problem, const char *path);
/* Reads one; its arrays live in the arena. */
pegStatus peg_problem_read(peg_arena *arena, const char *path, peg_problem *problem);

/* Whoever is shown every problem before it is solved. */
typedef struct peg_capture {
    void (*see)(void *data, const peg_problem *problem);
    void *data;
} peg_capture;

#endif
