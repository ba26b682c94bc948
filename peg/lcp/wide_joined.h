/* Rows of bodies that joints hold together, beside the patches in lanes of wide_pgs.h. See
 * wide_joined.c. */
#ifndef PEG_WIDE_JOINED_H
#define PEG_WIDE_JOINED_H

#include "peg/lcp/wide_pgs.h"

/* Floats of a body in y: v - v_f of its centre, F^-1 (v - v_f) of what turns, and two that are 0.
 * What does not move has the block behind those of the bodies. */
enum { PEG_WIDE_STRIDE = 8 };

typedef struct peg_joined peg_joined;

/* The groups of the problem's bodies, and the rows with a body of one. Null without memory, and
 * where equations contradict each other or are too many for their factors. */
peg_joined *peg_joined_create(peg_arena *arena, const peg_wide_problem *problem);
/* Whether a patch has a body of a group: its rows are visited here. */
int peg_joined_has(const peg_joined *joined, const peg_wide_patch *patch);
/* nb: v_f; of groups, what their equations make of it. Iterates are relative to it. */
const peg_vec6 *peg_joined_base(const peg_joined *joined);

/* What an iteration changed. */
typedef struct peg_joined_change {
    float most; /* of a row's speed, m/s */
    double sum; /* of the squares, J */
} peg_joined_change;

/* Adds to y what the impulses do. */
void peg_joined_start(const peg_joined *joined, float *y);
/* One iteration, after impulses went on by beta times their last change. */
peg_joined_change peg_joined_visit(const peg_joined *joined, float beta, float *y);
/* Chooses which limits of friction act: see wide_pgs.c. */
void peg_joined_update_limits(const peg_joined *joined, const float *y);
/* The impulses of contacts and of joints' rows with bounds, within these. */
void peg_joined_take_impulses(const peg_joined *joined);
/* v, in which the contacts have pushed: adds the other rows with bounds, and solves the equations.
 * Returns 0 if these do not hold then. */
int peg_joined_hold(const peg_joined *joined, peg_vec6 *v);

#endif
