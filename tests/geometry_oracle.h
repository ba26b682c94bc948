/* Convex geometry by brute force, to check peg/ against: no code shared with it. */
#ifndef GEOMETRY_ORACLE_H
#define GEOMETRY_ORACLE_H

enum { ORACLE_VERTICES = 24, ORACLE_PLANES = 64, ORACLE_EDGES = 96 };

/* Hull of a few points in general enough position: found by testing every triple of points. */
typedef struct oracle_shape {
    int nv, nf, ne;
    double v[ORACLE_VERTICES][3]; /* corners only */
    double n[ORACLE_PLANES][3];   /* outward unit normals */
    double d[ORACLE_PLANES];
    int e[ORACLE_EDGES][2];
} oracle_shape;

/* 0 if the arrays are too small for this hull. Points within flat of a plane lie in it. */
int oracle_hull(const double (*points)[3], int count, double flat, oracle_shape *out);

/* The shape turned by R and moved by x. */
void oracle_move(const oracle_shape *shape, const double x[3], const double R[9],
                 oracle_shape *out);

/* min over A of n.a less max over B of n.b */
double oracle_along(const oracle_shape *a, const oracle_shape *b, const double n[3]);

/* Largest separation over all face normals and all cross products of edges, both signs. */
double oracle_separation(const oracle_shape *a, const oracle_shape *b);

/* Least distance of a vertex to a face or of two edges: the distance of disjoint shapes. */
double oracle_distance(const oracle_shape *a, const oracle_shape *b);

#endif
