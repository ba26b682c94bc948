/* Sutherland and Hodgman's clipping (1974) and the separating-axis test in the plane. */
#include "demos/oracle/planar_area.h"

#include <math.h>

/* Height of x over the line from p to q, outside positive (polygons are counter-clockwise). */
static double height(const double p[2], const double q[2], const double x[2])
{
    double dx = q[0] - p[0], dy = q[1] - p[1];
    return (dy * (x[0] - p[0]) - dx * (x[1] - p[1])) / hypot(dx, dy);
}

/* Largest over a's sides of the height of b's lowest point. */
static double over_sides(const planar_polygon *a, const planar_polygon *b)
{
    double best = -INFINITY;
    for (int i = 0; a->n > 2 && i < a->n; i++) {
        double low = INFINITY;
        for (int k = 0; k < b->n; k++)
            low = fmin(low, height(a->point[i], a->point[(i + 1) % a->n], b->point[k]));
        best = fmax(best, low);
    }
    return best;
}

double planar_separation(const planar_polygon *a, const planar_polygon *b)
{
    if (a->n < 3 && b->n < 3) return INFINITY;
    return fmax(over_sides(a, b), over_sides(b, a));
}

double planar_polygon_area(const planar_polygon *p)
{
    double twice = 0;
    for (int i = 2; i < p->n; i++) {
        const double *o = p->point[0], *a = p->point[i - 1], *b = p->point[i];
        twice += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    }
    return .5 * twice;
}

/* Keeps what lies below the line from p to q. */
static void clip(planar_polygon *s, const double p[2], const double q[2])
{
    planar_polygon out = {.n = 0};
    for (int i = 0; i < s->n; i++) {
        const double *from = s->point[i], *to = s->point[(i + 1) % s->n];
        double a = height(p, q, from), b = height(p, q, to);
        if (a <= 0 && out.n < POLYGON_POINTS) {
            out.point[out.n][0] = from[0], out.point[out.n][1] = from[1];
            out.n++;
        }
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
            if (out.n == POLYGON_POINTS) break;
            double t = a / (a - b);
            for (int k = 0; k < 2; k++) out.point[out.n][k] = from[k] + t * (to[k] - from[k]);
            out.n++;
        }
    }
    *s = out;
}

double planar_overlap(const planar_polygon *a, const planar_polygon *b)
{
    if (a->n < 3 || b->n < 3 || planar_separation(a, b) >= 0) return 0;
    planar_polygon piece = *a;
    for (int i = 0; i < b->n && piece.n > 0; i++)
        clip(&piece, b->point[i], b->point[(i + 1) % b->n]);
    return fmax(0, planar_polygon_area(&piece));
}
