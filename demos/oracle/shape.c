/* Shapes: boxes, hulls of few points, round shapes, meshes, and their moments. */
#include "demos/oracle/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* Points nearer to a plane than this part of the cloud's size lie in it. */
#define COPLANAR 1e-10

void lab_shape_free(lab_shape *shape)
{
    if (!shape) return;
    free(shape->vertex);
    free(shape->start);
    free(shape->index);
    free(shape->normal);
    free(shape->offset);
    free(shape);
}

static lab_shape *shape_new(int nv, int nf, int corners)
{
    lab_shape *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->nv = nv, s->nf = nf;
    s->vertex = calloc((size_t)nv + 1, sizeof *s->vertex);
    s->start = calloc((size_t)nf + 1, sizeof *s->start);
    s->index = calloc((size_t)corners + 1, sizeof *s->index);
    s->normal = calloc((size_t)nf + 1, sizeof *s->normal);
    s->offset = calloc((size_t)nf + 1, sizeof *s->offset);
    if (s->vertex && s->start && s->index && s->normal && s->offset) return s;
    lab_shape_free(s);
    return NULL;
}

lab_shape *lab_shape_copy(const lab_shape *shape)
{
    lab_shape *s = shape_new(shape->nv, shape->nf, shape->start[shape->nf]);
    if (!s) return NULL;
    s->kind = shape->kind, s->round = shape->round, s->closed = shape->closed;
    memcpy(s->vertex, shape->vertex, (size_t)shape->nv * sizeof *s->vertex);
    memcpy(s->start, shape->start, ((size_t)shape->nf + 1) * sizeof *s->start);
    memcpy(s->index, shape->index, (size_t)shape->start[shape->nf] * sizeof *s->index);
    memcpy(s->normal, shape->normal, (size_t)shape->nf * sizeof *s->normal);
    memcpy(s->offset, shape->offset, (size_t)shape->nf * sizeof *s->offset);
    return s;
}

/* Normals and offsets of the faces. */
static void set_planes(lab_shape *s)
{
    for (int f = 0; f < s->nf; f++) {
        const double *o = s->vertex[s->index[s->start[f]]];
        double sum[3] = {0, 0, 0};
        for (int c = s->start[f] + 1; c + 1 < s->start[f + 1]; c++) {
            double a[3], b[3], n[3];
            peg_sub(s->vertex[s->index[c]], o, a);
            peg_sub(s->vertex[s->index[c + 1]], o, b);
            peg_cross(a, b, n);
            peg_add_scaled(sum, 1, n, sum);
        }
        peg_normalise(sum);
        peg_copy3(sum, s->normal[f]);
        s->offset[f] = peg_dot(sum, o);
    }
}

lab_shape *lab_shape_box(const double sides[3])
{
    lab_shape *s = shape_new(8, 6, 24);
    if (!s) return NULL;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) s->vertex[i][k] = (i >> k & 1 ? .5 : -.5) * sides[k];
    for (int f = 0; f < 6; f++) {
        /* the face at the low or high end of axis k; a, b are the other axes, in cyclic order */
        int k = f / 2, high = f % 2, a = (k + 1) % 3, b = (k + 2) % 3;
        int corner[4] = {0, 1 << a, 1 << a | 1 << b, 1 << b};
        s->start[f + 1] = 4 * (f + 1);
        for (int c = 0; c < 4; c++) {
            s->index[4 * f + c] = corner[high ? c : 3 - c] | high << k;
        }
        s->normal[f][k] = high ? 1 : -1;
        s->offset[f] = .5 * sides[k];
    }
    return s;
}

lab_shape *lab_shape_polyhedron(const double (*vertices)[3], int nv, const int *start,
                                const int *index, int nf)
{
    lab_shape *s = shape_new(nv, nf, start[nf]);
    if (!s) return NULL;
    memcpy(s->vertex, vertices, (size_t)nv * sizeof *s->vertex);
    memcpy(s->start, start, ((size_t)nf + 1) * sizeof *s->start);
    memcpy(s->index, index, (size_t)start[nf] * sizeof *s->index);
    int valid = nv >= 4 && nf >= 4;
    for (int i = 0; i < start[nf]; i++) valid &= index[i] >= 0 && index[i] < nv;
    if (valid) set_planes(s);
    for (int f = 0; f < nf && valid; f++) valid = peg_norm(s->normal[f]) > .5;
    if (valid) return s;
    lab_shape_free(s);
    return NULL;
}

lab_shape *lab_shape_point(void)
{
    return shape_new(1, 0, 0);
}

lab_shape *lab_shape_sphere(double radius)
{
    lab_shape *s = lab_shape_point();
    if (s) s->round = radius;
    return s;
}

