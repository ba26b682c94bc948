/* Projected Gauss-Seidel for large islands: an answer to a tolerance that the check of the poses
 * can live with, in a time that grows with what is not yet settled. */
#ifndef PEG_GAUSS_SEIDEL_H
#define PEG_GAUSS_SEIDEL_H

#include "peg/lcp/problem.h"

/* What is computed of a group's rows once, for as long as their Jacobians and the masses are the
 * same. */
typedef struct peg_pgs_cache peg_pgs_cache;

/* For so many rows, in the arena; null without memory. */
peg_pgs_cache *peg_pgs_cache_create(peg_arena *arena, int rows);

/* Rows begin .. end - 1, all of the bodies a and b (-1: what cannot move); friction rows lie in the
 * group of their normal rows. */
typedef struct peg_pgs_group {
    int begin, end;
    int a, b;
    peg_pgs_cache *pgs; /* for end - begin rows; null: nobody keeps it */
} peg_pgs_group;

typedef struct peg_pgs_goal {
    const double *speed; /* m; m/s: what a row may fail by */
    int max_iterations;  /* at most */
    int stall;           /* if not 0 the answer is taken as it is when so many iterations have not
                                taken a share of the largest change: where impulses grow slowly
                                along each other, as between wedges */
    /* if not null v answers the rows but for those of the bodies that are dirty up (nb): they are
     * visited as far as their change reaches. The warm start need not be theirs. Holds afterwards
     * whom it has reached; the others keep their v */
    unsigned char *dirty;
    const peg_vec6 *v;
    /* if not null all rows in their order; else they are found out */
    const peg_pgs_group *group;
    int groups;
    /* if not null it stands for the problem's rows: writes begin .. end - 1 of them to `row`, and
     * their speeds and their warm start to where these belong; called once before a group is looked
     * at. Again: it was before with the same `pgs`, and only b, mu and limit are wanted of the
     * rows. What never was looked at has no lambda in the solution */
    void (*fill)(void *context, int begin, int end, int again, peg_lcp_row *row);
    void *context;
} peg_pgs_goal;

/* From the warm start. solution->residual is the natural residual of the last iteration, sqrt(J).
 * PEG_ITERATION_LIMIT: the answer is less exact, but every impulse lies within its bounds and v =
 * v_f + M^-1 G^T lambda to rounding, as for PEG_SOLVED. PEG_SINGULAR:
 * not for these rows (of one body with itself, or without a Jacobian). */
peg_outcome peg_solve_pgs(peg_arena *arena, const peg_problem *problem, const peg_pgs_goal *goal,
                          peg_solution *solution);

#endif
