/* Convex polytopes [W section 4]: vertices, faces with outward unit normals, edges with their two
 * faces; half-spaces as polytopes of one face and no vertex.
 *
 * Units: metres, in the frame of the part. Faces are convex polygons, counter-clockwise seen from
 * outside, coplanar triangles merged; every vertex belongs to at least three faces.
 *
 * Planar scenes (peg/shape/polygon_2d.h) have flat polytopes: a polygon in the plane z = 0 is the
 * section of an endless prism, whose faces are its sides, of two vertices each, and which has no
 * edges and no caps; a particle is a single vertex.
 *
 * Dilated polytopes [M: dilated simplicial complexes] have a radius all round: a sphere is a vertex
 * with a radius, a capsule an edge with a radius; these have no faces. A rounded polytope keeps the
 * vertices, edges and faces of what is inside; its surface lies a radius off them. A cylinder is an
 * edge with a radius across it only, the Minkowski sum of a segment and a disc; its faces are the
 * caps. The edges of these have no faces (-1). The triangles of a mesh (peg/shape/triangle_mesh.h)
 * have two faces, back to back, and may have a radius, too. */
#ifndef PEG_POLYTOPE_H
#define PEG_POLYTOPE_H

#include <stdint.h>

#include "peg/base/arena.h"
#include "peg/base/math.h"
#include "peg/base/types.h"

typedef struct peg_edge {
    int v[2]; /* end vertices; face f[0] runs from v[0] to v[1], face f[1] back */
    int f[2]; /* -1: none, the edge of a capsule or a cylinder */
} peg_edge;

struct peg_triangle_mesh;

typedef enum peg_shape_kind {
    PEG_SHAPE_POLYTOPE = 0, /* convex polytope */
    PEG_SHAPE_HALF_SPACE,
    PEG_SHAPE_POLYGON,  /* flat: of a planar scene */
    PEG_SHAPE_POINT,    /* the same */
    PEG_SHAPE_TRIANGLE, /* of a mesh */
    /* dilated: */
    PEG_SHAPE_SPHERE,
    PEG_SHAPE_CAPSULE,
    PEG_SHAPE_CYLINDER,
    PEG_SHAPE_ROUNDED /* a convex polytope with a radius all round */
} peg_shape_kind;

typedef struct peg_polytope {
    peg_shape_kind kind;
    int nv, nf, ne;
    peg_vec3 *vertex; /* nv */
    peg_vec3 *normal; /* nf outward unit normals */
    double *offset;   /* nf: normal . x = offset on the face */
    int *
        face_start; /* nf + 1: polygon of face f is face_vertex[face_start[f] .. face_start[f+1]) */
    int *face_vertex;
    int sides;            /* of a face of a convex polytope, at most; 0: not known */
    peg_edge *edge;       /* ne */
    int *next_start;      /* nv + 1: neighbours of vertex v along edges are next[next_start[v] ..
                             next_start[v+1]) */
    int *next;            /* 2 ne */
    uint64_t *face_edges; /* nf, bit k: edge k is one of the face's; null: not a convex polytope, or
                             one of more than 64 edges */
    double blunt;  /* least cosine of half the angle between the normals of two faces at an edge */
    peg_vec3 half; /* of a box about the origin: half its sides, m; else 0 */
    peg_vec3 centre; /* centroid of the vertices; a point of the plane for a half-space */
    peg_vec3 extent; /* half of the box about the centre, without the radius all round, m */
    double round;    /* m: all points this near to what is inside */
    double rim;      /* m: of a cylinder: all points this near to the edge, across it */
    double radius;   /* of the sphere about the centre; infinite for a half-space */
    double size;     /* m: what tolerances are relative to: the radius, or that of the mesh */
    double inner;    /* of the ball about the centre that lies inside; 0: flat ones, half-spaces */
    double give;     /* how far its features get while its faces all move in by 1; 0: not known */
    double width;    /* least width over the face normals; infinite for a half-space; of a triangle:
                        least altitude */
    double volume;   /* m^3; infinite for a half-space */
    const struct peg_triangle_mesh *mesh; /* of a triangle; null: none */
    int triangle;                         /* which one */
} peg_polytope;

