/* A patch of contacts along one direction; a face as another one clips it, seen along the normal of
 * the latter, the reference face. */
#ifndef PEG_PATCH_CLIP_H
#define PEG_PATCH_CLIP_H

#include "peg/base/math.h"
#include "peg/collide/features.h"

/* --- patches --- */

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

/* --- clipping --- */

/* Corners of a face that can be clipped, and sides of one that clips. */
enum { PEG_CLIP_SIDES = 16, PEG_CLIP_CORNERS = 2 * PEG_CLIP_SIDES };

/* A corner of what is left. A side of it lies on a side of the one face or of the other. */
typedef struct peg_clip_corner {
    double at[3]; /* along two directions across the reference face's normal, and along it, m */
    int from, to; /* the sides before and after it: of the clipped face, or PEG_CLIP_SIDES and that
                     of the reference face */
} peg_clip_corner;

/* A side of the reference face: what is inside has outward . at <= limit. */
typedef struct peg_clip_side {
    double outward[2], limit;
    int v[2]; /* its vertices */
} peg_clip_side;

typedef struct peg_clip {
    peg_clip_side side[PEG_CLIP_SIDES]; /* of the reference face */
    int sides;
    int vertex[PEG_CLIP_SIDES]; /* of the clipped face, in their order: side k begins at the k-th */
    int corners;
    peg_clip_corner polygon[PEG_CLIP_CORNERS]; /* in: the clipped face; out: what is left */
    int count;
} peg_clip;

/* Takes what is beyond the sides off the polygon. */
void peg_clip_face(peg_clip *clip);

/* The features at a corner. */
typedef enum peg_clip_feature {
    PEG_CLIP_VERTEX, /* vertex i of the clipped face */
    PEG_CLIP_UNDER,  /* vertex i of the reference face */
    PEG_CLIP_EDGES /* the edge between vertices i[0] and i[1] of the clipped one, j of the other */
} peg_clip_feature;

typedef struct peg_clip_name {
    peg_clip_feature feature;
    int i[2], j[2];
} peg_clip_name;

peg_clip_name peg_clip_name_of(const peg_clip *clip, const peg_clip_corner *corner);

#endif
