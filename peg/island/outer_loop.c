/* The outer loop of a step: rows at the iterate, solve, re-pose, check with the exact separation,
 * change the alternatives that were wrong; then restoration, until every pair is apart.
 *
 * Fixed points of the plain iteration minimise |v - v_f|_M over the rows of the final poses. It
 * converges linearly, so once nothing switches any more the last correction is made about the
 * iterate (restoration), which converges faster. */
#include "peg/island/outer_loop.h"

#include "peg/base/clock.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/island/alternatives.h"
#include "peg/island/begin.h"
#include "peg/island/check.h"
#include "peg/island/energy.h"
#include "peg/island/joint_correction.h"
#include "peg/island/joints.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/row_cache.h"
#include "peg/island/solve.h"

/* Change of pose (in L) and of the objective (relative) that the next iterate would make, below
 * which this one has settled; share of the last change of pose, and of the last objective, above
 * which they do not: contacts that carry now and then not, each linearised at the other one's
 * answer; the same of what a restoration leaves violated. */
static const double SETTLED = 1e-3, STALLED = 0.9;

/* Angle by which a body turns at most, for the sake of overlaps of the start, in a step, rad. */
static const double OPENING_TURN = 0.25;
/* What it may slide along another one by, relative to what opens. Without it a cylinder of 0.1 kg
 * in a cube of 1000 kg leaps by 172 m in a step of 0.1 s (light_bodies_do_not_leap). */
static const double OPENING_SLIDE = 2;

/* Energy, relative to the island's, that an exact answer may gain. GROWTH_GAIN: by gaps that grow,
 * before it is shortened, which its impulses do not tell; world 60027 gains 20 times as much in
 * eight steps. JOINED_GAIN: where contacts contradict joints, as impulses are large; without it
 * world 1912 stands still. */
static const double GROWTH_GAIN = 1e-10, JOINED_GAIN = 1e-9;

/* LESS: share of an opening that is asked for where more takes bodies too far; where the attempt
 * was given up instead bodies in a composite stand for up to 86 steps (nests_come_apart).
 * LEAST_OPENING: with less the attempt ends. */
static const double LESS = 0.125, LEAST_OPENING = 1.0 / 1024;

typedef enum verdict { ACCEPT, ITERATE, RESTORE, RESTART, GIVE_UP } verdict;

typedef struct loop {
    int settled_from; /* pass after the last change of an alternative or of the problem */
    int anew;         /* iterative: solve about v_f, and then restore at once */
    int restoring;
    double objective;
    double moved, moved_before; /* how far bodies moved in the pass, and in the one before */
    double shortfall;           /* largest one of a pair, m; <= 0: all apart */
    double shortfall_before;    /* in the pass before */
    int passed;                 /* a pair had a first contact on the way */
} loop;

/* --- relaxations of a problem without a solution --- */

/* A new start of the iteration after a change of alternatives or of the problem. */
static void restart(peg_island *I, loop *l)
{
    l->restoring = 0;
    l->anew = 1;
    l->settled_from = I->progress.iteration + 1;
    l->objective = -1;
    l->moved = 0;
    peg_drop_rows(I);
}

/* The problem has no solution: the next one that may have one. Several contacts of a body that
 * stick without limit contradict each other by what it turns in the step. */
static int relax_problem(peg_island *I)
{
    int sticks = 0;
    for (int i = 0; i < I->rows.m; i++)
        sticks |= I->rows.row[i].friction && peg_row_limit(I, i) >= I->most_friction;
    if (sticks && !(I->forms & PEG_FORM_SLIP) && peg_may_take_form(I, PEG_FORM_SLIP)) {
        I->forms |= PEG_FORM_SLIP;
    } else if (!(I->forms & PEG_FORM_CLEARANCE) && peg_may_take_form(I, PEG_FORM_CLEARANCE)) {
        I->forms |= PEG_FORM_CLEARANCE;
        I->stats->fallback_clearance++;
    } else if (!(I->forms & PEG_FORM_ELASTIC) && peg_may_take_form(I, PEG_FORM_ELASTIC)) {
        I->forms |= PEG_FORM_ELASTIC;
        I->stats->fallback_elastic++;
    } else {
        return 0;
    }
    return 1;
}

/* --- a pass --- */

/* How far a body may be moved for the sake of overlaps of the start, m: each moves all on one side
 * of it, and slides them. */
static double opening_way(const peg_island *I)
{
    double sum = 0;
    for (int i = 0; i < I->npair; i++)
        if (peg_pair_recovers(&I->pair[i])) sum += peg_pair_may_open(I, &I->pair[i]);
    return OPENING_SLIDE * sum;
}

