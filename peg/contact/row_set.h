/* Rows of contacts: what a solve sees of them, and what is remembered of them. */
#ifndef PEG_ROW_SET_H
#define PEG_ROW_SET_H

#include "peg/base/math.h"
#include "peg/collide/features.h"

typedef struct peg_island peg_island;

typedef struct peg_row {
    /* what the loops over all rows look at */
    int pair;
    int friction;      /* 0: normal row; k: k-th friction row of the normal row k places before */
    int first_contact; /* taken at a pose of first contact: stays for the step */
    int was_active;    /* a normal row, whose impulse was positive before the last solve */
    double lambda;     /* of the last solve, N s */
    double lambda_motion;      /* of the last solve about v_f, N s */
    double lambda_restored;    /* of the last restoration of that answer, N s */
    double gap0, gap;          /* m */
    double bias;               /* G v + bias >= 0 with the immovable bodies' part folded in, m/s */
    struct peg_pgs_cache *pgs; /* of the first row of a pair: what PGS keeps of all of them */
    /* what a solve looks at besides */
    double target;    /* gap that it asks for, m */
    double recovery;  /* what asks for more than standing still while overlaps open, m/s (<= 0) */
    double mu, limit; /* friction: |lambda| <= limit + mu lambda of the normal row; what has a limit
                         waits until that one is loaded */
    double compliance; /* 1/kg */
    double gap_growth; /* part of the demand that exceeds the gap at the start, m (>= 0) */
    double prescribed; /* what immovable bodies and the surface add to the row's speed, m/s */
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
    int patches;       /* of an iteration: rows before those of first contacts */
    int features_only; /* its rows hold features, gap, point and normal, and have no friction */
} peg_row_set;

/* Impulse of a row, remembered until the next step. */
typedef struct peg_cached_row {
    int kind, i, j, friction;
    double lambda;
    int rolls;
    double local[3];     /* point in the frame of A's body, m */
    double direction[3]; /* of a friction row, world */
} peg_cached_row;

/* One row more, or n, not yet written; null without memory. */
peg_row *peg_row_set_add(peg_island *island, peg_row_set *set);
peg_row *peg_row_set_extend(peg_island *island, peg_row_set *set, int n);
int peg_row_same(const peg_row *a, const peg_row *b);
peg_cached_row peg_row_to_cache(const peg_row *row);
/* Copies rows begin .. end - 1 of a set to the end of `to`, which may be the same. */
void peg_rows_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int begin,
                     int end);
/* The normal row i with its friction rows. */
void peg_contact_append(peg_island *island, peg_row_set *to, const peg_row_set *from, int i);
/* Index of the next normal row after i. */
int peg_next_normal(const peg_row_set *set, int i);

#endif
