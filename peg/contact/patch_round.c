/* Rows of dilated pairs: spheres, capsules and whatever they touch.
 *
 * Every point of a dilated part keeps its distance from every point of the other part, so that the
 * distance of any two features is a valid row without further conditions: there are no traps. Rows
 * are made for the local minima of distance [M] between the inner polytopes, where contact forms
 * first. A minimum must persist under small rotations only along directions in which both parts
 * extend: a capsule that lies on an edge touches it at both ends; a sphere that rolls over a face
 * does not touch the edges of the face. Of a pair that has changed to the plane of a face, that
 * plane alone makes rows.
 *
 * With d from the feature of B to that of A, psi = |d| - r and G = d / |d| at the nearest points;
 * between two vertices |d_k| - |d_0| = (d_k + d_0) . (d_k - d_0) / (|d_k| + |d_0|), so that the
 * midpoint row with that normal is exact. */
#include "peg/contact/patch_round.h"

#include "peg/collide/closest_features.h"
#include "peg/collide/normal_cone.h"
#include "peg/contact/contact_row.h"
#include "peg/contact/feature_contact.h"

/* --- contacts of round features --- */

/* --- rows --- */

/* Nearby features; beyond this number each is tested when needed. */
enum { MOST_NEAR = 64 };

/* A feature of one part, seen from the other. */
typedef struct feature {
    int i;
    double low;         /* lower bound of the part's extent along n there, m */
    double least, most; /* position along the axis of the other's rim, m */
} feature;

/* One of the two parts, seen from the other. */
typedef struct side {
    const peg_view *view;
    peg_vec3 n;                    /* the chosen direction, out of the other part */
    double dip;                    /* extent of its discs along n, m */
    double bottom;                 /* extent of all features, m */
    int beside_rim;                /* the other part has a rim, about .. */
    peg_vec3 axis;                 /* .. this */
    peg_slope_tolerance tolerance; /* of its features */
    peg_vec3 tolerance_axis;       /* of segments */
    feature vertex[MOST_NEAR];
    int count[2];               /* vertices and edges at which contact can form, .. */
    feature near[2][MOST_NEAR]; /* .. listed here if they fit */
} side;

typedef struct finder {
    peg_island *I;
    const peg_pair_pose *at;
    peg_row_set *out;
    int p;
    const peg_pair *pair;
    side a, b;
    double reach; /* of the pair, with a tolerance beyond the ends of edges, m */
    int lies;     /* there are rows of vertices over faces */
} finder;

/* Slope tolerance of the features of a part, given the other one's extent. */
static peg_slope_tolerance tolerance_along(const peg_view *other, double slope, peg_vec3 axis)
{
    const peg_polytope *P = other->shape;
    if (P->nv == 1) return (peg_slope_tolerance){0, NULL, 0};
    if (!peg_is_segment(P)) return (peg_slope_tolerance){slope, NULL, 0};
    peg_sub(other->vertex[1], other->vertex[0], axis);
    peg_normalise(axis);
    return (peg_slope_tolerance){slope, axis, 0};
}

static feature see_vertex(const side *s, int v)
{
    const double *x = s->view->vertex[v];
    double along = s->beside_rim ? peg_dot(s->axis, x) : 0;
    return (feature){v, peg_dot(s->n, x) - s->dip - s->view->shape->round, along, along};
}

static void begin_side(side *s, const peg_view *view, const peg_view *other, const double n[3],
                       double sign, double slope)
{
    const peg_polytope *P = view->shape;
    s->view = view;
    for (int k = 0; k < 3; k++) s->n[k] = sign * n[k];
    s->dip = peg_has_rim(P) ? P->rim * peg_off_axis(view, n) : 0;
    s->beside_rim = peg_has_rim(other->shape);
    for (int k = 0; k < 3 && s->beside_rim; k++) s->axis[k] = other->turn[3 * k + 2];
    s->tolerance = tolerance_along(other, slope, s->tolerance_axis);
    s->bottom = peg_is_half_space(P) ? -INFINITY : INFINITY;
    for (int v = 0; v < P->nv; v++) {
        feature f = see_vertex(s, v);
        s->bottom = peg_min(s->bottom, f.low);
        if (v < MOST_NEAR) s->vertex[v] = f;
    }
    s->bottom += s->dip - P->rim; /* about edges there is the whole rim */
}

