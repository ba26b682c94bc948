/* Solids of the fuzzers: the geometry of a geom as the fuzzer made it, placed where ODE says, and
 * how far two of them are apart. Written for this purpose alone: a separation counts only with a
 * direction that proves it, so a mistake of the search can report an overlap that is none but never
 * hide one. */
#ifndef FUZZ_SOLID_H
#define FUZZ_SOLID_H

#include "tests/fuzz/vec.h"

#include <ode/ode.h>

typedef enum solid_kind {
    SOLID_HULL,     /* convex hull of points, thickened by a radius: sphere, capsule, polyhedron */
    SOLID_CYLINDER, /* flat, along its z axis */
    SOLID_PLANE,    /* half-space */
    SOLID_SHELL     /* triangles without interior */
} solid_kind;

typedef struct solid {
    solid_kind kind;
    dGeomID geom;
    int n;              /* points */
    vec *local, *point; /* of the hull or the shell; in the frame of the geom, and now */
    double radius;      /* of a hull, or of a cylinder */
    double half;        /* of a cylinder, m */
    int normals, edges, triangles;
    vec *normal; /* of the hull's faces, in the frame of the geom */
    int (*edge)[2], (*triangle)[3];
    void *owned[2]; /* arrays that ODE refers to as long as the geom lives */
    int closed;     /* the shell encloses a volume */
    double size;    /* the farthest point from the centre; a plane: 0 */
    /* where it is */
    vec centre, axis, low, high; /* a plane: normal = axis, its offset: level */
    double R[12], level;
} solid;

solid *solid_sphere(double radius);
solid *solid_capsule(double radius, double length);
solid *solid_cylinder(double radius, double length);
solid *solid_box(vec sides);
solid *solid_plane(void);
/* polygon: face by face, a count and so many indices, counterclockwise, as ODE's convex geoms. */
solid *solid_polyhedron(int n, const vec *point, int faces, const unsigned *polygon);
solid *solid_shell(int n, const vec *point, int triangles, const int (*triangle)[3], int closed);
void solid_free(solid *s);

/* Takes over the pose of the geom. */
void solid_place(solid *s);

/* Signed distance, m: positive a proven lower bound, negative the least depth that was found; the
 * search ends once `enough` is proven. Infinite for two planes or where the boxes are apart. */
double solid_separation(const solid *a, const solid *b, double enough);

/* How often the closed shell winds about p: 1 inside, 0 outside. */
double solid_winding(const solid *shell, vec p);

#endif
