#include "ode_glue/shape.h"
#include "ode_glue/convex.h"
#include "peg/memory.h"

_Static_assert(sizeof(dReal) == sizeof(double), "ODE must be built in double precision");

/* A registered shape is the geom's own if their bounding boxes agree to this, relative to the size
 * and the distance from the origin: building the shape may move a vertex by 1e-7 of its size, the
 * arrays of another shape miss by far. */
static const double SAME_BOX = 1e-6;

int peg_class_is_exact(int class)
{
    return class == dBoxClass || class == dPlaneClass || class == dConvexClass;
}

static int boxes_agree(const peg_polytope *shape, dGeomID geom)
{
    dReal box[6];
    dGeomGetAABB(geom, box);
    const dReal *x = dGeomGetPosition(geom), *R = dGeomGetRotation(geom);
    double size = shape->radius + peg_norm(shape->centre) + peg_norm(x);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < shape->nv; i++) {
            double c = x[k] + peg_dot(R + 4 * k, shape->vertex[i]);
            low = fmin(low, c);
            high = fmax(high, c);
        }
        int same = fabs(low - box[2 * k]) <= SAME_BOX * size &&
                   fabs(high - box[2 * k + 1]) <= SAME_BOX * size;
        if (!same) return 0;
    }
    return 1;
}

/* Makes ODE compute the bounding box anew; dGeomSetConvex leaves the old one in place. */
static void mark_moved(dGeomID geom)
{
    dBodyID body = dGeomGetBody(geom);
    const dReal *x = body ? dBodyGetPosition(body) : dGeomGetPosition(geom);
    if (body)
        dBodySetPosition(body, x[0], x[1], x[2]);
    else
        dGeomSetPosition(geom, x[0], x[1], x[2]);
}

/* Whether ODE sees the geom where the shape is. Not so if the geom was destroyed and another one
 * came to lie at its address, or if its arrays were changed. */
static int is_shape_of(const peg_polytope *shape, dGeomID geom)
{
    if (boxes_agree(shape, geom)) return 1;
    mark_moved(geom);
    return boxes_agree(shape, geom);
}

/* What determines the shape. */
static void read_parameters(dGeomID geom, peg_shape *out)
{
    dVector3 sides = {0};
    dVector4 plane = {0};
    out->class = dGeomGetClass(geom);
    if (out->class == dBoxClass) {
        dGeomBoxGetLengths(geom, sides);
        peg_copy3(sides, out->size);
    } else if (out->class == dPlaneClass) {
        dGeomPlaneGetParams(geom, plane);
        memcpy(out->size, plane, sizeof out->size);
    } else if (out->class == dConvexClass) {
        out->shape = peg_convex_find(geom, &out->version);
    }
}

static int same_parameters(const peg_shape *a, const peg_shape *b)
{
    return a->class == b->class && a->version == b->version &&
           memcmp(a->size, b->size, sizeof a->size) == 0;
}

static pegStatus build(peg_shapes *shapes, peg_shape *s)
{
    const double *size = s->size;
    pegStatus status = PEG_OK;
    s->built = 1;
    s->id = ++shapes->last_id;
    if (!peg_class_is_exact(s->class)) {
        s->status = PEG_ERROR_GEOM_CLASS;
    } else if (s->class == dPlaneClass) {
        status = peg_polytope_half_space(size, size[3], &s->own);
    } else if (s->class == dBoxClass && (size[0] == 0 || size[1] == 0 || size[2] == 0)) {
        s->status = PEG_ERROR_SHAPE_EMPTY; /* dCollide finds no contacts of such a box either */
    } else if (s->class == dBoxClass) {
        status = peg_polytope_box(size, &s->own);
    }
    if (s->own) s->shape = s->own;
    return status;
}

/* Pose of the geom in the world; a plane has none. */
static int pose_is_finite(const peg_shape *s)
{
    if (s->class == dPlaneClass) return 1;
    const dReal *x = dGeomGetPosition(s->geom), *R = dGeomGetRotation(s->geom);
    double sum = x[0] + x[1] + x[2];
    for (int i = 0; i < 12; i++)
        if (i % 4 != 3) sum += R[i];
    return isfinite(sum);
}

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
    *s = (peg_shape){.geom = geom, .swept = swept};
    read_parameters(geom, s);
    int old = peg_map_find(&before->geom, geom, NULL);
    if (old >= 0 && same_parameters(s, &before->of[old])) {
        *s = before->of[old];
        s->swept = swept;
        s->built = 0;
    } else {
        pegStatus status = build(shapes, s);
        if (status != PEG_OK) return status;
    }
    if (s->status != PEG_OK) return PEG_OK;
    if (!pose_is_finite(s)) return PEG_ERROR_NOT_FINITE;
    if (s->class == dConvexClass && (!s->shape || !is_shape_of(s->shape, geom)))
        return PEG_ERROR_SHAPE_UNKNOWN;
    return PEG_OK;
}

void peg_shapes_end(peg_shapes *shapes, int keep)
{
    struct peg_generation *now = &shapes->coming, *before = &shapes->kept, swap = *now;
    if (keep) {
        for (int i = 0; i < before->geom.n; i++) {
            int j = peg_map_find(&now->geom, before->geom.key[i][0], NULL);
            if (j < 0 || now->of[j].built) peg_polytope_free(before->of[i].own);
        }
        *now = *before;
        *before = swap;
    } else {
        for (int i = 0; i < now->geom.n; i++)
            if (now->of[i].built) peg_polytope_free(now->of[i].own);
    }
    peg_map_clear(&now->geom);
}

void peg_shapes_free(peg_shapes *shapes)
{
    struct peg_generation *g = &shapes->kept;
    for (int i = 0; i < g->geom.n; i++) peg_polytope_free(g->of[i].own);
    for (int k = 0; k < 2; k++, g = &shapes->coming) {
        peg_map_free(&g->geom);
        peg_free(g->of);
    }
    *shapes = (peg_shapes){0};
}
