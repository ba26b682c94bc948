/* Joints in the mixed LCP of the papers' models.
 *
 * Their rows 0 = J v + C lambda + b join [W 48]:
 *
 *     M v - G p - J^T lambda = M v_f
 *
 * Bilateral rows are eliminated with v: S = J M^-1 J^T + C = L L^T, y = L^-1 (J v_f + b),
 * U = L^-1 J M^-1 G, so that G^T v = G^T v_f - U^T y + (G^T M^-1 G - U^T U) p. Stops,
 * 0 <= w _|_ lambda >= 0, are variables like impulses of U. Motors, |lambda| <= x, are two, z and
 * s: lambda = z - x, 0 <= w + s _|_ z >= 0, 0 <= 2 x - z _|_ s >= 0. */
#ifndef PEG_MCP_JOINTS_H
#define PEG_MCP_JOINTS_H

#include "peg/contact/island.h"

typedef struct peg_mcp_joints {
    int held, limited; /* bilateral rows; stops and motors */
    peg_lcp_row *row;  /* these, in that order, with the compliance that loops need */
    int *of;           /* the joint's row of the island that each one is */
    peg_vec6 *base;    /* nd: v_f, motors at -x */
    double *L, *y;     /* held x held, held */
    double *U;         /* held x wrenches: a column each */
} peg_mcp_joints;

/* For `wrenches` impulses; 0: no memory, or a factorisation broke down. */
int peg_mcp_joints_begin(peg_island *island, int wrenches, peg_mcp_joints *out);
/* Column i of U before L^-1: J M^-1 G of a wrench whose M^-1 G are Ma and Mb. */
void peg_mcp_joints_column(const peg_mcp_joints *j, int i, int body_a, int body_b, const double *Ma,
                           const double *Mb);
/* y and L^-1 U. */
void peg_mcp_joints_eliminate(peg_mcp_joints *j, int wrenches);
/* t = y + U p: lambda of the bilateral rows, by which v is moved; all impulses go to the island. */
void peg_mcp_joints_take(peg_island *island, const peg_mcp_joints *j, double *t,
                         const double *limited);
/* x of a motor, N s; 0 of a stop. */
double peg_mcp_joint_limit(const peg_mcp_joints *j, int limited);

#endif
