/* First contact on the way: a pair that moves far in a step could be separated at the end because
 * it has passed through. Between t and t + dt of the motion t v the separation along n shrinks by
 * at most dt U_n, U_n the bound of the motion against n, so a stride of s / U_n is safe
 * (conservative advancement); strides of PEG_STRIDE widths are taken at least, which cannot pass
 * through the thinner part unseen.
 *
 * Rows at the first contact keep the end of the motion on the near side of what was met. A turning
 * body can satisfy them and still swing through on the way: then the rows are written for the pose
 * that was too deep, g(t) + t h G (v - u) >= target, a condition on the same v. Of two triangles,
 * which have no inside, that is the first pose behind each other, and the row that of the vertices
 * that are furthest along the direction in which they were apart before: along another one they are
 * apart again. */
#include "peg/contact/first_contact.h"

#include "peg/collide/separation.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/patch.h"

/* View of a piece at q(v) if it is already placed there; else null. */
static const peg_view *end_of(const peg_island *I, const peg_piece *piece, const double v[6])
{
    const peg_rigid *r = &I->rigid[piece->rigid];
    if (r->placed && memcmp(r->at, v, sizeof r->at) == 0) return &piece->now;
    int is_free = piece->rigid < I->nd && memcmp(r->state.v_free, v, sizeof r->state.v_free) == 0;
    return is_free ? &piece->free_ : NULL;
}

static const peg_view *place_at(peg_island *I, const peg_piece *piece, const peg_vec6 *v, double t,
                                peg_view *room)
{
    const double *whole = v[piece->rigid];
    double scaled[6], x[3], R[9];
    if (t == 0 || I->rigid[piece->rigid].state.kind == PEG_STATIC) return &piece->start;
    const peg_view *known = t == 1 ? end_of(I, piece, whole) : NULL;
    if (known) return known;
    for (int k = 0; k < 6; k++) scaled[k] = t * whole[k];
    peg_rigid_pose(&I->rigid[piece->rigid], scaled, I->h, x, R);
    room->shape = piece->part->shape;
    peg_piece_place(piece, x, R, room);
    return room;
}

/* Two triangles have no interior in which an overlap would be found: every possible meeting is
 * examined. */
static int are_shells(const peg_island *I, const peg_pair *p)
{
    return peg_is_triangle(I->piece[p->a].part->shape) &&
           peg_is_triangle(I->piece[p->b].part->shape);
}

int peg_pair_is_fast(const peg_island *I, const peg_pair *p, const peg_vec6 *v)
{
    return peg_pair_motion(I, p, v) >
           (are_shells(I, p) ? fmax(p->s0, PEG_HIT_DEPTH * p->width) : PEG_FAST * p->width);
}

/* Strides that an island may take in a step, in all its pairs and passes: about 0.2 s, and some for
 * each pair in each pass. Where they are used up motions are stopped, as bodies that turn by
 * thousands of radians in a step. */
#define MOST_STRIDES      100000
#define STRIDES_OF_A_PAIR 50

/* .. rounding, or what solves leave of a motion: side faces of two meshes in one plane, between
 * joints that hold them there, change sides by 1e-8 of it (the gears of Rigid IPC). Ends of ways
 * are checked to the floor of every pair all the same: open sheets could miss each other only where
 * they meet in a strip narrower than this share of the motion. */
static const double SOLVED = 1e-7;

/* Motion of two pieces. */
typedef struct journey {
    peg_island *I;
    const peg_pair *pair;
    const peg_vec6 *v;
    double motion;  /* bound on their relative motion, m */
    double turning; /* bound on the part of it that their rotations make, m */
    double touch;   /* overlap allowed at touch, m: .. */
    int *looks;     /* bisections left */
} journey;

/* A pose at which they are apart. */
typedef struct place {
    double t, n[3], s; /* share of the motion; by s along n (unit), m */
    peg_vec3 at[2][3]; /* of triangles: their corners */
} place;

