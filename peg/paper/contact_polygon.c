/* The optimal face of (S2), signed_separation.h: the subgradient of least norm and the polygon
 * whose corners span the subdifferential. */
#include "peg/paper/signed_separation.h"

/* Vertices count as optimal up to this, m; points within it of a polygon are inside: in sizes. */
static const double OPTIMAL = 1e-9, INSIDE = 1e-6;

/* Faces steeper than this against n (cosine) are no part of the surface that touches. */
static const double FACING = 0.2;

/* --- features along n ------------------------------------------------------------------------ */

/* The outermost vertices of a part, in coordinates (u, v) across n and height along it, and their
 * convex hull in the plane. */
typedef struct feature {
    const peg_view *view;
    double side;      /* 1: A, whose lowest vertices count; -1: B, whose highest do */
    double outermost; /* height, m */
    double band;
    int count, hull;
    peg_vec3 *at; /* (u, v, height); the first `hull` of them are the corners, counter-clockwise */
} feature;

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static int is_left(const double *a, const double *b)
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

/* Andrew's monotone chain, in place by way of `hull`, 2 n of room. */
static int convex_hull(peg_vec3 *at, int n, double flat, peg_vec3 *hull)
{
    int k = 0;
    for (int i = 1; i < n; i++) {
        peg_vec3 x;
        int j = i;
        peg_copy3(at[i], x);
        for (; j > 0 && is_left(x, at[j - 1]); j--) peg_copy3(at[j - 1], at[j]);
        peg_copy3(x, at[j]);
    }
    for (int pass = 0; pass < 2; pass++) {
        int start = k;
        for (int i = 0; i < n; i++) {
            const double *x = at[pass ? n - 1 - i : i];
            while (k >= start + 2 && turn(hull[k - 2], hull[k - 1], x) <= flat) k--;
            if (k > start && hypot(hull[k - 1][0] - x[0], hull[k - 1][1] - x[1]) <= 1e-12) continue;
            peg_copy3(x, hull[k++]);
        }
        k--; /* the next chain begins there */
    }
    if (k < 1) k = 1;
    memcpy(at, hull, (size_t)k * sizeof *at);
    return k;
}

static int find_feature(peg_arena *arena, const peg_view *view, double side, peg_vec3 frame[3],
                        double band, feature *f)
{
    int nv = view->shape->nv;
    double flat = 1e-14 * view->shape->size * view->shape->size;
    *f = (feature){.view = view, .side = side, .outermost = INFINITY, .band = band};
    f->at = PEG_NEW(arena, peg_vec3, nv + 1);
    peg_vec3 *hull = PEG_NEW(arena, peg_vec3, 2 * nv + 2);
    if (!f->at || !hull) return 0;
    for (int i = 0; i < nv; i++)
        f->outermost = fmin(f->outermost, side * peg_dot(frame[2], view->vertex[i]));
    for (int i = 0; i < nv; i++) {
        if (side * peg_dot(frame[2], view->vertex[i]) > f->outermost + band) continue;
        for (int k = 0; k < 3; k++) f->at[f->count][k] = peg_dot(frame[k], view->vertex[i]);
        f->count++;
    }
    f->outermost *= side;
    f->hull = nv ? convex_hull(f->at, f->count, flat, hull) : 0;
    return 1;
}

/* Height of a line through two points above (u, v). */
static double between(const double *p, const double *q, const double *at)
{
    double x = q[0] - p[0], y = q[1] - p[1], square = x * x + y * y;
    double t = square > 0 ? ((at[0] - p[0]) * x + (at[1] - p[1]) * y) / square : 0;
    return p[2] + fmax(0, fmin(1, t)) * (q[2] - p[2]);
}

