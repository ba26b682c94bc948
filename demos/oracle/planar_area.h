/* Overlap of convex polygons of the plane, measured without the contact module: area by clipping
 * one polygon with the sides of the other, depth by the separating-axis test. Points are given
 * counter-clockwise; a single point is a particle. */
#ifndef LAB_PLANAR_AREA_H
#define LAB_PLANAR_AREA_H

#define POLYGON_POINTS 64

typedef struct planar_polygon {
    double point[POLYGON_POINTS][2];
    int n;
} planar_polygon;

/* Largest separation over all sides: negative = depth of the overlap, else a lower bound of the
 * distance. Two particles: infinity. */
double planar_separation(const planar_polygon *a, const planar_polygon *b);
/* 0 if they are separated or touch. */
double planar_overlap(const planar_polygon *a, const planar_polygon *b);
double planar_polygon_area(const planar_polygon *p);

#endif
