/* Velocities about v_f, positions by restoration, rigid zones for what remains: see the header. */
#include "peg/island/position_stage.h"

#include "peg/base/clock.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/jacobian.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/island/alternatives.h"
#include "peg/island/begin.h"
#include "peg/island/check.h"
#include "peg/island/energy.h"
#include "peg/island/joint_correction.h"
#include "peg/island/lcp_rows.h"
#include "peg/island/outer_loop.h"
#include "peg/island/restitution.h"
#include "peg/island/rigid_zones.h"
#include "peg/island/row_cache.h"
#include "peg/island/solve.h"

/* Solves about v_f with the rows of the poses that the last one led to; restorations of the
 * positions follow. */
enum { VELOCITY_PASSES = 4 };
/* Of the work that is left, what velocities may take. */
static const double VELOCITY_SHARE = 0.5;
/* Violations of a pair of dynamic zones for which their shares are halved before they are merged,
 * if one of them has several bodies: a fragment that can stop short of a large zone is not caught
 * by it. */
enum { HALVINGS = 2 };
/* The same of a pair that meets on its way, down to a 16th of it: merged, both would stay where
 * they are, and meet so in the next step again. Without them a mesh that turns by 10 rad a step
 * hangs beside another for 22 steps (world 1201 with surfaces). */
enum { HALVINGS_ON_THE_WAY = 4 };
/* Rounds in which all shares are halved since the poses themselves lift the bodies, before they
 * become 0. */
enum { LIFT_HALVINGS = 8 };
/* Energy, relative to the island's, that poses may lift bodies by that have none, beside obstacles
 * and surfaces that move. Without it world 1182 with surfaces, which friction holds that no solver
 * finds, stands still for want of 2e-8 of 623 J. */
static const double LIFT_GAIN = 1e-9;

/* What an overlap of the start may deepen by in a step without being limited, of what it may
 * recover: what inexact velocities leave must not keep all of them from opening. */
static const double DEEPENED = 0.025;

typedef struct stage {
    peg_zones zones;
    peg_vec6 *u;        /* nd: velocities that the restorations led to */
    int *violations;    /* npair: of a pair of dynamic zones */
    unsigned char *hit; /* nd, by root: its share is to be halved */
    unsigned char *met; /* npair: because of it zones were merged, shortened or carried */
    double common[3];   /* of u, if nothing but the island's bodies takes part; else 0 */
    int carries;        /* moving obstacles may carry zones */
    int left;           /* violated pairs that nothing can be done about */
} stage;

/* --- velocities --- */

static int solve_pass(peg_island *I, int k, peg_about about)
{
    I->progress.iteration = k;
    peg_gather_rows(I, about == PEG_ABOUT_FREE);
    if (I->failed) return 0;
    memcpy(I->before.v, I->v, (size_t)I->nd * sizeof *I->v);
    for (int i = 0; i < I->npair; i++) I->pair[i].active = I->pair[i].friction_pending = 0;
    I->before.is_restored = 0;
    return peg_solve_and_accumulate(I, about) == PEG_SOLVED;
}

/* Returns whether all pairs are apart at the poses of the iterate. */
static int check(peg_island *I, int may_tilt)
{
    peg_island_move(I);
    double shortfall = peg_check_pairs(I, may_tilt);
    int passed = peg_seek_first_contacts(I, shortfall);
    return shortfall <= 0 && !passed;
}

/* Without an answer the bodies go on as they would without contact. */
static void move_freely(peg_island *I)
{
    I->impulse.m = 0;
    I->result.notes |= PEG_NOTE_UNSOLVED;
    for (int k = 0; k < I->joints.n; k++) I->joints.lambda[k] = 0;
    for (int i = 0; i < I->nd; i++) {
        memcpy(I->v[i], I->rigid[i].state.v_free, sizeof I->v[i]);
        memcpy(I->v_motion[i], I->v[i], sizeof I->v[i]);
    }
}