/* Height of the part's surface above (u, v). */
static double height_at(const feature *f, peg_vec3 frame[3], const double *at)
{
    const peg_view *view = f->view;
    double best = -INFINITY, lowest = f->side * f->outermost;
    if (f->hull == 1) return f->at[0][2];
    if (f->hull == 2) return between(f->at[0], f->at[1], at);
    for (int i = 0; i < view->shape->nf; i++) {
        const double *m = view->normal[i];
        double up = peg_dot(m, frame[2]);
        if (!(f->side * up < -FACING)) continue;
        double across = at[0] * peg_dot(m, frame[0]) + at[1] * peg_dot(m, frame[1]);
        best = fmax(best, f->side * (view->offset[i] - across) / up);
    }
    if (f->hull == 0) return f->side * best; /* half-space */
    return f->side * fmax(lowest, fmin(lowest + f->band, best));
}

/* --- the polygon ----------------------------------------------------------------------------- */

static double from_segment(const double *p, const double *q, const double *at)
{
    double x = q[0] - p[0], y = q[1] - p[1], square = x * x + y * y;
    double t = square > 0 ? ((at[0] - p[0]) * x + (at[1] - p[1]) * y) / square : 0;
    t = fmax(0, fmin(1, t));
    return hypot(p[0] + t * x - at[0], p[1] + t * y - at[1]);
}

static int is_inside(const feature *f, const double *at, double tolerance)
{
    if (f->hull == 0) return 1;
    if (f->hull < 3) return from_segment(f->at[0], f->at[f->hull - 1], at) <= tolerance;
    for (int i = 0; i < f->hull; i++) {
        const double *p = f->at[i], *q = f->at[(i + 1) % f->hull];
        if (turn(p, q, at) < -tolerance * hypot(q[0] - p[0], q[1] - p[1])) return 0;
    }
    return 1;
}

typedef struct corners {
    peg_vec3 *at; /* (u, v, height of A) */
    double *b;    /* height of B */
    int count;
    double apart; /* nearer ones are the same, m */
} corners;

static void add_corner(corners *c, const double *at, double a, double b)
{
    for (int i = 0; i < c->count; i++)
        if (hypot(c->at[i][0] - at[0], c->at[i][1] - at[1]) <= c->apart) return;
    c->at[c->count][0] = at[0];
    c->at[c->count][1] = at[1];
    c->at[c->count][2] = a;
    c->b[c->count++] = b;
}

/* Corners of one in the other. */
static void add_vertices(corners *c, const feature *f, const feature *other, peg_vec3 frame[3],
                         double tolerance)
{
    for (int i = 0; i < f->hull; i++) {
        if (!is_inside(other, f->at[i], tolerance)) continue;
        double there = height_at(other, frame, f->at[i]);
        add_corner(c, f->at[i], f->side > 0 ? f->at[i][2] : there,
                   f->side > 0 ? there : f->at[i][2]);
    }
}

static void write_corner(const corners *c, int i, peg_vec3 frame[3], double round_a, double round_b,
                         peg_polygon_corner *out)
{
    double a = c->at[i][2] - round_a, b = c->b[i] + round_b;
    out->gap = a - b;
    for (int k = 0; k < 3; k++) {
        double across = c->at[i][0] * frame[0][k] + c->at[i][1] * frame[1][k];
        out->a[k] = across + a * frame[2][k];
        out->b[k] = across + b * frame[2][k];
    }
}

