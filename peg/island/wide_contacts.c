/* Contacts of the patches: where they are, the impulses they start with, and the rows that they
 * become in the end. */
#include "peg/collide/closest_features.h"
#include "peg/contact/patch.h"
#include "peg/contact/patch_facet.h"
#include "peg/contact/row_set.h"
#include "peg/island/wide_state.h"

/* --- contacts --- */

int peg_wide_reserve_visits(peg_wide *w, int n)
{
    if (n <= w->visit_room) return 1;
    w->visit = PEG_NEW(w->I->arena, peg_wide_visit, n);
    w->found = PEG_NEW(w->I->arena, peg_patch, n);
    w->visit_room = n;
    return !w->I->arena->failed;
}

/* Room for the contacts and patches that are to come. */
static int reserve(peg_wide *w)
{
    peg_arena *arena = w->I->arena;
    if (w->contacts > w->room) {
        w->room = w->contacts + w->contacts / 2;
        w->contact = PEG_NEW(arena, peg_wide_contact, w->room);
        w->feature = PEG_NEW(arena, peg_wide_feature, w->room);
        w->further = PEG_NEW(arena, peg_wide_further, w->room * w->furthers);
    }
    if (w->patches > w->patch_room) {
        w->patch_room = w->patches + w->patches / 2;
        w->patch = PEG_NEW(arena, peg_wide_patch, w->patch_room);
    }
    return !arena->failed;
}

static void place_centres(const peg_wide *w, int pair, const double *x[2])
{
    const peg_wide_pair *p = &w->pair[pair];
    for (int side = 0; side < 2; side++) {
        const peg_rigid *r = &w->I->rigid[w->piece[side ? p->b : p->a].rigid];
        x[side] = w->time == PEG_WIDE_START ? r->x0 : r->x;
    }
}

/* feature.point is where it is, x: the bodies' centres. */
static void set_contact(peg_wide *w, int k, const double *const x[2], const double *normal,
                        const peg_wide_feature *feature)
{
    peg_wide_contact *c = &w->contact[k];
    memset(c, 0, sizeof *c);
    peg_copy3(normal, c->normal);
    peg_sub(feature->point, x[0], c->arm_a);
    peg_sub(feature->point, x[1], c->arm_b);
    w->feature[k] = *feature;
}

/* Whether edges may be nearer to each other than what a face that parts them by s makes: it lies
 * beside the features that are nearest, but parts the bodies by nearly as much. Without a contact
 * of those edges a hull of pile-convex (300 bodies, mu 0) goes 17 mm into another one in every step
 * for 2 s, out of which positions move all of the pile. */
static int may_have_nearer_edges(const peg_wide *w, const peg_wide_pair *p, double s,
                                 const peg_patch *patch)
{
    return peg_patch_least_gap(patch) > s + w->gap * p->margin;
}

static void find_box_patch(const peg_wide *w, const peg_wide_visit *v, peg_patch *found)
{
    const peg_box *at = w->box[w->time];
    const peg_wide_pair *p = &w->pair[v->pair];
    const peg_box *a = &at[p->a], *b = &at[p->b];
    const peg_box_axis *axis = &w->axis[v->pair];
    int search = w->search[v->pair], flipped = search == PEG_WIDE_PLANE_A;
    if (search != PEG_WIDE_BOXES) {
        const peg_view *plane = &w->I->piece[flipped ? p->a : p->b].now;
        peg_box_plane_find(flipped ? b : a, plane->normal[0], plane->offset[0], flipped, v->reach,
                           found);
    } else if (v->corners) {
        peg_box_corners_find(a, b, axis, v->reach, found);
    } else {
        peg_box_patch_find(a, b, axis, v->reach, found);
        if (may_have_nearer_edges(w, p, axis->s, found)) peg_box_patch_add_edges(a, b, found);
    }
}

static void find_facet_patch(const peg_wide *w, const peg_wide_visit *v, peg_patch *found)
{
    peg_pair *p = &w->I->pair[v->pair];
    const peg_piece *a = &w->I->piece[p->a], *b = &w->I->piece[p->b];
    int starts = w->time == PEG_WIDE_START;
    const peg_view *A = starts ? &a->start : &a->now, *B = starts ? &b->start : &b->now;
    if (p->facet.kind == PEG_FEATURES_NONE) /* a direction alone has left them so far apart */
        p->facet = peg_separation_of_faces_first(A, B, &p->facet, PEG_EDGE_BIAS * p->L);
    if (v->corners) {
        peg_facet_corners_find(A, B, &p->facet, v->reach, found);
        return;
    }
    peg_facet_patch_find(A, B, &p->facet, v->reach, found);
    if (may_have_nearer_edges(w, &w->pair[v->pair], p->facet.s, found))
        peg_facet_patch_add_edges(A, B, &p->facet, found);
}

