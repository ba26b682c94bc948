#include "peg/collide/triangle_crossing.h"

#include "peg/base/tolerance.h"

/* --- the common segment --- */

/* Heights of the corners of T over the plane of P. Returns whether they reach that plane, and
 * whether they lie on both sides of it. */
static peg_crossing_kind see_over(const peg_view *T, const peg_view *P, double touch,
                                  double height[3])
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        height[k] = peg_dot(P->normal[0], T->vertex[k]) - P->offset[0];
        least = peg_min(least, height[k]);
        most = peg_max(most, height[k]);
    }
    if (least > touch || most < -touch) return PEG_CROSSING_NONE;
    return least < -touch && most > touch ? PEG_CROSSING_THROUGH : PEG_CROSSING_TOUCH;
}

/* What a triangle has of the line of two planes: its ends and where they are along d. */
typedef struct span {
    double at[2];
    peg_vec3 end[2];
} span;

static void widen(span *s, const double x[3], const double d[3])
{
    double at = peg_dot(d, x);
    if (at < s->at[0]) s->at[0] = at, peg_copy3(x, s->end[0]);
    if (at > s->at[1]) s->at[1] = at, peg_copy3(x, s->end[1]);
}

static span span_of(const peg_view *T, const double height[3], double touch, const double d[3])
{
    span s = {.at = {INFINITY, -INFINITY}};
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double x[3], from = height[k], to = height[next];
        if (fabs(from) <= touch) widen(&s, T->vertex[k], d);
        if (!((from < -touch && to > touch) || (from > touch && to < -touch))) continue;
        peg_sub(T->vertex[next], T->vertex[k], x);
        peg_add_scaled(T->vertex[k], from / (from - to), x, x);
        widen(&s, x, d);
    }
    return s;
}

peg_crossing_kind peg_triangles_cross(const peg_view *A, const peg_view *B, double touch,
                                      peg_vec3 end[2])
{
    double over_b[3], over_a[3], d[3];
    peg_crossing_kind of_a = see_over(A, B, touch, over_b);
    if (of_a == PEG_CROSSING_NONE) return of_a;
    peg_crossing_kind of_b = see_over(B, A, touch, over_a);
    if (of_b == PEG_CROSSING_NONE) return of_b;
    peg_cross(A->normal[0], B->normal[0], d);
    if (peg_normalise(d) < PEG_PARALLEL) return PEG_CROSSING_NONE;
    span a = span_of(A, over_b, touch, d), b = span_of(B, over_a, touch, d);
    const span *first = a.at[0] > b.at[0] ? &a : &b, *last = a.at[1] < b.at[1] ? &a : &b;
    if (!(last->at[1] - first->at[0] > touch)) return PEG_CROSSING_NONE;
    peg_copy3(first->end[0], end[0]);
    peg_copy3(last->end[1], end[1]);
    return of_a < of_b ? of_a : of_b;
}

/* --- one over the other --- */

/* Cosine between n and a triangle's normal below which nothing counts as over the triangle. */
static const double STEEP = 0.01;

/* Corners of a triangle that is cut along three planes. */
enum { MOST_CUT = 6 };

/* Cuts off what is outside of a plane; returns the corners that are left. */
static int cut(peg_vec3 *corner, int count, const double out[3], double limit)
{
    peg_vec3 kept[MOST_CUT];
    int left = 0;
    for (int k = 0; k < count; k++) {
        const double *x = corner[k], *y = corner[(k + 1) % count];
        double from = peg_dot(out, x) - limit, to = peg_dot(out, y) - limit;
        if (from <= 0 && left < MOST_CUT) peg_copy3(x, kept[left++]);
        if ((from <= 0) == (to <= 0) || left == MOST_CUT) continue;
        peg_sub(y, x, kept[left]);
        peg_add_scaled(x, from / (from - to), kept[left], kept[left]);
        left++;
    }
    memcpy(corner, kept, (size_t)left * sizeof *kept);
    return left;
}

double peg_triangle_reaches_above(const peg_view *A, const peg_view *B, const double n[3])
{
    double on_a = peg_dot(A->normal[0], n), on_b = peg_dot(B->normal[0], n), most = 0;
    const peg_view *base = fabs(on_a) > fabs(on_b) ? A : B, *other = base == A ? B : A;
    double slope = base == A ? on_a : on_b, sign = base == A ? 1 : -1;
    double room = PEG_INSIDE * base->shape->radius;
    peg_vec3 corner[MOST_CUT];
    int count = 3;
    if (fabs(slope) < STEEP) return 0;
    for (int k = 0; k < 3; k++) peg_copy3(other->vertex[k], corner[k]);
    for (int k = 0; k < 3 && count; k++) {
        double along[3], out[3];
        peg_sub(base->vertex[(k + 1) % 3], base->vertex[k], along);
        peg_cross(along, n, out);
        if (slope < 0)
            for (int i = 0; i < 3; i++) out[i] = -out[i];
        peg_normalise(out);
        count = cut(corner, count, out, peg_dot(out, base->vertex[k]) + room);
    }
    for (int k = 0; k < count; k++) {
        double height = peg_dot(base->normal[0], corner[k]) - base->offset[0];
        most = peg_max(most, sign * height / slope);
    }
    return most;
}
