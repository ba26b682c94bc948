/* The distance of two triangles. */
#ifndef PEG_TRIANGLE_DISTANCE_H
#define PEG_TRIANGLE_DISTANCE_H

#include "peg/base/math.h"

/* Whether two triangles are farther apart than `reach` (m, >= 0). Triangles that meet are not. */
int peg_triangles_are_apart(const peg_vec3 a[3], const peg_vec3 b[3], double reach);

#endif
