/* Vectors of eight floats or four doubles, worked on side by side. Every processor does the same
 * operations in the same order on each of them, whatever the width of its registers is, so that the
 * bits are the same; products and sums are not fused.
 *
 * Functions with such vectors in their signature are always inline: how they would be passed
 * depends on the processor. */
#ifndef PEG_LANES_H
#define PEG_LANES_H

#include <limits.h> /* any header: defines __GLIBC__ */

/* Numbers of a vector: those of an AVX2 register. Comparisons of longer vectors are compiled one by
 * one. */
enum { PEG_LANES = 8, PEG_DOUBLE_LANES = 4 };

typedef float peg_floats __attribute__((vector_size(32)));
typedef int peg_float_mask __attribute__((vector_size(32)));
typedef double peg_doubles __attribute__((vector_size(32)));
typedef long long peg_double_mask __attribute__((vector_size(32)));
/* Four doubles of an array: read and written in one, at any address. */
typedef double peg_doubles_at __attribute__((vector_size(32), aligned(8), may_alias));

#define PEG_HOT static inline __attribute__((always_inline))

/* A function once more for processors with wider registers. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__)
#define PEG_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PEG_WIDE
#endif

/* Eight, or four, numbers of two vectors, counted from the first one on; four, each one that of the
 * next lane, and the last one that of the first. */
#ifdef __clang__
#define PEG_PICK8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define PEG_PICK4(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define PEG_NEXT4(a)         __builtin_shufflevector(a, a, 1, 2, 3, 0)
#else
#define PEG_PICK8(a, b, ...) __builtin_shuffle(a, b, (peg_float_mask){__VA_ARGS__})
#define PEG_PICK4(a, b, ...) __builtin_shuffle(a, b, (peg_double_mask){__VA_ARGS__})
#define PEG_NEXT4(a)         __builtin_shuffle(a, (peg_double_mask){1, 2, 3, 0})
#endif

/* What p points to is read from memory again, not kept: copies of more vectors than a processor has
 * registers are written to the stack and read from there. */
#define PEG_LOAD_AGAIN(p) __asm__("" : "+r"(p))

PEG_HOT peg_floats peg_floats_of(float x)
{
    return (peg_floats){x, x, x, x, x, x, x, x};
}

PEG_HOT peg_floats peg_floats_if(peg_float_mask m, peg_floats a, peg_floats b)
{
    return (peg_floats)(((peg_float_mask)a & m) | ((peg_float_mask)b & ~m));
}

PEG_HOT peg_floats peg_floats_max(peg_floats a, peg_floats b)
{
    return peg_floats_if(a > b, a, b);
}

PEG_HOT peg_floats peg_floats_min(peg_floats a, peg_floats b)
{
    return peg_floats_if(a < b, a, b);
}

PEG_HOT peg_floats peg_floats_abs(peg_floats a)
{
    return (peg_floats)((peg_float_mask)a & 0x7fffffff);
}

