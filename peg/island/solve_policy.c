/* The attempts of a step, in their order:
 *
 *     attempt                    | applies to                          | passes
 *     ---------------------------|-------------------------------------|------------------------
 *     exact within a limit       | 5 bodies and more, not active, ..   | 12
 *                                | .. apart at the start               |
 *     wide                       | what moves, a single body freely,   | 60 restorations, 6 times
 *                                | 5 bodies and more                   |
 *     projected Gauss-Seidel     | 30 and more; 5 and more that        | 12
 *                                | overlap at the start                |
 *     position stage, unlimited  | 5 to 29 bodies                      | 16
 *     midpoint rule              | fewer than 5 that turn in contact   | max_outer_iterations
 *     exact                      | fewer than 30 bodies, other solvers | max_outer_iterations
 *     position stage, apart      | islands with moving kinematic bodies| 16
 *     least violation            | the same                            | max_outer_iterations
 *     wide, by coarse PGS        | 5 to 29 bodies of very unequal      | 60 restorations, 6 times
 *                                | masses, or with joints              |
 *     position stage             | all                                 | 16
 *
 * Of islands that move the wide attempt is the first, and in the step after, too. Of 5 to 29 bodies
 * whose masses are very unequal exact follows wide.
 *
 * All solves but PGS in lanes draw from the budget of the step (lcp_rows.h): an attempt may take
 * two fifths of what is left, the limited one of fewer than 30 bodies a tenth, the position stage
 * half of it for velocities and then all for positions, which are restored while any of it is left.
 * Where little is left the last ones follow at once: of 30 bodies and more the position stage goes
 * on from the velocities of PGS, if contact gains nothing by them; and where nothing is left a
 * position stage that was to limit no bodies ends the step. Islands that are solved again in the
 * step, with more pairs, then go on from the velocities of the round before: while anything is
 * left, a position stage without limits is tried from there before all else, and where it fails all
 * is solved again. Exact solves end with a certificate. An island in which the limited attempt
 * failed n times in a row is tried so again 2^n steps later, or where all others fail; so is an
 * exact one that has not opened overlaps of the start. Other contact models make one attempt that
 * always converges. */
#include "peg/island/solve_policy.h"

#include "peg/base/arena.h"
#include "peg/contact/disjunction.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/row_set.h"
#include "peg/island/begin.h"
#include "peg/island/energy.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/outer_loop.h"
#include "peg/island/position_stage.h"
#include "peg/island/turned_rows.h"
#include "peg/island/wide_attempt.h"

/* Active islands of so many bodies and more take the wide attempt with their contacts, a single
 * body where it moves freely. It does not follow contacts that turn (turned_rows.h): with 1 a
 * spinning top of 305 J has lost 2.8 J after 4 s instead of 0.06 J. */
enum { WIDE_FROM = 2 };
/* Of the work that is left in the step (lcp_rows.h), what an attempt may take: an arch of 201
 * stones takes a third. */
static const double ATTEMPT_SHARE = 0.4;
/* The same of the limited attempt in islands of fewer than 30 bodies: a wall of 18 that settles
 * (wall-10x10, 4 rows) takes 0.08. With a third the slowest step of pile-boxes of 30 (h .02, seed
 * 2) takes twice as long. */
static const double FEW_SHARE = 0.1;
/* Failures in a row that lengthen the wait for the next limited attempt: up to 128 steps. */
enum { MOST_FAILURES = 7 };
/* Speed above which an island is active, as a share of what applied forces make in a step: with .25
 * arches of 101 and 201 stones do not stand (arches_stand). */
static const double ACTIVE = 1.5;
/* The same share above which the wide attempt is the first: with 1e-6 an arch of 101 stones at h .1
 * falls, as inexact answers keep it moving (arches_stand). */
static const double SETTLING = 0.02;
/* The same from which on friction without limit yields in islands with joints: slower ones are to
 * stand, which they would not quite, as the compliance lets them creep at a tenth of this. */
static const double ACTIVE_STICKY = 10 * PEG_COMPLIANCE;

/* Pairs a body up to which the wide attempt may be the last before bodies are limited: meshes make
 * hundreds, of which it checks all. Without a limit the slowest step of world 2888 takes 0.38
 * instead of 0.1 s. */
enum { MOST_PAIRS = 32 };

static int is_many(const peg_island *I)
{
    return I->nd >= PEG_COARSE_FROM;
}