/* Convex hull of n points (qhull). Duplicates and interior points are dropped, coplanar facets
 * merged. Errors: NOT_FINITE, SHAPE_EMPTY (n < 4 or no volume: thinner than 1e-9 of its size),
 * MEMORY; then *out is null. Free with peg_polytope_free. */
pegStatus peg_polytope_from_points(const double (*points)[3], int n, peg_polytope **out);

/* Box of full side lengths, centred at the origin. Errors: NOT_FINITE, SHAPE_EMPTY, MEMORY. */
pegStatus peg_polytope_box(const double sides[3], peg_polytope **out);

/* {x : normal . x <= offset}, the solid side of ODE's plane. The normal is scaled to unit length.
 */
pegStatus peg_polytope_half_space(const double normal[3], double offset, peg_polytope **out);

/* From the arrays of dCreateConvex: nplanes * (a, b, c, d) with a x + b y + c z = d; npoints *
 * (x, y, z); polygons as nplanes runs of (count, indices...), counter-clockwise seen from outside.
 * The arrays are validated as they are, not repaired: at least four polygons (SHAPE_FACES), indices
 * in range (SHAPE_INDEX), every edge shared by exactly two polygons in opposite directions (else
 * SHAPE_OPEN), outward polygons (SHAPE_REVERSED), all points on or below each polygon's plane (else
 * SHAPE_CONCAVE), non-zero volume (SHAPE_EMPTY), finite (NOT_FINITE), planes that contain their
 * polygons to 1e-3 of the size, in any order, with normals outward (else SHAPE_PLANE). Duplicate
 * vertices are merged, coplanar polygons become one face. Tolerance 1e-7 of the size. */
pegStatus peg_polytope_from_ode_convex(const double *planes, int nplanes, const double *points,
                                       int npoints, const unsigned *polygons, peg_polytope **out);

/* Convex hull of n points of the plane, as a flat polytope: vertices counter-clockwise, side f runs
 * from vertex f to vertex f + 1; volume is the area. Errors as peg_polytope_from_points, with n < 3
 * or no area. */
pegStatus peg_polygon_create(const double (*points)[2], int n, peg_polytope **out);

/* A particle: one vertex at the origin, radius 0. Errors: MEMORY. */
pegStatus peg_polytope_point(peg_polytope **out);

/* A sphere about the origin. Errors: NOT_FINITE, SHAPE_EMPTY (radius <= 0), MEMORY. */
pegStatus peg_polytope_sphere(double radius, peg_polytope **out);

/* A capsule along z: all within `radius` of a segment of the given length about the origin, which
 * may be 0. Errors: NOT_FINITE, SHAPE_EMPTY (radius <= 0, length < 0), MEMORY. */
pegStatus peg_polytope_capsule(double radius, double length, peg_polytope **out);

/* A cylinder along z about the origin. Errors: NOT_FINITE, SHAPE_EMPTY (one of them <= 0), MEMORY.
 */
pegStatus peg_polytope_cylinder(double radius, double length, peg_polytope **out);

/* A convex polytope with a radius: all points this near to the core, which is copied. Its volume is
 * Steiner's. Errors: ARGUMENT (the core is no convex polytope), NOT_FINITE, SHAPE_EMPTY (radius <=
 * 0), SHAPE_SIZE, MEMORY. */
pegStatus peg_polytope_rounded(const peg_polytope *core, double radius, peg_polytope **out);

void peg_polytope_free(peg_polytope *p);

static inline int peg_is_half_space(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_HALF_SPACE;
}

static inline int peg_is_dilated(const peg_polytope *p)
{
    return p->kind >= PEG_SHAPE_SPHERE || p->round > 0;
}