static void find_patches(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        peg_wide_visit *v = &w->visit[i];
        v->count = 0;
        if (w->search[v->pair] == PEG_WIDE_VIEWS || isinf(v->reach)) continue;
        if (peg_wide_in_lanes(w->search[v->pair]))
            find_box_patch(w, v, &w->found[i]);
        else
            find_facet_patch(w, v, &w->found[i]);
        v->count = w->found[i].count;
    }
}

static peg_placement place_of(const peg_wide *w, int piece)
{
    const peg_piece *p = &w->I->piece[piece];
    const peg_rigid *r = &w->I->rigid[p->rigid];
    const double *v = w->I->v[p->rigid];
    if (w->time == PEG_WIDE_START)
        return (peg_placement){&p->start, &p->start, r->x0, r->R0, v, p->rigid};
    return (peg_placement){&p->now, &p->now, r->x, r->R, v, p->rigid};
}

static int find_other_patch(peg_wide *w, peg_wide_visit *v)
{
    peg_island *I = w->I;
    peg_pair *p = &I->pair[v->pair];
    peg_pair_pose at = {place_of(w, p->a), place_of(w, p->b)};
    v->row = w->rows.m;
    p->reach = v->reach, p->s0 = w->pair[v->pair].s0;
    peg_patch_rows(I, v->pair, &at, &w->rows);
    if (v->corners) peg_facet_rows(I, v->pair, &at, INFINITY, &w->rows);
    v->count = w->rows.m - v->row;
    return !I->failed;
}

/* Whether a pair is held by a direction alone. */
static int is_directed(const peg_wide *w, int pair)
{
    return w->search[pair] == PEG_WIDE_VIEWS && w->time == PEG_WIDE_NOW &&
           peg_wide_is_held(w, pair, w->time) && w->I->pair[pair].facet.kind == PEG_FEATURES_NONE;
}

/* The outermost point of a part at one of its vertices, along sign n. */
static void find_outermost(const peg_view *view, int vertex, const double *n, double sign,
                           double out[3])
{
    double inward[3] = {-sign * n[0], -sign * n[1], -sign * n[2]};
    peg_lowest_point(view, vertex, inward, out);
    peg_add_scaled(out, sign * view->shape->round, n, out);
}

/* Contacts along the direction of a pair: of the vertices of one part with the outermost one of the
 * other. */
typedef struct directed {
    const peg_view *at[2];
    const double *n;
    int outermost[2];
    double reach;
} directed;

static directed direct(const peg_wide *w, const peg_wide_visit *v)
{
    const peg_pair *p = &w->I->pair[v->pair];
    directed d = {{&w->I->piece[p->a].now, &w->I->piece[p->b].now}, p->facet.n, {0}, v->reach};
    for (int k = 0; k < 2; k++) d.outermost[k] = peg_support_vertex(d.at[k], d.n, k ? 1 : -1, 0);
    return d;
}

/* Whether vertex i of a part makes a contact; its points of A and B, and its gap. */
static int find_points(const directed *d, int side, int i, peg_vec3 point[2], double *gap)
{
    double apart[3];
    if (side == 1 && i == d->outermost[1]) return 0; /* as of A */
    find_outermost(d->at[side], i, d->n, side ? 1 : -1, point[side]);
    find_outermost(d->at[!side], d->outermost[!side], d->n, side ? -1 : 1, point[!side]);
    peg_sub(point[0], point[1], apart);
    *gap = peg_dot(apart, d->n);
    return *gap <= d->reach || i == d->outermost[side];
}

static int count_directed(const peg_wide *w, const peg_wide_visit *v)
{
    directed d = direct(w, v);
    peg_vec3 point[2];
    double gap;
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < d.at[side]->shape->nv; i++) n += find_points(&d, side, i, point, &gap);
    return n;
}

