/* The attempts of a step, in their order:
 *
 *     attempt                    | applies to                          | work
 *     ---------------------------|-------------------------------------|------------------------
 *     wide                       | 30 boxes and more, active           | 40 restorations
 *     exact within a limit       | 5 bodies and more, not active       | 12 passes
 *     projected Gauss-Seidel     | 5 bodies and more                   | 12 passes
 *     position stage, unlimited  | 5 to 29 bodies                      | 16 solves
 *     exact                      | fewer than 30 bodies, other solvers | max_outer_iterations
 *     position stage, apart      | islands with moving kinematic bodies| 16 solves
 *     least violation            | the same                            | max_outer_iterations
 *     position stage             | all                                 | 16 solves
 *
 * The third and fourth apply where the limited attempt has not taken all work that an exact one
 * may. Islands that are solved for the third time in a step, with more and more pairs, have the
 * last one only. Exact solves end with a certificate. An island of 30 bodies and more in which the
 * limited attempt failed n times in a row is tried so again 2^n steps later. Other contact models
 * make one attempt that always converges. */
#include "peg/island/solve_policy.h"

#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/island/begin.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/outer_loop.h"
#include "peg/island/position_stage.h"
#include "peg/island/wide_attempt.h"

/* Islands of so many bodies and more may be solved by projected Gauss-Seidel. */
enum { PGS_FROM = 5 };
/* Failures in a row that lengthen the wait for the next limited attempt: up to 128 steps. */
enum { MOST_FAILURES = 7 };
/* Pairs from which on an island that is solved again in the step, with some pairs more, has the
 * last attempts only: bodies among the triangles of meshes. */
enum { MANY_PAIRS = 1000 };
/* Speed above which an island is active, as a share of what applied forces make in a step: of few
 * bodies, of many, and where the wide attempt is made: slower ones are to come to rest. */
static const double ACTIVE = 5, ACTIVE_MANY = 1.5, ACTIVE_WIDE = 0.01;
/* The same from which on friction without limit yields in islands with joints: slower ones are to
 * stand, which they would not quite, as the compliance lets them creep at a tenth of this. */
static const double ACTIVE_STICKY = 10 * PEG_COMPLIANCE;

static int has_mover(const peg_island *I)
{
    for (int i = I->nd; i < I->nr; i++)
        if (peg_is_moving_obstacle(&I->rigid[i].state)) return 1;
    return 0;
}

static int is_many(const peg_island *I)
{
    return I->nd >= PEG_COARSE_FROM;
}

/* Bodies move faster than applied forces would make them in some steps; of many, in a part of one.
 */
static int is_faster(const peg_island *I, double share)
{
    double motion = 0, gain = 0;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        double gained[6];
        for (int k = 0; k < 6; k++) gained[k] = b->v_free[k] - b->v[k];
        motion += peg_energy_product(&I->rigid[i], b->v, b->v);
        gain += peg_energy_product(&I->rigid[i], gained, gained);
    }
    return motion > share * share * gain;
}

/* Large enough for iterative solves, and driven by nothing that calls for more care. */
static int may_iterate(const peg_island *I)
{
    return peg_has_rule(I, PEG_RULE_PGS) && I->nd >= (I->joints.n ? PEG_COARSE_FROM : PGS_FROM) &&
           (is_many(I) || !has_mover(I)) && I->settings->solver == PEG_SOLVER_AUTO;
}

/* --- attempts --- */

static int try_mode(peg_island *I, peg_solve_mode mode)
{
    I->mode = mode;
    return !I->failed && I->common.iterate(I) == PEG_CONVERGED;
}

/* Of many bodies the pairs remember, from step to step, how often the attempt has failed and how
 * many steps it waits. */
static int try_limited_when_due(peg_island *I)
{
    int done = 0, wait = 0, failures = 0;
    for (int i = 0; i < I->npair && is_many(I); i++) {
        const peg_choice *c = &I->pair[i].last_choice;
        if (c->wait > wait) wait = c->wait;
        if (c->failures > failures) failures = c->failures;
    }
    if (wait == 0) {
        done = try_mode(I, PEG_MODE_LIMITED);
        if (done)
            failures = 0;
        else if (failures < MOST_FAILURES)
            failures++;
        wait = done ? 0 : 1 << failures;
    }
    for (int i = 0; i < I->npair && is_many(I); i++) {
        I->pair[i].last_choice.wait = wait > 0 ? wait - 1 : 0;
        I->pair[i].last_choice.failures = failures;
    }
    return done;
}

static int try_iterative(peg_island *I)
{
    int is_active = (I->forms & PEG_FORM_ACTIVE) != 0;
    if (!is_active && try_limited_when_due(I)) return 1;
    int is_spent = !is_active && peg_work_is_spent(I);
    if (try_mode(I, peg_pgs_mode(I))) return 1;
    if (is_many(I) || is_spent || I->failed) return 0;
    return peg_position_stage(I, PEG_UNLIMITED_ONLY) == PEG_CONVERGED ||
           try_mode(I, PEG_MODE_EXACT);
}

/* Moving bodies may leave no room: the rows then yield as little as they can. */
static int try_beside_movers(peg_island *I)
{
    if (!has_mover(I)) return 0;
    if (peg_position_stage(I, PEG_APART_ONLY) == PEG_CONVERGED) return 1;
    if (I->failed) return 0;
    I->forms |= PEG_FORM_LEAST_VIOLATION;
    int done = try_mode(I, PEG_MODE_EXACT);
    I->forms &= ~(unsigned)PEG_FORM_LEAST_VIOLATION;
    I->stats->infeasible_islands += done;
    return done;
}

peg_result peg_solve_by_policy(peg_island *I)
{
    int peg = I->settings->contact == PEG_CONTACT_PEG, iterative = peg && may_iterate(I);
    if (iterative && is_faster(I, is_many(I) ? ACTIVE_MANY : ACTIVE)) I->forms |= PEG_FORM_ACTIVE;
    /* contacts of a body that stick without limit contradict each other by what it turns in the
     * step: answers that hold them all the same, against joints that push, differ from one
     * linearisation to the next */
    if (peg && I->joints.n && peg_has_rule(I, PEG_RULE_SLIP) && is_faster(I, ACTIVE_STICKY))
        I->forms |= PEG_FORM_SLIP;
    if (iterative && is_faster(I, ACTIVE_WIDE) && peg_wide_attempt(I)) return PEG_CONVERGED;
    peg_island_place_views(I);
    if (!peg) return I->common.iterate(I);
    int is_late = I->common.round > 0 && I->npair >= MANY_PAIRS;
    int done = is_late ? 0 : iterative ? try_iterative(I) : try_mode(I, PEG_MODE_EXACT);
    if (done || (!I->failed && try_beside_movers(I))) return PEG_CONVERGED;
    return I->failed ? PEG_NOT_CONVERGED : peg_position_stage(I, PEG_LIMITS_ALLOWED);
}