static int may_approximate(const peg_island *I)
{
    return I->settings->solver == PEG_SOLVER_AUTO;
}

static int may_iterate(const peg_island *I)
{
    return !peg_is_small(I) && may_approximate(I);
}

/* --- attempts --- */

/* n: how often the attempt has failed in a row, of many bodies. */
static int try_mode(peg_island *I, peg_solve_mode mode, int n)
{
    I->mode = mode;
    int is_short = mode == PEG_MODE_LIMITED && !is_many(I);
    peg_work_allow(I, is_short ? FEW_SHARE : ATTEMPT_SHARE / (1 + n));
    return !I->failed && I->common.iterate(I) == PEG_CONVERGED;
}

/* The pairs remember, from step to step, how often the limited attempt has failed in a row, and how
 * many steps it waits. */
typedef struct patience {
    int wait, failures;
} patience;

static patience recall(const peg_island *I)
{
    patience p = {0};
    for (int i = 0; i < I->npair; i++) {
        const peg_choice *c = I->pair[i].choice;
        if (c->wait > p.wait) p.wait = c->wait;
        if (c->failures > p.failures) p.failures = c->failures;
    }
    return p;
}

/* At the end of a step. */
static void remember(peg_island *I, patience p)
{
    for (int i = 0; i < I->npair; i++) {
        I->pair[i].choice->wait = p.wait > 0 ? p.wait - 1 : 0;
        I->pair[i].choice->failures = p.failures;
    }
}

static void lengthen(patience *p)
{
    if (p->failures < MOST_FAILURES) p->failures++;
    p->wait = 1 << p->failures;
}

static int try_limited(peg_island *I, patience *p)
{
    if (try_mode(I, PEG_MODE_LIMITED, p->failures)) {
        *p = (patience){0};
        return 1;
    }
    if (!(I->forms & PEG_FORM_RECOVERY)) lengthen(p);
    return 0;
}

/* By the midpoint rule, where contacts turn. */
static int try_midpoint(peg_island *I)
{
    if (!peg_rows_turn(I)) return 0;
    peg_find_middle(I);
    I->forms |= PEG_FORM_MIDPOINT;
    if (try_mode(I, PEG_MODE_EXACT, 0) && peg_follow_turned_rows(I)) return 1;
    I->forms &= ~(unsigned)PEG_FORM_MIDPOINT;
    return 0;
}

/* Overlaps that exact attempts have not opened wait, too. */
static int try_exact(peg_island *I, patience *p)
{
    I->progress.waits = p->wait > 0;
    int done =
        (!may_iterate(I) && try_midpoint(I)) || (!I->failed && try_mode(I, PEG_MODE_EXACT, 0));
    I->progress.waits = 0;
    if (!(I->forms & PEG_FORM_RECOVERY)) return done;
    if (done) *p = (patience){0};
    if (!done && p->wait == 0) lengthen(p);
    return done;
}

/* What it has brought to rest rests in the next step, too, from where the answer is repeated; what
 * joints hold comes to rest by exact attempts, which slow islands begin with, and so do fewer than
 * 30 bodies, so that the forces of what rests are certified. An unconverged answer that stops the
 * island is solved exactly in the next step, however long that was to wait; where the exact attempt
 * has just failed it is rejected. */
static int try_wide(peg_island *I, int may_stop, patience *p)
{
    peg_work_allow(I, ATTEMPT_SHARE);
    if (I->failed || !peg_wide_attempt(I, may_stop, 0)) return 0;
    if (I->nd < PEG_ITERATIVE_FROM) return 1;
    if (peg_stops_unconverged(I))
        p->wait = p->wait > 1 ? 1 : p->wait;
    else if (!is_many(I) && peg_is_slow(I, (const peg_vec6 *)I->v, PEG_COARSE_REST))
        p->wait = p->wait > 1 ? p->wait : 0;
    else if (p->wait < 2 && (!I->joints.n || peg_is_faster(I, SETTLING)))
        p->wait = 2;
    return 1;
}

/* Velocities that PGS has found stay where contact gains nothing by them: the position stage goes
 * on from them. Those of joints are inexact. */
static void keep_velocities(peg_island *I)
{
    if (I->joints.n || !isfinite(I->result.residual) || (I->forms & PEG_FORM_RECOVERY) ||
        !(peg_energy_gained(I) <= 0))
        return;
    if (peg_keep_velocities(I, &I->known)) I->known.notes &= PEG_NOTE_BUDGET;
}

