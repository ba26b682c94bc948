/* The contact patch of a pair: rows of the features that face each other along the chosen direction
 * n, each with its own normal, at the poses `now`. */
#include "peg/collide/normal_cone.h"
#include "peg/contact/contact_row.h"
#include "peg/collide/closest_features.h"

int peg_patch_room(peg_island *I, int largest)
{
    I->seen[0] = PEG_NEW(I->arena, peg_vec3, largest);
    I->seen[1] = PEG_NEW(I->arena, peg_vec3, largest);
    I->near = PEG_NEW(I->arena, int, largest);
    I->low = PEG_NEW(I->arena, unsigned char, largest);
    return I->seen[0] && I->seen[1] && I->near && I->low;
}

/* --- vertices against faces --- */

/* Where the vertices belong to the upper piece and the faces to the lower one; d points from lower
 * to upper. */
typedef struct facing {
    const peg_piece *upper, *lower;
    peg_row_kind kind;
    double d[3];
} facing;

static facing face_pair(const peg_island *I, const peg_pair *pair, peg_row_kind kind)
{
    facing f = {.kind = kind};
    double sign = kind == PEG_ROW_VF ? 1 : -1;
    f.upper = &I->piece[kind == PEG_ROW_VF ? pair->a : pair->b];
    f.lower = &I->piece[kind == PEG_ROW_VF ? pair->b : pair->a];
    for (int k = 0; k < 3; k++) f.d[k] = sign * pair->facet.n[k];
    return f;
}

/* Distance of w beyond the ends of side f of a polygon. */
static double beyond_ends(const peg_view *view, int f, const double *w, const double *along)
{
    const int *end = view->shape->face_vertex + view->shape->face_start[f];
    double side[3], from[3], to[3];
    peg_sub(view->vertex[end[1]], view->vertex[end[0]], side);
    peg_add_scaled(side, -peg_dot(side, along), along, side);
    peg_normalise(side);
    peg_sub(view->vertex[end[0]], w, from);
    peg_sub(w, view->vertex[end[1]], to);
    return fmax(peg_dot(side, from), peg_dot(side, to));
}

/* Distance of w beyond the rim of cap f. */
static double beyond_rim(const peg_view *view, int f, const double *w, const double *along)
{
    double d[3];
    peg_sub(w, view->vertex[f], d);
    peg_add_scaled(d, -peg_dot(d, along), along, d);
    return peg_norm(d) - view->shape->rim;
}

int peg_is_beside(const peg_view *view, int f, const double *w, const double *along, double room)
{
    const peg_polytope *P = view->shape;
    if (peg_is_half_space(P)) return 0;
    if (peg_is_flat(P)) return beyond_ends(view, f, w, along) > room;
    if (P->rim > 0) return beyond_rim(view, f, w, along) > room;
    int first = P->face_start[f], last = P->face_start[f + 1];
    const double *a = view->vertex[P->face_vertex[last - 1]];
    for (int t = first; t < last; t++) {
        const double *b = view->vertex[P->face_vertex[t]];
        double e[3], r[3], out[3];
        peg_sub(b, a, e);
        peg_sub(w, a, r);
        peg_cross(e, along, out);
        double beyond = peg_dot(out, r);
        if (beyond > 0 && beyond * beyond > room * room * peg_dot(out, out)) return 1;
        a = b;
    }
    return 0;
}

/* Points on each rim, evenly spaced. */
enum { ON_RIM = 8 };

int peg_rim_points(const peg_polytope *shape)
{
    return shape->rim > 0 ? ON_RIM * shape->nv : 0;
}

/* Where a vertex, or a point of a rim, meets a face of normal n. */
static void vertex_point(const peg_view *view, int i, const double *n, double out[3])
{
    int nv = view->shape->nv;
    if (i < nv) {
        peg_lowest_point(view, i, n, out);
        return;
    }
    double angle = 2 * acos(-1) / ON_RIM * ((i - nv) % ON_RIM), rim = view->shape->rim;
    double local[3] = {rim * cos(angle), rim * sin(angle), 0};
    peg_rotate(view->turn, local, out);
    peg_add_scaled(out, 1, view->vertex[(i - nv) / ON_RIM], out);
}

