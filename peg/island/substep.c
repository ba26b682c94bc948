/* What is done when the outer loop does not converge: the island's step in halves, then the
 * velocities scaled back towards those that move no body against another. Elastic rows and
 * clearances below the margin, which come before, are modes of the loop itself (outer.c). */
#include "peg/island/substep.h"

#include "peg/contact/disjunction.h"
#include "peg/contact/first_contact.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/mode.h"
#include "peg/contact/pose.h"
#include "peg/contact/row_set.h"
#include "peg/island/energy.h"
#include "peg/island/joints.h"
#include "peg/island/outer_loop.h"
#include "peg/island/restitution.h"

/* --- one (sub-)step from the rigids' states --- */

/* Free velocities of a sub-step: accelerations and torques that were applied over the whole step
 * stay, the gyroscopic term is the integrator's for this h. */
static void free_velocities(peg_island *I, const peg_vec6 *applied)
{
    for (int i = 0; i < I->nd; i++) {
        peg_rigid *r = &I->rigid[i];
        double turn[3];
        peg_rotate(I->mass[i].inv_inertia, applied[i] + 3, turn);
        for (int k = 0; k < 3; k++) {
            r->target[k] = r->unforced[k] + I->h * applied[i][k];
            r->target[3 + k] = r->unforced[3 + k] + I->h * turn[k];
        }
        memcpy(r->state.v_free, r->target, sizeof r->target);
    }
}

static void place_views(peg_island *I)
{
    for (int i = 0; i < I->npiece; i++) {
        peg_piece *piece = &I->piece[i];
        const peg_rigid *r = &I->rigid[piece->rigid];
        if (r->state.kind == PEG_STATIC) continue;
        double x[3], R[9];
        const double *v = piece->rigid < I->nd ? r->state.v_free : I->v[piece->rigid];
        peg_piece_place(piece, r->x0, r->R0, &piece->start);
        peg_rigid_pose(r, v, I->h, x, R);
        peg_piece_place(piece, x, R, &piece->free_);
    }
}

/* Velocity with which a moving obstacle takes its share h of the whole step: the Cayley map turns
 * by 2 atan(h w / 2), which is not h / whole of the turn of the whole step. */
static void obstacle_velocity(const peg_body *b, double h, double whole, double v[6])
{
    memcpy(v, b->v, 6 * sizeof *v);
    double w = fmin(peg_norm(v + 3), b->max_angular_speed);
    if (h == whole || b->finite_rotation || !(w > 0)) return;
    double turn = 2 / h * tan(h / whole * atan(0.5 * whole * w)) / peg_norm(v + 3);
    for (int k = 3; k < 6; k++) v[k] *= turn;
}

/* Start poses, views and free velocities for a step of length h; applied is null for the whole
 * step, whose free velocities are the caller's to the last bit. */
static void prepare(peg_island *I, double h, const peg_vec6 *applied)
{
    I->h = h;
    for (int i = 0; i < I->nr; i++) {
        const peg_body *state = &I->rigid[i].state;
        peg_rigid_prepare(&I->rigid[i], h);
        if (i < I->nd || state->kind == PEG_STATIC)
            memset(I->v[i], 0, sizeof I->v[i]);
        else
            obstacle_velocity(state, h, I->h_step, I->v[i]);
    }
    peg_island_place_mass(I);
    peg_joints_prepare(I);
    if (applied) {
        free_velocities(I, applied);
        if (I->njoint) peg_joints_solve_alone(I);
    }
    place_views(I);
}

/* Takes the iterate: the states become those at its end. */
static void take_iterate(peg_island *I)
{
    for (int i = 0; i < I->nr; i++) {
        peg_rigid *r = &I->rigid[i];
        double x[3], q[4];
        if (r->state.kind == PEG_STATIC) continue;
        peg_body_pose(&r->state, I->v[i], I->h, x, q);
        peg_copy3(x, r->state.x);
        memcpy(r->state.q, q, sizeof q);
        if (i < I->nd) memcpy(r->state.v, I->v_end[i], sizeof r->state.v);
    }
    for (int i = 0; i < I->npair; i++) peg_pair_keep_choice(I, &I->pair[i]);
}

