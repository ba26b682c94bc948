/* Active pairs and active basic contact units [A 8-9].
 *
 * Departures from [A]:
 *  - While a pair is apart, units with Phi < -.02 are dropped (settings->ratio_traps = 0). Such a
 *    unit is a half-space that the parts are beyond although they do not touch; as a row it throws
 *    them apart at gap/h. [A] keeps it wherever rho - Phi <= eps_t.
 *  - E3 and E4 ask where the unit's point X is, at which the parts blown up by r touch. X lies r -
 * 1 sizes outside of parts that are apart, so that what closes by more than eps_x in a step would
 *    get its row too late. Here X is taken back to the parts as they are: p_A in A and p_B in B. */
#include "peg/paper/anitescu_hart.h"
#include "peg/paper/paper.h"
#include "peg/paper/signed_separation.h"

/* eps_t at least. */
static const double ACTIVE = 0.05;

/* Phi of a unit that is a trap. */
static const double TRAP = -0.02;

/* A centre of mass counts as inside of a part from this depth on, in sizes. */
static const double INSIDE = 1e-2;

/* --- the pair -------------------------------------------------------------------------------- */

/* The centre of mass, or the centroid of the part if that is outside of it. */
static void find_inner_point(const peg_island *I, int piece, const peg_view *other, peg_vec3 x)
{
    const peg_view *part = &I->piece[piece].start;
    const peg_rigid *body = &I->rigid[I->piece[piece].rigid];
    peg_inner_point(part, other, x);
    if (I->piece[piece].rigid >= I->nd || peg_is_half_space(part->shape)) return;
    for (int f = 0; f < part->shape->nf; f++)
        if (!(part->offset[f] - peg_dot(part->normal[f], body->x0) > INSIDE * part->shape->size))
            return;
    if (part->shape->nf > 0) peg_copy3(body->x0, x);
}

/* rho of a particle: the largest component function over the other part's faces. */
static double ratio_of_point(const peg_ratio_pair *p)
{
    double best = -INFINITY;
    int first = peg_is_point(p->A->shape);
    const peg_view *faces = first ? p->B : p->A;
    for (int f = 0; f < faces->shape->nf; f++) {
        peg_bcu unit;
        if (peg_bcu_make(p->A, p->B, p->xa, p->xb, first ? PEG_BCU_CORNER_A : PEG_BCU_CORNER_B, 0,
                         f, &unit))
            best = fmax(best, unit.phi);
    }
    return best;
}

static double speed_of(const peg_island *I, int piece)
{
    int rigid = I->piece[piece].rigid;
    const double *v = rigid < I->nd ? I->rigid[rigid].state.v_free : I->v[rigid];
    return I->piece[piece].arm < INFINITY ? I->piece[piece].arm * peg_norm(v + 3) : 0;
}

static double relative_speed(const peg_island *I, const peg_pair *pair)
{
    double apart[3];
    int a = I->piece[pair->a].rigid, b = I->piece[pair->b].rigid;
    peg_sub(a < I->nd ? I->rigid[a].state.v_free : I->v[a],
            b < I->nd ? I->rigid[b].state.v_free : I->v[b], apart);
    return peg_norm(apart) + speed_of(I, pair->a) + speed_of(I, pair->b);
}

/* Least width of a contact unit: x_A and x_B are as far apart along n as they are inside of their
 * parts. The distance of the centres would be too much for slender parts that touch far from them.
 */
static double least_width(const peg_ratio_pair *p)
{
    const peg_polytope *a = p->A->shape, *b = p->B->shape;
    double inner = peg_is_half_space(a) ? b->radius : a->inner;
    return inner + (peg_is_half_space(b) ? a->radius : b->inner);
}

void peg_ratio_begin(peg_island *I, const peg_pair *pair, peg_ratio *r, peg_ratio_pair *out)
{
    const pegSettings *settings = I->settings;
    *out = (peg_ratio_pair){.island = I, .pair = pair};
    out->A = &I->piece[pair->a].start;
    out->B = &I->piece[pair->b].start;
    find_inner_point(I, pair->a, out->B, out->xa);
    find_inner_point(I, pair->b, out->A, out->xb);
    if (peg_is_point(out->A->shape) || peg_is_point(out->B->shape)) {
        out->rho = ratio_of_point(out);
    } else {
        *r = (peg_ratio){.basis = {-1}};
        I->stats->linear_programs++;
        if (peg_ratio_metric(I->arena, out->A, out->B, out->xa, out->xb, r) == PEG_LP_SOLVED) {
            out->rho = r->rho;
            out->r = r;
        } else {
            I->stats->unconverged++;
        }
    }
    out->active = settings->ratio_eps;
    if (!(out->active > 0))
        out->active = fmax(ACTIVE, 2 * I->h * relative_speed(I, pair) / least_width(out));
    out->band = settings->ratio_band * pair->L;
}

/* --- units ----------------------------------------------------------------------------------- */

static int is_within(const peg_view *view, const double *x, double band)
{
    for (int f = 0; f < view->shape->nf; f++)
        if (peg_dot(view->normal[f], x) - view->offset[f] > band) return 0;
    return 1;
}

/* E2 to E4, and no trap. */
static int is_active(const peg_ratio_pair *p, const peg_bcu *unit)
{
    if (!(p->rho - unit->phi <= p->active)) return 0;
    if (!p->island->settings->ratio_traps && p->rho > 0 && unit->phi < TRAP) return 0;
    return is_within(p->A, unit->a, p->band) && is_within(p->B, unit->b, p->band);
}

