/* The outer loop of a step: rows at the iterate, solve, re-pose, check with the exact separation,
 * change the alternatives that were wrong; then restoration, until every pair is apart.
 *
 * Fixed points of the plain iteration minimise |v - v_f|_M over the rows of the final poses. It
 * converges linearly, so once nothing switches any more the last correction is made about the
 * iterate (restoration), which converges like Newton's method. */
#include "peg/island/outer_loop.h"

#include "peg/base/arena.h"
#include "peg/base/clock.h"
#include "peg/collide/separation.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/patch.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/solve.h"
#include "peg/lcp/gauss_seidel.h"

typedef struct loop {
    int k;
    int settled_from; /* iteration after the last change of an alternative or of the mode */
    int anew;         /* sweeps: solve about v_f, and then restore at once */
    int switched;     /* iterations in which a pair switched */
    int restoring;
    double objective;
    double shortfall; /* largest of floor - s over the pairs, m; <= 0: all apart */
    int passed;       /* a pair had a first contact on the way */
    int hopeless;     /* ends with a violation that was not asked for, or with a gain of energy */
} loop;

static void add_first_contact(peg_island *I, int p, double depth, loop *l)
{
    peg_passage passage =
        peg_conservative_advancement(I, &I->pair[p], (const peg_vec6 *)I->v, depth);
    I->pair[p].has_first_contact = passage.hit;
    if (!passage.hit) return;
    peg_first_contact(I, p, &passage, (const peg_vec6 *)I->v);
    l->passed = 1;
}

static int is_fast(const peg_island *I, const peg_pair *p)
{
    if (I->disabled_rules & PEG_RULE_FIRST_CONTACT) return 0;
    return peg_pair_is_fast(I, p, (const peg_vec6 *)I->v);
}

/* Where many bodies tumble, most rows as far as the bodies could get would bear nothing. What comes
 * closer than was thought, the check of the poses will find. */
static double reach_of(const peg_island *I, const peg_pair *p)
{
    double near = fmin(PEG_NEAR * p->L, p->whole_reach);
    return peg_is_coarse(I) ? near + PEG_CLOSING * (p->whole_reach - near) : p->whole_reach;
}

static void find_touched(peg_island *I)
{
    memset(I->touched, 0, (size_t)I->nr);
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        if (p->s0 > p->margin) continue;
        I->touched[I->piece[p->a].rigid] = I->touched[I->piece[p->b].rigid] = 1;
    }
}

/* Whether a moving body of the pair touches something else than the other one. */
static int is_touched(const peg_island *I, const peg_pair *p)
{
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    return p->s0 > p->margin && ((a < I->nd && I->touched[a]) || (b < I->nd && I->touched[b]));
}

void peg_island_begin(peg_island *I)
{
    loop ignored = {0};
    for (int i = 0; i < I->npair; i++) {
        I->pair[i].reach = reach_of(I, &I->pair[i]);
        peg_pair_begin(I, &I->pair[i]);
    }
    I->rows.m = I->last.m = I->first.m = I->impulse.m = 0;
    I->rows.patches = I->last.patches = 0;
    I->has_motion = I->last_restored = 0;
    I->secant = I->clearance = I->elastic = I->friction_compliant = I->recovering = 0;
    I->grows_gaps = peg_is_coarse(I) && I->active;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (!peg_pair_recovers(p)) continue;
        I->recovering = 1;
        p->violated = 1; /* however deep: the facet's own rows */
    }
    /* the free motion first: what it would pass through makes its rows there; but not of what
     * something holds, which will not move so */
    for (int i = 0; i < I->nd; i++) memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
    find_touched(I);
    int exact = I->settings->contact == PEG_CONTACT_PEG;
    for (int i = 0; i < I->npair && exact; i++)
        if (!is_touched(I, &I->pair[i]) && is_fast(I, &I->pair[i]))
            add_first_contact(I, i, PEG_HIT_DEPTH * I->pair[i].width, &ignored);
    memset(I->v, 0, (size_t)I->nd * sizeof *I->v);
    peg_island_move(I);
}

