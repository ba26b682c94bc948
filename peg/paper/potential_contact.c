/* Potential contacts of a pair: gaps, normals, Jacobians, applicability and feasibility [W 4].
 *
 * Applicability [W 29-30] of a vertex v and a face with normal eta: min over the vertices v_k
 * joined to v by an edge of eta . (v_k - v)/|v_k - v|. Of two edges [W 31], n the normal into A,
 * t_1, t_2 [W 26] the directions in their faces away from them: the larger one, over the sign of n,
 * of min(n.t_a1, n.t_a2, -n.t_b1, -n.t_b2). Classical applicability is a value >= 0; relaxed, one
 * >= -sin theta, because the contact is wanted for the end of the step.
 *
 * Feasibility of a vertex [W 4.2]: it is in the Voronoi region of the face and not deeper than
 * delta, or outside of the region within the angle phi of the normal at a point epsilon below the
 * nearest point of the face. Of edges: their nearest points are within reach and
 * not deeper than delta. */
#include "peg/base/arena.h"
#include "peg/contact/jacobian.h"
#include "peg/paper/paper.h"

/* Where [W] gives no figure: depth delta = epsilon, in L, that still counts as in front of a face.
 * The angles theta, of bodies at rest, and phi are settings. */
static const double DEPTH = 0.02;

/* psi_minimum of [F 2.2], in L, unless a setting says another: a half-space that is violated deeper
 * than this takes no impulse. Without it every far side that is passed throws bodies about; with
 * half of it bodies that were pressed into each other get lost. */
static const double DEEPEST = 0.1;

/* Sine of the angle below which edges are parallel and make no contact. */
static const double PARALLEL = 1e-6;

/* --- growing lists --- */

static void *room_for(peg_island *I, void *list, int used, int more, int *room, size_t size)
{
    if (used + more <= *room) return list;
    int wanted = 2 * (used + more) + 32;
    void *grown = peg_arena_alloc(I->arena, (size_t)wanted * size);
    if (!grown) {
        I->failed = 1;
        return NULL;
    }
    if (used) memcpy(grown, list, (size_t)used * size);
    *room = wanted;
    return grown;
}

void peg_add_constraint(peg_constraints *c, peg_constraint_kind kind, const int *contact, int count,
                        int primaries)
{
    peg_constraint *list = room_for(c->island, c->list, c->count, 1, &c->room, sizeof *c->list);
    if (!list) return;
    c->list = list;
    int *member =
        room_for(c->island, c->member, c->members, count, &c->member_room, sizeof *member);
    if (!member) return;
    c->member = member;
    c->list[c->count++] = (peg_constraint){kind, c->members, count, primaries};
    memcpy(c->member + c->members, contact, (size_t)count * sizeof *contact);
    c->members += count;
}

/* --- potential contacts --- */

/* G [W 3]: the papers linearise about the start, where r is the arm of the contact point. */
static double lever(const peg_island *I, int rigid, const double *point, const double *n,
                    double sign, double *J)
{
    peg_jacobian l;
    double r[3], c[3];
    peg_sub(point, I->rigid[rigid].x0, r);
    peg_cross(r, n, c);
    for (int k = 0; k < 3; k++) l.J[k] = sign * n[k], l.J[3 + k] = sign * c[k];
    return peg_fold_jacobian(I, rigid, &l, J);
}

peg_potential *peg_add_potential(peg_constraints *c)
{
    peg_potential *list =
        room_for(c->island, c->contact, c->contacts, 1, &c->contact_room, sizeof *list);
    if (!list) return NULL;
    c->contact = list;
    return &c->contact[c->contacts++];
}

static int known(const peg_constraints *c, peg_feature_kind kind, int i, int j)
{
    for (int k = c->contacts - 1; k >= c->begin; k--) {
        const peg_row *row = &c->contact[k].row;
        if (row->kind == kind && row->i == i && row->j == j) return k;
    }
    return -1;
}