static void take_step(peg_island *I)
{
    peg_end_velocities(I);
    const peg_vec6 *after = (const peg_vec6 *)(peg_keeps_motion(I) ? I->v_motion : I->v);
    if (!I->recovering) I->energy_gain += peg_island_gain_with(I, after);
    peg_joints_accumulate(I);
    take_iterate(I);
}

/* --- (e) velocities scaled back --- */

static int is_apart(peg_island *I)
{
    int apart = 1;
    peg_island_move(I);
    for (int i = 0; i < I->npair && apart; i++) {
        peg_pair *p = &I->pair[i];
        apart = peg_pair_shortfall(I, p, NULL) <= 0;
        if (apart && peg_pair_is_fast(I, p, (const peg_vec6 *)I->v))
            apart = !peg_conservative_advancement(I, p, (const peg_vec6 *)I->v,
                                                  PEG_HIT_DEPTH * p->width)
                         .hit;
    }
    return apart;
}

/* Only what the bodies have in common moves nothing against each other, and gains nothing. */
static void scale_back(peg_island *I)
{
    double factor = 1, common[3];
    peg_common_velocity(I, (const peg_vec6 *)I->v, common);
    for (int k = 0; k < I->njoint; k++) I->joint_lambda[k] = 0;
    for (int halvings = 0; halvings < 60 && (!is_apart(I) || peg_island_gain(I) > 0); halvings++) {
        factor = halvings < 40 ? 0.5 : 0;
        for (int i = 0; i < I->nd; i++) {
            for (int k = 0; k < 3; k++) I->v[i][k] = common[k] + factor * (I->v[i][k] - common[k]);
            for (int k = 3; k < 6; k++) I->v[i][k] *= factor;
        }
        if (factor == 0) break;
    }
    I->impulse.m = 0;
    I->held = I->velocities_scaled = 1;
    I->stats->fallback_scaled++;
    if (!is_apart(I)) I->stats->unconverged++;
}

/* --- (c) halves --- */

typedef struct snapshot {
    double gain;
    double *joint_sum;
    int held;
    peg_body *state;
    peg_vec6 *target;
    peg_choice *remembered;
} snapshot;

static int save(peg_island *I, snapshot *s)
{
    s->state = PEG_NEW(I->arena, peg_body, I->nr);
    s->remembered = PEG_NEW(I->arena, peg_choice, I->npair);
    s->joint_sum = PEG_NEW(I->arena, double, I->njoint);
    s->target = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (!s->target || !s->state || !s->remembered || !s->joint_sum) {
        I->failed = 1;
        return 0;
    }
    s->gain = I->energy_gain;
    s->held = I->held;
    for (int k = 0; k < I->njoint; k++) s->joint_sum[k] = I->joint_sum[k];
    for (int i = 0; i < I->nr; i++) s->state[i] = I->rigid[i].state;
    for (int i = 0; i < I->nd; i++) memcpy(s->target[i], I->rigid[i].target, sizeof *s->target);
    for (int i = 0; i < I->npair; i++) s->remembered[i] = I->pair[i].last_choice;
    return 1;
}

static void restore(peg_island *I, const snapshot *s)
{
    I->energy_gain = s->gain;
    I->held = s->held;
    for (int k = 0; k < I->njoint; k++) I->joint_sum[k] = s->joint_sum[k];
    for (int i = 0; i < I->nr; i++) I->rigid[i].state = s->state[i];
    for (int i = 0; i < I->nd; i++) memcpy(I->rigid[i].target, s->target[i], sizeof *s->target);
    for (int i = 0; i < I->npair; i++) I->pair[i].last_choice = s->remembered[i];
}

static int two_halves(peg_island *I, double h, const peg_vec6 *applied, int levels);

/* Steps from the states to the states after h. levels: halvings that are allowed. Returns 0 if it
 * did not converge; the states are then those of the start again. */
