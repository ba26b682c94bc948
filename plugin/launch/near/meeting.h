/* Two geoms that dCollide was asked for. */
#ifndef PEG_LAUNCH_MEETING_H
#define PEG_LAUNCH_MEETING_H

#include "plugin/launch/world/world_registry.h"

/* Two geoms, as far as they matter here. */
typedef struct peg_meeting {
    dGeomID geom[2];
    peg_world_entry *entry;
    double size, width; /* m, of the smaller one */
    double reach;       /* m: up to which they count */
    double turning;     /* m: part of it that comes from turning */
    double closing[3];  /* m: way of the first relative to the second in the coming step */
    double falling[3];  /* m: what gravity alone adds to the way of one of them */
    double usual;       /* m: depth at which the program made contact joints of the pair */
} peg_meeting;

/* What dCollide was asked for. */
typedef struct peg_output {
    dContactGeom *contact;
    int flags, skip;
    int n;       /* found so far, where there are several pairs */
    double rest; /* of contacts across gaps: share of the step's way that is still to be gone */
} peg_output;

static inline dContactGeom *peg_contact_at(dContactGeom *contact, int skip, int i)
{
    return (dContactGeom *)((char *)contact + (size_t)i * (size_t)skip);
}

/* The meeting of a pair of which one may move; 0 if the boxes are too far from each other, or the
 * contacts are left to ODE. */
int peg_meeting_measure(peg_world_entry *entry, dGeomID a, dGeomID b, peg_meeting *m);

/* Gives a contact of depth < 0, minus the gap (which may be less by `drift`), the depth that it
 * will have at the end of the step if one of the bodies is not held (`rest`: of the step that is
 * still to be gone), or the depth at which the program is used to take it, if that is more: a
 * program that leaves shallow contacts out would otherwise drop the bodies again that it just held.
 */
void peg_meeting_expect(const peg_meeting *m, double drift, double rest, dContactGeom *contact);
/* Of one that ODE found: as deep as it is, but not less than before it was found. */
void peg_meeting_deepen(const peg_meeting *m, dContactGeom *contact);

#endif
