/* Separation of two polytopes over the facets of their Minkowski difference [W section 4].
 *
 * n runs from B to A: the facets are the normals of B, the negated normals of A, and for edges u of
 * A (faces a0, a1) and w of B (faces b0, b1), running as peg_edge says, the direction u x w where
 * the arc a0 a1 crosses the arc (-b0)(-b1) on the unit sphere. With n_a x n_b along an edge the
 * crossing lies at s u x w, s = +-1, iff a0.w and b0.u have the sign s and a1.w and b1.u the sign
 * -s (there A supports s u x w and B its negative, so that n = -s u x w). */
#include "peg/collide/separation.h"

#include "peg/base/lanes.h"
#include "peg/collide/closest_features.h"

/* Sine of the angle by which the arcs must cross inside of each other. Below, the crossing is a
 * normal of one of the faces, or the edges are parallel, within rounding; the separation that could
 * be lost by it is this fraction of the size. */
static const double CROSSING = 1e-12;

/* Distance up to which two unit vectors are the same direction of a half-space. */
static const double SAME_DIRECTION = 1e-12;

/* Number of vertices from which on the support vertex is found by hill climbing. */
enum { CLIMB_FROM = 32 };

/* Hill climbing: on a convex surface a local maximum is the global one. */
static int climb(const peg_view *view, const double n[3], double sign, int from)
{
    const peg_polytope *P = view->shape;
    const peg_vec3 *x = (const peg_vec3 *)view->vertex;
    int best = from;
    double most = sign * peg_dot(n, x[best]);
    for (int at = best, up = 0; up >= 0; at = up) {
        up = -1;
        for (int k = P->next_start[at]; k < P->next_start[at + 1]; k++) {
            double s = sign * peg_dot(n, x[P->next[k]]);
            if (s > most) most = s, best = up = P->next[k];
        }
    }
    return best;
}

/* The largest m . x of n points, n >= 4. */
PEG_WIDE static double most_along(const peg_vec3 *x, int n, const double m[3])
{
    peg_doubles along[3] = {peg_doubles_of(m[0]), peg_doubles_of(m[1]), peg_doubles_of(m[2])};
    peg_doubles most = peg_doubles_along(along, x);
    for (int i = 4; i + 4 <= n; i += 4)
        most = peg_doubles_max(most, peg_doubles_along(along, x + i));
    if (n % 4) most = peg_doubles_max(most, peg_doubles_along(along, x + n - 4));
    return peg_doubles_most(most);
}

static int can_climb(const peg_polytope *P)
{
    return P->nv >= CLIMB_FROM && P->ne > 0;
}

int peg_support_vertex(const peg_view *view, const double n[3], double sign, int from)
{
    const peg_vec3 *x = (const peg_vec3 *)view->vertex;
    int nv = view->shape->nv, best = 0;
    if (can_climb(view->shape)) return climb(view, n, sign, from);
    double m[3] = {sign * n[0], sign * n[1], sign * n[2]};
    double most = nv >= 4 ? most_along(x, nv, m) : -INFINITY;
    for (int i = 0; i < nv; i++) {
        double s = peg_dot(m, x[i]);
        if (nv >= 4 && s == most) return i;
        if (s > most) most = s, best = i;
    }
    return best;
}

/* Largest sign n . x of the vertices. */
static double support(const peg_view *view, const double n[3], double sign)
{
    const peg_vec3 *x = (const peg_vec3 *)view->vertex;
    int nv = view->shape->nv;
    if (nv >= CLIMB_FROM) return sign * peg_dot(n, x[peg_support_vertex(view, n, sign, 0)]);
    double m[3] = {sign * n[0], sign * n[1], sign * n[2]}, most = -INFINITY;
    if (nv >= 4) return most_along(x, nv, m);
    for (int i = 0; i < nv; i++) most = peg_max(most, peg_dot(m, x[i]));
    return most;
}

/* Extent of a part's radius along n, m. */
static double extent(const peg_view *v, const double n[3])
{
    return v->shape->round + (peg_has_rim(v->shape) ? v->shape->rim * peg_off_axis(v, n) : 0);
}