/* --- rows of an iteration --- */

static int is_wrong(const peg_pair *p)
{
    return p->shortfall > 0 || p->has_first_contact || p->friction_pending ||
           p->moved_since_rows == INFINITY;
}

static void mark_dirty(peg_island *I, const peg_pair *p)
{
    I->dirty[I->piece[p->a].rigid] = I->dirty[I->piece[p->b].rigid] = 1;
}

/* Features lie at least s apart, along a normal within PEG_FACING of n. */
static int is_out_of_reach(const peg_pair *p)
{
    return !p->violated && PEG_FACING * p->s > p->reach;
}

/* Whether the pair could bear now, or rows be wrong by as much as it is apart: they are linear in
 * what moves by a share of L. */
static int is_near(const peg_pair *p)
{
    return p->s <= 2 * p->margin + p->moved_since_rows * p->moved_since_rows / p->L;
}

/* Where the answer is to be exact only rows stay that bear nothing and could not; where it is long
 * in coming, none. */
static int must_be_exact(const peg_island *I, const peg_pair *p)
{
    return I->iteration >= PEG_PATIENCE || p->active || is_near(p) || is_out_of_reach(p);
}

/* Rows of a pair stay as they are until something is wrong with it, or while it bears nothing, or
 * while its bodies have hardly moved since they were made or (anew) the answer that they led to is
 * not restored: what that leaves out, the check of the poses will find. Rows of one pair lie
 * together in the set, in the order of the pairs. */
static int keep_rows(peg_island *I, int p, int anew, int *from)
{
    const peg_row_set *last = &I->last;
    const peg_pair *pair = &I->pair[p];
    int dirty = I->dirty[I->piece[pair->a].rigid] || I->dirty[I->piece[pair->b].rigid];
    while (*from < last->patches && last->row[*from].pair < p) ++*from;
    if (last->m == 0 || is_wrong(pair)) return 0;
    if (!I->iterative && must_be_exact(I, pair)) return 0;
    if (!anew && dirty && pair->active && pair->moved_since_rows > PEG_ROW_REUSE * pair->L)
        return 0;
    int begin = *from;
    while (*from < last->patches && last->row[*from].pair == p) ++*from;
    peg_rows_append(I, &I->rows, last, begin, *from);
    return 1;
}

/* The rows of first contacts stay for the step, and with sweeps their impulses too. */
static void append_first_contacts(peg_island *I)
{
    const peg_row_set *last = &I->last;
    int old = last->patches;
    I->rows.patches = I->rows.m;
    for (int i = 0, end; i < I->first.m; i = end) {
        const peg_row *row = &I->first.row[i];
        const peg_pair *p = &I->pair[row->pair];
        end = peg_next_normal(&I->first, i);
        if (p->no_traps && row->gap0 < -PEG_BEHIND * p->L) continue;
        int begin = I->rows.m;
        peg_rows_append(I, &I->rows, &I->first, i, end);
        if (I->failed || !I->iterative) continue;
        if (old >= last->m) mark_dirty(I, p);
        for (int k = begin; k < I->rows.m && old < last->m; k++, old++) {
            I->rows.row[k].lambda_motion = last->row[old].lambda_motion;
            I->rows.row[k].lambda_restored = last->row[old].lambda_restored;
        }
    }
}

/* How far points of one part have moved towards the other between the last two iterates, at most.
 */
static double moved_on(const peg_island *I, const peg_pair *p)
{
    double shift[3];
    const peg_piece *a = &I->piece[p->a], *b = &I->piece[p->b];
    const peg_rigid *ra = &I->rigid[a->rigid], *rb = &I->rigid[b->rigid];
    peg_sub(ra->shift, rb->shift, shift);
    return peg_norm(shift) + ra->turn * a->arm + rb->turn * b->arm;
}