int peg_contact_polygon(peg_arena *arena, const peg_view *A, const peg_view *B, const double n[3],
                        double band, peg_polygon_corner **out)
{
    peg_vec3 frame[3];
    feature fa, fb;
    double size = peg_pair_size(A->shape, B->shape);
    int steep = fabs(n[2]) > 0.7;
    double up[3] = {steep, 0, !steep};
    peg_copy3(n, frame[2]);
    peg_cross(up, n, frame[0]);
    peg_normalise(frame[0]);
    peg_cross(n, frame[0], frame[1]);
    if (!find_feature(arena, A, 1, frame, band, &fa) ||
        !find_feature(arena, B, -1, frame, band, &fb))
        return -1;
    int most = fa.hull + fb.hull + fa.hull * fb.hull;
    corners c = {PEG_NEW(arena, peg_vec3, most), PEG_NEW(arena, double, most), 0, INSIDE * size};
    *out = PEG_NEW(arena, peg_polygon_corner, most);
    if (!c.at || !c.b || !*out) return -1;
    add_vertices(&c, &fa, &fb, frame, INSIDE * size);
    add_vertices(&c, &fb, &fa, frame, INSIDE * size);
    for (int i = 0; i < fa.hull && fa.hull > 1; i++) {
        const double *p = fa.at[i], *q = fa.at[(i + 1) % fa.hull];
        for (int j = 0; j < fb.hull && fb.hull > 1; j++) {
            const double *r = fb.at[j], *s = fb.at[(j + 1) % fb.hull];
            double x = turn(p, q, r), y = turn(p, q, s), z = turn(r, s, p), w = turn(r, s, q);
            if (!(x * y < 0 && z * w < 0)) continue;
            double t = z / (z - w), at[2] = {p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])};
            add_corner(&c, at, height_at(&fa, frame, at), height_at(&fb, frame, at));
        }
    }
    for (int i = 0; i < c.count; i++)
        write_corner(&c, i, frame, A->shape->round, B->shape->round, *out + i);
    return c.count;
}

/* --- the subgradient of least norm ----------------------------------------------------------- */

/* min |x|^2 / 2 s.t. A x = b, x >= 0 has the solution x = max(0, A^T y), where y minimises the
 * convex, piecewise quadratic |max(0, A^T y)|^2 / 2 - b.y: Newton's method. */
typedef struct least_norm {
    int n;
    const double (*A)[PEG_SSH_ROWS]; /* columns */
    double b[PEG_SSH_ROWS], y[PEG_SSH_ROWS];
} least_norm;

static double dot5(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4];
}

static double dual_value(const least_norm *p, const double *y)
{
    double sum = -dot5(p->b, y);
    for (int j = 0; j < p->n; j++) {
        double x = fmax(0, dot5(p->A[j], y));
        sum += x * x / 2;
    }
    return sum;
}

/* Solves H x = r by Gauss-Jordan elimination; H is positive definite. */
static void solve_positive(double H[PEG_SSH_ROWS][PEG_SSH_ROWS], double r[PEG_SSH_ROWS])
{
    for (int k = 0; k < PEG_SSH_ROWS; k++)
        for (int i = 0; i < PEG_SSH_ROWS; i++) {
            if (i == k) continue;
            double f = H[i][k] / H[k][k];
            for (int j = k; j < PEG_SSH_ROWS; j++) H[i][j] -= f * H[k][j];
            r[i] -= f * r[k];
        }
    for (int k = 0; k < PEG_SSH_ROWS; k++) r[k] /= H[k][k];
}

/* One step of Newton's method with a line search; returns the size of the residual before it. */
static double newton_step(least_norm *p)
{
    double H[PEG_SSH_ROWS][PEG_SSH_ROWS] = {{0}}, r[PEG_SSH_ROWS], residual = 0;
    memcpy(r, p->b, sizeof r);
    for (int j = 0; j < p->n; j++) {
        double x = dot5(p->A[j], p->y);
        if (!(x > 0)) continue;
        for (int i = 0; i < PEG_SSH_ROWS; i++) {
            r[i] -= x * p->A[j][i];
            for (int k = 0; k < PEG_SSH_ROWS; k++) H[i][k] += p->A[j][i] * p->A[j][k];
        }
    }
    for (int i = 0; i < PEG_SSH_ROWS; i++) residual = fmax(residual, fabs(r[i])), H[i][i] += 1e-10;
    solve_positive(H, r);
    double now = dual_value(p, p->y), next[PEG_SSH_ROWS];
    for (double t = 1; t > 1e-6; t /= 2) {
        for (int i = 0; i < PEG_SSH_ROWS; i++) next[i] = p->y[i] + t * r[i];
        if (dual_value(p, next) <= now) break;
    }
    memcpy(p->y, next, sizeof next);
    return residual;
}