static double support_max(const peg_view *v, const double n[3])
{
    return support(v, n, 1) + extent(v, n);
}

static double support_min(const peg_view *v, const double n[3])
{
    return -support(v, n, -1) - extent(v, n);
}

static int same_direction(const double *a, double sign, const double *b)
{
    peg_vec3 d;
    peg_add_scaled(a, -sign, b, d);
    return peg_dot(d, d) <= SAME_DIRECTION * SAME_DIRECTION;
}

static double face_of_B(const peg_view *A, const peg_view *B, int f)
{
    return support_min(A, B->normal[f]) - B->offset[f] - B->shape->round;
}

static double face_of_A(const peg_view *A, const peg_view *B, int f)
{
    return support_min(B, A->normal[f]) - A->offset[f] - A->shape->round;
}

double peg_separation_along(const peg_view *A, const peg_view *B, const double n[3])
{
    int half_a = peg_is_half_space(A->shape), half_b = peg_is_half_space(B->shape);
    if (half_a && half_b)
        return same_direction(n, 1, B->normal[0]) && same_direction(n, -1, A->normal[0])
                   ? -A->offset[0] - B->offset[0]
                   : -INFINITY;
    if (half_a) return same_direction(n, -1, A->normal[0]) ? face_of_A(A, B, 0) : -INFINITY;
    if (half_b) return same_direction(n, 1, B->normal[0]) ? face_of_B(A, B, 0) : -INFINITY;
    return support_min(A, n) - support_max(B, n);
}

double peg_separation_seen(const peg_view *A, const peg_view *B, const double of_a[3],
                           const double of_b[3])
{
    return support_min(A, of_a) - support_max(B, of_b);
}

void peg_triangle_sides(const peg_vec3 corner[3], peg_vec3 side[3])
{
    double edge[3][3], normal[3];
    for (int k = 0; k < 3; k++) peg_sub(corner[(k + 1) % 3], corner[k], edge[k]);
    peg_cross(edge[0], edge[1], normal);
    for (int k = 0; k < 3; k++) {
        peg_cross(edge[k], normal, side[k]);
        if (!(peg_normalise(side[k]) > 0)) memset(side[k], 0, sizeof side[k]);
    }
}

double peg_separation_beside(const peg_view *A, const peg_view *B)
{
    double best = -INFINITY;
    if (!peg_is_triangle(A->shape) || !peg_is_triangle(B->shape)) return best;
    for (int of_b = 0; of_b < 2; of_b++) {
        peg_vec3 side[3];
        peg_triangle_sides((const peg_vec3 *)(of_b ? B : A)->vertex, side);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3 && !of_b; i++) side[k][i] = -side[k][i];
            if (peg_dot(side[k], side[k]) > 0)
                best = peg_max(best, peg_separation_along(A, B, side[k]));
        }
    }
    return best;
}

/* n = the unit normal of two edges from their cross product, u of unit length; 0 if they are
 * parallel. Made orthogonal to u once more, because the cross product of nearly parallel vectors is
 * not. */
static int edge_normal(const peg_vec3 u, const peg_vec3 w, peg_vec3 n)
{
    if (!(peg_dot(n, n) > CROSSING * CROSSING * peg_dot(w, w))) return 0;
    peg_normalise(n);
    peg_add_scaled(n, -peg_dot(n, u), u, n);
    peg_normalise(n);
    return 1;
}

typedef struct search {
    const peg_view *A, *B;
    double keep, reach;  /* reach: of both parts' sizes */
    peg_vec3 on_a, on_b; /* a point of each, nearby if `floor` is finite */
    peg_facet_visitor *visit;
    void *context;
    double floor, face_floor; /* known lower bounds of s, of any facet and of a face, m */
    double bias;              /* s of an edge pair counts less than that of a face by this, m */
    double most;              /* largest s found, m */
    double value;             /* of `best`: s less the bias, m */
    peg_facet best;
    const peg_facet *widest; /* of two edges, known to have the largest s; null: none */
    int stops;               /* where a face has the largest s, edges are not looked at */
} search;