/* Rows of a pair at the iterate. */
static void make_rows(peg_island *I, int p)
{
    peg_pair *pair = &I->pair[p];
    peg_pair_pose at = peg_pair_pose_now(I, pair);
    int begin = I->rows.m;
    pair->moved_since_rows = 0;
    if (is_out_of_reach(pair)) return;
    peg_patch_rows(I, p, &at, &I->rows);
    if (pair->violated && !(I->disabled_rules & PEG_RULE_FACET_ROWS)) {
        if (pair->facet.kind == PEG_FEATURES_NONE) peg_pair_choose_facet(I, pair);
        /* what overlaps opens along its facet even where its features do not meet */
        peg_facet_rows(I, p, &at, peg_pair_recovers(pair) ? INFINITY : PEG_LATERAL, &I->rows);
    }
    if (!I->iterative || I->rows.m == begin) return;
    I->rows.row[begin].swept = peg_pgs_cache_create(I->arena, I->rows.m - begin);
    if (!I->rows.row[begin].swept) I->failed = 1;
}

static void gather_rows(peg_island *I, int anew)
{
    peg_row_set before = I->rows;
    I->rows = I->last;
    I->last = before;
    I->rows.m = 0;
    memset(I->dirty, 0, (size_t)I->nr);
    for (int p = 0; p < I->npair; p++)
        if (is_wrong(&I->pair[p]) || peg_pair_recovers(&I->pair[p])) mark_dirty(I, &I->pair[p]);
    int from = 0;
    for (int p = 0; p < I->npair; p++) {
        I->pair[p].rows_kept = keep_rows(I, p, anew, &from);
        if (I->pair[p].rows_kept) continue;
        make_rows(I, p);
        if (!anew) I->has_motion = 0;
    }
    append_first_contacts(I);
}

/* --- what follows a solve --- */

/* Bodies that turn far while overlaps open close others: the opening is then shortened as a whole,
 * which leaves rows that hold before and after it as they are. */
static void shorten_opening(peg_island *I)
{
    double turn = 0;
    for (int i = 0; i < I->nd; i++) {
        double change[3];
        peg_sub(I->v[i] + 3, I->v_motion[i] + 3, change);
        turn = fmax(turn, I->h * peg_norm(change));
    }
    if (turn <= PEG_OPENING_TURN) return;
    double share = PEG_OPENING_TURN / turn;
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++)
            I->v[i][k] = I->v_motion[i][k] + share * (I->v[i][k] - I->v_motion[i][k]);
}

/* Whether the last check of a pair still holds. Of what overlaps more is let pass later on. */
static int is_checked(const peg_island *I, const peg_pair *p)
{
    return p->checked > p->active && !peg_pair_recovers(p) &&
           !I->rigid[I->piece[p->a].rigid].moved && !I->rigid[I->piece[p->b].rigid].moved;
}

/* Takes note that the pair has moved since it was checked last; returns whether it is as far apart
 * as it must be all the same, and not far from where it was checked. Fast pairs are looked at
 * anyway, and those whose rows will be made anew. */
static int stays_apart(const peg_island *I, peg_pair *p)
{
    double moved = moved_on(I, p), floor = PEG_FLOOR * p->margin;
    p->moved_since_rows += moved;
    p->moved_since_tilt += moved;
    p->moved_since_check += moved;
    if (I->recovering || p->nexternal || p->checked <= p->active || p->has_first_contact || p->fast)
        return 0;
    if (p->moved_since_check > PEG_ROW_REUSE * p->L ||
        (p->active && p->moved_since_rows > PEG_ROW_REUSE * p->L))
        return 0;
    if (!(p->s - moved >= floor)) return 0;
    p->s -= moved;
    p->shortfall = floor - p->s;
    return 1;
}

static void check_pair(peg_island *I, peg_pair *p, int may_tilt)
{
    double along = peg_separation_along(&I->piece[p->a].now, &I->piece[p->b].now, p->facet.n);
    peg_facet widest = {.kind = PEG_FEATURES_NONE};
    if (may_tilt && (p->active || along < PEG_FLOOR * p->margin))
        widest = peg_pair_tilt(I, p, along);
    p->shortfall = peg_pair_shortfall(I, p, &widest);
    p->checked = 1 + p->active;
    p->moved_since_check = 0;
}

/* Of many that overlap some can open only when others have done so: later on, what they become
 * deeper is let pass where all together open. */
