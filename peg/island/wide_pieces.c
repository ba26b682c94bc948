/* Poses of the pieces, and separations of pairs: in lanes of boxes and half-spaces, one after the
 * other by the views of any other pair. */
#include "peg/contact/disjunction.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch_facet.h"
#include "peg/island/begin.h"
#include "peg/island/wide_state.h"

/* --- poses --- */

void peg_wide_place_box(const peg_piece *piece, const double *x, const double *R, peg_box *box)
{
    double at[3];
    peg_rotate(R, piece->part->offset, at);
    peg_add_scaled(at, 1, x, box->x);
    peg_mat_mul(R, piece->part->rotation, box->R);
}

static peg_wide_search search_of(const peg_wide *w, const peg_pair *p)
{
    const peg_wide_piece *a = &w->piece[p->a], *b = &w->piece[p->b];
    if (a->is_box && b->is_box) return PEG_WIDE_BOXES;
    if (b->is_box && a->is_plane) return PEG_WIDE_PLANE_A;
    if (a->is_box && b->is_plane) return PEG_WIDE_PLANE_B;
    const peg_piece *piece = w->I->piece;
    int has_facet =
        p->start_facet && peg_have_facet_patches(piece[p->a].part->shape, piece[p->b].part->shape);
    return has_facet ? PEG_WIDE_FACETS : PEG_WIDE_VIEWS;
}

static void name_pieces(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        const peg_piece *piece = &w->I->piece[i];
        const peg_polytope *shape = piece->part->shape;
        w->piece[i] = (peg_wide_piece){.rigid = piece->rigid,
                                       .is_box = peg_is_box(shape),
                                       .is_plane = peg_is_half_space(shape)};
    }
}

static void set_pairs(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        const peg_pair *p = &w->I->pair[i];
        w->search[i] = search_of(w, p);
        w->pair[i] = (peg_wide_pair){.a = p->a,
                                     .b = p->b,
                                     .has_start = p->start_axis || p->start_facet,
                                     .is_soft = p->surface->soft,
                                     .L = p->L,
                                     .margin = p->margin,
                                     .fast = PEG_FAST * p->width};
    }
}

static void mark_pieces(peg_wide *w)
{
    memset(w->has_view, 0, (size_t)w->I->npiece);
    memset(w->has_free, 0, (size_t)w->I->npiece);
    for (int i = 0; i < w->I->npair; i++) {
        const peg_wide_pair *p = &w->pair[i];
        if (peg_wide_in_lanes(w->search[i])) continue;
        w->has_view[p->a] = w->has_view[p->b] = 1;
        if (w->search[i] == PEG_WIDE_VIEWS && !p->has_start)
            w->has_free[p->a] = w->has_free[p->b] = 1;
    }
}

static void start_pieces(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        peg_piece *piece = &w->I->piece[i];
        const peg_rigid *r = &w->I->rigid[piece->rigid];
        peg_wide_place_box(piece, r->x0, r->R0, &w->box[PEG_WIDE_START][i]);
        peg_copy3(piece->part->shape->half, w->box[PEG_WIDE_START][i].half);
        w->box[PEG_WIDE_NOW][i] = w->box[PEG_WIDE_START][i];
        peg_copy3(piece->part->shape->half, w->box[PEG_WIDE_BETWEEN][i].half);
        if (w->has_view[i]) peg_piece_place_start(w->I, piece);
        if (w->has_free[i]) peg_piece_place_free(w->I, piece);
    }
}

static void set_edges(peg_wide *w)
{
    const peg_polytope *box = NULL;
    for (int i = 0; i < w->I->npiece && !box; i++)
        if (w->piece[i].is_box) box = w->I->piece[i].part->shape;
    for (int e = 0; box && e < PEG_BOX_EDGES; e++) {
        const int *v = box->edge[e].v;
        int first = v[0] < v[1] ? v[0] : v[1], second = v[0] + v[1] - first;
        w->edges.v[e][0] = v[0], w->edges.v[e][1] = v[1];
        w->edges.name[e] = PEG_BOX_VERTICES * first + second;
        w->edges.of_name[w->edges.name[e]] = e;
    }
}

