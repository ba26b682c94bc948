/* Triangles in reach of a part that are not expected to be met. They are deferred: no island has
 * them unless the motion that it found could close them. */
#ifndef PEG_DEFERRED_TRIANGLES_H
#define PEG_DEFERRED_TRIANGLES_H

#include "peg/step/stage.h"

/* The motion of a part in a step: all of it is shifted, and turns about the body's centre. */
typedef struct peg_motion {
    double shift[3], centre[3]; /* m; where the centre is at the start */
    double turn[9];
    double bend;  /* how far its points get from a straight line, m; infinity: not known */
    double spare; /* by how much they may do other than expected, m */
} peg_motion;

/* What a part of the scene did in the step before, as if it went on. */
peg_motion peg_expected_motion(const peg_stage *stage, int part);
/* Whether a new pair with a triangle stays apart in what a and b are expected to do; then along
 * c->n, which may be known before. */
int peg_is_expected_apart(const peg_stage *stage, const peg_motion *of_a, const peg_motion *of_b,
                          peg_candidate *c);
/* Whether the motion that was found keeps a pair apart along c->n all the way, and by what touching
 * parts keep at its end. */
int peg_passes_along(const peg_stage *stage, const peg_candidate *c);

#endif