static feature see(const side *s, int is_edge, int i)
{
    const peg_polytope *P = s->view->shape;
    int known = P->nv <= MOST_NEAR, v = is_edge ? P->edge[i].v[0] : i;
    feature f = known ? s->vertex[v] : see_vertex(s, v);
    if (!is_edge) return f;
    int w = P->edge[i].v[1];
    feature g = known ? s->vertex[w] : see_vertex(s, w);
    double low = peg_min(f.low, g.low) + s->dip - P->rim;
    return (feature){i, low, peg_min(f.least, g.least), peg_max(f.most, g.most)};
}

/* Lists features no higher than `most` at which contact can form. */
static void find_near(side *s, double most)
{
    const peg_polytope *P = s->view->shape;
    for (int is_edge = 0; is_edge < 2; is_edge++) {
        int all = is_edge ? P->ne : P->nv, count = 0;
        for (int i = 0; i < all && all <= MOST_NEAR; i++) {
            s->near[is_edge][count] = see(s, is_edge, i);
            count +=
                s->near[is_edge][count].low <= most && !peg_is_flat_feature(s->view, is_edge, i);
        }
        s->count[is_edge] = all > MOST_NEAR ? all : count;
    }
}

static const feature *feature_of(const side *s, int is_edge, int k, feature *seen)
{
    int all = is_edge ? s->view->shape->ne : s->view->shape->nv;
    if (all <= MOST_NEAR) return &s->near[is_edge][k];
    *seen = see(s, is_edge, k);
    return seen;
}

static int touches(const side *s, int is_edge, int i, const double n[3])
{
    return is_edge ? peg_edge_can_touch(s->view, i, n, &s->tolerance)
                   : peg_vertex_can_touch(s->view, i, n, &s->tolerance);
}

static int touches_a(const finder *f, int is_edge, int i, const double n[3])
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return touches(&f->a, is_edge, i, back);
}

static int touches_b(const finder *f, int is_edge, int j, const double n[3])
{
    return touches(&f->b, is_edge, j, n);
}

/* Whether what neighbours hide overlaps all the same, in a pair that stays violated. */
static int is_stuck(const finder *f, const peg_feature_contact *c)
{
    return f->pair->tried.stuck && c->gap < 0;
}

static int is_facing(const finder *f, const peg_feature_contact *c)
{
    return c->gap <= f->pair->reach && c->gap >= -peg_deepest(f->pair) &&
           peg_dot(c->normal, f->pair->facet.n) >= PEG_FACING;
}

/* A rim touches a face at its lowest point, and where it lies flat at points all round. */
static void vertex_face_rows(const finder *f, peg_feature_kind kind)
{
    int swap = kind == PEG_FEATURES_FV;
    peg_facing facing = peg_facing_of(f->pair, f->at, kind);
    const peg_view *U = facing.upper->now, *D = facing.lower->now;
    double sign = swap ? -1 : 1, room = PEG_INSIDE * f->pair->L;
    for (int j = 0; j < D->shape->nf; j++) {
        const double *n = D->normal[j];
        if (sign * peg_dot(n, f->pair->facet.n) < PEG_FACING) continue;
        double off = peg_has_rim(U->shape) ? peg_off_axis(U, n) : 1;
        double most =
            D->offset[j] + f->pair->reach + U->shape->round + D->shape->round + U->shape->rim * off;
        int nv = U->shape->nv, first = off > PEG_ROUNDED ? 0 : nv;
        int end = nv + (off < f->I->settings->relative_rotation ? peg_rim_points(U->shape) : 0);
        for (int i = first; i < end; i++) {
            double low[3];
            if (peg_dot(n, U->vertex[i < nv ? i : (i - nv) * nv / (end - nv)]) > most) continue;
            if (i < nv) {
                peg_lowest_point(U, i, n, low);
                if (peg_is_beside(D, j, low, n, room)) continue;
            }
            peg_feature_contact c = peg_vertex_face(&facing, i, j);
            if (!is_facing(f, &c)) continue;
            if (i >= nv && peg_is_beside(D, j, c.point_a, n, room)) continue;
            if (nv > 2 && !is_stuck(f, &c) &&
                !(swap ? touches_b(f, 0, i, c.normal) : touches_a(f, 0, i, c.normal)))
                continue;
            peg_contact_rows(f->I, f->p, f->at, &c, f->out);
        }
    }
}