double peg_start_jacobian(const peg_island *I, const peg_pair *pair, const double *point_a,
                          const double *point_b, const double *n, double *Ga, double *Gb)
{
    return lever(I, I->piece[pair->a].rigid, point_a, n, 1, Ga) +
           lever(I, I->piece[pair->b].rigid, point_b, n, -1, Gb);
}

/* point_a, point_b: of A and of B. Returns the index. */
static int add_contact(peg_constraints *c, peg_feature_kind kind, int i, int j, const double *n,
                       const double *point_a, const double *point_b, peg_potential of)
{
    peg_island *I = c->island;
    const peg_pair *pair = &I->pair[c->pair];
    peg_potential *added = peg_add_potential(c);
    if (!added) return -1;
    *added = of;
    peg_row *row = &added->row;
    double apart[3];
    *row = (peg_row){.pair = c->pair, .kind = kind, .i = i, .j = j};
    peg_sub(point_a, point_b, apart);
    row->gap0 = row->gap = peg_dot(n, apart);
    peg_copy3(n, row->normal);
    peg_copy3(point_a, row->point);
    row->prescribed = peg_start_jacobian(I, pair, point_a, point_b, n, row->Ga, row->Gb);
    row->bias = row->gap0 / I->h + row->prescribed;
    row->mu = pair->surface->mu;
    return c->contacts - 1;
}

/* --- vertices and faces --- */

peg_side peg_side_of(const peg_constraints *c, peg_feature_kind kind)
{
    const peg_pair *pair = &c->island->pair[c->pair];
    const peg_view *a = &c->island->piece[pair->a].start, *b = &c->island->piece[pair->b].start;
    return kind == PEG_FEATURES_VF ? (peg_side){kind, a, b} : (peg_side){kind, b, a};
}

static double height(const peg_side *s, int vertex, int face)
{
    return peg_dot(s->faces->normal[face], s->vertices->vertex[vertex]) - s->faces->offset[face];
}

double peg_vertex_reach(const peg_constraints *c, const peg_side *s, int vertex)
{
    double reach = c->island->pair[c->pair].reach, most = -INFINITY;
    for (int f = 0; f < s->faces->shape->nf; f++) most = fmax(most, height(s, vertex, f));
    return most > reach ? -1 : reach + fmax(0, -most);
}

/* Distance of x from the segment a b. */
static double from_segment(const double *x, const double *a, const double *b)
{
    double e[3], r[3];
    peg_sub(b, a, e);
    peg_sub(x, a, r);
    double ee = peg_dot(e, e), t = ee > 0 ? peg_dot(r, e) / ee : 0;
    peg_add_scaled(r, -fmax(0, fmin(1, t)), e, r);
    return peg_norm(r);
}

/* Distance of a vertex from a face beyond its edges, 0 above or below it: leaves the Voronoi region
 * of the face [W Fig. 15] by so much. */
static double beyond(const peg_side *s, int vertex, int face)
{
    const peg_polytope *shape = s->faces->shape;
    if (peg_is_half_space(shape)) return 0;
    double x[3], nearest = INFINITY;
    int first = shape->face_start[face], last = shape->face_start[face + 1], inside = 1;
    const double *n = s->faces->normal[face];
    peg_add_scaled(s->vertices->vertex[vertex], -height(s, vertex, face), n, x);
    for (int k = first; k < last; k++) {
        const double *a = s->faces->vertex[shape->face_vertex[k]];
        const double *b = s->faces->vertex[shape->face_vertex[k + 1 < last ? k + 1 : first]];
        double e[3], r[3], out[3];
        peg_sub(b, a, e);
        peg_sub(x, a, r);
        peg_cross(e, n, out);
        /* a side of a polygon is its own end: it is left where it ends */
        if (last - first == 2 ? peg_dot(e, r) < 0 : peg_dot(out, r) > 0) inside = 0;
        nearest = fmin(nearest, from_segment(x, a, b));
    }
    return inside ? 0 : nearest;
}