static void check_pairs(peg_island *I, loop *l, int may_tilt)
{
    double opened = 0, deepened = -INFINITY;
    l->shortfall = -INFINITY;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        int recovers = peg_pair_recovers(p);
        double *shortfall = recovers ? &deepened : &l->shortfall;
        p->rechecked = !is_checked(I, p) && !stays_apart(I, p);
        if (p->rechecked) check_pair(I, p, may_tilt);
        if (p->shortfall > 0) {
            p->violated = 1;
            p->stuck = ++p->failed_checks >= PEG_STUCK;
        }
        if (p->shortfall > *shortfall) *shortfall = p->shortfall;
        if (recovers) opened += fmin(p->s, 0) - p->s0;
    }
    if (deepened > l->shortfall && (I->iteration < PEG_RECOVERY_FREE_FROM || opened <= 0))
        l->shortfall = deepened;
}

static void seek_first_contacts(peg_island *I, loop *l)
{
    l->passed = 0;
    int violated = l->shortfall > 0 && !(I->disabled_rules & PEG_RULE_CAUSE);
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (violated && l->k >= PEG_CAUSE_FROM && p->s0 >= 0 && p->causes < PEG_CAUSE_TIMES &&
            p->s < 0) {
            p->causes++;
            add_first_contact(I, i, PEG_HIT_DEPTH_SLOW * p->width, l);
        } else if (p->rechecked || p->has_first_contact) {
            p->fast = is_fast(I, p);
            if (p->fast) add_first_contact(I, i, PEG_HIT_DEPTH * p->width, l);
        }
    }
}

static int switch_pairs(peg_island *I, loop *l)
{
    int switched = 0;
    if (l->restoring || l->switched >= PEG_SWITCHES_STEP || (I->disabled_rules & PEG_RULE_SWITCH))
        return 0;
    for (int i = 0; i < I->npair; i++) {
        peg_pair *p = &I->pair[i];
        if (!p->rechecked || !p->active || p->switches >= PEG_SWITCHES_PAIR) continue;
        if (!peg_pair_switch(I, p)) continue;
        p->moved_since_rows = INFINITY;
        switched++;
    }
    if (switched) l->switched++;
    return switched;
}

/* A loaded row whose features had passed each other at the start: it pushes the body through. Rows
 * of first contact are right as they are, until the step is found to gain energy. */
static int row_is_behind(const peg_island *I, const peg_row *row)
{
    const peg_pair *p = &I->pair[row->pair];
    if (row->friction || !(row->lambda > 0 || row->lambda_motion > 0) ||
        (row->first_contact && !I->secant))
        return 0;
    return p->s0 >= -PEG_TOUCH * p->L && row->gap0 < -PEG_BEHIND * p->L;
}

static int lock_pairs(peg_island *I)
{
    int locked = 0;
    for (int i = 0; i < I->rows.m; i++) {
        peg_pair *p = &I->pair[I->rows.row[i].pair];
        if (p->locked || (I->disabled_rules & PEG_RULE_LOCK) || !row_is_behind(I, &I->rows.row[i]))
            continue;
        peg_pair_lock(I, p);
        p->moved_since_rows = INFINITY;
        locked++;
    }
    return locked;
}

static int drop_traps(peg_island *I)
{
    int dropped = 0;
    for (int i = 0; i < I->rows.m; i++) {
        peg_pair *p = &I->pair[I->rows.row[i].pair];
        if (p->no_traps || (I->disabled_rules & PEG_RULE_DROP) ||
            !row_is_behind(I, &I->rows.row[i]))
            continue;
        peg_pair_drop_traps(I, p);
        dropped++;
    }
    return dropped;
}

/* A new start of the iteration after a change of alternatives or mode. */
static void restart(peg_island *I, loop *l)
{
    l->restoring = 0;
    l->anew = 1;
    l->settled_from = l->k + 1;
    l->objective = -1;
    I->rows.m = I->last.m = 0;
    I->rows.patches = I->last.patches = 0;
    I->has_motion = I->last_restored = 0;
}