/* The two pieces at t. */
typedef struct views {
    const peg_view *A, *B;
} views;

static views go(const journey *j, double t)
{
    peg_island *I = j->I;
    return (views){place_at(I, &I->piece[j->pair->a], j->v, t, &I->scratch.view[0]),
                   place_at(I, &I->piece[j->pair->b], j->v, t, &I->scratch.view[1])};
}

static void take_corners(views v, place *p)
{
    memcpy(p->at[0], v.A->vertex, sizeof p->at[0]);
    memcpy(p->at[1], v.B->vertex, sizeof p->at[1]);
}

/* Whether a direction separates two triangles at a pose. */
static int holds_at(const journey *j, const place *p, const double *n)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        least = peg_min(least, peg_dot(n, p->at[0][k]));
        most = peg_max(most, peg_dot(n, p->at[1][k]));
    }
    return least - most >= -j->touch;
}

/* Whether it does at both poses, and thus between. */
static int holds(const journey *j, const place *from, const place *to, const double *n)
{
    return holds_at(j, from, n) && holds_at(j, to, n);
}

/* Whether a direction in the plane of one of the triangles, across an edge of it, separates them.
 * It does for two triangles in nearly one plane, where all facets of their difference point along
 * the normal of that plane, and reverse as one passes the other. */
static int is_held_beside(const journey *j, const place *from, const place *to)
{
    for (int of_b = 0; of_b < 2; of_b++) {
        peg_vec3 side[3];
        peg_triangle_sides((const peg_vec3 *)from->at[of_b], side);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3 && !of_b; i++) side[k][i] = -side[k][i];
            if (peg_dot(side[k], side[k]) > 0 && holds(j, from, to, side[k])) return 1;
        }
    }
    return 0;
}

/* Right-handed axes of a triangle. */
static void axes_of(const peg_vec3 at[3], double R[9])
{
    double side[3];
    peg_sub(at[1], at[0], R);
    peg_sub(at[2], at[0], side);
    peg_cross(R, side, R + 6);
    peg_normalise(R);
    peg_normalise(R + 6);
    peg_cross(R + 6, R, R + 3);
}

/* Rotates a direction as one of the triangles rotates from one pose to the other. */
static void turn_with(const place *from, const place *to, int which, const double *n, double *out)
{
    double before[9], after[9], local[3];
    axes_of(from->at[which], before);
    axes_of(to->at[which], after);
    peg_rotate(before, n, local);
    peg_rotate_back(after, local, out);
}

/* Whether the direction of a pose, rotated with one of the triangles, separates them at the other
 * pose too: triangles that rotate together stay next to each other. */
static int is_held_turning(const journey *j, const place *from, const place *to)
{
    for (int which = 0; which < 2; which++) {
        double n[3];
        turn_with(from, to, which, from->n, n);
        if (peg_dot(n, from->n) > 0.5 && holds_at(j, from, from->n) && holds_at(j, to, n)) return 1;
    }
    return 0;
}

static int is_held(const journey *j, const place *from, const place *to)
{
    double between[3];
    int is_same_side = peg_dot(from->n, to->n) >= -0.5;
    if (is_same_side && (holds(j, from, to, from->n) || holds(j, from, to, to->n))) return 1;
    if (is_same_side && (is_held_turning(j, from, to) || is_held_turning(j, to, from))) return 1;
    for (int k = 0; k < 3; k++) between[k] = from->n[k] + to->n[k];
    return (is_same_side && peg_normalise(between) > 0 && holds(j, from, to, between)) ||
           is_held_beside(j, from, to);
}

/* Places that are looked at on one way until a change of direction counts as a passage: what slides
 * off an edge changes it within the little that it is apart, edges that turn about each other
 * change it all the time. */
enum { LOOKS = 500 };

