/* Every tolerance of the step, in one place. L is the size of a pair (radius of the smaller part's
 * bounding sphere), width the least width of the thinner part; nothing is in metres. */
#ifndef PEG_TOLERANCE_H
#define PEG_TOLERANCE_H

/* A facet with s >= -PEG_TOUCH L at the start counts as holding there: rounding of poses that a
 * user set flush, far below the margin. */
#define PEG_TOUCH 1e-9

/* Gaps are known to this, in L: rounding of coordinates some L away from the origin. Where parts
 * have no clearance at all the step is accepted with an overlap up to it. */
#define PEG_ROUNDING 1e-14

/* The step is accepted when every pair has s >= PEG_FLOOR * margin; rows aim at the whole margin,
 * so the remaining error of the linearisation has room. */
#define PEG_FLOOR 1e-3

/* Rows hold the gap that features start with, up to the margin, so that they do no work; only gaps
 * below PEG_THIN * margin, near rounding, grow by the share PEG_PUSH of what they lack: at most
 * 1e-10 L a step, fading out. */
#define PEG_THIN 1e-4
#define PEG_PUSH 0.1

/* Features face each other when the row's normal is within this cosine of the pair's direction.
 * Near zero it lets steep side faces in and recreates the trap; near one it loses the rows of
 * tilted faces. */
#define PEG_FACING 0.7

/* A vertex is inside a face up to PEG_INSIDE L beyond its edges: vertices on a common boundary line
 * of flush faces count, rounding included. */
#define PEG_INSIDE 1e-6

/* A violated pair also gets the rows of its chosen facet up to this lateral distance, in L. Without
 * a limit far rows act as levers. */
#define PEG_LATERAL 0.02

/* Facets whose direction is this far from the chosen one (cosine) are other alternatives; those
 * that are known to stay below are not searched again until the bodies have turned by so much
 * (rad); at the start the search looks for what overlaps by less than so much (L). */
#define PEG_AWAY     0.999
#define PEG_TURNED   0.03
#define PEG_SEARCHED 0.2

/* Another facet is a way out of a trap when its value exceeds max(s_n, 0) by this, in L. */
#define PEG_TRAP 1e-7

/* A row is behind its body when its gap at the start was below -PEG_BEHIND L. */
#define PEG_BEHIND 1e-5

/* Pairs that move more than PEG_FAST widths relative to each other are fast; first contact is
 * sought at depth PEG_HIT widths with strides of at least PEG_STRIDE widths, so that nothing deeper
 * than their sum is missed. Slow pairs that stay violated are advanced with depth PEG_HIT_SLOW. */
#define PEG_FAST     0.3
#define PEG_HIT      0.05
#define PEG_STRIDE   0.2
#define PEG_HIT_SLOW 1e-12

/* Iterations: see outer.c. */
#define PEG_SETTLED       1e-3 /* change of pose (in L) and of the objective (relative) when settled */
#define PEG_PATIENCE      3    /* iterations after the last switch before restoration */
#define PEG_CAUSE_FROM    6    /* from here on violated pairs are advanced */
#define PEG_CAUSE_TIMES   6    /* per pair and step */
#define PEG_SWITCHES_PAIR 4    /* facet switches per pair and step */
#define PEG_SWITCHES_STEP 12 /* iterations with switches per step */

/* Energy that a step may gain by rounding, relative to the island's kinetic energy and to its
 * weights times sizes. */
#define PEG_GAIN 1e-11

/* Certificate of a solve, relative to peg_residual_unit. */
#define PEG_CERTIFIED 1e-10

/* Compliance of the elastic problem, relative to the row's scale: a slack of coefficient 1e-3. */
#define PEG_COMPLIANCE 1e-6

/* Islands of at least so many bodies are solved by sweeps first, ... */
#define PEG_ROUGH_FROM   12
#define PEG_HASTE        1000 /* bodies times factorisations that are spent on slower ones */
#define PEG_FAILURES     5    /* in a row: then a hasty attempt is made every 2^5 steps */
#define PEG_TUMBLING     5
#define PEG_ROUGH        1e-3 /* to this residual (see sweeps.h), ... */
#define PEG_SWEEPS       60   /* or so many sweeps ... */
#define PEG_ROUGH_TIMES  12   /* and outer iterations. */
#define PEG_ROUGH_MARGIN 100
#define PEG_ROUGH_THIN   0.2
#define PEG_REST         5e-3 /* Of its weight a body at rest may lack so much. */

#endif