static int sticks_without_limit(const peg_island *I)
{
    for (int i = 0; i < I->rows.m; i++)
        if (I->rows.row[i].friction && isinf(peg_row_limit(I, i))) return 1;
    return 0;
}

/* The problem has no solution: the next mode in which it may have one. Several contacts of a body
 * that stick without limit contradict each other by what it turns in the step. */
static int relax_problem(peg_island *I, loop *l)
{
    if (!I->friction_compliant && !(I->disabled_rules & PEG_RULE_SLIP) && sticks_without_limit(I)) {
        I->friction_compliant = 1;
    } else if (!I->clearance && !(I->disabled_rules & PEG_RULE_CLEARANCE)) {
        I->clearance = 1;
        I->stats->fallback_clearance++;
    } else if (!I->secant) {
        I->secant = 1;
        I->stats->secant++;
    } else if (!I->elastic && !(I->disabled_rules & PEG_RULE_ELASTIC)) {
        I->elastic = 1;
        I->stats->fallback_elastic++;
    } else {
        return 0;
    }
    restart(I, l);
    return 1;
}

/* Energy that contact added beyond rounding, beyond the work that thin gaps were granted and beyond
 * what moving obstacles put in, J. */
static double gained_energy(const peg_island *I)
{
    if (I->recovering) return 0;
    double granted = PEG_GAIN * I->energy_unit, pushed = 0;
    for (int i = 0; i < I->impulse.m; i++) {
        const peg_row *row = &I->impulse.row[i];
        double driven = row->friction ? fabs(row->prescribed) : fmax(0, -row->prescribed);
        double rounding = PEG_ROUNDING * I->pair[row->pair].L / I->h;
        pushed += fabs(row->lambda) * row->gap_growth / I->h;
        granted += fabs(row->lambda) * (driven + rounding);
    }
    if (!I->grows_gaps)
        granted += peg_is_coarse(I) ? fmin(pushed, PEG_GAP_WORK * I->energy_unit) : pushed;
    return peg_island_gain_with(I, peg_is_coarse(I) ? (const peg_vec6 *)I->v_motion
                                                    : (const peg_vec6 *)I->v) -
           granted;
}

static int gains_energy(const peg_island *I)
{
    return gained_energy(I) > 0;
}

static void scale(peg_vec6 *v, int n, double factor)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) v[i][k] *= factor;
}

/* What a coarse answer gains by being inexact is taken back from all velocities after the step
 * alike, but for what they have in common, if it is at most this share of their energy; the poses
 * stay as they are. */
static int take_back(peg_island *I, double share)
{
    double energy = 0, common[3];
    if (!peg_is_coarse(I) || I->njoint) return 0;
    peg_common_velocity(I, (const peg_vec6 *)I->v_motion, common);
    for (int i = 0; i < I->nd; i++) {
        double v[6];
        memcpy(v, I->v_motion[i], sizeof v);
        peg_sub(v, common, v);
        energy += peg_end_energy(&I->rigid[i], v);
    }
    double gained = gained_energy(I);
    if (!(gained <= share * energy)) return 0;
    for (int i = 0; i < I->nd; i++) peg_sub(I->v_motion[i], common, I->v_motion[i]);
    scale(I->v_motion, I->nd, sqrt(1 - gained / energy));
    for (int i = 0; i < I->nd; i++) peg_add_scaled(I->v_motion[i], 1, common, I->v_motion[i]);
    return 1;
}

/* The velocities v and v_motion the share on the way to free motion; the poses stay. */
static void weaken_by(peg_island *I, const peg_vec6 *v, const peg_vec6 *v_motion, double share)
{
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++) {
            double target = I->rigid[i].target[k];
            I->v[i][k] = v[i][k] + share * (target - v[i][k]);
            I->v_motion[i][k] = v_motion[i][k] + share * (target - v_motion[i][k]);
        }
}

/* What hardly moves gains by impulses that carry a little more than the weights: they all become
 * weaker by a share, if a small one does. The gain is convex in it, and so below its chord. */
