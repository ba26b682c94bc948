/* The matrix of geom classes: what each does on each. */
#ifndef LAB_MATRIX_GEOMS_H
#define LAB_MATRIX_GEOMS_H

#include "demos/scenes/geom_classes.h"

/* Twice the radius of the smallest body that has a volume (floors left out), m. */
double geoms_size(const lab_world *w);

typedef struct matrix_geoms_options {
    lab_contact contact;
    int drops; /* of each pair at each step size, with seeds 1, 2, .. */
    int jobs;  /* processes at a time */
    int a, b;  /* only these classes; negative: all */
    double h;  /* 0: .01 and .05 */
    const char *dir;
    int quiet;
} matrix_geoms_options;

/* Runs all drops and writes DIR/matrix-geoms-CONTACT.txt and .json. 0; 1: it could not run, or a
 * pair of an exact model overlaps, does not converge, misses a contact or fails. */
int lab_matrix_geoms(const matrix_geoms_options *options);

#endif