peg_feature_contact peg_vertex_face(const peg_piece *upper, const peg_piece *lower,
                                    peg_row_kind kind, int vertex, int face)
{
    const peg_view *U = &upper->now, *U0 = &upper->start;
    const peg_view *D = &lower->now, *D0 = &lower->start;
    double w[3], w0[3], sign = kind == PEG_ROW_VF ? 1 : -1,
                        round = U->shape->round + D->shape->round;
    vertex_point(U, vertex, D->normal[face], w);
    vertex_point(U0, vertex, D0->normal[face], w0);
    peg_feature_contact c = {.kind = kind, .i = vertex, .j = face};
    for (int k = 0; k < 3; k++) {
        c.normal[k] = sign * D->normal[face][k];
        c.mid_normal[k] = sign * 0.5 * (D0->normal[face][k] + D->normal[face][k]);
        c.point_a[k] = c.point_b[k] = w[k];
        c.mid_point[k] = 0.5 * (w0[k] + w[k]);
    }
    c.gap = peg_dot(D->normal[face], w) - D->offset[face] - round;
    c.gap0 = peg_dot(D0->normal[face], w0) - D0->offset[face] - round;
    return c;
}

/* Whether feature i of a piece can be touched along n, out of it. */
static int can_touch(const peg_view *view, peg_part_feature feature, int i, const double *n)
{
    static const peg_lean lean = {PEG_LEAN, NULL};
    if (!view->shape->mesh || feature == PEG_A_FACE) return 1;
    return feature == PEG_A_VERTEX ? peg_vertex_can_touch(view, i, n, &lean)
                                   : peg_edge_can_touch(view, i, n, &lean);
}

/* Whether a mesh on either side can be touched by the row. */
static int may_touch(const peg_island *I, const peg_pair *pair, const peg_feature_contact *c)
{
    const peg_view *A = &I->piece[pair->a].now, *B = &I->piece[pair->b].now;
    const double *n = c->normal, back[3] = {-n[0], -n[1], -n[2]};
    int swap = c->kind == PEG_ROW_FV;
    return pair->stuck ||
           (can_touch(swap ? B : A, peg_row_feature(c->kind, 0), c->i, swap ? n : back) &&
            can_touch(swap ? A : B, peg_row_feature(c->kind, 1), c->j, swap ? back : n));
}

static void add_rows(peg_island *I, int p, const double (*u)[6], const peg_feature_contact *c,
                     peg_row_set *out)
{
    if (may_touch(I, &I->pair[p], c)) peg_contact_rows(I, p, u, c, out);
}

/* Marks the vertices on the side of the upper piece that looks against d. At which vertices a mesh
 * can be touched the whole of it says, not the triangle. */
static void mark_low(const peg_view *view, const double *d, unsigned char *low)
{
    const peg_polytope *P = view->shape;
    memset(low, peg_is_point(P) || P->mesh, (size_t)P->nv);
    for (int f = 0; f < P->nf; f++) {
        if (peg_dot(view->normal[f], d) >= -PEG_TOUCH) continue;
        for (int t = P->face_start[f]; t < P->face_start[f + 1]; t++) low[P->face_vertex[t]] = 1;
    }
}

static void vertex_rows(peg_island *I, int p, const double (*u)[6], peg_row_kind kind,
                        peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    facing f = face_pair(I, pair, kind);
    const peg_view *U = &f.upper->now, *D = &f.lower->now;
    int marked = 0;
    for (int j = 0; j < D->shape->nf && U->shape->nv; j++) {
        if (peg_dot(D->normal[j], f.d) < PEG_FACING) continue;
        for (int i = 0; i < U->shape->nv; i++) {
            double gap = peg_dot(D->normal[j], U->vertex[i]) - D->offset[j];
            if (gap > pair->reach || gap < -0.5 * pair->L) continue;
            if (peg_is_beside(D, j, U->vertex[i], f.d, PEG_INSIDE * pair->L)) continue;
            if (!marked++) mark_low(U, f.d, I->low);
            if (!I->low[i]) continue;
            peg_feature_contact c = peg_vertex_face(f.upper, f.lower, kind, i, j);
            add_rows(I, p, u, &c, out);
        }
    }
}

/* --- edges against edges --- */

/* Nearest points of the lines at q_k, parameters along the edges, and the same material points at
 * q_0. Returns 0 if the edges are parallel. */
