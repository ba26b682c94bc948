/* Tolerances that several files share; those of one file stand there. L is the size of a pair
 * (radius of the smaller part's bounding sphere), width the least width of the thinner part;
 * nothing is in metres. */
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
 * below PEG_THIN * margin, near rounding, grow (contact_row.h). */
#define PEG_THIN 1e-5

/* Gaps that exceed the margin by less than this share of it are closed: they stay as they are, and
 * faces that are parallel but for rounding share their load. */
#define PEG_CLOSED 1e-3

/* Features within this of each other, in L, make rows at any speed; a violated pair gets the rows
 * of its chosen facet up to this lateral distance. Without a limit far rows act as levers. */
#define PEG_NEAR 0.02

/* Share of how far a pair could close beyond that within which features make rows where many bodies
 * are active: the check of the poses finds those that come closer. */
#define PEG_CLOSING 0.15

/* Features that overlap by more than this, in L, lie behind the part and make no row; of springs:
 * by more than this beyond the pair's own overlap. */
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
 * makes a row: the next small turn could bring it there (quasi-LMDs [M]). The default of
 * pegSettings.relative_rotation. */
#define PEG_SLOPE_TOLERANCE 0.05

/* What rounding leaves of a computed share, in L or of a unit vector: the sine of the angle to a
 * plane up to which a rim lies in it, without a lowest point; gaps without clearance. */
#define PEG_ROUNDED 1e-12

/* First contact is sought at depth PEG_HIT_DEPTH widths. */
#define PEG_HIT_DEPTH 0.05

/* Iterations of the outer loop before what overlaps may turn or become deeper. */
#define PEG_RECOVERY_FREE_FROM 4

/* Iterations of the outer loop that a change is given before the next one: after the last switch
 * before restoration; with rows that are kept, and with friction let in, from the start; that leave
 * a pair with a mesh violated before it may be touched where its neighbours are in the way. */
#define PEG_PATIENCE 3

/* Energy that a step may gain by rounding, relative to the island's kinetic energy and to its
 * weights times sizes. */
#define PEG_GAIN 1e-11

/* Uncertainty of velocities, as a share of their usual change in a step (lcp_rows.h), from which on
 * a body counts as unconverged: a body at rest then moves by 1e-2 of its free fall. */
#define PEG_UNCONVERGED 1e-2

/* Certificate of a solve, relative to peg_residual_unit. */
#define PEG_RESIDUAL_TOLERANCE 1e-10
/* The same of answers that are as good as exact where none is certified: rows that are dependent up
 * to so much would need huge impulses that cancel, and the next step corrects what joints lack.
 * With 1e-7 the first answer of world 21, a flush wall with joints, is rejected, and a body then
 * stands by a quarter less than its weight. */
#define PEG_NEAR_EXACT 1e-6

/* Islands of so many bodies and more may be solved by iterations: with 12 in lanes, and PGS a row
 * at a time below, a pile of 100 boxes takes 1.2 times the instructions. */
#define PEG_ITERATIVE_FROM 5

/* Compliance of the elastic problem, and of friction without limit that contradicts itself,
 * relative to the row's scale: a slack of coefficient 1e-3. */
#define PEG_COMPLIANCE 1e-6

/* Islands of so many bodies and more may be solved coarsely by projected Gauss-Seidel: to this
 * share of the bodies' speed, with gaps of so many margins as a reserve that is used up by what is
 * left of the rows. */
#define PEG_COARSE_FROM 30
#define PEG_COARSE      1e-3
#define PEG_COARSE_GAP  100

/* Velocities below these shares of what applied forces make in a step are rest: of islands solved
 * coarsely; of others, what an answer within rounding leaves of a flush wall of 180 bricks (1e-8 of
 * g h). */
#define PEG_COARSE_REST 5e-3
#define PEG_REST        1e-6

/* Loaded rows are made anew when the bodies have moved by more than this, in L. */
#define PEG_ROW_REUSE 0.01

#endif
