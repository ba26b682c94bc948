/* The step of an island that moves:
 *
 *     separations of all pairs at q_0, patches of those in reach     wide_pieces.c, wide_contacts.c
 *     velocities about v_f with friction                             wide_velocities.c
 *         of many bodies by PGS                                      lcp/wide_pgs.c
 *             where joints hold them together                        lcp/wide_joined.c
 *         of few to the certificate, with their joints               wide_lcp.c
 *     poses; separations of all pairs that could have met            wide_pieces.c
 *     positions: rows without friction of violated pairs and those
 *     around them at the poses themselves, until all are apart       wide_positions.c
 *     energy that this gained is taken from the velocities           island/energy.c
 *
 * Boxes and half-spaces are searched in lanes (collide/box_box.c, contact/patch_box.c), other
 * polytopes by the facet of the step before (contact/patch_facet.c); pairs of other parts as by the
 * other attempts (contact/disjunction.c, contact/patch.c). PGS takes eight patches at a time.
 *
 * Rows hold the gap that they start with, so that v = 0 satisfies them, unless obstacles or
 * surfaces move, or springs push. What moves the poses apart is no part of the motion. Small
 * islands keep gaps of a margin and gain no energy; where pairs meet without a contact at q_0 the
 * velocities are found anew with more rows of these, if they have joints; else other attempts
 * follow. What starts flush, or would land on an edge that it falls past, is left to other
 * attempts. */
#include "peg/island/joint_correction.h"
#include "peg/island/wide_attempt.h"

#include "peg/base/clock.h"
#include "peg/contact/friction.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/island/wide_state.h"

/* Share of how far the pair could close within which features make rows; of held pairs, and of
 * those of small jointed islands that met without a contact, it is 1.
 * With 1 for all pairs of joined islands too, errors of the joints of chains with mu infinite,
 * which the next steps correct, make 4 and 9 times the energy at h .02 and .04. */
static const double CLOSING = 0.1;

/* --- what it is for --- */

/* Also sets what surfaces do. */
static int suits(peg_wide *w)
{
    const peg_island *I = w->I;
    if (I->common.planar || I->common.capture || I->common.disabled_rules) return 0;
    const peg_surface *last = NULL;
    w->is_driven = peg_has_moving_obstacle(I);
    for (int i = 0; i < I->npair; i++) {
        const peg_surface *surface = I->pair[i].surface;
        if (I->pair[i].nexternal) return 0;
        if (surface == last) continue;
        int furthers = peg_wide_count_furthers(I, surface);
        if (furthers && I->joints.n) return 0;
        w->furthers = furthers > w->furthers ? furthers : w->furthers;
        w->bounces |= surface->bounce > 0;
        for (int k = 0; k < 3; k++) w->is_driven |= surface->motion[k] != 0;
        w->is_driven |= surface->soft;
        last = surface;
    }
    return 1;
}

/* The root of a mass that has none: 0. */
static void begin_bodies(void *data, int begin, int end)
{
    const peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        if (i >= w->I->nd) {
            memcpy(w->free[i], w->I->v[i], sizeof w->free[i]);
            continue;
        }
        memcpy(w->free[i], w->I->rigid[i].state.v_free, sizeof w->free[i]);
        if (!peg_mass_root_of(&w->I->mass[i], &w->root[i])) w->root[i].linear = 0;
    }
}

static int begin(peg_wide *w)
{
    peg_island *I = w->I;
    double sum = 0, mass = 0;
    w->root = PEG_NEW(I->arena, peg_mass_root, I->nd);
    w->free = PEG_NEW(I->arena, peg_vec6, I->nr);
    w->number = PEG_NEW(I->arena, int, I->nr);
    w->list = PEG_NEW(I->arena, int, I->npair);
    w->checked = PEG_NEW(I->arena, unsigned char, I->npair);
    w->unchecked = PEG_NEW(I->arena, int, I->npair);
    w->violated = PEG_NEW(I->arena, int, I->npair);
    w->held = PEG_NEW(I->arena, unsigned char, I->npair);
    w->met = PEG_NEW(I->arena, unsigned char, I->npair);
    w->side = PEG_NEW(I->arena, peg_vec3, I->npair);
    if (I->arena->failed || !peg_wide_start_pieces(w)) return 0;
    memset(w->held, 0, (size_t)I->npair);
    memset(w->met, 0, (size_t)I->npair);
    peg_pool_loop(I->pool, begin_bodies, w, I->nr);
    for (int i = 0; i < I->nd; i++) {
        if (!(w->root[i].linear > 0)) return 0;
        sum += I->rigid[i].free_square;
        mass += I->rigid[i].state.mass;
    }
    w->speed = sqrt(sum / mass);
    int is_fine = w->is_small || (!w->is_coarse && !(I->forms & PEG_FORM_ACTIVE));
    w->gap = is_fine ? 1 : PEG_COARSE_GAP;
    w->margin = INFINITY;
    for (int i = 0; i < I->npair; i++) w->margin = peg_min(w->margin, w->pair[i].margin);
    return 1;
}

