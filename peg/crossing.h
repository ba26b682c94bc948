/* Which triangles of a mesh are near to another mesh. */
#ifndef PEG_CROSSING_H
#define PEG_CROSSING_H

#include "peg/complex.h"

/* Two meshes, the frame of the first one in that of the second: y = R x + at. */
typedef struct peg_crossing {
    const peg_complex *mesh, *other;
    double R[9], at[3];
    double by;   /* how near counts, m; what turns with the other one counts from farther off: */
    double spin; /* rad, */
    double pivot[3]; /* in the frame of the other one */
    double arm;      /* largest distance of the other one's points from there, m */
} peg_crossing;

/* Calls visit for the triangles of the first mesh the boxes about which meet a box in its frame and
 * are near to triangles of the other one, in a fixed order. */
void peg_crossing_search(const peg_crossing *crossing, const peg_aabb *box,
                         peg_triangle_visitor *visit, void *context);

#endif
