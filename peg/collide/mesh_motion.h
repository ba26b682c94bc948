/* Which triangles of two meshes meet first while both move. */
#ifndef PEG_MESH_MOTION_H
#define PEG_MESH_MOTION_H

#include "peg/base/arena.h"
#include "peg/shape/triangle_mesh.h"

/* The frame of the first mesh in that of the second, y = R x + at, at a share t of the motion. */
typedef void peg_mesh_place(void *context, double t, double R[9], double at[3]);
/* Whether a pair of triangles needs no answer. */
typedef int peg_mesh_known(void *context, int a, int b);

typedef struct peg_mesh_motion {
    const peg_triangle_mesh *mesh[2];
    peg_mesh_place *place;
    peg_mesh_known *is_known;
    void *context;
    double round;       /* radii of both meshes, m */
    double slide;       /* of one pivot past the other, at most, m */
    double spin[2];     /* of each mesh, at most, rad .. */
    double pivot[2][3]; /* .. about a point in its frame */
    double near;        /* triangles this near have met, > 0, m */
    double window;      /* those count that meet by so much of the motion after the first ones */
} peg_mesh_motion;

typedef struct peg_meeting {
    int a, b;    /* triangles */
    double time; /* as a share of the motion, not after they meet */
} peg_meeting;

/* The pairs that are near at the start (time -1), and those that meet first on the way and may not
 * be known, in the order of their numbers; in the arena. Every pair that meets before all that is
 * found is known. Returns how many, -1 without memory. */
int peg_mesh_motion_meetings(const peg_mesh_motion *motion, peg_arena *arena, int from_start,
                             peg_meeting **out);

#endif
