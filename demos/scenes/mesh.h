/* Surface meshes of scene files: reading, cleaning, what kind of body they bound, and how they
 * become parts of one. */
#ifndef LAB_MESH_H
#define LAB_MESH_H

#include "demos/world/scene.h"

typedef struct lab_mesh {
    double (*vertex)[3];
    int *index, *start; /* polygon f: index[start[f] .. start[f+1]) */
    int (*edge)[2];     /* loose ones, which belong to no polygon */
    int nv, nf, ne;
    int vertex_room, index_room, start_room, edge_room;
} lab_mesh;

typedef enum lab_mesh_kind {
    LAB_MESH_CONVEX,
    LAB_MESH_SHEET, /* flat, open and convex in its plane */
    LAB_MESH_SOLID, /* closed; not convex, or of too many vertices for the hull of the lab */
    LAB_MESH_SHELL, /* any other surface */
    LAB_MESH_LOOSE  /* no polygons: edges and points */
} lab_mesh_kind;

/* More vertices than these are refused, and no hull. */
#define LAB_MESH_VERTICES_MAX 500000
#define LAB_HULL_VERTICES_MAX 1000

/* Of the extent: radius of loose edges and points, and thickness that gives open surfaces a mass.
 */
#define LAB_MESH_LOOSE_RADIUS    1e-3
#define LAB_MESH_SHELL_THICKNESS .01

/* All return 0, or 1 with the reason in text. */
int lab_mesh_vertex(lab_mesh *mesh, const double x[3], char text[LAB_TEXT]);
/* n indices from 0. */
int lab_mesh_polygon(lab_mesh *mesh, const long *index, int n, char text[LAB_TEXT]);
int lab_mesh_edge(lab_mesh *mesh, long i, long j, char text[LAB_TEXT]);
/* By its ending: .obj (with loose edges and points), else what assimp reads (.stl, .off, .ply, ..).
 */
int lab_mesh_read(lab_mesh *mesh, const char *path, char text[LAB_TEXT]);
/* Merges equal vertices, drops polygons without area, edges of polygons, and vertices that nothing
 * uses, unless there are vertices only. Tells the kind; normal: of a sheet, unit. */
int lab_mesh_check(lab_mesh *mesh, lab_mesh_kind *kind, double normal[3], char text[LAB_TEXT]);
/* The connected components of a checked mesh; *parts is to be freed, and each of them. */
int lab_mesh_split(const lab_mesh *mesh, lab_mesh **parts, int *count, char text[LAB_TEXT]);
/* Longest side of the box about it. */
double lab_mesh_extent(const lab_mesh *mesh);
/* The polygons cut into triangles, outward if the mesh is closed: there are
 * start[nf] - 2 nf of them. To be freed; null: out of memory. */
int (*lab_mesh_triangles(const lab_mesh *mesh))[3];
/* Adds the parts to a body: a hull, or triangles (two-sided if they are open), and a capsule or
 * sphere of the given radius for each loose edge or point. */
void lab_mesh_parts(lab_body *body, const lab_mesh *mesh, lab_mesh_kind kind, double radius);
void lab_mesh_free(lab_mesh *mesh);

#endif
