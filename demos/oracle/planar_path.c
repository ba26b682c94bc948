/* Events of a particle over a terrain; see the header for the physics. */
#include "demos/oracle/planar_path.h"

#include <math.h>
#include <string.h>

/* Events this much after the start of a phase are that start itself, s. */
#define SAME_TIME 1e-11
/* Speeds and accelerations along an edge below this part of the whole are none. */
#define NONE 1e-12
/* What leaves a corner more slowly stays there, m/s: it would rise by 1e-13 m. Without this a
 * particle goes to and fro between two corners in ever smaller phases. */
#define SLOW 1e-6

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* Unit tangent, outward normal and length of edge e. */
static double edge_frame(const planar_chain *c, int e, double t[2], double n[2])
{
    double l = 0;
    for (int k = 0; k < 2; k++) t[k] = c->point[e + 1][k] - c->point[e][k];
    l = hypot(t[0], t[1]);
    t[0] /= l, t[1] /= l;
    n[0] = -t[1], n[1] = t[0];
    return l;
}

/* ---- terrains -------------------------------------------------------------------------------- */

static void add_point(planar_chain *c, double x, double y)
{
    c->point[c->n][0] = x, c->point[c->n][1] = y;
    c->n++;
}

void planar_tooth(int i, double out[TOOTH_POINTS][2])
{
    static const double at[TOOTH_POINTS][2] = {{0, 0}, {2, 1}, {2, 0}};
    for (int k = 0; k < TOOTH_POINTS; k++) out[k][0] = 2 * i + at[k][0], out[k][1] = at[k][1];
}

void planar_hill(int i, double out[HILL_POINTS][2])
{
    const double pi = acos(-1);
    for (int k = 0; k < HILL_POINTS; k++) {
        double turn = pi * k / (HILL_POINTS - 1);
        out[k][0] = 2 * i - cos(turn), out[k][1] = k % (HILL_POINTS - 1) ? sin(turn) : 0;
    }
}

/* Adds a body's outline to the chain: from the base, but for the first, and back to it, but for the
 * last. */
static void add_body(planar_chain *c, const double (*p)[2], int n, int first, int last)
{
    double up = PLANAR_BASE / (p[1][1] - p[0][1]), down = PLANAR_BASE / (p[n - 2][1] - p[n - 1][1]);
    if (first)
        add_point(c, p[0][0], p[0][1]);
    else
        add_point(c, p[0][0] + up * (p[1][0] - p[0][0]), PLANAR_BASE);
    for (int k = 1; k < n - 1; k++) add_point(c, p[k][0], p[k][1]);
    if (last)
        add_point(c, p[n - 1][0], p[n - 1][1]);
    else
        add_point(c, p[n - 1][0] + down * (p[n - 2][0] - p[n - 1][0]), PLANAR_BASE);
}

void planar_sawtooth(int teeth, planar_chain *out)
{
    double p[TOOTH_POINTS][2];
    out->n = 0;
    for (int i = 0; i < teeth && out->n + TOOTH_POINTS <= PATH_POINTS; i++) {
        planar_tooth(i, p);
        add_body(out, (const double(*)[2])p, TOOTH_POINTS, i == 0, i == teeth - 1);
    }
}

void planar_hills(int hills, planar_chain *out)
{
    double p[HILL_POINTS][2];
    out->n = 0;
    for (int i = 0; i < hills && out->n + HILL_POINTS <= PATH_POINTS; i++) {
        planar_hill(i, p);
        add_body(out, (const double(*)[2])p, HILL_POINTS, i == 0, i == hills - 1);
    }
}

