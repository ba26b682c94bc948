/* Minimise 1/2 sum |f_i|^2 over the forces f_i at the contact points of an island at rest, subject
 * to
 *
 *     sum J_i^T f_i = b    on every body        n_i . f_i >= 0
 *
 * f is P_i (J_i y) with the multipliers y of the sums, P_i the projection onto {n_i . f >= 0}
 * (without friction: onto the normal, >= 0): a piecewise linear equation in y, solved by Newton's
 * method on the dual, b . y - 1/2 sum |P_i (J_i y)|^2, which is concave. J_i (3 x 6k) maps the
 * multipliers y of k bodies to the point; b are the sums of the impulses as solved, N s and N m s /
 * size. */
#include "ode_glue/write/least_norm.h"
#include "peg/base/math.h"
#include "peg/collide/features.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Bodies of an island for which it is tried; rounds of the search, and halvings of a step in each.
 */
enum { BODIES_MOST = 32, ROUNDS = 60, HALVINGS = 30 };

static const double REST[6] = {0};
/* Difference of the sums, relative to b; term that makes the Hessian regular, relative to its
 * trace. */
static const double SAME_SUMS = 1e-9, REGULAR = 1e-13;
/* Friction beyond the cone as solved: growth of the cone's slope, and friction of points without
 * load relative to the largest there can be in the island. */
static const double SAME_CONE = 1e-6, NO_LOAD = 1e-10;

typedef struct point {
    int at[2];        /* first multiplier of A's and B's body; -1: not dynamic */
    double arm[2][3]; /* from their centres */
    double n[3], f[3];
    double cone; /* |friction| / normal force, the largest of the pair as solved */
    int contact; /* which one it is */
} point;

typedef struct island {
    point *p;
    int n, k;    /* points; multipliers */
    double size; /* m, of the longest arm: scales torques to forces */
    double *b, *y, *next, *sum, *H;
} island;

/* J_i y of a point: the velocity-like vector of its multipliers. */
static void pull(const island *s, const point *p, const double *y, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = 0;
    for (int side = 0; side < 2; side++) {
        double turned[3], sign = side ? -1 : 1;
        if (p->at[side] < 0) continue;
        const double *v = y + p->at[side];
        peg_cross(v + 3, p->arm[side], turned);
        for (int k = 0; k < 3; k++) out[k] += sign * (v[k] + turned[k] / s->size);
    }
}

/* Adds J_i^T f. */
static void push(const island *s, const point *p, const double f[3], double *out)
{
    for (int side = 0; side < 2; side++) {
        double torque[3], sign = side ? -1 : 1;
        if (p->at[side] < 0) continue;
        peg_cross(p->arm[side], f, torque);
        for (int k = 0; k < 3; k++) {
            out[p->at[side] + k] += sign * f[k];
            out[p->at[side] + 3 + k] += sign * torque[k] / s->size;
        }
    }
}

/* P_i; returns whether the normal force is positive or at 0. */
static int project(const point *p, double f[3])
{
    double normal = peg_dot(p->n, f);
    for (int k = 0; k < 3; k++) f[k] = p->cone > 0 ? f[k] - normal * p->n[k] : 0;
    if (normal < 0) return 0;
    peg_add_scaled(f, normal, p->n, f);
    return 1;
}

/* The dual at y, and its gradient in sum. */
static double dual(const island *s, const double *y)
{
    double value = 0;
    memcpy(s->sum, s->b, (size_t)s->k * sizeof *s->sum);
    for (int i = 0; i < s->k; i++) value += s->b[i] * y[i];
    for (int i = 0; i < s->n; i++) {
        double f[3], back[3];
        pull(s, &s->p[i], y, f);
        project(&s->p[i], f);
        value -= .5 * peg_dot(f, f);
        for (int k = 0; k < 3; k++) back[k] = -f[k];
        push(s, &s->p[i], back, s->sum);
    }
    return value;
}

/* Adds d d^T for d = J_i^T e. */
static void add_square(const island *s, const point *p, const double e[3])
{
    double d[12] = {0};
    int index[12], m = 0;
    point local = *p;
    for (int side = 0; side < 2; side++) {
        if (p->at[side] < 0) continue;
        for (int k = 0; k < 6; k++) index[m + k] = p->at[side] + k;
        local.at[side] = m;
        m += 6;
    }
    push(s, &local, e, d);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) s->H[index[i] * s->k + index[j]] += d[i] * d[j];
}

