/* Contacts of the patches: where they are, their friction, the impulses they start with, and the
 * rows that they become in the end. */
#include "peg/contact/patch.h"
#include "peg/contact/row_set.h"
#include "peg/island/wide_state.h"

/* --- contacts --- */

static void *grow(peg_arena *arena, const void *old, size_t size, int n, int room)
{
    void *out = peg_arena_alloc(arena, size * (size_t)room);
    if (out && n) memcpy(out, old, size * (size_t)n);
    return out;
}

/* Room for n more contacts, which make a patch each at most. */
static int reserve(peg_wide *w, int n)
{
    peg_arena *arena = w->I->arena;
    if (w->contacts + n > w->room) {
        int room = 2 * w->room + 4 * w->I->npair + n;
        w->contact = grow(arena, w->contact, sizeof *w->contact, w->contacts, room);
        w->feature = grow(arena, w->feature, sizeof *w->feature, w->contacts, room);
        w->room = room;
    }
    if (w->patches + n > w->patch_room) {
        int room = 2 * w->patch_room + 2 * w->I->npair + n;
        w->patch = grow(arena, w->patch, sizeof *w->patch, w->patches, room);
        w->patch_room = room;
    }
    return !arena->failed;
}

static void place_centres(const peg_wide *w, peg_wide_time time, int pair, const double *x[2])
{
    const peg_pair *p = &w->I->pair[pair];
    for (int side = 0; side < 2; side++) {
        const peg_rigid *r = &w->I->rigid[w->I->piece[side ? p->b : p->a].rigid];
        x[side] = time == PEG_WIDE_START ? r->x0 : r->x;
    }
}

/* feature.point is where it is, x: the bodies' centres. */
static void add_contact(peg_wide *w, const double *const x[2], const double *normal,
                        const peg_wide_feature *feature)
{
    peg_wide_contact *c = &w->contact[w->contacts];
    memset(c, 0, sizeof *c);
    peg_copy3(normal, c->normal);
    peg_sub(feature->point, x[0], c->arm_a);
    peg_sub(feature->point, x[1], c->arm_b);
    w->feature[w->contacts++] = *feature;
}

/* Contacts from .. of a pair, in patches. */
static void add_patches(peg_wide *w, int pair, int from)
{
    const peg_island *I = w->I;
    int a = I->piece[I->pair[pair].a].rigid, b = I->piece[I->pair[pair].b].rigid;
    for (int k = from; k < w->contacts; k += PEG_WIDE_PATCH) {
        int left = w->contacts - k;
        w->patch[w->patches++] = (peg_wide_patch){a < I->nd ? a : -1, b < I->nd ? b : -1, k,
                                                  left < PEG_WIDE_PATCH ? left : PEG_WIDE_PATCH};
    }
}

static int add_box_patch(peg_wide *w, peg_wide_time time, int pair, double reach, int is_violated)
{
    const peg_box *at = w->box[time];
    const peg_pair *p = &w->I->pair[pair];
    const double *x[2];
    peg_box_patch found;
    int box, other;
    peg_wide_order_pieces(w, p, &box, &other);
    if (peg_is_half_space(w->I->piece[other].part->shape)) {
        const peg_view *plane = &w->I->piece[other].now;
        peg_box_plane_find(&at[box], plane->normal[0], plane->offset[0], box != p->a, reach,
                           &found);
    } else if (is_violated) {
        peg_box_corners_find(&at[p->a], &at[p->b], &w->axis[pair], reach, &found);
    } else {
        peg_box_patch_find(&at[p->a], &at[p->b], &w->axis[pair], reach, &found);
    }
    if (!reserve(w, found.count)) return 0;
    place_centres(w, time, pair, x);
    for (int k = 0; k < found.count; k++) {
        const peg_box_contact *c = &found.contact[k];
        peg_wide_feature feature = {
            .pair = pair, .kind = c->kind, .i = c->i, .j = c->j, .gap = c->gap};
        peg_copy3(c->point, feature.point);
        add_contact(w, x, found.normal, &feature);
    }
    return 1;
}

static peg_placement place_of(const peg_wide *w, peg_wide_time time, int piece)
{
    const peg_piece *p = &w->I->piece[piece];
    const peg_rigid *r = &w->I->rigid[p->rigid];
    const double *v = w->I->v[p->rigid];
    if (time == PEG_WIDE_START)
        return (peg_placement){&p->start, &p->start, r->x0, r->R0, v, p->rigid};
    return (peg_placement){&p->now, &p->now, r->x, r->R, v, p->rigid};
}