/* --- what need not be looked at --- */

/* Sine squared of the angle between lines above which their nearest points are known to much less
 * than PEG_INSIDE. */
static const double CLEARLY_CROSS = 1e-4;

/* Whether the lines of two edges are nearest to each other clearly beyond their ends. */
static int are_nearest_beyond(const peg_view *A, const peg_view *B, int i, int j)
{
    const peg_edge *e = A->shape->edge + i, *g = B->shape->edge + j;
    peg_vec3 d, k, w;
    peg_edge_vector(A, e, d);
    peg_edge_vector(B, g, k);
    peg_sub(A->vertex[e->v[0]], B->vertex[g->v[0]], w);
    double dd = peg_dot(d, d), kk = peg_dot(k, k), dk = peg_dot(d, k);
    double wd = peg_dot(w, d), wk = peg_dot(w, k), whole = dd * kk - dk * dk;
    if (whole <= CLEARLY_CROSS * dd * kk) return 0;
    double s = dk * wk - kk * wd, t = dd * wk - dk * wd, room = 2 * PEG_INSIDE * whole;
    return s < -room || s > whole + room || t < -room || t > whole + room;
}

static void edge_edge_row(const finder *f, int i, int j)
{
    peg_feature_contact c;
    double s, t;
    if (are_nearest_beyond(f->a.view, f->b.view, i, j)) return;
    if (!peg_edge_edge(f->pair, f->at, i, j, &c, &s, &t) || !is_facing(f, &c)) return;
    if (s < -PEG_INSIDE || s > 1 + PEG_INSIDE || t < -PEG_INSIDE || t > 1 + PEG_INSIDE) return;
    if (!is_stuck(f, &c) && (!touches_a(f, 1, i, c.normal) || !touches_b(f, 1, j, c.normal)))
        return;
    peg_contact_rows(f->I, f->p, f->at, &c, f->out);
}

/* Distance of a feature from the plane of disc i of the other part, m. */
static double off_rim(const side *s, const feature *f, const peg_view *rim, int i)
{
    double at = peg_dot(s->axis, rim->vertex[i]);
    return peg_max(peg_max(f->least - at, at - f->most), 0);
}

/* Nearest points of two features; 0 if that of an edge lies beyond its ends, or if they are farther
 * apart than rows reach; for rims a bound by planes and centres is tested first. */
static int find_nearest(const finder *f, peg_feature_kind kind, const feature *fa,
                        const feature *fb, double a[3], double b[3])
{
    const peg_view *A = f->a.view, *B = f->b.view;
    int of_a = kind != PEG_FEATURES_EV, of_b = kind != PEG_FEATURES_VE;
    double rim_a = of_a ? A->shape->rim : 0, rim_b = of_b ? B->shape->rim : 0, d[3];
    double far = f->pair->reach + peg_across(A->shape) + peg_across(B->shape);
    if (rim_a > 0 && off_rim(&f->b, fb, A, fa->i) > far - rim_a) return 0;
    if (rim_b > 0 && off_rim(&f->a, fa, B, fb->i) > far - rim_b) return 0;
    int has_rim = rim_a > 0 || rim_b > 0;
    if (of_a && of_b) {
        peg_copy3(A->vertex[fa->i], a);
        peg_copy3(B->vertex[fb->i], b);
        peg_sub(a, b, d);
    } else {
        const peg_view *E = of_a ? B : A;
        const int *end = E->shape->edge[of_a ? fb->i : fa->i].v;
        const double *x = E->vertex[end[0]];
        double *v = of_a ? a : b, *e = of_a ? b : a, r[3];
        peg_copy3(of_a ? A->vertex[fa->i] : B->vertex[fb->i], v);
        peg_sub(E->vertex[end[1]], x, d);
        peg_sub(v, x, r);
        double t = peg_dot(r, d) / peg_dot(d, d);
        if (!has_rim && (t < -PEG_INSIDE || t > 1 + PEG_INSIDE)) return 0;
        peg_add_scaled(x, has_rim ? peg_min(peg_max(t, 0), 1) : t, d, e);
        peg_sub(v, e, d);
    }
    if (peg_dot(d, d) > far * far) return 0;
    if (!has_rim) return 1;
    peg_feature_kind facet = kind;
    if (!peg_may_be_between(A, B, facet, fa->i, fb->i, PEG_INSIDE)) return 0;
    double t = peg_nearest_points(A, B, facet, fa->i, fb->i, a, b);
    return kind == PEG_FEATURES_VV || (t >= -PEG_INSIDE && t <= 1 + PEG_INSIDE);
}

