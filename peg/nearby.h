/* Which triangles of a mesh are near to a part, kept from step to step: as long as the part has not
 * got far in the frame of the mesh, the mesh is not searched again. What is kept is more than what
 * is near; what of it is near is found anew in every step, and is the same as in a search of the
 * whole mesh. */
#ifndef PEG_NEARBY_H
#define PEG_NEARBY_H

#include <stdint.h>

#include "peg/complex.h"
#include "peg/memory.h"

/* What of a part is near to a mesh, in the frame of the mesh. */
typedef struct peg_outline {
    uint64_t mesh; /* its print */
    int points, planes;
    const peg_vec3 *point;  /* whose convex hull, with a radius, the part is in */
    const peg_vec3 *normal; /* of its faces, unit */
    const double *offset;
    const double *centre;
    double round, rim; /* as of a polytope, m */
} peg_outline;

/* A triangle of the mesh. */
typedef struct peg_nearby_item {
    double clear; /* it is out of reach as long as the path and the reach come to less, m */
    int triangle;
} peg_nearby_item;

/* The triangles near to one part. */
typedef struct peg_nearby {
    uint64_t low, high; /* ids of the parts; 0: unused */
    unsigned long used; /* in this step */
    peg_outline outline;
    double *number; /* of the outline */
    size_t numbers;
    double arm;  /* of what is known by the part's faces: from the part's centre, m */
    double path; /* that points and faces, up to the arm, have taken at most since the list
                    was made, m; infinite: none was made */
    double kept; /* it has all that may be in reach before they come to more than this, m */
    peg_nearby_item *item;
    size_t items, capacity;
} peg_nearby;

/* Those of all parts. */
typedef struct peg_nearby_table {
    peg_nearby *list;
    size_t lists, capacity;
    size_t *slot; /* by hash: 1 more than the list's index; 0: none */
    size_t slots; /* a power of 2, more than twice the lists */
    unsigned long step;
} peg_nearby_table;

/* Another step begins. */
void peg_nearby_step(peg_nearby_table *table);
/* The list of two parts, empty if there is none yet. Null without memory. What was not asked for in
 * the last step or this one may be given up for others. */
peg_nearby *peg_nearby_find(peg_nearby_table *table, uint64_t low, uint64_t high);
/* Takes the path on to where the part is now; returns 0 if there is no list of it. */
int peg_nearby_follow(peg_nearby *list, const peg_outline *outline);
/* Empties the list and takes an outline. Returns 0 without memory: the list is good for nothing. */
int peg_nearby_start(peg_nearby *list, const peg_outline *outline, double arm);
/* Appends; 0 without memory. */
int peg_nearby_add(peg_nearby *list, const peg_nearby_item *item);
size_t peg_nearby_bytes(const peg_nearby_table *table);
void peg_nearby_free(peg_nearby_table *table);

#endif
