/* What the files about meshes share. */
#ifndef LAB_MESH_PRIVATE_H
#define LAB_MESH_PRIVATE_H

#include "demos/scenes/mesh.h"

/* Writes the text; 1. */
int lab_mesh_error(char text[LAB_TEXT], const char *what);
/* Order of edges, int[2], for qsort and bsearch. */
int lab_mesh_by_ends(const void *a, const void *b);
/* Merges and drops as lab_mesh_check says. */
int lab_mesh_clean(lab_mesh *mesh, char text[LAB_TEXT]);
/* Twice the area vector of a polygon. */
void lab_mesh_area(const lab_mesh *mesh, int f, double out[3]);

#endif
