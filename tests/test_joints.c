/* That the rows of every joint type are ODE's: bodies in random states, with the joint in error,
 * are stepped by dWorldStep, and their velocity is compared with the one that the mixed LCP of our
 * rows predicts. The cases vary the bodies' order, a missing and a kinematic body, stops, motors
 * and bounce; then several joints, contacts, feedback, and what becomes of references. */
#include "tests/runner.h"
#include "tests/joint_cases.h"
#include "ode_glue/read/unconstrained_velocity.h"
#include "peg/island/joint_row.h"
#include "ode_glue/joints/joint_set.h"
#include "peg/lcp/problem.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest relative error of a predicted velocity. */
#define TOLERANCE 1e-9

enum { STATES = 200, BODIES = 4, JOINTS = 10, CONTACTS = 4 };

typedef struct jointed {
    dWorldID world;
    int bodies, joints;
    dBodyID body[BODIES];
    dJointID joint[JOINTS];
    peg_map number;
    peg_joint_set set;
} jointed;

static void begin(jointed *s, int bodies)
{
    *s = (jointed){.world = dWorldCreate(), .bodies = bodies};
    double g[3];
    for (int k = 2; k >= 0; k--) g[k] = uniform(-5, 5);
    dWorldSetGravity(s->world, g[0], g[1], g[2]);
    dWorldSetERP(s->world, uniform(.1, .9));
    dWorldSetCFM(s->world, chance(.5) ? 1e-10 : uniform(0, 1e-3));
    for (int i = 0; i < bodies; i++) {
        s->body[i] = random_body(s->world);
        ck_assert_int_eq(peg_map_add(&s->number, s->body[i], NULL), i);
    }
}

static void end(jointed *s)
{
    dWorldDestroy(s->world);
    peg_map_free(&s->number);
    peg_joint_set_free(&s->set);
}

static dJointID add_joint(jointed *s, const kind *k, dBodyID a, dBodyID b, int limits)
{
    dJointID j = s->joint[s->joints++] = k->create(s->world, 0);
    peg_joint_reference *reference = peg_joint_set_at(&s->set, j);
    dJointAttach(j, a, b);
    k->set(j, reference);
    peg_joint_capture(j, reference);
    set_limits(k, j, limits);
    return j;
}

static void disturb_all(jointed *s)
{
    for (int i = 0; i < s->bodies; i++) disturb(s->body[i], .3);
}

/* --- prediction ----------------------------------------------------------------------------- */

typedef struct prediction {
    peg_arena arena;
    int nb, m, contacts; /* m rows of joints, then those of the contacts */
    int index[BODIES];   /* of the problem's bodies; -1: kinematic */
    peg_mass_block mass[BODIES];
    double target[BODIES][6], v[BODIES][6];
    peg_lcp_row row[JOINTS * PEG_JOINT_ROWS + CONTACTS];
    double lambda[JOINTS * PEG_JOINT_ROWS + CONTACTS];
    const peg_joint_row *of[JOINTS * PEG_JOINT_ROWS];
    dJointID joint[JOINTS * PEG_JOINT_ROWS];
    int sign[JOINTS * PEG_JOINT_ROWS];
    peg_joint_notes notes;
    peg_outcome outcome;
} prediction;

