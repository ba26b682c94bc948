/* The distance of two triangles: that of two of their edges, or of a corner of one and the face of
 * the other; 0 if an edge of one passes through the other. */
#include "peg/collide/triangle_distance.h"

/* Square of the distance of two segments, from a along u and from b along w. */
static double between_edges(const double *a, const double *u, const double *b, const double *w)
{
    double d[3];
    peg_sub(a, b, d);
    double uu = peg_dot(u, u), ww = peg_dot(w, w), uw = peg_dot(u, w);
    double ud = peg_dot(u, d), wd = peg_dot(w, d), det = uu * ww - uw * uw;
    double s = det > 0 ? peg_min(peg_max((uw * wd - ww * ud) / det, 0), 1) : 0;
    double t = ww > 0 ? (uw * s + wd) / ww : 0;
    if (t < 0 || t > 1) {
        t = peg_min(peg_max(t, 0), 1);
        s = uu > 0 ? peg_min(peg_max((uw * t - ud) / uu, 0), 1) : 0;
    }
    peg_add_scaled(d, s, u, d);
    peg_add_scaled(d, -t, w, d);
    return peg_dot(d, d);
}

/* A triangle with its sides and, not of unit length, its normal and what lies across the sides. */
typedef struct face {
    const peg_vec3 *corner;
    peg_vec3 along[3], n, out[3];
} face;

static void set_face(const peg_vec3 *corner, face *f)
{
    f->corner = corner;
    for (int k = 0; k < 3; k++) peg_sub(corner[(k + 1) % 3], corner[k], f->along[k]);
    peg_cross(f->along[0], f->along[1], f->n);
    for (int k = 0; k < 3; k++) peg_cross(f->along[k], f->n, f->out[k]);
}

/* Whether a point lies over a triangle. */
static int is_over(const face *f, const double *x)
{
    for (int k = 0; k < 3; k++) {
        double d[3];
        peg_sub(x, f->corner[k], d);
        if (peg_dot(d, f->out[k]) > 0) return 0;
    }
    return 1;
}

/* The corners' heights over a face, times the length of its normal. */
static void heights(const face *f, const peg_vec3 *corner, double height[3])
{
    for (int k = 0; k < 3; k++) {
        double d[3];
        peg_sub(corner[k], f->corner[0], d);
        height[k] = peg_dot(d, f->n);
    }
}

/* Whether the plane of a face keeps the other triangle farther off than reach. */
static int plane_parts(const face *f, const double height[3], double reach)
{
    double least = peg_min(peg_min(height[0], height[1]), height[2]);
    double most = peg_max(peg_max(height[0], height[1]), height[2]);
    double off = peg_max(least, -most);
    return off > 0 && off * off > reach * reach * peg_dot(f->n, f->n);
}

/* Whether a corner of the other triangle is no farther from a face than reach, or one of its edges
 * passes through it. */
static int face_is_near(const face *f, const peg_vec3 *corner, const double height[3], double reach)
{
    double nn = peg_dot(f->n, f->n);
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double at[3], up = height[k], down = height[next];
        if (up * up <= reach * reach * nn && is_over(f, corner[k])) return 1;
        if (up * down > 0 || up == down) continue;
        peg_sub(corner[next], corner[k], at);
        peg_add_scaled(corner[k], up / (up - down), at, at);
        if (is_over(f, at)) return 1;
    }
    return 0;
}

int peg_triangles_are_apart(const peg_vec3 a[3], const peg_vec3 b[3], double reach)
{
    face A, B;
    double of_a[3], of_b[3];
    set_face(a, &A);
    heights(&A, b, of_b);
    if (plane_parts(&A, of_b, reach)) return 1;
    set_face(b, &B);
    heights(&B, a, of_a);
    if (plane_parts(&B, of_a, reach)) return 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (between_edges(a[i], A.along[i], b[j], B.along[j]) <= reach * reach) return 0;
    return !face_is_near(&A, b, of_b, reach) && !face_is_near(&B, a, of_a, reach);
}
