/* Bodies of the papers' experiments: the authors' own sets where their files are at hand, otherwise
 * the same recipe with seeds of ours. The files are looked for in the folder that the environment
 * variable PEG_LAB_DATA names, else in the working folder. */
#ifndef LAB_BODY_SETS_H
#define LAB_BODY_SETS_H

#include <stdint.h>

#define BODY_SET_MAX  64
#define BODY_POINTS   32
#define HULLS_PER_SET 10
#define HULL_POINTS   32

/* A polygon of the box of polygons, about its centre of mass; SI units. */
typedef struct body_of_set {
    double point[BODY_POINTS][2];
    int points;
    double x[2], angle, v[2], mass, inertia;
} body_of_set;

typedef struct body_set {
    body_of_set body[BODY_SET_MAX];
    int count;
} body_set;

typedef struct hull_of_set {
    double point[HULL_POINTS][3], q[4];
    int points;
} hull_of_set;

/* How many sets of the authors there are (0 without their files). */
int body_sets_polygons(void);
int body_sets_hulls(void);

/* Set 1, 2, .. of the authors, or 0: 25 polygons by the recipe (hull of 10 centred uniform points
 * times .25, random rotation), from the seed. 0, or 1 if it cannot be read. */
int body_set_polygons(int set, uint64_t seed, body_set *out);
/* Ten hulls of 15 uniform points in the unit cube with a random orientation. */
int body_set_hulls(int set, uint64_t seed, hull_of_set out[HULLS_PER_SET]);

#endif