/* Each point is fixed to its own body. */
static void set_directed(peg_wide *w, const peg_wide_visit *v, const double *const x[2])
{
    directed d = direct(w, v);
    peg_vec3 point[2];
    int k = v->first;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < d.at[side]->shape->nv; i++) {
            peg_wide_feature feature = {.pair = v->pair, .kind = PEG_FEATURES_NONE};
            if (!find_points(&d, side, i, point, &feature.gap)) continue;
            set_contact(w, k, x, d.n, &feature);
            for (int j = 0; j < 2; j++)
                peg_sub(point[j], x[j], j ? w->contact[k].arm_b : w->contact[k].arm_a);
            k++;
        }
}

static void set_patches(peg_wide *w, const peg_wide_visit *v)
{
    const peg_wide_pair *p = &w->pair[v->pair];
    int a = w->piece[p->a].rigid, b = w->piece[p->b].rigid;
    for (int k = 0; k < v->count; k += PEG_WIDE_PATCH) {
        int left = v->count - k;
        w->patch[w->patches++] = (peg_wide_patch){w->number[a], w->number[b], v->first + k,
                                                  left < PEG_WIDE_PATCH ? left : PEG_WIDE_PATCH};
    }
}

/* Where the contacts of all visits will be. */
static int number_contacts(peg_wide *w)
{
    w->contacts = w->patches = w->rows.m = 0;
    for (int i = 0; i < w->visits; i++) {
        peg_wide_visit *v = &w->visit[i];
        if (is_directed(w, v->pair))
            v->count = count_directed(w, v);
        else if (w->search[v->pair] == PEG_WIDE_VIEWS && !isinf(v->reach) &&
                 !find_other_patch(w, v))
            return 0;
        v->first = w->contacts;
        w->contacts += v->count;
        w->patches += (v->count + PEG_WIDE_PATCH - 1) / PEG_WIDE_PATCH;
    }
    if (!reserve(w)) return 0;
    w->patches = 0;
    for (int i = 0; i < w->visits; i++) set_patches(w, &w->visit[i]);
    return 1;
}

typedef struct filling {
    peg_wide *w;
    void (*finish)(peg_wide *w, const peg_wide_visit *visit);
} filling;

static void fill_contacts(void *data, int begin, int end)
{
    const filling *f = data;
    peg_wide *w = f->w;
    for (int i = begin; i < end; i++) {
        const peg_wide_visit *v = &w->visit[i];
        const double *x[2];
        if (v->count == 0) continue;
        place_centres(w, v->pair, x);
        if (is_directed(w, v->pair)) {
            set_directed(w, v, x);
            f->finish(w, v);
            continue;
        }
        for (int k = 0; k < v->count; k++) {
            peg_wide_feature feature = {.pair = v->pair};
            const double *normal, *point;
            if (w->search[v->pair] != PEG_WIDE_VIEWS) {
                const peg_patch_contact *c = &w->found[i].contact[k];
                feature.kind = c->kind, feature.i = c->i, feature.j = c->j, feature.gap = c->gap;
                normal = c->is_of_edges ? w->found[i].across : w->found[i].normal;
                point = c->point;
            } else {
                const peg_row *c = &w->rows.row[v->row + k];
                feature.kind = c->kind, feature.i = c->i, feature.j = c->j, feature.gap = c->gap;
                normal = c->normal, point = c->point;
            }
            peg_copy3(point, feature.point);
            set_contact(w, v->first + k, x, normal, &feature);
        }
        f->finish(w, v);
    }
}

int peg_wide_find_contacts(peg_wide *w, peg_wide_time time,
                           void (*finish)(peg_wide *w, const peg_wide_visit *visit))
{
    filling f = {w, finish};
    w->time = time;
    peg_pool_loop(w->I->pool, find_patches, w, w->visits);
    if (!number_contacts(w)) return 0;
    peg_pool_loop(w->I->pool, fill_contacts, &f, w->visits);
    return 1;
}

/* --- impulses of the step before --- */

/* An edge's ends by its number. */
static int ends_of(const peg_wide *w, int pair, int piece, int edge)
{
    if (peg_wide_in_lanes(w->search[pair])) return w->edges.name[edge];
    const peg_polytope *P = w->I->piece[piece].part->shape;
    const int *v = P->edge[edge].v;
    return v[0] < v[1] ? P->nv * v[0] + v[1] : P->nv * v[1] + v[0];
}