static int substep(peg_island *I, double h, const peg_vec6 *applied, int levels)
{
    prepare(I, h, applied);
    if (I->iterate(I) == PEG_CONVERGED) {
        take_step(I);
        return !I->failed;
    }
    return !I->failed && levels > 0 && two_halves(I, h, applied, levels - 1);
}

static int two_halves(peg_island *I, double h, const peg_vec6 *applied, int levels)
{
    snapshot start;
    if (!save(I, &start)) return 0;
    if (!substep(I, h / 2, applied, levels)) return 0;
    peg_row_set first = I->impulse; /* the halves' impulses make up the step's */
    I->impulse = (peg_row_set){0};
    if (!substep(I, h / 2, applied, levels)) {
        restore(I, &start);
        return 0;
    }
    for (int i = 0; i < first.m; i = peg_next_normal(&first, i))
        peg_contact_append(I, &I->impulse, &first, i);
    return !I->failed;
}

/* The one velocity that leads from pose (x, q) to (x1, q1) in a step of length h by the Cayley
 * update: w = 2/h vec(r) / scal(r), r = q1 q^-1. Returns 0 if there is none (half a turn). */
static int velocity_between(const peg_body *from, const peg_body *to, double h, double v[6])
{
    double conjugate[4] = {from->q[0], -from->q[1], -from->q[2], -from->q[3]}, r[4];
    peg_quat_mul(to->q, conjugate, r);
    if (fabs(r[0]) < 1e-6) return 0;
    for (int k = 0; k < 3; k++) {
        v[k] = (to->x[k] - from->x[k]) / h;
        v[3 + k] = 2 / h * r[1 + k] / r[0];
    }
    return peg_norm(v + 3) <= from->max_angular_speed;
}

static int step_in_halves(peg_island *I, double h, const peg_vec6 *applied, const snapshot *start)
{
    for (int i = 0; i < I->nr; i++)
        if (start->state[i].finite_rotation > (i < I->nd ? 0 : 1)) return 0;
    if (!two_halves(I, h, applied, I->settings->max_halvings - 1)) return 0;
    for (int i = 0; i < I->nd; i++)
        if (!velocity_between(&start->state[i], &I->rigid[i].state, h, I->v_pose[i])) return 0;
    return 1;
}

/* Accelerations and torques that the program applied, constant over the step. */
static void applied_forces(peg_island *I, peg_vec6 *applied)
{
    for (int i = 0; i < I->nd; i++) {
        peg_rigid *r = &I->rigid[i];
        double local[3];
        for (int k = 0; k < 6; k++) applied[i][k] = (r->target[k] - r->unforced[k]) / I->h;
        peg_rotate_back(r->R0, applied[i] + 3, local);
        peg_rotate(r->state.inertia, local, local);
        peg_rotate(r->R0, local, applied[i] + 3);
    }
}

/* Whether an obstacle moves: only then may there be no room. */
static int has_mover(const peg_island *I)
{
    for (int i = I->nd; i < I->nr; i++)
        if (peg_is_moving_obstacle(&I->rigid[i].state)) return 1;
    return 0;
}

/* (b) for good: movers leave no room, neither for the step nor for its parts. Returns 0 if there is
 * no such answer. */
static int step_with_violation(peg_island *I, double h)
{
    if (!has_mover(I)) return 0;
    I->accepts_violation = 1;
    prepare(I, h, NULL);
    int done = peg_outer_loop(I) == PEG_CONVERGED;
    I->accepts_violation = 0;
    if (!done) return 0;
    I->stats->infeasible_islands++;
    take_step(I);
    return 1;
}

/* Large enough to be solved by sweeps, and driven by nothing that calls for more care. */
static int may_use_pgs(const peg_island *I)
{
    return !(I->disabled_rules & PEG_RULE_PGS) &&
           I->nd >= (I->njoint ? PEG_COARSE_FROM : PEG_PGS_FROM) &&
           (I->nd >= PEG_COARSE_FROM || !has_mover(I)) && I->settings->contact == PEG_CONTACT_PEG &&
           I->settings->solver == PEG_SOLVER_AUTO;
}