static void take_facet(peg_pair *p, peg_wide_pair *pair)
{
    p->facet = *p->start_facet;
    pair->s0 = pair->s = p->facet.s;
    p->others = INFINITY;
    p->turned = 0;
}

static void start_pairs(void *data, int begin, int end)
{
    peg_wide *w = data;
    for (int i = begin; i < end; i++) {
        peg_pair *p = &w->I->pair[i];
        peg_wide_pair *pair = &w->pair[i];
        /* that the pair could close in the free motion, m */
        double closing = peg_wide_motion(w, pair, (const peg_vec6 *)w->free);
        p->reach = pair->reach =
            PEG_NEAR * pair->L + (w->held[i] || w->met[i] ? 1 : CLOSING) * closing;
        if (w->held[i] && w->search[i] != PEG_WIDE_VIEWS) continue;
        if (p->start_axis)
            w->axis[i] = *p->start_axis, pair->s = p->start_axis->s;
        else if (p->start_facet)
            take_facet(p, pair);
    }
}

/* Returns 0 where something overlaps, or is flush in a small island. */
static int separate_start(peg_wide *w)
{
    peg_island *I = w->I;
    int n = 0;
    peg_wide_find_turning(w, (const peg_vec6 *)w->free);
    peg_pool_loop(I->pool, start_pairs, w, I->npair);
    for (int i = 0; i < I->npair; i++)
        if (!w->pair[i].has_start) w->list[n++] = i;
    peg_wide_separate(w, PEG_WIDE_START, w->list, n, PEG_EDGE_BIAS);
    n = 0;
    for (int i = 0; i < I->npair; i++)
        if (w->held[i] && w->search[i] != PEG_WIDE_VIEWS) w->list[n++] = i;
    peg_wide_separate(w, PEG_WIDE_START, w->list, n, 0);
    for (int i = 0; i < I->npair; i++) {
        peg_wide_pair *p = &w->pair[i];
        if (w->search[i] != PEG_WIDE_VIEWS) p->s0 = p->s;
        I->pair[i].s0 = p->s0;
        if (!p->is_soft && p->s0 < (w->is_small ? peg_wide_floor(p) : -PEG_TOUCH * p->L)) return 0;
    }
    peg_friction_limits(I);
    return !I->failed;
}

/* --- results --- */

/* Separations, and the directions of this step, none of them a facet that was searched for. */
static void keep_pairs(void *data, int begin, int end)
{
    const peg_wide *w = data;
    const peg_island *I = w->I;
    for (int i = begin; i < end; i++) {
        peg_pair *p = &I->pair[i];
        int search = w->search[i];
        p->s0 = w->pair[i].s0, p->s = w->pair[i].s;
        if (!peg_wide_in_lanes(search)) continue;
        p->facet = (peg_facet){.kind = PEG_FEATURES_NONE, .s = p->s};
        p->others = INFINITY;
        if (search == PEG_WIDE_BOXES) {
            peg_box_axis_direction(&w->box[PEG_WIDE_NOW][p->a], &w->box[PEG_WIDE_NOW][p->b],
                                   &w->axis[i], p->facet.n);
            continue;
        }
        int into_a = search == PEG_WIDE_PLANE_B;
        const double *n = I->piece[into_a ? p->b : p->a].now.normal[0];
        for (int k = 0; k < 3; k++) p->facet.n[k] = into_a ? n[k] : -n[k];
    }
}

typedef enum outcome { FOUND, HELD, ENDS } outcome;

/* Pairs of a small island with joints that met without a contact have rows for all that they could
 * close from now on: without it chains of 10 links with mu infinite take 1.2 times the
 * instructions. Bodies without joints turn too freely for rows of q_0 from so far: with them 1.7
 * instead of 1.1 % of the contacts of pours of mixed bodies have parted by 5 mm at the end of the
 * step. Returns how many. */
static int take_met(peg_wide *w)
{
    int n = 0;
    for (int k = 0; k < w->violations; k++) {
        int i = w->violated[k];
        if (w->met[i] || !(w->pair[i].s0 > w->pair[i].reach)) continue;
        w->met[i] = 1;
        n++;
    }
    return n;
}

/* Moves the poses apart. Islands of fewer than 30 bodies have other attempts for what meets deeply.
 * Returns HELD where pairs have more rows from now on, for which other velocities are wanted;
 * without those, at the last attempt of many bodies, such pairs are moved apart, too. */
static outcome part(peg_wide *w, int is_last)
{
    int is_first = w->reserve == PEG_RESERVE_WHOLE, fresh;
    peg_wide_check(w);
    if (w->is_small && w->I->joints.n && take_met(w)) return HELD;
    if (w->violations && is_first && !is_last && !w->is_small) {
        int met = peg_wide_hold_meetings(w);
        peg_wide_hold_passes(w, &fresh);
        if (met + fresh) return HELD;
    }
    while (peg_wide_find_positions(w)) {
        if (!peg_wide_hold_passes(w, &fresh)) return FOUND;
        if (!fresh) return ENDS;
        if (!is_last || w->is_small) return HELD;
        peg_wide_check(w);
    }
    return ENDS;
}