/* Share of a disc's radius from which on a point of it lies on the rim. */
static const double ON_RIM = 1 - 1e-9;

static int is_inside_rim(const peg_view *view, int i, const double *point)
{
    double d[3];
    peg_sub(point, view->vertex[i], d);
    return peg_has_rim(view->shape) && peg_norm(d) < ON_RIM * view->shape->rim;
}

/* Distance of features, in sizes of the parts, above which the direction between nearest points is
 * known to much less than PEG_TOUCH without the features' own directions. */
static const double CLEARLY_APART = 1e-3;

/* Whether the direction between nearest points admits a row: yes, no, unknown. */
typedef enum verdict { MAKE, LEAVE, UNKNOWN } verdict;

static verdict judge(const finder *f, peg_feature_kind kind, int i, int j, const double *a,
                     const double *b)
{
    const peg_polytope *A = f->a.view->shape, *B = f->b.view->shape;
    double n[3];
    peg_sub(a, b, n);
    double facing = peg_dot(n, f->pair->facet.n), apart = peg_normalise(n);
    if (!(facing > 0 && apart > CLEARLY_APART * (A->radius + B->radius))) return UNKNOWN;
    if (facing < PEG_FACING * apart) return LEAVE;
    if (touches_a(f, kind == PEG_FEATURES_EV, i, n) && touches_b(f, kind == PEG_FEATURES_VE, j, n))
        return MAKE;
    return f->pair->tried.stuck ? UNKNOWN : LEAVE;
}

/* Where a line lies over a disc: the ends of what they share, as shares of the edge. */
static int shared_span(const double w[3], const double d[3], double rim, double t[2])
{
    double dd = peg_dot(d, d), wd = peg_dot(w, d);
    double root = wd * wd - dd * (peg_dot(w, w) - rim * rim);
    if (!(dd > 0 && root > 0)) return 0;
    t[0] = fmax(0, (-wd - sqrt(root)) / dd);
    t[1] = fmin(1, (-wd + sqrt(root)) / dd);
    return t[0] < t[1];
}

/* An edge along a cap touches it at both ends of what they share, wherever they are nearest; at its
 * own ends, too, since beyond the rim what neighbours them may be higher. */
static void rows_along_cap(const finder *f, peg_feature_kind kind, int i, int j)
{
    int of_a = kind == PEG_FEATURES_EV, edge = of_a ? i : j, cap = of_a ? j : i;
    peg_facing facing = peg_facing_of(f->pair, f->at, of_a ? PEG_FEATURES_VF : PEG_FEATURES_FV);
    const peg_view *D = facing.lower->now, *E = facing.upper->now;
    const peg_edge *e = E->shape->edge + edge;
    const double *axis = D->normal[cap];
    double w[3], d[3], t[2];
    peg_edge_vector(E, e, d);
    if (fabs(peg_dot(d, axis)) > f->I->settings->relative_rotation * peg_norm(d)) return;
    peg_sub(E->vertex[e->v[0]], D->vertex[cap], w);
    peg_add_scaled(d, -peg_dot(d, axis), axis, d);
    peg_add_scaled(w, -peg_dot(w, axis), axis, w);
    if (!shared_span(w, d, D->shape->rim, t)) return;
    for (int end = 0; end < 2; end++) {
        peg_feature_contact c = peg_edge_cap(&facing, edge, t[end], cap);
        int may_touch = of_a ? touches_a(f, 1, edge, c.normal) : touches_b(f, 1, edge, c.normal);
        if (may_touch && is_facing(f, &c)) peg_contact_rows(f->I, f->p, f->at, &c, f->out);
    }
}