/* Overlaps of the start may deepen where all together open. */
static int opens_in_all(const peg_island *I)
{
    double opened = 0;
    for (int i = 0; i < I->npair; i++)
        if (peg_pair_recovers(&I->pair[i])) opened += fmin(I->pair[i].s, 0) - I->pair[i].s0;
    return opened > 0;
}

/* While overlaps open, restorations that have not converged may close more than they open: as much
 * of their motion is taken as opens in all. Little enough of it does. */
static void shorten_recovery(peg_island *I)
{
    enum { MOST_HALVINGS = 6 };
    for (int n = 0; n < MOST_HALVINGS && !opens_in_all(I); n++) {
        for (int i = 0; i < I->nd; i++)
            for (int k = 0; k < 6; k++) I->v[i][k] = 0.5 * (I->v[i][k] + I->v_motion[i][k]);
        check(I, 0);
    }
}

/* A restoration that lifts the bodies by more than they have the energy for: with what applied
 * forces make in another step the same rows have an answer that lifts them by less, and so has all
 * that is between the two. Returns whether this is low enough. */
static int descend(peg_island *I, double least)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    double work = peg_work_along(I, (const peg_vec6 *)I->v);
    if (!(work < least)) return 1;
    peg_vec6 *lifted = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!lifted) {
        I->failed = 1;
        return 0;
    }
    memcpy(lifted, I->v, size);
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        for (int k = 0; k < 6; k++) I->v[i][k] = I->before.v[i][k] + r->target[k] - r->unforced[k];
    }
    int solved = peg_island_solve(I, PEG_ABOUT_ITERATE) == PEG_SOLVED;
    double more = peg_work_along(I, (const peg_vec6 *)I->v) - work;
    double share = solved && more > 0 ? fmin(1, (least - work) / more) : 0;
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 6; k++) I->v[i][k] = lifted[i][k] + share * (I->v[i][k] - lifted[i][k]);
    return share < 1;
}

/* Where contacts and joints contradict each other zones are limited instead of joints that yield:
 * what has no motion that keeps the joints stays where it was. */
static int restore_once(peg_island *I, int k)
{
    int relaxation = I->joints.relaxation;
    if (solve_pass(I, k, PEG_ABOUT_ITERATE) && I->joints.relaxation == relaxation) return 1;
    memcpy(I->v, I->before.v, (size_t)I->nd * sizeof *I->v);
    I->joints.relaxation = relaxation;
    return 0;
}

/* How far a velocity takes the points of a body, m, at most. */
static double way_of(const peg_island *I, int body, const double v[6])
{
    return I->h * (peg_norm(v) + I->rigid[body].size * peg_norm(v + 3));
}

/* Whether a restoration takes a body further than any goes by itself in the step: what has no room
 * would be thrown about. */
static int throws(const peg_island *I)
{
    double longest = 0, way = 0;
    for (int i = 0; i < I->nr; i++)
        longest = fmax(longest, way_of(I, i, i < I->nd ? I->rigid[i].target : I->v[i]));
    for (int i = 0; i < I->nd; i++) {
        double change[6];
        for (int k = 0; k < 6; k++) change[k] = I->v[i][k] - I->before.v[i][k];
        way = fmax(way, way_of(I, i, change));
    }
    return way > longest;
}

/* Rows that contradict each other about this iterate need not do so about the next one, to which
 * the least violation of all leads. */
static int yield(peg_island *I, int k)
{
    if (I->failed || (I->forms & PEG_FORM_RECOVERY) || !peg_may_take_form(I, PEG_FORM_ELASTIC))
        return 0;
    I->forms |= PEG_FORM_ELASTIC;
    int done = restore_once(I, k);
    I->forms &= ~(unsigned)PEG_FORM_ELASTIC;
    if (!done || !throws(I)) return done;
    memcpy(I->v, I->before.v, (size_t)I->nd * sizeof *I->v);
    return 0;
}