static void invert(const double A[9], double out[9])
{
    double c[3][3];
    for (int i = 0; i < 3; i++) peg_cross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), c[i]);
    double det = peg_dot(A, c[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[3 * k + i] = c[i][k] / det;
}

static void read_bodies(const jointed *s, double h, prediction *p)
{
    for (int i = 0; i < s->bodies; i++) {
        peg_body b;
        double R[9], I[9];
        p->index[i] = -1;
        if (dBodyIsKinematic(s->body[i])) continue;
        ck_assert_int_eq(peg_read_body(s->world, s->body[i], h, &b), PEG_OK);
        int n = p->index[i] = p->nb++;
        memcpy(p->target[n], b.v_free, sizeof b.v_free);
        peg_quat_to_mat(b.q, R);
        peg_world_inertia(&b, R, I);
        p->mass[n].inv_mass = 1 / b.mass;
        invert(I, p->mass[n].inv_inertia);
    }
}

static peg_joint_place place_of(const jointed *s, const prediction *p, int body)
{
    peg_joint_place place = {.index = -1};
    if (body < 0) return place;
    place.index = p->index[body];
    peg_copy3(dBodyGetLinearVel(s->body[body]), place.v);
    peg_copy3(dBodyGetAngularVel(s->body[body]), place.v + 3);
    return place;
}

static void read_joints(jointed *s, double h, prediction *p)
{
    peg_joint_row *row;
    dJointID *joint;
    int n;
    ck_assert_int_eq(
        peg_joint_set_rows(&s->set, &p->arena, &s->number, h, &row, &joint, &n, &p->notes), PEG_OK);
    for (int i = 0; i < n; i++) {
        peg_joint_place a = place_of(s, p, row[i].body_a), b = place_of(s, p, row[i].body_b);
        p->of[p->m] = &row[i];
        p->joint[p->m] = joint[i];
        p->sign[p->m] = peg_joint_lcp_row(&row[i], &a, &b, &p->row[p->m]);
        if (p->sign[p->m] == 0) continue;
        p->m++;
        if (a.index >= 0)
            peg_add_impulse(&p->mass[a.index], row[i].Ja, row[i].push, p->target[a.index]);
        if (b.index >= 0)
            peg_add_impulse(&p->mass[b.index], row[i].Jb, row[i].push, p->target[b.index]);
    }
}

/* A row as a contact makes it, between random points; soft, as joints may leave a body no way. */
static void add_contact(prediction *p)
{
    double n[3], arm[3];
    peg_lcp_row *row = &p->row[p->m + p->contacts++];
    *row = (peg_lcp_row){.body_a = (int)uniform(0, p->nb), .body_b = -1, .normal = -1};
    if (chance(.5)) row->body_b = (row->body_a + 1) % p->nb;
    random_unit(n);
    random_vector(1, arm);
    peg_copy3(n, row->Ja);
    peg_cross(arm, n, row->Ja + 3);
    random_vector(1, arm);
    for (int k = 0; k < 3; k++) row->Jb[k] = -n[k];
    peg_cross(n, arm, row->Jb + 3);
    row->b = uniform(-.5, .5);
    row->c = uniform(.01, .1);
}

static void solve(prediction *p)
{
    peg_problem problem = {p->nb, p->m + p->contacts, p->mass, (const double(*)[6])p->target,
                           p->row};
    peg_solution solution = {.v = p->v, .lambda = p->lambda};
    memcpy(p->v, p->target, sizeof p->v);
    if (problem.m == 0) return;
    peg_outcome outcome =
        peg_solve(&p->arena, &problem,
                  &(peg_solve_options){.solver = PEG_SOLVER_AUTO, .tolerance = 1e-10}, &solution);
    ck_assert_msg(outcome == PEG_SOLVED || outcome == PEG_LAGGED, "%s", peg_outcome_name(outcome));
    p->outcome = outcome;
}

static void predict(jointed *s, double h, int contacts, prediction *p)
{
    *p = (prediction){0};
    read_bodies(s, h, p);
    read_joints(s, h, p);
    for (int i = 0; i < contacts; i++) add_contact(p);
    solve(p);
}

/* Largest difference of velocities, relative to the largest velocity. */
static double difference(const jointed *s, const prediction *p)
{
    double size = 0, error = 0;
    for (int i = 0; i < s->bodies; i++) {
        if (p->index[i] < 0) continue;
        const dReal *v = dBodyGetLinearVel(s->body[i]), *w = dBodyGetAngularVel(s->body[i]);
        for (int k = 0; k < 6; k++) {
            double is = k < 3 ? v[k] : w[k - 3];
            size = fmax(size, fmax(fabs(is), fabs(p->target[p->index[i]][k])));
            error = fmax(error, fabs(is - p->v[p->index[i]][k]));
        }
    }
    return error / size;
}

/* --- one joint ------------------------------------------------------------------------------ */

/* What the cases met. */
typedef struct tally {
    int low, high, between, saturated, pushed;
    double error; /* largest, relative */
} tally;

static void count(const prediction *p, tally *t)
{
    for (int i = 0; i < p->m; i++) {
        const peg_joint_row *row = p->of[i];
        t->low += row->lo == 0;
        t->high += row->hi == 0;
        t->pushed += row->push != 0;
        if (row->hi == 0 || !isfinite(row->hi)) continue;
        int saturated = fabs(fabs(p->lambda[i]) - row->hi) < 1e-9 * row->hi;
        t->saturated += saturated;
        t->between += !saturated;
    }
}

static void compare_step(jointed *s, double h, tally *t)
{
    prediction p;
    predict(s, h, 0, &p);
    ck_assert_int_eq(p.notes.inferred, 0);
    count(&p, t);
    ck_assert(dWorldStep(s->world, h));
    t->error = fmax(t->error, difference(s, &p));
    peg_arena_free(&p.arena);
}

enum { PAIR, FIRST, SECOND, KINEMATIC_FIRST, KINEMATIC_SECOND, ORDERS };

static void one_state(const kind *k, int order, int limits, tally *t)
{
    jointed s;
    begin(&s, 2);
    if (order == KINEMATIC_FIRST) dBodySetKinematic(s.body[0]);
    if (order == KINEMATIC_SECOND) dBodySetKinematic(s.body[1]);
    add_joint(&s, k, order == SECOND ? 0 : s.body[0], order == FIRST ? 0 : s.body[1], limits);
    double h = uniform(.001, .05);
    if (k->warm) { /* its memory starts with the first step, in the pose where it was set */
        tally first = {0};
        compare_step(&s, h, &first);
        if (k->warm == 1) t->error = fmax(t->error, first.error);
        disturb_all(&s);
        compare_step(&s, h, t);
    }
    disturb_all(&s);
    compare_step(&s, h, t);
    end(&s);
}

START_TEST(rows_are_odes)
{
    const kind *k = &KIND[_i];
    static const int LIMITS[] = {
        0, STOPS, MOTOR, STOPS | MOTOR, STOPS | BOUNCE, STOPS | MOTOR | BOUNCE};
    tally t = {0};
    for (int order = 0; order < ORDERS; order++) {
        if (k->two && (order == FIRST || order == SECOND)) continue;
        for (size_t l = 0; l < (k->param ? sizeof LIMITS / sizeof *LIMITS : 1); l++)
            for (int i = 0; i < STATES; i++) one_state(k, order, LIMITS[l], &t);
    }
    if (getenv("JOINTS_VERBOSE"))
        fprintf(stderr, "%-18s %.1e  low %d high %d motor %d saturated %d pushed %d\n", k->name,
                t.error, t.low, t.high, t.between, t.saturated, t.pushed);
    ck_assert_double_le(t.error, TOLERANCE);
    if (k->param) ck_assert(t.between > STATES / 2 && t.saturated > STATES / 2);
    if (k->stops) ck_assert(t.low > STATES && t.high > STATES && t.pushed > STATES);
}
END_TEST

/* --- many joints ---------------------------------------------------------------------------- */

/* A tree of random joints: each body hangs on an earlier one; the first is free, kinematic, or
 * hangs on the world. Some joints are disabled. */
static void random_tree(jointed *s)
{
    begin(s, BODIES);
    if (chance(.2)) dBodySetKinematic(s->body[0]);
    for (int i = dBodyIsKinematic(s->body[0]) || chance(.5); i < BODIES; i++) {
        const kind *k = &KIND[(int)uniform(0, KINDS)];
        dBodyID other = i ? s->body[(int)uniform(0, i)] : 0;
        if (k->warm || (!other && k->two) || (other && k->create == dJointCreatePlane2D)) continue;
        int swap = chance(.5);
        dJointID j = add_joint(s, k, swap ? other : s->body[i], swap ? s->body[i] : other,
                               (int)uniform(0, 8));
        if (chance(.1)) dJointDisable(j);
    }
    disturb_all(s);
}

START_TEST(many_joints_are_odes)
{
    tally t = {0};
    for (int i = 0; i < 10 * STATES; i++) {
        jointed s;
        random_tree(&s);
        compare_step(&s, uniform(.001, .05), &t);
        end(&s);
    }
    if (getenv("JOINTS_VERBOSE")) fprintf(stderr, "%-18s %.1e\n", "trees", t.error);
    ck_assert_double_le(t.error, TOLERANCE);
}
END_TEST

/* Closed loops say things twice: planks that are hinged to each other at both sides, and at both
 * ends to the world, in one line, where they hold each other's heights by nothing. With ODE's
 * default CFM (1e-10 in double precision) the impulses are hardly determined; the velocities, which
 * an answer with its certificate may miss by residual / (2 sqrt c), are. */
START_TEST(closed_loops_are_odes_to_five_digits)
{
    double error = 0;
    jointed s;
    seed_random((unsigned long long)_i + 1);
    begin(&s, BODIES);
    dWorldSetCFM(s.world, 1e-10);
    for (int i = 0; i < BODIES; i++) {
        dBodySetQuaternion(s.body[i], (dQuaternion){1});
        dBodySetPosition(s.body[i], i, 0, 1);
    }
    for (int i = 0; i < 2 * (BODIES + 1); i++) {
        dBodyID left = i / 2 ? s.body[i / 2 - 1] : 0, right = i / 2 < BODIES ? s.body[i / 2] : 0;
        dJointID j = s.joint[s.joints++] = dJointCreateHinge(s.world, 0);
        dJointAttach(j, left, right);
        dJointSetHingeAnchor(j, i / 2 - .5, i % 2 - .5, 1);
        dJointSetHingeAxis(j, 0, 1, 0);
    }
    for (int i = 0; i < STATES / 4; i++) {
        prediction p;
        predict(&s, .01, 0, &p);
        ck_assert(p.outcome == PEG_SOLVED);
        ck_assert(dWorldStep(s.world, .01));
        error = fmax(error, difference(&s, &p));
        peg_arena_free(&p.arena);
    }
    if (getenv("JOINTS_VERBOSE")) fprintf(stderr, "%-18s %.1e\n", "closed loops", error);
    ck_assert_double_le(error, 1e-5);
    end(&s);
}
END_TEST

/* --- contacts and joints ---------------------------------------------------------------------- */

/* Hands the impulses of a range of rows to ODE as forces. */
static void hand_over(const jointed *s, const prediction *p, double h, int first, int end_row)
{
    for (int b = 0; b < s->bodies; b++) {
        double f[6] = {0};
        for (int i = first; i < end_row && p->index[b] >= 0; i++)
            for (int k = 0; k < 6; k++) {
                if (p->row[i].body_a == p->index[b]) f[k] += p->row[i].Ja[k] * p->lambda[i] / h;
                if (p->row[i].body_b == p->index[b]) f[k] += p->row[i].Jb[k] * p->lambda[i] / h;
            }
        if (p->index[b] < 0) continue;
        dBodyAddForce(s->body[b], f[0], f[1], f[2]);
        dBodyAddTorque(s->body[b], f[3], f[4], f[5]);
    }
}

/* ODE solves the joints again, and comes to the same when it is given the contacts' impulses; its
 * feedback then tells our joints' impulses. */
static double feedback_error(const prediction *p, double h)
{
    double error = 0, size = 0;
    for (int i = 0; i < p->m;) {
        dJointID j = p->joint[i];
        const dJointFeedback *is = dJointGetFeedback(j);
        double f[12] = {0};
        for (; i < p->m && p->joint[i] == j; i++)
            for (int k = 0; k < 6; k++) {
                f[k] += p->row[i].Ja[k] * p->lambda[i] / h;
                f[6 + k] += p->row[i].Jb[k] * p->lambda[i] / h;
            }
        dBodyID body[2];
        peg_joint_bodies(j, body);
        for (int k = 0; k < 12; k++) {
            const dReal *of[4] = {is->f1, is->t1, is->f2, is->t2};
            size = fmax(size, fabs(f[k]));
            if (k < 6 || body[1]) error = fmax(error, fabs(f[k] - of[k / 3][k % 3]));
        }
    }
    return size > 0 ? error / size : 0;
}

START_TEST(contacts_as_forces_leave_ode_our_joints)
{
    double error = 0, feedback = 0;
    for (int i = 0; i < 5 * STATES; i++) {
        jointed s;
        prediction p;
        dJointFeedback is[JOINTS];
        double h = uniform(.001, .05);
        random_tree(&s);
        for (int j = 0; j < s.joints; j++) dJointSetFeedback(s.joint[j], &is[j]);
        predict(&s, h, CONTACTS, &p);
        hand_over(&s, &p, h, p.m, p.m + p.contacts);
        ck_assert(dWorldStep(s.world, h));
        error = fmax(error, difference(&s, &p));
        feedback = fmax(feedback, feedback_error(&p, h));
        peg_arena_free(&p.arena);
        end(&s);
    }
    if (getenv("JOINTS_VERBOSE"))
        fprintf(stderr, "%-18s %.1e  feedback %.1e\n", "with contacts", error, feedback);
    ck_assert_double_le(error, TOLERANCE);
    ck_assert_double_le(feedback, 1e-6); /* impulses are worse conditioned than velocities */
}
END_TEST

/* The step that only iterates: what it leaves, with the contacts' impulses handed over, and exact
 * with all impulses (and pushes) handed over and the joints disabled. */
START_TEST(quick_step_wants_all_impulses)
{
    double error[2] = {0}, mean[2] = {0};
    for (int i = 0; i < 2 * STATES; i++) {
        jointed s;
        prediction p;
        double h = uniform(.001, .05);
        random_tree(&s);
        predict(&s, h, CONTACTS, &p);
        int all = i % 2;
        hand_over(&s, &p, h, all ? 0 : p.m, p.m + p.contacts);
        for (int j = 0; j < s.joints && all; j++) dJointDisable(s.joint[j]);
        for (int r = 0; r < p.m && all; r++) p.lambda[r] = p.sign[r] * p.of[r]->push;
        if (all) hand_over(&s, &p, h, 0, p.m);
        ck_assert(dWorldQuickStep(s.world, h));
        double d = difference(&s, &p);
        error[all] = fmax(error[all], d);
        mean[all] += d / STATES;
        peg_arena_free(&p.arena);
        end(&s);
    }
    if (getenv("JOINTS_VERBOSE"))
        fprintf(stderr, "quick step: contacts alone %.1e (mean %.1e), all %.1e\n", error[0],
                mean[0], error[1]);
    ck_assert_double_le(error[1], 1e-12);
}
END_TEST

/* --- references ------------------------------------------------------------------------------- */

static int rows_of(jointed *s, peg_arena *arena, peg_joint_row **row, peg_joint_notes *notes)
{
    dJointID *joint;
    int n;
    ck_assert_int_eq(peg_joint_set_rows(&s->set, arena, &s->number, .01, row, &joint, &n, notes),
                     PEG_OK);
    return n;
}

/* A joint that is first seen in the pose where it was set gets the same rows as a captured one,
 * also later in another pose. */
START_TEST(first_seen_where_set_is_as_good)
{
    const kind *k = &KIND[_i];
    jointed s;
    peg_arena arena = {0};
    peg_joint_row *row[2];
    peg_joint_notes notes;
    peg_joint_set other = {0};
    int told = strcmp(k->name, "lmotor") == 0 || strcmp(k->name, "plane2d") == 0;
    if (told || k->warm) return;
    begin(&s, 2);
    dJointID j = add_joint(&s, k, s.body[0], s.body[1], STOPS);
    peg_joint_set captured = s.set;
    s.set = other;
    rows_of(&s, &arena, &row[0], &notes);
    ck_assert_int_eq(notes.inferred, peg_joint_needs_pose(j));
    other = s.set;
    disturb_all(&s);
    int n = rows_of(&s, &arena, &row[0], &notes);
    other = s.set;
    s.set = captured;
    ck_assert_int_eq(rows_of(&s, &arena, &row[1], &notes), n);
    ck_assert_int_eq(notes.inferred, 0);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq(row[0][i].rhs, row[1][i].rhs);
        ck_assert_mem_eq(row[0][i].Ja, row[1][i].Ja, sizeof row[0][i].Ja);
    }
    peg_joint_set_free(&other);
    peg_arena_free(&arena);
    end(&s);
}
END_TEST

