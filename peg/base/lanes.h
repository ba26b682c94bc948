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

#define PEG_HOT static inline __attribute__((always_inline))

/* A function once more for processors with wider registers. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__)
#define PEG_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PEG_WIDE
#endif

/* Eight numbers of two vectors, counted from the first one on; four, each one that of the next
 * lane, and the last one that of the first. */
#ifdef __clang__
#define PEG_PICK8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define PEG_NEXT4(a)         __builtin_shufflevector(a, a, 1, 2, 3, 0)
#else
#define PEG_PICK8(a, b, ...) __builtin_shuffle(a, b, (peg_float_mask){__VA_ARGS__})
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