static void found(search *q, const peg_facet *facet)
{
    if (q->visit && facet->s >= q->keep) q->visit(q->context, facet);
    q->most = peg_max(q->most, facet->s);
    double value = facet->kind == PEG_FEATURES_EE ? facet->s - q->bias : facet->s;
    if (value > q->value) q->value = value, q->best = *facet;
}

/* Least s of a facet to be visited or to become the best, m. */
static double wanted(const search *q, double floor)
{
    return peg_min(q->visit ? q->keep : INFINITY, peg_max(floor, q->most));
}

/* Rounding of a distance, relative to the sizes. */
static const double SLACK = 1e-6;

/* An edge, from `at` along u, and its arc on the Gauss map. */
typedef struct arc {
    int i;
    const double *at, *from, *to; /* the arc's ends */
    peg_vec3 u;
    double square; /* of the length of u */
} arc;

static inline void take_arc(const peg_view *view, int i, arc *a)
{
    const peg_edge *e = view->shape->edge + i;
    a->i = i;
    a->at = view->vertex[e->v[0]];
    if (e->f[0] >= 0) a->from = view->normal[e->f[0]], a->to = view->normal[e->f[1]];
    peg_sub(view->vertex[e->v[1]], a->at, a->u);
    a->square = peg_dot(a->u, a->u);
}

/* Whether a crossing, n = u x w, can be skipped: its s is the distance of the edges along their
 * common normal, clearly below the bound. */
static int is_too_deep(const search *q, const arc *a, const arc *b, const peg_vec3 n, double sign)
{
    peg_vec3 d;
    double most = wanted(q, q->floor), square = peg_dot(n, n);
    if (most == -INFINITY || !(square > SLACK * SLACK * b->square)) return 0;
    peg_sub(a->at, b->at, d);
    double apart = -sign * peg_dot(n, d);
    most += peg_across(q->A->shape) + peg_across(q->B->shape) - SLACK * q->reach;
    return apart * fabs(apart) < most * fabs(most) * square;
}

/* The facet of a crossing, with the true s_n: between nearly parallel edges the distance of the
 * edges along n could be more. */
static void cross_edges(search *q, const arc *a, const arc *b, double sign)
{
    peg_vec3 n;
    peg_cross(a->u, b->u, n);
    if (is_too_deep(q, a, b, n, sign) || !edge_normal(a->u, b->u, n)) return;
    peg_facet facet = {.kind = PEG_FEATURES_EE, .i = a->i, .j = b->i};
    for (int k = 0; k < 3; k++) facet.n[k] = -sign * n[k];
    facet.s = support_min(q->A, facet.n) - support_max(q->B, facet.n);
    found(q, &facet);
}

/* Least value of an upper bound of s for a facet to be examined, m. */
static double least_wanted(const search *q, double floor)
{
    return wanted(q, floor) - SLACK * q->reach;
}

/* Upper bounds of s from a ball inside of the other polytope Y, about a point c: for a direction m
 * out of X, supported there at p, s <= m . (c - p) - its radius, less the radius of what is
 * dilated. On the arc of an edge of X m = (a m_0 + b m_1) / |a m_0 + b m_1| with a, b >= 0, whose
 * denominator lies between |m_0 + m_1| / 2 times a + b and a + b. The ball is the largest about the
 * centre of Y, or that about a point of Y near to X with the radius of what is dilated. */

/* Heights of the ball's centre over the faces; with more faces than fit edges are not culled. */
enum { MOST_FACES = 4096 };

typedef struct heights {
    double of[MOST_FACES];
    double radii; /* of the ball and of X; -infinity: nothing is culled, m */
} heights;

/* Of four faces from the f-th on. */
PEG_HOT void set_heights4(const peg_view *X, const peg_doubles c[3], int f, double *of)
{
    peg_doubles along = peg_doubles_along(c, (const peg_vec3 *)(X->normal + f));
    peg_doubles_store(along - peg_doubles_load(X->offset + f), of + f);
}

