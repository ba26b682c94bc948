/* Closed meshes: blocks, tori and balls of triangles, and how deep two of them are in each other,
 * by solid angles and distances that share no code with the library. */
#ifndef SOLID_MESH_H
#define SOLID_MESH_H

#include "plugin/ode-peg.h"

enum { SOLID_MOST = 600 };

typedef struct solid {
    int nv, nt;
    double vertex[SOLID_MOST][3], at[SOLID_MOST][3]; /* in its own frame and in the world */
    unsigned triangle[2 * SOLID_MOST][3];            /* normals look out */
    double radius;                                   /* of the sphere about it */
} solid;

/* About the origin; of a block: n x n squares on each side. */
void solid_block(solid *s, double a, double b, double c, int n);
void solid_torus(solid *s, double radius, double thick, int round, int across);
void solid_ball(solid *s, double radius, int round, int across);

/* Open: n x n squares about the origin, with hills of this height. */
void solid_sheet(solid *s, double width, double height, int n);

void solid_place(solid *s, const dReal *x, const dReal *R);
int solid_contains(const solid *s, const double *point);
/* Of what either has of its edges inside of the other: how far from the surface at most, m. */
double solid_depth(const solid *a, const solid *b);
/* Whether an edge of either passes through a triangle of the other one. */
int solid_crosses(const solid *a, const solid *b);

#endif