START_TEST(a_new_setting_is_noticed)
{
    jointed s;
    peg_arena arena = {0};
    peg_joint_row *row;
    peg_joint_notes notes;
    begin(&s, 3);
    dJointID j = add_joint(&s, &KIND[1], s.body[0], s.body[1], 0);
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 5);
    ck_assert_int_eq(notes.inferred, 0);
    disturb_all(&s);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.inferred, 0);
    dJointSetHingeAxis(j, 1, 2, 3);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.inferred, 1);
    dJointSetHingeAxis(j, 3, 2, 1);
    peg_joint_capture(j, peg_joint_set_at(&s.set, j));
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.inferred, 0);
    dJointAttach(j, s.body[0], s.body[2]);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.inferred, 1);
    peg_arena_free(&arena);
    end(&s);
}
END_TEST

START_TEST(references_go_with_their_joints)
{
    jointed s;
    peg_arena arena = {0};
    peg_joint_row *row;
    peg_joint_notes notes;
    begin(&s, 2);
    add_joint(&s, &KIND[0], s.body[0], s.body[1], 0);
    dJointID fixed = add_joint(&s, &KIND[5], s.body[0], 0, 0);
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 9);
    ck_assert_int_eq(notes.joints, 2);
    ck_assert_int_eq(row[0].body_a, 0);
    ck_assert_int_eq(row[0].body_b, s.body[1] == dJointGetBody(s.joint[0], 1) ? row[0].body_b : 0);
    ck_assert_int_eq(s.set.id.n, 2);
    dJointDisable(fixed); /* as good as none */
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 3);
    ck_assert_int_eq(s.set.id.n, 1);
    dJointEnable(fixed);
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 9);
    ck_assert_int_eq(notes.inferred, 1);
    dJointAttach(fixed, 0, 0);
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 3);
    peg_arena_free(&arena);
    end(&s);
}
END_TEST