PEG_WIDE static void set_heights(const peg_view *X, const double c[3], int n, double *of)
{
    peg_doubles at[3] = {peg_doubles_of(c[0]), peg_doubles_of(c[1]), peg_doubles_of(c[2])};
    for (int f = 0; f + 4 <= n; f += 4) set_heights4(X, at, f, of);
    if (n > 4 && n % 4) set_heights4(X, at, n - 4, of);
    for (int f = 0; f < n && n < 4; f++) of[f] = peg_dot(X->normal[f], c) - X->offset[f];
}

static void find_heights(const search *q, const peg_view *X, const peg_view *Y, heights *h)
{
    int is_near = q->floor > -INFINITY;
    const double *c = !is_near ? Y->centre : Y == q->A ? q->on_a : q->on_b;
    int most = X->shape->nf < MOST_FACES ? X->shape->nf : MOST_FACES;
    h->radii = X->shape->round + (is_near ? Y->shape->round : Y->shape->inner);
    if (peg_is_half_space(X->shape) || peg_is_half_space(Y->shape)) h->radii = -INFINITY;
    set_heights(X, c, most, h->of);
}

/* The first face from f on that is as high as a bound, m, or has no height; n: none. */
static inline int high_face(const heights *h, int f, int n, double bound)
{
    int most = n < MOST_FACES ? n : MOST_FACES;
    while (f < most && h->of[f] < bound) f++;
    return f;
}

/* least: height that a direction of an edge's arc must reach. */
static inline int edge_is_out(const peg_view *X, const peg_edge *e, const heights *h, double least)
{
    double s = peg_max(h->of[e->f[0]], h->of[e->f[1]]);
    if (!(s < least) || s <= 0) return s < least;
    const double *m0 = X->normal[e->f[0]], *m1 = X->normal[e->f[1]];
    peg_vec3 sum;
    peg_add_scaled(m0, 1, m1, sum);
    return 4 * s * s < least * least * peg_dot(sum, sum);
}

/* Of segments and triangles: an arc of half a circle or more. */
static int has_bounded_arcs(const peg_polytope *P)
{
    return P->nf <= MOST_FACES && !peg_is_segment(P) && !peg_is_triangle(P);
}

/* The edges of a part whose arcs could be as high as a bound, in their order, and others: those of
 * faces that are high enough. */
typedef struct edge_walk {
    uint64_t left; /* edges to come, if the part lists them by faces */
    int is_listed, next, end;
} edge_walk;

static edge_walk walk_edges(const peg_polytope *P, const heights *h, double least)
{
    edge_walk walk = {.is_listed = P->face_edges && has_bounded_arcs(P), .end = P->ne};
    double low = least > 0 ? P->blunt * least : least;
    if (!walk.is_listed) return walk;
    for (int f = 0; (f = high_face(h, f, P->nf, low)) < P->nf; f++) walk.left |= P->face_edges[f];
    return walk;
}

/* -1: there are no more. */
static inline int next_edge(edge_walk *walk)
{
    if (!walk->is_listed) return walk->next < walk->end ? walk->next++ : -1;
    if (!walk->left) return -1;
    int e = __builtin_ctzll(walk->left);
    walk->left &= walk->left - 1;
    return e;
}

/* The edges of B to test; if they do not fit, all of them. */
enum { MOST_EDGES = 512 };

enum { FOURS = MOST_EDGES / 4 };

typedef struct edges {
    int count, all;
    arc arc[MOST_EDGES];
    peg_doubles from[3][FOURS], to[3][FOURS], u[3][FOURS], square[FOURS]; /* of these, in lanes */
} edges;

static void set_lanes(edges *near, int k)
{
    static const double none[3] = {0};
    int l = k % 4, g = k / 4, is_arc = k < near->count;
    const arc *a = &near->arc[is_arc ? k : 0];
    for (int i = 0; i < 3; i++) {
        near->from[i][g][l] = (is_arc ? a->from : none)[i];
        near->to[i][g][l] = (is_arc ? a->to : none)[i];
        near->u[i][g][l] = (is_arc ? a->u : none)[i];
    }
    near->square[g][l] = is_arc ? a->square : 0;
}

