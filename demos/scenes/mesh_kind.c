/* What kind of body a mesh bounds, and its connected components. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/oracle/shape.h"
#include "demos/scenes/mesh_private.h"
#include "peg/base/math.h"

/* Mesh files carry six decimals: what lies this near to a plane, in parts of the size, is in it. */
#define FLAT 2e-6

/* Every directed edge is there once, and so is its reverse. -1: out of memory. */
static int is_closed(const lab_mesh *m)
{
    int corners = m->start[m->nf], closed = 1;
    int(*edge)[2] = malloc(((size_t)corners + 1) * sizeof *edge);
    if (!edge) return -1;
    for (int f = 0; f < m->nf; f++)
        for (int c = m->start[f]; c < m->start[f + 1]; c++) {
            edge[c][0] = m->index[c];
            edge[c][1] = m->index[c + 1 < m->start[f + 1] ? c + 1 : m->start[f]];
        }
    qsort(edge, (size_t)corners, sizeof *edge, lab_mesh_by_ends);
    for (int c = 0; c < corners && closed; c++) {
        int back[2] = {edge[c][1], edge[c][0]};
        closed = bsearch(back, edge, (size_t)corners, sizeof *edge, lab_mesh_by_ends) != NULL;
        if (c && lab_mesh_by_ends(edge[c - 1], edge[c]) == 0) closed = 0;
    }
    free(edge);
    return closed;
}

/* Twice the area vector of a face. */
void lab_mesh_area(const lab_mesh *m, int f, double out[3])
{
    const double *o = m->vertex[m->index[m->start[f]]];
    out[0] = out[1] = out[2] = 0;
    for (int c = m->start[f] + 1; c + 1 < m->start[f + 1]; c++) {
        double a[3], b[3], n[3];
        peg_sub(m->vertex[m->index[c]], o, a);
        peg_sub(m->vertex[m->index[c + 1]], o, b);
        peg_cross(a, b, n);
        peg_add_scaled(out, 1, n, out);
    }
}

/* No vertex lies outside of any face; the faces may all be wound the wrong way round. */
static int is_convex(const lab_mesh *m, double size)
{
    int outside = 0, inside = 0;
    for (int f = 0; f < m->nf; f++) {
        double n[3];
        lab_mesh_area(m, f, n);
        if (peg_normalise(n) <= FLAT * FLAT * size * size) continue;
        for (int i = 0; i < m->nv; i++) {
            double d[3];
            peg_sub(m->vertex[i], m->vertex[m->index[m->start[f]]], d);
            outside |= peg_dot(n, d) > FLAT * size;
            inside |= peg_dot(n, d) < -FLAT * size;
        }
    }
    return inside != outside;
}

/* Flat, with all faces wound the same way, and as large as its hull. */
static int is_sheet(const lab_mesh *m, double size, double normal[3])
{
    double area = 0;
    normal[0] = normal[1] = normal[2] = 0;
    for (int f = 0; f < m->nf; f++) {
        double n[3];
        lab_mesh_area(m, f, n);
        area += peg_norm(n) / 2;
        peg_add_scaled(normal, .5, n, normal);
    }
    double net = peg_normalise(normal);
    if (!(net > FLAT * size * size) || net < (1 - FLAT) * area) return 0;
    for (int i = 0; i < m->nv; i++) {
        double d[3];
        peg_sub(m->vertex[i], m->vertex[0], d);
        if (fabs(peg_dot(normal, d)) > FLAT * size) return 0;
    }
    double(*slab)[3] = malloc(2 * (size_t)m->nv * sizeof *slab);
    if (!slab) return 0;
    for (int i = 0; i < m->nv; i++) {
        peg_copy3(m->vertex[i], slab[2 * i]);
        peg_add_scaled(m->vertex[i], -size, normal, slab[2 * i + 1]);
    }
    lab_shape *hull = lab_shape_hull((const double(*)[3])slab, 2 * m->nv);
    lab_moments moments = {0};
    if (hull) lab_shape_moments(hull, &moments);
    lab_shape_free(hull);
    free(slab);
    return moments.volume > 0 && moments.volume <= (1 + 1e-5) * area * size;
}

int lab_mesh_check(lab_mesh *m, lab_mesh_kind *kind, double normal[3], char text[LAB_TEXT])
{
    *kind = LAB_MESH_LOOSE;
    if (lab_mesh_clean(m, text)) return 1;
    if (m->nv == 0) return lab_mesh_error(text, "it has no vertices");
    if (m->nf == 0) return 0;
    double size = lab_mesh_extent(m);
    int closed = is_closed(m);
    if (closed < 0) return lab_mesh_error(text, "out of memory");
    int is_small = m->nv <= LAB_HULL_VERTICES_MAX && m->ne == 0;
    *kind = closed ? LAB_MESH_SOLID : LAB_MESH_SHELL;
    if (is_small && closed && is_convex(m, size)) *kind = LAB_MESH_CONVEX;
    if (is_small && !closed && is_sheet(m, size, normal)) *kind = LAB_MESH_SHEET;
    return 0;
}

/* ---- components ------------------------------------------------------------------------------ */

static int root_of(int *root, int i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static void unite(int *root, int i, int j)
{
    int a = root_of(root, i), b = root_of(root, j);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

/* The polygons and edges of one component, and points that are one. */
static int take_component(const lab_mesh *m, int *root, int which, lab_mesh *out,
                          char text[LAB_TEXT])
{
    int bad = 0;
    for (int i = 0; i < m->nv && !bad; i++) bad = lab_mesh_vertex(out, m->vertex[i], text);
    for (int f = 0; f < m->nf && !bad; f++) {
        int n = m->start[f + 1] - m->start[f];
        if (root_of(root, m->index[m->start[f]]) != which) continue;
        long *corner = malloc((size_t)n * sizeof *corner);
        if (!corner) return lab_mesh_error(text, "out of memory");
        for (int c = 0; c < n; c++) corner[c] = m->index[m->start[f] + c];
        bad = lab_mesh_polygon(out, corner, n, text);
        free(corner);
    }
    for (int e = 0; e < m->ne && !bad; e++)
        if (root_of(root, m->edge[e][0]) == which)
            bad = lab_mesh_edge(out, m->edge[e][0], m->edge[e][1], text);
    return bad;
}

int lab_mesh_split(const lab_mesh *m, lab_mesh **parts, int *count, char text[LAB_TEXT])
{
    int *root = malloc(((size_t)m->nv + 1) * sizeof *root), bad = !root;
    *count = 0, *parts = NULL;
    for (int i = 0; root && i < m->nv; i++) root[i] = i;
    for (int f = 0; root && f < m->nf; f++)
        for (int c = m->start[f]; c + 1 < m->start[f + 1]; c++)
            unite(root, m->index[c], m->index[c + 1]);
    for (int e = 0; root && e < m->ne; e++) unite(root, m->edge[e][0], m->edge[e][1]);
    for (int i = 0; i < m->nv && !bad; i++) {
        if (root_of(root, i) != i) continue;
        lab_mesh *more = realloc(*parts, ((size_t)*count + 1) * sizeof *more);
        if (more) *parts = more;
        bad = !more;
        if (bad) break;
        more[*count] = (lab_mesh){0};
        bad = take_component(m, root, i, &more[(*count)++], text);
    }
    free(root);
    return bad ? lab_mesh_error(text, "out of memory") : 0;
}
