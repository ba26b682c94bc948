#include "ode_glue/read/shape.h"
#include "ode_glue/read/convex.h"
#include "ode_glue/read/geom.h"
#include "ode_glue/read/radius.h"
#include "peg/base/arena.h"

_Static_assert(sizeof(dReal) == sizeof(double), "ODE must be built in double precision");

/* Triangles of a mesh that are compared with ODE's at every step. */
enum { COMPARED = 64 };

int peg_class_has_contacts(int class)
{
    int is_space = class >= dFirstSpaceClass && class <= dLastSpaceClass;
    return class >= 0 && !is_space && class != dRayClass && class != dGeomTransformClass;
}

int peg_class_is_known(int class)
{
    return class >= 0 && class < dFirstSpaceClass;
}

/* --- what determines a shape --- */

static void read_sizes(dGeomID leaf, int class, double size[4])
{
    dVector3 sides = {0};
    dVector4 plane = {0};
    if (class == dBoxClass) {
        dGeomBoxGetLengths(leaf, sides);
        peg_copy3(sides, size);
    } else if (class == dPlaneClass) {
        dGeomPlaneGetParams(leaf, plane);
        memcpy(size, plane, 4 * sizeof *size);
    } else if (class == dSphereClass) {
        size[0] = dGeomSphereGetRadius(leaf);
    } else if (class == dCapsuleClass) {
        dGeomCapsuleGetParams(leaf, &size[0], &size[1]);
    } else if (class == dCylinderClass) {
        dGeomCylinderGetParams(leaf, &size[0], &size[1]);
    }
}

static void read_parameters(peg_shape *s)
{
    peg_parameters *is = &s->is;
    is->leaf = peg_geom_leaf(s->geom);
    is->class = is->leaf ? dGeomGetClass(is->leaf) : -1;
    if (!is->leaf) return;
    read_sizes(is->leaf, is->class, is->size);
    is->round = peg_radius_of(is->leaf);
    if (is->class == dTriMeshClass) is->data = dGeomTriMeshGetData(is->leaf);
    if (is->class == dConvexClass) {
        s->shape = peg_convex_find(is->leaf, &is->version);
    } else if (is->class == dHeightfieldClass) {
        is->data = dGeomHeightfieldGetHeightfieldData(is->leaf);
        peg_heightfield_find(dGeomHeightfieldGetHeightfieldData(is->leaf), &is->version);
    }
}

static int same_parameters(const peg_parameters *a, const peg_parameters *b)
{
    return a->leaf == b->leaf && a->class == b->class && a->version == b->version &&
           a->data == b->data && a->round == b->round &&
           memcmp(a->size, b->size, sizeof a->size) == 0;
}

static int is_empty(const peg_parameters *is)
{
    const double *size = is->size;
    if (is->class == dBoxClass) return size[0] == 0 || size[1] == 0 || size[2] == 0;
    if (is->class == dSphereClass || is->class == dCapsuleClass) return size[0] == 0;
    if (is->class == dCylinderClass) return size[0] == 0 || size[1] == 0;
    return is->class == dTriMeshClass && dGeomTriMeshGetTriangleCount(is->leaf) == 0;
}

int peg_geom_is_empty(dGeomID leaf)
{
    peg_parameters is = {.leaf = leaf, .class = dGeomGetClass(leaf)};
    read_sizes(leaf, is.class, is.size);
    return is_empty(&is);
}

/* --- building --- */

/* The mesh of another geom that has the same data and triangles, or a new one. */
static pegStatus share_mesh(peg_shapes *shapes, peg_shape *s)
{
    struct peg_generation *g = &shapes->coming;
    for (int i = 0; i < g->geom.n; i++) {
        peg_trimesh *mesh = g->of[i].mesh;
        if (!mesh || mesh->data != s->is.data) continue;
        if (!peg_trimesh_is_of(mesh, s->is.leaf, mesh->triangles, 0)) continue;
        mesh->users++;
        s->mesh = mesh;
        return PEG_OK;
    }
    pegStatus status = peg_trimesh_create(s->is.leaf, &s->mesh);
    if (status == PEG_ERROR_SHAPE_EMPTY) s->status = status, status = PEG_OK;
    return status;
}