static int restore(peg_island *I, int k, peg_limits limits, double least, int *is_low)
{
    int restored = restore_once(I, k);
    *is_low = !restored || descend(I, least);
    if (restored || (limits == PEG_APART_ONLY && yield(I, k))) return 1;
    check(I, 0);
    return 0;
}

/* Whether a body's velocities take it further than rounding. */
static int moves(const peg_island *I, int i, const double *v)
{
    return I->h * peg_norm(v) > PEG_TOUCH * I->rigid[i].size || I->h * peg_norm(v + 3) > PEG_TOUCH;
}

/* Whether the last restoration has changed something: else overlaps that it has not opened stay. */
static int has_changed(const peg_island *I)
{
    int changed = !(I->forms & PEG_FORM_RECOVERY);
    for (int i = 0; i < I->nd; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = I->v[i][k] - I->before.v[i][k];
        changed |= moves(I, i, d);
    }
    return changed;
}

int peg_keep_velocities(peg_island *I, peg_known *kept)
{
    size_t size = (size_t)I->nd * sizeof *I->v, joints = (size_t)I->joints.n * sizeof(double);
    *kept = (peg_known){.v = PEG_NEW(I->arena, peg_vec6, I->nd),
                        .motion = PEG_NEW(I->arena, peg_vec6, I->nd),
                        .joints = PEG_NEW(I->arena, double, I->joints.n),
                        .residual = I->result.residual,
                        .notes = I->result.notes};
    if (!kept->v || !kept->motion || !kept->joints) {
        I->failed = 1;
        return 0;
    }
    memcpy(kept->v, I->v, size);
    memcpy(kept->motion, I->v_motion, size);
    if (joints) memcpy(kept->joints, I->joints.lambda, joints);
    peg_rows_append(I, &kept->impulse, &I->impulse, 0, I->impulse.m);
    for (int i = 0; i < kept->impulse.m; i++) kept->impulse.row[i].pgs = NULL;
    return !I->failed;
}

/* An answer that is known: of a pass, or what the round before has found; the pairs that that
 * missed move poses only. */
static int take_known(peg_island *I, const peg_known *known)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    if (!known->v) return 0;
    I->impulse.m = 0;
    memcpy(I->v, known->v, size);
    memcpy(I->v_motion, known->motion, size);
    for (int k = 0; k < I->joints.n; k++) I->joints.lambda[k] = known->joints[k];
    peg_rows_append(I, &I->impulse, &known->impulse, 0, known->impulse.m);
    I->result.residual = known->residual;
    I->result.notes |= known->notes;
    return 1;
}

/* Without work for other attempts whatever comes of this one stays. */
static int may_limit(const peg_island *I, peg_limits limits)
{
    return limits != PEG_UNLIMITED_ONLY || peg_work_is_over(I);
}

/* The rows of the start hold at v = 0, so that an answer adds no energy, unless it is inexact: it
 * is shortened then, joints included (what corrects them would count as a gain), where that changes
 * it by no more than what counts as converged. Returns whether all pairs are apart. */
static int remove_gain(peg_island *I)
{
    size_t size = (size_t)I->nd * sizeof *I->v;
    double residual = I->result.residual;
    peg_note_left(I, peg_shorten_motion(I, 0));
    int is_near = I->result.residual <= PEG_UNCONVERGED;
    if (!is_near) I->result.residual = residual;
    memcpy(is_near ? I->v : I->v_motion, is_near ? I->v_motion : I->v, size);
    return check(I, 1);
}

/* The least work of the poses: what limited bodies lack of it from the round before was taken from
 * their velocities. */
static double least_work(const peg_island *I)
{
    double least = peg_least_work(I);
    return I->known.v ? fmin(least, peg_work_along(I, (const peg_vec6 *)I->known.v)) : least;
}

