/* Exact separation of boxes by their fifteen separating axes, four pairs at a time. */
#ifndef PEG_BOX_BOX_H
#define PEG_BOX_BOX_H

#include "peg/shape/polytope.h"

typedef struct peg_box {
    peg_vec3 x;    /* centre, world, m */
    peg_mat3 R;    /* its axes are the columns */
    peg_vec3 half; /* sides, m */
} peg_box;

/* Of a pair A, B: the largest s_n = min_A n.a - max_B n.b over the axes, and an axis that separates
 * as far or nearly so. */
typedef struct peg_box_axis {
    double s;    /* m */
    double sign; /* n is sign times the axis: from B to A */
    int axis; /* 0..2: of A's faces, 3..5: of B's, 6 + 3 i + j: the i-th of A across the j-th of B
               */
} peg_box_axis;

/* How much farther an axis of edges must separate before a step than those of faces, in L: edges'
 * rows are wrong as soon as the bodies turn. Where bodies are, half of that. */
#define PEG_EDGE_BIAS 5e-3

/* edge_bias: by so much, in m, an axis of two edges must separate farther than those of faces to be
 * taken. Axes of edges parallel to 1e-6 are those of faces. */
void peg_box_separations(const peg_box *const *a, const peg_box *const *b, const double *edge_bias,
                         int n, peg_box_axis *out);

/* The box of a view whose shape is one. */
void peg_box_of_view(const peg_view *view, peg_box *box);

/* The unit vector n of an axis. */
void peg_box_axis_direction(const peg_box *a, const peg_box *b, const peg_box_axis *axis,
                            double n[3]);

/* s_n of a pair along a unit normal from B to A, m. */
double peg_box_separation_along(const peg_box *a, const peg_box *b, const double n[3]);

/* The same of one pair of any order along a plane's unit normal: the least n.x - offset of a box.
 */
double peg_box_above_plane(const peg_box *box, const double normal[3], double offset);

#endif
