/* The contact patch of two boxes, or of a box and a half-space, along a separating axis. */
#ifndef PEG_PATCH_BOX_H
#define PEG_PATCH_BOX_H

#include "peg/collide/box_box.h"
#include "peg/contact/contact_patch.h"

/* Points of the faces, or edges, of the axis that are no more than `reach` farther apart than the
 * nearest ones. Faces that lie beside each other make none. */
void peg_box_patch_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis, double reach,
                        peg_patch *out);
/* Adds to the patch of a face axis the contact of the edges that part the boxes farther than any
 * face, where they are nearer to each other than what the face makes. */
void peg_box_patch_add_edges(const peg_box *a, const peg_box *b, peg_patch *patch);
/* Of a face axis: all corners of the other box that are within `reach` of the face's plane. */
void peg_box_corners_find(const peg_box *a, const peg_box *b, const peg_box_axis *axis,
                          double reach, peg_patch *out);
/* Of the plane's unit normal (into the box), which is B, or with `flipped` A: at most four corners
 * that are no more than `reach` higher than the lowest one. */
void peg_box_plane_find(const peg_box *box, const double normal[3], double offset, int flipped,
                        double reach, peg_patch *out);

#endif