/* Of the start, which PGS opens by what may recover in a step. */
static int has_overlaps(peg_island *I)
{
    int found = 0;
    for (int i = 0; i < I->npair; i++) {
        peg_pair_begin(I, &I->pair[i]);
        found |= peg_pair_recovers(&I->pair[i]);
    }
    return found;
}

static int try_iterative(peg_island *I, int was_wide, patience *p)
{
    int may_limit = !(I->forms & PEG_FORM_ACTIVE), waits = p->wait > 0;
    if (may_limit && !waits && try_limited(I, p)) return 1;
    if (!was_wide && try_wide(I, !may_limit || waits, p)) return 1;
    if (I->failed) return 0;
    if (!is_many(I) && I->is_uneven) return try_exact(I, p);
    if ((is_many(I) || has_overlaps(I)) && try_mode(I, peg_pgs_mode(I), 0)) return 1;
    if (I->failed) return 0;
    if (!is_many(I))
        return peg_position_stage(I, PEG_UNLIMITED_ONLY) == PEG_CONVERGED ||
               (!I->failed && try_mode(I, PEG_MODE_EXACT, 0));
    keep_velocities(I);
    return may_limit && waits && try_limited(I, p);
}

/* Moving bodies may leave no room: the rows then yield as little as they can. */
static int try_beside_movers(peg_island *I)
{
    if (!peg_has_moving_obstacle(I)) return 0;
    if (peg_position_stage(I, PEG_APART_ONLY) == PEG_CONVERGED) return 1;
    if (I->failed) return 0;
    I->forms |= PEG_FORM_LEAST_VIOLATION;
    int done = try_mode(I, PEG_MODE_EXACT, 0);
    I->forms &= ~(unsigned)PEG_FORM_LEAST_VIOLATION;
    I->stats->infeasible_islands += done;
    return done;
}

/* The last attempt before bodies are limited, of islands in which PGS may not be the first: without
 * it 25 bodies of very unlike masses of world 41613 without meshes hang in the air for 8 steps. */
static int try_pgs(peg_island *I)
{
    int suits = I->nd >= PEG_ITERATIVE_FROM && !is_many(I) && may_approximate(I) &&
                I->npair <= MOST_PAIRS * I->nd;
    return suits && (I->is_uneven || I->joints.n) && peg_wide_attempt(I, 0, 1);
}

/* From where the round before ended; where that would limit bodies all is solved again. */
static int try_known(peg_island *I)
{
    peg_island_place_views(I);
    int done = peg_position_stage(I, PEG_UNLIMITED_ONLY) == PEG_CONVERGED;
    I->known = (peg_known){0};
    return done;
}

static int try_all(peg_island *I, int iterative, patience *p)
{
    int moves = p->wait > 0 || peg_is_faster(I, SETTLING);
    int is_wide = may_approximate(I) && moves;
    if (I->known.v && !peg_work_is_over(I) && try_known(I)) return 1;
    int is_known = I->known.v != NULL;
    if (I->failed) return 0;
    if (is_wide && !is_known && try_wide(I, 1, p)) return 1;
    peg_island_place_views(I);
    if (!is_known && !peg_work_is_scarce(I) &&
        (iterative ? try_iterative(I, is_wide, p) : try_exact(I, p)))
        return 1;
    if (I->failed) return 0;
    return try_beside_movers(I) || (!I->failed && try_pgs(I)) ||
           (!I->failed && peg_position_stage(I, PEG_LIMITS_ALLOWED) == PEG_CONVERGED);
}

peg_result peg_solve_by_policy(peg_island *I)
{
    patience p = recall(I);
    int iterative = may_iterate(I);
    if (I->settings->contact != PEG_CONTACT_PEG) {
        peg_island_place_views(I);
        peg_work_allow(I, 1);
        return I->common.iterate(I);
    }
    if (I->nd >= WIDE_FROM && may_approximate(I) && peg_is_faster(I, ACTIVE))
        I->forms |= PEG_FORM_ACTIVE;
    /* contacts of a body that stick without limit contradict each other by what it turns in the
     * step: answers that hold them all the same, against joints that push, differ from one
     * linearisation to the next */
    if (I->joints.n && peg_may_take_form(I, PEG_FORM_SLIP) && peg_is_faster(I, ACTIVE_STICKY))
        I->forms |= PEG_FORM_SLIP;
    int done = try_all(I, iterative, &p);
    remember(I, p);
    return done ? PEG_CONVERGED : PEG_NOT_CONVERGED;
}