static double vertex_face_distance(const peg_side *s, int vertex, int face)
{
    return hypot(height(s, vertex, face), beyond(s, vertex, face));
}

/* [W 29-30]; a particle has no edges and is applicable to everything. */
double peg_vertex_applicability(const peg_side *s, int vertex, const double *normal)
{
    const peg_polytope *shape = s->vertices->shape;
    const double *v = s->vertices->vertex[vertex];
    double least = INFINITY, d[3];
    if (peg_is_point(shape)) return 1;
    for (int k = 0; k < 2 && peg_is_flat(shape); k++) {
        int next = (vertex + (k ? 1 : shape->nv - 1)) % shape->nv;
        peg_sub(s->vertices->vertex[next], v, d);
        least = fmin(least, peg_dot(normal, d) / peg_norm(d));
    }
    for (int e = 0; e < shape->ne; e++) {
        const int *end = shape->edge[e].v;
        if (end[0] != vertex && end[1] != vertex) continue;
        peg_sub(s->vertices->vertex[end[0] == vertex ? end[1] : end[0]], v, d);
        least = fmin(least, peg_dot(normal, d) / peg_norm(d));
    }
    return least;
}

int peg_vertex_face_contact(peg_constraints *c, const peg_side *s, int vertex, int face)
{
    int have = known(c, s->kind, vertex, face);
    if (have >= 0 || c->island->failed) return have;
    double n[3], foot[3], up = height(s, vertex, face), out = beyond(s, vertex, face);
    double depth = DEPTH * c->island->pair[c->pair].L, sign = s->kind == PEG_FEATURES_VF ? 1 : -1;
    const double *v = s->vertices->vertex[vertex], *eta = s->faces->normal[face];
    peg_potential p = {.applicability = peg_vertex_applicability(s, vertex, eta)};
    p.feasible = up >= -depth &&
                 out <= (out > 0 ? fmax(0, up + depth) * c->island->settings->paper_tan_phi : 0);
    for (int k = 0; k < 3; k++) n[k] = sign * eta[k];
    peg_add_scaled(v, -up, eta, foot);
    return add_contact(c, s->kind, vertex, face, n, sign > 0 ? v : foot, sign > 0 ? foot : v, p);
}

static int contacts_of_vertex(peg_constraints *c, const peg_side *s, int vertex, int *out, int room)
{
    double reach = peg_vertex_reach(c, s, vertex);
    int count = 0;
    for (int f = 0; f < s->faces->shape->nf && reach >= 0 && count < room; f++) {
        if (vertex_face_distance(s, vertex, f) > reach) continue;
        int contact = peg_vertex_face_contact(c, s, vertex, f);
        if (contact >= 0) out[count++] = contact;
    }
    return count;
}

/* --- edges --- */

typedef struct line {
    const double *at;
    double along[3];
} line;

static line line_of(const peg_view *view, int edge)
{
    const int *end = view->shape->edge[edge].v;
    line l = {.at = view->vertex[end[0]]};
    peg_sub(view->vertex[end[1]], view->vertex[end[0]], l.along);
    return l;
}

static double within(double x)
{
    return fmax(0, fmin(1, x));
}

double peg_edge_edge_nearest(const peg_constraints *c, int edge_a, int edge_b, double *s, double *t)
{
    const peg_pair *pair = &c->island->pair[c->pair];
    line a = line_of(&c->island->piece[pair->a].start, edge_a);
    line b = line_of(&c->island->piece[pair->b].start, edge_b);
    double w[3], aa = peg_dot(a.along, a.along), bb = peg_dot(b.along, b.along);
    double ab = peg_dot(a.along, b.along), det = aa * bb - ab * ab;
    peg_sub(b.at, a.at, w);
    double wa = peg_dot(w, a.along), wb = peg_dot(w, b.along);
    *s = det > PARALLEL * PARALLEL * aa * bb ? within((wa * bb - wb * ab) / det) : 0;
    *t = within((*s * ab - wb) / bb);
    *s = within((*t * ab + wa) / aa);
    for (int k = 0; k < 3; k++) w[k] += *t * b.along[k] - *s * a.along[k];
    return peg_norm(w);
}