/* What violated pairs lack, the opening that overlaps of the start are granted included, m. */
static double violation(const peg_island *I)
{
    double sum = 0;
    for (int i = 0; i < I->npair; i++) sum += fmax(0, I->pair[i].shortfall);
    return sum;
}

/* Of a single body, for which no other makes room: whether the rows contradict each other and the
 * last restoration has left no less violation than the one before, `last`. */
static int has_stalled(const peg_island *I, double *last)
{
    if (I->nd > 1) return 0;
    double before = *last;
    *last = violation(I);
    return I->progress.infeasible && *last >= before;
}

/* Copies the velocities that lead to the poses; room: for them, if there is some. */
static peg_vec6 *keep_poses(peg_island *I, peg_vec6 *room)
{
    peg_vec6 *kept = room ? room : PEG_NEW(I->arena, peg_vec6, I->nd);
    if (kept)
        memcpy(kept, I->v, (size_t)I->nd * sizeof *kept);
    else
        I->failed = 1;
    return kept;
}

/* Poses move out of violation while work is left: along rows that v = 0 satisfies or, where bodies
 * turn so far that these get on slowly, by Newton's method on the gaps; its rows may contradict
 * joints and moving obstacles, and before the seventh restoration let worlds 437 and 5039 freeze.
 * What then remains limits bodies. A restoration that has stalled is taken back and is the last:
 * else a nut that is stuck on a bolt takes 12 of them in every step; with more than one body worlds
 * 1122 and 1307 stay where they overlap. Where none is apart and low the last that was apart stays:
 * limiting bodies by what it lifts too much takes less from them than by overlaps. Returns whether
 * all pairs are apart. */
static int find_poses(peg_island *I, peg_limits limits, int k)
{
    double least = least_work(I), last = INFINITY;
    peg_vec6 *high = NULL;
    int apart = 0, is_free = !I->joints.n && !peg_has_moving_obstacle(I);
    int most = peg_has_rule(I, PEG_RULE_RESTORE) ? PEG_LIMITED_PASSES : 0;
    for (int n = 0; n < most && !apart && !I->failed && !peg_work_is_spent(I); n++) {
        int is_low;
        I->progress.restores = is_free && n >= 2 * PEG_PATIENCE;
        if (!restore(I, k + n, limits, least, &is_low)) break;
        if (I->forms & PEG_FORM_RECOVERY) peg_shorten_opening(I);
        apart = check(I, 0);
        if (apart && !is_low) {
            high = keep_poses(I, high);
            apart = 0;
        }
        peg_lock_pairs(I);
        I->stats->outer_iterations++;
        if (!has_changed(I)) break;
        if (has_stalled(I, &last)) {
            memcpy(I->v, I->before.v, (size_t)I->nd * sizeof *I->v);
            check(I, 0);
            break;
        }
    }
    I->progress.restores = 0;
    if (!apart && high && !I->failed) {
        memcpy(I->v, high, (size_t)I->nd * sizeof *I->v);
        check(I, 0);
    }
    return apart;
}

/* To the answer of an earlier pass. Returns whether there is one; apart: whether all pairs are. */
static int return_to(peg_island *I, const peg_known *known, int *apart)
{
    if (!take_known(I, known)) return 0;
    I->result.notes = known->notes;
    *apart = check(I, 1);
    return 1;
}

/* An answer stays where the work for another one as dear is not left: half solved it would be worse
 * than none. The next one is rejected where its rows contradict each other, as those of a slot do
 * that has turned about what fits it, and where it gains energy, as the rows of a small part that
 * touches a large one may do after they have turned: poses do not give it back, and in world 2848
 * five bodies stood still for six steps. Of answers that take turns, as those of a body that turns
 * by radians, the one with the least violation stays. */
