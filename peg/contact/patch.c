/* The contact patch of a pair: by the kind of its parts. */
#include "peg/contact/patch.h"

#include "peg/collide/closest_features.h"
#include "peg/contact/contact_row.h"
#include "peg/contact/feature_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/patch_external.h"
#include "peg/contact/patch_polytope.h"
#include "peg/contact/patch_round.h"
#include "peg/contact/row_set.h"

/* --- extents --- */

/* The lowest point of a part's vertices and rims along sign n, and where it was at the start. */
static void find_lowest(const peg_placement *at, const double n[3], double sign, double point[3],
                        double start[3])
{
    const peg_view *now = at->now, *then = at->start;
    double up[3] = {sign * n[0], sign * n[1], sign * n[2]}, least = INFINITY;
    int lowest = 0;
    for (int v = 0; v < now->shape->nv; v++) {
        double low[3];
        peg_lowest_point(now, v, up, low);
        if (!(peg_dot(up, low) < least)) continue;
        least = peg_dot(up, low), lowest = v;
        peg_copy3(low, point);
    }
    peg_copy3(then->vertex[lowest], start);
    if (!peg_has_rim(now->shape)) return;
    double off[3], local[3], turned[3];
    peg_sub(point, now->vertex[lowest], off);
    peg_rotate_back(now->turn, off, local);
    peg_rotate(then->turn, local, turned);
    peg_add_scaled(start, 1, turned, start);
}

/* The row of the extents along the facet's direction, of round parts that overlap by more than
 * their nearest features say: those of an edge that crosses the cap of a cylinder do not tell how
 * it comes out. Returns whether it has made it. */
static int make_extent_row(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_facet *facet = &pair->facet;
    const peg_view *A = at->a.now, *B = at->b.now;
    peg_feature_contact c;
    double a[3], b[3], start_a[3], start_b[3], apart[3];
    if (facet->kind <= PEG_FEATURES_EE) return 0;
    peg_round_contact(pair, at, facet->kind, facet->i, facet->j, &c);
    find_lowest(&at->a, facet->n, 1, a, start_a);
    find_lowest(&at->b, facet->n, -1, b, start_b);
    double radii = A->shape->round + B->shape->round;
    peg_sub(a, b, apart);
    double gap = peg_dot(facet->n, apart) - radii;
    if (gap >= c.gap - PEG_TOUCH * pair->L) return 0;
    peg_sub(start_a, start_b, apart);
    c.gap = gap;
    c.gap0 = peg_dot(facet->n, apart) - radii;
    peg_copy3(facet->n, c.normal);
    peg_copy3(facet->n, c.mid_normal);
    peg_copy3(a, c.point_a);
    peg_copy3(b, c.point_b);
    for (int k = 0; k < 3; k++) c.mid_point[k] = 0.25 * (a[k] + b[k] + start_a[k] + start_b[k]);
    peg_contact_rows(I, p, at, &c, out);
    return 1;
}

int peg_patch_rows(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    int before = out->m;
    const peg_pair *pair = &I->pair[p];
    if (pair->nexternal) {
        peg_external_rows(I, p, at, out);
        return out->m - before;
    }
    if (peg_is_dilated(I->piece[pair->a].part->shape) ||
        peg_is_dilated(I->piece[pair->b].part->shape)) {
        if (!peg_pair_recovers(pair) || !make_extent_row(I, p, at, out))
            peg_nearest_rows(I, p, at, out);
        return out->m - before;
    }
    peg_polytope_rows(I, p, at, out);
    return out->m - before;
}

double peg_row_gap(const peg_island *I, const peg_row *row)
{
    const peg_pair *pair = &I->pair[row->pair];
    peg_pair_pose at = peg_pair_pose_now(I, pair);
    peg_feature_contact c;
    double s, t;
    at.a.start = at.a.now, at.b.start = at.b.now; /* the gap at the start is not asked for */
    if (row->kind == PEG_FEATURES_EXTERNAL) return peg_external_gap(I, pair, &at, row->i);
    if (row->kind == PEG_FEATURES_POINTS) return peg_points_gap(I, &at, row);
    if (row->kind > PEG_FEATURES_EE) {
        peg_round_contact(pair, &at, row->kind, row->i, row->j, &c);
        return c.gap;
    }
    if (row->kind == PEG_FEATURES_EE)
        return peg_edge_edge(pair, &at, row->i, row->j, &c, &s, &t) ? c.gap : row->gap;
    peg_facing f = peg_facing_of(pair, &at, row->kind);
    return peg_vertex_face(&f, row->i, row->j).gap;
}

/* --- rows of the chosen facet --- */

static int present(const peg_row_set *set, int from, int pair, peg_feature_kind kind, int i, int j)
{
    peg_row probe = {.pair = pair, .kind = kind, .i = i, .j = j};
    for (int r = from; r < set->m; r++)
        if (peg_row_same(&set->row[r], &probe)) return 1;
    return 0;
}

/* Vertices this close to the chosen face (in L) make its rows. */
#define FACET_NEAR 1e-3