/* A box with sharp edges. */
static inline int peg_is_box(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_POLYTOPE && p->half[0] > 0;
}

/* A vertex or an edge with a radius all round, and not only a rim. */
static inline int peg_is_round(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_SPHERE || p->kind == PEG_SHAPE_CAPSULE;
}

static inline int peg_is_rounded(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_ROUNDED;
}

static inline int peg_has_rim(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_CYLINDER;
}

/* An edge with a radius. */
static inline int peg_is_segment(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_CAPSULE || p->kind == PEG_SHAPE_CYLINDER;
}

static inline int peg_is_point(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_POINT;
}

static inline int peg_is_flat(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_POLYGON || p->kind == PEG_SHAPE_POINT;
}

static inline int peg_is_triangle(const peg_polytope *p)
{
    return p->kind == PEG_SHAPE_TRIANGLE;
}

/* Size of a pair, m: that of the smaller part; a point has none. */
static inline double peg_pair_size(const peg_polytope *a, const peg_polytope *b)
{
    return peg_is_point(a) ? b->size : peg_is_point(b) ? a->size : fmin(a->size, b->size);
}

/* m: radius of a part about its edges. */
static inline double peg_across(const peg_polytope *p)
{
    return p->round + p->rim;
}

/* A triangle with a radius counts as no thinner than this share of a solid part's width, or of the
 * mesh's size if that is less: a solid part cannot pass through a triangle unseen, whatever its
 * radius, and is not to be looked for at more than 100 places while it moves by that width
 * (PEG_STRIDE). A half-space is wider than any mesh: its triangles do not dip into it unseen. */
#define PEG_PLATE_WIDTH .05

/* Least width of the thinner part, m; a point has none, and a triangle none beside a solid part
 * unless it has a radius. */
static inline double peg_pair_width(const peg_polytope *a, const peg_polytope *b)
{
    if (peg_is_point(a) || (peg_is_triangle(b) && !peg_is_triangle(a))) {
        const peg_polytope *swap = a;
        a = b, b = swap;
    }
    if (peg_is_point(b)) return a->width;
    if (!peg_is_triangle(a) || peg_is_triangle(b)) return fmin(a->width, b->width);
    if (!(a->round > 0)) return b->width;
    return fmin(b->width, fmax(2 * a->round, PEG_PLATE_WIDTH * fmin(b->width, a->size)));
}

/* Volume, centre of mass and inertia tensor about it (row-major, density 1, part frame). Not of
 * flat or dilated polytopes. */
void peg_polytope_mass(const peg_polytope *p, double *volume, double centre[3], double inertia[9]);

/* Puts face f, whose normal is known, through the vertex that is farthest out, and makes the width
 * what it is across the face if that is less. */
void peg_polytope_close_face(peg_polytope *p, int f);

/* A polytope at a pose: vertices, normals and offsets in world coordinates. The arrays are the
 * caller's (nv, nf, nf entries). */
typedef struct peg_view {
    const peg_polytope *shape;
    peg_vec3 *vertex, *normal;
    double *offset;
    peg_vec3 centre;
    peg_mat3 turn; /* from the part's frame: of a triangle of a mesh and of what has a rim only */
} peg_view;

/* Numbers that the arrays of a view take, and their use for that. */
int peg_view_numbers(const peg_polytope *shape);
void peg_view_use(double *numbers, const peg_polytope *shape, peg_view *view);
/* The same, taken from the arena; 0 without memory. */
int peg_view_allocate(peg_arena *arena, const peg_polytope *shape, peg_view *view);

/* Fills the arrays for part-to-world rotation R and translation x. */
void peg_view_set(peg_view *view, const double x[3], const double R[9]);

/* The box about n >= 1 points turned by R; R null: as they are. */
void peg_box_of_points(const peg_vec3 *point, int n, const double R[9], double lo[3], double hi[3]);

#endif