START_TEST(what_must_be_told_is_missed)
{
    jointed s;
    peg_arena arena = {0};
    peg_joint_row *row;
    peg_joint_notes notes;
    begin(&s, 2);
    dJointID j = dJointCreateLMotor(s.world, 0), plane = dJointCreatePlane2D(s.world, 0);
    dJointAttach(j, s.body[0], s.body[1]);
    dJointAttach(plane, s.body[1], 0);
    dJointSetLMotorNumAxes(j, 1);
    dJointSetLMotorAxis(j, 0, 1, 1, 0, 0);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.untold, 1); /* the linear motor drives nothing yet */
    dJointSetLMotorParam(j, dParamFMax, 1);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.untold, 2);
    peg_joint_tell_relative(peg_joint_set_at(&s.set, j), 0, 1);
    peg_joint_tell_plane(peg_joint_set_at(&s.set, plane), 0, dParamFMax, 0);
    rows_of(&s, &arena, &row, &notes);
    ck_assert_int_eq(notes.untold, 0);
    peg_arena_free(&arena);
    end(&s);
}
END_TEST

START_TEST(what_is_not_finite_is_a_status)
{
    jointed s;
    peg_arena arena = {0};
    peg_joint_row *row;
    dJointID *joint;
    int n;
    peg_joint_notes notes;
    begin(&s, 1);
    dJointID j = add_joint(&s, &KIND[1], s.body[0], 0, 0);
    dJointSetHingeParam(j, dParamFMax, dInfinity); /* a rigid drive */
    ck_assert_int_eq(rows_of(&s, &arena, &row, &notes), 6);
    dJointSetHingeParam(j, dParamVel, dInfinity);
    pegStatus status = peg_joint_set_rows(&s.set, &arena, &s.number, .01, &row, &joint, &n, &notes);
    ck_assert_int_eq(status, PEG_ERROR_NOT_FINITE);
    peg_arena_free(&arena);
    end(&s);
}
END_TEST