static void find_velocities(peg_island *I, peg_limits limits)
{
    int apart = 0, k = 0;
    double cost = 0, gained = INFINITY, least = INFINITY;
    peg_known last = {0}, best = {0};
    I->joints.relaxation = 0;
    if (take_known(I, &I->known)) {
        apart = check(I, 1);
        k = VELOCITY_PASSES;
    }
    for (; k < VELOCITY_PASSES && !apart && peg_work_left(I) > cost; k++) {
        if (gained <= 0 && !peg_keep_velocities(I, &last)) break;
        if (gained <= 0 && violation(I) < least) least = violation(I), best = last;
        cost = peg_work_left(I);
        if (!solve_pass(I, k, PEG_ABOUT_FREE)) break;
        if (peg_joints_keep_errors(I) && !solve_pass(I, k, PEG_ABOUT_FREE)) break;
        cost -= peg_work_left(I);
        apart = check(I, 1);
        gained = peg_energy_gained(I);
        if ((gained > 0 || I->progress.infeasible) && return_to(I, &last, &apart)) break;
        if (k == 0 && may_limit(I, limits) && gained > 0) {
            apart = remove_gain(I);
            gained = 0;
        }
        peg_switch_pairs(I);
    }
    if (!apart && !(I->forms & PEG_FORM_RECOVERY) && violation(I) > least)
        return_to(I, &best, &apart);
    peg_work_allow(I, 1);
    if (I->forms & PEG_FORM_RECOVERY) apart = 0; /* overlaps open in restorations only */
    if (k == 0 && !I->failed) move_freely(I);
    I->stats->outer_iterations += k;
    if (k > 0 && !apart) apart = find_poses(I, limits, k);
    if ((I->forms & PEG_FORM_RECOVERY) && !apart) shorten_recovery(I);
}

/* --- positions --- */

static int allocate(peg_island *I, stage *s)
{
    s->u = PEG_NEW(I->arena, peg_vec6, I->nd);
    s->violations = PEG_NEW(I->arena, int, I->npair);
    s->hit = PEG_NEW(I->arena, unsigned char, I->nd);
    s->met = PEG_NEW(I->arena, unsigned char, I->npair);
    if (!s->u || !s->violations || !s->hit || !s->met ||
        !peg_zones_create(I->arena, I->nd, &s->zones))
        return 0;
    memcpy(s->u, I->v, (size_t)I->nd * sizeof *s->u);
    for (int k = 0; k < I->joints.n; k++) {
        int a = I->joints.row[k].body_a, b = I->joints.row[k].body_b;
        if (a < 0 || b < 0) s->zones.held[a < 0 ? b : a] = 1;
    }
    memset(s->violations, 0, (size_t)I->npair * sizeof *s->violations);
    memset(s->met, 0, (size_t)I->npair);
    peg_common_velocity(I, (const peg_vec6 *)s->u, s->common);
    s->left = 0;
    return 1;
}

/* The velocities of a body in a zone of its own. */
static void scaled(const double *u, const double common[3], double share, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = common[k] + share * (u[k] - common[k]);
        out[3 + k] = share * u[3 + k];
    }
}

/* Of a floating island the centre of mass moves with its momentum, whatever the shares are: a
 * translation of all changes no separation. */
static void keep_common(const peg_island *I, peg_vec6 *v, const double common[3])
{
    double now[3];
    if (!peg_is_floating(I)) return;
    peg_common_velocity(I, (const peg_vec6 *)v, now);
    for (int i = 0; i < I->nd; i++)
        for (int k = 0; k < 3; k++) v[i][k] += common[k] - now[k];
}

static void place(peg_island *I, const stage *s)
{
    int limited = 0;
    for (int i = 0; i < I->nd; i++) {
        double share = s->zones.share[i];
        if (peg_zone_of(&s->zones, i) != i) continue;
        limited |= share < 1 || s->zones.members[i] > 1;
        if (s->zones.members[i] > 1 || s->zones.carrier[i] >= 0)
            peg_zone_velocities(I, &s->zones, i, (const peg_vec6 *)s->u, s->common, share, 1, I->v);
        else if (share < 1)
            scaled(s->u[i], s->common, share, I->v[i]);
        else
            memcpy(I->v[i], s->u[i], sizeof I->v[i]);
    }
    if (limited) keep_common(I, I->v, s->common);
    peg_island_move(I);
}

