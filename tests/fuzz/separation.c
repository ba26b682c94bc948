/* How far two solids are apart: Gilbert, Johnson and Keerthi's method on the Minkowski difference.
 *
 * For a unit direction n the gap s(n) = min over a, b of n.(b - a) - r_a - r_b is a lower bound of
 * the distance: one n with s(n) >= 0 proves that the solids do not overlap. Where the method ends
 * inside, b is moved by some way along the best n and the method is asked again: the direction it
 * then finds climbs s(n) to a local maximum, from many starts. Polyhedra get the full test of
 * separating axes on top. */
#include "tests/fuzz/solid.h"

#include <string.h>

enum { ITERATIONS = 80, CLIMBS = 60, STARTS = 40 };

/* A convex piece of a solid: all of it, or a triangle of a shell. */
typedef struct piece {
    const solid *s; /* null: a triangle */
    int n;
    const vec *point;
    double radius;
    vec centre;
    double size;
} piece;

static vec farthest(const piece *p, vec n)
{
    if (p->n == 0) {
        const solid *s = p->s;
        double along = vec_dot(n, s->axis);
        vec across = vec_sub(n, vec_mul(along, s->axis));
        across = vec_sub(across, vec_mul(vec_dot(across, s->axis), s->axis)); /* of rounding */
        double l = vec_norm(across);
        vec x = vec_add(s->centre, vec_mul(along < 0 ? -s->half : s->half, s->axis));
        return l > 1e-15 ? vec_add(x, vec_mul(s->radius / l, across)) : x;
    }
    int best = 0;
    double most = vec_dot(n, p->point[0]);
    for (int i = 1; i < p->n; i++) {
        double d = vec_dot(n, p->point[i]);
        if (d > most) most = d, best = i;
    }
    return p->point[best];
}

/* A point of b - a, moved by `shift`, that is lowest along n. */
static vec lowest(const piece *a, const piece *b, vec shift, vec n)
{
    vec p = vec_sub(farthest(b, vec_mul(-1, n)), farthest(a, n));
    return vec_add(p, shift);
}

static double gap_along(const piece *a, const piece *b, vec n)
{
    return vec_dot(n, lowest(a, b, vec_of(0, 0, 0), n)) - a->radius - b->radius;
}

/* ---- the point of a simplex that is closest to the origin; drops the corners that it does not
 * need ---- */

static vec of_segment(vec *s, int *n)
{
    vec d = vec_sub(s[1], s[0]);
    double l = vec_dot(d, d), t = l > 0 ? -vec_dot(s[0], d) / l : 0;
    if (t > 0 && t < 1) return vec_add(s[0], vec_mul(t, d));
    if (t >= 1) s[0] = s[1];
    *n = 1;
    return s[0];
}

/* The best of the edges, or the inside where the origin projects into it. */
static vec of_triangle(vec *s, int *n)
{
    vec e = vec_sub(s[1], s[0]), f = vec_sub(s[2], s[0]), m = vec_cross(e, f);
    double mm = vec_dot(m, m);
    if (mm > 0) {
        vec to = vec_mul(-1, s[0]);
        double u = vec_dot(vec_cross(to, f), m) / mm, v = vec_dot(vec_cross(e, to), m) / mm;
        if (u > 0 && v > 0 && u + v < 1) return vec_mul(vec_dot(s[0], m) / mm, m);
    }
    vec best = s[0], kept[2] = {s[0]};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        vec pair[2] = {s[i], s[(i + 1) % 3]};
        int k = 2;
        vec p = of_segment(pair, &k);
        if (vec_dot(p, p) < least) {
            least = vec_dot(p, p), best = p, *n = k;
            memcpy(kept, pair, sizeof kept);
        }
    }
    memcpy(s, kept, sizeof kept);
    return best;
}

/* The best of the faces that the origin lies beyond; 4 corners remain if it lies inside. */
static vec of_tetrahedron(vec *s, int *n)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    vec best = vec_of(0, 0, 0), kept[3] = {s[0]};
    double least = INFINITY;
    int count = 4;
    for (int i = 0; i < 4; i++) {
        vec corner[3] = {s[face[i][0]], s[face[i][1]], s[face[i][2]]};
        vec m = vec_cross(vec_sub(corner[1], corner[0]), vec_sub(corner[2], corner[0]));
        double inside = vec_dot(m, vec_sub(s[face[i][3]], corner[0]));
        if (inside * -vec_dot(m, corner[0]) > 0) continue;
        int k = 3;
        vec p = of_triangle(corner, &k);
        if (vec_dot(p, p) < least) {
            least = vec_dot(p, p), best = p, count = k;
            memcpy(kept, corner, sizeof kept);
        }
    }
    *n = count;
    if (count < 4) memcpy(s, kept, sizeof kept);
    return best;
}

