/* Loaded contacts of the wide attempt: those with a normal impulse. They become rows only where end
 * velocities are solved for. */
#ifndef PEG_LOADED_CONTACT_H
#define PEG_LOADED_CONTACT_H

#include "peg/contact/row_set.h"
#include "peg/lcp/wide_pgs.h"

typedef struct peg_loaded_contact {
    int pair;
    peg_feature_kind kind; /* with i and j as in peg_row */
    int i, j;
    double gap, end_gap;      /* at q_0 and q_k, m */
    peg_vec3 point;           /* world, m */
    peg_vec3 normal, tangent; /* unit, into A; the third direction is n x t */
    double lambda[3];         /* along n, t, n x t, N s */
    double mu[2], limit[2];   /* of friction along t and n x t, as in peg_row */
    double prescribed[3];     /* as in peg_row, along n, t, n x t */
    double compliance[3];     /* the same */
    double pushed;            /* gap_growth of a spring, m; else 0 */
    const peg_wide_further *further;
    int furthers;
} peg_loaded_contact;

/* Friction impulse on A, world, N s. */
void peg_loaded_friction(const peg_loaded_contact *contact, double out[3]);
peg_cached_contact peg_loaded_to_cache(const peg_island *island, const peg_loaded_contact *contact);
/* The moment of rolling friction on A, world, N m s. */
void peg_loaded_rolling(const peg_loaded_contact *contact, double out[3]);
/* j = 0: the normal row; 1, 2: the friction rows along t and n x t; 3 and above: further ones. */
void peg_loaded_row(const peg_island *island, const peg_loaded_contact *contact, int j,
                    peg_row *row);
/* Appends the rows of all loaded contacts to island->impulse; 0 without memory. */
int peg_loaded_to_rows(peg_island *island);

#endif
