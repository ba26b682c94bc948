/* Building a mesh, and cleaning it. */
#include "demos/scenes/mesh_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

int lab_mesh_error(char text[LAB_TEXT], const char *what)
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
    if (!q) return lab_mesh_error(text, "out of memory");
    *p = q, *room = more;
    return 0;
}

void lab_mesh_free(lab_mesh *m)
{
    free(m->vertex);
    free(m->index);
    free(m->start);
    free(m->edge);
    *m = (lab_mesh){0};
}

int lab_mesh_vertex(lab_mesh *m, const double x[3], char text[LAB_TEXT])
{
    if (!isfinite(x[0] + x[1] + x[2])) return lab_mesh_error(text, "a vertex is not finite");
    if (m->nv >= 1000000) return lab_mesh_error(text, "the mesh has more than a million vertices");
    if (ensure(&m->vertex, &m->vertex_room, m->nv + 1, sizeof *m->vertex, text)) return 1;
    peg_copy3(x, m->vertex[m->nv++]);
    return 0;
}

int lab_mesh_polygon(lab_mesh *m, const long *index, int n, char text[LAB_TEXT])
{
    if (n < 3) return lab_mesh_error(text, "a face has fewer than three vertices");
    if (m->nf >= 1000000) return lab_mesh_error(text, "the mesh has more than a million faces");
    if (ensure(&m->start, &m->start_room, m->nf + 2, sizeof *m->start, text)) return 1;
    if (m->nf == 0) m->start[0] = 0;
    int at = m->start[m->nf];
    if (ensure(&m->index, &m->index_room, at + n, sizeof *m->index, text)) return 1;
    for (int i = 0; i < n; i++) {
        if (index[i] < 0 || index[i] >= m->nv)
            return lab_mesh_error(text, "a face names a vertex that is not there");
        m->index[at + i] = (int)index[i];
    }
    m->start[++m->nf] = at + n;
    return 0;
}

int lab_mesh_edge(lab_mesh *m, long i, long j, char text[LAB_TEXT])
{
    if (i < 0 || j < 0 || i >= m->nv || j >= m->nv)
        return lab_mesh_error(text, "an edge names a vertex that is not there");
    if (m->ne >= 1000000) return lab_mesh_error(text, "the mesh has more than a million edges");
    if (ensure(&m->edge, &m->edge_room, m->ne + 1, sizeof *m->edge, text)) return 1;
    m->edge[m->ne][0] = (int)i, m->edge[m->ne++][1] = (int)j;
    return 0;
}

double lab_mesh_extent(const lab_mesh *m)
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

/* ---- cleaning -------------------------------------------------------------------------------- */

typedef struct place {
    double x[3];
    int i;
} place;

static int by_place(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->i > q->i) - (p->i < q->i);
}

/* to[i]: the first of the used vertices that are where i is; -1 of those that nothing uses. Returns
 * 0 without memory. */
static int find_equal(const lab_mesh *m, const unsigned char *used, int *to)
{
    place *p = malloc(((size_t)m->nv + 1) * sizeof *p);
    int n = 0;
    if (!p) return 0;
    for (int i = 0; i < m->nv; i++) {
        to[i] = -1;
        if (!used[i]) continue;
        peg_copy3(m->vertex[i], p[n].x);
        p[n++].i = i;
    }
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int k = 0, first = 0; k < n; k++) {
        if (k == 0 || memcmp(p[k].x, p[first].x, sizeof p->x) != 0) first = k;
        to[p[k].i] = p[first].i;
    }
    free(p);
    return 1;
}

/* Polygons without the corners that repeat the one before; those with fewer than three go. */
static void drop_degenerate(lab_mesh *m)
{
    int kept = 0, at = 0;
    for (int f = 0, from = 0; f < m->nf; f++) {
        int to = m->start[f + 1], begin = at;
        for (int c = from; c < to; c++)
            if (at == begin || m->index[at - 1] != m->index[c]) m->index[at++] = m->index[c];
        while (at > begin + 1 && m->index[at - 1] == m->index[begin]) at--;
        from = to;
        if (at - begin < 3)
            at = begin;
        else
            m->start[++kept] = at;
    }
    m->nf = kept;
}

int lab_mesh_by_ends(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Edges once each, without those of polygons. Returns 0 without memory. */
static int drop_edges(lab_mesh *m)
{
    size_t corners = m->nf ? (size_t)m->start[m->nf] : 0;
    int(*side)[2] = malloc((corners + 1) * sizeof *side), kept = 0, n = 0;
    if (!side) return 0;
    for (int f = 0; f < m->nf; f++)
        for (int c = m->start[f]; c < m->start[f + 1]; c++, n++) {
            int i = m->index[c], j = m->index[c + 1 < m->start[f + 1] ? c + 1 : m->start[f]];
            side[n][0] = i < j ? i : j, side[n][1] = i < j ? j : i;
        }
    qsort(side, (size_t)n, sizeof *side, lab_mesh_by_ends);
    for (int e = 0; e < m->ne; e++) {
        int i = m->edge[e][0], j = m->edge[e][1], pair[2] = {i < j ? i : j, i < j ? j : i};
        if (i == j || bsearch(pair, side, (size_t)n, sizeof *side, lab_mesh_by_ends)) continue;
        m->edge[kept][0] = pair[0], m->edge[kept++][1] = pair[1];
    }
    if (kept) qsort(m->edge, (size_t)kept, sizeof *m->edge, lab_mesh_by_ends);
    m->ne = 0;
    for (int e = 0; e < kept; e++)
        if (e == 0 || lab_mesh_by_ends(m->edge[e - 1], m->edge[e]) != 0)
            memmove(m->edge[m->ne++], m->edge[e], sizeof *m->edge);
    free(side);
    return 1;
}

static void renumber(lab_mesh *m, const int *to)
{
    for (int c = 0; m->nf && c < m->start[m->nf]; c++) m->index[c] = to[m->index[c]];
    for (int e = 0; e < m->ne; e++)
        for (int k = 0; k < 2; k++) m->edge[e][k] = to[m->edge[e][k]];
}

/* The first of each place moves to the front, in the order of the mesh. */
static void compact(lab_mesh *m, int *to)
{
    int kept = 0;
    for (int i = 0; i < m->nv; i++) {
        if (to[i] == i) {
            to[i] = kept;
            memmove(m->vertex[kept++], m->vertex[i], sizeof *m->vertex);
        } else if (to[i] >= 0) {
            to[i] = to[to[i]]; /* an earlier one, which has its number */
        }
    }
    m->nv = kept;
}

int lab_mesh_clean(lab_mesh *m, char text[LAB_TEXT])
{
    int *to = malloc(((size_t)m->nv + 1) * sizeof *to);
    unsigned char *used = calloc((size_t)m->nv + 1, 1);
    int only_points = m->nf == 0 && m->ne == 0, done = to && used;
    for (int i = 0; done && i < m->nv; i++) used[i] = (unsigned char)only_points;
    for (int c = 0; done && m->nf && c < m->start[m->nf]; c++) used[m->index[c]] = 1;
    for (int e = 0; done && e < m->ne; e++) used[m->edge[e][0]] = used[m->edge[e][1]] = 1;
    if (done) done = find_equal(m, used, to);
    if (done) {
        compact(m, to);
        renumber(m, to);
        drop_degenerate(m);
        done = drop_edges(m);
    }
    free(to);
    free(used);
    if (!done) return lab_mesh_error(text, "out of memory");
    return m->nv > LAB_MESH_VERTICES_MAX ? lab_mesh_error(text, "it has more than 500000 vertices")
                                         : 0;
}
