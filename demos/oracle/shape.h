/* The lab's own description of shapes, for traces, measures and pictures. It shares no code with
 * the contact module, so that what it finds is a second opinion. */
#ifndef LAB_SHAPE_H
#define LAB_SHAPE_H

typedef enum lab_shape_kind {
    LAB_SHAPE_CONVEX,   /* polyhedron, half-space, point or segment; dilated by `round` */
    LAB_SHAPE_CYLINDER, /* flat ends: vertex[0], vertex[1] are their centres, `round` the radius */
    LAB_SHAPE_MESH      /* triangles; a solid if `closed`, else a sheet */
} lab_shape_kind;

/* A convex polyhedron (round = 0), the half-space normal[0] . x <= offset[0] (nv = 0, nf = 1), a
 * sphere (nv = 1, nf = 0; round = 0: a particle), a capsule (nv = 2, nf = 0: the centres of its
 * caps), a cylinder (nv = 2, nf = 0), or a mesh (faces are triangles). */
typedef struct lab_shape {
    lab_shape_kind kind;
    double round; /* m; see the kinds */
    int closed;   /* a mesh: every edge has two triangles, which run along it in opposite ways */
    int nv, nf;
    double (*vertex)[3];
    int *start, *index;  /* face f: index[start[f] .. start[f+1]), counter-clockwise from outside */
    double (*normal)[3]; /* outward unit; of a triangle without area 0 */
    double *offset;      /* normal . x on the face */
} lab_shape;

/* All return null if the memory is exhausted; the hull also if the points have no volume (thinner
 * than 1e-10 of their size) or are not finite, the mesh if an index is out of range. Free with
 * lab_shape_free. */
lab_shape *lab_shape_box(const double sides[3]);
lab_shape *lab_shape_hull(const double (*points)[3], int n);
lab_shape *lab_shape_half_space(const double normal[3], double offset);
lab_shape *lab_shape_point(void); /* at the origin: one vertex, no face */
lab_shape *lab_shape_sphere(double radius);
/* Along z about the origin; length: between the centres of the caps, or the ends. */
lab_shape *lab_shape_capsule(double radius, double length);
lab_shape *lab_shape_cylinder(double radius, double length);
lab_shape *lab_shape_mesh(const double (*vertices)[3], int nv, const int (*triangles)[3], int nt);
/* A convex polyhedron by its faces, counter-clockwise from outside: face f is
 * index[start[f] .. start[f + 1]). Null also if an index is out of range or a face has no area. */
lab_shape *lab_shape_polyhedron(const double (*vertices)[3], int nv, const int *start,
                                const int *index, int nf);
lab_shape *lab_shape_copy(const lab_shape *shape);
void lab_shape_free(lab_shape *shape);

/* out = shape moved by rotation R (row-major) and translation x; out is a copy of shape. */
void lab_shape_move(const lab_shape *shape, const double x[3], const double R[9], lab_shape *out);

/* The box along the axes that holds the shape; a half-space's is infinite. */
void lab_shape_bounds(const lab_shape *shape, double low[3], double high[3]);

/* Integrals of 1, x and x x^T over the volume (0 of sheets). */
typedef struct lab_moments {
    double volume, first[3], second[9];
} lab_moments;
void lab_shape_moments(const lab_shape *shape, lab_moments *out);
/* The same over the area of a mesh, times a thickness. */
void lab_shape_shell_moments(const lab_shape *mesh, double thickness, lab_moments *out);

/* Radius of a sphere about the mean of the vertices that holds the shape. */
double lab_shape_radius(const lab_shape *shape, double centre[3]);

#endif
