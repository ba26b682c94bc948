/* Joints of an island: joints.c and joint_solve.c. */
#ifndef PEG_JOINTS_H
#define PEG_JOINTS_H

#include "peg/contact/island.h"
#include "peg/island/joint_row.h"

/* Room for n rows of joints; 0: no memory. */
int peg_joints_allocate(peg_island *island, int n);
/* Adds a row of the scene; alone: its impulse without contact, NaN if it is not known; place[0],
 * place[1]: where its bodies are. */
void peg_joints_add(peg_island *island, const peg_joint_row *row, int index, double alone,
                    const peg_joint_place place[2]);
/* state.v_free and alone: the solution without contacts; target where nothing solves it. */
void peg_joints_solve_alone(peg_island *island);
/* Solves a problem whose last njoint rows are those of the joints; where they contradict each other
 * they yield. The last impulses of the joints are the start. PEG_LAGGED: friction lags. */
peg_outcome peg_joints_solve(peg_island *island, const peg_problem *problem, peg_lcp_row *row,
                             peg_solution *solution);
/* Lets the joints yield more in this step; 0: they yield as far as they may. */
int peg_joints_relax(peg_island *island);
/* The last njoint rows and the start of their impulses. */
void peg_joints_fill(const peg_island *island, const peg_problem *problem, peg_lcp_row *row,
                     double *lambda);
/* After PGS: the joints exactly, under the contacts' impulses as they are; in the position stage
 * under their friction, with normal impulses found anew, while there is work left. */
peg_outcome peg_joints_polish(peg_island *island, const peg_problem *problem,
                              peg_solution *solution);
/* v: becomes the nearest velocities with which the equations of the joints hold; their motors and
 * stops are left out. Stays as it is if none are found. */
void peg_joints_find_nearest(peg_island *island, peg_vec6 *v);
/* v -= M^-1 J^T lambda. */
void peg_joints_subtract(const peg_island *island, peg_vec6 *v);
/* Work of the last impulses along v, J. */
double peg_joints_work(const peg_island *island, const peg_vec6 *v);
/* For the solve of a bounce: rows that keep the velocities v as they are, without impulses so far.
 * Returns 0 without memory. *rows, *lambda: what peg_joints_release puts back. */
int peg_joints_hold(peg_island *island, const peg_vec6 *v, peg_lcp_row **rows, double **lambda);
/* Rows of displacements, m, of bodies with the velocities v: what joints hold they keep, stops are
 * met no sooner than they are; motors have had their impulse. Returns how many. */
int peg_joints_keep(const peg_island *island, const peg_vec6 *v, peg_lcp_row *row);
void peg_joints_release(peg_island *island, peg_lcp_row *rows, double *lambda);

#endif
