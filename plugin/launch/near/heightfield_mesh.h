/* A part of a heightfield as a mesh of ODE's. */
#ifndef PEG_LAUNCH_HEIGHTFIELD_MESH_H
#define PEG_LAUNCH_HEIGHTFIELD_MESH_H

#include <ode/ode.h>

typedef struct peg_field_mesh {
    dGeomID geom;
    dTriMeshDataID data;
    float *vertex;
    dTriIndex *index;
} peg_field_mesh;

/* The cells of a registered heightfield that a box spans. 0: it is none, none of its cells, or no
 * memory; then there is nothing to free. */
int peg_field_mesh_make(dGeomID geom, const double box[6], peg_field_mesh *out);
void peg_field_mesh_free(peg_field_mesh *mesh);

#endif
