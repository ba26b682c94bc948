/* Rows of an island as rows of the mixed LCP. */
#ifndef PEG_LCP_ROWS_H
#define PEG_LCP_ROWS_H

#include "peg/contact/island.h"

/* The coefficient of friction that stands for friction without limit on contacts that an impulse
 * without limit would hold open: what bears must rub. With 1e2 and 1e4 rods that land sliding end
 * with the same velocities. */
static const double PEG_STEEP = 1e3;

/* Whether no impulse of the step reaches this limit of friction, N s. */
static inline int peg_has_no_limit(const peg_island *island, double limit)
{
    return limit > 0 && limit >= island->most_friction;
}

/* A row of the problem with the bodies and the Jacobian of this one; the rest is 0. */
void peg_fill_jacobian(const peg_island *island, const peg_row *row, peg_lcp_row *out);
/* Row `index` as that of the problem. */
void peg_fill_row(const peg_island *island, int index, peg_lcp_row *out);
/* The limit of its own that its friction has: only where the contact is active. */
double peg_row_limit(const peg_island *island, int index);
/* Friction that is limited by itself and not by the normal impulse acts only where there is one:
 * notes that the normal row starts from `lambda`, and afterwards whether its friction has to be
 * solved for. */
void peg_friction_begin(const peg_island *island, peg_row *normal, double lambda);
void peg_friction_end(peg_island *island, const peg_row *normal);
/* Rows of contacts yield where a form of the problem asks for it: normal rows where it is elastic,
 * friction without limit where that slips. row: those of the problem. */
void peg_yield_rows(const peg_island *island, const peg_problem *problem, peg_lcp_row *row);
/* Solves a problem of the island to the last digit by the solver of the settings, and counts the
 * work. */
peg_outcome peg_island_lcp(peg_island *island, const peg_problem *problem, peg_solution *solution);
/* Change of the bodies' velocities that is usual: what forces make of them in the step or a
 * share of their speed, sqrt(J). */
double peg_usual_change(const peg_island *island);
/* Notes what the last iteration of an iterative solve for the velocities after the step changed:
 * root of the squares of all rows, sqrt(J). The residual is its share of the usual change. */
void peg_note_left(peg_island *island, double left);
/* The work of a step, in rows that Newton's method factorises (newton.h). All solves of an island,
 * and checks of its pairs, draw from one budget, whatever attempt, stage or round of the step they
 * are of: the next ones may take this share of what is left, of which there is always a little. */
void peg_work_allow(peg_island *island, double share);
/* What of that is left; whether it is taken; whether little, or nothing, of the step's is left. */
double peg_work_left(const peg_island *island);
int peg_work_is_spent(const peg_island *island);
int peg_work_is_scarce(const peg_island *island);
int peg_work_is_over(const peg_island *island);
void peg_count_solve(peg_island *island, int rows);

#endif
