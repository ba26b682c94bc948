/* Random numbers that are the same on every machine, rotations, quantiles. */
#include "demos/world/run.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* splitmix64 (Steele, Lea, Flood 2014) */
double lab_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double lab_random(lab_world *w)
{
    return lab_random_next(&w->random);
}

/* Uniform over all rotations, by rejection: a point of the 4-ball, so that no libm function (whose
 * last bit may differ between machines) is involved but sqrt. */
void lab_random_turn(uint64_t *state, double q[4])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * lab_random_next(state) - 1;
            square += q[k] * q[k];
        }
    } while (square > 1 || square < .01);
    for (int k = 0; k < 4; k++) q[k] /= sqrt(square);
}

void lab_random_rotation(lab_world *w, double q[4])
{
    lab_random_turn(&w->random, q);
}

void lab_axis_angle(double x, double y, double z, double degrees, double q[4])
{
    double axis[3] = {x, y, z}, half = degrees * (acos(-1) / 360);
    peg_normalise(axis);
    q[0] = cos(half);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(half) * axis[k];
}

void lab_unit_quat(const double q[4], double out[4])
{
    double l = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) out[k] = l == 1 ? q[k] : q[k] / l;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double lab_quantile(const double *values, long n, double part)
{
    if (n == 0) return 0;
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted) return NAN;
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    long i = (long)(part * (double)n);
    double value = sorted[i < n ? i : n - 1];
    free(sorted);
    return value;
}

/* Scene to world coordinates, for vectors that scale with the given power of the length. */
void lab_to_world(const lab_world *w, const double a[3], double factor, double out[3])
{
    double scaled[3] = {factor * a[0], factor * a[1], factor * a[2]};
    peg_rotate(w->turn, scaled, out);
}