/* Whether a body is moved farther, or farther than it would move without contact. */
static int opens_too_far(const peg_island *I)
{
    double way = opening_way(I), free = 0, most = 0;
    for (int i = 0; i < I->nd; i++) {
        double change[3];
        peg_sub(I->v[i], I->rigid[i].target, change);
        free = fmax(free, I->h * peg_norm(I->rigid[i].target));
        most = fmax(most, I->h * peg_norm(change));
    }
    return most > way + free;
}

/* Asks for less of the opening. Returns whether it was asked for more than the least. */
static int ask_for_less(peg_island *I, double share)
{
    double before = I->progress.opening;
    I->progress.opening = fmax(LEAST_OPENING, share * before);
    return I->progress.opening < before;
}

/* Bodies that move or turn far while overlaps open close others: the opening is then shortened as a
 * whole, which leaves rows that hold before and after it as they are, and the next pass asks for as
 * much less. */
void peg_shorten_opening(peg_island *I)
{
    double excess = 1, way = opening_way(I);
    for (int i = 0; i < I->nd; i++) {
        double change[3], turn[3];
        peg_sub(I->v[i], I->v_motion[i], change);
        peg_sub(I->v[i] + 3, I->v_motion[i] + 3, turn);
        excess = fmax(excess, I->h * peg_norm(turn) / OPENING_TURN);
        if (way > 0) excess = fmax(excess, I->h * peg_norm(change) / way);
    }
    if (excess <= 1) return;
    double share = 1 / excess;
    ask_for_less(I, share);
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++)
            I->v[i][k] = I->v_motion[i][k] + share * (I->v[i][k] - I->v_motion[i][k]);
}

/* How far the bodies have moved since the last iterate, in sizes and rad. */
static double moved(const peg_island *I)
{
    double most = 0;
    for (int i = 0; i < I->nd; i++) {
        double d[3], w[3];
        peg_sub(I->v[i], I->before.v[i], d);
        peg_sub(I->v[i] + 3, I->before.v[i] + 3, w);
        most = fmax(most, I->h * fmax(peg_norm(d) / I->rigid[i].size, peg_norm(w)));
    }
    return most;
}

/* The next iterate would change by the rate at which this one has. Rows of the first one are those
 * of q_0, whatever it moves: what rolls or rocks would rise by less than its motion pays for. */
static int is_settled(const peg_island *I, const loop *l, double objective)
{
    if (I->progress.iteration == 0 && l->moved > 0 && !I->joints.n) return 0;
    double rate = l->moved_before > 0 ? fmin(1, l->moved / l->moved_before) : 1;
    if (!(rate * l->moved <= SETTLED)) return 0;
    double change = I->progress.iteration ? fabs(objective - l->objective)
                                          : 0; /* the first iterate is q_0 itself */
    return rate * change <= SETTLED * objective + PEG_GAIN * I->energy_unit;
}

/* Whether a pair is loaded whose rows are those of another iterate. */
static int is_loaded_by_old_rows(const peg_island *I)
{
    int loaded = 0;
    for (int i = 0; i < I->npair; i++) {
        const peg_pair *p = &I->pair[i];
        loaded |= p->rows_kept && p->active;
    }
    return loaded;
}

/* What a check finds wrong with the alternatives, and changes. */
static int change_alternatives(peg_island *I, loop *l, int frozen)
{
    int changed = 0;
    if (!frozen && !l->restoring) changed = peg_switch_pairs(I);
    int unheld = peg_lock_pairs(I);
    for (int i = 0; i < I->npair && I->progress.iteration < PEG_PATIENCE; i++)
        unheld |= I->pair[i].friction_pending;
    if (unheld) l->restoring = l->restoring && peg_is_iterative(I);
    return changed || unheld;
}

/* What contact added, J, that of exact answers by gaps that grow included. */
static double gained_with_growth(const peg_island *I)
{
    return peg_energy_gained(I) + (peg_is_coarse(I) ? 0 : peg_work_of_growth(I));
}

/* Exchanges v and v_motion, and moves to the poses of v. */
static void swap_velocities(peg_island *I)
{
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++) {
            double kept = I->v[i][k];
            I->v[i][k] = I->v_motion[i][k];
            I->v_motion[i][k] = kept;
        }
    peg_island_move(I);
}

/* Whether an exact answer that gains energy by no more than rounding of its velocities gains none
 * once it is shortened: its rows hold on all of the way from v = 0. */
