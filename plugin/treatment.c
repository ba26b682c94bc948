/* Which pairs are exact. */
#include "ode_glue/read/geom.h"
#include "ode_glue/read/heightfield.h"
#include "ode_glue/read/shape.h"
#include "plugin/ode-peg.h"

static int is_mobile(dGeomID geom)
{
    dBodyID body = dGeomGetBody(geom);
    return body && !dBodyIsKinematic(body);
}

pegCollisionMode pegClassCollisionMode(int class1, int class2)
{
    if (!peg_class_has_contacts(class1) || !peg_class_has_contacts(class2))
        return PEG_COLLISION_NONE;
    if (!peg_class_is_known(class1) || !peg_class_is_known(class2)) return PEG_COLLISION_ODE;
    return PEG_COLLISION_EXACT;
}

/* The class that the geom's pairs are treated by; -1: it has no contacts. */
static int treated_class(dGeomID geom)
{
    dGeomID leaf = peg_geom_leaf(geom);
    unsigned long version;
    if (!leaf || dGeomIsSpace(leaf) || peg_geom_is_empty(leaf)) return -1;
    int class = dGeomGetClass(leaf);
    int unseen = class == dHeightfieldClass &&
                 !peg_heightfield_find(dGeomHeightfieldGetHeightfieldData(leaf), &version);
    return unseen ? dFirstUserClass : class;
}

pegCollisionMode pegPairCollisionMode(dGeomID a, dGeomID b)
{
    if (!a || !b || (!is_mobile(a) && !is_mobile(b)) || dGeomGetBody(a) == dGeomGetBody(b))
        return PEG_COLLISION_NONE;
    return pegClassCollisionMode(treated_class(a), treated_class(b));
}