static int weaken(peg_island *I, loop *l)
{
    if ((I->disabled_rules & PEG_RULE_WEAKEN) || !peg_is_coarse(I) || I->njoint || I->active)
        return 0;
    peg_arena_mark mark = peg_arena_here(I->arena);
    size_t size = (size_t)I->nd * sizeof *I->v;
    peg_vec6 *v = PEG_NEW(I->arena, peg_vec6, I->nd);
    peg_vec6 *v_motion = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!v || !v_motion) {
        I->failed = 1;
        return 0;
    }
    memcpy(v, I->v, size);
    memcpy(v_motion, I->v_motion, size);
    double gained = gained_energy(I);
    weaken_by(I, (const peg_vec6 *)v, (const peg_vec6 *)v_motion, PEG_WEAKENED);
    double least = gained_energy(I), share = PEG_WEAKENED * gained / (gained - least);
    int good = least < 0;
    if (good) {
        weaken_by(I, (const peg_vec6 *)v, (const peg_vec6 *)v_motion, share);
        peg_island_move(I);
        check_pairs(I, l, 0);
        good = l->shortfall <= 0 && !gains_energy(I);
        for (int i = 0; i < I->impulse.m && good; i++) I->impulse.row[i].lambda *= 1 - share;
    }
    if (!good) {
        memcpy(I->v, v, size);
        memcpy(I->v_motion, v_motion, size);
        if (least < 0) {
            peg_island_move(I);
            check_pairs(I, l, 0);
        }
    }
    peg_arena_back(I->arena, mark);
    return good;
}

/* Where that does not do, since the motion lifts what hardly moves, it moves less. The impulses
 * stay: they are what it comes to rest with. */
static int calm_down(peg_island *I, loop *l)
{
    if (!peg_is_coarse(I) || I->njoint || I->active) return 0;
    for (int halvings = 0; halvings < PEG_CALMING; halvings++) {
        scale(I->v, I->nd, 0.5);
        scale(I->v_motion, I->nd, 0.5);
        peg_island_move(I);
        check_pairs(I, l, 0);
        if (l->shortfall > 0 || gains_energy(I)) continue;
        I->stats->fallback_scaled++;
        return 1;
    }
    return 0;
}

static int is_settled(const peg_island *I, const loop *l, double objective)
{
    for (int i = 0; i < I->nd; i++) {
        double size = I->rigid[i].size;
        for (int k = 0; k < 6; k++) {
            double moved = fabs(I->v[i][k] - I->v_last[i][k]) * I->h;
            if (moved > (k < 3 ? PEG_SETTLED * size : PEG_SETTLED)) return 0;
        }
    }
    double change = l->k ? fabs(objective - l->objective) : 0; /* the first iterate is q_0 itself */
    return change <= PEG_SETTLED * objective + PEG_GAIN * I->energy_unit;
}

static int waits(const peg_island *I)
{
    int waiting = 0;
    for (int i = 0; i < I->npair; i++) waiting |= I->pair[i].friction_pending;
    return waiting;
}

/* Whether a pair bears whose rows are those of another iterate, as those of rest may. */
static int bears_on_old_rows(const peg_island *I)
{
    int bears = 0;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        bears |= p->rows_kept && p->active;
    }
    return bears;
}

