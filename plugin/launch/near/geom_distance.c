/* ODE's collision of convex geoms and cylinders (libccd's) misses contacts now and then, even of
 * parts that overlap, and of a convex geom with a mesh often; what exact contacts go by does not.
 */
#include "plugin/launch/near/geom_distance.h"
#include "plugin/launch/world/geom_counts.h"
#include "ode_glue/read/geom.h"
#include "peg/shape/triangle_mesh.h"
#include "peg/collide/separation.h"

/* Vertices that lie this near to the outermost one count as touching, relative to the size. */
#define LEVEL 1e-3

/* Shapes that were registered may be gone with their geoms: then all are collected anew. */
static int collect(peg_world_entry *entry, dGeomID geom)
{
    unsigned long changes = peg_shape_changes();
    if (changes != entry->changes) {
        peg_shapes_end(&entry->shapes, 0);
        peg_shapes_begin(&entry->shapes);
        entry->changes = changes;
    }
    return peg_shapes_add(&entry->shapes, geom, 0) == PEG_OK;
}

/* The geom's shape among those that were collected since the last step; null: none. Valid until
 * another one is collected. */
static const peg_shape *shape_of(const peg_world_entry *entry, dGeomID geom)
{
    int i = peg_map_find(&entry->shapes.coming.geom, geom, NULL);
    return i >= 0 ? &entry->shapes.coming.of[i] : NULL;
}

/* The shape where the geom lies; 0 without memory. */
static int view_of(peg_arena *arena, dGeomID geom, const peg_polytope *shape, peg_view *view)
{
    double x[3], R[9];
    if (!shape || !peg_view_allocate(arena, shape, view)) return 0;
    peg_geom_pose(geom, x, R);
    peg_view_set(view, x, R);
    return 1;
}

/* Middle of the vertices that lie farthest along n; their number. */
static int outermost(const peg_view *view, const double n[3], double middle[3])
{
    double most = -INFINITY;
    int count = 0, nv = view->shape->nv;
    for (int i = 0; i < nv; i++) most = fmax(most, peg_dot(n, view->vertex[i]));
    for (int k = 0; k < 3; k++) middle[k] = 0;
    for (int i = 0; i < nv; i++) {
        if (peg_dot(n, view->vertex[i]) < most - LEVEL * view->shape->size) continue;
        peg_add_scaled(middle, 1, view->vertex[i], middle);
        count++;
    }
    for (int k = 0; k < 3 && count; k++) middle[k] /= count;
    peg_add_scaled(middle, view->shape->round, n, middle);
    return count;
}

/* Where the smaller one of the two touching features lies. */
static void place(const peg_view *A, const peg_view *B, const double n[3], dReal pos[3])
{
    double back[3] = {-n[0], -n[1], -n[2]}, of_a[3], of_b[3];
    int a = outermost(A, back, of_a), b = outermost(B, n, of_b);
    peg_copy3(b == 0 || (a > 0 && a <= b) ? of_a : of_b, pos);
}

/* A contact of the views, if they are nearer than the one that is there (none: the reach); n: a
 * direction to try first, and the one that separates them. */
static int note(const peg_view *A, const peg_view *B, double reach, double n[3],
                dContactGeom *contact)
{
    if (peg_is_far(A, B, reach, PEG_NARROW_PHASE_LIBCCD, n)) return 0;
    peg_facet facet = peg_widest_facet(A, B, PEG_NARROW_PHASE_LIBCCD, n);
    if (facet.kind == PEG_FEATURES_NONE || facet.s > reach) return 0;
    contact->depth = -facet.s;
    place(A, B, facet.n, contact->pos);
    peg_copy3(facet.n, contact->normal);
    peg_copy3(facet.n, n);
    return 1;
}

/* A mesh and a convex geom. */
typedef struct visit {
    peg_arena *arena;
    const peg_triangle_mesh *mesh;
    dGeomID geom; /* the mesh's */
    const peg_view *other;
    int mesh_is_first, found;
    double reach; /* of the nearest triangle so far */
    dContactGeom *contact;
} visit;

static void meet_triangle(void *context, int t)
{
    visit *v = context;
    peg_arena_mark mark = peg_arena_here(v->arena);
    peg_view triangle;
    double n[3] = {0};
    if (view_of(v->arena, v->geom, peg_triangle_polytope(v->arena, v->mesh, t, 0), &triangle) &&
        note(v->mesh_is_first ? &triangle : v->other, v->mesh_is_first ? v->other : &triangle,
             v->reach, n, v->contact)) {
        v->found = 1;
        v->reach = -v->contact->depth;
    }
    peg_arena_back(v->arena, mark);
}

/* Box around the other shape, in the frame of the mesh, wider by the reach. */
static void box_around(const visit *v, peg_aabb *box)
{
    double x[3], R[9], d[3], own[3], by = v->reach + v->other->shape->round;
    peg_geom_pose(v->geom, x, R);
    for (int k = 0; k < 3; k++) box->lo[k] = INFINITY, box->hi[k] = -INFINITY;
    for (int i = 0; i < v->other->shape->nv; i++) {
        peg_sub(v->other->vertex[i], x, d);
        peg_rotate_back(R, d, own);
        for (int k = 0; k < 3; k++) {
            box->lo[k] = fmin(box->lo[k], own[k] - by);
            box->hi[k] = fmax(box->hi[k], own[k] + by);
        }
    }
}

static int meet_mesh(visit *v)
{
    peg_aabb box;
    if (peg_is_half_space(v->other->shape)) return 0;
    box_around(v, &box);
    peg_aabb_tree_overlap(v->mesh, &box, meet_triangle, v);
    return v->found;
}

static int meet(peg_world_entry *entry, dGeomID a, dGeomID b, double reach, double direction[3],
                dContactGeom *contact)
{
    peg_arena *arena = &entry->arena;
    peg_view A, B;
    if (!collect(entry, a) || !collect(entry, b)) return 0;
    const peg_shape *sa = shape_of(entry, a), *sb = shape_of(entry, b);
    if (!sa || !sb) return 0;
    int has_a = view_of(arena, a, sa->shape, &A), has_b = view_of(arena, b, sb->shape, &B);
    if (has_a && has_b) return note(&A, &B, reach, direction, contact);
    visit v = {.arena = arena, .reach = reach, .contact = contact, .mesh_is_first = !has_a};
    v.mesh = has_a ? sb->triangle_mesh : sa->triangle_mesh;
    v.geom = has_a ? b : a;
    v.other = has_a ? &A : &B;
    return v.mesh && (has_a || has_b) ? meet_mesh(&v) : 0;
}

int peg_geom_distance(peg_world_entry *entry, dGeomID a, dGeomID b, double reach,
                      double direction[3], dContactGeom *contact)
{
    peg_arena_mark mark = peg_arena_here(&entry->arena);
    dContactGeom found = {.side1 = -1, .side2 = -1};
    int near = meet(entry, a, b, reach, direction, &found);
    peg_arena_back(&entry->arena, mark);
    if (!near) return 0;
    found.g1 = peg_geom_named(a);
    found.g2 = peg_geom_named(b);
    *contact = found;
    return 1;
}
