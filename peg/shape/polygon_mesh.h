/* A closed surface of polygons on its way to becoming a polytope. */
#ifndef PEG_POLYGON_MESH_H
#define PEG_POLYGON_MESH_H

#include "peg/base/arena.h"
#include "peg/shape/polytope.h"

/* Polygon f is corner[start[f] .. start[f+1]), counter-clockwise seen from outside; a corner is
 * also the half-edge to the next corner of its polygon. */
typedef struct peg_polygon_mesh {
    int nv, nf;
    const peg_vec3 *vertex; /* nv */
    int *start;             /* nf + 1 */
    int *corner;            /* start[nf] vertex indices */
    int *face;              /* polygon of each corner, filled by peg_polygon_mesh_link */
    int *twin;              /* half-edge that runs back, filled by peg_polygon_mesh_link */
} peg_polygon_mesh;

/* Largest side of the box about the vertices. */
double peg_points_size(const peg_vec3 *vertex, int n);

/* Rounding of the vertices' coordinates, m: they may be far from the origin. */
double peg_points_rounding(const peg_vec3 *vertex, int n);

/* Distance from a plane, m, within which vertices lie in it: as good as coordinates that have been
 * single-precision numbers. */
double peg_points_tolerance(const peg_vec3 *vertex, int n);

/* SHAPE_SIZE for a size whose powers leave the range of doubles, SHAPE_EMPTY for 0, NOT_FINITE. */
pegStatus peg_size_check(double size);

/* Twice the area vector of a polygon. */
void peg_polygon_mesh_area(const peg_polygon_mesh *mesh, int f, peg_vec3 out);

/* Volume inside of a closed surface; negative if it is inside out. */
double peg_polygon_mesh_volume(const peg_polygon_mesh *mesh);

/* The half-edge that follows h in its polygon (after peg_polygon_mesh_link). */
int peg_polygon_mesh_next(const peg_polygon_mesh *mesh, int h);

/* Pairs the half-edges; 0 if an edge lacks its partner or has more than one (or memory ran out,
 * which arena->failed tells). */
int peg_polygon_mesh_link(peg_polygon_mesh *mesh, peg_arena *arena);

/* For each point the one it is the same as, itself if there is none closer than `distance`; null if
 * memory ran out. */
int *peg_points_weld(const peg_vec3 *point, int n, double distance, peg_arena *arena);

/* Merges vertices closer than `distance` and drops polygons that vanish by it. 0 if memory ran out.
 */
int peg_polygon_mesh_weld(peg_polygon_mesh *mesh, double distance, peg_arena *arena);

/* Allocates a polytope with room for its arrays; null if memory ran out. */
peg_polytope *peg_polytope_new(int nv, int nf, int ne, int corners);

/* Its extent, from the vertices about the centre and the rim. */
void peg_polytope_set_extent(peg_polytope *p);
/* Fills what the search over edges needs: face_edges and blunt. */
void peg_polytope_mark_edges(peg_polytope *p);
/* Fills edges and the derived figures of a polytope whose vertices, faces and normals are there;
 * mesh is the same surface, linked. */
void peg_polytope_finish(peg_polytope *p, const peg_polygon_mesh *mesh);

/* Merges polygons that are coplanar within peg_points_tolerance, drops vertices inside of a face or
 * an edge, and makes the polytope. Errors: SHAPE_OPEN, SHAPE_EMPTY, SHAPE_CONCAVE, SHAPE_REVERSED,
 * MEMORY. */
pegStatus peg_polygon_mesh_to_polytope(peg_polygon_mesh *mesh, peg_arena *arena,
                                       peg_polytope **out);

#endif