/* Whether triangles that are apart at two poses may have passed through each other between: their
 * motion reaches their distances, no direction separates them at both poses, nor do directions of
 * poses between. */
static int has_passed(const journey *j, const place *from, const place *to)
{
    double motion = j->motion * (to->t - from->t) + j->touch;
    if (from->s + to->s > motion || is_held(j, from, to)) return 0;
    if (--*j->looks < 0) return 1;
    place middle = {.t = .5 * (from->t + to->t)};
    views v = go(j, middle.t);
    take_corners(v, &middle);
    peg_facet best = peg_separation(v.A, v.B, INFINITY, NULL, NULL);
    peg_copy3(best.n, middle.n);
    middle.s = best.s;
    return middle.s < -j->touch || has_passed(j, from, &middle) || has_passed(j, &middle, to);
}

/* Bound on the distance along n of a piece's points from the chords of their paths: an eighth of
 * the square of the angle, times their distance from the axis of rotation. */
static double sagitta(const journey *j, const peg_piece *piece, const double *n)
{
    const double *w = j->v[piece->rigid] + 3;
    double across[3], turn = peg_norm(w), h = j->I->h;
    if (turn == 0) return 0;
    double off_axis = peg_piece_turning(j->I, piece, j->v[piece->rigid]) / turn;
    peg_cross(w, n, across);
    return (1 + h * turn) * h * turn / 8 * off_axis * h * peg_norm(across);
}

/* Whether a direction that turns from n to n_end separates the pair all the way, by `clear`, or
 * leaves it less deep than counts. On straight paths the separation along a fixed direction is
 * least at one of the ends; along n + t (n_end - n) it is lower between them by at most a quarter
 * of the motion times the turn. Two triangles pass through each other where they are a little deep,
 * whatever they are apart by at the ends. */
static int stays_beside(const journey *j, const double *n, const double *n_end, double depth,
                        double *clear)
{
    const peg_pair *p = j->pair;
    const peg_piece *a = &j->I->piece[p->a], *b = &j->I->piece[p->b];
    double d[3];
    if (peg_dot(n, n_end) < 0) return 0;
    double least = peg_separation_along(&a->start, &b->start, n);
    if (least < -j->touch) return 0;
    views end = go(j, 1);
    least = peg_min(least, peg_separation_along(end.A, end.B, n_end));
    if (least < -j->touch) return 0;
    peg_sub(n_end, n, d);
    double bend = peg_norm(d) * j->motion / 4;
    bend += fmax(sagitta(j, a, n), sagitta(j, a, n_end));
    bend += fmax(sagitta(j, b, n), sagitta(j, b, n_end));
    *clear = least - bend;
    return bend + j->touch <= depth + (are_shells(j->I, p) ? 0 : peg_max(least, 0));
}

/* The widest facet; at the start the search of the first direction may have found it. */
static peg_facet widest_at(const journey *j, views at, int is_start, const double *toward)
{
    const peg_facet *known = &j->pair->widest;
    if (is_start && peg_dot(known->n, known->n) > 0) return *known;
    return peg_widest_facet(at.A, at.B, j->I->settings->narrow_phase, toward);
}

/* The same for the widest directions at both ends. */
static int stays_beside_turning(const journey *j, const double *n, double depth, double *clear)
{
    views end = go(j, 1);
    peg_facet best = peg_widest_facet(end.A, end.B, j->I->settings->narrow_phase, NULL);
    return stays_beside(j, n, best.n, depth, clear);
}

/* Bound on the decrease of the separation along n (unit, from B to A) over the whole motion, m: t v
 * has constant linear velocities and turns no faster than w. */
static double closing_bound(const journey *j, const double n[3])
{
    const peg_piece *a = &j->I->piece[j->pair->a], *b = &j->I->piece[j->pair->b];
    double d[3];
    peg_sub(j->v[a->rigid], j->v[b->rigid], d);
    return j->I->h * peg_max(0, -peg_dot(n, d)) + j->turning;
}