static vec closest(vec *s, int *n)
{
    switch (*n) {
    case 1:
        return s[0];
    case 2:
        return of_segment(s, n);
    case 3:
        return of_triangle(s, n);
    default:
        return of_tetrahedron(s, n);
    }
}

/* The unit direction of the closest point of b - a + shift; `from` if the origin lies inside. */
static vec direction(const piece *a, const piece *b, vec shift, vec from)
{
    vec simplex[4], v = lowest(a, b, shift, from), best = from;
    double highest = -INFINITY;
    int n = 0;
    for (int i = 0; i < ITERATIONS; i++) {
        double l = vec_norm(v);
        if (l == 0) break;
        vec u = vec_mul(1 / l, v), p = lowest(a, b, shift, u);
        double bound = vec_dot(u, p);
        if (bound > highest) highest = bound, best = u;
        if (bound > l * (1 - 1e-13)) break;
        for (int k = 0; k < n; k++)
            if (!memcmp(&simplex[k], &p, sizeof p)) return best;
        simplex[n++] = p;
        v = closest(simplex, &n);
        if (n == 4) break;
    }
    return best;
}

/* ---- the search ---- */

typedef struct search {
    const piece *a, *b;
    double enough, best;
    vec n;
} search;

/* Whether enough is proven. */
static int try_direction(search *s, vec n)
{
    double gap = gap_along(s->a, s->b, n);
    if (gap > s->best) s->best = gap, s->n = n;
    return s->best >= s->enough;
}

static int climb(search *s, vec from)
{
    double far = fmin(s->a->size, s->b->size), last = -INFINITY;
    vec n = from;
    for (int i = 0; i < CLIMBS; i++) {
        double gap = gap_along(s->a, s->b, n);
        if (try_direction(s, n)) return 1;
        if (i && gap <= last + 1e-15 * far) far /= 4;
        if (far < 1e-9 * fmin(s->a->size, s->b->size)) break;
        last = fmax(gap, last);
        double out = fmax(-gap, 0) + far;
        n = direction(s->a, s->b, vec_mul(out, n), n);
    }
    return 0;
}

static vec normal_of(const piece *p, int i)
{
    if (p->s) return vec_turn(p->s->R, 4, p->s->normal[i]);
    return vec_unit(
        vec_cross(vec_sub(p->point[1], p->point[0]), vec_sub(p->point[2], p->point[0])));
}

static int normals_of(const piece *p)
{
    return p->s ? p->s->normals : 1;
}

static vec edge_of(const piece *p, int i)
{
    if (p->s) return vec_sub(p->point[p->s->edge[i][1]], p->point[p->s->edge[i][0]]);
    return vec_sub(p->point[(i + 1) % 3], p->point[i]);
}

static int edges_of(const piece *p)
{
    return p->s ? p->s->edges : 3;
}

/* Both ways along n. */
static int try_axis(search *s, vec n)
{
    return try_direction(s, n) || try_direction(s, vec_mul(-1, n));
}

static int try_normals(search *s)
{
    for (int side = 0; side < 2; side++) {
        const piece *p = side ? s->b : s->a;
        for (int i = 0; i < normals_of(p); i++)
            if (try_axis(s, normal_of(p, i))) return 1;
        if (p->n == 0 && try_axis(s, p->s->axis)) return 1;
    }
    return 0;
}

static int try_edges(search *s)
{
    for (int i = 0; i < edges_of(s->a); i++)
        for (int k = 0; k < edges_of(s->b); k++) {
            vec e = edge_of(s->a, i), f = edge_of(s->b, k), m = vec_cross(e, f);
            if (vec_norm(m) > 1e-12 * vec_norm(e) * vec_norm(f) && try_axis(s, vec_unit(m)))
                return 1;
        }
    return 0;
}