/* Vertices, or a vertex and an edge, with nearest points a and b. What touches a cap within its rim
 * is a vertex over a face, or an edge on which the cap stands without touching a face. */
static void round_row(const finder *f, peg_feature_kind kind, int i, int j, double a[3],
                      double b[3])
{
    const peg_view *A = f->a.view, *B = f->b.view;
    int edge_a = kind == PEG_FEATURES_EV, edge_b = kind == PEG_FEATURES_VE;
    int on_cap = (!edge_a && is_inside_rim(A, i, a)) || (!edge_b && is_inside_rim(B, j, b));
    if (on_cap && (kind == PEG_FEATURES_VV || f->lies)) return;
    verdict v = judge(f, kind, i, j, a, b);
    if (v == LEAVE) return;
    peg_feature_contact c = {.kind = kind, .i = i, .j = j};
    peg_round_contact_now(f->pair, f->at, a, b, &c);
    if (!is_facing(f, &c)) return;
    if (v == UNKNOWN && !is_stuck(f, &c) &&
        !(touches_a(f, edge_a, i, c.normal) && touches_b(f, edge_b, j, c.normal)))
        return;
    peg_round_contact_since(f->at, &c);
    peg_contact_rows(f->I, f->p, f->at, &c, f->out);
}

/* Rows of one feature with all vertices, or all edges, of the other part. */
static void rows_with(const finder *f, peg_feature_kind kind, const feature *a, int is_edge)
{
    const side *of_vertex = kind == PEG_FEATURES_EV ? &f->b : &f->a;
    int has_cap = kind != PEG_FEATURES_VV && peg_has_rim(of_vertex->view->shape);
    peg_vec3 on_a, on_b;
    feature seen;
    for (int k = 0; k < f->b.count[is_edge]; k++) {
        const feature *b = feature_of(&f->b, is_edge, k, &seen);
        /* farther apart than any row's along the chosen direction: where they are nearest they are
         * no nearer than that */
        if (a->low + b->low > f->reach) continue;
        if (kind == PEG_FEATURES_EE) {
            edge_edge_row(f, a->i, b->i);
            continue;
        }
        if (has_cap) rows_along_cap(f, kind, a->i, b->i);
        if (find_nearest(f, kind, a, b, on_a, on_b)) round_row(f, kind, a->i, b->i, on_a, on_b);
    }
}

void peg_nearest_rows(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_view *A = at->a.now, *B = at->b.now;
    int before = out->m;
    finder f;
    f.I = I, f.at = at, f.out = out, f.p = p, f.pair = pair;
    f.reach = pair->reach + 2 * PEG_INSIDE * (A->shape->radius + B->shape->radius);
    begin_side(&f.a, A, B, pair->facet.n, 1, I->settings->relative_rotation);
    begin_side(&f.b, B, A, pair->facet.n, -1, I->settings->relative_rotation);
    if (f.a.bottom + f.b.bottom > f.reach) return;
    vertex_face_rows(&f, PEG_FEATURES_VF);
    vertex_face_rows(&f, PEG_FEATURES_FV);
    f.lies = out->m > before;
    if (pair->tried.yielded && pair->facet.kind <= PEG_FEATURES_FV) return;
    find_near(&f.a, f.reach - f.b.bottom);
    find_near(&f.b, f.reach - f.a.bottom);
    feature seen;
    for (int k = 0; k < f.a.count[1]; k++)
        rows_with(&f, PEG_FEATURES_EE, feature_of(&f.a, 1, k, &seen), 1);
    for (int k = 0; k < f.a.count[0]; k++) {
        const feature *a = feature_of(&f.a, 0, k, &seen);
        rows_with(&f, PEG_FEATURES_VV, a, 0);
        rows_with(&f, PEG_FEATURES_VE, a, 1);
    }
    for (int k = 0; k < f.a.count[1]; k++)
        rows_with(&f, PEG_FEATURES_EV, feature_of(&f.a, 1, k, &seen), 0);
}
