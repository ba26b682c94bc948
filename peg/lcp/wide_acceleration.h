/* How an iterate of PGS in lanes follows the ones before, with an iteration P as the step:
 *
 *     x_(k+1) = P(x_k) + sum_j w_j (P(x_(k-j)) - P(x_(k-j-1))) */
#ifndef PEG_WIDE_ACCELERATION_H
#define PEG_WIDE_ACCELERATION_H

#include "peg/base/arena.h"
#include "peg/base/lanes.h"

/* Changes of P that an iterate is mixed of, at most: of problems of 60 bodies in `container` with a
 * coefficient of friction of 20, of which momentum alone leaves 72 of 79 unconverged, 29 remain
 * with 4, 23 with 5, 20 with 8. */
enum { PEG_WIDE_DEPTH = 5 };

/* The weights of an iterate. With momentum there is one, of the last change, and each row keeps
 * that alone. Else rows keep the changes in the places 0 .. count - 1, and the last one goes to the
 * place `newest` (-1: there is none). */
typedef struct peg_wide_mix {
    int is_momentum, count, newest;
    float weight[PEG_WIDE_DEPTH];
} peg_wide_mix;

/* What Anderson mixing keeps of y, n floats each, shared by the threads. */
typedef struct peg_wide_history {
    size_t n;
    float *begun, *change;                 /* x_k; P(x_k) - x_k */
    float *change_differs[PEG_WIDE_DEPTH]; /* by which that has changed, .. */
    float *differs[PEG_WIDE_DEPTH];        /* .. and P */
} peg_wide_history;

/* Of a thread; all threads find the same weights. */
typedef struct peg_wide_acceleration {
    peg_wide_mix mix; /* of the next iterate */
    double t, least;  /* of the momentum; least change since then, J */
    int iterations;   /* since it began */
    double products[PEG_WIDE_DEPTH][PEG_WIDE_DEPTH]; /* of change_differs */
} peg_wide_acceleration;

/* Returns 0 without memory. n: floats of y of what moves. */
int peg_wide_history_create(peg_arena *arena, size_t n, peg_wide_history *history);
/* Begins anew from an iterate: by momentum or by Anderson mixing. */
void peg_wide_acceleration_begin(peg_wide_acceleration *a, int is_momentum);
/* The weight of the next iterate by momentum. sum: squares of what the last iteration changed, J.
 */
void peg_wide_momentum(peg_wide_acceleration *a, double sum);
/* Of the floats begin .. end - 1 of y, which are P(x), notes what the last iteration has changed;
 * before: P(x) of the iteration before it, is updated. */
void peg_wide_note_change(const peg_wide_history *h, peg_wide_acceleration *a, const float *y,
                          float *before, size_t begin, size_t end);
/* After all threads have noted it: the weights of the next iterate. */
void peg_wide_find_weights(const peg_wide_history *h, peg_wide_acceleration *a);
/* The floats begin .. end - 1 of y from P(x) to the next iterate. */
void peg_wide_mix_changes(const peg_wide_history *h, const peg_wide_mix *mix, float *y,
                          size_t begin, size_t end);

#endif