static void near_edges_of_B(const search *q, const heights *known, edges *near)
{
    const peg_polytope *P = q->B->shape;
    int bounded = has_bounded_arcs(P);
    double least = least_wanted(q, q->floor) + known->radii;
    near->count = near->all = 0;
    edge_walk walk = walk_edges(P, known, least);
    for (int j; (j = next_edge(&walk)) >= 0 && !near->all;) {
        if (bounded && edge_is_out(q->B, &P->edge[j], known, least)) continue;
        near->all = near->count == MOST_EDGES;
        if (!near->all) take_arc(q->B, j, &near->arc[near->count++]);
    }
    if (near->all) near->count = P->ne;
    int in_lanes = !near->all && !peg_is_segment(P) && !peg_is_segment(q->A->shape);
    for (int k = 0; k < (near->count + 3) / 4 * 4 && in_lanes; k++) set_lanes(near, k);
}

PEG_HOT peg_doubles dot(const double *a, const peg_doubles (*b)[FOURS], int g)
{
    return a[0] * b[0][g] + a[1] * b[1][g] + a[2] * b[2][g];
}

/* Lists the arcs that the arc a crosses, as crossing_sign tells; returns their number. */
PEG_WIDE static int find_crossings(const edges *near, const arc *a, int *list)
{
    const peg_doubles zero = peg_doubles_of(0), thin = peg_doubles_of(CROSSING);
    int n = 0;
    for (int g = 0; 4 * g < near->count; g++) {
        peg_doubles p0 = dot(a->u, near->from, g), p1 = dot(a->u, near->to, g);
        peg_doubles r0 = dot(a->from, near->u, g), r1 = -dot(a->to, near->u, g);
        peg_doubles least = CROSSING * CROSSING * near->square[g];
        peg_double_mask cross = p0 * p1 < zero;
        cross &= (peg_doubles_abs(p0) > thin) & (peg_doubles_abs(p1) > thin);
        cross &= (peg_doubles_if(p0 > zero, r0, -r0) > zero) &
                 (peg_doubles_if(p0 > zero, r1, -r1) > zero);
        cross &= (r0 * r0 > least) & (r1 * r1 > least);
        if (!(cross[0] | cross[1] | cross[2] | cross[3])) continue;
        for (int l = 0; l < 4; l++)
            if (cross[l]) list[n++] = 4 * g + l;
    }
    return n;
}

/* On which side of the arc of b that of a crosses it; 0: it does not, or both are circles, which
 * cross twice. The arc of a segment is the whole circle across it, which meets an arc wherever that
 * passes from one side to the other, and another circle at both ends of a line. */
static int crossing_sign(const arc *a, int circle_a, const arc *b, int circle_b, int *crosses)
{
    int sign = 0;
    *crosses = 0;
    if (!circle_b) {
        double p0 = peg_dot(b->from, a->u), p1 = peg_dot(b->to, a->u);
        if (p0 * p1 >= 0 || fabs(p0) <= CROSSING || fabs(p1) <= CROSSING) return 0;
        sign = p0 > 0 ? 1 : -1;
    }
    if (!circle_a) {
        double r0 = peg_dot(a->from, b->u), r1 = -peg_dot(a->to, b->u);
        double least = CROSSING * CROSSING * b->square;
        if (circle_b) sign = r0 > 0 ? 1 : -1;
        if (!(sign * r0 > 0 && sign * r1 > 0 && r0 * r0 > least && r1 * r1 > least)) return 0;
    }
    *crosses = 1;
    return sign;
}

/* All crossings of the arc of edge i of A with the arcs of B. */
static void edges_of_B(search *q, int i, edges *near)
{
    int circle_a = peg_is_segment(q->A->shape), circle_b = peg_is_segment(q->B->shape);
    int list[MOST_EDGES];
    arc a, other;
    take_arc(q->A, i, &a);
    peg_normalise(a.u);
    int in_lanes = !circle_a && !circle_b && !near->all;
    int n = in_lanes ? find_crossings(near, &a, list) : near->count;
    for (int l = 0; l < n; l++) {
        int crosses, k = in_lanes ? list[l] : l;
        if (near->all) take_arc(q->B, k, &other);
        const arc *b = near->all ? &other : &near->arc[k];
        int sign = crossing_sign(&a, circle_a, b, circle_b, &crosses);
        if (!crosses) continue;
        cross_edges(q, &a, b, sign ? sign : 1);
        if (!sign) cross_edges(q, &a, b, -1);
    }
}

