/* Handing pairs over. */
#include "plugin/world.h"

static int asks_for_more(const dSurfaceParameters *surface)
{
    int modes = dContactBounce | dContactSoftERP | dContactSoftCFM | dContactMotion1 |
                dContactMotion2 | dContactMotionN | dContactSlip1 | dContactSlip2 | dContactRolling;
    return surface->mu != 0 || (surface->mode & modes) != 0 ||
           ((surface->mode & dContactMu2) && surface->mu2 != 0);
}

typedef struct pairs {
    pegWorldID peg;
    pegStatus status; /* of the first pair that failed */
} pairs;

static void hand_over(void *data, dGeomID o1, dGeomID o2)
{
    pairs *p = data;
    pegStatus status = pegCollide(p->peg, o1, o2, NULL);
    if (p->status == PEG_OK) p->status = status;
}

pegStatus pegCollide(pegWorldID peg, dGeomID o1, dGeomID o2, const dSurfaceParameters *surface)
{
    if (!peg || !o1 || !o2) return PEG_ERROR_ARGUMENT;
    if (surface && asks_for_more(surface))
        peg_say(&peg->glue->report, PEG_CAUSE_SURFACE, PEG_OK,
                "contacts are frictionless in this version: friction, bounce, softness and motion "
                "of surfaces are left out");
    if (!dGeomIsSpace(o1) && !dGeomIsSpace(o2)) return peg_glue_hand_over(peg->glue, o1, o2);
    pairs p = {peg, PEG_OK};
    dSpaceCollide2(o1, o2, &p, hand_over);
    return p.status;
}

void pegNearCallback(void *data, dGeomID o1, dGeomID o2)
{
    peg_glue *glue = ((pegWorldID)data)->glue;
    int space1 = dGeomIsSpace(o1), space2 = dGeomIsSpace(o2);
    if (!space1 && !space2) {
        peg_glue_near(glue, o1, o2);
        return;
    }
    int swept1 = peg_glue_sweeps(glue, o1), swept2 = peg_glue_sweeps(glue, o2);
    if (!swept1 || !swept2) dSpaceCollide2(o1, o2, data, pegNearCallback);
    if (space1 && !swept1) dSpaceCollide((dSpaceID)o1, data, pegNearCallback);
    if (space2 && !swept2) dSpaceCollide((dSpaceID)o2, data, pegNearCallback);
}