lab_shape *lab_shape_capsule(double radius, double length)
{
    lab_shape *s = shape_new(2, 0, 0);
    if (!s) return NULL;
    s->vertex[0][2] = -.5 * length, s->vertex[1][2] = .5 * length;
    s->round = radius;
    return s;
}

lab_shape *lab_shape_cylinder(double radius, double length)
{
    lab_shape *s = lab_shape_capsule(radius, length);
    if (s) s->kind = LAB_SHAPE_CYLINDER;
    return s;
}

lab_shape *lab_shape_half_space(const double normal[3], double offset)
{
    double length = peg_norm(normal);
    if (!(length > 0) || !isfinite(length) || !isfinite(offset)) return NULL;
    lab_shape *s = shape_new(0, 1, 0);
    if (!s) return NULL;
    for (int k = 0; k < 3; k++) s->normal[0][k] = normal[k] / length;
    s->offset[0] = offset / length;
    return s;
}

/* ---- convex hull: every plane through three points that has all others on one side ---------- */

typedef struct hull {
    const double (*p)[3];
    int n;
    double size;
    unsigned char *face; /* faces found, n flags each: the points in its plane */
    int faces, room;
    int *corner; /* their polygons, one after the other */
    int *start;
    int corners, corner_room;
} hull;

static double side_of(const hull *h, const double n[3], int i, int j)
{
    double d[3];
    peg_sub(h->p[j], h->p[i], d);
    return peg_dot(n, d);
}

/* Outward unit normal of the plane through i, j, k if it supports the hull. */
static int supporting(const hull *h, int i, int j, int k, double n[3])
{
    double a[3], b[3];
    peg_sub(h->p[j], h->p[i], a);
    peg_sub(h->p[k], h->p[i], b);
    peg_cross(a, b, n);
    if (!(peg_norm(n) > COPLANAR * peg_norm(a) * peg_norm(b))) return 0;
    peg_normalise(n);
    int above = 0, below = 0;
    for (int m = 0; m < h->n && !(above && below); m++) {
        double s = side_of(h, n, i, m);
        above |= s > COPLANAR * h->size, below |= s < -COPLANAR * h->size;
    }
    if (above == below) return 0;
    if (above) n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
    return 1;
}

static int grow(void **array, size_t size, int *room, int needed)
{
    if (needed <= *room) return 1;
    int more = 2 * needed + 16;
    void *p = realloc(*array, (size_t)more * size);
    if (!p) return 0;
    *array = p, *room = more;
    return 1;
}

/* Polygon of the flagged points: wraps around them in the plane (normal n), counter-clockwise. */
static int wrap_face(hull *h, const unsigned char *in, const double n[3])
{
    int first = -1, from = h->corners;
    double low = INFINITY, u[3], w[3] = {fabs(n[0]) < .5, fabs(n[0]) >= .5, 0};
    peg_cross(n, w, u);
    for (int m = 0; m < h->n; m++) {
        if (in[m] && peg_dot(u, h->p[m]) < low) low = peg_dot(u, h->p[m]), first = m;
    }
    int at = first;
    do {
        if (h->corners - from > h->n) return 0;
        if (!grow((void **)&h->corner, sizeof *h->corner, &h->corner_room, h->corners + 1))
            return 0;
        h->corner[h->corners++] = at;
        int next = -1;
        double to[3] = {0, 0, 0};
        for (int m = 0; m < h->n; m++) { /* the point with all others on the left */
            double d[3], c[3];
            peg_sub(h->p[m], h->p[at], d);
            if (!in[m] || m == at || peg_norm(d) <= COPLANAR * h->size) continue;
            peg_cross(to, d, c);
            double turn = peg_dot(c, n), near_line = COPLANAR * peg_norm(to) * peg_norm(d);
            int farther =
                fabs(turn) <= near_line && peg_dot(to, d) > 0 && peg_norm(d) > peg_norm(to);
            if (next < 0 || turn < -near_line || farther) next = m, peg_copy3(d, to);
        }
        at = next;
    } while (at != first && at >= 0);
    h->start[h->faces] = h->corners;
    return h->corners - from >= 3;
}

static int hull_has(const hull *h, int i, int j, int k)
{
    for (int f = 0; f < h->faces; f++) {
        const unsigned char *in = h->face + (size_t)f * (size_t)h->n;
        if (in[i] && in[j] && in[k]) return 1;
    }
    return 0;
}

