/* Parts of bodies as triangles, for programs that know nothing else. */
#ifndef LAB_TESSELLATE_H
#define LAB_TESSELLATE_H

#include "demos/report/trace.h"

typedef struct triangle_soup {
    float (*position)[3], (*normal)[3]; /* three for each triangle */
    int corners, room;
    int no_memory;
} triangle_soup;

/* Adds a part in the frame of its body. Polyhedra and meshes keep their faces, round parts get
 * `sectors` around; half-spaces become squares of the given half side about the foot of centre. */
void soup_add_part(triangle_soup *soup, const lab_shape *shape, int sectors, const double centre[3],
                   double half_side);
void soup_free(triangle_soup *soup);

#endif
