/* What the stages of the wide attempt share. */
#ifndef PEG_WIDE_STATE_H
#define PEG_WIDE_STATE_H

#include "peg/contact/island.h"
#include "peg/contact/patch_box.h"
#include "peg/lcp/wide_pgs.h"

/* Gaps that the pairs keep, in margins. */
#define PEG_WIDE_GAP 100

typedef struct peg_wide {
    peg_island *I;
    peg_mass_root *root;
    peg_box *start, *now; /* npiece: at q_0, at the iterate, .. */
    peg_box *between;     /* .. on the way there */
    peg_box_axis *axis;   /* npair */
    int *list;            /* npair: room for a choice of them */
    double speed;         /* mean of v_f, by mass, m/s */
    double margin;        /* least one of a pair, m */
    /* the problem */
    peg_wide_contact *contact;
    peg_box_contact *feature;
    int *pair_of;
    int contacts, room;
    peg_wide_patch *patch;
    int patches, patch_room;
    /* restoration */
    int *first, *around;                /* nr + 1, 2 npair: pairs of each body */
    unsigned char *hot, *warm, *chosen; /* nr, nr, npair */
    peg_vec6 *zero, *shift;             /* nd */
} peg_wide;

/* --- wide_boxes.c --- */

void peg_wide_place_box(const peg_piece *piece, const double *x, const double *R, peg_box *box);
/* The pose of a body of the iterate, and the boxes of the bodies that have moved (null: of all). */
void peg_wide_place_body(peg_wide *w, int body);
void peg_wide_place_boxes(peg_wide *w, const unsigned char *moved);
/* The piece of a pair that is a box, and the one that may be a half-space. */
void peg_wide_order_pieces(const peg_wide *w, const peg_pair *pair, int *box, int *other);
/* Of n listed pairs at the boxes' poses: s, and the axis. edge_bias: in L, as in box_box.h. */
void peg_wide_separate(peg_wide *w, const peg_box *at, const int *list, int n, double edge_bias);

/* --- wide_contacts.c --- */

/* corners: of the facing face all that are within reach, as for pairs that overlap. */
void peg_wide_find_patch(const peg_wide *w, const peg_box *at, int pair, double reach, int corners,
                         peg_box_patch *out);
/* Adds the contacts of a patch at the bodies' poses; 0 without memory. */
int peg_wide_add_contacts(peg_wide *w, int pair, const peg_box_patch *found, int at_start);
/* Of the contacts from .. of the last pair: their friction, and the impulses of the same features
 * in the step before; what is left of these goes to the nearest contact. */
void peg_wide_warm_start(peg_wide *w, int pair, int from);
/* The contacts that bear as rows of the island; 0 without memory. */
int peg_wide_take_rows(peg_wide *w);

/* --- wide_positions.c --- */

/* Moves the poses until all pairs are apart; 0 if they are not in the end. */
int peg_wide_find_positions(peg_wide *w);
/* Whether a pair that could have done so passed through each other between the two poses. */
int peg_wide_passes(peg_wide *w);

#endif