static int add_other_patch(peg_wide *w, peg_wide_time time, int pair, double reach, int is_violated)
{
    peg_island *I = w->I;
    peg_pair *p = &I->pair[pair];
    peg_pair_pose at = {place_of(w, time, p->a), place_of(w, time, p->b)};
    const double *x[2];
    int from = w->rows.m;
    p->reach = reach;
    peg_patch_rows(I, pair, &at, &w->rows);
    if (is_violated) peg_facet_rows(I, pair, &at, INFINITY, &w->rows);
    if (I->failed || !reserve(w, w->rows.m - from)) return 0;
    place_centres(w, time, pair, x);
    for (int r = from; r < w->rows.m; r++) {
        const peg_row *row = &w->rows.row[r];
        peg_wide_feature feature = {
            .pair = pair, .kind = row->kind, .i = row->i, .j = row->j, .gap = row->gap};
        peg_copy3(row->point, feature.point);
        add_contact(w, x, row->normal, &feature);
    }
    return 1;
}

int peg_wide_add_patch(peg_wide *w, peg_wide_time time, int pair, double reach, int is_violated)
{
    int from = w->contacts;
    int ok = w->in_lanes[pair] ? add_box_patch(w, time, pair, reach, is_violated)
                               : add_other_patch(w, time, pair, reach, is_violated);
    if (ok) add_patches(w, pair, from);
    return ok;
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
 * radius. */
static void set_friction(const peg_wide *w, int k)
{
    const double *before = w->feature[k].before;
    peg_wide_contact *c = &w->contact[k];
    const peg_pair *p = &w->I->pair[w->feature[k].pair];
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
        peg_part_across(before, c->normal, 0, t);
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
    const peg_wide_feature *f = &w->feature[k];
    const peg_pair *p = &w->I->pair[f->pair];
    if ((int)f->kind != old->kind) return 0;
    if (f->kind != PEG_FEATURES_EE || !w->in_lanes[f->pair])
        return f->i == old->i && f->j == old->j;
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
    const double *R = w->I->rigid[w->I->piece[w->I->pair[w->feature[from].pair].a].rigid].R0;
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
    for (int i = 0, end; i < p->cached_rows; i = end) {
        const peg_cached_row *old = &p->cached[i];
        int k = from;
        while (k < w->contacts && !is_same(w, k, old)) k++;
        if (k == w->contacts) k = nearest(w, from, old->local);
        w->contact[k].lambda[0] += old->lambda;
        for (end = i + 1; end < p->cached_rows && p->cached[end].friction; end++)
            if (!p->cached[end].rolls)
                peg_add_scaled(w->feature[k].before, p->cached[end].lambda,
                               p->cached[end].direction, w->feature[k].before);
    }
    for (int k = from; k < w->contacts; k++) {
        peg_wide_contact *c = &w->contact[k];
        double third[3];
        set_friction(w, k);
        peg_cross(c->normal, c->tangent, third);
        c->lambda[1] = peg_dot(w->feature[k].before, c->tangent);
        c->lambda[2] = peg_dot(w->feature[k].before, third);
    }
}

/* --- rows --- */

static peg_row *add_row(peg_wide *w, int k, int j, const double *direction)
{
    peg_island *I = w->I;
    const peg_wide_contact *c = &w->contact[k];
    const peg_wide_feature *f = &w->feature[k];
    const peg_pair *p = &I->pair[f->pair];
    peg_row *row = peg_row_set_add(I, &I->impulse);
    if (!row) return NULL;
    memset(row, 0, sizeof *row);
    row->pair = f->pair;
    row->friction = j;
    row->lambda = row->lambda_motion = c->lambda[j];
    row->gap0 = row->gap = row->target = f->gap;
    row->mu = j ? c->mu[j - 1] : 0;
    row->kind = f->kind, row->i = f->i, row->j = f->j;
    if (f->kind == PEG_FEATURES_EE && w->in_lanes[f->pair])
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
        I->pair[w->feature[k].pair].active = 1;
        peg_cross(c->normal, c->tangent, third);
        if (!add_row(w, k, 0, c->normal)) return 0;
        if (!(c->mu[0] > 0) && !(c->mu[1] > 0)) continue;
        if (!add_row(w, k, 1, c->tangent) || !add_row(w, k, 2, third)) return 0;
    }
    return 1;
}