/* Whether a pair within a zone has kept its separation, but for rounding of the poses. */
static int is_kept(const peg_island *I, const peg_pair *p)
{
    const peg_view *A = &I->piece[p->a].now;
    return p->s >= p->s0 - PEG_ROUNDING * (p->L + peg_norm(A->centre));
}

/* Whether the pair's bodies are one zone that moves as a rigid body, or one and its carrier. */
static int moves_as_one(const peg_island *I, const stage *s, const peg_pair *p)
{
    const peg_zones *z = &s->zones;
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    int root = peg_zone_of(z, a < I->nd ? a : b);
    if (a < I->nd && b < I->nd) return !z->held[root] && peg_zone_of(z, b) == root;
    return z->share[root] == 0 && z->carrier[root] == (a < I->nd ? b : a);
}

static int is_violated(peg_island *I, const stage *s, peg_pair *p, int opens)
{
    if (peg_pair_recovers(p)) return !opens && p->shortfall > DEEPENED * peg_pair_may_open(I, p);
    if (moves_as_one(I, s, p)) return p->shortfall > 0 && !is_kept(I, p);
    if (p->rechecked || p->has_first_contact) {
        /* what turns may graze what it passes: its rows hold where it ends, while a share of the
         * motion may end in the overlap */
        const peg_vec6 *v = (const peg_vec6 *)I->v;
        double depth = PEG_STRIDE * p->width;
        p->has_first_contact = p->shortfall <= 0 && peg_is_fast(I, p) &&
                               peg_conservative_advancement(I, p, v, depth).hit;
    }
    return p->has_first_contact || p->shortfall > 0;
}

/* A zone against an obstacle. */
static int limit_against(const peg_island *I, stage *s, int index, int root, int obstacle)
{
    int is_carried = s->carries && peg_zone_carry(I, &s->zones, root, obstacle);
    s->met[index] = 1;
    s->hit[root] = 1;
    return is_carried || s->zones.share[root] > 0;
}

/* Limits the zones of a violated pair. Returns whether that changed anything. */
static int limit_pair(peg_island *I, stage *s, int index)
{
    peg_zones *z = &s->zones;
    const peg_pair *p = &I->pair[index];
    int a = I->piece[p->a].rigid, b = I->piece[p->b].rigid;
    if (a >= I->nd) return limit_against(I, s, index, peg_zone_of(z, b), a);
    if (b >= I->nd) return limit_against(I, s, index, peg_zone_of(z, a), b);
    a = peg_zone_of(z, a), b = peg_zone_of(z, b);
    if (a == b) {
        if (is_kept(I, p)) return 0;
        s->hit[a] = 1;
        return z->share[a] > 0;
    }
    int halvings = z->members[a] + z->members[b] > 2 ? HALVINGS : 0;
    if (p->has_first_contact) halvings = HALVINGS_ON_THE_WAY;
    if (s->violations[index]++ < halvings) {
        s->hit[a] = s->hit[b] = 1;
        if (z->share[a] > 0 || z->share[b] > 0) return 1;
    }
    int hit = s->hit[a] || s->hit[b], root = peg_zones_merge(z, a, b);
    s->hit[root] = (unsigned char)hit;
    s->met[index] = 1;
    return 1;
}

/* Bodies that joints connect with a limited one belong to its zone. */
static int join_joints(const peg_island *I, stage *s)
{
    peg_zones *z = &s->zones;
    int changed = 0;
    for (int k = 0; k < I->joints.n; k++) {
        int a = I->joints.row[k].body_a, b = I->joints.row[k].body_b;
        if (a < 0 || b < 0) continue;
        a = peg_zone_of(z, a), b = peg_zone_of(z, b);
        int limited = z->share[a] < 1 || z->share[b] < 1 || z->members[a] + z->members[b] > 2;
        if (a == b || !limited) continue;
        int hit = s->hit[a] || s->hit[b], root = peg_zones_merge(z, a, b);
        s->hit[root] = (unsigned char)hit;
        changed = 1;
    }
    return changed;
}