/* Unless ODE has the field elsewhere, or nobody told of it: then it has ODE's contacts. */
static void take_field(const peg_shapes *shapes, peg_shape *s)
{
    dHeightfieldDataID data = dGeomHeightfieldGetHeightfieldData(s->is.leaf);
    peg_heightfield *field = peg_heightfield_find(data, &s->is.version);
    s->opaque = !field || !peg_heightfield_is_of(field, data, 1, shapes->collections);
    if (s->opaque) return;
    s->field = field;
    peg_heightfield_use(field);
    if (field->wrap)
        s->endless = field;
    else
        s->triangle_mesh = field->triangle_mesh;
}

/* Gives the shape its radius. */
static pegStatus make_round(peg_shape *s)
{
    const peg_polytope *core = s->own ? s->own : s->shape;
    peg_polytope *rounded;
    if (!(s->is.round > 0) || !core) return PEG_OK;
    pegStatus status = peg_polytope_rounded(core, s->is.round, &rounded);
    if (status != PEG_OK) return status;
    peg_polytope_free(s->own);
    s->own = rounded;
    return PEG_OK;
}

/* is_another: the geom had another shape in the last step. */
static pegStatus build(peg_shapes *shapes, peg_shape *s, int is_another)
{
    const double *size = s->is.size;
    pegStatus status = PEG_OK;
    s->built = 1;
    s->id = shapes->number ? shapes->number(s->geom, is_another) : ++shapes->last_id;
    if (!peg_class_has_contacts(s->is.class)) {
        s->status = PEG_ERROR_GEOM_CLASS;
    } else if (is_empty(&s->is)) {
        s->status = PEG_ERROR_SHAPE_EMPTY; /* dCollide finds no contacts of such a box either */
    } else if (s->is.class == dPlaneClass) {
        status = peg_polytope_half_space(size, size[3], &s->own);
    } else if (s->is.class == dBoxClass) {
        status = peg_polytope_box(size, &s->own);
    } else if (s->is.class == dSphereClass) {
        status = peg_polytope_sphere(size[0], &s->own);
    } else if (s->is.class == dCapsuleClass) {
        status = peg_polytope_capsule(size[0], size[1], &s->own);
    } else if (s->is.class == dCylinderClass) {
        status = peg_polytope_cylinder(size[0], size[1], &s->own);
    } else if (s->is.class == dTriMeshClass) {
        status = share_mesh(shapes, s);
    } else if (s->is.class == dHeightfieldClass) {
        take_field(shapes, s);
    } else if (s->is.class != dConvexClass) {
        s->opaque = 1;
    }
    if (status == PEG_OK) status = make_round(s);
    if (s->own) s->shape = s->own;
    if (s->mesh) s->triangle_mesh = s->mesh->triangle_mesh;
    return status;
}

static void drop(peg_shape *s)
{
    peg_polytope_free(s->own);
    peg_trimesh_leave(s->mesh);
    peg_heightfield_leave(s->field);
    peg_windows_free(&s->windows);
}

/* All geoms of a mesh have its data: one of them is looked at. */
static int mesh_still_holds(const peg_shapes *shapes, const peg_shape *now, const peg_shape *before)
{
    peg_trimesh *mesh = before->mesh;
    if (mesh->compared != shapes->collections) {
        int count = before->doubted ? mesh->triangles : COMPARED;
        mesh->compared = shapes->collections;
        mesh->holds = peg_trimesh_is_of(mesh, now->is.leaf, count, shapes->collections);
    }
    return mesh->holds;
}

/* Whether what was built for the geom is its shape still. */
static int still_holds(const peg_shapes *shapes, const peg_shape *now, const peg_shape *before)
{
    if (!same_parameters(&now->is, &before->is)) return 0;
    if (before->mesh) return mesh_still_holds(shapes, now, before);
    if (!before->field) return 1;
    dHeightfieldDataID data = dGeomHeightfieldGetHeightfieldData(now->is.leaf);
    return peg_heightfield_is_of(before->field, data, 0, shapes->collections);
}

static int pose_is_finite(const peg_shape *s)
{
    double x[3], R[9], sum = 0;
    peg_geom_pose(s->geom, x, R);
    for (int i = 0; i < 9; i++) sum += R[i] + x[i % 3];
    return isfinite(sum);
}

/* --- collections --- */