int peg_facet_rows(peg_island *I, int p, const peg_pair_pose *at, double lateral, peg_row_set *out)
{
    const peg_pair *pair = &I->pair[p];
    const peg_facet *facet = &pair->facet;
    int before = out->m, from = before;
    while (from > 0 && out->row[from - 1].pair == p) from--;
    if (facet->kind == PEG_FEATURES_EE) {
        peg_feature_contact c;
        double s, t;
        if (present(out, from, p, PEG_FEATURES_EE, facet->i, facet->j)) return 0;
        if (!peg_edge_edge(pair, at, facet->i, facet->j, &c, &s, &t)) return 0;
        if (s >= -lateral && s <= 1 + lateral && t >= -lateral && t <= 1 + lateral)
            peg_touching_rows(I, p, at, &c, out);
    } else if (facet->kind > PEG_FEATURES_EE) {
        peg_feature_contact c;
        peg_feature_kind kind = facet->kind;
        if (present(out, from, p, kind, facet->i, facet->j)) return 0;
        peg_round_contact(pair, at, kind, facet->i, facet->j, &c);
        peg_touching_rows(I, p, at, &c, out);
    } else if (facet->kind != PEG_FEATURES_NONE) {
        peg_facing f = peg_facing_of(pair, at, facet->kind);
        const peg_view *U = f.upper->now, *D = f.lower->now;
        const double *n = D->normal[facet->i];
        for (int v = 0; v < U->shape->nv; v++) {
            peg_feature_contact c = peg_vertex_face(&f, v, facet->i);
            if (c.gap > FACET_NEAR * pair->L || present(out, from, p, f.kind, v, facet->i))
                continue;
            if (peg_is_beside(D, facet->i, c.point_a, n, lateral * pair->L)) continue;
            peg_touching_rows(I, p, at, &c, out);
        }
    }
    return out->m - before;
}

/* Where two triangles touch along n: at a vertex of one that lies on the side of the other, or
 * where their edges next to these vertices cross. */
typedef struct touching {
    int a[2], b[2]; /* vertices: the outermost, and the next one */
    double s, t;    /* where along these edges */
    double of_a;    /* weight of the point of A */
} touching;

/* The outermost vertices of a triangle along sign n. */
static void find_outermost(const peg_view *view, const double *n, double sign, int out[2])
{
    double height[3];
    for (int k = 0; k < 3; k++) height[k] = sign * peg_dot(n, view->vertex[k]);
    out[0] = height[1] > height[0] ? 1 : 0;
    if (height[2] > height[out[0]]) out[0] = 2;
    int x = (out[0] + 1) % 3, y = (out[0] + 2) % 3;
    out[1] = height[y] > height[x] ? y : x;
}

/* n turns to the normal of a triangle that it is nearly along: the side that the other one is on
 * turns with its body. */
static touching find_touching(const peg_view *A, const peg_view *B, double n[3])
{
    static const double FLAT = 1 - 0.5 * PEG_SLOPE_TOLERANCE * PEG_SLOPE_TOLERANCE;
    double d[3], e[3], r[3], on_a = peg_dot(n, A->normal[0]), on_b = peg_dot(n, B->normal[0]);
    touching c = {.of_a = fabs(on_b) >= fabs(on_a)};
    int is_flat = fmax(fabs(on_a), fabs(on_b)) >= FLAT;
    if (is_flat)
        for (int k = 0; k < 3; k++)
            n[k] = c.of_a > 0 ? copysign(1, on_b) * B->normal[0][k]
                              : copysign(1, on_a) * A->normal[0][k];
    find_outermost(A, n, -1, c.a);
    find_outermost(B, n, 1, c.b);
    if (is_flat) return c;
    peg_sub(A->vertex[c.a[1]], A->vertex[c.a[0]], d);
    peg_sub(B->vertex[c.b[1]], B->vertex[c.b[0]], e);
    peg_sub(A->vertex[c.a[0]], B->vertex[c.b[0]], r);
    double dd = peg_dot(d, d), ee = peg_dot(e, e), de = peg_dot(d, e), square = dd * ee - de * de;
    c.of_a = 0.5;
    if (square > PEG_PARALLEL * PEG_PARALLEL * dd * ee)
        c.s = fmax(0, fmin(1, (de * peg_dot(e, r) - ee * peg_dot(d, r)) / square));
    c.t = fmax(0, fmin(1, (c.s * de + peg_dot(e, r)) / ee));
    return c;
}

static void touching_point(const touching *c, const peg_view *A, const peg_view *B, double out[3])
{
    for (int k = 0; k < 3; k++) {
        double a = A->vertex[c->a[0]][k], b = B->vertex[c->b[0]][k];
        a += c->s * (A->vertex[c->a[1]][k] - a);
        b += c->t * (B->vertex[c->b[1]][k] - b);
        out[k] = c->of_a * a + (1 - c->of_a) * b;
    }
}

void peg_support_row(peg_island *I, int p, const peg_pair_pose *at, peg_row_set *out)
{
    const peg_view *A = at->a.now, *B = at->b.now;
    double n[3];
    peg_copy3(I->pair[p].facet.n, n);
    touching touch = find_touching(A, B, n);
    int i = touch.a[0], j = touch.b[0];
    peg_feature_contact c = {.kind = PEG_FEATURES_VV, .i = i, .j = j};
    double now[3], start[3];
    peg_sub(A->vertex[i], B->vertex[j], now);
    peg_sub(at->a.start->vertex[i], at->b.start->vertex[j], start);
    peg_copy3(n, c.normal);
    peg_copy3(n, c.mid_normal);
    double radii = A->shape->round + B->shape->round;
    c.gap = peg_dot(n, now) - radii;
    c.gap0 = fmax(0, peg_dot(n, start) - radii);
    touching_point(&touch, A, B, c.point_a);
    peg_copy3(c.point_a, c.point_b);
    touching_point(&touch, at->a.start, at->b.start, start);
    for (int k = 0; k < 3; k++) c.mid_point[k] = 0.5 * (c.point_a[k] + start[k]);
    peg_contact_rows(I, p, at, &c, out);
}