static void fill_hessian(const island *s)
{
    double trace = 0;
    memset(s->H, 0, (size_t)s->k * (size_t)s->k * sizeof *s->H);
    for (int i = 0; i < s->n; i++) {
        const point *p = &s->p[i];
        double f[3];
        pull(s, p, s->y, f);
        if (peg_dot(p->n, f) >= 0) add_square(s, p, p->n);
        for (int k = 0; k < 3 && p->cone > 0; k++) { /* across the normal: 1 - n n^T */
            double e[3];
            for (int j = 0; j < 3; j++) e[j] = (j == k) - p->n[k] * p->n[j];
            add_square(s, p, e);
        }
    }
    for (int i = 0; i < s->k; i++) trace += s->H[i * s->k + i];
    for (int i = 0; i < s->k; i++) s->H[i * s->k + i] += REGULAR * trace;
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Newton's method with halved steps. 0: it did not get there. */
static int solve(island *s)
{
    double enough = SAME_SUMS * norm(s->b, s->k), value = dual(s, s->y);
    for (int round = 0; round < ROUNDS; round++) {
        if (norm(s->sum, s->k) <= enough) return 1;
        memcpy(s->next, s->sum, (size_t)s->k * sizeof *s->next);
        fill_hessian(s);
        if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', s->k, 1, s->H, s->k, s->next, s->k) != 0)
            return 0;
        double step = 1, found = -INFINITY;
        for (int i = 0; i < HALVINGS && !(found >= value); i++, step *= .5) {
            double *y = s->H; /* no longer needed */
            for (int k = 0; k < s->k; k++) y[k] = s->y[k] + step * s->next[k];
            found = dual(s, y);
            if (found >= value) memcpy(s->y, y, (size_t)s->k * sizeof *y);
        }
        if (!(found >= value)) return 0;
        value = found;
    }
    return norm(s->sum, s->k) <= enough;
}

/* Writes the forces, if they stay in their cones. */
static void keep(const island *s, peg_contact *contact)
{
    double most = 0;
    for (int i = 0; i < s->n; i++)
        most = fmax(most, s->p[i].cone * contact[s->p[i].contact].impulse);
    for (int i = 0; i < s->n; i++) {
        point *p = &s->p[i];
        double across[3];
        pull(s, p, s->y, p->f);
        project(p, p->f);
        double normal = peg_dot(p->n, p->f);
        peg_add_scaled(p->f, -normal, p->n, across);
        if (peg_norm(across) > (1 + SAME_CONE) * p->cone * normal + NO_LOAD * most) return;
    }
    for (int i = 0; i < s->n; i++) {
        const point *p = &s->p[i];
        peg_contact *c = &contact[p->contact];
        c->impulse = peg_dot(p->n, p->f);
        peg_add_scaled(p->f, -c->impulse, p->n, c->friction);
    }
}

/* ---- islands --------------------------------------------------------------------------------- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int body_of(const peg_scene *scene, int part)
{
    int body = scene->part[part].body;
    return body >= 0 && scene->body[body].kind == PEG_DYNAMIC ? body : -1;
}

static int rests(const peg_body *b)
{
    return !memcmp(b->v_pose, REST, sizeof REST) && !memcmp(b->v_end, REST, sizeof REST);
}

typedef struct search {
    const peg_scene *scene;
    peg_contact *contact;
    int n;
    int *parent, *moves; /* of bodies; of their roots: something in the island moves or rolls */
    int *place;          /* of bodies: their first multiplier */
    double *cone;        /* of contacts */
} search;