int peg_edge_edge(const peg_island *I, const peg_pair *pair, int i, int j, peg_feature_contact *c,
                  double *s, double *t)
{
    const peg_piece *A = &I->piece[pair->a], *B = &I->piece[pair->b];
    const int *ea = A->now.shape->edge[i].v, *eb = B->now.shape->edge[j].v;
    const double *a0 = A->now.vertex[ea[0]], *a1 = A->now.vertex[ea[1]];
    const double *b0 = B->now.vertex[eb[0]], *b1 = B->now.vertex[eb[1]];
    double da[3], db[3], x[3], w[3], y[3];
    peg_sub(a1, a0, da);
    peg_sub(b1, b0, db);
    peg_sub(b0, a0, w);
    peg_cross(da, db, x);
    double xx = peg_dot(x, x), lengths = sqrt(peg_dot(da, da) * peg_dot(db, db));
    if (sqrt(xx) < 1e-6 * lengths) return 0;
    peg_cross(w, db, y);
    *s = peg_dot(y, x) / xx;
    peg_cross(w, da, y);
    *t = peg_dot(y, x) / xx;
    double sign = peg_dot(x, pair->facet.n) > 0 ? 1 : -1, l = sqrt(xx);
    const double *c0 = A->start.vertex[ea[0]], *c1 = A->start.vertex[ea[1]];
    const double *d0 = B->start.vertex[eb[0]], *d1 = B->start.vertex[eb[1]];
    double fa[3], fb[3], n0[3], apart[3], apart0[3];
    peg_sub(c1, c0, fa);
    peg_sub(d1, d0, fb);
    peg_cross(fa, fb, n0);
    double l0 = peg_norm(n0);
    *c = (peg_feature_contact){.kind = PEG_ROW_EE, .i = i, .j = j};
    for (int k = 0; k < 3; k++) {
        double qa = c0[k] + *s * fa[k], qb = d0[k] + *t * fb[k];
        c->normal[k] = sign * x[k] / l;
        c->point_a[k] = a0[k] + *s * da[k];
        c->point_b[k] = b0[k] + *t * db[k];
        apart[k] = c->point_a[k] - c->point_b[k];
        apart0[k] = qa - qb;
        n0[k] *= l0 > 0 ? sign / l0 : 0;
        c->mid_point[k] = 0.25 * (qa + qb + c->point_a[k] + c->point_b[k]);
        c->mid_normal[k] = 0.5 * (n0[k] + c->normal[k]);
    }
    double round = peg_across(A->now.shape) + peg_across(B->now.shape);
    for (int k = 0; k < 3 && round > 0; k++)
        c->point_a[k] = c->point_b[k] = .5 * (c->point_a[k] + c->point_b[k]);
    c->gap = peg_dot(c->normal, apart) - round;
    c->gap0 = peg_dot(n0, apart0) - round;
    if (l0 < 1e-9 * lengths || peg_dot(n0, c->normal) < 0.5) {
        /* the normal has turned: what it was at the start says nothing of this pair of edges */
        c->gap0 = c->gap;
        peg_copy3(c->normal, c->mid_normal);
    }
    return 1;
}

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

/* Two directions across the unit vector n, and n. */
static void frame_along(const double *n, double frame[3][3])
{
    int k = fabs(n[0]) < 0.6 ? 0 : 1;
    double axis[3] = {k == 0, k == 1, 0};
    peg_cross(n, axis, frame[0]);
    peg_normalise(frame[0]);
    peg_cross(n, frame[0], frame[1]);
    peg_copy3(n, frame[2]);
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
    return area >= 1e-6 * sqrt(peg_dot(da, da) * peg_dot(db, db));
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
    return view->shape->mesh || sign * peg_dot(view->normal[e->f[0]], n) >= PEG_TOUCH ||
           sign * peg_dot(view->normal[e->f[1]], n) >= PEG_TOUCH;
}

/* Edges of B below no point of A as they are seen, or wholly below what can make a row, are out:
 * n . n_row >= PEG_FACING, so that a gap within reach is at most `far` along n. */
static int near_edges(const peg_island *I, const peg_pair *pair, const outline *a, const outline *b)
{
    const peg_view *B = &I->piece[pair->b].now;
    double far = pair->reach / PEG_FACING, room = PEG_INSIDE * pair->L;
    int count = 0;
    for (int j = 0; j < B->shape->ne; j++) {
        const peg_edge *e = &B->shape->edge[j];
        const double *b0 = b->at[e->v[0]], *b1 = b->at[e->v[1]];
        if (a->bottom > peg_max(b0[2], b1[2]) + far || are_apart(b0, b1, a->least, a->most, room) ||
            !looks(B, e, pair->facet.n, 1))
            continue;
        I->near[count++] = j;
    }
    return count;
}

