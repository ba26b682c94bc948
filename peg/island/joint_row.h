/* A joint's row in the problem that the core solves. */
#ifndef PEG_JOINT_ROW_H
#define PEG_JOINT_ROW_H

#include "peg/contact/scene.h"
#include "peg/lcp/problem.h"

/* Where a row's bodies are in the problem: index, or -1 for what no impulse moves (the world, a
 * kinematic body), and the velocity of the latter. */
typedef struct peg_joint_place {
    int index;
    double v[6];
} peg_joint_place;

/* Fills *out; returns the sign s of the row: its lambda is s times the problem's; 0 if it moves
 * nothing (then it must be left out: with a small cfm its lambda would be huge). The row's push is
 * not in it: it belongs into v_f (peg_add_impulse). */
int peg_joint_lcp_row(const peg_joint_row *row, const peg_joint_place *a, const peg_joint_place *b,
                      peg_lcp_row *out);

#endif
