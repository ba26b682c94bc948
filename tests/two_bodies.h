/* An island of two bodies with a part each, for tests of its rows. */
#ifndef TWO_BODIES_H
#define TWO_BODIES_H

#include "peg/contact/island.h"

#include <check.h>

#define TWO_BODIES_STEP 0.02 /* s */

typedef struct two_bodies {
    peg_island I;
    peg_arena arena;
    pegSettings settings;
    pegStats stats;
    peg_rigid rigid[2];
    peg_part part[2];
    peg_piece piece[2];
    peg_pair pair;
    peg_choice choice;
    peg_surface surface;
    peg_mass_block mass[2];
    double v[2][6], v_last[2][6], v_motion[2][6], v_end[2][6], v_pose[2][6];
    unsigned char dirty[2];
} two_bodies;

extern two_bodies T;

/* Body 0 is dynamic; dynamic ones come first. */
void two_bodies_begin(peg_body_kind second, const peg_polytope *a, const peg_polytope *b);
/* Views at the start, and at the iterate T.v. */
void two_bodies_place(void);
void two_bodies_end(void);
/* The pair at the iterate; until the next call. */
const peg_pair_pose *two_bodies_pose(void);
peg_polytope *two_bodies_box(double a, double b, double c);

TCase *friction_row_tests(void);

#endif