/* Adds the geom; its number, or -1 when memory is exhausted. */
static int number_of(struct peg_generation *g, dGeomID geom)
{
    if (g->geom.n == g->room) {
        int room = g->room ? 2 * g->room : 64;
        peg_shape *of = peg_realloc(g->of, (size_t)room * sizeof *of);
        if (!of) return -1;
        g->of = of;
        g->room = room;
    }
    return peg_map_add(&g->geom, geom, NULL);
}

void peg_shapes_begin(peg_shapes *shapes)
{
    peg_map_clear(&shapes->coming.geom);
    shapes->coming.transforms = 0;
    shapes->collections++;
}

peg_geom_filter peg_geom_filter_of(dGeomID geom)
{
    dBodyID body = dGeomGetBody(geom);
    return (peg_geom_filter){.space = dGeomGetSpace(geom),
                             .category = dGeomGetCategoryBits(geom),
                             .collide = dGeomGetCollideBits(geom),
                             .has_joints = body && dBodyGetNumJoints(body) > 0};
}

pegStatus peg_shapes_add(peg_shapes *shapes, dGeomID geom, int swept)
{
    struct peg_generation *now = &shapes->coming, *before = &shapes->kept;
    int known = now->geom.n;
    int i = number_of(now, geom);
    if (i < 0) return PEG_ERROR_MEMORY;
    if (i < known) {
        now->of[i].swept |= swept;
        return PEG_OK;
    }
    peg_shape *s = &now->of[i];
    *s = (peg_shape){.geom = geom, .named = peg_geom_named(geom), .swept = swept};
    read_parameters(s);
    now->transforms += s->is.leaf != geom;
    if (peg_class_has_contacts(s->is.class) && !pose_is_finite(s)) return PEG_ERROR_NOT_FINITE;
    int old = peg_map_find(&before->geom, geom, NULL);
    if (old >= 0 && still_holds(shapes, s, &before->of[old])) {
        *s = before->of[old];
        s->named = peg_geom_named(geom);
        s->swept = swept;
        s->built = s->doubted = 0;
    } else {
        pegStatus status = build(shapes, s, old >= 0);
        if (status != PEG_OK) return status;
    }
    s->filter = peg_geom_filter_of(geom);
    if (s->is.class == dConvexClass && (!s->shape || !peg_convex_is_of(s->shape, s->is.leaf)))
        return PEG_ERROR_CONVEX_NOT_REGISTERED;
    if (s->opaque && s->is.round > 0) return PEG_ERROR_RADIUS;
    return PEG_OK;
}

void peg_shapes_end(peg_shapes *shapes, int keep)
{
    struct peg_generation *now = &shapes->coming, *before = &shapes->kept, swap = *now;
    if (keep) {
        for (int i = 0; i < before->geom.n; i++) {
            int j = peg_map_find(&now->geom, before->geom.key[i][0], NULL);
            if (j < 0 || now->of[j].built) drop(&before->of[i]);
        }
        *now = *before;
        *before = swap;
    } else {
        for (int i = 0; i < now->geom.n; i++)
            if (now->of[i].built) drop(&now->of[i]);
    }
    peg_map_clear(&now->geom);
}

void peg_shapes_free(peg_shapes *shapes)
{
    struct peg_generation *g = &shapes->kept;
    for (int i = 0; i < g->geom.n; i++) drop(&g->of[i]);
    for (int k = 0; k < 2; k++, g = &shapes->coming) {
        peg_map_free(&g->geom);
        peg_free(g->of);
    }
    *shapes = (peg_shapes){0};
}

dGeomID peg_shapes_outer(const struct peg_generation *generation, dGeomID geom)
{
    if (!generation->transforms || dGeomGetSpace(geom) || dGeomGetBody(geom)) return geom;
    for (int i = 0; i < generation->geom.n; i++) {
        const peg_shape *s = &generation->of[i];
        if (s->is.leaf == geom) return s->geom;
    }
    return geom;
}

void peg_shapes_doubt(peg_shapes *shapes, dGeomID geom)
{
    struct peg_generation *g = &shapes->kept;
    dGeomID leaf = peg_geom_leaf(geom);
    const void *data = dGeomTriMeshGetData(leaf);
    for (int i = 0; i < g->geom.n; i++)
        if (g->of[i].mesh && g->of[i].is.data == data) g->of[i].doubted = 1;
}