/* Where a stride began, the separation there, m, and the most that it shrinks by in the whole
 * motion if it goes on so, m. */
typedef struct stride {
    double t, s, closing;
} stride;

/* Bound below on the separation since then, where it is s at t and changes by U in the whole motion
 * at most: the line that falls from the one meets the line that rises to the other. */
static double least_between(stride from, double t, double s, double U)
{
    double c = from.closing;
    return (from.s * U + s * c - U * c * (t - from.t)) / (U + c);
}

int peg_strides_are_over(const peg_island *I)
{
    return I->progress.strides >= MOST_STRIDES + (long)STRIDES_OF_A_PAIR * I->npair;
}

peg_passage peg_conservative_advancement(peg_island *I, const peg_pair *p, const peg_vec6 *v,
                                         double depth)
{
    double U = peg_pair_motion(I, p, v);
    peg_passage passage = {0, 0, 1, {0}, p->s0 - U};
    if (!(U > 0) || p->s0 > U) return passage;
    int shells = are_shells(I, p), looks = LOOKS;
    const peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
    const journey j = {.I = I,
                       .pair = p,
                       .v = v,
                       .motion = U,
                       .turning = I->h * (peg_piece_turning(I, a, v[a->rigid]) +
                                          peg_piece_turning(I, b, v[b->rigid])),
                       .touch = fmax(PEG_TOUCH * p->L, SOLVED * U),
                       .looks = &looks};
    if (stays_beside(&j, p->facet.n, p->facet.n, depth, &passage.clear)) return passage;
    double given_up = fmin(0, p->s0) - depth;
    place at = {.t = 0}, before = {.t = 0};
    stride last = {0};
    double clear = 0;
    peg_copy3(p->facet.n, at.n);
    for (int strides = 0;; strides++, I->progress.strides++) {
        I->progress.work += PEG_WORK_OF_STRIDE;
        double apart[3];
        views now = go(&j, at.t);
        if (shells) take_corners(now, &at);
        peg_sub(now.A->centre, now.B->centre, apart);
        at.s = peg_normalise(apart) - now.A->shape->radius - now.B->shape->radius;
        int are_balls_apart = at.s > 0;
        if (!are_balls_apart) at.s = peg_separation_along(now.A, now.B, at.n);
        if (at.s < PEG_STRIDE * p->width) { /* too close to have a direction */
            peg_facet best = widest_at(&j, now, strides == 0, at.n);
            peg_copy3(best.n, at.n);
            at.s = best.s;
            if (strides == 0 && stays_beside(&j, at.n, at.n, depth, &passage.clear)) return passage;
            are_balls_apart = 0;
        }
        const double *n = are_balls_apart ? apart : at.n;
        double closing = closing_bound(&j, n);
        int is_far = at.s >= closing * (1 - at.t);
        if (strides == 0 && !is_far && stays_beside_turning(&j, n, depth, &passage.clear))
            return passage;
        clear = strides ? peg_min(clear, least_between(last, at.t, at.s, U)) : at.s;
        int apart_now = at.s >= -j.touch;
        int passed = shells && strides && apart_now && has_passed(&j, &before, &at);
        passage.hit = at.s < given_up || (peg_strides_are_over(I) && !is_far) || passed;
        if (!apart_now || !passage.hit || passed) passage.deep = at.t;
        if (strides == 0 || (apart_now && !passage.hit)) {
            passage.apart = at.t;
            before = at;
        }
        peg_copy3(before.n, passage.n);
        passage.clear = passage.hit ? -INFINITY : clear;
        if (passage.hit || at.t >= 1) return passage;
        last = (stride){at.t, at.s, shells ? U : closing};
        at.t = fmin(1, at.t + fmax(at.s, PEG_STRIDE * p->width) / last.closing);
    }
}

/* A body of a pair at the share t of its motion v. */
typedef struct stop {
    double x[3], R[9], v[6];
} stop;