/* One pass behind a successful solve. Returns 1 when the step is accepted. */
static int judge(peg_island *I, loop *l)
{
    int frozen = l->k >= I->settings->max_outer_iterations * 3 / 5;
    check_pairs(I, l, !frozen && !(I->disabled_rules & PEG_RULE_TILT));
    seek_first_contacts(I, l);
    int changed = frozen ? 0 : switch_pairs(I, l);
    if (lock_pairs(I)) {
        l->restoring = l->restoring && I->iterative;
        changed = 1;
    }
    if (l->k < PEG_FRICTION_ITERATIONS && waits(I)) {
        l->restoring = l->restoring && I->iterative;
        changed = 1;
    }
    if (changed) l->settled_from = l->k + 1;
    double objective = peg_island_objective(I);
    int patient = l->k - l->settled_from >= PEG_PATIENCE;
    int settled =
        I->iterative || (!changed && !bears_on_old_rows(I) &&
                         (l->restoring || patient || I->recovering || is_settled(I, l, objective)));
    int apart = l->shortfall <= 0 && !l->passed;
    l->objective = objective;
    if (!settled) return 0;
    if (I->elastic && I->accepts_violation && (apart || patient)) return 1;
    if (I->elastic && apart) {
        l->hopeless = gains_energy(I);
        return !l->hopeless;
    }
    if (I->elastic && l->k - l->settled_from >= 2 * PEG_PATIENCE) l->hopeless = 1;
    l->anew = I->iterative && (changed || l->k == 0);
    if (!apart || (I->iterative && changed)) {
        l->restoring = !apart && !(I->disabled_rules & PEG_RULE_RESTORE);
        return 0;
    }
    if ((I->disabled_rules & PEG_RULE_SECANT) || !gains_energy(I)) return 1;
    if (I->iterative) {
        if (weaken(I, l)) return 1;
        if (I->failed) return 0;
        if (take_back(I, I->grows_gaps ? PEG_TAKEN_BACK : 1)) return 1;
        if (!I->grows_gaps && calm_down(I, l)) return 1;
        l->hopeless = !I->grows_gaps;
        I->grows_gaps = 0;
        restart(I, l);
        return 0;
    }
    if (!I->secant) {
        I->secant = 1;
        I->stats->secant++;
        restart(I, l);
        return 0;
    }
    if (drop_traps(I))
        restart(I, l);
    else
        l->hopeless = 1; /* smaller steps gain less */
    return 0;
}

/* Adds the time since *then to a sum, and moves *then on. */
static void lap(double *then, double *sum)
{
    double now = peg_seconds();
    *sum += now - *then;
    *then = now;
}

static peg_outcome solve(peg_island *I, peg_about about)
{
    peg_outcome outcome = peg_island_solve(I, about);
    int is_motion = about == PEG_ABOUT_FREE || !peg_keeps_motion(I);
    if (outcome == PEG_SOLVED && is_motion) peg_island_accumulate(I, about);
    return outcome;
}

peg_result peg_outer_loop(peg_island *I)
{
    loop l = {.objective = -1, .anew = 1};
    pegStats *stats = I->stats;
    peg_result result = PEG_NOT_CONVERGED;
    double then = peg_seconds();
    peg_island_begin(I);
    lap(&then, &stats->time_check);
    int most =
        I->iterative || I->cost_limited ? PEG_PGS_OUTER_MAX : I->settings->max_outer_iterations;
    for (; l.k < most && !I->failed && !l.hopeless && result != PEG_CONVERGED; l.k++) {
        I->iteration = l.k;
        gather_rows(I, l.anew);
        lap(&then, &stats->time_rows);
        if (I->failed) break;
        memcpy(I->v_last, I->v, (size_t)I->nd * sizeof *I->v);
        for (int i = 0; i < I->npair; i++) I->pair[i].active = I->pair[i].friction_pending = 0;
        int restores = (l.restoring || (I->iterative && I->recovering)) && !I->secant;
        peg_outcome outcome = PEG_SOLVED;
        int both = l.anew && restores;
        if (!both || I->njoint) I->last_restored = 0;
        if (l.anew || !restores) outcome = solve(I, PEG_ABOUT_FREE);
        if (outcome == PEG_SOLVED && restores) outcome = solve(I, PEG_ABOUT_ITERATE);
        I->last_restored = both && I->iterative && !I->recovering;
        lap(&then, &stats->time_solve);
        if (outcome != PEG_SOLVED) {
            if (I->failed || I->iterative || I->cost_limited || !relax_problem(I, &l)) break;
            continue;
        }
        if (I->iterative && I->recovering) shorten_opening(I);
        peg_island_move(I);
        if (judge(I, &l)) result = PEG_CONVERGED;
        lap(&then, &stats->time_check);
    }
    stats->outer_iterations += l.k;
    if (l.k > stats->outer_iterations_max) stats->outer_iterations_max = l.k;
    return I->failed ? PEG_NOT_CONVERGED : result;
}