static void find_islands(search *s)
{
    const peg_scene *scene = s->scene;
    for (int i = 0; i < scene->nb; i++) s->parent[i] = i, s->moves[i] = 0, s->place[i] = -1;
    for (int i = 0; i < s->n; i++) {
        int a = body_of(scene, s->contact[i].part_a), b = body_of(scene, s->contact[i].part_b);
        if (a >= 0 && b >= 0) s->parent[root_of(s->parent, a)] = root_of(s->parent, b);
    }
    for (int i = 0; i < scene->nb; i++)
        if (!rests(&scene->body[i])) s->moves[root_of(s->parent, i)] = 1;
    for (int i = 0; i < s->n; i++) {
        const peg_contact *c = &s->contact[i];
        int a = body_of(scene, c->part_a), body = a >= 0 ? a : body_of(scene, c->part_b);
        if (body >= 0 && (peg_norm(c->torque) > 0 || c->kind == PEG_FEATURES_EXTERNAL))
            s->moves[root_of(s->parent, body)] = 1;
    }
}

static void add_point(search *s, island *to, int i)
{
    const peg_contact *c = &s->contact[i];
    int part[2] = {c->part_a, c->part_b};
    point *p = &to->p[to->n++];
    *p = (point){.contact = i, .cone = s->cone[i]};
    peg_copy3(c->normal, p->n);
    for (int k = 0; k < 3; k++) p->f[k] = c->impulse * c->normal[k] + c->friction[k];
    for (int side = 0; side < 2; side++) {
        int body = body_of(s->scene, part[side]);
        p->at[side] = -1;
        if (body < 0) continue;
        if (s->place[body] < 0) s->place[body] = to->k, to->k += 6;
        p->at[side] = s->place[body];
        peg_sub(c->point, s->scene->body[body].x, p->arm[side]);
        to->size = fmax(to->size, peg_norm(p->arm[side]));
    }
}

/* Of the island of a root. 0 without memory. */
static int share(search *s, int root, peg_arena *arena)
{
    island one = {.p = PEG_NEW(arena, point, s->n)};
    if (!one.p) return 0;
    for (int i = 0; i < s->n; i++) {
        int a = body_of(s->scene, s->contact[i].part_a);
        int body = a >= 0 ? a : body_of(s->scene, s->contact[i].part_b);
        if (body < 0 || root_of(s->parent, body) != root) continue;
        add_point(s, &one, i);
        if (one.k > 6 * BODIES_MOST) return 1;
    }
    size_t k = (size_t)one.k;
    if (one.n < 2 || !(one.size > 0)) return 1;
    one.b = PEG_NEW(arena, double, 4 * k);
    one.H = PEG_NEW(arena, double, k *k);
    if (!one.b || !one.H) return 0;
    one.y = one.b + k, one.next = one.y + k, one.sum = one.next + k;
    memset(one.b, 0, 2 * k * sizeof *one.b);
    for (int i = 0; i < one.n; i++) push(&one, &one.p[i], one.p[i].f, one.b);
    if (solve(&one)) keep(&one, s->contact);
    return 1;
}

int peg_least_norm(const peg_scene *scene, peg_contact *contact, int n, peg_arena *arena)
{
    peg_arena_mark start = peg_arena_here(arena);
    int *of = PEG_NEW(arena, int, 3 * scene->nb), done = 1;
    search s = {scene, contact, n, of, of + scene->nb, of + 2 * scene->nb, NULL};
    s.cone = PEG_NEW(arena, double, n);
    if (!of || !s.cone) {
        peg_arena_back(arena, start);
        return 0;
    }
    find_islands(&s);
    /* the largest |friction| / normal force of each contact's pair, as solved */
    for (int i = 0; i < s.n; i++) {
        const peg_contact *c = &s.contact[i];
        s.cone[i] = c->impulse > 0 ? peg_norm(c->friction) / c->impulse : 0;
    }
    for (int i = 0; i < s.n; i++)
        for (int j = i + 1; j < s.n && s.contact[j].part_a == s.contact[i].part_a &&
                            s.contact[j].part_b == s.contact[i].part_b;
             j++)
            s.cone[i] = s.cone[j] = fmax(s.cone[i], s.cone[j]);
    for (int i = 0; i < scene->nb && done; i++) {
        peg_arena_mark mark = peg_arena_here(arena);
        if (s.parent[i] == i && !s.moves[i] && scene->body[i].kind == PEG_DYNAMIC)
            done = share(&s, i, arena);
        peg_arena_back(arena, mark);
    }
    peg_arena_back(arena, start);
    return done;
}