/* Of two vectors of three coordinates in each lane. */
PEG_HOT peg_floats peg_floats_dot(const peg_floats a[3], const peg_floats b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PEG_HOT peg_doubles peg_doubles_of(double x)
{
    return (peg_doubles){x, x, x, x};
}

PEG_HOT peg_doubles peg_doubles_if(peg_double_mask m, peg_doubles a, peg_doubles b)
{
    return (peg_doubles)(((peg_double_mask)a & m) | ((peg_double_mask)b & ~m));
}

PEG_HOT peg_doubles peg_doubles_abs(peg_doubles a)
{
    return (peg_doubles)((peg_double_mask)a & 0x7fffffffffffffffLL);
}

PEG_HOT peg_doubles peg_doubles_max(peg_doubles a, peg_doubles b)
{
    return peg_doubles_if(a > b, a, b);
}

PEG_HOT peg_doubles peg_doubles_min(peg_doubles a, peg_doubles b)
{
    return peg_doubles_if(a < b, a, b);
}

PEG_HOT peg_doubles peg_doubles_load(const double *from)
{
    return *(const peg_doubles_at *)from;
}

PEG_HOT void peg_doubles_store(peg_doubles a, double *to)
{
    *(peg_doubles_at *)to = a;
}

/* The largest of the four. */
PEG_HOT double peg_doubles_most(peg_doubles a)
{
    a = peg_doubles_max(a, PEG_PICK4(a, a, 2, 3, 0, 1));
    return a[0] > a[1] ? a[0] : a[1];
}

/* The sum of the four, two by two. */
PEG_HOT double peg_doubles_sum(peg_doubles a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

/* The least of the four. */
PEG_HOT double peg_doubles_least(peg_doubles a)
{
    a = peg_doubles_min(a, PEG_PICK4(a, a, 2, 3, 0, 1));
    return a[0] < a[1] ? a[0] : a[1];
}

/* The parts of four vectors of three numbers that lie one after the other, and back. */
PEG_HOT void peg_doubles_take4(const double (*from)[3], peg_doubles part[3])
{
    peg_doubles r[3], s[3];
    for (int k = 0; k < 3; k++) r[k] = peg_doubles_load(*from + 4 * k);
    s[0] = PEG_PICK4(r[0], r[1], 0, 1, 6, 7);
    s[1] = PEG_PICK4(r[0], r[2], 2, 3, 4, 5);
    s[2] = PEG_PICK4(r[1], r[2], 0, 1, 6, 7);
    part[0] = PEG_PICK4(s[0], s[1], 0, 5, 2, 7);
    part[1] = PEG_PICK4(s[0], s[2], 1, 4, 3, 6);
    part[2] = PEG_PICK4(s[1], s[2], 0, 5, 2, 7);
}

PEG_HOT void peg_doubles_put4(const peg_doubles part[3], double (*to)[3])
{
    peg_doubles r[3], s[3];
    s[0] = PEG_PICK4(part[0], part[1], 0, 4, 2, 6);
    s[1] = PEG_PICK4(part[2], part[0], 0, 5, 2, 7);
    s[2] = PEG_PICK4(part[1], part[2], 1, 5, 3, 7);
    r[0] = PEG_PICK4(s[0], s[1], 0, 1, 4, 5);
    r[1] = PEG_PICK4(s[2], s[0], 0, 1, 6, 7);
    r[2] = PEG_PICK4(s[1], s[2], 2, 3, 6, 7);
    for (int k = 0; k < 3; k++) peg_doubles_store(r[k], *to + 4 * k);
}

/* The products m . x of four vectors, in peg_dot's order. */
PEG_HOT peg_doubles peg_doubles_along(const peg_doubles m[3], const double (*x)[3])
{
    peg_doubles part[3];
    peg_doubles_take4(x, part);
    return m[0] * part[0] + m[1] * part[1] + m[2] * part[2];
}

/* The sums of four vectors' numbers, each (0 + 1) + (2 + 3). */
PEG_HOT peg_doubles peg_doubles_sums(const peg_doubles s[PEG_DOUBLE_LANES])
{
    peg_doubles a = PEG_PICK4(s[0], s[1], 0, 4, 2, 6) + PEG_PICK4(s[0], s[1], 1, 5, 3, 7);
    peg_doubles b = PEG_PICK4(s[2], s[3], 0, 4, 2, 6) + PEG_PICK4(s[2], s[3], 1, 5, 3, 7);
    return PEG_PICK4(a, b, 0, 1, 4, 5) + PEG_PICK4(a, b, 2, 3, 6, 7);
}

/* The transpose of eight vectors. */
PEG_HOT void peg_floats_transpose(peg_floats r[PEG_LANES])
{
    peg_floats t[PEG_LANES], s[PEG_LANES];
    for (int k = 0; k < 4; k++) {
        t[2 * k] = PEG_PICK8(r[2 * k], r[2 * k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[2 * k + 1] = PEG_PICK8(r[2 * k], r[2 * k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            peg_floats a = t[4 * k + j], b = t[4 * k + 2 + j];
            s[4 * k + 2 * j] = PEG_PICK8(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            s[4 * k + 2 * j + 1] = PEG_PICK8(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        r[k] = PEG_PICK8(s[k], s[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
        r[4 + k] = PEG_PICK8(s[k], s[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif
