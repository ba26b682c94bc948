/* Clipping works on a bag of directed edges per face, with shared vertices: however roundoff
 * decides the side of a vertex, the pieces stay closed, so that a wrong decision moves the volume
 * by no more than roundoff. */
#include "demos/oracle/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* sine of the angle between two edges below which their common normal is left to the faces */
#define PARALLEL 1e-12

/* ---- separation ------------------------------------------------------------------------------ */

static void extent(const lab_shape *s, const double n[3], double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < s->nv; i++) {
        double d = peg_dot(n, s->vertex[i]);
        *low = fmin(*low, d), *high = fmax(*high, d);
    }
}

static double separation_along(const lab_shape *a, const lab_shape *b, const double n[3])
{
    double al, ah, bl, bh;
    extent(a, n, &al, &ah);
    extent(b, n, &bl, &bh);
    return fmax(al - bh, bl - ah);
}

/* Largest separation over b's face normals, a being on their outer side. */
static double separation_faces(const lab_shape *a, const lab_shape *b, double enough)
{
    double best = -INFINITY;
    for (int f = 0; f < b->nf && best <= enough; f++) {
        double low, high;
        extent(a, b->normal[f], &low, &high);
        best = fmax(best, low - b->offset[f]);
    }
    return best;
}

/* Direction of the edge that starts at corner c of face f; each edge once (from the face that runs
 * from the lower to the higher vertex). */
static int edge_at(const lab_shape *s, int f, int c, double e[3])
{
    int next = c + 1 < s->start[f + 1] ? c + 1 : s->start[f];
    int i = s->index[c], j = s->index[next];
    peg_sub(s->vertex[j], s->vertex[i], e);
    return i < j;
}

static double separation_edges(const lab_shape *a, const lab_shape *b, double best, double enough)
{
    for (int f = 0; f < a->nf; f++)
        for (int c = a->start[f]; c < a->start[f + 1]; c++) {
            double ea[3];
            if (!edge_at(a, f, c, ea)) continue;
            for (int g = 0; g < b->nf; g++)
                for (int d = b->start[g]; d < b->start[g + 1]; d++) {
                    double eb[3], n[3];
                    if (!edge_at(b, g, d, eb)) continue;
                    peg_cross(ea, eb, n);
                    if (peg_norm(n) <= PARALLEL * peg_norm(ea) * peg_norm(eb)) continue;
                    peg_normalise(n);
                    best = fmax(best, separation_along(a, b, n));
                    if (best > enough) return best;
                }
        }
    return best;
}

/* Half-spaces included. */
static int is_polyhedron(const lab_shape *s)
{
    return s->kind == LAB_SHAPE_CONVEX && s->nf > 0 && s->round == 0;
}

double lab_separation_of(const lab_shape *a, const lab_tree *tree_a, const lab_shape *b,
                         const lab_tree *tree_b, double enough)
{
    if (!is_polyhedron(a) || !is_polyhedron(b)) return lab_distance(a, tree_a, b, tree_b, enough);
    if (a->nv == 0 && b->nv == 0) return INFINITY;
    if (b->nv == 0) return separation_faces(a, b, enough);
    if (a->nv == 0) return separation_faces(b, a, enough);
    double best = separation_faces(a, b, enough);
    if (best <= enough) best = fmax(best, separation_faces(b, a, enough));
    if (best <= enough) best = separation_edges(a, b, best, enough);
    return best;
}

double lab_separation(const lab_shape *a, const lab_shape *b, double enough)
{
    return lab_separation_of(a, NULL, b, NULL, enough);
}

/* ---- volume ---------------------------------------------------------------------------------- */

typedef struct edge {
    int face, from, to;
} edge;

/* A polyhedron that is being cut. The edges of a face stay next to each other. */
typedef struct piece {
    double (*vertex)[3];
    double *height; /* of the vertices over the cutting plane */
    int (*ends)[2]; /* of a vertex made by the last cut: the edge it lies on */
    int nv, vertex_room;
    edge *edges, *next; /* next: the list that a cut makes */
    int ne, edge_room;
    int faces;
} piece;

static int resize(void *array, size_t bytes)
{
    void **p = array;
    void *q = realloc(*p, bytes);
    if (q) *p = q;
    return q != NULL;
}

static int piece_room(piece *p, int vertices, int edges)
{
    if (vertices > p->vertex_room) {
        size_t room = 2 * (size_t)vertices;
        if (!resize(&p->vertex, room * sizeof *p->vertex)) return 0;
        if (!resize(&p->height, room * sizeof *p->height)) return 0;
        if (!resize(&p->ends, room * sizeof *p->ends)) return 0;
        p->vertex_room = (int)room;
    }
    if (edges > p->edge_room) {
        size_t room = 2 * (size_t)edges;
        if (!resize(&p->edges, room * sizeof *p->edges)) return 0;
        if (!resize(&p->next, room * sizeof *p->next)) return 0;
        p->edge_room = (int)room;
    }
    return 1;
}

static void piece_free(piece *p)
{
    free(p->vertex);
    free(p->height);
    free(p->ends);
    free(p->edges);
    free(p->next);
}

static int piece_from(piece *p, const lab_shape *s)
{
    if (!piece_room(p, s->nv, s->start[s->nf])) return 0;
    memcpy(p->vertex, s->vertex, (size_t)s->nv * sizeof *p->vertex);
    p->nv = s->nv, p->faces = s->nf;
    for (int f = 0; f < s->nf; f++)
        for (int c = s->start[f]; c < s->start[f + 1]; c++) {
            int next = c + 1 < s->start[f + 1] ? c + 1 : s->start[f];
            p->edges[p->ne++] = (edge){f, s->index[c], s->index[next]};
        }
    return 1;
}

/* Vertex where the edge between a vertex below and one above meets the plane; both directions of
 * the edge get the same one. `first`: the first vertex of this cut. */
static int crossing(piece *p, int below, int above, int first)
{
    for (int i = first; i < p->nv; i++) {
        if (p->ends[i][0] == below && p->ends[i][1] == above) return i;
    }
    double t = p->height[below] / (p->height[below] - p->height[above]);
    for (int k = 0; k < 3; k++) {
        double x = p->vertex[below][k];
        p->vertex[p->nv][k] = x + t * (p->vertex[above][k] - x);
    }
    p->ends[p->nv][0] = below, p->ends[p->nv][1] = above;
    return p->nv++;
}

/* Cuts the edges from i on that belong to one face, joins its loose ends, and puts the joints also,
 * reversed, into `cap`. Returns where the next face begins. */
static int cut_face(piece *p, int i, int first, int *total, edge *cap, int *caps)
{
    int face = p->edges[i].face, outs = 0, ins = 0;
    edge *joint = cap + *caps;
    for (; i < p->ne && p->edges[i].face == face; i++) {
        edge e = p->edges[i];
        int from_below = p->height[e.from] < 0, to_below = p->height[e.to] < 0;
        if (!from_below && !to_below) continue;
        if (!to_below) e.to = joint[outs++].to = crossing(p, e.from, e.to, first);
        if (!from_below) e.from = joint[ins++].from = crossing(p, e.to, e.from, first);
        p->next[(*total)++] = e;
    }
    for (int k = 0; k < outs; k++) {
        joint[k].face = p->faces;
        p->next[(*total)++] = (edge){face, joint[k].to, joint[k].from};
    }
    *caps += outs;
    return i;
}

/* Cuts away what lies above the plane. */
static int cut(piece *p, const double n[3], double offset)
{
    int above = 0, first = p->nv, total = 0, caps = 0;
    if (!piece_room(p, p->nv + p->ne, 4 * p->ne)) return 0;
    for (int i = 0; i < p->nv; i++) {
        p->height[i] = peg_dot(n, p->vertex[i]) - offset;
        above |= p->height[i] >= 0;
    }
    if (!above) return 1;
    edge *cap = p->next + 3 * p->ne; /* at most one joint per edge, kept edges and joints before */
    for (int i = 0; i < p->ne;) i = cut_face(p, i, first, &total, cap, &caps);
    memmove(p->next + total, cap, (size_t)caps * sizeof *cap);
    edge *done = p->edges;
    p->edges = p->next, p->next = done;
    p->ne = total + caps;
    p->faces++;
    return 1;
}

/* Volume inside the faces: the cones from one of the vertices over each face, each a fan of
 * triangles about the face's first vertex. */
static double piece_volume(const piece *p)
{
    if (p->ne == 0) return 0;
    const double *origin = p->vertex[p->edges[0].from];
    double six = 0;
    for (int i = 0, fan = 0; i < p->ne; i++) {
        if (p->edges[i].face != p->edges[fan].face) fan = i;
        double a[3], b[3], c[3], n[3];
        peg_sub(p->vertex[p->edges[fan].from], origin, a);
        peg_sub(p->vertex[p->edges[i].from], origin, b);
        peg_sub(p->vertex[p->edges[i].to], origin, c);
        peg_cross(b, c, n);
        six += peg_dot(a, n);
    }
    return fmax(0, six / 6);
}

static double ball_radius(const lab_shape *s)
{
    double centre[3];
    if (s->nv == 0) return INFINITY;
    return s->round > 0 ? s->round : lab_shape_radius(s, centre);
}

static double cap_volume(const lab_shape *a, const lab_shape *b, double depth)
{
    double radius = fmin(ball_radius(a), ball_radius(b)), d = fmin(depth, 2 * radius);
    return acos(-1) * d * d * (radius - d / 3);
}

double lab_overlap_volume(const lab_shape *a, const lab_shape *b)
{
    double depth = -lab_separation(a, b, 0);
    if (!(depth > 0)) return 0;
    if (!is_polyhedron(a) || !is_polyhedron(b)) return cap_volume(a, b, depth);
    if (a->nv == 0) {
        const lab_shape *swap = a;
        a = b, b = swap;
    }
    piece p = {0};
    int whole = piece_from(&p, a);
    for (int f = 0; whole && f < b->nf; f++) whole = cut(&p, b->normal[f], b->offset[f]);
    double volume = whole ? piece_volume(&p) : -1;
    piece_free(&p);
    return volume;
}