/* Where the lines are nearest: only there does the gap along n change as G says, and do the
 * impulses keep the angular momentum. False if that is more than a length beyond an end. */
static int common_perpendicular(const line *a, const line *b, double *s, double *t)
{
    double w[3], x[3], y[3];
    peg_sub(b->at, a->at, w);
    peg_cross(a->along, b->along, x);
    peg_cross(w, b->along, y);
    *s = peg_dot(y, x) / peg_dot(x, x);
    peg_cross(w, a->along, y);
    *t = peg_dot(y, x) / peg_dot(x, x);
    return fabs(*s - 0.5) <= 1.5 && fabs(*t - 0.5) <= 1.5;
}

/* Least n . t over the two faces of an edge. */
double peg_edge_opening(const peg_view *view, int edge, const double *n)
{
    const peg_edge *e = &view->shape->edge[edge];
    line l = line_of(view, edge);
    double t[2][3], least = INFINITY;
    peg_cross(view->normal[e->f[0]], l.along, t[0]);
    peg_cross(l.along, view->normal[e->f[1]], t[1]);
    for (int k = 0; k < 2; k++) least = fmin(least, peg_dot(n, t[k]) / peg_norm(t[k]));
    return least;
}

int peg_edge_edge_contact(peg_constraints *c, int edge_a, int edge_b)
{
    int have = known(c, PEG_FEATURES_EE, edge_a, edge_b);
    if (have >= 0 || c->island->failed) return have;
    const peg_pair *pair = &c->island->pair[c->pair];
    const peg_view *A = &c->island->piece[pair->a].start, *B = &c->island->piece[pair->b].start;
    line a = line_of(A, edge_a), b = line_of(B, edge_b);
    double n[3], back[3], point_a[3], point_b[3], s, t;
    peg_cross(a.along, b.along, n);
    if (peg_norm(n) <= PARALLEL * peg_norm(a.along) * peg_norm(b.along)) return -1;
    peg_normalise(n);
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    double forth = fmin(peg_edge_opening(A, edge_a, n), peg_edge_opening(B, edge_b, back));
    double reverse = fmin(peg_edge_opening(A, edge_a, back), peg_edge_opening(B, edge_b, n));
    peg_potential p = {.applicability = fmax(forth, reverse)};
    p.feasible = peg_edge_edge_nearest(c, edge_a, edge_b, &s, &t) <= pair->reach;
    if (!common_perpendicular(&a, &b, &s, &t)) return -1;
    peg_add_scaled(a.at, s, a.along, point_a);
    peg_add_scaled(b.at, t, b.along, point_b);
    int contact = add_contact(c, PEG_FEATURES_EE, edge_a, edge_b, forth >= reverse ? n : back,
                              point_a, point_b, p);
    if (contact >= 0 && c->contact[contact].row.gap0 < -DEPTH * pair->L)
        c->contact[contact].feasible = 0;
    return contact;
}

/* --- choice --- */

double peg_least_gap(const peg_constraints *c)
{
    double psi_minimum = c->island->settings->paper_psi_minimum;
    return -(psi_minimum > 0 ? psi_minimum : DEEPEST) * c->island->pair[c->pair].L;
}

double peg_applicable_slope(const peg_island *I, const peg_pair *pair)
{
    double turn = 0;
    for (int side = 0; side < 2; side++) {
        int rigid = I->piece[side ? pair->b : pair->a].rigid;
        turn += I->h * peg_norm(rigid < I->nd ? I->rigid[rigid].state.v + 3 : I->v[rigid] + 3);
    }
    return -fmin(1, I->settings->paper_sin_theta + turn);
}

/* How far an impact can turn the bodies of a pair in the step, rad. One that stops the speed u at a
 * lever r turns a body of the radius of gyration k by u r / (k^2 + r^2) <= u / (2 k); u is at most
 * that of the centres and of what turns about them. k is that of the inertia's largest inverse,
 * which its norm bounds. */
