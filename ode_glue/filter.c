/* Which pairs may touch: those handed over, those that the program's near callback hands over when
 * it is asked, or those that ODE's spaces would report and that no joint connects. */
#include "ode_glue/convex.h"
#include "ode_glue/glue.h"

#include <stdint.h>
#include <stdio.h>

static int bits_match(dGeomID a, dGeomID b)
{
    return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) ||
           (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
}

static int depth_of(dGeomID geom)
{
    int depth = 0;
    for (dSpaceID s = dGeomGetSpace(geom); s; s = dGeomGetSpace((dGeomID)s)) depth++;
    return depth;
}

/* The geom itself or the space about it that lies `depth` levels below the outermost space. */
static dGeomID at_depth(dGeomID geom, int own_depth, int depth)
{
    for (; own_depth > depth; own_depth--) geom = (dGeomID)dGeomGetSpace(geom);
    return geom;
}

/* Both lie in spaces. ODE descends from the space that holds both, or from the two outermost ones,
 * and compares the bits of what it meets on either side, level by level: a sub-space's bits count
 * like a geom's. */
static int spaces_pass(dGeomID a, dGeomID b)
{
    int da = depth_of(a), db = depth_of(b), deepest = da > db ? da : db, pass = 1;
    for (int d = 1; d <= deepest && pass; d++) {
        dGeomID x = at_depth(a, da, d), y = at_depth(b, db, d);
        if (x != y) pass = bits_match(x, y);
    }
    return pass;
}

static int joint_connects(dGeomID a, dGeomID b)
{
    dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
    return x && y && dAreConnectedExcluding(x, y, dJointTypeContact);
}

int peg_glue_sweeps(const peg_glue *glue, dGeomID geom)
{
    dSpaceID first = dGeomIsSpace(geom) ? (dSpaceID)geom : dGeomGetSpace(geom);
    for (dSpaceID s = first; s; s = dGeomGetSpace((dGeomID)s))
        for (int i = 0; i < glue->spaces; i++)
            if (glue->space[i] == s) return 1;
    return 0;
}

static void order(dGeomID *a, dGeomID *b)
{
    if ((uintptr_t)*a > (uintptr_t)*b) {
        dGeomID swap = *a;
        *a = *b;
        *b = swap;
    }
}

int peg_glue_may_touch(void *context, const peg_part *a, const peg_part *b)
{
    peg_glue *glue = context;
    const peg_shape *sa = a->user, *sb = b->user;
    dGeomID x = sa->geom, y = sb->geom;
    order(&x, &y);
    if (peg_map_find(&glue->handed, x, y) >= 0) return 1;
    if (!sa->swept || !sb->swept || !spaces_pass(x, y)) return 0;
    if (!glue->near) return !joint_connects(x, y);
    glue->asked[0] = x;
    glue->asked[1] = y;
    glue->accepted = 0;
    glue->near(glue->near_data, sa->geom, sb->geom);
    glue->asked[0] = glue->asked[1] = NULL;
    return glue->accepted;
}

pegStatus peg_glue_check_class(peg_glue *glue, dGeomID geom)
{
    static const char *const name[] = {"sphere", "box",    "capsule",   "cylinder", "plane",
                                       "ray",    "convex", "transform", "trimesh",  "heightfield"};
    int class = dGeomGetClass(geom);
    char text[128];
    if (peg_class_is_exact(class)) return PEG_OK;
    snprintf(text, sizeof text, "%s geoms have no exact contacts yet: their pairs are ignored",
             class <= dHeightfieldClass ? name[class] : "user-class");
    if (class != dRayClass)
        peg_say(&glue->report, PEG_CAUSE_CLASS + class, PEG_ERROR_GEOM_CLASS, text);
    return PEG_ERROR_GEOM_CLASS;
}

static int is_asked(const peg_glue *glue, dGeomID a, dGeomID b)
{
    order(&a, &b);
    return glue->stepping && a == glue->asked[0] && b == glue->asked[1];
}

pegStatus peg_glue_hand_over(peg_glue *glue, dGeomID a, dGeomID b)
{
    pegStatus class_a = peg_glue_check_class(glue, a), class_b = peg_glue_check_class(glue, b);
    if (dGeomGetClass(a) == dRayClass || dGeomGetClass(b) == dRayClass) return PEG_OK;
    if (class_a != PEG_OK || class_b != PEG_OK) return PEG_ERROR_GEOM_CLASS;
    if (is_asked(glue, a, b)) {
        glue->accepted = 1;
        return PEG_OK;
    }
    dGeomID x = a, y = b;
    unsigned long version;
    order(&x, &y);
    if (peg_map_add(&glue->handed, x, y) < 0) {
        glue->pair_lost = 1;
        return peg_fail(&glue->report, PEG_ERROR_MEMORY);
    }
    for (int i = 0; i < 2; i++, x = y)
        if (dGeomGetClass(x) == dConvexClass && !peg_convex_find(x, &version))
            return peg_fail(&glue->report, PEG_ERROR_SHAPE_UNKNOWN);
    return PEG_OK;
}

void peg_glue_near(peg_glue *glue, dGeomID a, dGeomID b)
{
    int found_by_sweep = peg_glue_sweeps(glue, a) && peg_glue_sweeps(glue, b);
    if (found_by_sweep && !is_asked(glue, a, b)) return;
    if (!joint_connects(a, b)) peg_glue_hand_over(glue, a, b);
}