double planar_distance(const planar_chain *terrain, const double x[2])
{
    double best = INFINITY;
    for (int e = 0; e + 1 < terrain->n; e++) {
        double t[2], n[2], l = edge_frame(terrain, e, t, n);
        double d[2] = {x[0] - terrain->point[e][0], x[1] - terrain->point[e][1]};
        double s = fmin(fmax(dot(d, t), 0), l);
        best = fmin(best, hypot(d[0] - s * t[0], d[1] - s * t[1]));
    }
    return best;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Roots of c + b t + a t^2 / 2, ascending; returns how many. */
static int roots(double a, double b, double c, double out[2])
{
    if (a == 0) {
        if (b == 0) return 0;
        out[0] = -c / b;
        return 1;
    }
    double square = b * b - 2 * a * c;
    if (square < 0) return 0;
    double q = -(b + copysign(sqrt(square), b)); /* no cancellation */
    double r1 = q / a, r2 = q != 0 ? 2 * c / q : r1;
    out[0] = fmin(r1, r2), out[1] = fmax(r1, r2);
    return 2;
}

static void state_at(const path_phase *p, double t, double x[2], double v[2])
{
    double s = t - p->start;
    for (int k = 0; k < 2; k++) {
        x[k] = p->x[k] + s * (p->v[k] + .5 * s * p->a[k]);
        v[k] = p->v[k] + s * p->a[k];
    }
}

typedef struct motion {
    const planar_chain *terrain;
    double force[2]; /* f/m */
    double mu;
    planar_path *path;
} motion;

static path_phase *last(const motion *m)
{
    return &m->path->phase[m->path->phases - 1];
}

static void rest(path_phase *p)
{
    p->kind = PATH_REST;
    memset(p->v, 0, sizeof p->v);
    memset(p->a, 0, sizeof p->a);
}

/* The particle slides along edge e with speed s (it may be 0): sets kind, velocity, acceleration.
 */
static void slide(motion *m, path_phase *p, int e, double s)
{
    double t[2], n[2];
    edge_frame(m->terrain, e, t, n);
    double pull = dot(m->force, t), press = fmax(0, -dot(m->force, n)), rub = m->mu * press;
    double size = hypot(m->force[0], m->force[1]);
    p->kind = PATH_SLIDE, p->edge = e;
    if (s == 0 && fabs(pull) <= rub + NONE * size) {
        rest(p);
        return;
    }
    double a = pull - copysign(rub, s != 0 ? s : pull);
    for (int k = 0; k < 2; k++) p->v[k] = s * t[k], p->a[k] = a * t[k];
}

static void fly(motion *m, path_phase *p)
{
    p->kind = PATH_FLIGHT, p->edge = -1;
    memcpy(p->a, m->force, sizeof p->a);
}

/* Speed along edge e after the impact of a particle with velocity v. */
static double after_impact(const motion *m, int e, const double v[2])
{
    double t[2], n[2];
    edge_frame(m->terrain, e, t, n);
    double along = dot(v, t), lost = m->mu * fmax(0, -dot(v, n));
    return along - copysign(fmin(fabs(along), lost), along);
}

/* Whether the force, at rest in the concave corner at point e + 1, moves the particle along the
 * edge before (-1) or behind (+1) the corner, or not (0). */
static int pulled_out(const motion *m, int e)
{
    double t[2], n[2];
    edge_frame(m->terrain, e, t, n);
    if (-dot(m->force, t) > m->mu * fmax(0, -dot(m->force, n)) + NONE) return -1;
    edge_frame(m->terrain, e + 1, t, n);
    return dot(m->force, t) > m->mu * fmax(0, -dot(m->force, n)) + NONE;
}

/* At rest in a concave corner, or pulled out of it along one of its edges. */
static void corner(motion *m, path_phase *p, int e)
{
    int way = pulled_out(m, e);
    if (way == 0)
        rest(p);
    else
        slide(m, p, way < 0 ? e : e + 1, 0);
}

/* End of edge e, reached with velocity p->v in the direction `way`: what comes then. */
static void leave_edge(motion *m, path_phase *p, int e, int way)
{
    int next = e + way;
    if (next < 0 || next + 1 >= m->terrain->n) {
        fly(m, p);
        return;
    }
    double t[2], n[2], along;
    edge_frame(m->terrain, next, t, n);
    if (dot(p->v, n) >= 0) { /* convex */
        fly(m, p);
        return;
    }
    along = after_impact(m, next, p->v);
    if (along * way > SLOW)
        slide(m, p, next, along);
    else
        corner(m, p, way > 0 ? e : next);
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* First edge that a flight meets, and when; -1: none before `end`. */
static int first_hit(const motion *m, const path_phase *p, double end, double *when)
{
    int hit = -1;
    *when = end;
    for (int e = 0; e + 1 < m->terrain->n; e++) {
        double t[2], n[2], r[2], l = edge_frame(m->terrain, e, t, n);
        double d[2] = {p->x[0] - m->terrain->point[e][0], p->x[1] - m->terrain->point[e][1]};
        int count = roots(dot(n, p->a), dot(n, p->v), dot(n, d), r);
        for (int i = 0; i < count; i++) {
            double x[2], v[2], at = p->start + r[i];
            if (!(r[i] > SAME_TIME && at < *when)) continue;
            state_at(p, at, x, v);
            double s = dot(t, x) - dot(t, m->terrain->point[e]);
            if (dot(n, v) >= 0 || s < 0 || s > l) continue;
            *when = at, hit = e;
        }
    }
    return hit;
}

static void after_flight(motion *m, path_phase *p, int e)
{
    double n[2], t[2], s = after_impact(m, e, p->v);
    edge_frame(m->terrain, e, t, n);
    if (dot(n, m->force) > 0) { /* pulled off at once */
        for (int k = 0; k < 2; k++) p->v[k] = s * t[k];
        fly(m, p);
    } else {
        slide(m, p, e, s);
    }
}

/* When a slide ends before `end`, and how: +1 or -1 at that end of the edge, 0 it stops. */
static double slide_end(const motion *m, const path_phase *p, double end, int *how)
{
    double t[2], n[2], r[2], l = edge_frame(m->terrain, p->edge, t, n), when = end;
    double d[2] = {p->x[0] - m->terrain->point[p->edge][0],
                   p->x[1] - m->terrain->point[p->edge][1]};
    double s = dot(d, t), v = dot(p->v, t), a = dot(p->a, t);
    if (m->mu > 0 && v * a < 0 && p->start - v / a < when) when = p->start - v / a, *how = 0;
    for (int way = -1; way <= 1; way += 2) {
        int count = roots(a, v, s - (way > 0 ? l : 0), r);
        for (int i = 0; i < count; i++) {
            double at = p->start + r[i], speed = v + a * r[i];
            if (r[i] > SAME_TIME && at < when && speed * way > 0) when = at, *how = way;
        }
    }
    return when;
}

int planar_path_solve(const planar_chain *terrain, const double x[2], const double v[2],
                      const double a[2], double mu, double end, planar_path *out)
{
    motion m = {.terrain = terrain, .force = {a[0], a[1]}, .mu = mu, .path = out};
    out->phases = 1;
    *last(&m) = (path_phase){.x = {x[0], x[1]}, .v = {v[0], v[1]}};
    fly(&m, last(&m));
    for (;;) {
        const path_phase *p = last(&m);
        int how = 0, edge = -1;
        double when = end;
        if (p->kind == PATH_FLIGHT)
            edge = first_hit(&m, p, end, &when);
        else if (p->kind == PATH_SLIDE)
            when = slide_end(&m, p, end, &how);
        if (!(when < end)) return 0;
        if (out->phases == PATH_PHASES) return 1;
        path_phase next = {.start = when};
        state_at(p, when, next.x, next.v);
        if (p->kind == PATH_FLIGHT)
            after_flight(&m, &next, edge);
        else if (how != 0)
            leave_edge(&m, &next, p->edge, how);
        else
            slide(&m, &next, p->edge, 0);
        out->phase[out->phases++] = next;
    }
}

void planar_path_at(const planar_path *path, double t, double x[2], double v[2])
{
    int i = path->phases - 1;
    double speed[2];
    while (i > 0 && path->phase[i].start > t) i--;
    state_at(&path->phase[i], t, x, v ? v : speed);
}