static double separate(const piece *a, const piece *b, double enough)
{
    search s = {a, b, enough, -INFINITY, {0, 0, 1}};
    vec towards = vec_unit(vec_sub(b->centre, a->centre));
    if (try_direction(&s, towards)) return s.best;
    if (try_direction(&s, direction(a, b, vec_of(0, 0, 0), towards))) return s.best;
    if (try_normals(&s) || try_edges(&s) || climb(&s, s.n)) return s.best;
    dice d = dice_of(1);
    for (int i = 0; i < STARTS; i++)
        if (climb(&s, dice_direction(&d))) break;
    return s.best;
}

static piece whole(const solid *s)
{
    return (piece){s,         s->n,   s->point, s->kind == SOLID_CYLINDER ? 0 : s->radius,
                   s->centre, s->size};
}

static int boxes_meet(vec low, vec high, const solid *s, double gap)
{
    return low.x <= s->high.x + gap && s->low.x <= high.x + gap && low.y <= s->high.y + gap &&
           s->low.y <= high.y + gap && low.z <= s->high.z + gap && s->low.z <= high.z + gap;
}

static double from_plane(const solid *plane, const solid *s)
{
    if (s->kind == SOLID_CYLINDER) {
        piece p = whole(s);
        return vec_dot(plane->axis, farthest(&p, vec_mul(-1, plane->axis))) - plane->level;
    }
    double least = INFINITY;
    for (int i = 0; i < s->n; i++)
        least = fmin(least, vec_dot(plane->axis, s->point[i]) - plane->level);
    return least - s->radius;
}

static double from_triangles(const solid *shell, const solid *s, const piece *p, double enough)
{
    double least = INFINITY;
    for (int i = 0; i < shell->triangles; i++) {
        vec corner[3], low, high;
        for (int k = 0; k < 3; k++) corner[k] = shell->point[shell->triangle[i][k]];
        low = vec_of(fmin(corner[0].x, fmin(corner[1].x, corner[2].x)),
                     fmin(corner[0].y, fmin(corner[1].y, corner[2].y)),
                     fmin(corner[0].z, fmin(corner[1].z, corner[2].z)));
        high = vec_of(fmax(corner[0].x, fmax(corner[1].x, corner[2].x)),
                      fmax(corner[0].y, fmax(corner[1].y, corner[2].y)),
                      fmax(corner[0].z, fmax(corner[1].z, corner[2].z)));
        if (!boxes_meet(low, high, s, fmax(enough, 0))) continue;
        vec centre = vec_mul(1 / 3., vec_add(corner[0], vec_add(corner[1], corner[2])));
        piece t = {NULL, 3, corner, 0, centre, vec_norm(vec_sub(high, low))};
        double gap = p ? separate(&t, p, enough) : INFINITY;
        if (!p) {
            solid one = {.size = t.size, .low = low, .high = high};
            gap = from_triangles(s, &one, &t, enough);
        }
        least = fmin(least, gap);
    }
    return least;
}

double solid_separation(const solid *a, const solid *b, double enough)
{
    if (a->kind == SOLID_PLANE || b->kind == SOLID_PLANE) {
        if (a->kind == b->kind) return INFINITY;
        return a->kind == SOLID_PLANE ? from_plane(a, b) : from_plane(b, a);
    }
    if (!boxes_meet(a->low, a->high, b, fmax(enough, 0))) return INFINITY;
    if (a->kind != SOLID_SHELL && b->kind != SOLID_SHELL) {
        piece p = whole(a), q = whole(b);
        return separate(&p, &q, enough);
    }
    const solid *shell = a->kind == SOLID_SHELL ? a : b, *other = shell == a ? b : a;
    piece p = whole(other);
    return from_triangles(shell, other, other->kind == SOLID_SHELL ? NULL : &p, enough);
}

double solid_winding(const solid *shell, vec p)
{
    double angle = 0;
    for (int i = 0; i < shell->triangles; i++) {
        vec c[3];
        double l[3];
        for (int k = 0; k < 3; k++) {
            c[k] = vec_sub(shell->point[shell->triangle[i][k]], p);
            l[k] = vec_norm(c[k]);
        }
        double solid_angle = vec_dot(c[0], vec_cross(c[1], c[2]));
        angle +=
            2 * atan2(solid_angle, l[0] * l[1] * l[2] + vec_dot(c[0], c[1]) * l[2] +
                                       vec_dot(c[1], c[2]) * l[0] + vec_dot(c[2], c[0]) * l[1]);
    }
    return angle / (4 * 3.14159265358979323846);
}