static peg_placement place_stop(peg_island *I, int piece, const peg_vec6 *v, double t, stop *at,
                                peg_view *view)
{
    const peg_piece *p = &I->piece[piece];
    for (int k = 0; k < 6; k++) at->v[k] = t * v[p->rigid][k];
    peg_rigid_pose(&I->rigid[p->rigid], at->v, I->h, at->x, at->R);
    view->shape = p->part->shape;
    peg_piece_place(p, at->x, at->R, view);
    return (peg_placement){&p->start, view, at->x, at->R, at->v, p->rigid};
}

/* First contacts closer in t than this are the same: the rows of the first one did not resolve it.
 */
#define SAME_TIME 1e-3

/* First contacts of a pair whose rows are kept in an attempt; older ones belong to other motions.
 * With all of them thirty crossing needles had 52 782 rows. */
enum { KEPT_CONTACTS = 6 };

/* Removes outdated rows from a set, from `from` on: all of their pairs, or those of `first` before
 * the pair's last first contact. Returns whether one of them was loaded. */
static int remove_rows(const peg_island *I, peg_row_set *set, int from, int first)
{
    int to = from, loaded = 0;
    for (int i = from; i < set->m; i++) {
        const peg_row *row = &set->row[i];
        int outdated = I->pair[row->pair].tried.outdated;
        if (first ? i < outdated : outdated > 0)
            loaded |= row->lambda_motion != 0 || row->lambda_restored != 0;
        else if (to++ != i)
            set->row[to - 1] = *row;
    }
    set->m = to;
    return loaded;
}

/* The rows of the last solve end with those of its first contacts, in their order. */
void peg_remove_first_contacts(peg_island *I)
{
    int any = 0;
    for (int i = 0; i < I->npair; i++) any |= I->pair[i].tried.outdated > 0;
    if (!any) return;
    remove_rows(I, &I->first, 0, 1);
    if (I->rows.m > I->rows.patches && remove_rows(I, &I->rows, I->rows.patches, 0))
        I->before.has_motion = I->before.is_restored = 0;
    for (int i = 0; i < I->npair; i++) I->pair[i].tried.outdated = 0;
}

void peg_first_contact(peg_island *I, int pair, const peg_passage *passage, const peg_vec6 *v)
{
    peg_pair *p = &I->pair[pair];
    int again = fabs(passage->apart - p->contact_time) < SAME_TIME;
    int swings_through = again && peg_has_rule(I, PEG_RULE_SWING);
    double t = swings_through ? passage->deep : passage->apart;
    stop stop_a, stop_b;
    peg_pair_pose at = {place_stop(I, p->a, v, t, &stop_a, &I->scratch.view[0]),
                        place_stop(I, p->b, v, t, &stop_b, &I->scratch.view[1])};
    p->others = p->beside = INFINITY;
    p->checked = 0;
    p->contact_time = passage->apart;
    if (p->tried.met++ >= KEPT_CONTACTS) p->tried.outdated = I->first.m, p->tried.met = 0;
    int from = I->first.m;
    if (swings_through && are_shells(I, p)) {
        p->facet = (peg_facet){.kind = PEG_FEATURES_NONE};
        peg_copy3(passage->n, p->facet.n);
        peg_support_row(I, pair, &at, &I->first);
    } else {
        p->facet = peg_widest_facet(at.a.now, at.b.now, I->settings->narrow_phase, p->facet.n);
        if (!peg_patch_rows(I, pair, &at, &I->first)) peg_facet_rows(I, pair, &at, 0.5, &I->first);
    }
    for (int i = from; i < I->first.m; i++) {
        peg_row *row = &I->first.row[i];
        row->first_contact = 1;
        if (swings_through && t > 0 && !row->friction)
            row->bias = (row->bias - row->prescribed) / t + row->prescribed;
    }
    I->stats->first_contact++;
}
