/* The contact patch of two polytopes: rows of the features that face each other along the chosen
 * direction n, each with its own normal, at the poses `now`. */
#include "peg/contact/patch_polytope.h"

#include "peg/contact/contact_row.h"
#include "peg/contact/feature_contact.h"

int peg_patch_room(peg_island *I, int largest)
{
    I->scratch.seen[0] = PEG_NEW(I->arena, peg_vec3, largest);
    I->scratch.seen[1] = PEG_NEW(I->arena, peg_vec3, largest);
    I->scratch.near = PEG_NEW(I->arena, int, largest);
    I->scratch.low = PEG_NEW(I->arena, unsigned char, largest);
    return I->scratch.seen[0] && I->scratch.seen[1] && I->scratch.near && I->scratch.low;
}

/* --- vertices against faces --- */

/* Marks the vertices on the side of the upper piece that looks against d. At which vertices a mesh
 * can be touched the whole of it says, not the triangle. */
static void mark_low(const peg_view *view, const double *d, unsigned char *low)
{
    const peg_polytope *P = view->shape;
    memset(low, peg_is_point(P) || peg_is_triangle(P), (size_t)P->nv);
    for (int f = 0; f < P->nf; f++) {
        if (peg_dot(view->normal[f], d) >= -PEG_TOUCH) continue;
        for (int t = P->face_start[f]; t < P->face_start[f + 1]; t++) low[P->face_vertex[t]] = 1;
    }
}

/* Sides of a face that are kept from one vertex to the next. */
enum { MOST_SIDES = 8 };

/* The sides of a face, seen along a direction. */
typedef struct face_sides {
    int count; /* 0: not known yet */
    const double *at[MOST_SIDES];
    peg_vec3 out[MOST_SIDES]; /* across them */
} face_sides;

static void see_sides(const peg_view *view, int f, const double *along, face_sides *s)
{
    const peg_polytope *P = view->shape;
    const int *v = P->face_vertex + P->face_start[f];
    s->count = P->face_start[f + 1] - P->face_start[f];
    const double *a = view->vertex[v[s->count - 1]];
    for (int t = 0; t < s->count; t++) {
        const double *b = view->vertex[v[t]];
        peg_vec3 e;
        peg_sub(b, a, e);
        peg_cross(e, along, s->out[t]);
        s->at[t] = a;
        a = b;
    }
}

/* The same as peg_is_beside, of one vertex after the other. */
static int is_beside(face_sides *s, const peg_view *view, int f, const double *w,
                     const double *along, double room)
{
    const peg_polytope *P = view->shape;
    int is_general = peg_is_half_space(P) || peg_is_flat(P);
    if (is_general || P->face_start[f + 1] - P->face_start[f] > MOST_SIDES)
        return peg_is_beside(view, f, w, along, room);
    if (!s->count) see_sides(view, f, along, s);
    for (int t = 0; t < s->count; t++) {
        peg_vec3 r;
        peg_sub(w, s->at[t], r);
        double beyond = peg_dot(s->out[t], r);
        if (beyond > 0 && beyond * beyond > room * room * peg_dot(s->out[t], s->out[t])) return 1;
    }
    return 0;
}

/* Whether a mesh on either side could be touched by a vertex on a face. */
static int may_touch(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                     const peg_facing *f, int vertex, int face)
{
    const double *n = f->lower->now->normal[face], sign = f->kind == PEG_FEATURES_VF ? 1 : -1;
    peg_feature_contact c;
    c.kind = f->kind, c.i = vertex, c.j = face;
    for (int k = 0; k < 3; k++) c.normal[k] = sign * n[k];
    return peg_may_touch(I, pair, at, &c);
}

static void vertex_rows(peg_island *I, int p, const peg_pair_pose *at, peg_feature_kind kind,
                        peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    peg_facing f = peg_facing_of(pair, at, kind);
    const peg_view *U = f.upper->now, *D = f.lower->now;
    face_sides sides;
    int marked = 0;
    for (int j = 0; j < D->shape->nf && U->shape->nv; j++) {
        if (peg_dot(D->normal[j], f.d) < PEG_FACING) continue;
        sides.count = 0;
        for (int i = 0; i < U->shape->nv; i++) {
            double gap = peg_dot(D->normal[j], U->vertex[i]) - D->offset[j];
            if (gap > pair->reach || gap < -peg_deepest(pair)) continue;
            if (is_beside(&sides, D, j, U->vertex[i], f.d, PEG_INSIDE * pair->L)) continue;
            if (!marked++) mark_low(U, f.d, I->scratch.low);
            if (!I->scratch.low[i]) continue;
            if (!may_touch(I, pair, at, &f, i, j)) continue;
            peg_feature_contact c = peg_vertex_face(&f, i, j);
            peg_contact_rows(I, p, at, &c, out);
        }
    }
}

/* --- edges against edges --- */

/* A view as it is seen along n: its vertices in the frame (t_1, t_2, n), t across n. */
typedef struct outline {
    const peg_vec3 *at;
    double least[2], most[2], bottom;
} outline;

