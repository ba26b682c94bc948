/* The contact patch of two boxes, or of a box and a half-space, along a separating axis. */
#ifndef PEG_PATCH_BOX_H
#define PEG_PATCH_BOX_H

#include "peg/collide/box_box.h"
#include "peg/collide/features.h"

typedef struct peg_box_contact {
    peg_vec3 point; /* world, in the middle between the parts, m */
    double gap;     /* along the patch's normal, m */
    /* As in peg_row; edges by their ends: 8 v + w, v < w, corner bit k set: + half of side k. */
    peg_feature_kind kind;
    int i, j;
} peg_box_contact;

/* Contacts of a patch, at most: a square clipped by a square. */
enum { PEG_BOX_PATCH = 8 };

typedef struct peg_box_patch {
    peg_vec3 normal; /* unit, from B to A */
    int count;
    peg_box_contact contact[PEG_BOX_PATCH];
} peg_box_patch;

/* Points of the faces, or edges, of the axis that are no more than `reach` farther apart than the
 * nearest ones. Faces that lie beside each other make none. */
void peg_box_patch_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis, double reach,
                        peg_box_patch *out);
/* Of a face axis: all corners of the other box that are within `reach` of the face's plane. */
void peg_box_corners_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis,
                          double reach, peg_box_patch *out);
/* Of the plane's unit normal (into the box), which is B, or with `flipped` A: at most four corners
 * that are no more than `reach` higher than the lowest one. */
void peg_box_plane_find(const peg_box *box, const double normal[3], double offset, int flipped,
                        double reach, peg_box_patch *out);

#endif
