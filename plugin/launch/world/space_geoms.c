#include "plugin/launch/world/space_geoms.h"
#include "plugin/launch/base/real_ode.h"

typedef void each_function(void *context, dGeomID geom);

typedef struct probe {
    dGeomID geom;
    each_function *each;
    void *context;
} probe;

static void meet_probe(void *data, dGeomID a, dGeomID b)
{
    const probe *p = data;
    p->each(p->context, a == p->geom ? b : a);
}

/* dSpaceGetGeom aborts for quad-tree spaces; a sphere that fills the world meets their geoms. */
static void each_by_probe(dSpaceID space, each_function *each, void *context)
{
    probe p = {dCreateSphere(NULL, dInfinity), each, context};
    peg_ode->dSpaceCollide2(p.geom, (dGeomID)space, &p, meet_probe);
    peg_ode->dGeomDestroy(p.geom);
}

void peg_each_geom(dSpaceID space, each_function *each, void *context)
{
    if (dSpaceGetClass(space) == dQuadTreeSpaceClass) {
        each_by_probe(space, each, context);
        return;
    }
    int n = dSpaceGetNumGeoms(space);
    for (int i = 0; i < n; i++) each(context, dSpaceGetGeom(space, i));
}