/* The same against a half-space: equal weights of all outermost vertices of the part. */
static void middle_of_outermost(const peg_view *part, const peg_ssh *ssh, const double d[3],
                                peg_vec3 a, peg_vec3 b)
{
    int first = ssh->vertex[0] >= 0, count = 0;
    double u[3], most = INFINITY, middle[3] = {0, 0, 0}, sign = first ? 1 : -1;
    peg_copy3(ssh->n, u);
    peg_normalise(u);
    for (int i = 0; i < part->shape->nv; i++) most = fmin(most, sign * peg_dot(u, part->vertex[i]));
    for (int i = 0; i < part->shape->nv; i++) {
        if (sign * peg_dot(u, part->vertex[i]) > most + OPTIMAL * part->shape->radius) continue;
        peg_add_scaled(middle, 1, part->vertex[i], middle);
        count++;
    }
    for (int k = 0; k < 3; k++) middle[k] /= count;
    peg_copy3(middle, first ? a : b);
    peg_add_scaled(middle, first ? -ssh->g : ssh->g, d, first ? b : a);
}

int peg_ssh_subgradient(peg_arena *arena, const peg_view *A, const peg_view *B, const double d[3],
                        const peg_ssh *ssh, peg_vec3 a, peg_vec3 b)
{
    int na = A->shape->nv, nb = B->shape->nv, n = 0;
    double unit = fmax(na ? A->shape->radius : 0, nb ? B->shape->radius : 0), u[3];
    double(*column)[PEG_SSH_ROWS] = PEG_NEW(arena, double[PEG_SSH_ROWS], na + nb);
    const double **x = PEG_NEW(arena, const double *, na + nb);
    if (!column || !x) return 0;
    peg_copy3(ssh->a, a);
    peg_copy3(ssh->b, b);
    if (na == 0 || nb == 0) {
        middle_of_outermost(na ? A : B, ssh, d, a, b);
        return 1;
    }
    peg_copy3(ssh->n, u);
    peg_normalise(u);
    least_norm p = {.A = (const double(*)[PEG_SSH_ROWS])column, .y = {0, 0, 0, 1. / na, 1. / nb}};
    for (int k = 0; k < 3; k++) p.b[k] = ssh->g * d[k] / unit;
    p.b[3] = p.b[4] = 1;
    double low = peg_dot(u, ssh->a), high = peg_dot(u, ssh->b);
    for (int j = 0; j < na + nb; j++) {
        const double *v = j < na ? A->vertex[j] : B->vertex[j - na];
        double above = j < na ? peg_dot(u, v) - low : high - peg_dot(u, v), along[3];
        if (above > OPTIMAL * unit) continue;
        peg_sub(v, A->centre, along);
        for (int k = 0; k < 3; k++) column[n][k] = (j < na ? 1 : -1) * along[k] / unit;
        column[n][3] = j < na, column[n][4] = j >= na;
        x[n++] = v;
    }
    p.n = n;
    for (int k = 0; k < 60 && newton_step(&p) > 1e-13; k++) continue;
    double sum[2] = {0, 0}, at[2][3] = {{0}};
    for (int j = 0; j < n; j++) {
        double w = fmax(0, dot5(column[j], p.y));
        int side = column[j][3] == 0;
        sum[side] += w;
        peg_add_scaled(at[side], w, x[j], at[side]);
    }
    if (fabs(sum[0] - 1) > 1e-6 || fabs(sum[1] - 1) > 1e-6) return 1; /* the basic one stays */
    for (int k = 0; k < 3; k++) a[k] = at[0][k] / sum[0], b[k] = at[1][k] / sum[1];
    return 1;
}
