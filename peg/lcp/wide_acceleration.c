/* Momentum, as in accelerated gradients (Nesterov), of the last change alone:
 *
 *     w_0 = (t_k - 1) / t_(k+1),   t_1 = 1,   t_(k+1) = (1 + sqrt(1 + 4 t_k^2)) / 2
 *
 * with t = 1 again where the changes |P(x) - x|^2, in the norm of energy, grow by GROWTH above the
 * least since then.
 *
 * Anderson mixing (Anderson 1965), of the last changes: with f_k = P(x_k) - x_k the w minimise
 *
 *     |f_k + sum_j w_j (f_(k-j) - f_(k-j-1))|^2
 *
 * in the norm of energy, that of y. Bounds of friction that follow the normal impulse make P no
 * gradient: from mu 1 on momentum then goes in circles, of which Anderson mixing finds the middle.
 */
#include "peg/lcp/wide_acceleration.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"
#include "peg/lcp/small_system.h"

/* Factor by which changes may grow above the least since the momentum began before it begins anew.
 * In piles of 100 to 1000 boxes and polyhedra that fall, iterations are 0.85x those of 1 with 1.2
 * to 1.4; with 2 some problems go in circles. */
static const double GROWTH = 1.3;
/* Share of the largest product that is added to the diagonal, as products are in single precision:
 * without it 52 instead of 41 of 200 steps of pile-boxes of 100 with mu 5 are unconverged. */
static const double REGULARISATION = 1e-6;

int peg_wide_history_create(peg_arena *arena, size_t n, peg_wide_history *h)
{
    float **each[2] = {h->change_differs, h->differs};
    h->n = n;
    h->begun = peg_arena_aligned(arena, n * sizeof *h->begun);
    h->change = peg_arena_aligned(arena, n * sizeof *h->change);
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < PEG_WIDE_DEPTH; j++)
            each[k][j] = peg_arena_aligned(arena, n * sizeof **each[k]);
    return !arena->failed;
}

void peg_wide_acceleration_begin(peg_wide_acceleration *a, int is_momentum)
{
    a->mix = (peg_wide_mix){.is_momentum = is_momentum, .newest = -1};
    a->t = 1;
    a->least = INFINITY;
    a->iterations = 0;
    memset(a->products, 0, sizeof a->products);
}

void peg_wide_momentum(peg_wide_acceleration *a, double sum)
{
    double t = sum < GROWTH * a->least ? a->t : 1;
    a->least = t > 1 ? peg_min(a->least, sum) : sum;
    a->t = (1 + sqrt(1 + 4 * t * t)) / 2;
    a->mix.weight[0] = (float)((t - 1) / a->t);
}

PEG_WIDE static void note_change(const peg_wide_history *h, int place, const float *y,
                                 float *before, size_t begin, size_t end)
{
    float *differs = place < 0 ? NULL : h->differs[place];
    float *change_differs = place < 0 ? NULL : h->change_differs[place];
    for (size_t i = begin; i < end; i++) {
        float change = y[i] - h->begun[i];
        if (differs) differs[i] = y[i] - before[i];
        if (differs) change_differs[i] = change - h->change[i];
        h->change[i] = change;
        before[i] = y[i];
    }
}

void peg_wide_note_change(const peg_wide_history *h, peg_wide_acceleration *a, const float *y,
                          float *before, size_t begin, size_t end)
{
    a->mix.newest = a->iterations ? (a->iterations - 1) % PEG_WIDE_DEPTH : -1;
    a->mix.count = a->iterations < PEG_WIDE_DEPTH ? a->iterations : PEG_WIDE_DEPTH;
    a->iterations++;
    note_change(h, a->mix.newest, y, before, begin, end);
}

PEG_WIDE static double product_of(const float *a, const float *b, size_t n)
{
    peg_floats sum = peg_floats_of(0);
    double all = 0;
    for (size_t i = 0; i < n; i += PEG_LANES)
        sum += *(const peg_floats *)(a + i) * *(const peg_floats *)(b + i);
    for (int l = 0; l < PEG_LANES; l++) all += (double)sum[l];
    return all;
}

void peg_wide_find_weights(const peg_wide_history *h, peg_wide_acceleration *a)
{
    peg_wide_mix *mix = &a->mix;
    double A[PEG_SMALL_SYSTEM][PEG_SMALL_SYSTEM], b[PEG_WIDE_DEPTH], largest = 0;
    int n = mix->count, newest = mix->newest;
    for (int i = 0; i < n; i++) {
        const float *differs = h->change_differs[i];
        double product = product_of(differs, h->change_differs[newest], h->n);
        a->products[i][newest] = a->products[newest][i] = product;
        b[i] = product_of(differs, h->change, h->n);
    }
    for (int i = 0; i < n; i++) {
        memcpy(A[i], a->products[i], sizeof a->products[i]);
        largest = fmax(largest, A[i][i]);
    }
    for (int i = 0; i < n; i++) A[i][i] += REGULARISATION * largest;
    int ok = peg_solve_small(n, A, b);
    for (int i = 0; i < n; i++) mix->weight[i] = ok ? (float)-b[i] : 0;
}

PEG_WIDE static void mix_changes(const peg_wide_history *h, const peg_wide_mix *mix, float *y,
                                 size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        float on = 0;
        for (int j = 0; j < mix->count; j++) on += mix->weight[j] * h->differs[j][i];
        y[i] += on;
        h->begun[i] = y[i];
    }
}

void peg_wide_mix_changes(const peg_wide_history *h, const peg_wide_mix *mix, float *y,
                          size_t begin, size_t end)
{
    mix_changes(h, mix, y, begin, end);
}