static int gains_by_rounding(peg_island *I)
{
    if (peg_keeps_motion(I) || peg_has_moving_obstacle(I)) return 0;
    memcpy(I->v_motion, I->v, (size_t)I->nd * sizeof *I->v);
    if (peg_shorten_motion(I, 0) > PEG_NEAR_EXACT * peg_usual_change(I)) return 0;
    swap_velocities(I);
    if (!(gained_with_growth(I) > 0) && peg_check_pairs(I, 0) <= 0) return 1;
    swap_velocities(I);
    peg_check_pairs(I, 0); /* of these poses again */
    return 0;
}

/* Energy that an answer may gain, J, if it is exact. */
static double granted_to_exact(const peg_island *I)
{
    if (peg_is_coarse(I)) return 0;
    double rounding = I->joints.n ? JOINED_GAIN * I->energy_unit : 0;
    return fmax(rounding, peg_work_of_growth(I));
}

/* All pairs are apart and the iterate has settled: the energy decides. */
static verdict judge_energy(peg_island *I)
{
    double gained = gained_with_growth(I), granted = granted_to_exact(I);
    double at_once = I->joints.n ? granted : fmin(granted, GROWTH_GAIN * I->energy_unit);
    if (!(gained > at_once) || gains_by_rounding(I) || gained <= granted) return ACCEPT;
    if (peg_keeps_motion(I)) {
        int is_last = peg_is_iterative(I) && !(I->forms & PEG_FORM_GAP_GROWTH);
        int is_few = I->nd < PEG_COARSE_FROM && !peg_is_iterative(I);
        double share = is_last && !is_few ? 1 : PEG_TAKEN_BACK;
        if (peg_return_energy(I, share)) return ACCEPT;
        if (I->forms & PEG_FORM_GAP_GROWTH) {
            I->forms &= ~(unsigned)PEG_FORM_GAP_GROWTH;
            return RESTART;
        }
    }
    return GIVE_UP;
}

/* With compliant rows; only where moving bodies leave no room may a violation stay. */
static verdict judge_elastic(const peg_island *I, const loop *l, int apart)
{
    int settled_for = I->progress.iteration - l->settled_from;
    if ((I->forms & PEG_FORM_LEAST_VIOLATION) && (apart || settled_for >= PEG_PATIENCE))
        return ACCEPT;
    if (apart) return peg_energy_gained(I) > 0 ? GIVE_UP : ACCEPT;
    return settled_for >= 2 * PEG_PATIENCE ? GIVE_UP : RESTORE;
}

/* Whether a restoration has left most of what it was to open and moves nothing but rounding, as the
 * next ones would: world 174 made 37 such passes in a step. Joints that contradict the contacts
 * yield then; without it world 662 without meshes is limited in 42 of 46 steps instead of none. */
static int has_stalled(const peg_island *I, const loop *l)
{
    return l->restoring && l->moved <= PEG_TOUCH && l->shortfall >= STALLED * l->shortfall_before &&
           !l->passed && !(I->forms & (PEG_FORM_ELASTIC | PEG_FORM_RECOVERY));
}

/* After a successful solve. */
static verdict judge(peg_island *I, loop *l)
{
    int k = I->progress.iteration, frozen = k >= I->settings->max_outer_iterations * 3 / 5;
    l->shortfall_before = l->shortfall;
    l->shortfall = peg_check_pairs(I, !frozen && peg_has_rule(I, PEG_RULE_TILT));
    l->passed = peg_seek_first_contacts(I, l->shortfall);
    int changed = change_alternatives(I, l, frozen), iterative = peg_is_iterative(I);
    if (changed) l->settled_from = k + 1;
    double objective = peg_island_objective(I);
    l->moved_before = l->moved, l->moved = moved(I);
    int stalls = k > l->settled_from && l->moved > STALLED * l->moved_before &&
                 objective > STALLED * l->objective;
    int patient = stalls || k - l->settled_from >= PEG_PATIENCE;
    int settled = iterative || (!changed && !is_loaded_by_old_rows(I) &&
                                (l->restoring || patient || (I->forms & PEG_FORM_RECOVERY) ||
                                 is_settled(I, l, objective)));
    int apart = l->shortfall <= 0 && !l->passed;
    l->objective = objective;
    if (!settled) return l->restoring ? RESTORE : ITERATE;
    if (I->forms & PEG_FORM_ELASTIC) {
        verdict v = judge_elastic(I, l, apart);
        if (v != RESTORE) return v;
    }
    l->anew = iterative && (changed || k == 0);
    if (!apart && has_stalled(I, l) && !peg_joints_relax(I)) return GIVE_UP;
    if (!apart) return peg_has_rule(I, PEG_RULE_RESTORE) ? RESTORE : ITERATE;
    if (iterative && changed) return ITERATE;
    return judge_energy(I);
}

