/* Convex hull of a point cloud with libqhull_r.
 *
 * qhull runs on points moved and scaled into the unit box, so that its tolerances are relative. It
 * writes to a sink in memory, and its error exits are longjmps that end in qh_new_qhull: whatever
 * happens becomes a status. After the run its structures are only read, never through functions
 * that could exit. */
#include <stdio.h>
#include <libqhull_r/libqhull_r.h>

#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"
#include "peg/shape/polytope.h"

static const double WELD = 1e-9; /* of the size: points closer than this are one */

/* Reads qhull's facets as polygons of point numbers. A simplicial facet is a triangle in the order
 * of its vertex set, reversed if its orientation says so; a merged facet has a ridge per edge,
 * which runs from the first vertex to the second as seen from its top facet. 0 if memory ran out;
 * -1 if a facet's ridges do not form one loop. */
static int read_facets(qhT *qh, peg_polygon_mesh *mesh, peg_arena *arena)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    ridgeT *ridge, **ridgep;
    int nf = 0, corners = 0;
    FORALLfacets
    {
        nf++;
        if (facet->simplicial) {
            corners += 3;
        } else {
            FOREACHridge_(facet->ridges) corners++;
        }
    }
    mesh->nf = nf;
    mesh->start = PEG_NEW(arena, int, nf + 1);
    mesh->corner = PEG_NEW(arena, int, corners);
    int *next = PEG_NEW(arena, int, mesh->nv);
    if (!mesh->start || !mesh->corner || !next) return 0;
    for (int v = 0; v < mesh->nv; v++) next[v] = -1;

    int f = 0, used = 0;
    FORALLfacets
    {
        mesh->start[f++] = used;
        int n = 0, *corner = mesh->corner + used;
        if (facet->simplicial) {
            FOREACHvertex_(facet->vertices) corner[n++] = qh_pointid(qh, vertex->point);
            if (!facet->toporient) {
                int swap = corner[0];
                corner[0] = corner[2], corner[2] = swap;
            }
        } else {
            int ridges = 0, first = -1;
            FOREACHridge_(facet->ridges)
            {
                vertexT *a = (vertexT *)ridge->vertices->e[0].p;
                vertexT *b = (vertexT *)ridge->vertices->e[1].p;
                int tail = qh_pointid(qh, ridge->top == facet ? a->point : b->point);
                int head = qh_pointid(qh, ridge->top == facet ? b->point : a->point);
                next[tail] = head;
                if (ridges++ == 0) first = tail;
            }
            int v = first;
            for (; v >= 0 && n < ridges && (n == 0 || v != first); v = next[v]) corner[n++] = v;
            if (n < 3 || n != ridges || v != first) return -1;
        }
        used += n;
    }
    mesh->start[nf] = used;
    return 1;
}

/* qhull orients all facets alike, but not always outwards. */
static void orient_outward(peg_polygon_mesh *m)
{
    if (peg_polygon_mesh_volume(m) >= 0) return;
    for (int f = 0; f < m->nf; f++)
        for (int i = m->start[f], j = m->start[f + 1] - 1; i < j; i++, j--) {
            int swap = m->corner[i];
            m->corner[i] = m->corner[j], m->corner[j] = swap;
        }
}

/* Runs qhull on the mesh's vertices, scaled to the unit box, and reads the surface. */
static pegStatus run_qhull(double *scaled, peg_polygon_mesh *mesh, peg_arena *arena)
{
    char messages[512], options[] = "qhull";
    FILE *sink = fmemopen(messages, sizeof messages, "w");
    qhT *qh = peg_alloc_zero(1, sizeof *qh);
    pegStatus status = PEG_ERROR_MEMORY;
    if (sink && qh) {
        qh_zero(qh, sink);
        int code = qh_new_qhull(qh, 3, mesh->nv, scaled, 0, options, NULL, sink);
        if (code == 0) {
            int read = read_facets(qh, mesh, arena);
            status = read == 0 ? PEG_ERROR_MEMORY : read < 0 ? PEG_ERROR_SHAPE_EMPTY : PEG_OK;
        } else if (code != qh_ERRmem) {
            status = PEG_ERROR_SHAPE_EMPTY;
        }
        int kept, pieces;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &kept, &pieces);
    }
    peg_free(qh);
    if (sink) fclose(sink);
    return status;
}

static pegStatus hull(const double (*points)[3], int n, double size, peg_arena *arena,
                      peg_polytope **out)
{
    const int *same =
        peg_points_weld(points, n, WELD * size + peg_points_rounding(points, n), arena);
    double *scaled = PEG_NEW(arena, double, 3 * (size_t)n);
    peg_vec3 *vertex = PEG_NEW(arena, peg_vec3, n);
    if (!same || !scaled || !vertex) return PEG_ERROR_MEMORY;
    peg_polygon_mesh mesh = {.vertex = (const peg_vec3 *)vertex};
    for (int i = 0; i < n; i++) {
        if (same[i] != i) continue;
        for (int k = 0; k < 3; k++) scaled[3 * mesh.nv + k] = (points[i][k] - points[0][k]) / size;
        peg_copy3(points[i], vertex[mesh.nv++]);
    }
    if (mesh.nv < 4) return PEG_ERROR_SHAPE_EMPTY;
    pegStatus status = run_qhull(scaled, &mesh, arena);
    if (status != PEG_OK) return status;
    orient_outward(&mesh);
    return peg_polygon_mesh_to_polytope(&mesh, arena, out);
}

pegStatus peg_polytope_from_points(const double (*points)[3], int n, peg_polytope **out)
{
    if (!out) return PEG_ERROR_ARGUMENT;
    *out = NULL;
    if (!points || n < 0) return PEG_ERROR_ARGUMENT;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(points[i][k])) return PEG_ERROR_NOT_FINITE;
    if (n < 4) return PEG_ERROR_SHAPE_EMPTY;

    double size = peg_points_size(points, n);
    pegStatus status = peg_size_check(size);
    if (status != PEG_OK) return status;
    peg_arena arena = {0};
    status = hull(points, n, size, &arena, out);
    peg_arena_free(&arena);
    return status;
}
