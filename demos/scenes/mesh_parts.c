/* The parts that a mesh becomes: hulls, triangles, capsules and spheres. */
#include "demos/scenes/mesh_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demos/world/world.h"
#include "peg/base/math.h"

/* Whether p lies in the triangle a b c, or on its edges, as seen along n. */
static int is_inside(const double *a, const double *b, const double *c, const double *p,
                     const double n[3])
{
    const double *corner[4] = {a, b, c, a};
    for (int k = 0; k < 3; k++) {
        double edge[3], to[3], left[3];
        peg_sub(corner[k + 1], corner[k], edge);
        peg_sub(p, corner[k], to);
        peg_cross(edge, to, left);
        if (peg_dot(left, n) < 0) return 0;
    }
    return 1;
}

/* Whether corner i of the ring can be cut off: it is convex and no other corner lies in it. */
static int is_ear(const lab_mesh *m, const int *ring, int n, int i, const double normal[3])
{
    const double *a = m->vertex[ring[(i + n - 1) % n]], *b = m->vertex[ring[i]];
    const double *c = m->vertex[ring[(i + 1) % n]];
    double ab[3], bc[3], out[3];
    peg_sub(b, a, ab);
    peg_sub(c, b, bc);
    peg_cross(ab, bc, out);
    if (peg_dot(out, normal) <= 0) return 0;
    for (int k = i + 2; k < i + n - 1; k++)
        if (is_inside(a, b, c, m->vertex[ring[k % n]], normal)) return 0;
    return 1;
}

/* Cuts ears off the polygon; a corner that is none only where there are none (not simple). */
static int cut_polygon(const lab_mesh *m, int f, int *ring, int (*triangle)[3])
{
    double normal[3];
    int n = m->start[f + 1] - m->start[f], made = 0;
    lab_mesh_area(m, f, normal);
    memcpy(ring, m->index + m->start[f], (size_t)n * sizeof *ring);
    while (n >= 3) {
        int ear = 0;
        while (ear < n && n > 3 && !is_ear(m, ring, n, ear, normal)) ear++;
        if (ear == n) ear = 0;
        triangle[made][0] = ring[(ear + n - 1) % n];
        triangle[made][1] = ring[ear];
        triangle[made++][2] = ring[(ear + 1) % n];
        memmove(ring + ear, ring + ear + 1, (size_t)(n - ear - 1) * sizeof *ring);
        n--;
    }
    return made;
}

int (*lab_mesh_triangles(const lab_mesh *m))[3]
{
    size_t corners = (size_t)m->start[m->nf];
    int(*triangle)[3] = malloc(corners * sizeof *triangle), n = 0;
    int *ring = malloc(corners * sizeof *ring);
    double six = 0; /* times the volume */
    for (int f = 0; triangle && ring && f < m->nf; f++) n += cut_polygon(m, f, ring, triangle + n);
    for (int i = 0; i < n; i++) {
        double c[3];
        peg_cross(m->vertex[triangle[i][1]], m->vertex[triangle[i][2]], c);
        six += peg_dot(m->vertex[triangle[i][0]], c);
    }
    for (int i = 0; i < n && six < 0; i++) {
        int swap = triangle[i][1];
        triangle[i][1] = triangle[i][2], triangle[i][2] = swap;
    }
    if (!ring) free(triangle);
    int(*made)[3] = ring ? triangle : NULL;
    free(ring);
    return made;
}

static void add_triangles(lab_body *body, const lab_mesh *m)
{
    int(*triangle)[3] = lab_mesh_triangles(m), corners = m->start[m->nf];
    if (triangle)
        lab_trimesh(body, (const double(*)[3])m->vertex, m->nv, (const int(*)[3])triangle,
                    corners - 2 * m->nf, NULL, NULL);
    else
        lab_fail(body->world, "out of memory");
    free(triangle);
}

/* A capsule along an edge. */
static void add_edge(lab_body *body, const double a[3], const double b[3], double radius)
{
    double d[3], middle[3], q[4], length;
    peg_sub(b, a, d);
    for (int k = 0; k < 3; k++) middle[k] = .5 * (a[k] + b[k]);
    length = peg_normalise(d);
    double turn[4] = {1 + d[2], -d[1], d[0], 0}; /* from z to d */
    if (turn[0] < 1e-12) turn[0] = 0, turn[1] = 1, turn[2] = 0;
    lab_unit_quat(turn, q);
    lab_capsule(body, radius, length, middle, q);
}

void lab_mesh_parts(lab_body *body, const lab_mesh *m, lab_mesh_kind kind, double radius)
{
    if (!body) return;
    if (kind == LAB_MESH_CONVEX)
        lab_hull(body, (const double(*)[3])m->vertex, m->nv, NULL, NULL);
    else if (m->nf > 0)
        add_triangles(body, m);
    for (int e = 0; e < m->ne; e++)
        add_edge(body, m->vertex[m->edge[e][0]], m->vertex[m->edge[e][1]], radius);
    for (int i = 0; i < m->nv && m->nf == 0 && m->ne == 0; i++)
        lab_sphere(body, radius, m->vertex[i]);
}
