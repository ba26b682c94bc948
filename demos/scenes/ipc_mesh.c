/* OBJ files, and what kind of body a mesh bounds. */
#include "demos/scenes/ipc_mesh.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demos/oracle/shape.h"
#include "peg/base/math.h"

/* Mesh files carry six decimals: what lies this near to a plane, in parts of the size, is in it. */
#define FLAT           2e-6
#define POLYGON_MAX    256
#define LINE_MAX_CHARS 4096

static int complain(char text[LAB_TEXT], const char *what)
{
    snprintf(text, LAB_TEXT, "%s", what);
    return 1;
}

static int ensure(void *array, int *room, int needed, size_t size, char text[LAB_TEXT])
{
    void **p = array;
    if (needed <= *room) return 0;
    int more = 2 * needed + 16;
    void *q = realloc(*p, (size_t)more * size);
    if (!q) return complain(text, "out of memory");
    *p = q, *room = more;
    return 0;
}

void lab_mesh_free(lab_mesh *m)
{
    free(m->vertex);
    free(m->index);
    free(m->start);
    *m = (lab_mesh){0};
}

int lab_mesh_vertex(lab_mesh *m, const double x[3], char text[LAB_TEXT])
{
    if (!isfinite(x[0] + x[1] + x[2])) return complain(text, "a vertex is not finite");
    if (m->nv >= 1000000) return complain(text, "the mesh has more than a million vertices");
    if (ensure(&m->vertex, &m->vertex_room, m->nv + 1, sizeof *m->vertex, text)) return 1;
    peg_copy3(x, m->vertex[m->nv++]);
    return 0;
}

int lab_mesh_polygon(lab_mesh *m, const long *index, int n, char text[LAB_TEXT])
{
    if (n < 3) return complain(text, "a face has fewer than three vertices");
    if (m->nf >= 1000000) return complain(text, "the mesh has more than a million faces");
    if (ensure(&m->start, &m->start_room, m->nf + 2, sizeof *m->start, text)) return 1;
    if (m->nf == 0) m->start[0] = 0;
    int at = m->start[m->nf];
    if (ensure(&m->index, &m->index_room, at + n, sizeof *m->index, text)) return 1;
    for (int i = 0; i < n; i++) {
        if (index[i] < 0 || index[i] >= m->nv)
            return complain(text, "a face names a vertex that is not there");
        m->index[at + i] = (int)index[i];
    }
    m->start[++m->nf] = at + n;
    return 0;
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

static int read_vertex(lab_mesh *m, const char *at, char text[LAB_TEXT])
{
    double x[3];
    for (int k = 0; k < 3; k++) {
        char *end;
        x[k] = strtod(at, &end);
        if (end == at) return complain(text, "a 'v' line has fewer than three numbers");
        at = end;
    }
    return lab_mesh_vertex(m, x, text);
}

/* "f 1/2/3 4//5 6": the first of each group; negative ones count from the end. */
static int read_face(lab_mesh *m, const char *at, char text[LAB_TEXT])
{
    long index[POLYGON_MAX];
    int n = 0;
    for (;;) {
        char *end;
        while (isspace((unsigned char)*at)) at++;
        if (!*at || *at == '#') return lab_mesh_polygon(m, index, n, text);
        if (n == POLYGON_MAX) return complain(text, "a face has more than 256 vertices");
        long i = strtol(at, &end, 10);
        if (end == at) return complain(text, "an 'f' line holds something that is no number");
        index[n++] = i < 0 ? m->nv + i : i - 1;
        at = end + strcspn(end, " \t\r\n");
    }
}

int lab_mesh_read_obj(lab_mesh *m, const char *path, char text[LAB_TEXT])
{
    char line[LINE_MAX_CHARS];
    FILE *file = fopen(path, "r");
    if (!file) return complain(text, strerror(errno));
    int bad = 0;
    while (!bad && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t");
        int gap = at[0] && isspace((unsigned char)at[1]);
        if (at[0] == 'v' && gap)
            bad = read_vertex(m, at + 1, text);
        else if (at[0] == 'f' && gap)
            bad = read_face(m, at + 1, text);
        else if (at[0] == 'l' && gap)
            bad = complain(text, "it has loose edges ('l'), which have no volume");
    }
    if (!bad && ferror(file)) bad = complain(text, "it cannot be read");
    fclose(file);
    return bad;
}

/* ---- kind ------------------------------------------------------------------------------------ */

static double extent(const lab_mesh *m)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < m->nv; i++)
            low = fmin(low, m->vertex[i][k]), high = fmax(high, m->vertex[i][k]);
        size = fmax(size, high - low);
    }
    return size;
}

/* Used vertices first and once, in the order of the mesh. */
static int compact(lab_mesh *m, char text[LAB_TEXT])
{
    int *to = malloc(((size_t)m->nv + 1) * sizeof *to), kept = 0;
    if (!to) return complain(text, "out of memory");
    for (int i = 0; i < m->nv; i++) to[i] = -1;
    for (int c = 0; c < m->start[m->nf]; c++) to[m->index[c]] = 0;
    for (int i = 0; i < m->nv && kept <= LAB_MESH_VERTICES_MAX; i++) {
        if (to[i] < 0) continue;
        int same = 0;
        while (same < kept && memcmp(m->vertex[same], m->vertex[i], sizeof *m->vertex) != 0) same++;
        to[i] = same;
        if (same == kept) memmove(m->vertex[kept++], m->vertex[i], sizeof *m->vertex);
    }
    for (int c = 0; c < m->start[m->nf]; c++) m->index[c] = to[m->index[c]];
    free(to);
    if (kept > LAB_MESH_VERTICES_MAX) return complain(text, "it has more than 20000 vertices");
    m->nv = kept;
    return 0;
}

static int by_ends(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

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
    qsort(edge, (size_t)corners, sizeof *edge, by_ends);
    for (int c = 0; c < corners && closed; c++) {
        int back[2] = {edge[c][1], edge[c][0]};
        closed = bsearch(back, edge, (size_t)corners, sizeof *edge, by_ends) != NULL;
        if (c && by_ends(edge[c - 1], edge[c]) == 0) closed = 0;
    }
    free(edge);
    return closed;
}

/* Twice the area vector of a face. */
static void area_vector(const lab_mesh *m, int f, double out[3])
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
        area_vector(m, f, n);
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
        area_vector(m, f, n);
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
    *kind = LAB_MESH_SHELL;
    if (m->nf == 0) return complain(text, "it has no faces");
    if (compact(m, text)) return 1;
    double size = extent(m);
    int closed = is_closed(m);
    if (closed < 0) return complain(text, "out of memory");
    int is_small = m->nv <= LAB_HULL_VERTICES_MAX;
    if (closed)
        *kind = is_small && is_convex(m, size) ? LAB_MESH_CONVEX : LAB_MESH_SOLID;
    else if (is_small && is_sheet(m, size, normal))
        *kind = LAB_MESH_SHEET;
    return 0;
}

/* ---- triangles --------------------------------------------------------------------------------
 */

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
    area_vector(m, f, normal);
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
