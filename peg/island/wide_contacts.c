/* Contacts of the patches: where they are, their friction, the impulses they start with, and the
 * rows that they become in the end. */
#include "peg/contact/row_set.h"
#include "peg/island/wide_state.h"

/* --- contacts --- */

static int reserve(peg_wide *w)
{
    peg_arena *arena = w->I->arena;
    if (w->contacts + PEG_BOX_PATCH > w->room) {
        int room = w->room ? 2 * w->room : 4 * w->I->npair + PEG_BOX_PATCH;
        peg_wide_contact *contact = PEG_NEW(arena, peg_wide_contact, room);
        peg_box_contact *feature = PEG_NEW(arena, peg_box_contact, room);
        int *pair_of = PEG_NEW(arena, int, room);
        if (!contact || !feature || !pair_of) return 0;
        if (w->contacts) {
            memcpy(contact, w->contact, (size_t)w->contacts * sizeof *contact);
            memcpy(feature, w->feature, (size_t)w->contacts * sizeof *feature);
            memcpy(pair_of, w->pair_of, (size_t)w->contacts * sizeof *pair_of);
        }
        w->contact = contact, w->feature = feature, w->pair_of = pair_of, w->room = room;
    }
    if (w->patch_room) return 1;
    /* two to a pair at most */
    w->patch_room = 2 * w->I->npair;
    w->patch = PEG_NEW(arena, peg_wide_patch, w->patch_room);
    return w->patch != NULL;
}

int peg_wide_add_contacts(peg_wide *w, int pair, const peg_box_patch *found, int at_start)
{
    peg_island *I = w->I;
    const peg_pair *p = &I->pair[pair];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    const double *xa = at_start ? I->rigid[a].x0 : I->rigid[a].x;
    const double *xb = at_start ? I->rigid[b].x0 : I->rigid[b].x;
    if (!reserve(w)) return 0;
    for (int k = 0; k < found->count; k++) {
        if (k % PEG_WIDE_PATCH == 0) {
            int left = found->count - k;
            w->patch[w->patches++] =
                (peg_wide_patch){a < I->nd ? a : -1, b < I->nd ? b : -1, w->contacts,
                                 left < PEG_WIDE_PATCH ? left : PEG_WIDE_PATCH};
        }
        const peg_box_contact *from = &found->contact[k];
        peg_wide_contact *c = &w->contact[w->contacts];
        memset(c, 0, sizeof *c);
        peg_copy3(found->normal, c->normal);
        peg_sub(from->point, xa, c->arm_a);
        peg_sub(from->point, xb, c->arm_b);
        w->feature[w->contacts] = *from;
        w->pair_of[w->contacts++] = pair;
    }
    return 1;
}

void peg_wide_find_patch(const peg_wide *w, const peg_box *at, int pair, double reach, int corners,
                         peg_box_patch *out)
{
    const peg_pair *p = &w->I->pair[pair];
    int box, other;
    peg_wide_order_pieces(w, p, &box, &other);
    if (peg_is_half_space(w->I->piece[other].part->shape)) {
        const peg_view *plane = &w->I->piece[other].now;
        peg_box_plane_find(&at[box], plane->normal[0], plane->offset[0], box != p->a, reach, out);
    } else if (corners) {
        peg_box_corners_find(&at[p->a], &at[p->b], &w->axis[pair], reach, out);
    } else {
        peg_box_patch_find(&at[p->a], &at[p->b], &w->axis[pair], reach, out);
    }
}

/* --- friction --- */

/* Sliding slower than this share of the speed of the two points has no direction. */
static const double NO_SLIDING = 5e-2;

static void point_velocity(const peg_wide *w, int rigid, const double *arm, double *out)
{
    const double *v = rigid < w->I->nd ? w->I->rigid[rigid].state.v_free : w->I->v[rigid];
    peg_cross(v + 3, arm, out);
    peg_add_scaled(out, 1, v, out);
}

/* As in contact/friction.c: along the sliding that would happen, where the cone has its full
 * radius. carried: of the step before, N s. */
static void set_friction(const peg_wide *w, int k, const double *carried)
{
    peg_wide_contact *c = &w->contact[k];
    const peg_pair *p = &w->I->pair[w->pair_of[k]];
    const peg_surface *s = p->surface;
    double a[3], b[3], slide[3], t[3], third[3];
    peg_plane_space(c->normal, t);
    peg_normalise(t);
    if (!(s->mu > 0) && !(s->mu2 > 0)) {
        peg_copy3(t, c->tangent);
        return;
    }
    point_velocity(w, w->I->piece[p->a].rigid, c->arm_a, a);
    point_velocity(w, w->I->piece[p->b].rigid, c->arm_b, b);
    peg_sub(a, b, slide);
    int given = peg_part_across(s->axis, c->normal, 0, t);
    if (!given && s->mu == s->mu2 &&
        !peg_part_across(slide, c->normal, NO_SLIDING * (peg_norm(a) + peg_norm(b)), t))
        peg_part_across(carried, c->normal, 0, t);
    c->mu[0] = s->mu, c->mu[1] = s->mu2;
    if (!s->pyramid && w->I->settings->friction_directions) {
        peg_cross(c->normal, t, third);
        for (int j = 0; j < 3; j++) t[j] = sqrt(0.5) * (t[j] - third[j]);
        c->mu[0] = c->mu[1] = sqrt(0.5) * s->mu;
    }
    peg_copy3(t, c->tangent);
}

