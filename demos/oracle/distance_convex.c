/* Signed distance of points, segments, triangles and polyhedra, and the way to that of cylinders.
 */
#include "demos/oracle/distance_core.h"

#include <math.h>

#include "peg/base/math.h"

/* Of the shapes' size: cores whose separation along the axes is above minus this may also be apart,
 * if they are flat; they are then compared feature by feature. */
#define NEARLY_APART 1e-9
/* Rounding of a distance, of the shapes' size. */
#define ROUNDING 1e-14
/* Square of the sine of the angle between two edges below which the closed form of their distance
 * loses too many digits. */
#define SKEW 1e-4

static double point_segment(const double p[3], const double q0[3], const double q1[3])
{
    double v[3], w[3];
    peg_sub(q1, q0, v);
    peg_sub(p, q0, w);
    double square = peg_dot(v, v), t = square > 0 ? peg_dot(w, v) / square : 0;
    peg_add_scaled(w, -(t < 0 ? 0 : t > 1 ? 1 : t), v, w);
    return peg_norm(w);
}

typedef struct two_segments {
    const double *p0, *q0, *q1;
    double u[3];
} two_segments;

static double from_point_on(const void *context, double s)
{
    const two_segments *c = context;
    double p[3];
    peg_add_scaled(c->p0, s, c->u, p);
    return point_segment(p, c->q0, c->q1);
}

static double segment_segment(const double p0[3], const double p1[3], const double q0[3],
                              const double q1[3])
{
    two_segments both = {.p0 = p0, .q0 = q0, .q1 = q1};
    double v[3], w[3], c[3], at;
    double ends = peg_min(point_segment(p0, q0, q1), point_segment(p1, q0, q1));
    ends = peg_min(ends, peg_min(point_segment(q0, p0, p1), point_segment(q1, p0, p1)));
    peg_sub(p1, p0, both.u);
    peg_sub(q1, q0, v);
    peg_sub(q0, p0, w);
    peg_cross(both.u, v, c);
    double square = peg_dot(c, c), most = peg_dot(both.u, both.u) * peg_dot(v, v);
    if (square == 0) return ends;
    if (square < SKEW * most) return peg_min(ends, lab_least(from_point_on, &both, 0, 1, &at));
    double wv[3], wu[3];
    peg_cross(w, v, wv);
    peg_cross(w, both.u, wu);
    double s = peg_dot(wv, c) / square, t = peg_dot(wu, c) / square;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return ends;
    peg_add_scaled(w, t, v, w);
    peg_add_scaled(w, -s, both.u, w);
    return peg_min(ends, peg_norm(w));
}

/* Distance from the plane of a face if the point is over the face, else infinity. */
static double point_face(const double p[3], const lab_core *c, int f)
{
    const double *n = c->normal[f], *at = c->vertex[c->index[c->start[f]]];
    double d[3];
    for (int i = c->start[f]; i < c->start[f + 1]; i++) {
        int next = i + 1 < c->start[f + 1] ? i + 1 : c->start[f];
        double e[3], inward[3];
        const double *from = c->vertex[c->index[i]];
        peg_sub(c->vertex[c->index[next]], from, e);
        peg_cross(n, e, inward);
        peg_sub(p, from, d);
        if (peg_dot(inward, d) < 0) return INFINITY;
    }
    peg_sub(p, at, d);
    return fabs(peg_dot(n, d));
}

static double points_faces(const lab_core *a, const lab_core *b, double least)
{
    for (int f = 0; f < b->nf; f++)
        for (int i = 0; i < a->nv; i++) least = peg_min(least, point_face(a->vertex[i], b, f));
    return least;
}

/* Least distance between the surfaces of the cores, without the radii. */
static double feature_distance(const lab_core *a, const lab_core *b)
{
    double least = points_faces(b, a, points_faces(a, b, INFINITY));
    for (lab_edge e = {0}; lab_core_edge(a, &e);)
        for (lab_edge g = {0}; lab_core_edge(b, &g);)
            least = peg_min(least, segment_segment(e.from, e.to, g.from, g.to));
    return least;
}

/* Largest separation over the faces' normals and the common normals of the edges: all directions in
 * which the separation of overlapping cores can have a local maximum. */
static double axis_separation(const lab_core *a, const lab_core *b, double enough)
{
    double best = -INFINITY, n[3];
    for (int f = 0; f < a->nf && best <= enough; f++)
        best = peg_max(best, lab_core_along(b, a, a->normal[f]));
    for (int f = 0; f < b->nf && best <= enough; f++)
        best = peg_max(best, lab_core_along(a, b, b->normal[f]));
    for (lab_edge e = {0}; best <= enough && lab_core_edge(a, &e);) {
        double u[3];
        peg_sub(e.to, e.from, u);
        for (lab_edge g = {0}; lab_core_edge(b, &g);) {
            double v[3];
            peg_sub(g.to, g.from, v);
            if (lab_common_normal(u, v, n)) best = peg_max(best, lab_core_either(a, b, n));
        }
    }
    return best;
}

static double core_size(const lab_core *c)
{
    double most = 0;
    for (int i = 0; i < c->nv; i++)
        for (int k = 0; k < 3; k++) most = peg_max(most, fabs(c->vertex[i][k] - c->vertex[0][k]));
    return most;
}

static double distance_polytopes(const lab_core *a, const lab_core *b, double enough)
{
    double round = a->round + b->round, size = peg_max(core_size(a), core_size(b));
    if (a->nf == 0 && b->nf == 0) return feature_distance(a, b) - round;
    double s = axis_separation(a, b, enough) + round; /* of the cores */
    if (s - round > enough || s < -NEARLY_APART * size) return s - round;
    /* Cores that overlap by -s have features that close together. Those of flat cores may be
     * farther apart: then the cores do not overlap, but only lie in one plane. */
    double d = feature_distance(a, b);
    if (s > 0) return peg_max(s, d) - round;
    return (d > -s + ROUNDING * size ? d : s) - round;
}

double lab_core_distance(const lab_core *a, const lab_core *b, double enough)
{
    if (a->is_cylinder) return lab_distance_cylinder(a, b, enough);
    if (b->is_cylinder) return lab_distance_cylinder(b, a, enough);
    return distance_polytopes(a, b, enough);
}