int peg_wide_start_pieces(peg_wide *w)
{
    peg_island *I = w->I;
    w->piece = PEG_NEW(I->arena, peg_wide_piece, I->npiece);
    for (int t = 0; t < PEG_WIDE_TIMES; t++) w->box[t] = PEG_NEW(I->arena, peg_box, I->npiece);
    w->pair = PEG_NEW(I->arena, peg_wide_pair, I->npair);
    w->axis = PEG_NEW(I->arena, peg_box_axis, I->npair);
    w->search = PEG_NEW(I->arena, unsigned char, I->npair);
    w->has_view = PEG_NEW(I->arena, unsigned char, I->npiece);
    w->has_free = PEG_NEW(I->arena, unsigned char, I->npiece);
    w->rows.features_only = 1;
    if (I->arena->failed) return 0;
    peg_pool_loop(I->pool, name_pieces, w, I->npiece);
    set_edges(w);
    peg_pool_loop(I->pool, set_pairs, w, I->npair);
    mark_pieces(w);
    peg_pool_loop(I->pool, start_pieces, w, I->npiece);
    return 1;
}

void peg_wide_place_body(peg_wide *w, int i)
{
    peg_rigid *r = &w->I->rigid[i];
    peg_rigid_pose(r, w->I->v[i], w->I->h, r->x, r->R);
    memcpy(r->at, w->I->v[i], sizeof r->at);
    r->placed = 1;
}

static void place_piece(peg_wide *w, int i)
{
    peg_piece *piece = &w->I->piece[i];
    const peg_rigid *r = &w->I->rigid[piece->rigid];
    if (r->state.kind == PEG_STATIC) return;
    peg_wide_place_box(piece, r->x, r->R, &w->box[PEG_WIDE_NOW][i]);
    if (w->has_view[i]) peg_piece_place(piece, r->x, r->R, &piece->now);
}

void peg_wide_place_moved(peg_wide *w, const unsigned char *moved)
{
    for (int i = 0; i < w->I->npiece; i++)
        if (moved[w->piece[i].rigid]) place_piece(w, i);
}

static void place_bodies(void *data, int begin, int end)
{
    for (int i = begin; i < end; i++) peg_wide_place_body(data, i);
}

static void place_pieces(void *data, int begin, int end)
{
    for (int i = begin; i < end; i++) place_piece(data, i);
}

void peg_wide_place_all(peg_wide *w)
{
    peg_pool_loop(w->I->pool, place_bodies, w, w->I->nr);
    peg_pool_loop(w->I->pool, place_pieces, w, w->I->npiece);
}

static void place_other_views(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        peg_piece *piece = &w->I->piece[i];
        const peg_rigid *r = &w->I->rigid[piece->rigid];
        if (r->state.kind != PEG_STATIC && !w->has_view[i])
            peg_piece_place(piece, r->x, r->R, &piece->now);
    }
}

void peg_wide_place_other_views(peg_wide *w)
{
    peg_pool_loop(w->I->pool, place_other_views, w, w->I->npiece);
}

/* --- motion --- */

typedef struct turning {
    peg_wide *w;
    const peg_vec6 *v;
} turning;

static void find_turning(void *data, int begin, int end)
{
    const turning *of = data;
    for (int i = begin; i < end; i++) {
        peg_wide_piece *piece = &of->w->piece[i];
        piece->turning = peg_piece_turning(of->w->I, &of->w->I->piece[i], of->v[piece->rigid]);
    }
}

void peg_wide_find_turning(peg_wide *w, const peg_vec6 *v)
{
    peg_pool_loop(w->I->pool, find_turning, &(turning){w, v}, w->I->npiece);
}

double peg_wide_motion(const peg_wide *w, const peg_wide_pair *pair, const peg_vec6 *v)
{
    const peg_wide_piece *a = &w->piece[pair->a], *b = &w->piece[pair->b];
    double d[3];
    peg_sub(v[a->rigid], v[b->rigid], d);
    return w->I->h * (peg_norm(d) + a->turning + b->turning);
}

/* --- separations --- */

