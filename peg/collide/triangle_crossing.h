/* Two triangles of meshes that pass through each other. */
#ifndef PEG_TRIANGLE_CROSSING_H
#define PEG_TRIANGLE_CROSSING_H

#include "peg/shape/polytope.h"

typedef enum peg_crossing_kind {
    PEG_CROSSING_NONE,
    PEG_CROSSING_TOUCH, /* one has its border in the plane of the other, to `touch` */
    PEG_CROSSING_THROUGH
} peg_crossing_kind;

/* The segment, longer than `touch` (m), that two triangles not in one plane have in common. */
peg_crossing_kind peg_triangles_cross(const peg_view *A, const peg_view *B, double touch,
                                      peg_vec3 end[2]);

/* How far B reaches above A along n (unit) at most where one is over the other, m; 0: nowhere. */
double peg_triangle_reaches_above(const peg_view *A, const peg_view *B, const double n[3]);

#endif
