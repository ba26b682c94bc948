/* Projected Gauss-Seidel for many contacts at once: eight patches side by side, of bodies that no
 * two of them share.
 *
 * A contact has a normal row and, with friction, two rows across it:
 *
 *     0 <= n . u + bias_n + c_n lambda_n  _|_  lambda_n >= 0,
 *     |lambda_k| <= mu_k lambda_n + limit_k, opposite to t_k . u + bias_k + c_k lambda_k
 *
 * Joints hold bodies together: see wide_joined.c.
 *
 * u: velocity of A's point of contact relative to B's. Impulses are found in single precision,
 * those that are given back are within their bounds exactly, and v = v_f + M^-1 G^T lambda in
 * double precision. */
#ifndef PEG_WIDE_PGS_H
#define PEG_WIDE_PGS_H

#include "peg/base/arena.h"
#include "peg/base/thread_pool.h"
#include "peg/lcp/scaled.h"

typedef struct peg_wide_contact {
    double normal[3], tangent[3]; /* unit, world; into A. The third direction is n x t */
    double arm_a[3], arm_b[3];    /* from the centres of mass to the point, m */
    double bias[3];               /* m/s, along n, t, n x t */
    double compliance[3];         /* c, 1/kg, as bias */
    double mu[2];                 /* along t and n x t */
    double limit[2];              /* N s; may be infinite */
    double lambda[3];             /* N s, as bias. In: where to start; out: the answer */
} peg_wide_contact;

/* Another friction row of a contact: along a direction across the normal or about an axis. */
typedef struct peg_wide_further {
    double axis[3];                         /* unit, world */
    int turns;                              /* about it */
    double mu;                              /* m, if it turns */
    double bias, compliance, limit, lambda; /* as of contacts; of what turns N m s and rad/s */
} peg_wide_further;

/* Contacts first .. first + count - 1 of the bodies a and b (-1: does not move). */
typedef struct peg_wide_patch {
    int a, b;
    int first, count;
} peg_wide_patch;

enum { PEG_WIDE_PATCH = 4 }; /* contacts of a patch, at most */

typedef struct peg_wide_problem {
    int nb;
    const peg_mass_root *root; /* nb: of M^-1, world frame */
    const peg_vec6 *target;    /* nb: v_f, m/s and rad/s */
    peg_wide_contact *contact;
    peg_wide_further *further; /* `furthers` of each contact, not known to joints; no bound: none */
    int furthers;
    const peg_wide_patch *patch;
    int patches;
    const peg_lcp_row *joint; /* joints: of the same bodies; they know no normal rows */
    double *joint_lambda;     /* joints: N s. In: where to start; out: the answer */
    int joints;
    int frictionless; /* mu is not looked at */
    int iterations;   /* at most */
    int least;        /* iterations after which they end, too, .. */
    double enough;    /* .. where one changes all rows by so little, J: sum of squares */
    double tolerance; /* until no row's speed changes by more, m/s */
    peg_pool *pool;   /* threads that share the patches of a colour; null: the caller alone */
} peg_wide_problem;

typedef struct peg_wide_result {
    int iterations;
    double change; /* largest change of a row's speed in the last one, m/s */
    double left;   /* root of the squares of what all rows changed in it, sqrt(J) */
    long meetings; /* of the threads */
    long visits;   /* of eight contacts; .. */
    long most;     /* .. and, between two meetings, those of the thread that had most */
} peg_wide_result;

/* Friction with a limit of its own may act where the contact has ceased to bear. */
static inline int peg_wide_acts(const peg_wide_contact *c)
{
    return c->lambda[0] > 0 || c->lambda[1] != 0 || c->lambda[2] != 0;
}

/* v: nb, the answer, in which rows of joints with infinite bounds hold. Returns 0 without memory,
 * and where these rows contradict each other or are too many (equations.h). */
int peg_solve_wide_pgs(peg_arena *arena, peg_wide_problem *problem, peg_vec6 *v,
                       peg_wide_result *result);

#endif