/* --- edges of a triangle --- */

/* Faces of A whose normals are multiplied with the sides of a triangle before its edges are. */
enum { MOST_TURNED = 64 };

/* All arcs of a triangle run from one of its normals to the other: which side an edge of A crosses
 * them on is the same for all of them, and whether it does is told by its faces' normals, each of
 * which two and more edges share. The same as edges_of_B. */
static void edges_of_triangle(search *q, const heights *known)
{
    const peg_view *A = q->A, *B = q->B;
    const peg_polytope *P = A->shape;
    double along[MOST_TURNED][3], least[3], bound = least_wanted(q, q->floor) + known->radii;
    int bounded = has_bounded_arcs(P);
    arc a, side[3];
    for (int k = 0; k < 3; k++) {
        take_arc(B, k, &side[k]);
        least[k] = CROSSING * CROSSING * side[k].square;
    }
    for (int f = 0; f < P->nf; f++)
        for (int k = 0; k < 3; k++) along[f][k] = peg_dot(A->normal[f], side[k].u);
    for (int i = 0; i < P->ne; i++) {
        const peg_edge *e = &P->edge[i];
        if (bounded && edge_is_out(A, e, known, bound)) continue;
        take_arc(A, i, &a);
        peg_normalise(a.u);
        double p0 = peg_dot(a.u, side[0].from), p1 = peg_dot(a.u, side[0].to);
        if (!(p0 * p1 < 0 && fabs(p0) > CROSSING && fabs(p1) > CROSSING)) continue;
        double sign = p0 > 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            double r0 = along[e->f[0]][k], r1 = -along[e->f[1]][k];
            if (sign * r0 > 0 && sign * r1 > 0 && r0 * r0 > least[k] && r1 * r1 > least[k])
                cross_edges(q, &a, &side[k], sign);
        }
        bound = least_wanted(q, q->floor) + known->radii;
    }
}

static void edges_of_all(search *q, const heights *over_a, const heights *over_b)
{
    const peg_polytope *P = q->A->shape;
    edges near;
    near_edges_of_B(q, over_b, &near);
    int bounded = has_bounded_arcs(P);
    double least = least_wanted(q, q->floor) + over_a->radii;
    edge_walk walk = walk_edges(P, over_a, least);
    for (int i; near.count && (i = next_edge(&walk)) >= 0;) {
        if (bounded && edge_is_out(q->A, &P->edge[i], over_a, least)) continue;
        edges_of_B(q, i, &near);
        least = least_wanted(q, q->floor) + over_a->radii;
    }
}

/* --- dilated parts --- */

/* The facet of the nearest features of dilated parts. If other features are nearer it is one more
 * direction. */
static void round_facet(search *q)
{
    const peg_view *A = q->A, *B = q->B;
    peg_vec3 n;
    peg_copy3(q->best.n, n);
    peg_facet facet = peg_nearest_features(A, B, n);
    int met = peg_round_normal(A, B, &facet, facet.n);
    facet.s = peg_separation_along(A, B, facet.n);
    if (met) { /* the sides are indistinguishable */
        double back[3] = {-facet.n[0], -facet.n[1], -facet.n[2]};
        double s = peg_separation_along(A, B, back);
        if (s > facet.s) peg_copy3(back, facet.n);
        facet.s = peg_max(s, facet.s);
    }
    found(q, &facet);
}

/* Faces of B, or of A: those that could have as much as is wanted. */
static void search_faces(search *q, int of_a, const heights *known)
{
    const peg_view *A = q->A, *B = q->B, *X = of_a ? A : B;
    int n = X->shape->nf;
    double bound = least_wanted(q, q->face_floor) + known->radii;
    for (int f = 0; (f = high_face(known, f, n, bound)) < n; f++) {
        peg_facet facet = {.kind = of_a ? PEG_FEATURES_FV : PEG_FEATURES_VF, .i = f};
        facet.s = of_a ? face_of_A(A, B, f) : face_of_B(A, B, f);
        for (int k = 0; k < 3; k++) facet.n[k] = of_a ? -X->normal[f][k] : X->normal[f][k];
        found(q, &facet);
        bound = least_wanted(q, q->face_floor) + known->radii;
    }
}

