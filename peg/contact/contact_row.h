/* The rows of a contact: the normal one and those of friction. */
#ifndef PEG_CONTACT_ROW_H
#define PEG_CONTACT_ROW_H

#include "peg/contact/feature_contact.h"

/* Gaps below PEG_THIN * margin grow by this share of their shortfall: at most 1e-11 L a step,
 * decreasing to 0. */
#define PEG_GAP_GROWTH 0.1

/* Share of the larger gaps of coarse islands by which restorations may fail, and below which gaps
 * grow again. */
#define PEG_RESERVE 0.2

/* Appends the normal row and the friction rows of a contact at the iterate `at`, unless the set has
 * the same row. */
void peg_contact_rows(peg_island *island, int pair, const peg_pair_pose *at,
                      const peg_feature_contact *contact, peg_row_set *out);
/* The same, if contact of the features can form. */
void peg_touching_rows(peg_island *island, int pair, const peg_pair_pose *at,
                       const peg_feature_contact *contact, peg_row_set *out);

#endif
