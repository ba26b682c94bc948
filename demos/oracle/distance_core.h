/* Inside of the lab's distances: what is convex, as the functions that compare two of them see it.
 */
#ifndef LAB_DISTANCE_CORE_H
#define LAB_DISTANCE_CORE_H

#include "demos/oracle/distance.h"

/* A polyhedron, triangle, segment or point, or a cylinder, with a radius all round. */
typedef struct lab_core {
    int nv, nf, loops;
    const double (*vertex)[3]; /* of a cylinder: the centres of its ends */
    const int *start, *index;  /* polygons, of which the first nf are faces; the others are edges */
    const double (*normal)[3]; /* of the faces */
    double round;
    int is_cylinder;
    double centre[3], axis[3], half, radius; /* of a cylinder */
} lab_core;

/* A segment is the loop of its two ends, a point the loop of itself. */
typedef struct lab_edge {
    int loop, corner; /* start with {0, 0} */
    const double *from, *to;
} lab_edge;
/* The next edge, each once; 0 after the last. */
int lab_core_edge(const lab_core *core, lab_edge *edge);

lab_core lab_core_of(const lab_shape *shape); /* not of meshes and half-spaces */
lab_core lab_core_segment(const double ends[2][3]);

/* Lower and upper end along n. */
void lab_points_extent(const double (*vertex)[3], int n, const double dir[3], double *low,
                       double *high);
void lab_core_extent(const lab_core *core, const double n[3], double *low, double *high);
/* min n . a - max n . b, and the larger one of this and the same along -n. */
double lab_core_along(const lab_core *a, const lab_core *b, const double n[3]);
double lab_core_either(const lab_core *a, const lab_core *b, const double n[3]);

/* The common normal of two directions, to the last digit orthogonal to both also where they are
 * nearly parallel; 0 if they are parallel. */
int lab_common_normal(const double u[3], const double v[3], double n[3]);
/* Two unit vectors orthogonal to u and to each other. */
void lab_orthogonal(const double u[3], double e1[3], double e2[3]);

/* Least value of a function with one minimum between low and high; where it lies, to about the
 * root of the rounding. */
typedef double lab_function(const void *context, double x);
double lab_least(lab_function *f, const void *context, double low, double high, double *x);

/* s of two cores, or any number between `enough` and s if that is larger. */
double lab_core_distance(const lab_core *a, const lab_core *b, double enough);
/* The same of a pair of which the first is a cylinder, b one or not. */
double lab_distance_cylinder(const lab_core *cylinder, const lab_core *b, double enough);

/* s of a mesh and any shape but a half-space, or `enough` if that is less. */
double lab_distance_mesh(const lab_shape *mesh, const lab_tree *tree, const lab_shape *b,
                         const lab_tree *tree_b, double enough);

#endif
