/* Which triangles of a mesh need a pair of their own with a convex part: those of which a face, an
 * edge or a vertex could be the first to be touched. The pairs of its neighbours separate the
 * part from a triangle that it can reach through them only. */
#ifndef PEG_MESH_CULL_H
#define PEG_MESH_CULL_H

#include "peg/shape/triangle_mesh.h"

/* A triangle of another mesh, in the frame of the mesh. */
typedef struct peg_cull_triangle {
    peg_polytope shape;
    peg_vec3 corner[3], normal[2], over[2];
    double offset[2];
    peg_vec3 along[3], out[3]; /* its sides from corner to corner, and across them, as long */
    double square[3];          /* of their lengths, m^2 */
    const double *frame;       /* its mesh's own in that of the mesh */
    double round;              /* radii of both meshes, m */
} peg_cull_triangle;

/* A part near a mesh, in the frame of the mesh, half-way through what it does there in a step. */
typedef struct peg_mesh_cull {
    const peg_triangle_mesh *mesh;
    peg_polytope shape; /* of the part; the radius of the mesh is added to its own */
    peg_view part;
    double way;        /* how far its surface may get from there, m */
    double turn;       /* how far its faces may turn, rad */
    double slope;      /* by how much more contacts may be off a minimum of distance, rad */
    double reach;      /* how near what counts is, m */
    double from_start; /* the same before it moves, m */
    double deep; /* how far its features may get while it also shrinks until it has met nothing,
                    m */
    int all;     /* it gets too far to tell: all triangles near to it count */
    double axis[3], length; /* of a segment: unit, m */
    peg_vec3 *over;         /* by face: how high the corners of the triangle that is looked at lie
                               over it, m */
    const peg_cull_triangle *shell; /* of a triangle of another mesh; else null */
} peg_mesh_cull;

/* What is this near to a mesh, in sizes of the smaller one, counts although the part is not known
 * to get there. */
#define PEG_MESH_CULL_ROOM 5e-4

/* The same of a part of a size, m. */
static inline double peg_mesh_cull_room(double size, const peg_triangle_mesh *mesh)
{
    return PEG_MESH_CULL_ROOM * peg_min(size, mesh->radius);
}

/* A mesh with a radius (m, 0: none), where it is: y = R x + at. */
typedef struct peg_placed_mesh {
    const peg_triangle_mesh *mesh;
    double round;
    const double *at, *R;
} peg_placed_mesh;

/* The part as `view` shows it, near a mesh, with arrays in the arena. It moves relative to the mesh
 * by `shift` (m, world) give or take `way` for every point of its surface, turns by `turn` (rad) at
 * most, touches within `slope` of a minimum, and is apart from the mesh before it moves. `out` must
 * stay where it is. Returns 0 without memory. */
int peg_mesh_cull_begin(peg_arena *arena, const peg_placed_mesh *mesh, const peg_view *view,
                        const double shift[3], double way, double turn, double slope,
                        peg_mesh_cull *out);

/* The same of a triangle of another mesh, whose frame is R in that of the mesh and whose corners
 * are where they are half-way; round: both radii, m; from_start: as in peg_mesh_cull. */
void peg_mesh_cull_begin_triangle(const peg_triangle_mesh *mesh, const peg_triangle_mesh *of,
                                  int triangle, const double R[9], const peg_vec3 corner[3],
                                  double round, double way, double turn, double from_start,
                                  peg_cull_triangle *shell, peg_mesh_cull *out);

/* Where what it can touch is. */
void peg_mesh_cull_region(const peg_mesh_cull *cover, peg_region *region);

/* Calls visit for the triangles that count because of this one or of edges and vertices that are
 * its own, some of them more than once; `deep`: only if it has met the part. */
typedef void peg_need_visitor(void *context, int triangle, int deep);
void peg_mesh_cull_needs(const peg_mesh_cull *cover, int triangle, peg_need_visitor *visit,
                         void *context);

/* --- for peg_mesh_cull_needs --- */

/* Whether a part that is a triangle of another mesh may touch one of this mesh first; else whether
 * a side of one of them keeps them farther apart than `touch`, m. */
typedef enum peg_triangle_need {
    PEG_TRIANGLE_APART,
    PEG_TRIANGLE_NEAR,
    PEG_TRIANGLE_NEEDED
} peg_triangle_need;
peg_triangle_need peg_cull_triangle_needs(const peg_mesh_cull *cover, int triangle, double touch);

#endif