static int hull_faces(hull *h)
{
    int start_room = 0;
    for (int i = 0; i < h->n; i++)
        for (int j = i + 1; j < h->n; j++)
            for (int k = j + 1; k < h->n; k++) {
                double n[3];
                if (!supporting(h, i, j, k, n) || hull_has(h, i, j, k)) continue;
                size_t row = (size_t)h->n;
                if (!grow((void **)&h->face, row, &h->room, h->faces + 1)) return 0;
                if (!grow((void **)&h->start, sizeof *h->start, &start_room, h->faces + 2))
                    return 0;
                unsigned char *in = h->face + (size_t)h->faces * row;
                for (int m = 0; m < h->n; m++)
                    in[m] = fabs(side_of(h, n, i, m)) <= COPLANAR * h->size;
                h->start[h->faces++] = h->corners;
                if (!wrap_face(h, in, n)) return 0;
            }
    return h->faces >= 4;
}

/* Shape of the found faces; points that are no corner are left out. */
static lab_shape *hull_shape(const hull *h)
{
    lab_shape *s = shape_new(h->n, h->faces, h->corners);
    int *rename = malloc((size_t)h->n * sizeof *rename);
    if (!s || !rename) {
        lab_shape_free(s);
        free(rename);
        return NULL;
    }
    s->nv = 0;
    for (int m = 0; m < h->n; m++) rename[m] = -1;
    for (int c = 0; c < h->corners; c++) {
        int m = h->corner[c];
        if (rename[m] < 0) {
            rename[m] = s->nv;
            peg_copy3(h->p[m], s->vertex[s->nv++]);
        }
        s->index[c] = rename[m];
    }
    memcpy(s->start, h->start, ((size_t)h->faces + 1) * sizeof *s->start);
    set_planes(s);
    free(rename);
    return s;
}

