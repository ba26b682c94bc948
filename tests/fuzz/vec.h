/* Vectors and random numbers of the fuzzers: nothing is shared with what they check. */
#ifndef FUZZ_VEC_H
#define FUZZ_VEC_H

#include <math.h>
#include <stdint.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_of(double x, double y, double z)
{
    return (vec){x, y, z};
}

static inline vec vec_add(vec a, vec b)
{
    return vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec vec_sub(vec a, vec b)
{
    return vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec vec_mul(double s, vec a)
{
    return vec_of(s * a.x, s * a.y, s * a.z);
}

static inline double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec_norm(vec a)
{
    return sqrt(vec_dot(a, a));
}

/* The z axis if a is 0. */
static inline vec vec_unit(vec a)
{
    double l = vec_norm(a);
    return l > 0 ? vec_mul(1 / l, a) : vec_of(0, 0, 1);
}

/* R: rows of three or, as ODE's dMatrix3, of four numbers. */
static inline vec vec_turn(const double *R, int stride, vec a)
{
    return vec_of(R[0] * a.x + R[1] * a.y + R[2] * a.z,
                  R[stride] * a.x + R[stride + 1] * a.y + R[stride + 2] * a.z,
                  R[2 * stride] * a.x + R[2 * stride + 1] * a.y + R[2 * stride + 2] * a.z);
}

static inline vec vec_turn_back(const double *R, int stride, vec a)
{
    return vec_of(R[0] * a.x + R[stride] * a.y + R[2 * stride] * a.z,
                  R[1] * a.x + R[stride + 1] * a.y + R[2 * stride + 1] * a.z,
                  R[2] * a.x + R[stride + 2] * a.y + R[2 * stride + 2] * a.z);
}

/* ---- random numbers (xorshift64*) ---- */

typedef struct dice {
    uint64_t state;
} dice;

static inline dice dice_of(uint64_t seed)
{
    dice d = {(seed + 1) * 0x9E3779B97F4A7C15u};
    return d;
}

static inline double dice_unit(dice *d) /* in [0, 1) */
{
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return (double)((d->state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static inline double dice_between(dice *d, double low, double high)
{
    return low + (high - low) * dice_unit(d);
}

/* Every order of magnitude is as likely. */
static inline double dice_scale(dice *d, double low, double high)
{
    return low * pow(high / low, dice_unit(d));
}

static inline int dice_below(dice *d, int n)
{
    return (int)(dice_unit(d) * n);
}

static inline int dice_chance(dice *d, double p)
{
    return dice_unit(d) < p;
}

/* Three sides of up to `size`. One after the other: the order of a call's arguments is the
 * compiler's. */
static inline vec dice_sides(dice *d, double size)
{
    vec e;
    e.z = size * dice_scale(d, .3, 1);
    e.y = size * dice_scale(d, .3, 1);
    e.x = size * dice_scale(d, .3, 1);
    return e;
}

static inline vec dice_direction(dice *d)
{
    double z = dice_between(d, -1, 1), a = dice_between(d, 0, 6.283185307179586);
    double r = sqrt(1 - z * z);
    return vec_of(r * cos(a), r * sin(a), z);
}

#endif
