/* Nearest points of flat discs: the rims of cylinders. */
#ifndef PEG_DISC_H
#define PEG_DISC_H

#include "peg/base/math.h"

/* All points x with (x - centre) . axis = 0 and |x - centre| <= radius (>= 0). */
typedef struct peg_disc {
    const double *centre;
    double axis[3]; /* unit */
    double radius;
} peg_disc;

/* The point of a disc that is nearest to p. */
void peg_disc_nearest(const peg_disc *disc, const double p[3], double out[3]);

/* The nearest points of a disc and the line through x and y: on_disc, and (1 - t) x + t y, t is
 * returned. */
double peg_disc_line(const peg_disc *disc, const double x[3], const double y[3], double on_disc[3],
                     double on_line[3]);

/* Whether t may lie between 0 and 1: as the distance from a disc is convex, that is so if it falls
 * from x and from y. */
int peg_disc_is_between(const peg_disc *disc, const double x[3], const double y[3]);

/* The nearest points of two discs if they lie on both rims, else some points of the discs. */
void peg_disc_disc(const peg_disc *a, const peg_disc *b, double on_a[3], double on_b[3]);

#endif
