#include "ode_glue/read/convex.h"
#include "ode_glue/read/registry.h"

/* A registered shape is the geom's own if their bounding boxes agree to this, relative to the size
 * and the distance from the origin: building the shape may move a vertex by 1e-7 of its size, the
 * arrays of another shape miss by far. */
static const double SAME_BOX = 1e-6;

static void release(void *shape)
{
    peg_polytope_free(shape);
}

pegStatus peg_convex_set(dGeomID geom, peg_polytope *shape)
{
    return peg_registry_set(geom, shape, release);
}

const peg_polytope *peg_convex_find(dGeomID geom, unsigned long *version)
{
    return peg_registry_find(geom, release, version);
}

void peg_convex_forget(dGeomID geom)
{
    peg_registry_forget(geom);
}

static int boxes_agree(const peg_polytope *shape, dGeomID geom)
{
    dReal box[6];
    dGeomGetAABB(geom, box);
    const dReal *x = dGeomGetPosition(geom), *R = dGeomGetRotation(geom);
    double size = shape->radius + peg_norm(shape->centre) + peg_norm(x), lo[3], hi[3];
    double turn[9] = {R[0], R[1], R[2], R[4], R[5], R[6], R[8], R[9], R[10]};
    peg_box_of_points((const peg_vec3 *)shape->vertex, shape->nv, turn, lo, hi);
    for (int k = 0; k < 3; k++)
        if (!(fabs(x[k] + lo[k] - box[2 * k]) <= SAME_BOX * size &&
              fabs(x[k] + hi[k] - box[2 * k + 1]) <= SAME_BOX * size))
            return 0;
    return 1;
}

int peg_convex_is_of(const peg_polytope *shape, dGeomID geom)
{
    if (boxes_agree(shape, geom)) return 1;
    /* makes ODE compute the bounding box anew; dGeomSetConvex leaves the old one in place */
    dBodyID body = dGeomGetBody(geom);
    const dReal *x = body ? dBodyGetPosition(body) : dGeomGetPosition(geom);
    if (body)
        dBodySetPosition(body, x[0], x[1], x[2]);
    else
        dGeomSetPosition(geom, x[0], x[1], x[2]);
    return boxes_agree(shape, geom);
}
