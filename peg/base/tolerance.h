/* Tolerances that several files share, and those of peg/island/. L is the size of a pair (radius of
 * the smaller part's bounding sphere), width the least width of the thinner part; nothing is in
 * metres. */
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
 * below PEG_THIN * margin, near rounding, grow by the share PEG_GAP_GROWTH of what they lack: at
 * most 1e-11 L a step, fading out. */
#define PEG_THIN       1e-5
#define PEG_GAP_GROWTH 0.1

/* Features that overlap by more than this, in L, lie behind the part and make no row. */
#define PEG_DEEPEST 0.5

/* Features face each other when the row's normal is within this cosine of the pair's direction.
 * Near zero it lets steep side faces in and recreates the trap; near one it loses the rows of
 * tilted faces. */
#define PEG_FACING 0.7

/* Sine of the angle up to which two edges are parallel: their crossing is known to some 1e-10 of
 * their lengths. */
#define PEG_PARALLEL 1e-6

/* A vertex is inside a face up to PEG_INSIDE L beyond its edges: vertices on a common boundary line
 * of flush faces count, rounding included. */
#define PEG_INSIDE 1e-6

/* Slope of what lies next to a feature, against the direction of a contact, up to which the feature
 * makes a row: the next small turn could bring it there. */
#define PEG_SLOPE_TOLERANCE 0.05

/* Sine of the angle to a plane up to which a rim lies in it, without a lowest point: rounding. */
#define PEG_FLUSH 1e-12

/* A mesh may be touched only where its neighbours leave it free, until a pair with it was left
 * violated so many times in a step. */
#define PEG_STUCK 3

/* A violated pair also gets the rows of its chosen facet up to this lateral distance, in L. Without
 * a limit far rows act as levers. */
#define PEG_LATERAL 0.02

/* A row is behind its body when its gap at the start was below -PEG_BEHIND L. */
#define PEG_BEHIND 1e-5

/* First contact is sought at depth PEG_HIT_DEPTH widths with strides of at least PEG_STRIDE widths,
 * so that nothing deeper than their sum is missed. Slow pairs that stay violated are advanced with
 * depth PEG_HIT_DEPTH_SLOW. */
#define PEG_HIT_DEPTH      0.05
#define PEG_STRIDE         0.2
#define PEG_HIT_DEPTH_SLOW 1e-12

/* Angle by which a body turns at most, for the sake of overlaps of the start, in a step, rad. */
#define PEG_OPENING_TURN 0.25

/* Passes of the outer loop: see outer_loop.c. */
#define PEG_SETTLED             1e-3 /* change of pose (in L) and of the objective (relative) when settled */
#define PEG_RECOVERY_FREE_FROM  4  /* iterations before what overlaps may turn or become deeper */
#define PEG_FRICTION_ITERATIONS 3  /* iterations in which friction with a limit is let in */
#define PEG_PATIENCE            3  /* iterations after the last switch before restoration */
#define PEG_CAUSE_FROM          6  /* from here on violated pairs are advanced */
#define PEG_CAUSE_TIMES         6  /* per pair and step */
#define PEG_SWITCHES_PAIR       4  /* facet switches per pair and step */
#define PEG_SWITCHES_STEP       12 /* iterations with switches per step */

/* Energy that a step may gain by rounding, relative to the island's kinetic energy and to its
 * weights times sizes. */
#define PEG_GAIN 1e-11

/* Energy that gaps of coarse islands may put in while they grow, of the same. */
#define PEG_GAP_WORK 1e-10

/* Certificate of a solve, relative to peg_residual_unit. */
#define PEG_RESIDUAL_TOLERANCE 1e-10

/* Compliance of the elastic problem, and of friction without limit that contradicts itself,
 * relative to the row's scale: a slack of coefficient 1e-3. */
#define PEG_COMPLIANCE 1e-6

/* Islands of PEG_PGS_FROM bodies and more may be solved by projected Gauss-Seidel: coarsely from
 * PEG_COARSE_FROM bodies on. */
#define PEG_PGS_FROM       5
#define PEG_COARSE_FROM    30
#define PEG_LIMITED_PASSES 12 /* outer iterations at most where work is limited */

/* PGS iterations: until rows fail by less than this share of the bodies' speed, at most so many; in
 * restorations of coarse islands twice as many in each pass after the second. Fine ones end where
 * so many get little further: nine of ten answers are then known to 0.1 to 0.4 % of the speed,
 * which two or three times as many would make 0.02 to 0.08 %. From pass PEG_LOCAL_FROM on
 * a coarse solve about v_f looks only at the rows of bodies whose pairs have changed. */
#define PEG_FINE              1e-5
#define PEG_FINE_ITERATIONS   300
#define PEG_FINE_STALL        24
#define PEG_COARSE            1e-3
#define PEG_COARSE_ITERATIONS 40
#define PEG_UPDATE_ITERATIONS 32
#define PEG_LOCAL_FROM        2

/* A coarse island rests where no body lacks more than this share of its weight. */
#define PEG_REST_TOLERANCE 5e-3

/* While gaps grow, an answer of a coarse island is taken where it gains at most this share of its
 * energy, which is then taken back. */
#define PEG_TAKEN_BACK 1e-2

/* Rows of coarse islands are made of features that are within PEG_NEAR L and this share of how far
 * the bodies could get. */
#define PEG_NEAR    0.02
#define PEG_CLOSING 0.15

/* Rows that bear something are made anew when the bodies have moved by more than this, in L. */
#define PEG_ROW_REUSE 0.01

/* Factorisations times bodies that a limited exact solve may take. */
#define PEG_COST_LIMIT 10000

#endif
