/* The incident face clipped by the sides of the reference face, seen along the normal of the
 * latter. */
#ifndef PEG_FACE_CLIP_H
#define PEG_FACE_CLIP_H

/* Sides of a face, and corners of a clipped one, at most. */
enum { PEG_CLIP_SIDES = 16, PEG_CLIP_CORNERS = 2 * PEG_CLIP_SIDES };

/* What the reference face is widened by, as a share of its half sides or of its part's size:
 * corners beside it that a small turn could bring above it. Without, needles of 40 bodies take
 * twice the time (8.4 -> 16.8 s for 2 s at h .02). */
#define PEG_CLIP_ROOM 2e-3

/* A corner of the polygon. Each of its sides lies on a side of the incident or the reference face.
 */
typedef struct peg_clip_corner {
    double at[3]; /* along two directions across the reference face's normal, and along it, m */
    int from, to; /* the sides before and after it: of the incident face, or PEG_CLIP_SIDES and that
                     of the reference face */
} peg_clip_corner;

/* A side of the reference face: what is inside has outward . at <= limit. */
typedef struct peg_clip_side {
    double outward[2], limit; /* m */
    int v[2];                 /* its vertices */
} peg_clip_side;

typedef struct peg_clip {
    peg_clip_side side[PEG_CLIP_SIDES]; /* of the reference face */
    int sides;
    int vertex[PEG_CLIP_SIDES]; /* of the incident face, in their order: side k begins at the k-th
                                 */
    int corners;
    peg_clip_corner polygon[PEG_CLIP_CORNERS]; /* in: the incident face; out: what is left of it */
    int count;
} peg_clip;

/* Sutherland and Hodgman 1974: one side of the reference face after the other. */
void peg_clip_face(peg_clip *clip);

typedef enum peg_clip_feature {
    PEG_CLIP_INCIDENT_VERTEX,  /* vertex i of the incident face */
    PEG_CLIP_REFERENCE_VERTEX, /* vertex i of the reference face */
    PEG_CLIP_EDGE_EDGE         /* edge i[0] to i[1] of the incident face, j of the reference face */
} peg_clip_feature;

/* What meets at a corner. */
typedef struct peg_clip_features {
    peg_clip_feature feature;
    int i[2], j[2];
} peg_clip_features;

peg_clip_features peg_clip_features_at(const peg_clip *clip, const peg_clip_corner *corner);

#endif