static int edge_of(const peg_wide *w, int pair, int piece, int ends)
{
    if (peg_wide_in_lanes(w->search[pair])) return w->edges.of_name[ends];
    const peg_polytope *P = w->I->piece[piece].part->shape;
    for (int e = 0; e < P->ne; e++)
        if (ends_of(w, pair, piece, e) == ends) return e;
    return 0;
}

static int is_same(const peg_wide *w, int k, const peg_cached_contact *old)
{
    const peg_wide_feature *f = &w->feature[k];
    const peg_wide_pair *p = &w->pair[f->pair];
    if ((int)f->kind != old->kind) return 0;
    if (f->kind != PEG_FEATURES_EE || w->search[f->pair] == PEG_WIDE_VIEWS)
        return f->i == old->i && f->j == old->j;
    return f->i == ends_of(w, f->pair, p->a, old->i) && f->j == ends_of(w, f->pair, p->b, old->j);
}

static void local_point(const peg_wide *w, int k, const double *R, double *out)
{
    peg_rotate_back(R, w->contact[k].arm_a, out);
}

static int nearest(const peg_wide *w, int from, int end, const double *local)
{
    int best = from;
    double least = INFINITY;
    const double *R = w->I->rigid[w->piece[w->pair[w->feature[from].pair].a].rigid].R0;
    for (int k = from; k < end; k++) {
        double at[3];
        local_point(w, k, R, at);
        peg_sub(at, local, at);
        double square = peg_dot(at, at);
        if (square < least) least = square, best = k;
    }
    return best;
}

void peg_wide_warm_start(peg_wide *w, const peg_wide_visit *v)
{
    const peg_pair *p = &w->I->pair[v->pair];
    int from = v->first, to = v->first + v->count;
    for (int i = 0; i < p->cached_contacts; i++) {
        const peg_cached_contact *old = &p->cached[i];
        int k = from;
        while (k < to && !is_same(w, k, old)) k++;
        if (k == to) k = nearest(w, from, to, old->local);
        w->contact[k].lambda[0] += old->lambda;
        peg_add_scaled(w->feature[k].before, 1, old->sliding, w->feature[k].before);
        peg_add_scaled(w->feature[k].rolled, 1, old->rolling, w->feature[k].rolled);
    }
    for (int k = from; k < to; k++) {
        peg_wide_contact *c = &w->contact[k];
        double third[3];
        double share = peg_wide_set_friction(w, k);
        peg_cross(c->normal, c->tangent, third);
        c->lambda[1] = share * peg_dot(w->feature[k].before, c->tangent);
        c->lambda[2] = share * peg_dot(w->feature[k].before, third);
        for (int i = 0; i < w->furthers; i++) {
            peg_wide_further *f = peg_wide_further_of(w, k, i);
            f->lambda = f->turns ? peg_dot(w->feature[k].rolled, f->axis)
                                 : share * peg_dot(w->feature[k].before, f->axis);
        }
    }
}

/* --- what bears --- */

static peg_loaded_contact contact_without_load(const peg_wide *w, int k)
{
    const peg_wide_feature *f = &w->feature[k];
    const peg_wide_pair *p = &w->pair[f->pair];
    peg_loaded_contact load = {.pair = f->pair, .kind = f->kind, .i = f->i, .j = f->j};
    if (f->kind == PEG_FEATURES_EE && w->search[f->pair] != PEG_WIDE_VIEWS)
        load.i = edge_of(w, f->pair, p->a, f->i), load.j = edge_of(w, f->pair, p->b, f->j);
    load.gap = load.end_gap = f->gap;
    peg_copy3(f->point, load.point);
    peg_copy3(w->contact[k].normal, load.normal);
    return load;
}

static void set_loads(void *data, int begin, int end)
{
    const peg_wide *w = data;
    for (int k = begin; k < end; k++) {
        const peg_wide_contact *c = &w->contact[k];
        peg_loaded_contact *load = &w->I->load[w->load_of[k]];
        if (!peg_wide_acts(c)) continue;
        *load = contact_without_load(w, k);
        peg_copy3(c->tangent, load->tangent);
        memcpy(load->lambda, c->lambda, sizeof load->lambda);
        memcpy(load->mu, c->mu, sizeof load->mu);
        memcpy(load->limit, c->limit, sizeof load->limit);
        memcpy(load->prescribed, w->feature[k].prescribed, sizeof load->prescribed);
        memcpy(load->compliance, c->compliance, sizeof load->compliance);
        load->pushed = peg_wide_pushed(w, k);
        load->further = w->furthers ? peg_wide_further_of(w, k, 0) : NULL;
        load->furthers = w->furthers;
    }
}

