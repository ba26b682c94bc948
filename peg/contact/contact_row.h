/* The rows of a contact: the normal one and those of friction. */
#ifndef PEG_CONTACT_ROW_H
#define PEG_CONTACT_ROW_H

#include "peg/contact/feature_contact.h"

/* Gaps below PEG_THIN * margin grow by this share of what they lack: at most 1e-11 L a step, fading
 * out. */
#define PEG_GAP_GROWTH 0.1

/* Appends the row of a contact with its friction rows, in the iterate `at`, unless a row says the
 * same already. */
void peg_contact_rows(peg_island *island, int pair, const peg_pair_pose *at,
                      const peg_feature_contact *contact, peg_row_set *out);
/* The same, if the features may touch. */
void peg_touching_rows(peg_island *island, int pair, const peg_pair_pose *at,
                       const peg_feature_contact *contact, peg_row_set *out);

#endif
