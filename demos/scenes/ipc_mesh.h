/* Surface meshes of scene files: reading, and what kind of body they bound. */
#ifndef LAB_IPC_MESH_H
#define LAB_IPC_MESH_H

#include "demos/world/scene.h"

typedef struct lab_mesh {
    double (*vertex)[3];
    int *index, *start; /* polygon f: index[start[f] .. start[f+1]) */
    int nv, nf;
    int vertex_room, index_room, start_room;
} lab_mesh;

typedef enum lab_mesh_kind {
    LAB_MESH_CONVEX,
    LAB_MESH_SHEET, /* flat, open and convex in its plane */
    LAB_MESH_SOLID, /* closed; not convex, or of too many vertices for the hull of the lab */
    LAB_MESH_SHELL  /* any other */
} lab_mesh_kind;

/* More vertices than these are refused, and no hull. */
#define LAB_MESH_VERTICES_MAX 20000
#define LAB_HULL_VERTICES_MAX 1000

/* All return 0, or 1 with the reason in text. */
int lab_mesh_vertex(lab_mesh *mesh, const double x[3], char text[LAB_TEXT]);
/* n indices from 0. */
int lab_mesh_polygon(lab_mesh *mesh, const long *index, int n, char text[LAB_TEXT]);
int lab_mesh_read_obj(lab_mesh *mesh, const char *path, char text[LAB_TEXT]);
/* Drops vertices that no polygon uses and merges equal ones; normal: of a sheet, unit. */
int lab_mesh_check(lab_mesh *mesh, lab_mesh_kind *kind, double normal[3], char text[LAB_TEXT]);
/* The polygons cut into triangles, outward if the mesh is closed: there are
 * start[nf] - 2 nf of them. To be freed; null: out of memory. */
int (*lab_mesh_triangles(const lab_mesh *mesh))[3];
void lab_mesh_free(lab_mesh *mesh);

#endif
