/* Signed distance of points, segments, triangles and polyhedra, and the way to those of cylinders
 * and meshes. */
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
/* Of a golden section to the last digit: .618^78 = 5e-17 */
#define SECTIONS 78

/* ---- cores ----------------------------------------------------------------------------------- */

static const int point_loop[2] = {0, 1}, segment_loop[2] = {0, 2}, corners[2] = {0, 1};

lab_core lab_core_segment(const double ends[2][3])
{
    return (lab_core){.nv = 2, .loops = 1, .vertex = ends, .start = segment_loop, .index = corners};
}

lab_core lab_core_of(const lab_shape *s)
{
    const double(*vertex)[3] = (const double(*)[3])s->vertex;
    if (s->kind == LAB_SHAPE_CYLINDER) {
        lab_core c = {.nv = 2, .vertex = vertex, .is_cylinder = 1, .radius = s->round};
        for (int k = 0; k < 3; k++) c.centre[k] = (vertex[0][k] + vertex[1][k]) / 2;
        peg_sub(vertex[1], vertex[0], c.axis);
        c.half = peg_normalise(c.axis) / 2;
        return c;
    }
    if (s->nf > 0)
        return (lab_core){.nv = s->nv,
                          .nf = s->nf,
                          .loops = s->nf,
                          .vertex = vertex,
                          .start = s->start,
                          .index = s->index,
                          .normal = (const double(*)[3])s->normal,
                          .round = s->round};
    return (lab_core){.nv = s->nv,
                      .loops = 1,
                      .vertex = vertex,
                      .start = s->nv == 1 ? point_loop : segment_loop,
                      .index = corners,
                      .round = s->round};
}

int lab_core_edge(const lab_core *core, lab_edge *e)
{
    for (; e->loop < core->loops; e->loop++, e->corner = 0) {
        int first = core->start[e->loop], n = core->start[e->loop + 1] - first;
        while (e->corner < n) {
            int i = core->index[first + e->corner], j = core->index[first + (e->corner + 1) % n];
            e->corner++;
            if (i > j || (i == j && n > 1)) continue; /* the other face has it */
            e->from = core->vertex[i], e->to = core->vertex[j];
            return 1;
        }
    }
    return 0;
}

static void points_extent(const double (*vertex)[3], int n, const double dir[3], double *low,
                          double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double d = peg_dot(dir, vertex[i]);
        *low = peg_min(*low, d), *high = peg_max(*high, d);
    }
}

void lab_core_extent(const lab_core *c, const double n[3], double *low, double *high)
{
    if (!c->is_cylinder) {
        points_extent(c->vertex, c->nv, n, low, high);
        *low -= c->round, *high += c->round;
        return;
    }
    double across[3], middle = peg_dot(n, c->centre), along = peg_dot(n, c->axis);
    peg_add_scaled(n, -along, c->axis, across);
    double reach = c->half * fabs(along) + c->radius * peg_norm(across);
    *low = middle - reach, *high = middle + reach;
}

double lab_core_along(const lab_core *a, const lab_core *b, const double n[3])
{
    double al, ah, bl, bh;
    lab_core_extent(a, n, &al, &ah);
    lab_core_extent(b, n, &bl, &bh);
    return al - bh;
}

double lab_core_either(const lab_core *a, const lab_core *b, const double n[3])
{
    double al, ah, bl, bh;
    lab_core_extent(a, n, &al, &ah);
    lab_core_extent(b, n, &bl, &bh);
    return peg_max(al - bh, bl - ah);
}

/* ---- tools ----------------------------------------------------------------------------------- */

int lab_common_normal(const double u[3], const double v[3], double n[3])
{
    double a[3], b[3];
    peg_copy3(u, a);
    peg_copy3(v, b);
    if (peg_normalise(a) == 0 || peg_normalise(b) == 0) return 0;
    peg_cross(a, b, n);
    if (peg_normalise(n) == 0) return 0;
    peg_add_scaled(n, -peg_dot(n, a), a, n);
    peg_normalise(n);
    peg_add_scaled(n, -peg_dot(n, b), b, n);
    return peg_normalise(n) > 0;
}

void lab_orthogonal(const double u[3], double e1[3], double e2[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double axis[3] = {least == 0, least == 1, least == 2};
    peg_cross(u, axis, e1);
    peg_normalise(e1);
    peg_cross(u, e1, e2);
    peg_normalise(e2);
}

double lab_least(lab_function *f, const void *context, double low, double high, double *x)
{
    const double golden = (sqrt(5) - 1) / 2;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double fa = f(context, a), fb = f(context, b);
    for (int i = 0; i < SECTIONS; i++) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            fa = f(context, a = high - golden * (high - low));
        } else {
            low = a, a = b, fa = fb;
            fb = f(context, b = low + golden * (high - low));
        }
    }
    *x = fa < fb ? a : b;
    return peg_min(fa, fb);
}

/* ---- feature by feature ---------------------------------------------------------------------- */

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

/* ---- along axes ------------------------------------------------------------------------------ */

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

/* Lower and upper end of what is no half-space. */
static void shape_extent(const lab_shape *shape, const double n[3], double *low, double *high)
{
    if (shape->kind == LAB_SHAPE_MESH) {
        points_extent((const double(*)[3])shape->vertex, shape->nv, n, low, high);
        *low -= shape->round, *high += shape->round;
    } else {
        lab_core core = lab_core_of(shape);
        lab_core_extent(&core, n, low, high);
    }
}

double lab_distance(const lab_shape *a, const lab_tree *tree_a, const lab_shape *b,
                    const lab_tree *tree_b, double enough)
{
    if (a->nv == 0 && b->nv == 0) return INFINITY;
    if (a->nv == 0 || b->nv == 0) {
        const lab_shape *half = a->nv == 0 ? a : b;
        double low, high;
        shape_extent(half == a ? b : a, half->normal[0], &low, &high);
        return low - half->offset[0];
    }
    if (a->kind == LAB_SHAPE_MESH) return lab_distance_mesh(a, tree_a, b, tree_b, enough);
    if (b->kind == LAB_SHAPE_MESH) return lab_distance_mesh(b, tree_b, a, tree_a, enough);
    lab_core ca = lab_core_of(a), cb = lab_core_of(b);
    return lab_core_distance(&ca, &cb, enough);
}