lab_shape *lab_shape_hull(const double (*points)[3], int n)
{
    if (n < 4) return NULL;
    hull h = {.p = points, .n = n};
    for (int i = 0; i < n; i++) {
        double d[3];
        peg_sub(points[i], points[0], d);
        if (!isfinite(peg_norm(d))) return NULL;
        h.size = fmax(h.size, peg_norm(d));
    }
    lab_shape *s = hull_faces(&h) ? hull_shape(&h) : NULL;
    free(h.face);
    free(h.corner);
    free(h.start);
    return s;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static int by_ends(const void *a, const void *b)
{
    const int *e = a, *f = b;
    return e[0] != f[0] ? (e[0] > f[0]) - (e[0] < f[0]) : (e[1] > f[1]) - (e[1] < f[1]);
}

/* Whether every directed edge occurs once, and its reverse, too. */
static int is_closed(const lab_shape *s, int (*edge)[2])
{
    int n = 3 * s->nf;
    for (int c = 0; c < n; c++) {
        edge[c][0] = s->index[c];
        edge[c][1] = s->index[c % 3 < 2 ? c + 1 : c - 2];
    }
    qsort(edge, (size_t)n, sizeof *edge, by_ends);
    for (int c = 0; c < n; c++) {
        int reverse[2] = {edge[c][1], edge[c][0]};
        if (c && !by_ends(edge[c - 1], edge[c])) return 0;
        if (!bsearch(reverse, edge, (size_t)n, sizeof *edge, by_ends)) return 0;
    }
    return n > 0;
}

lab_shape *lab_shape_mesh(const double (*vertices)[3], int nv, const int (*triangles)[3], int nt)
{
    if (nv < 3 || nt < 1) return NULL;
    lab_shape *s = shape_new(nv, nt, 3 * nt);
    int(*edge)[2] = malloc(3 * (size_t)nt * sizeof *edge);
    int good = s && edge;
    for (int i = 0; good && i < nv; i++) {
        peg_copy3(vertices[i], s->vertex[i]);
        good = isfinite(peg_norm(vertices[i]));
    }
    for (int c = 0; good && c < 3 * nt; c++) {
        int i = triangles[c / 3][c % 3];
        s->index[c] = i;
        s->start[c / 3 + 1] = 3 * (c / 3 + 1);
        good = i >= 0 && i < nv;
    }
    if (good) {
        s->kind = LAB_SHAPE_MESH;
        s->closed = is_closed(s, edge);
        set_planes(s);
    } else {
        lab_shape_free(s);
        s = NULL;
    }
    free(edge);
    return s;
}

/* ---- poses and moments ----------------------------------------------------------------------- */

void lab_shape_move(const lab_shape *shape, const double x[3], const double R[9], lab_shape *out)
{
    for (int i = 0; i < shape->nv; i++) {
        peg_rotate(R, shape->vertex[i], out->vertex[i]);
        peg_add_scaled(out->vertex[i], 1, x, out->vertex[i]);
    }
    for (int f = 0; f < shape->nf; f++) {
        peg_rotate(R, shape->normal[f], out->normal[f]);
        out->offset[f] = shape->offset[f] + peg_dot(out->normal[f], x);
    }
}

void lab_shape_bounds(const lab_shape *shape, double low[3], double high[3])
{
    double axis[3] = {0, 0, 0}, reach[3] = {shape->round, shape->round, shape->round};
    if (shape->kind == LAB_SHAPE_CYLINDER) { /* a disc reaches radius * sine of its tilt */
        peg_sub(shape->vertex[1], shape->vertex[0], axis);
        peg_normalise(axis);
        for (int k = 0; k < 3; k++) reach[k] *= sqrt(fmax(0, 1 - axis[k] * axis[k]));
    }
    for (int k = 0; k < 3; k++) {
        low[k] = shape->nv ? INFINITY : -INFINITY, high[k] = -low[k];
        for (int i = 0; i < shape->nv; i++) {
            low[k] = fmin(low[k], shape->vertex[i][k] - reach[k]);
            high[k] = fmax(high[k], shape->vertex[i][k] + reach[k]);
        }
    }
}

/* Spheres, capsules and cylinders in closed form: about the middle they have one moment along the
 * axis and one across. */
static void round_moments(const lab_shape *shape, lab_moments *out)
{
    const double *from = shape->vertex[0], *to = shape->vertex[shape->nv - 1];
    double axis[3], r = shape->round, pi = acos(-1), middle[3];
    peg_sub(to, from, axis);
    double l = peg_normalise(axis), tube = pi * r * r * l;
    double caps = shape->kind == LAB_SHAPE_CYLINDER ? 0 : 4 * pi * r * r * r / 3;
    double across = tube * r * r / 4 + caps * r * r / 5;
    double along = tube * l * l / 12 + caps * (l * l / 4 + 3 * l * r / 8 + r * r / 5);
    out->volume = tube + caps;
    for (int k = 0; k < 3; k++) {
        middle[k] = .5 * (from[k] + to[k]);
        out->first[k] = out->volume * middle[k];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->second[3 * i + j] = out->volume * middle[i] * middle[j] + (i == j) * across +
                                     (along - across) * axis[i] * axis[j];
}

void lab_shape_moments(const lab_shape *shape, lab_moments *out)
{
    *out = (lab_moments){0};
    if (shape->kind == LAB_SHAPE_MESH && !shape->closed) return;
    if (shape->nf == 0) round_moments(shape, out);
    for (int f = 0; f < shape->nf; f++)
        for (int c = shape->start[f] + 1; c + 1 < shape->start[f + 1]; c++) {
            /* tetrahedron of the origin and a triangle of the face */
            const double *p[3] = {shape->vertex[shape->index[shape->start[f]]],
                                  shape->vertex[shape->index[c]],
                                  shape->vertex[shape->index[c + 1]]};
            double bc[3], sum[3];
            peg_cross(p[1], p[2], bc);
            double det = peg_dot(p[0], bc);
            out->volume += det / 6;
            for (int k = 0; k < 3; k++) {
                sum[k] = p[0][k] + p[1][k] + p[2][k];
                out->first[k] += det / 24 * sum[k];
            }
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double own = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
                    out->second[3 * i + j] += det / 120 * (own + sum[i] * sum[j]);
                }
        }
}

void lab_shape_shell_moments(const lab_shape *mesh, double thickness, lab_moments *out)
{
    *out = (lab_moments){0};
    for (int f = 0; f < mesh->nf; f++) {
        const double *p[3];
        double u[3], v[3], c[3], sum[3];
        for (int k = 0; k < 3; k++) p[k] = mesh->vertex[mesh->index[mesh->start[f] + k]];
        peg_sub(p[1], p[0], u);
        peg_sub(p[2], p[0], v);
        peg_cross(u, v, c);
        double weight = thickness * peg_norm(c) / 2;
        out->volume += weight;
        for (int k = 0; k < 3; k++) {
            sum[k] = p[0][k] + p[1][k] + p[2][k];
            out->first[k] += weight / 3 * sum[k];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double own = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
                out->second[3 * i + j] += weight / 12 * (own + sum[i] * sum[j]);
            }
    }
}

double lab_shape_radius(const lab_shape *shape, double centre[3])
{
    double radius = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int i = 0; i < shape->nv; i++)
        peg_add_scaled(centre, 1. / shape->nv, shape->vertex[i], centre);
    for (int i = 0; i < shape->nv; i++) {
        double d[3];
        peg_sub(shape->vertex[i], centre, d);
        radius = fmax(radius, peg_norm(d));
    }
    return shape->kind == LAB_SHAPE_CYLINDER ? hypot(radius, shape->round) : radius + shape->round;
}