int peg_wide_take_loads(peg_wide *w)
{
    peg_island *I = w->I;
    I->impulse.m = I->rows.m = I->first.m = I->before.rows.m = I->loads = 0;
    if (!w->load_of || w->contacts > w->load_room) {
        w->load_of = PEG_NEW(I->arena, int, w->contacts);
        I->load = PEG_NEW(I->arena, peg_loaded_contact, w->contacts);
        w->load_room = w->contacts;
    }
    if (!w->load_of || !I->load) return 0;
    for (int k = 0; k < w->contacts; k++) {
        w->load_of[k] = I->loads;
        I->loads += peg_wide_acts(&w->contact[k]);
    }
    peg_pool_loop(I->pool, set_loads, w, w->contacts);
    return 1;
}

/* --- their gaps in the end --- */

/* Corner bit k set: + half of side k, as in shape/primitives.c. */
static void vertex_of_box(const peg_box *box, int vertex, double *out)
{
    double local[3];
    for (int k = 0; k < 3; k++) local[k] = vertex >> k & 1 ? box->half[k] : -box->half[k];
    peg_rotate(box->R, local, out);
    peg_add_scaled(out, 1, box->x, out);
}

/* Faces -x +x -y +y -z +z. */
static double above_face(const peg_box *box, int face, const double *point)
{
    double from[3], n[3];
    for (int k = 0; k < 3; k++)
        n[k] = face % 2 ? box->R[3 * k + face / 2] : -box->R[3 * k + face / 2];
    peg_sub(point, box->x, from);
    return peg_dot(n, from) - box->half[face / 2];
}

/* Where the edges have become parallel it is not known. */
static double between_edges(const peg_wide *w, const peg_wide_pair *p, const peg_loaded_contact *c)
{
    double at[2][3], along[2][3], n[3], apart[3];
    for (int side = 0; side < 2; side++) {
        const peg_box *box = &w->box[PEG_WIDE_NOW][side ? p->b : p->a];
        const int *v = w->edges.v[side ? c->j : c->i];
        vertex_of_box(box, v[0], at[side]);
        vertex_of_box(box, v[1], along[side]);
        peg_sub(along[side], at[side], along[side]);
    }
    peg_cross(along[0], along[1], n);
    if (!(peg_normalise(n) > 0)) return c->gap;
    peg_sub(at[0], at[1], apart);
    return peg_dot(n, c->normal) < 0 ? -peg_dot(n, apart) : peg_dot(n, apart);
}

static double end_gap(const peg_wide *w, const peg_loaded_contact *c)
{
    const peg_wide_pair *p = &w->pair[c->pair];
    double at[3];
    int search = w->search[c->pair];
    if (!peg_wide_in_lanes(search)) {
        peg_row row;
        peg_loaded_row(w->I, c, 0, &row);
        return peg_row_gap(w->I, &row);
    }
    if (c->kind == PEG_FEATURES_EE) return between_edges(w, p, c);
    int is_of_a = c->kind == PEG_FEATURES_VF, of = is_of_a ? p->b : p->a;
    vertex_of_box(&w->box[PEG_WIDE_NOW][is_of_a ? p->a : p->b], c->i, at);
    if (search == PEG_WIDE_BOXES) return above_face(&w->box[PEG_WIDE_NOW][of], c->j, at);
    const peg_view *plane = &w->I->piece[of].now;
    return peg_dot(plane->normal[0], at) - plane->offset[0];
}

double peg_wide_end_gap(const peg_wide *w, int contact)
{
    peg_loaded_contact c = contact_without_load(w, contact);
    return end_gap(w, &c);
}

static void find_end_gaps(void *data, int begin, int end)
{
    const peg_wide *w = data;
    for (int k = begin; k < end; k++) w->I->load[k].end_gap = end_gap(w, &w->I->load[k]);
}

void peg_wide_find_end_gaps(peg_wide *w)
{
    peg_pool_loop(w->I->pool, find_end_gaps, w, w->I->loads);
}

void peg_wide_count(peg_wide *w, const peg_wide_result *result)
{
    pegStats *stats = w->I->stats;
    stats->shared_meetings += result->meetings;
    stats->shared_visits += result->visits;
    stats->shared_visits_most += result->most;
}
