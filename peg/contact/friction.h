/* Friction rows of a contact. */
#ifndef PEG_FRICTION_H
#define PEG_FRICTION_H

#include "peg/contact/island.h"

/* Sliding slower than this share of the two points' speeds has no defined direction. */
#define PEG_NO_SLIDING 5e-2

/* Geometry of a contact for its friction rows. */
typedef struct peg_friction_frame {
    double normal[3]; /* into A */
    double mid_point[3];
} peg_friction_frame;
/* Appends the friction rows of the normal row that was added last. */
void peg_friction_rows(peg_island *island, const peg_pair *pair, const peg_pair_pose *at,
                       const peg_friction_frame *frame, peg_row_set *out);
int peg_has_friction(const peg_surface *surface);

#endif