/* --- impulses of the step before --- */

/* An edge's ends by its number. */
static int ends_of(const peg_wide *w, int piece, int edge)
{
    const int *v = w->I->piece[piece].part->shape->edge[edge].v;
    return v[0] < v[1] ? 8 * v[0] + v[1] : 8 * v[1] + v[0];
}

static int edge_of(const peg_wide *w, int piece, int ends)
{
    const peg_polytope *P = w->I->piece[piece].part->shape;
    for (int e = 0; e < P->ne; e++)
        if (ends_of(w, piece, e) == ends) return e;
    return 0;
}

static int is_same(const peg_wide *w, int k, const peg_cached_row *old)
{
    const peg_box_contact *f = &w->feature[k];
    const peg_pair *p = &w->I->pair[w->pair_of[k]];
    if ((int)f->kind != old->kind) return 0;
    if (f->kind != PEG_FEATURES_EE) return f->i == old->i && f->j == old->j;
    return f->i == ends_of(w, p->a, old->i) && f->j == ends_of(w, p->b, old->j);
}

static void local_point(const peg_wide *w, int k, const double *R, double *out)
{
    peg_rotate_back(R, w->contact[k].arm_a, out);
}

static int nearest(const peg_wide *w, int from, const double *local)
{
    int best = from;
    double least = INFINITY;
    const double *R = w->I->rigid[w->I->piece[w->I->pair[w->pair_of[from]].a].rigid].R0;
    for (int k = from; k < w->contacts; k++) {
        double at[3];
        local_point(w, k, R, at);
        peg_sub(at, local, at);
        double square = peg_dot(at, at);
        if (square < least) least = square, best = k;
    }
    return best;
}

void peg_wide_warm_start(peg_wide *w, int pair, int from)
{
    const peg_pair *p = &w->I->pair[pair];
    double carried[2 * PEG_BOX_PATCH][3] = {{0}};
    for (int i = 0, end; i < p->cached_rows; i = end) {
        const peg_cached_row *old = &p->cached[i];
        int k = from;
        while (k < w->contacts && !is_same(w, k, old)) k++;
        if (k == w->contacts) k = nearest(w, from, old->local);
        w->contact[k].lambda[0] += old->lambda;
        for (end = i + 1; end < p->cached_rows && p->cached[end].friction; end++)
            if (!p->cached[end].rolls)
                peg_add_scaled(carried[k - from], p->cached[end].lambda, p->cached[end].direction,
                               carried[k - from]);
    }
    for (int k = from; k < w->contacts; k++) {
        peg_wide_contact *c = &w->contact[k];
        double third[3];
        set_friction(w, k, carried[k - from]);
        peg_cross(c->normal, c->tangent, third);
        c->lambda[1] = peg_dot(carried[k - from], c->tangent);
        c->lambda[2] = peg_dot(carried[k - from], third);
    }
}

/* --- rows --- */

static peg_row *add_row(peg_wide *w, int k, int j, const double *direction)
{
    peg_island *I = w->I;
    const peg_wide_contact *c = &w->contact[k];
    const peg_box_contact *f = &w->feature[k];
    const peg_pair *p = &I->pair[w->pair_of[k]];
    peg_row *row = peg_row_set_add(I, &I->impulse);
    if (!row) return NULL;
    memset(row, 0, sizeof *row);
    row->pair = w->pair_of[k];
    row->friction = j;
    row->lambda = row->lambda_motion = c->lambda[j];
    row->gap0 = row->gap = row->target = f->gap;
    row->mu = j ? c->mu[j - 1] : 0;
    row->kind = f->kind, row->i = f->i, row->j = f->j;
    if (f->kind == PEG_FEATURES_EE)
        row->i = edge_of(w, p->a, f->i), row->j = edge_of(w, p->b, f->j);
    peg_copy3(f->point, row->point);
    peg_copy3(direction, row->normal);
    local_point(w, k, I->rigid[I->piece[p->a].rigid].R0, row->local);
    for (int side = 0; side < 2; side++) {
        double *G = side ? row->Gb : row->Ga;
        if (I->piece[side ? p->b : p->a].rigid >= I->nd) continue;
        peg_cross(side ? c->arm_b : c->arm_a, direction, G + 3);
        peg_copy3(direction, G);
        for (int n = 0; n < 6 && side; n++) G[n] = -G[n];
    }
    return row;
}

int peg_wide_take_rows(peg_wide *w)
{
    peg_island *I = w->I;
    I->impulse.m = I->rows.m = I->first.m = I->before.rows.m = 0;
    for (int i = 0; i < I->npair; i++) I->pair[i].active = 0;
    for (int k = 0; k < w->contacts; k++) {
        const peg_wide_contact *c = &w->contact[k];
        double third[3];
        if (!(c->lambda[0] > 0)) continue;
        I->pair[w->pair_of[k]].active = 1;
        peg_cross(c->normal, c->tangent, third);
        if (!add_row(w, k, 0, c->normal)) return 0;
        if (!(c->mu[0] > 0) && !(c->mu[1] > 0)) continue;
        if (!add_row(w, k, 1, c->tangent) || !add_row(w, k, 2, third)) return 0;
    }
    return 1;
}