static void consider(peg_ratio_pair *p, peg_bcu_kind kind, int i, int j)
{
    peg_bcu unit;
    for (int k = 0; k < p->count; k++)
        if (p->unit[k].kind == kind && p->unit[k].i == i && p->unit[k].j == j) return;
    if (!peg_bcu_make(p->A, p->B, p->xa, p->xb, kind, i, j, &unit) || !is_active(p, &unit)) return;
    if (p->count == p->room) {
        int room = 2 * p->room + 16;
        peg_bcu *more = PEG_NEW(p->island->arena, peg_bcu, room);
        if (!more) {
            p->island->failed = 1;
            return;
        }
        if (p->count) memcpy(more, p->unit, (size_t)p->count * sizeof *more);
        p->unit = more, p->room = room;
    }
    p->unit[p->count++] = unit;
}

static void consider_corners(peg_ratio_pair *p, peg_bcu_kind kind, double slope)
{
    peg_side side = {kind == PEG_BCU_CORNER_A ? PEG_FEATURES_VF : PEG_FEATURES_FV, p->A, p->B};
    if (kind == PEG_BCU_CORNER_B) side.vertices = p->B, side.faces = p->A;
    for (int f = 0; f < side.faces->shape->nf; f++)
        for (int v = 0; v < side.vertices->shape->nv; v++)
            if (peg_vertex_applicability(&side, v, side.faces->normal[f]) >= slope)
                consider(p, kind, v, f);
}

/* Whether two edges can touch, by either sign of their normal. */
static int may_cross(const peg_ratio_pair *p, int i, int j, double slope)
{
    const int *a = p->A->shape->edge[i].v, *b = p->B->shape->edge[j].v;
    double ea[3], eb[3], n[3], back[3], apart[3];
    peg_sub(p->A->vertex[a[1]], p->A->vertex[a[0]], ea);
    peg_sub(p->B->vertex[b[1]], p->B->vertex[b[0]], eb);
    peg_cross(ea, eb, n);
    if (!(peg_normalise(n) > 0)) return 0;
    peg_sub(p->xa, p->xb, apart);
    if (peg_dot(n, apart) < 0)
        for (int k = 0; k < 3; k++) n[k] = -n[k];
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    return peg_edge_opening(p->A, i, n) >= slope && peg_edge_opening(p->B, j, back) >= slope;
}

/* Rho and Phi differ little only for edges that are near the supports: those farther from the other
 * part's faces than it reaches are out at once. */
static int is_edge_far(const peg_view *of, int edge, const peg_view *other, double reach)
{
    const int *v = of->shape->edge[edge].v;
    for (int f = 0; f < other->shape->nf; f++) {
        const double *n = other->normal[f], limit = other->offset[f] + reach;
        if (peg_dot(n, of->vertex[v[0]]) > limit && peg_dot(n, of->vertex[v[1]]) > limit) return 1;
    }
    return 0;
}

void peg_ratio_units(peg_ratio_pair *p)
{
    double slope = peg_applicable_slope(p->island, p->pair);
    double reach = p->pair->reach + p->band;
    consider_corners(p, PEG_BCU_CORNER_A, slope);
    consider_corners(p, PEG_BCU_CORNER_B, slope);
    for (int i = 0; i < p->A->shape->ne; i++) {
        if (is_edge_far(p->A, i, p->B, reach)) continue;
        for (int j = 0; j < p->B->shape->ne && !p->island->failed; j++)
            if (!is_edge_far(p->B, j, p->A, reach) && may_cross(p, i, j, slope))
                consider(p, PEG_BCU_EDGES, i, j);
    }
}

/* --- the adjacent ones ----------------------------------------------------------------------- */

static int is_near_face(const peg_ratio_pair *p, const peg_view *view, int vertex, int face)
{
    return fabs(peg_dot(view->normal[face], view->vertex[vertex]) - view->offset[face]) <= p->band;
}

static int is_edge_near(const peg_ratio_pair *p, const peg_view *view, int edge, int face)
{
    const int *v = view->shape->edge[edge].v;
    return is_near_face(p, view, v[0], face) && is_near_face(p, view, v[1], face);
}

static void consider_faces(peg_ratio_pair *p, int fa, int fb)
{
    for (int v = 0; v < p->B->shape->nv; v++)
        if (is_near_face(p, p->B, v, fb)) consider(p, PEG_BCU_CORNER_B, v, fa);
    for (int v = 0; v < p->A->shape->nv; v++)
        if (is_near_face(p, p->A, v, fa)) consider(p, PEG_BCU_CORNER_A, v, fb);
    for (int i = 0; i < p->A->shape->ne; i++)
        for (int j = 0; j < p->B->shape->ne && is_edge_near(p, p->A, i, fa); j++)
            if (is_edge_near(p, p->B, j, fb)) consider(p, PEG_BCU_EDGES, i, j);
}

void peg_ratio_adjacent_units(peg_ratio_pair *p)
{
    for (int k = 0; p->r && k < p->r->count; k++)
        for (int l = 0; l < p->r->count && p->r->face[k] >= 0; l++)
            if (p->r->face[l] < 0) consider_faces(p, p->r->face[k], -1 - p->r->face[l]);
}
