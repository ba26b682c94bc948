/* Which triangles of a mesh need a pair of their own with a convex part: those of which a face, an
 * edge or a vertex could be the first to be touched. A triangle that the part can only get to by
 * way of its neighbours is kept apart by them. */
#ifndef PEG_COVER_H
#define PEG_COVER_H

#include "peg/complex.h"
#include "peg/memory.h"

/* A part near a mesh, in the frame of the mesh. */
typedef struct peg_cover {
    const peg_complex *mesh;
    peg_view part;
    double reach; /* how near what counts is, m */
    double way;   /* how far the points of the part get relative to the mesh, at most, m */
    double deep;  /* how far the part's features get while it also shrinks by `way`, m */
    int all;      /* it gets too far for what follows: all triangles near to it count */
    double axis[3], length; /* of a segment: unit, m */
} peg_cover;

/* The part as `view` shows it, near a mesh at (x, R), with arrays in the arena. Returns 0 without
 * memory. */
int peg_cover_begin(peg_arena *arena, const peg_complex *mesh, const double x[3], const double R[9],
                    const peg_view *view, double reach, double way, peg_cover *out);

typedef enum peg_need {
    PEG_NOT_NEEDED,
    PEG_NEEDED,     /* if it is within reach */
    PEG_NEEDED_DEEP /* if it has met the part */
} peg_need;

/* What a triangle counts for. */
peg_need peg_cover_need(const peg_cover *cover, int triangle);

#endif
