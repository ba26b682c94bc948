/* Heightfields that repeat themselves without end: of such a field only the cells about what could
 * touch it are there, in windows that do not meet each other. */
#ifndef PEG_HEIGHTFIELD_WINDOW_H
#define PEG_HEIGHTFIELD_WINDOW_H

#include "ode_glue/read/heightfield.h"

typedef struct peg_window {
    int from[2], to[2]; /* cells along x and z */
    peg_triangle_mesh *triangle_mesh;
    unsigned long id; /* as of peg_shape */
    int used;
} peg_window;

typedef struct peg_windows {
    peg_window *of;
    int n;
    size_t room;
} peg_windows;

/* Marks all windows as unused. */
void peg_windows_begin(peg_windows *windows);
/* A range of x and z in the frame of the field must be there: it will be in a single window.
 * Errors: MEMORY; GEOM_CLASS: too many cells. */
pegStatus peg_windows_need(peg_windows *windows, const peg_heightfield *field, const double low[2],
                           const double high[2]);
/* Drops the unused windows and builds the new ones, which take their numbers from *last_id. Errors:
 * MEMORY; GEOM_CLASS: too many cells. */
pegStatus peg_windows_end(peg_windows *windows, const peg_heightfield *field,
                          unsigned long *last_id);
void peg_windows_free(peg_windows *windows);

#endif