static outline see(const peg_view *view, const double *origin, double frame[3][3], peg_vec3 *seen)
{
    outline o = {.at = (const peg_vec3 *)seen,
                 .least = {INFINITY, INFINITY},
                 .most = {-INFINITY, -INFINITY},
                 .bottom = INFINITY};
    for (int v = 0; v < view->shape->nv; v++) {
        double d[3], *at = seen[v];
        peg_sub(view->vertex[v], origin, d);
        for (int k = 0; k < 3; k++) at[k] = peg_dot(frame[k], d);
        o.bottom = peg_min(o.bottom, at[2]);
        for (int k = 0; k < 2; k++) {
            o.least[k] = peg_min(o.least[k], at[k]);
            o.most[k] = peg_max(o.most[k], at[k]);
        }
    }
    return o;
}

/* Whether two edges cross as they are seen, within the edges. */
static int edges_cross(const double *a0, const double *a1, const double *b0, const double *b1)
{
    double a[2] = {a1[0] - a0[0], a1[1] - a0[1]}, b[2] = {b1[0] - b0[0], b1[1] - b0[1]};
    double w[2] = {b0[0] - a0[0], b0[1] - a0[1]}, da[3], db[3];
    double area = a[0] * b[1] - a[1] * b[0];
    double s = w[0] * b[1] - w[1] * b[0], t = w[0] * a[1] - w[1] * a[0];
    if (area < 0) area = -area, s = -s, t = -t;
    double touch = PEG_TOUCH * area;
    if (!(s >= -touch && s <= area + touch && t >= -touch && t <= area + touch)) return 0;
    peg_sub(a1, a0, da);
    peg_sub(b1, b0, db);
    return area >= PEG_PARALLEL * sqrt(peg_dot(da, da) * peg_dot(db, db));
}

/* Whether two edges as they are seen are farther apart than `room` along one of the axes. */
static int are_apart(const double *a0, const double *a1, const double *b0, const double *b1,
                     double room)
{
    for (int k = 0; k < 2; k++)
        if (peg_min(a0[k], a1[k]) > peg_max(b0[k], b1[k]) + room ||
            peg_min(b0[k], b1[k]) > peg_max(a0[k], a1[k]) + room)
            return 1;
    return 0;
}

/* Whether the edge of a view looks against (sign -1) or along n. */
static int looks(const peg_view *view, const peg_edge *e, const double *n, double sign)
{
    return peg_is_triangle(view->shape) || sign * peg_dot(view->normal[e->f[0]], n) >= PEG_TOUCH ||
           sign * peg_dot(view->normal[e->f[1]], n) >= PEG_TOUCH;
}

/* Edges of B below no point of A as they are seen, or wholly below what can make a row, are out:
 * n . n_row >= PEG_FACING, so that a gap within reach is at most `far` along n. */
static int near_edges(const peg_island *I, const peg_pair *pair, const peg_view *B,
                      const outline *a, const outline *b)
{
    double far = pair->reach / PEG_FACING, room = PEG_INSIDE * pair->L;
    int count = 0;
    for (int j = 0; j < B->shape->ne; j++) {
        const peg_edge *e = &B->shape->edge[j];
        const double *b0 = b->at[e->v[0]], *b1 = b->at[e->v[1]];
        if (a->bottom > peg_max(b0[2], b1[2]) + far || are_apart(b0, b1, a->least, a->most, room) ||
            !looks(B, e, pair->facet.n, 1))
            continue;
        I->scratch.near[count++] = j;
    }
    return count;
}

static void edge_rows(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_view *A = at->a.now, *B = at->b.now;
    const double *n = pair->facet.n;
    double far = pair->reach / PEG_FACING, room = PEG_INSIDE * pair->L, frame[3][3];
    if (A->shape->ne == 0 || B->shape->ne == 0) return;
    /* two directions across the unit vector n, and n */
    peg_orthogonal(n, frame[0]);
    peg_cross(n, frame[0], frame[1]);
    peg_copy3(n, frame[2]);
    outline a = see(A, A->centre, frame, I->scratch.seen[0]),
            b = see(B, A->centre, frame, I->scratch.seen[1]);
    int count = near_edges(I, pair, B, &a, &b);
    int of_mesh = peg_is_triangle(A->shape) || peg_is_triangle(B->shape);
    for (int i = 0; i < A->shape->ne && count; i++) {
        const peg_edge *ea = &A->shape->edge[i];
        const double *a0 = a.at[ea->v[0]], *a1 = a.at[ea->v[1]];
        if (are_apart(a0, a1, b.least, b.most, room) || !looks(A, ea, n, -1)) continue;
        for (int k = 0; k < count; k++) {
            const peg_edge *eb = &B->shape->edge[I->scratch.near[k]];
            const double *b0 = b.at[eb->v[0]], *b1 = b.at[eb->v[1]];
            if (peg_min(a0[2], a1[2]) > peg_max(b0[2], b1[2]) + far ||
                are_apart(a0, a1, b0, b1, room) || !edges_cross(a0, a1, b0, b1))
                continue;
            peg_feature_contact c;
            double on_a, on_b;
            if (of_mesh && !peg_edges_may_touch(I, pair, at, i, I->scratch.near[k])) continue;
            if (!peg_edge_edge(pair, at, i, I->scratch.near[k], &c, &on_a, &on_b)) continue;
            if (c.gap > pair->reach || c.gap < -peg_deepest(pair)) continue;
            if (peg_dot(c.normal, n) < PEG_FACING) continue;
            peg_contact_rows(I, p, at, &c, out);
        }
    }
}

void peg_polytope_rows(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    vertex_rows(I, p, at, PEG_FEATURES_VF, out);
    vertex_rows(I, p, at, PEG_FEATURES_FV, out);
    edge_rows(I, p, at, out);
}