/* Limits zones until no pair is violated, or nothing more can be done. */
static void limit(peg_island *I, stage *s)
{
    for (int changed = 1; changed;) {
        place(I, s);
        peg_check_pairs(I, 0);
        int opens = opens_in_all(I);
        changed = s->left = 0;
        memset(s->hit, 0, (size_t)I->nd);
        for (int i = 0; i < I->npair; i++) {
            if (!is_violated(I, s, &I->pair[i], opens)) continue;
            int limits = limit_pair(I, s, i);
            int a = I->piece[I->pair[i].a].rigid, b = I->piece[I->pair[i].b].rigid;
            s->left += !limits && (a >= I->nd || b >= I->nd) && !is_kept(I, &I->pair[i]);
            changed |= limits;
        }
        if (changed) join_joints(I, s);
        for (int i = 0; i < I->nd; i++)
            if (s->hit[i] && s->zones.root[i] == i) peg_zone_shorten(&s->zones, i);
    }
}

/* --- energy --- */

/* Bodies that were merged, and zones and the obstacles that shortened or carried them, meet where
 * their pairs were violated: there, they close no more. */
static void meet(peg_island *I, const stage *s)
{
    memcpy(I->result.v_end, I->v_motion, (size_t)I->nd * sizeof *I->result.v_end);
    peg_limit_opened(I);
    peg_carry_velocities(I);
    peg_stop_pairs(I, s->met);
}

/* What a limited body has not fallen it has not gained: that work is taken from its own velocity
 * relative to the common one. */
static void return_work(peg_island *I, const stage *s)
{
    double common[3];
    peg_common_velocity(I, (const peg_vec6 *)I->result.v_end, common);
    for (int i = 0; i < I->nd; i++) {
        const peg_rigid *r = &I->rigid[i];
        double applied[6], rest[6], own[6], *v = I->result.v_end[i];
        if (s->zones.share[peg_zone_of(&s->zones, i)] == 1) continue;
        for (int k = 0; k < 6; k++) {
            applied[k] = r->target[k] - r->unforced[k];
            rest[k] = v[k] - I->v[i][k];
        }
        double excess = peg_energy_product(r, rest, applied);
        if (!(excess > 0)) continue;
        memcpy(own, v, sizeof own);
        peg_sub(own, common, own);
        double energy = peg_end_energy(r, own);
        double factor = energy > excess ? sqrt(1 - excess / energy) : 0;
        scaled(v, common, factor, v);
    }
    keep_common(I, I->result.v_end, common);
}

/* Energy that poses may lift bodies by, J: what moves beside the island has it. */
static double granted_lift(const peg_island *I)
{
    return peg_driven_speed(I, 1) > 0 ? LIFT_GAIN * I->energy_unit : 0;
}

/* Scales the velocities about the common one so that contact adds no more than is granted: joints
 * need not hold then, as what corrects their errors may be all of the energy. With the factor x the
 * kinetic energy is e0 + e1 x + e2 x^2. Returns 0 if the poses themselves lift the bodies by more.
 */