static void edge_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_view *A = &I->piece[pair->a].now, *B = &I->piece[pair->b].now;
    const double *n = pair->facet.n;
    double far = pair->reach / PEG_FACING, room = PEG_INSIDE * pair->L, frame[3][3];
    if (A->shape->ne == 0 || B->shape->ne == 0) return;
    frame_along(n, frame);
    outline a = see(A, A->centre, frame, I->seen[0]), b = see(B, A->centre, frame, I->seen[1]);
    int count = near_edges(I, pair, &a, &b);
    for (int i = 0; i < A->shape->ne && count; i++) {
        const peg_edge *ea = &A->shape->edge[i];
        const double *a0 = a.at[ea->v[0]], *a1 = a.at[ea->v[1]];
        if (are_apart(a0, a1, b.least, b.most, room) || !looks(A, ea, n, -1)) continue;
        for (int k = 0; k < count; k++) {
            const peg_edge *eb = &B->shape->edge[I->near[k]];
            const double *b0 = b.at[eb->v[0]], *b1 = b.at[eb->v[1]];
            if (peg_min(a0[2], a1[2]) > peg_max(b0[2], b1[2]) + far ||
                are_apart(a0, a1, b0, b1, room) || !edges_cross(a0, a1, b0, b1))
                continue;
            peg_feature_contact c;
            double on_a, on_b;
            if (!peg_edge_edge(I, pair, i, I->near[k], &c, &on_a, &on_b)) continue;
            if (c.gap > pair->reach || c.gap < -0.5 * pair->L) continue;
            if (peg_dot(c.normal, n) < PEG_FACING) continue;
            add_rows(I, p, u, &c, out);
        }
    }
}

int peg_patch_rows(peg_island *I, int p, const double (*u)[6], peg_row_set *out)
{
    int before = out->m;
    const peg_pair *pair = &I->pair[p];
    if (pair->ngiven) {
        peg_given_rows(I, p, u, out);
        return out->m - before;
    }
    if (peg_is_dilated(I->piece[pair->a].part->shape) ||
        peg_is_dilated(I->piece[pair->b].part->shape)) {
        peg_nearest_rows(I, p, u, out);
        return out->m - before;
    }
    vertex_rows(I, p, u, PEG_ROW_VF, out);
    vertex_rows(I, p, u, PEG_ROW_FV, out);
    edge_rows(I, p, u, out);
    return out->m - before;
}

double peg_row_gap(const peg_island *I, const peg_row *row)
{
    const peg_pair *pair = &I->pair[row->pair];
    peg_feature_contact c;
    double s, t;
    if (row->kind == PEG_ROW_GIVEN) return peg_given_gap(I, pair, row->i);
    if (row->kind > PEG_ROW_EE) {
        peg_round_contact(I, pair, row->kind, row->i, row->j, &c);
        return c.gap;
    }
    if (row->kind == PEG_ROW_EE)
        return peg_edge_edge(I, pair, row->i, row->j, &c, &s, &t) ? c.gap : row->gap;
    facing f = face_pair(I, pair, row->kind);
    return peg_vertex_face(f.upper, f.lower, row->kind, row->i, row->j).gap;
}

/* --- rows of the chosen facet --- */

static int present(const peg_row_set *set, int from, int pair, peg_row_kind kind, int i, int j)
{
    peg_row probe = {.pair = pair, .kind = kind, .i = i, .j = j};
    for (int r = from; r < set->m; r++)
        if (peg_row_same(&set->row[r], &probe)) return 1;
    return 0;
}

/* Vertices this close to the chosen face (in L) make its rows. */
#define FACET_NEAR 1e-3

int peg_facet_rows(peg_island *I, int p, const double (*u)[6], double lateral, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_facet *facet = &pair->facet;
    int before = out->m, from = before;
    while (from > 0 && out->row[from - 1].pair == p) from--;
    if (facet->kind == PEG_FACET_EDGES) {
        peg_feature_contact c;
        double s, t;
        if (present(out, from, p, PEG_ROW_EE, facet->i, facet->j)) return 0;
        if (!peg_edge_edge(I, pair, facet->i, facet->j, &c, &s, &t)) return 0;
        if (s >= -lateral && s <= 1 + lateral && t >= -lateral && t <= 1 + lateral)
            add_rows(I, p, u, &c, out);
    } else if (facet->kind > PEG_FACET_EDGES) {
        peg_feature_contact c;
        peg_row_kind kind = (peg_row_kind)facet->kind;
        if (present(out, from, p, kind, facet->i, facet->j)) return 0;
        peg_round_contact(I, pair, kind, facet->i, facet->j, &c);
        add_rows(I, p, u, &c, out);
    } else if (facet->kind != PEG_FACET_NONE) {
        facing f = face_pair(I, pair, facet->kind == PEG_FACET_FACE_B ? PEG_ROW_VF : PEG_ROW_FV);
        const peg_view *U = &f.upper->now, *D = &f.lower->now;
        const double *n = D->normal[facet->i];
        for (int v = 0; v < U->shape->nv; v++) {
            peg_feature_contact c = peg_vertex_face(f.upper, f.lower, f.kind, v, facet->i);
            if (c.gap > FACET_NEAR * pair->L || present(out, from, p, f.kind, v, facet->i))
                continue;
            if (peg_is_beside(D, facet->i, c.point_a, n, lateral * pair->L)) continue;
            add_rows(I, p, u, &c, out);
        }
    }
    return out->m - before;
}