START_TEST(lack_of_memory_is_a_status)
{
    for (long n = 1;; n++) {
        jointed s;
        prediction p = {0};
        peg_joint_row *row;
        dJointID *joint;
        int rows;
        begin(&s, 3);
        for (int i = 0; i < 3; i++)
            add_joint(&s, &KIND[i], s.body[i], i < 2 ? s.body[i + 1] : 0, 0);
        peg_joint_set_free(&s.set);
        peg_memory_fail_at(n, 1);
        pegStatus status =
            peg_joint_set_rows(&s.set, &p.arena, &s.number, .01, &row, &joint, &rows, &p.notes);
        peg_memory_fail_at(0, 0);
        if (status != PEG_OK) {
            ck_assert_int_eq(status, PEG_ERROR_MEMORY);
            ck_assert_int_eq(
                peg_joint_set_rows(&s.set, &p.arena, &s.number, .01, &row, &joint, &rows, &p.notes),
                PEG_OK);
        }
        ck_assert_int_eq(rows, 3 + 5 + 5);
        peg_arena_free(&p.arena);
        end(&s);
        if (status == PEG_OK) break;
        ck_assert_int_lt(n, 100);
    }
}
END_TEST

static Suite *joints_suite(void)
{
    Suite *suite = suite_create("joints");
    TCase *rows = tcase_create("rows"), *loops = tcase_create("loops"),
          *references = tcase_create("references");
    tcase_set_timeout(rows, 120);
    tcase_set_timeout(loops, 120);
    tcase_add_loop_test(rows, rows_are_odes, 0, KINDS);
    tcase_add_test(rows, many_joints_are_odes);
    tcase_add_loop_test(loops, closed_loops_are_odes_to_five_digits, 0, 24);
    test_long(loops);
    tcase_add_test(rows, contacts_as_forces_leave_ode_our_joints);
    tcase_add_test(rows, quick_step_wants_all_impulses);
    tcase_add_loop_test(references, first_seen_where_set_is_as_good, 0, KINDS);
    tcase_add_test(references, a_new_setting_is_noticed);
    tcase_add_test(references, references_go_with_their_joints);
    tcase_add_test(references, what_must_be_told_is_missed);
    tcase_add_test(references, what_is_not_finite_is_a_status);
    tcase_add_test(references, lack_of_memory_is_a_status);
    suite_add_tcase(suite, rows);
    suite_add_tcase(suite, loops);
    suite_add_tcase(suite, references);
    return suite;
}

Suite *test_suite(void)
{
    dInitODE2(0);
    test_at_end(dCloseODE);
    return joints_suite();
}