/* Bodies move faster than their weights would make them in some steps; of many bodies, in a part of
 * a step. */
static int is_active(const peg_island *I)
{
    double motion = 0, gain = 0;
    for (int i = 0; i < I->nd; i++) {
        const peg_body *b = &I->rigid[i].state;
        double gained[6];
        for (int k = 0; k < 6; k++) gained[k] = b->v_free[k] - b->v[k];
        motion += peg_energy_product(&I->rigid[i], b->v, b->v);
        gain += peg_energy_product(&I->rigid[i], gained, gained);
    }
    double share = I->nd < PEG_COARSE_FROM ? PEG_ACTIVE_RATIO : PEG_ACTIVE_RATIO_COARSE;
    return motion > share * share * gain;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* To the last digit, if that does not take long. */
static int step_within_cost(peg_island *I, double h)
{
    I->cost_limited = 1;
    int done = substep(I, h, NULL, 0);
    I->cost_limited = 0;
    return done;
}

/* What lies or comes to rest is solved to the last digit if that does not take long; else by
 * sweeps: of small islands once more, as exact as they get, where the first answer did not do. */
static int step_large(peg_island *I, double h)
{
    int done = 0, wait = 0, failures = 0;
    for (int i = 0; i < I->npair; i++) {
        wait = max(wait, I->pair[i].last_choice.haste);
        failures = max(failures, I->pair[i].last_choice.failures);
    }
    I->active = is_active(I);
    if (!I->active && I->nd < PEG_COARSE_FROM) return 0;
    if (!I->active && wait == 0) {
        done = step_within_cost(I, h);
        failures = done ? 0 : min(failures + 1, PEG_BACKOFF_MAX);
        wait = done ? 0 : 1 << failures;
    }
    for (int i = 0; i < I->npair; i++) {
        I->pair[i].last_choice.haste = max(wait - 1, 0);
        I->pair[i].last_choice.failures = failures;
    }
    if (done || I->failed) return done;
    I->iterative = 1;
    done = substep(I, h, NULL, 0);
    if (done || I->failed || peg_is_coarse(I)) return done;
    I->exhaustive = 1;
    return substep(I, h, NULL, 0);
}

void peg_island_step(peg_island *I)
{
    double h = I->h;
    I->h_step = h;
    I->energy_gain = 0;
    snapshot start;
    if (!save(I, &start)) return;
    int done = may_use_pgs(I) && step_large(I, h);
    /* what is too large to be solved to the last digit goes on by sweeps, in parts of the step */
    if (!done && !peg_is_coarse(I)) {
        I->iterative = 0;
        done = substep(I, h, NULL, 0);
    }
    if (done) {
        memcpy(I->v_pose, I->v, (size_t)I->nd * sizeof *I->v);
        return;
    }
    peg_vec6 *applied = PEG_NEW(I->arena, peg_vec6, I->nd);
    peg_vec6 *last = PEG_NEW(I->arena, peg_vec6, I->nd);
    if (I->failed || !applied || !last) {
        I->failed = 1;
        return;
    }
    memcpy(last, I->v, (size_t)I->nd * sizeof *last);
    if (I->settings->max_halvings > 0) {
        applied_forces(I, applied);
        if (step_in_halves(I, h, (const peg_vec6 *)applied, &start)) {
            I->stats->fallback_halved++;
            return;
        }
        if (I->failed) return;
        restore(I, &start);
    }
    int coarse = peg_is_coarse(I);
    I->iterative = 0;
    if ((coarse && step_within_cost(I, h)) || (!I->failed && step_with_violation(I, h))) {
        memcpy(I->v_pose, I->v, (size_t)I->nd * sizeof *I->v);
        return;
    }
    if (I->failed) return;
    prepare(I, h, NULL);
    peg_island_begin(I);
    memcpy(I->v, last, (size_t)I->nd * sizeof *last);
    scale_back(I);
    memcpy(I->v_end, I->v, (size_t)I->nd * sizeof *I->v);
    memcpy(I->v_pose, I->v, (size_t)I->nd * sizeof *I->v);
    take_iterate(I);
}