/* By the facet that it had before where it is now, and where that is not enough by the widest one.
 */
static void separate_facets(peg_wide *w, peg_wide_time time, double edge_bias, int index)
{
    peg_pair *p = &w->I->pair[index];
    peg_wide_pair *pair = &w->pair[index];
    const peg_piece *a = &w->I->piece[p->a], *b = &w->I->piece[p->b];
    double enough = p->facet.kind == PEG_FEATURES_NONE ? pair->reach : peg_wide_floor(pair);
    if (peg_wide_is_held(w, index, time)) {
        peg_wide_separate_held_facets(w, time, index);
        return;
    }
    p->facet = peg_facet_since(&a->now, &b->now, &p->facet, enough, edge_bias * p->L);
    pair->s = p->facet.s;
}

/* By the direction that it has, and where that is not enough by the widest facet. */
static void separate_views(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    double *s = &w->pair[index].s;
    const peg_view *A = &w->I->piece[p->a].now, *B = &w->I->piece[p->b].now;
    double apart[3], floor = peg_wide_floor(&w->pair[index]);
    peg_sub(A->centre, B->centre, apart);
    *s = peg_norm(apart) - A->shape->radius - B->shape->radius;
    if (!(*s >= floor)) *s = peg_separation_along(A, B, p->facet.n);
    if (*s >= floor) return;
    p->facet = peg_widest_facet(A, B, w->I->settings->narrow_phase, p->facet.n);
    *s = p->facet.s;
    p->others = INFINITY;
}

static void separate_views_at_start(peg_wide *w, int index)
{
    peg_pair *p = &w->I->pair[index];
    peg_pair_begin(w->I, p);
    w->pair[index].s0 = p->s0, w->pair[index].s = p->s;
}

typedef struct separations {
    peg_wide *w;
    peg_wide_time time;
    const int *list;
    double edge_bias;
} separations;

static void separate_plane(const separations *of, peg_wide_pair *p, int box, int other)
{
    const peg_view *plane = &of->w->I->piece[other].now;
    p->s = peg_box_above_plane(&of->w->box[of->time][box], plane->normal[0], plane->offset[0]);
}

static void separate(void *data, int begin, int end)
{
    const separations *of = data;
    peg_wide *w = of->w;
    const peg_box *a[PEG_LOT], *b[PEG_LOT], *at = w->box[of->time];
    double bias[PEG_LOT];
    peg_box_axis axis[PEG_LOT];
    int pair[PEG_LOT], boxes = 0;
    for (int k = begin; k < end; k++) {
        peg_wide_pair *p = &w->pair[of->list[k]];
        switch (w->search[of->list[k]]) {
        case PEG_WIDE_BOXES:
            if (peg_wide_is_held(w, of->list[k], of->time)) {
                peg_wide_separate_held_boxes(w, of->time, of->list[k]);
                break;
            }
            a[boxes] = &at[p->a], b[boxes] = &at[p->b];
            bias[boxes] = of->edge_bias * p->L;
            pair[boxes++] = of->list[k];
            break;
        case PEG_WIDE_PLANE_A:
            separate_plane(of, p, p->b, p->a);
            break;
        case PEG_WIDE_PLANE_B:
            separate_plane(of, p, p->a, p->b);
            break;
        case PEG_WIDE_FACETS:
            separate_facets(w, of->time, of->edge_bias, of->list[k]);
            break;
        default:
            if (of->time == PEG_WIDE_START)
                separate_views_at_start(w, of->list[k]);
            else if (peg_wide_is_held(w, of->list[k], of->time))
                peg_wide_separate_held_views(w, of->list[k]);
            else
                separate_views(w, of->list[k]);
        }
    }
    if (boxes) peg_box_separations(a, b, bias, boxes, axis);
    for (int j = 0; j < boxes; j++) {
        w->axis[pair[j]] = axis[j];
        w->pair[pair[j]].s = axis[j].s;
    }
}

void peg_wide_separate(peg_wide *w, peg_wide_time time, const int *list, int n, double edge_bias)
{
    separations of = {w, time, list, edge_bias};
    peg_pool_loop(w->I->pool, separate, &of, n);
}
