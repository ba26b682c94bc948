/* Contacts of a pair of parts along one direction, and along that of edges that are nearer. */
#ifndef PEG_CONTACT_PATCH_H
#define PEG_CONTACT_PATCH_H

#include "peg/base/math.h"
#include "peg/collide/features.h"

typedef struct peg_patch_contact {
    peg_vec3 point;  /* world, in the middle between the parts, m */
    double gap;      /* along its normal, m */
    int is_of_edges; /* its normal is the patch's `across` */
    /* As in peg_row; edges by their ends v < w: v times the number of vertices, + w. */
    peg_feature_kind kind;
    int i, j;
} peg_patch_contact;

/* Contacts of a patch, at most: those of a square clipped by a square. */
enum { PEG_PATCH_MOST = 8 };

typedef struct peg_patch {
    peg_vec3 normal, across; /* unit, from B to A; across: the two edges of a contact of its own */
    int count;
    peg_patch_contact contact[PEG_PATCH_MOST];
} peg_patch;

static inline double peg_patch_least_gap(const peg_patch *patch)
{
    double least = INFINITY;
    for (int k = 0; k < patch->count; k++) least = peg_min(least, patch->contact[k].gap);
    return least;
}

/* Adds the one contact of two edges to those of a face, if its gap is less than theirs; where the
 * patch is full the last one makes way. */
static inline void peg_patch_add_edges(peg_patch *patch, const peg_patch *edges)
{
    if (edges->count == 0 || edges->contact[0].gap >= peg_patch_least_gap(patch)) return;
    int last = patch->count < PEG_PATCH_MOST ? patch->count++ : PEG_PATCH_MOST - 1;
    peg_copy3(edges->normal, patch->across);
    patch->contact[last] = edges->contact[0];
    patch->contact[last].is_of_edges = 1;
}

#endif
