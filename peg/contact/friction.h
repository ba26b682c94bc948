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
/* The first axis of rolling friction, t: that of the rolling without contact (wa, wb: rad/s), about
 * which the two rows have their full coefficient; as it was where axes are given, or nothing rolls.
 */
void peg_turn_to_rolling(const peg_surface *surface, const double *normal, const double *wa,
                         const double *wb, double *t);
/* Whether a contact with this gap, m, lands while others of the same two bodies are closed.
 * Friction with a fixed limit, or none, does not act there in this step: as they turn down to the
 * surface, points at two heights above it cannot both stand still, so that the body would stop in
 * the air. usual: gap that contacts of the island keep, m. */
static inline int peg_lands_later(const peg_pair *pair, double gap, double usual)
{
    return gap > 2 * (pair->nearest > usual ? pair->nearest : usual);
}
/* Finds peg_pair.nearest for that, from the separations of the pairs at q_0, and
 * peg_island.most_friction. */
void peg_friction_limits(peg_island *island);

#endif