static double turn_of_impact(const peg_island *I, const peg_pair *pair)
{
    double apart[3] = {0, 0, 0}, speed = 0, turn = 0;
    for (int side = 0; side < 2; side++) {
        const peg_piece *piece = &I->piece[side ? pair->b : pair->a];
        int moves = piece->rigid < I->nd;
        const double *v = moves ? I->rigid[piece->rigid].state.v_free : I->v[piece->rigid];
        peg_add_scaled(apart, side ? -1 : 1, v, apart);
        speed += piece->arm * peg_norm(v + 3);
    }
    speed += peg_norm(apart);
    for (int side = 0; side < 2; side++) {
        int rigid = I->piece[side ? pair->b : pair->a].rigid;
        if (rigid >= I->nd) continue;
        const double *inverse = I->mass[rigid].inv_inertia;
        double square = 0;
        for (int k = 0; k < 9; k++) square += inverse[k] * inverse[k];
        turn += 0.5 * I->h * speed * sqrt(sqrt(square) / I->mass[rigid].inv_mass);
    }
    return turn;
}

int peg_is_applicable(const peg_constraints *c, int contact)
{
    const peg_potential *p = &c->contact[contact];
    const peg_pair *pair = &c->island->pair[p->row.pair];
    double slope = peg_applicable_slope(c->island, pair);
    if (p->applicability >= slope) return 1;
    return c->impacts_turn && p->applicability >= slope - turn_of_impact(c->island, pair);
}

/* The heuristic of [F 2.8]: the closest one in front of its face; if there is none, the one that is
 * violated least. Returns whether x comes before y. */
static int is_closer(const peg_potential *x, const peg_potential *y)
{
    double a = x->row.gap0, b = y->row.gap0;
    if ((a >= 0) != (b >= 0)) return a >= 0;
    return a >= 0 ? a < b : a > b;
}

/* The contact of those given that is to carry the impulse: a feasible one, else any that is
 * applicable; -1: none. */
static int choose_primary(const peg_constraints *c, const int *contact, int count)
{
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int k = 0; k < count; k++) {
            const peg_potential *p = &c->contact[contact[k]];
            if (!peg_is_applicable(c, contact[k]) || (pass == 0 && !p->feasible)) continue;
            if (p->row.gap0 < peg_least_gap(c)) continue;
            if (best < 0 || is_closer(p, &c->contact[contact[best]])) best = k;
        }
    return best;
}

void peg_add_alternatives(peg_constraints *c, peg_constraint_kind kind, const int *contact,
                          int count)
{
    int order[PEG_NEAR_MOST], all = 0, best = choose_primary(c, contact, count), primaries;
    if (best < 0) return;
    order[all++] = contact[best];
    int several = kind == PEG_INTER_CONTACT && !c->island->settings->paper_primaries &&
                  c->contact[contact[best]].feasible;
    for (int k = 0; k < count && several; k++)
        if (k != best && c->contact[contact[k]].feasible && peg_is_applicable(c, contact[k]))
            order[all++] = contact[k];
    primaries = all;
    for (int k = 0; k < count; k++) {
        int taken = 0;
        for (int j = 0; j < primaries; j++) taken |= order[j] == contact[k];
        if (!taken) order[all++] = contact[k];
    }
    peg_add_constraint(c, count == 1 ? PEG_UNILATERAL : kind, order, count, primaries);
}

void peg_vertex_constraints(peg_constraints *c)
{
    for (int kind = PEG_FEATURES_VF; kind <= PEG_FEATURES_FV; kind++) {
        peg_side s = peg_side_of(c, kind);
        for (int v = 0; v < s.vertices->shape->nv && !c->island->failed; v++) {
            int near[PEG_NEAR_MOST];
            int count = contacts_of_vertex(c, &s, v, near, PEG_NEAR_MOST);
            if (count) peg_add_alternatives(c, PEG_INTER_CONTACT, near, count);
        }
    }
}
