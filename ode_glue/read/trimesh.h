/* The triangles of meshes, read back from ODE, which keeps them in single precision. */
#ifndef PEG_TRIMESH_H
#define PEG_TRIMESH_H

#include "peg/shape/triangle_mesh.h"
#include <ode/ode.h>

/* A mesh, shared by all geoms of a world that have its data. */
typedef struct peg_trimesh {
    peg_triangle_mesh *triangle_mesh;
    dTriMeshDataID data;
    int triangles; /* ODE's */
    int users;
    unsigned long compared; /* the collection in which this was done last */
    int holds;              /* the outcome */
} peg_trimesh;

/* Errors: NOT_FINITE, SHAPE_EMPTY (no triangle with an area), MEMORY. One user. */
pegStatus peg_trimesh_create(dGeomID geom, peg_trimesh **out);
void peg_trimesh_leave(peg_trimesh *mesh); /* the last user frees it */

/* Whether the geom still has these triangles: `count` of them are compared, spread over the mesh
 * from a place on that `turn` shifts, so that all are compared sooner or later. */
int peg_trimesh_is_of(const peg_trimesh *mesh, dGeomID geom, int count, unsigned long turn);

#endif
