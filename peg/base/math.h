/* 3-vectors, 3x3 matrices (row-major, world = R * local) and quaternions (w, x, y, z). */
#ifndef PEG_MATH_H
#define PEG_MATH_H

#include <math.h>
#include <string.h>

/* Half of a full turn, rad. */
#define PEG_PI 3.14159265358979323846

typedef double peg_vec3[3];
typedef double peg_mat3[9];
typedef double peg_vec6[6]; /* linear, angular */

/* Of numbers; unlike fmin and fmax without a call. */
static inline double peg_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double peg_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double peg_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void peg_cross(const double *a, const double *b, double *out)
{
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

static inline void peg_copy3(const double *a, double *out)
{
    out[0] = a[0], out[1] = a[1], out[2] = a[2];
}

static inline void peg_sub(const double *a, const double *b, double *out)
{
    out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

/* out = a + s b */
static inline void peg_add_scaled(const double *a, double s, const double *b, double *out)
{
    out[0] = a[0] + s * b[0], out[1] = a[1] + s * b[1], out[2] = a[2] + s * b[2];
}

static inline double peg_norm(const double *a)
{
    return sqrt(peg_dot(a, a));
}

/* Scales a to unit length; returns the length it had (0 leaves a as it is). */
static inline double peg_normalise(double *a)
{
    double l = peg_norm(a);
    if (l > 0) a[0] /= l, a[1] /= l, a[2] /= l;
    return l;
}

/* A unit vector across the unit vector n. */
static inline void peg_orthogonal(const double *n, double *out)
{
    int k = fabs(n[0]) < 0.6 ? 0 : 1; /* an axis that is far from n: one of x and y always is */
    double axis[3] = {k == 0, k == 1, 0};
    peg_cross(n, axis, out);
    peg_normalise(out);
}

/* The first one of ODE's dPlaneSpace: across n, but not yet of unit length. */
static inline void peg_plane_space(const double *n, double *out)
{
    int is_steep = fabs(n[2]) > sqrt(0.5);
    double c[3] = {is_steep ? 0 : -n[1], is_steep ? -n[2] : n[0], is_steep ? n[1] : 0};
    peg_copy3(c, out);
}

/* out = R a; out may be a. */
static inline void peg_rotate(const double *R, const double *a, double *out)
{
    double x = peg_dot(R, a), y = peg_dot(R + 3, a), z = peg_dot(R + 6, a);
    out[0] = x, out[1] = y, out[2] = z;
}

/* out = R^T a; out may be a. */
static inline void peg_rotate_back(const double *R, const double *a, double *out)
{
    double x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
    double y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
    double z = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
    out[0] = x, out[1] = y, out[2] = z;
}

/* out = A B; out must be another matrix. */
static inline void peg_mat_mul(const double *A, const double *B, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* out = A^T B; out must be another matrix. */
static inline void peg_mat_mul_back(const double *A, const double *B, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* Rotation matrix of the unit quaternion q, evaluated as ODE's dQtoR does. */
static inline void peg_quat_to_mat(const double *q, double *R)
{
    double xx = 2 * q[1] * q[1], yy = 2 * q[2] * q[2], zz = 2 * q[3] * q[3];
    R[0] = 1 - yy - zz;
    R[1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    R[2] = 2 * (q[1] * q[3] + q[0] * q[2]);
    R[3] = 2 * (q[1] * q[2] + q[0] * q[3]);
    R[4] = 1 - xx - zz;
    R[5] = 2 * (q[2] * q[3] - q[0] * q[1]);
    R[6] = 2 * (q[1] * q[3] - q[0] * q[2]);
    R[7] = 2 * (q[2] * q[3] + q[0] * q[1]);
    R[8] = 1 - xx - yy;
}

/* out = a b (Hamilton product); out must be another quaternion. */
static inline void peg_quat_mul(const double *a, const double *b, double *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* Takes the part of d across the unit vector n, as a unit vector; returns 0 if it is shorter than
 * `least`. */
static inline int peg_part_across(const double *d, const double *n, double least, double *t)
{
    double out[3];
    peg_add_scaled(d, -peg_dot(d, n), n, out);
    if (!(peg_norm(out) > least)) return 0;
    peg_normalise(out);
    peg_copy3(out, t);
    return 1;
}

#endif
