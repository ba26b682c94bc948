/* Handing pairs over. */
#include "plugin/world.h"

typedef struct pairs {
    pegWorldID peg;
    const dSurfaceParameters *surface;
    pegStatus status; /* of the first pair that failed */
} pairs;

static void hand_over(void *data, dGeomID o1, dGeomID o2)
{
    pairs *p = data;
    pegStatus status = pegWorldAddPair(p->peg, o1, o2, p->surface);
    if (p->status == PEG_OK) p->status = status;
}

pegStatus pegWorldAddPair(pegWorldID peg, dGeomID o1, dGeomID o2, const dSurfaceParameters *surface)
{
    if (!peg || !o1 || !o2) return PEG_ERROR_ARGUMENT;
    if (!dGeomIsSpace(o1) && !dGeomIsSpace(o2)) {
        peg_pair_entry how = {.first = o1, .has_surface = 1};
        if (surface) how.surface = *surface;
        return peg_glue_add_pair(peg->glue, o1, o2, surface ? &how : NULL);
    }
    pairs p = {peg, surface, PEG_OK};
    dSpaceCollide2(o1, o2, &p, hand_over);
    return p.status;
}

pegStatus pegWorldAddPairContact(pegWorldID peg, const dContact *contact, dJointFeedback *feedback)
{
    if (!peg || !contact) return PEG_ERROR_ARGUMENT;
    dGeomID g1 = contact->geom.g1, g2 = contact->geom.g2;
    if (!g1 || !g2 || dGeomIsSpace(g1) || dGeomIsSpace(g2)) return PEG_ERROR_ARGUMENT;
    peg_pair_entry how = {.first = g1, .has_surface = 1, .surface = contact->surface};
    how.feedback = feedback;
    if (feedback) *feedback = (dJointFeedback){0};
    if (contact->surface.mode & dContactFDir1) {
        peg_copy3(contact->fdir1, how.fdir1);
        if (!isfinite(how.fdir1[0] + how.fdir1[1] + how.fdir1[2])) return PEG_ERROR_NOT_FINITE;
    }
    return peg_glue_add_pair(peg->glue, g1, g2, &how);
}

void pegNearCallback(void *data, dGeomID o1, dGeomID o2)
{
    if (!data || !o1 || !o2) return;
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
