#include "ode_glue/read/trimesh.h"
#include "ode_glue/read/geom.h"
#include "peg/base/arena.h"

#include <limits.h>
#include <stdlib.h>

/* ODE's world coordinates of a corner and ours differ by rounding: this much, relative to the
 * coordinates. A change of the mesh in ODE's single precision is 1e8 times as large. */
static const double SAME_CORNER = 1e-14;

static void read_corners(dGeomID geom, int triangle, double corner[3][3])
{
    dVector3 v[3];
    dGeomTriMeshGetTriangle(geom, triangle, &v[0], &v[1], &v[2]);
    for (int k = 0; k < 3; k++) peg_copy3(v[k], corner[k]);
}

/* A corner of a triangle on its way to becoming one of the vertices. */
typedef struct corner {
    double x[3];
    int place; /* 3 triangle + corner */
} corner;

static int by_position(const void *left, const void *right)
{
    const corner *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->x[k] != b->x[k]) return a->x[k] < b->x[k] ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static pegStatus read_mesh(peg_trimesh *mesh)
{
    size_t n = 3 * (size_t)mesh->triangles;
    corner *of = peg_alloc(n * sizeof *of);
    double(*vertex)[3] = peg_alloc(n * sizeof *vertex);
    int(*triangle)[3] = peg_alloc(n * sizeof **triangle);
    pegStatus status = PEG_ERROR_MEMORY;
    if (of && vertex && triangle) {
        /* ODE tells the corners in world coordinates: exact for a geom at the origin */
        dGeomID unplaced = dCreateTriMesh(NULL, mesh->data, NULL, NULL, NULL);
        for (int i = 0; i < 3 * mesh->triangles; i += 3) {
            double x[3][3];
            read_corners(unplaced, i / 3, x);
            for (int k = 0; k < 3; k++) {
                of[i + k].place = i + k;
                peg_copy3(x[k], of[i + k].x);
            }
        }
        dGeomDestroy(unplaced);
        /* corners at the same place are one vertex: ODE does not tell the triangles' indices */
        int nv = 0;
        qsort(of, n, sizeof *of, by_position);
        for (int i = 0; i < (int)n; i++) {
            int same = nv > 0;
            for (int k = 0; k < 3 && same; k++) same = of[i].x[k] == vertex[nv - 1][k];
            if (!same) peg_copy3(of[i].x, vertex[nv++]);
            triangle[of[i].place / 3][of[i].place % 3] = nv - 1;
        }
        status = peg_triangle_mesh_create((const double(*)[3])vertex, nv, (const int(*)[3])triangle,
                                          mesh->triangles, 0, &mesh->triangle_mesh);
    }
    peg_free(of);
    peg_free(vertex);
    peg_free(triangle);
    return status;
}

pegStatus peg_trimesh_create(dGeomID geom, peg_trimesh **out)
{
    *out = NULL;
    int n = dGeomTriMeshGetTriangleCount(geom);
    if (n <= 0 || n > INT_MAX / 3) return PEG_ERROR_SHAPE_EMPTY;
    peg_trimesh *mesh = peg_alloc(sizeof *mesh);
    if (!mesh) return PEG_ERROR_MEMORY;
    *mesh = (peg_trimesh){.data = dGeomTriMeshGetData(geom), .triangles = n, .users = 1};
    pegStatus status = read_mesh(mesh);
    if (status == PEG_OK)
        *out = mesh;
    else
        peg_free(mesh);
    return status;
}

void peg_trimesh_leave(peg_trimesh *mesh)
{
    if (!mesh || --mesh->users) return;
    peg_triangle_mesh_free(mesh->triangle_mesh);
    peg_free(mesh);
}

static int has_triangle(const peg_triangle_mesh *triangle_mesh, int t, dGeomID geom,
                        const double x[3], const double R[9])
{
    double found[3][3], p[3];
    read_corners(geom, triangle_mesh->source[t], found);
    for (int k = 0; k < 3; k++) {
        const double *v = triangle_mesh->vertex[triangle_mesh->triangle[t][k]];
        double size = peg_norm(v) + peg_norm(x);
        peg_rotate(R, v, p);
        peg_add_scaled(p, 1, x, p);
        peg_sub(p, found[k], p);
        if (!(peg_norm(p) <= SAME_CORNER * size)) return 0;
    }
    return 1;
}

int peg_trimesh_is_of(const peg_trimesh *mesh, dGeomID geom, int count, unsigned long turn)
{
    const peg_triangle_mesh *triangle_mesh = mesh->triangle_mesh;
    if (mesh->data != dGeomTriMeshGetData(geom) ||
        mesh->triangles != dGeomTriMeshGetTriangleCount(geom))
        return 0;
    double x[3], R[9];
    peg_geom_pose(geom, x, R);
    if (count > triangle_mesh->nt) count = triangle_mesh->nt;
    for (int i = 0; i < count; i++) {
        size_t t = (size_t)i * (size_t)triangle_mesh->nt / (size_t)count + turn;
        if (!has_triangle(triangle_mesh, (int)(t % (size_t)triangle_mesh->nt), geom, x, R))
            return 0;
    }
    return 1;
}