/* The point of a face that is nearest to p, or near to it. */
static void near_point_of_face(const peg_view *view, int f, const double p[3], peg_vec3 out)
{
    const peg_polytope *P = view->shape;
    const int *v = P->face_vertex + P->face_start[f];
    int n = P->face_start[f + 1] - P->face_start[f];
    const double *m = view->normal[f];
    double most = 0;
    peg_add_scaled(p, view->offset[f] - peg_dot(m, p), m, out);
    for (int k = 0; k < n; k++) {
        const double *a = view->vertex[v[k]], *b = view->vertex[v[k + 1 < n ? k + 1 : 0]];
        peg_vec3 d, r, side;
        peg_sub(b, a, d);
        peg_sub(p, a, r);
        peg_cross(d, m, side);
        double beyond = peg_dot(side, r), square = peg_dot(d, d);
        if (!(beyond > 0) || beyond * beyond <= most * square) continue;
        most = beyond * beyond / square;
        peg_add_scaled(a, peg_max(0, peg_min(1, peg_dot(r, d) / square)), d, out);
    }
}

/* A point of each of the facet's features. */
static void take_points(search *q, const peg_facet *facet)
{
    const peg_view *A = q->A, *B = q->B;
    if (facet->kind == PEG_FEATURES_VF) {
        peg_copy3(A->vertex[peg_support_vertex(A, facet->n, -1, 0)], q->on_a);
        near_point_of_face(B, facet->i, q->on_a, q->on_b);
    } else if (facet->kind == PEG_FEATURES_FV) {
        peg_copy3(B->vertex[peg_support_vertex(B, facet->n, 1, 0)], q->on_b);
        near_point_of_face(A, facet->i, q->on_b, q->on_a);
    } else if (facet->kind == PEG_FEATURES_EE) {
        peg_near_points_of_edges(A, B, facet->i, facet->j, q->on_a, q->on_b);
    } else {
        peg_copy3(A->vertex[peg_support_vertex(A, facet->n, -1, 0)], q->on_a);
        peg_copy3(B->vertex[peg_support_vertex(B, facet->n, 1, 0)], q->on_b);
    }
}

static int is_sharp(const peg_polytope *A, const peg_polytope *B)
{
    return !peg_is_dilated(A) && !peg_is_dilated(B);
}

/* Up to which separations are the same, relative to the sizes. */
static const double SAME = 1e-9;

/* Whether no direction can have more than a facet that separates the parts: s_n <= n . (a - b) for
 * points a of A and b of B, and these of its features are as near to each other as that. */
static int is_widest(const search *q, const peg_facet *facet)
{
    peg_vec3 d;
    peg_sub(q->on_a, q->on_b, d);
    double most = facet->s + SAME * q->reach;
    return facet->s > 0 && peg_dot(d, d) <= most * most;
}

static int is_face(const peg_facet *facet)
{
    return facet->kind == PEG_FEATURES_VF || facet->kind == PEG_FEATURES_FV;
}

/* Whether edges cannot have more than what the search over faces and the start have. */
static int do_faces_tell(search *q)
{
    if (q->widest || !q->stops || !is_face(&q->best) || !(q->best.s > 0)) return q->widest != NULL;
    take_points(q, &q->best);
    return is_widest(q, &q->best);
}

static peg_facet run(search *q)
{
    const peg_view *A = q->A, *B = q->B;
    int half_a = peg_is_half_space(A->shape), half_b = peg_is_half_space(B->shape);
    heights over_a, over_b;
    if (half_a && half_b) return q->best;
    find_heights(q, A, B, &over_a);
    find_heights(q, B, A, &over_b);
    if (!half_a) search_faces(q, 0, &over_b);
    if (!half_b) search_faces(q, 1, &over_a);
    if (do_faces_tell(q)) {
        if (q->widest) found(q, q->widest);
        return q->best;
    }
    if (peg_is_triangle(B->shape) && !peg_is_segment(A->shape) && A->shape->nf <= MOST_TURNED)
        edges_of_triangle(q, &over_a);
    else
        edges_of_all(q, &over_a, &over_b);
    int dilated = peg_is_dilated(A->shape) || peg_is_dilated(B->shape);
    if (dilated && !half_a && !half_b) round_facet(q);
    return q->best;
}

