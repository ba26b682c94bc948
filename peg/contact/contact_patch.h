/* Contacts of a pair of parts along one direction. */
#ifndef PEG_CONTACT_PATCH_H
#define PEG_CONTACT_PATCH_H

#include "peg/base/math.h"
#include "peg/collide/features.h"

typedef struct peg_patch_contact {
    peg_vec3 point; /* world, in the middle between the parts, m */
    double gap;     /* along the patch's normal, m */
    /* As in peg_row; edges by their ends v < w: v times the number of vertices, + w. */
    peg_feature_kind kind;
    int i, j;
} peg_patch_contact;

/* Contacts of a patch, at most: those of a square clipped by a square. */
enum { PEG_PATCH_MOST = 8 };

typedef struct peg_patch {
    peg_vec3 normal; /* unit, from B to A */
    int count;
    peg_patch_contact contact[PEG_PATCH_MOST];
} peg_patch;

#endif