/* What a shorter motion of fewer than 30 bodies, or of very unequal masses, may leave, relative to
 * the usual change: as PGS may. Without it impulses of a falling tower of 20 boxes are 1.4 % off
 * their momentum. */
static const double FEW_LEFT = 1e-3;

/* Shortens the motion. Returns 0 if that leaves too much. */
static int shorten(const peg_wide *w)
{
    double left = peg_shorten_motion(w->I, 1);
    peg_note_left(w->I, left);
    return (w->is_coarse && !w->I->is_uneven) || left <= FEW_LEFT * peg_usual_change(w->I);
}

/* Poses for which the motion has the energy: near rest it has none to lift what is above a gap, nor
 * for what the last digits of impulses as large as the weights do. Of small islands no velocity is
 * scaled: the impulses tell what has changed them; nor of few bodies of very unequal masses, the
 * light ones of which it would stop. */
static outcome find_poses(peg_wide *w, int is_last)
{
    peg_island *I = w->I;
    int may_scale = !w->is_small && (w->is_coarse || !I->is_uneven),
        may_shorten = may_scale && !w->is_driven;
    peg_reserve reserves = may_shorten ? PEG_RESERVES : PEG_RESERVE_SHORTER;
    for (w->reserve = PEG_RESERVE_WHOLE; w->reserve < reserves; w->reserve++) {
        if (w->reserve == PEG_RESERVE_SHORTER && !shorten(w)) return ENDS;
        memcpy(I->v, I->v_motion, (size_t)I->nd * sizeof *I->v);
        outcome parted = part(w, is_last);
        if (parted != FOUND) return parted;
        double share = w->is_coarse && w->reserve == reserves - 1 ? 1 : PEG_TAKEN_BACK;
        if (peg_energy_gained(I) <= 0 || (may_scale && peg_return_energy(I, share))) return FOUND;
    }
    return ENDS;
}

/* Velocities and poses, again with more pairs held, so many times: of a pile of 1000 boxes that
 * fall at h .1 up to 300 meet in a step, 5 to 30 more by what these change, and so on. */
enum { REPEATS = 5 };

static int find_motion(peg_wide *w)
{
    pegStats *stats = w->I->stats;
    double then = peg_seconds();
    outcome found = HELD;
    int repeats = w->is_small ? 1 : REPEATS;
    for (int k = 0; k <= repeats && found == HELD; k++) {
        int ok = separate_start(w) && peg_wide_find_velocities(w) && peg_wide_take_loads(w);
        peg_lap(&then, &stats->time_solve);
        if (!ok) return 0;
        found = find_poses(w, k == repeats);
        peg_lap(&then, &stats->time_check);
    }
    return found == FOUND;
}

int peg_stops_unconverged(const peg_island *I)
{
    return I->result.residual > PEG_UNCONVERGED && peg_is_slow(I, (const peg_vec6 *)I->v, 0);
}

/* For the end velocities. */
static int make_rows(peg_wide *w)
{
    peg_wide_place_other_views(w);
    return peg_loaded_to_rows(w->I);
}

static int step(peg_wide *w, int may_stop)
{
    peg_island *I = w->I;
    I->mode = PEG_MODE_PGS_COARSE;
    I->forms &= PEG_FORMS_OF_POLICY;
    if (!begin(w) || !find_motion(w) || (!may_stop && peg_stops_unconverged(I)) ||
        peg_joints_keep_errors(I))
        return 0;
    peg_wide_find_end_gaps(w);
    if (w->bounces && !make_rows(w)) return 0;
    peg_pool_loop(I->pool, keep_pairs, w, I->npair);
    I->stats->outer_iterations++;
    I->stats->wide_islands++;
    return 1;
}

static void copy_impulses(int n, const double *from, double *to)
{
    for (int k = 0; k < n; k++) to[k] = from[k];
}

int peg_wide_attempt(peg_island *I, int may_stop, int by_pgs)
{
    peg_wide w = {.I = I,
                  .is_small = peg_is_small(I) && !by_pgs,
                  .is_coarse = I->nd >= PEG_COARSE_FROM || by_pgs};
    peg_arena_mark mark = peg_arena_here(I->arena);
    if (!suits(&w)) return 0;
    double *joints = PEG_NEW(I->arena, double, I->joints.n);
    if (joints) copy_impulses(I->joints.n, I->joints.lambda, joints);
    if (joints && step(&w, may_stop)) return 1;
    if (joints) copy_impulses(I->joints.n, joints, I->joints.lambda);
    for (int i = 0; i < I->nr; i++) I->rigid[i].placed = 0;
    I->failed |= I->arena->failed;
    I->impulse = (peg_row_set){0};
    I->loads = 0;
    peg_arena_back(I->arena, mark);
    return 0;
}
