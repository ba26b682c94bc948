/* The rows of a contact: the normal one and those of friction. */
#ifndef PEG_CONTACT_ROW_H
#define PEG_CONTACT_ROW_H

#include "peg/contact/feature_contact.h"

/* Appends the row of a contact with its friction rows, in the iterate `at`, unless a row says the
 * same already. */
void peg_contact_rows(peg_island *island, int pair, const peg_pair_pose *at,
                      const peg_feature_contact *contact, peg_row_set *out);

#endif
