/* The part of a heightfield below a box, as a mesh of ODE's: ODE's own collision with heightfields
 * finds no contacts in some valleys, and none of bodies that come near. */
#include "ode_glue/read/geom.h"
#include "ode_glue/read/heightfield.h"
#include "plugin/launch/near/heightfield_mesh.h"
#include "plugin/launch/base/real_ode.h"

#include <limits.h>

/* Cells along a side: more are cut off. A body that small on a field so fine is on its way in. */
enum { CELLS = 64 };

/* Cells that a range of one coordinate, in the frame of the field, spans; 0: none. */
static int span(const peg_heightfield *f, int axis, double low, double high, int *from, int *to)
{
    double length = axis == 0 ? f->width : f->depth;
    int cells = (axis == 0 ? f->columns : f->rows) - 1;
    double first = floor((low / length + .5) * cells), last = ceil((high / length + .5) * cells);
    if (!f->wrap) {
        first = fmax(first, 0);
        last = fmin(last, cells);
    }
    if (!(first < last) || fabs(first) > INT_MAX / 2) return 0;
    *from = (int)first;
    *to = (int)fmin(last, first + CELLS);
    return 1;
}

/* The box in the frame of the geom: what of it lies along an axis. */
static void range_along(const double x[3], const double R[9], int axis, const double box[6],
                        double *low, double *high)
{
    *low = *high = 0;
    for (int k = 0; k < 3; k++) {
        double r = R[3 * k + axis], a = r * (box[2 * k] - x[k]), b = r * (box[2 * k + 1] - x[k]);
        *low += fmin(a, b);
        *high += fmax(a, b);
    }
}

static dTriMeshDataID build(const peg_triangle_mesh *cells, peg_field_mesh *out)
{
    out->vertex = peg_alloc((size_t)cells->nv * 3 * sizeof *out->vertex);
    out->index = peg_alloc((size_t)cells->nt * 3 * sizeof *out->index);
    if (!out->vertex || !out->index) return NULL;
    for (int i = 0; i < 3 * cells->nv; i++) out->vertex[i] = (float)cells->vertex[i / 3][i % 3];
    for (int i = 0; i < 3 * cells->nt; i++)
        out->index[i] = (dTriIndex)cells->triangle[i / 3][i % 3];
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(data, out->vertex, 3 * sizeof *out->vertex, cells->nv, out->index,
                                3 * cells->nt, 3 * sizeof *out->index);
    /* without face angles ODE aborts at a convex geom */
    dGeomTriMeshDataPreprocess2(data, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
    return data;
}

int peg_field_mesh_make(dGeomID geom, const double box[6], peg_field_mesh *out)
{
    dGeomID leaf = peg_geom_leaf(geom);
    unsigned long version;
    *out = (peg_field_mesh){0};
    if (dGeomGetClass(leaf) != dHeightfieldClass) return 0;
    const peg_heightfield *field =
        peg_heightfield_find(dGeomHeightfieldGetHeightfieldData(leaf), &version);
    double x[3], R[9], low, high;
    int from[2], to[2], all = field != NULL;
    peg_geom_pose(geom, x, R);
    for (int k = 0; k < 2 && all; k++) {
        range_along(x, R, 2 * k, box, &low, &high);
        all = span(field, k, low, high, &from[k], &to[k]);
    }
    peg_triangle_mesh *cells;
    if (!all || peg_heightfield_cells(field, from, to, &cells) != PEG_OK) return 0;
    out->data = build(cells, out);
    peg_triangle_mesh_free(cells);
    if (out->data) {
        dMatrix3 rotation = {0};
        for (int i = 0; i < 9; i++) rotation[4 * (i / 3) + i % 3] = R[i];
        out->geom = dCreateTriMesh(NULL, out->data, NULL, NULL, NULL);
        peg_ode->dGeomSetPosition(out->geom, x[0], x[1], x[2]);
        peg_ode->dGeomSetRotation(out->geom, rotation);
    }
    if (!out->geom) peg_field_mesh_free(out);
    return out->geom != NULL;
}

void peg_field_mesh_free(peg_field_mesh *mesh)
{
    if (mesh->geom) peg_ode->dGeomDestroy(mesh->geom);
    if (mesh->data) dGeomTriMeshDataDestroy(mesh->data);
    peg_free(mesh->vertex);
    peg_free(mesh->index);
    *mesh = (peg_field_mesh){0};
}
