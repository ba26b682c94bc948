/* The lab's own description of convex shapes, for traces, measures and pictures. It shares no code
 * with the contact module, so that what it finds is a second opinion. */
#ifndef LAB_SHAPE_H
#define LAB_SHAPE_H

/* A convex polyhedron, or the half-space normal[0] . x <= offset[0] (nv = 0, nf = 1). */
typedef struct lab_shape {
    int nv, nf;
    double (*vertex)[3];
    int *start, *index;  /* face f: index[start[f] .. start[f+1]), counter-clockwise from outside */
    double (*normal)[3]; /* outward unit */
    double *offset;      /* normal . x on the face */
} lab_shape;

/* All return null if the memory is exhausted; the hull also if the points have no volume (thinner
 * than 1e-10 of their size) or are not finite. Free with lab_shape_free. */
lab_shape *lab_shape_box(const double sides[3]);
lab_shape *lab_shape_hull(const double (*points)[3], int n);
lab_shape *lab_shape_half_space(const double normal[3], double offset);
lab_shape *lab_shape_point(void); /* at the origin: one vertex, no face */
lab_shape *lab_shape_copy(const lab_shape *shape);
void lab_shape_free(lab_shape *shape);

/* out = shape moved by rotation R (row-major) and translation x; out is a copy of shape. */
void lab_shape_move(const lab_shape *shape, const double x[3], const double R[9], lab_shape *out);

/* Integrals of 1, x and x x^T over the volume. */
typedef struct lab_moments {
    double volume, first[3], second[9];
} lab_moments;
void lab_shape_moments(const lab_shape *shape, lab_moments *out);

/* Radius of the sphere about the mean of the vertices. */
double lab_shape_radius(const lab_shape *shape, double centre[3]);

#endif
