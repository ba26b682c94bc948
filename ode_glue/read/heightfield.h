/* Heightfields. ODE keeps their samples to itself: they are seen when they are set (see
 * ode_glue/read/registry.h).
 *
 * As ODE 0.16.2 has it (measured): sample (i, j) lies at x = width (i / (width samples - 1) - 1/2),
 * z = depth (j / (depth samples - 1) - 1/2), y = scale * sample + offset in the geom's frame; a
 * cell is cut from (i + 1, j) to (i, j + 1). A field that wraps repeats itself with the periods
 * width and depth, its last column and row being the first ones. */
#ifndef PEG_HEIGHTFIELD_H
#define PEG_HEIGHTFIELD_H

#include "peg/shape/triangle_mesh.h"
#include <ode/ode.h>
#include <stdatomic.h>

typedef struct peg_heightfield {
    double width, depth;
    int columns, rows; /* samples along x and z */
    int wrap;
    atomic_int users;                 /* the registry, and every geom's shape, in whatever world */
    double *height;                   /* columns * rows, scaled, along x first */
    double high;                      /* m: largest |height| */
    peg_triangle_mesh *triangle_mesh; /* null: of a field that wraps, see peg_window */
} peg_heightfield;

/* With all heights zero, to be filled in. Errors: MEMORY. */
pegStatus peg_heightfield_create(double width, double depth, int columns, int rows, int wrap,
                                 peg_heightfield **out);
/* Takes the field over, filled in, in place of the one the data had. Errors (the field is then
 * freed): NOT_FINITE, SHAPE_EMPTY, MEMORY. */
pegStatus peg_heightfield_set(dHeightfieldDataID data, peg_heightfield *field);
/* Null if unknown. *version: as of peg_registry_find. Lives until the data are set anew or
 * forgotten, and as long as others use it. */
peg_heightfield *peg_heightfield_find(dHeightfieldDataID data, unsigned long *version);
void peg_heightfield_use(peg_heightfield *field);
void peg_heightfield_leave(peg_heightfield *field); /* the last user frees it */
/* Whether ODE's rays meet the field where it is: in one cell, another one for each `turn`, or in
 * cells all over it, too. Not so if the data were destroyed and others came to lie at their
 * address, or if other samples were registered than are there. */
int peg_heightfield_is_of(const peg_heightfield *field, dHeightfieldDataID data, int all,
                          unsigned long turn);
void peg_heightfield_forget(dHeightfieldDataID data);

/* Cells from[0] <= i < to[0], from[1] <= j < to[1], which of a field that wraps may be any.
 * Triangle 2 c + 1 is the half towards (i + 1, j + 1) of cell c, c = (j - from[1]) (to[0] -
 * from[0]) + i - from[0]. Errors: NOT_FINITE, SHAPE_EMPTY, MEMORY. */
pegStatus peg_heightfield_cells(const peg_heightfield *field, const int from[2], const int to[2],
                                peg_triangle_mesh **out);

#endif
