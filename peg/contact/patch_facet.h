/* The contact patch of two polytopes with sharp edges, one of which may be a half-space, along the
 * facet that separates them. */
#ifndef PEG_PATCH_FACET_H
#define PEG_PATCH_FACET_H

#include "peg/collide/separation.h"
#include "peg/contact/contact_patch.h"

/* Whether the parts are such, with faces of few enough sides. */
int peg_have_facet_patches(const peg_polytope *A, const peg_polytope *B);

/* Points of the faces, or edges, of the facet (kind VF, FV or EE) that are no more than `reach`
 * farther apart than the nearest ones. Faces that lie beside each other make none. */
void peg_facet_patch_find(const peg_view *A, const peg_view *B, const peg_facet *facet,
                          double reach, peg_patch *out);
/* Adds to the patch of a face the contact of the edges that part the parts farther than any face,
 * where they are nearer to each other than what the face makes. */
void peg_facet_patch_add_edges(const peg_view *A, const peg_view *B, const peg_facet *face,
                               peg_patch *patch);
/* Of a face: the lowest vertices of the other part that are within `reach` of its plane. */
void peg_facet_corners_find(const peg_view *A, const peg_view *B, const peg_facet *facet,
                            double reach, peg_patch *out);

#endif
