/* Surface meshes of scene files: reading, and whether they bound a convex body. */
#ifndef LAB_IPC_MESH_H
#define LAB_IPC_MESH_H

#include "demos/scene.h"

typedef struct lab_mesh {
    double (*vertex)[3];
    int *index, *start; /* polygon f: index[start[f] .. start[f+1]) */
    int nv, nf;
    int vertex_room, index_room, start_room;
} lab_mesh;

typedef enum lab_mesh_kind {
    LAB_MESH_CONVEX,
    LAB_MESH_SHEET, /* flat, open and convex in its plane */
    LAB_MESH_OTHER
} lab_mesh_kind;

/* More vertices than this are refused: the hull of the lab is made for small shapes. */
#define LAB_MESH_VERTICES_MAX 1000

/* All return 0, or 1 with the reason in text. */
int lab_mesh_vertex(lab_mesh *mesh, const double x[3], char text[LAB_TEXT]);
/* n indices from 0. */
int lab_mesh_polygon(lab_mesh *mesh, const long *index, int n, char text[LAB_TEXT]);
int lab_mesh_read_obj(lab_mesh *mesh, const char *path, char text[LAB_TEXT]);
/* Drops vertices that no polygon uses and merges equal ones; normal: of a sheet, unit. */
int lab_mesh_check(lab_mesh *mesh, lab_mesh_kind *kind, double normal[3], char text[LAB_TEXT]);
void lab_mesh_free(lab_mesh *mesh);

#endif
