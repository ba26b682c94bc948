/* Random numbers, shapes and poses for the geometry tests; the same ones at every run. */
#ifndef GEOMETRY_CASES_H
#define GEOMETRY_CASES_H

#include "peg/shape/polytope.h"

typedef struct cases_random {
    unsigned long long state;
} cases_random;

double cases_uniform(cases_random *r, double lo, double hi);
/* 10^x with x uniform */
double cases_magnitude(cases_random *r, double lo, double hi);
int cases_below(cases_random *r, int n);
void cases_direction(cases_random *r, double n[3]);
void cases_rotation(cases_random *r, double R[9]);
/* A rotation that takes the unit vector `from` to `to`, and turns by chance about it. */
void cases_rotation_between(cases_random *r, const double from[3], const double to[3], double R[9]);

/* Fills points with the corners of a box, prism, ball or sliver; returns their number, <= 14. */
int cases_shape(cases_random *r, double points[14][3]);

/* A view with arrays of its own; freed with cases_view_free. */
peg_view cases_view(const peg_polytope *p);
void cases_view_free(peg_view *view);

/* Distances of a point p from the segment ab, and of the segments ab and cd. */
double cases_point_segment_distance(const double *p, const double *a, const double *b);
double cases_segment_distance(const double *a, const double *b, const double *c, const double *d);

#endif