static peg_outcome solve(peg_island *I, loop *l)
{
    int restores = l->restoring || (peg_is_iterative(I) && (I->forms & PEG_FORM_RECOVERY));
    int both = l->anew && restores;
    peg_outcome outcome = PEG_SOLVED;
    if (!both || I->joints.n) I->before.is_restored = 0;
    if (l->anew || !restores) outcome = peg_solve_and_accumulate(I, PEG_ABOUT_FREE);
    if (outcome == PEG_SOLVED && restores) outcome = peg_solve_and_accumulate(I, PEG_ABOUT_ITERATE);
    I->before.is_restored = both && peg_is_iterative(I) && !(I->forms & PEG_FORM_RECOVERY);
    return outcome;
}

/* One pass: rows, solve, poses, verdict. */
static verdict pass(peg_island *I, loop *l, double *then)
{
    pegStats *stats = I->stats;
    peg_gather_rows(I, l->anew);
    peg_lap(then, &stats->time_rows);
    if (I->failed) return GIVE_UP;
    memcpy(I->before.v, I->v, (size_t)I->nd * sizeof *I->v);
    for (int i = 0; i < I->npair; i++) I->pair[i].active = I->pair[i].friction_pending = 0;
    peg_outcome outcome = solve(I, l);
    peg_lap(then, &stats->time_solve);
    if (outcome != PEG_SOLVED) {
        int may_relax = I->mode == PEG_MODE_EXACT && !I->failed;
        return may_relax && relax_problem(I) ? RESTART : GIVE_UP;
    }
    if (peg_is_iterative(I) && (I->forms & PEG_FORM_RECOVERY)) peg_shorten_opening(I);
    peg_island_move(I);
    verdict v = judge(I, l);
    if (v == ACCEPT && peg_joints_keep_errors(I)) return RESTART;
    if (v == ACCEPT && peg_throws_bodies(I, (const peg_vec6 *)peg_velocities_after(I), NULL))
        v = GIVE_UP;
    if (v != GIVE_UP && (I->forms & PEG_FORM_RECOVERY) && opens_too_far(I))
        v = ask_for_less(I, LESS) ? RESTART : GIVE_UP;
    peg_lap(then, &stats->time_check);
    return v;
}

/* Whether a contact may turn: a pair touches at q_0, where gaps are a margin, or bore in the last
 * step, and no overlap opens. */
static int may_turn(const peg_island *I)
{
    int touched = 0;
    if (I->forms & PEG_FORM_RECOVERY) return 0;
    for (int i = 0; i < I->npair && !touched; i++) {
        const peg_pair *p = &I->pair[i];
        touched = p->s0 <= 2 * p->margin || peg_pair_bore(p);
    }
    return touched;
}

/* Overlaps of many bodies ask for more than all can open by, which exact solves find out last. */
static int most_passes(const peg_island *I)
{
    int may_open = I->mode != PEG_MODE_LIMITED && (peg_is_iterative(I) || !I->progress.waits);
    if ((I->forms & PEG_FORM_RECOVERY) && !may_open) return 0;
    return I->mode == PEG_MODE_EXACT ? I->settings->max_outer_iterations : PEG_LIMITED_PASSES;
}

peg_result peg_outer_loop(peg_island *I)
{
    loop l = {.objective = -1, .anew = 1};
    pegStats *stats = I->stats;
    double then = peg_seconds();
    verdict v = ITERATE;
    peg_island_begin(I);
    if ((I->forms & PEG_FORM_MIDPOINT) && !may_turn(I)) return PEG_NOT_CONVERGED;
    peg_lap(&then, &stats->time_check);
    int k = 0, most = most_passes(I);
    for (; k < most && !peg_work_is_spent(I) && v != ACCEPT && v != GIVE_UP && !I->failed; k++) {
        I->progress.iteration = k;
        v = pass(I, &l, &then);
        if (v == RESTART) restart(I, &l);
        if (v == ITERATE) l.restoring = 0;
        if (v == RESTORE) l.restoring = 1;
    }
    stats->outer_iterations += k;
    if (k > stats->outer_iterations_max) stats->outer_iterations_max = k;
    return v == ACCEPT && !I->failed ? PEG_CONVERGED : PEG_NOT_CONVERGED;
}