static search search_of(const peg_view *A, const peg_view *B)
{
    return (search){.A = A,
                    .B = B,
                    .keep = INFINITY,
                    .reach = A->shape->radius + B->shape->radius,
                    .floor = -INFINITY,
                    .face_floor = -INFINITY,
                    .most = -INFINITY,
                    .value = -INFINITY,
                    .best = {.kind = PEG_FEATURES_NONE, .s = -INFINITY}};
}

peg_facet peg_separation(const peg_view *A, const peg_view *B, double keep,
                         peg_facet_visitor *visit, void *context)
{
    search q = search_of(A, B);
    q.keep = keep, q.visit = visit, q.context = context;
    return run(&q);
}

/* A facet with that much is met again, or the start was none: what is within the slack of it is not
 * passed over. */
peg_facet peg_separation_of_faces_first(const peg_view *A, const peg_view *B,
                                        const peg_facet *start, double edge_bias)
{
    search q = search_of(A, B);
    q.bias = edge_bias;
    if (start->s > -INFINITY && A->shape->nv && B->shape->nv) {
        take_points(&q, start);
        q.stops = edge_bias > 0 && is_sharp(A->shape, B->shape);
        if (q.stops && is_widest(&q, start)) {
            if (is_face(start)) return *start;
            if (start->kind == PEG_FEATURES_EE) q.widest = start;
        }
        q.floor = start->s;
        q.face_floor = is_face(start) ? start->s : start->s - edge_bias;
    }
    run(&q);
    if (q.most < start->s - SLACK * q.reach) {
        q.floor = q.face_floor = -INFINITY;
        q.widest = NULL;
        run(&q);
    }
    q.best.s = q.most;
    return q.best;
}

peg_facet peg_separation_from(const peg_view *A, const peg_view *B, const peg_facet *start)
{
    return peg_separation_of_faces_first(A, B, start, 0);
}

peg_facet peg_facet_at(const peg_view *A, const peg_view *B, const peg_facet *facet)
{
    peg_facet at = *facet;
    if (facet->kind == PEG_FEATURES_VF) {
        peg_copy3(B->normal[facet->i], at.n);
        at.s = face_of_B(A, B, facet->i);
    } else if (facet->kind == PEG_FEATURES_FV) {
        for (int k = 0; k < 3; k++) at.n[k] = -A->normal[facet->i][k];
        at.s = face_of_A(A, B, facet->i);
    } else if (facet->kind == PEG_FEATURES_EE) {
        peg_vec3 u, w;
        peg_edge_vector(A, A->shape->edge + facet->i, u);
        peg_edge_vector(B, B->shape->edge + facet->j, w);
        peg_normalise(u);
        peg_cross(u, w, at.n);
        if (!edge_normal(u, w, at.n)) peg_copy3(facet->n, at.n);
        double sign = peg_dot(at.n, facet->n) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) at.n[k] *= sign;
        at.s = peg_separation_along(A, B, at.n);
    } else if (facet->kind != PEG_FEATURES_NONE) {
        peg_round_normal(A, B, facet, at.n);
        double sign = peg_dot(at.n, facet->n) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) at.n[k] *= sign;
        at.s = peg_separation_along(A, B, at.n);
    }
    return at;
}

peg_facet peg_facet_since(const peg_view *A, const peg_view *B, const peg_facet *before,
                          double enough, double edge_bias)
{
    peg_facet facet = *before;
    facet.s = -INFINITY;
    if (facet.kind != PEG_FEATURES_NONE)
        facet = peg_facet_at(A, B, &facet);
    else if (peg_dot(facet.n, facet.n) > 0)
        facet.s = peg_separation_along(A, B, facet.n);
    return facet.s > enough ? facet : peg_separation_of_faces_first(A, B, &facet, edge_bias);
}
