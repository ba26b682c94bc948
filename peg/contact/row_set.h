/* Contact rows of an island, and impulses kept for the next step. */
#ifndef PEG_ROW_SET_H
#define PEG_ROW_SET_H

#include "peg/base/math.h"
#include "peg/collide/features.h"

typedef struct peg_island peg_island;

typedef struct peg_row {
    /* read by the loops over all rows */
    int pair;
    int friction;      /* 0: normal row; k: k-th friction row of the normal row k places before */
    int first_contact; /* made at a pose of first contact: kept for the whole step */
    int was_active;    /* a normal row, whose impulse was positive before the last solve */
    double lambda;     /* of the last solve, N s */
    double lambda_motion;      /* of the last solve about v_f, N s */
    double lambda_restored;    /* of the last restoration of that answer, N s */
    double gap0, gap;          /* m */
    double bias;               /* G v + bias >= 0 with the immovable bodies' part folded in, m/s */
    struct peg_pgs_cache *pgs; /* of the first row of a pair: state of PGS for all of them */
    /* read by solves only */
    double target;     /* gap to keep, m */
    double recovery;   /* speed of penetration recovery, m/s (<= 0) */
    double mu, limit;  /* friction: |lambda| <= limit + mu lambda of the normal row; with a limit it
                          acts only while that one is active */
    double compliance; /* 1/kg */
    double gap_growth; /* part of target beyond the gap at q_0, m (>= 0) */
    double prescribed; /* speed of immovable bodies and of the surface along the row, m/s */
    double Ga[6], Gb[6];
    /* the rest */
    peg_feature_kind kind;
    int i, j;
    int rolls;                  /* a friction row that acts on the angular velocity alone */
    double point[3], normal[3]; /* of a friction row: its direction */
    double local[3];            /* point in the frame of A's body */
} peg_row;

typedef struct peg_row_set {
    peg_row *row;
    int m, capacity;
    int patches;       /* number of rows before those of first contacts */
    int features_only; /* rows without friction, with features, gap, point and normal only */
} peg_row_set;

/* Impulses of a contact, remembered for the warm start of the next step. */
typedef struct peg_cached_contact {
    int kind, i, j;
    double lambda;                 /* of the normal row, N s */
    double local[3];               /* point in the frame of A's body, m */
    double sliding[3], rolling[3]; /* of its friction, world, N s and N m s */
} peg_cached_contact;

/* Room for `more` rows behind those that there are; 0 without memory. */
int peg_row_set_reserve(peg_island *island, peg_row_set *set, int more);
/* Appends one row, or n, uninitialised; null without memory. */
peg_row *peg_row_set_add(peg_island *island, peg_row_set *set);
peg_row *peg_row_set_extend(peg_island *island, peg_row_set *set, int n);
int peg_row_same(const peg_row *a, const peg_row *b);
/* Of the normal row i with its friction rows; of_motion: of the last solve about v_f. */
peg_cached_contact peg_contact_to_cache(const peg_row_set *set, int i, int of_motion);
/* Copies rows begin .. end - 1 of a set to the end of `to`, which may be the same. */
void peg_rows_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int begin,
                     int end);
/* The normal row i with its friction rows. */
void peg_contact_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int i);
/* Index of the next normal row after i. */
int peg_next_normal(const peg_row_set *set, int i);

#endif