static int return_gain(peg_island *I)
{
    double common[3], e1 = 0, e2 = 0;
    double granted = peg_energy_granted(I), rounding = PEG_GAIN * I->energy_unit;
    double gain = peg_island_gain_with(I, (const peg_vec6 *)I->result.v_end) - granted;
    if (!(gain > 0)) return 1;
    gain += rounding; /* which is granted to what is not touched */
    peg_common_velocity(I, (const peg_vec6 *)I->result.v_end, common);
    for (int i = 0; i < I->nd; i++) {
        double d[6], c[6] = {common[0], common[1], common[2]};
        for (int k = 0; k < 6; k++) d[k] = I->result.v_end[i][k] - c[k];
        e2 += peg_end_energy(&I->rigid[i], d);
        e1 += peg_end_product(&I->rigid[i], d, c);
    }
    double g0 = gain - e1 - e2, factor = 0;
    if (g0 <= 0 && e2 > 0) factor = (-e1 + sqrt(fmax(0, e1 * e1 - 4 * e2 * g0))) / (2 * e2);
    factor = fmax(0, fmin(1, factor));
    for (int i = 0; i < I->nd; i++) scaled(I->result.v_end[i], common, factor, I->result.v_end[i]);
    return g0 <= granted_lift(I);
}

static void find_positions(peg_island *I, stage *s)
{
    int contacts = I->result.motion_rows = I->impulse.m;
    for (int lifts = 0;; lifts++) {
        I->impulse.m = contacts;
        limit(I, s);
        meet(I, s);
        return_work(I, s);
        if (return_gain(I) || lifts > LIFT_HALVINGS) return;
        for (int i = 0; i < I->nd; i++) s->zones.share[i] *= lifts < LIFT_HALVINGS ? 0.5 : 0;
    }
}

/* --- account --- */

static int mark_limited(peg_island *I, const stage *s)
{
    int limited = 0;
    for (int i = 0; i < I->nd; i++) {
        int root = peg_zone_of(&s->zones, i);
        I->rigid[i].limited = s->zones.share[root] < 1 || s->zones.members[root] > 1;
        limited += I->rigid[i].limited;
    }
    return limited;
}

/* Whether nothing moved although something should. */
static int is_frozen(const peg_island *I)
{
    int should = 0;
    for (int i = 0; i < I->nd; i++) {
        if (moves(I, i, I->v[i])) return 0;
        should |= moves(I, i, I->v_motion[i]);
    }
    return should;
}

static void account(peg_island *I, const stage *s, int limited)
{
    pegStats *stats = I->stats;
    stats->position_stages++;
    stats->limited_bodies += limited;
    stats->limited_islands += limited > 0;
    stats->frozen_islands += limited > 0 && is_frozen(I);
    stats->infeasible_islands += s->left > 0;
    if (!(I->forms & PEG_FORM_RECOVERY))
        I->result.energy_gain = peg_island_gain_with(I, (const peg_vec6 *)I->result.v_end);
    I->result.notes |= PEG_NOTE_HELD;
}

peg_result peg_position_stage(peg_island *I, peg_limits limits)
{
    stage s;
    double then = peg_seconds();
    I->mode = peg_pgs_mode(I);
    I->forms |= PEG_FORM_POSITIONS_APART;
    peg_work_allow(I, VELOCITY_SHARE);
    peg_island_begin(I);
    I->forms &= ~(unsigned)PEG_FORM_GAP_GROWTH;
    find_velocities(I, limits);
    peg_lap(&then, &I->stats->time_solve);
    if (I->failed || !allocate(I, &s)) {
        I->failed = 1;
        return PEG_NOT_CONVERGED;
    }
    s.carries = limits == PEG_APART_ONLY;
    find_positions(I, &s);
    peg_lap(&then, &I->stats->time_check);
    int limited = mark_limited(I, &s);
    if ((limited && !may_limit(I, limits)) || (limits != PEG_LIMITS_ALLOWED && s.left)) {
        I->forms &= ~(unsigned)PEG_FORM_POSITIONS_APART;
        I->result.notes &= ~(unsigned)PEG_NOTE_UNSOLVED;
        for (int i = 0; i < I->nd; i++) I->rigid[i].limited = 0;
        return PEG_NOT_CONVERGED;
    }
    account(I, &s, limited);
    peg_bounce(I);
    return PEG_CONVERGED;
}
