/* That the rows of every joint type are ODE's: bodies in random states, with the joint in error,
 * are stepped by dWorldStep, and their velocity is compared with the one that the mixed LCP of our
 * rows predicts. The cases vary the bodies' order, a missing and a kinematic body, stops, motors
 * and bounce. */
#include "ode_glue/free.h"
#include "ode_glue/joint.h"
#include "ode_glue/joint_lcp.h"
#include "peg/problem.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest relative error of a predicted velocity. */
#define TOLERANCE 1e-9
#define STATES    200

enum { BODIES_MAX = 4, JOINTS_MAX = 4, ROWS_MAX = JOINTS_MAX * PEG_JOINT_ROWS + 4 };

/* --- random --------------------------------------------------------------------------------- */

static unsigned long long seed;

static double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

static int chance(double p)
{
    return uniform(0, 1) < p;
}

static void random_vector(double size, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = uniform(-size, size);
}

static void random_unit(double u[3])
{
    do random_vector(1, u);
    while (peg_norm(u) < .1 || peg_norm(u) > 1);
    peg_normalise(u);
}

static void random_normal_to(const double u[3], double n[3])
{
    double r[3];
    do {
        random_unit(r);
        peg_cross(u, r, n);
    } while (peg_norm(n) < .3);
    peg_normalise(n);
}

static dBodyID random_body(dWorldID world)
{
    dBodyID body = dBodyCreate(world);
    dQuaternion q;
    dMass mass;
    double x[3];
    for (int k = 0; k < 4; k++) q[k] = uniform(-1, 1);
    random_vector(2, x);
    dMassSetBoxTotal(&mass, uniform(.2, 5), uniform(.3, 2), uniform(.3, 2), uniform(.3, 2));
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x[0], x[1], x[2]);
    dBodySetQuaternion(body, q);
    return body;
}

/* A motion away from where the joint was set, velocities and forces. */
static void disturb(dBodyID body, double error)
{
    double u[3], v[3], x[3];
    dQuaternion turn, q;
    random_unit(u);
    random_vector(error, x);
    dQFromAxisAndAngle(turn, u[0], u[1], u[2], uniform(-2 * error, 2 * error));
    dQMultiply0(q, turn, dBodyGetQuaternion(body));
    dBodySetQuaternion(body, q);
    const dReal *at = dBodyGetPosition(body);
    dBodySetPosition(body, at[0] + x[0], at[1] + x[1], at[2] + x[2]);
    random_vector(2, v);
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    random_vector(2, v);
    dBodySetAngularVel(body, v[0], v[1], v[2]);
    if (dBodyIsKinematic(body)) return;
    random_vector(10, v);
    dBodyAddForce(body, v[0], v[1], v[2]);
    random_vector(10, v);
    dBodyAddTorque(body, v[0], v[1], v[2]);
}

/* --- joint types ---------------------------------------------------------------------------- */

typedef void set_param(dJointID, int, dReal);
typedef void set_vector(dJointID, dReal, dReal, dReal);

static void give(dJointID j, set_vector *set, const double v[3])
{
    set(j, v[0], v[1], v[2]);
}

static void give_point(dJointID j, set_vector *set)
{
    double x[3];
    random_vector(2, x);
    give(j, set, x);
}

static void give_axis(dJointID j, set_vector *set)
{
    double u[3];
    random_unit(u);
    give(j, set, u);
}

static void give_axes(dJointID j, set_vector *first, set_vector *second)
{
    double u[3], n[3];
    random_unit(u);
    random_normal_to(u, n);
    give(j, first, u);
    give(j, second, n);
}

static void own_softness(dJointID j, set_param *set)
{
    set(j, dParamERP, uniform(.1, .9));
    set(j, dParamCFM, uniform(0, 1e-3));
}

static void set_ball(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetBallAnchor);
    own_softness(j, dJointSetBallParam);
}

static void set_hinge(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetHingeAnchor);
    give_axis(j, dJointSetHingeAxis);
}

static void set_slider(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_axis(j, dJointSetSliderAxis);
}

static void set_universal(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetUniversalAnchor);
    give_axes(j, dJointSetUniversalAxis1, dJointSetUniversalAxis2);
}

static void set_hinge2(dJointID j, peg_joint_reference *r)
{
    (void)r;
    double axis1[3], axis2[3];
    random_unit(axis1);
    random_normal_to(axis1, axis2);
    peg_add_scaled(axis2, uniform(-.5, .5), axis1, axis2);
    give_point(j, dJointSetHinge2Anchor);
    dJointSetHinge2Axes(j, axis1, axis2);
    dJointSetHinge2Param(j, dParamSuspensionERP, uniform(.1, .9));
    dJointSetHinge2Param(j, dParamSuspensionCFM, uniform(0, 1e-2));
}

static void set_fixed(dJointID j, peg_joint_reference *r)
{
    (void)r;
    dJointSetFixed(j);
    own_softness(j, dJointSetFixedParam);
}

static void set_pr(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetPRAnchor);
    give_axes(j, dJointSetPRAxis1, dJointSetPRAxis2);
}

static void set_pu(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetPUAnchor);
    give_axes(j, dJointSetPUAxis1, dJointSetPUAxis2);
    give_axis(j, dJointSetPUAxis3);
}

static void set_piston(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetPistonAnchor);
    give_axis(j, dJointSetPistonAxis);
}

/* An axis for motors with up to three that are nearly normal to each other. */
static void motor_axis(int i, double u[3])
{
    for (int k = 0; k < 3; k++) u[k] = (k == i) + uniform(-.2, .2);
}

static void set_amotor(dJointID j, peg_joint_reference *r)
{
    (void)r;
    double u[3];
    int n = 1 + (int)uniform(0, 3);
    dJointSetAMotorNumAxes(j, n);
    for (int i = 0; i < n; i++) {
        motor_axis(i, u);
        dJointSetAMotorAxis(j, i, (int)uniform(0, 3), u[0], u[1], u[2]);
        dJointSetAMotorAngle(j, i, uniform(-1, 1));
    }
}

static void set_euler(dJointID j, peg_joint_reference *r)
{
    (void)r;
    double u[3], n[3];
    random_unit(u);
    random_normal_to(u, n);
    dJointSetAMotorMode(j, dAMotorEuler);
    dJointSetAMotorAxis(j, 0, 1, u[0], u[1], u[2]);
    dJointSetAMotorAxis(j, 2, 2, n[0], n[1], n[2]);
}

static void set_lmotor(dJointID j, peg_joint_reference *r)
{
    double u[3];
    int n = 1 + (int)uniform(0, 3);
    dJointSetLMotorNumAxes(j, n);
    for (int i = 0; i < n; i++) {
        int rel = (int)uniform(0, 3);
        motor_axis(i, u);
        dJointSetLMotorAxis(j, i, rel, u[0], u[1], u[2]);
        peg_joint_tell_relative(r, i, rel);
    }
}

static void set_plane2d(dJointID j, peg_joint_reference *r)
{
    static set_param *const set[3] = {dJointSetPlane2DXParam, dJointSetPlane2DYParam,
                                      dJointSetPlane2DAngleParam};
    for (int i = 0; i < 3; i++) {
        if (chance(.4)) continue;
        int parameter[3] = {dParamVel, dParamFMax, dParamCFM};
        double value[3] = {uniform(-1, 1), chance(.5) ? uniform(0, 5) : 1e3, uniform(0, 1e-3)};
        for (int k = 0; k < (chance(.5) ? 2 : 3); k++) {
            set[i](j, parameter[k], value[k]);
            peg_joint_tell_plane(j, r, i, parameter[k], value[k]);
        }
    }
}

static void set_dball(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetDBallAnchor1);
    give_point(j, dJointSetDBallAnchor2);
    own_softness(j, dJointSetDBallParam);
}

static void set_dhinge(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetDHingeAnchor1);
    give_point(j, dJointSetDHingeAnchor2);
    give_axis(j, dJointSetDHingeAxis);
    own_softness(j, dJointSetDHingeParam);
}

static void set_gears(dJointID j, int mode)
{
    double u[3], x[3], y[3];
    random_vector(1, x);
    random_unit(u);
    random_normal_to(u, y);
    peg_add_scaled(x, uniform(1, 3), y, y);
    dJointSetTransmissionMode(j, mode);
    if (mode == dTransmissionIntersectingAxes) {
        double n[3];
        random_normal_to(u, n);
        give(j, dJointSetTransmissionAxis1, u);
        give(j, dJointSetTransmissionAxis2, n);
    } else {
        give(j, dJointSetTransmissionAxis, u);
    }
    give(j, dJointSetTransmissionAnchor1, x);
    give(j, dJointSetTransmissionAnchor2, y);
    if (mode == dTransmissionParallelAxes) dJointSetTransmissionRatio(j, uniform(.3, 3));
    if (mode == dTransmissionChainDrive) {
        dJointSetTransmissionRadius1(j, uniform(.2, .5));
        dJointSetTransmissionRadius2(j, uniform(.2, .5));
    }
    if (chance(.4)) dJointSetTransmissionBacklash(j, uniform(0, .1));
    own_softness(j, dJointSetTransmissionParam);
}

static void set_parallel(dJointID j, peg_joint_reference *r)
{
    (void)r;
    set_gears(j, dTransmissionParallelAxes);
}

static void set_intersecting(dJointID j, peg_joint_reference *r)
{
    (void)r;
    set_gears(j, dTransmissionIntersectingAxes);
}

static void set_chain(dJointID j, peg_joint_reference *r)
{
    (void)r;
    set_gears(j, dTransmissionChainDrive);
}

typedef struct kind {
    const char *name;
    dJointID (*create)(dWorldID, dJointGroupID);
    void (*set)(dJointID, peg_joint_reference *); /* in random places */
    set_param *param;                             /* of limits and motors, or null */
    int groups;                                   /* of parameters */
    int two;                                      /* needs two bodies */
    int warm; /* has memory of its own: steps on; 2: rounding decides what its first step does */
} kind;

static const kind KIND[] = {
    {"ball", dJointCreateBall, set_ball, NULL, 0, 0, 0},
    {"hinge", dJointCreateHinge, set_hinge, dJointSetHingeParam, 1, 0, 0},
    {"slider", dJointCreateSlider, set_slider, dJointSetSliderParam, 1, 0, 0},
    {"universal", dJointCreateUniversal, set_universal, dJointSetUniversalParam, 2, 0, 0},
    {"hinge2", dJointCreateHinge2, set_hinge2, dJointSetHinge2Param, 2, 1, 0},
    {"fixed", dJointCreateFixed, set_fixed, NULL, 0, 0, 0},
    {"PR", dJointCreatePR, set_pr, dJointSetPRParam, 2, 0, 0},
    {"PU", dJointCreatePU, set_pu, dJointSetPUParam, 3, 0, 0},
    {"piston", dJointCreatePiston, set_piston, dJointSetPistonParam, 2, 0, 0},
    {"amotor", dJointCreateAMotor, set_amotor, dJointSetAMotorParam, 3, 0, 0},
    {"amotor-euler", dJointCreateAMotor, set_euler, dJointSetAMotorParam, 3, 0, 0},
    {"lmotor", dJointCreateLMotor, set_lmotor, dJointSetLMotorParam, 3, 0, 0},
    {"plane2d", dJointCreatePlane2D, set_plane2d, NULL, 0, 0, 0},
    {"dball", dJointCreateDBall, set_dball, NULL, 0, 0, 0},
    {"dhinge", dJointCreateDHinge, set_dhinge, NULL, 0, 0, 0},
    {"gears-parallel", dJointCreateTransmission, set_parallel, NULL, 0, 1, 1},
    {"gears-intersecting", dJointCreateTransmission, set_intersecting, NULL, 0, 1, 1},
    {"gears-chain", dJointCreateTransmission, set_chain, NULL, 0, 1, 2},
};
enum { KINDS = sizeof KIND / sizeof *KIND };

/* --- limits and motors ---------------------------------------------------------------------- */

enum { STOPS = 1, MOTOR = 2, BOUNCE = 4 };

static void set_limits(const kind *k, dJointID j, int what)
{
    for (int g = 0; g < k->groups; g++) {
        int group = g * dParamGroup;
        if (what & STOPS) {
            double lo = uniform(-.4, .3);
            k->param(j, group + dParamLoStop, lo);
            k->param(j, group + dParamHiStop, chance(.1) ? lo : lo + uniform(0, .4));
            k->param(j, group + dParamLoStop, lo);
            k->param(j, group + dParamStopERP, uniform(.1, .9));
            k->param(j, group + dParamStopCFM, uniform(0, 1e-3));
        }
        if (what & MOTOR) {
            k->param(j, group + dParamVel, chance(.2) ? 0 : uniform(-2, 2));
            k->param(j, group + dParamFMax, chance(.5) ? uniform(0, 5) : uniform(50, 500));
            k->param(j, group + dParamFudgeFactor, uniform(0, 1));
            k->param(j, group + dParamCFM, uniform(0, 1e-3));
        }
        if (what & BOUNCE) k->param(j, group + dParamBounce, uniform(0, 1));
    }
}

/* --- prediction ----------------------------------------------------------------------------- */

/* What the cases met. */
typedef struct tally {
    int states, low, high, between, saturated, pushed;
    double error; /* largest, relative */
} tally;

typedef struct system {
    dWorldID world;
    int bodies, joints;
    dBodyID body[BODIES_MAX];
    dJointID joint[JOINTS_MAX];
    peg_joint_reference reference[JOINTS_MAX];
} system_t;

static void invert(const double A[9], double out[9])
{
    double c[3][3];
    for (int i = 0; i < 3; i++) peg_cross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), c[i]);
    double det = peg_dot(A, c[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[3 * k + i] = c[i][k] / det;
}

typedef struct prediction {
    int m;
    peg_lcp_row row[ROWS_MAX];
    peg_mass_block mass[BODIES_MAX];
    double target[BODIES_MAX][6], v[BODIES_MAX][6], lambda[ROWS_MAX];
    int sign[ROWS_MAX], index[BODIES_MAX], nb;
    peg_joint_row of[ROWS_MAX];
    int joint[ROWS_MAX];
} prediction;

static peg_joint_place place_of(const system_t *s, const prediction *p, dBodyID id)
{
    peg_joint_place place = {.index = -1};
    if (!id) return place;
    for (int i = 0; i < s->bodies; i++)
        if (s->body[i] == id) place.index = p->index[i];
    peg_copy3(dBodyGetLinearVel(id), place.v);
    peg_copy3(dBodyGetAngularVel(id), place.v + 3);
    return place;
}

static void read_bodies(const system_t *s, double h, prediction *p)
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

static void add_rows(system_t *s, double h, prediction *p)
{
    for (int j = 0; j < s->joints; j++) {
        peg_joint_row row[PEG_JOINT_ROWS];
        dBodyID body[2];
        if (!dJointIsEnabled(s->joint[j])) continue;
        int n = peg_joint_rows(s->joint[j], &s->reference[j], h, row);
        peg_joint_bodies(s->joint[j], body);
        peg_joint_place a = place_of(s, p, body[0]), b = place_of(s, p, body[1]);
        for (int i = 0; i < n; i++) {
            p->of[p->m] = row[i];
            p->joint[p->m] = j;
            p->sign[p->m] = peg_joint_lcp_row(&row[i], &a, &b, &p->row[p->m]);
            if (p->sign[p->m] == 0) continue;
            p->m++;
            if (a.index >= 0)
                peg_joint_push(&row[i], row[i].Ja, &p->mass[a.index], p->target[a.index]);
            if (b.index >= 0)
                peg_joint_push(&row[i], row[i].Jb, &p->mass[b.index], p->target[b.index]);
        }
    }
}

static void solve(prediction *p)
{
    peg_arena arena = {0};
    peg_problem problem = {p->nb, p->m, p->mass, (const double(*)[6])p->target, p->row};
    peg_solution solution = {.v = p->v, .lambda = p->lambda};
    memcpy(p->v, p->target, sizeof p->v);
    if (p->m > 0) {
        peg_outcome outcome = peg_solve(&arena, &problem, PEG_SOLVER_AUTO, 1e-10, &solution);
        ck_assert_msg(outcome == PEG_SOLVED, "%s", peg_outcome_name(outcome));
    }
    peg_arena_free(&arena);
}

static void count(const prediction *p, tally *t)
{
    for (int i = 0; i < p->m; i++) {
        const peg_joint_row *row = &p->of[i];
        double lambda = p->sign[i] * p->lambda[i];
        t->low += row->lo == 0;
        t->high += row->hi == 0;
        if (row->hi > 0 && isfinite(row->hi)) {
            int saturated = fabs(fabs(lambda) - row->hi) < 1e-9 * row->hi;
            t->saturated += saturated;
            t->between += !saturated;
        }
        t->pushed += row->push != 0;
    }
}

/* Largest difference of velocities, relative to the largest velocity. */
static double difference(const system_t *s, const prediction *p)
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

static void predict(system_t *s, double h, prediction *p)
{
    *p = (prediction){0};
    read_bodies(s, h, p);
    add_rows(s, h, p);
    solve(p);
}

static double compare_step(system_t *s, double h, tally *t)
{
    prediction p;
    predict(s, h, &p);
    count(&p, t);
    dWorldStep(s->world, h);
    double error = difference(s, &p);
    t->states++;
    t->error = fmax(t->error, error);
    return error;
}

/* --- cases ---------------------------------------------------------------------------------- */

static dWorldID random_world(void)
{
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, uniform(-5, 5), uniform(-5, 5), uniform(-5, 5));
    dWorldSetERP(world, uniform(.1, .9));
    dWorldSetCFM(world, chance(.5) ? 1e-10 : uniform(0, 1e-3));
    return world;
}

enum { PAIR, FIRST, SECOND, KINEMATIC_FIRST, KINEMATIC_SECOND, ORDERS };

static const char *const ORDER[ORDERS] = {"a,b", "a,0", "0,b", "kinematic,b", "a,kinematic"};

static void add_joint(system_t *s, const kind *k, dBodyID a, dBodyID b)
{
    dJointID j = s->joint[s->joints] = k->create(s->world, 0);
    peg_joint_reference *r = &s->reference[s->joints++];
    dJointAttach(j, a, b);
    k->set(j, r);
    peg_joint_capture(j, r);
}

static double one_state(const kind *k, int order, int limits, tally *t)
{
    system_t s = {.world = random_world(), .bodies = 2};
    for (int i = 0; i < 2; i++) s.body[i] = random_body(s.world);
    if (order == KINEMATIC_FIRST) dBodySetKinematic(s.body[0]);
    if (order == KINEMATIC_SECOND) dBodySetKinematic(s.body[1]);
    add_joint(&s, k, order == SECOND ? 0 : s.body[0], order == FIRST ? 0 : s.body[1]);
    set_limits(k, s.joint[0], limits);
    double h = uniform(.001, .05), error = 0;
    for (int step = 0; step < (k->warm ? 3 : 1); step++) {
        if (k->warm && step == 0) {
            for (int i = 0; i < 2; i++) dBodySetAngularVel(s.body[i], 1, 0, 0);
        } else {
            for (int i = 0; i < 2; i++) disturb(s.body[i], .3);
        }
        if (k->warm == 2 && step == 0) {
            peg_joint_row row[PEG_JOINT_ROWS];
            peg_joint_rows(s.joint[0], &s.reference[0], h, row);
            dWorldStep(s.world, h);
        } else {
            error = fmax(error, compare_step(&s, h, t));
        }
    }
    ck_assert_msg(!s.reference[0].inferred, "%s: the reference was lost", k->name);
    dWorldDestroy(s.world);
    return error;
}

START_TEST(test_rows_are_odes)
{
    const kind *k = &KIND[_i];
    static const int LIMITS[] = {
        0, STOPS, MOTOR, STOPS | MOTOR, STOPS | BOUNCE, STOPS | MOTOR | BOUNCE};
    double worst = 0;
    tally all = {0};
    for (int order = 0; order < ORDERS; order++) {
        if (k->two && (order == FIRST || order == SECOND)) continue;
        for (size_t l = 0; l < (k->param ? sizeof LIMITS / sizeof *LIMITS : 1); l++) {
            tally t = {0};
            for (int i = 0; i < STATES; i++) one_state(k, order, LIMITS[l], &t);
            if (getenv("JOINTS_VERBOSE") || t.error > TOLERANCE)
                fprintf(stderr,
                        "%-18s %-12s limits %d: error %.1e low %d high %d motor %d/%d push %d\n",
                        k->name, ORDER[order], LIMITS[l], t.error, t.low, t.high, t.between,
                        t.saturated, t.pushed);
            worst = fmax(worst, t.error);
            all.low += t.low, all.high += t.high, all.between += t.between;
            all.saturated += t.saturated, all.pushed += t.pushed;
        }
    }
    fprintf(stderr, "%-18s largest error %.1e\n", k->name, worst);
    ck_assert_double_le(worst, TOLERANCE);
}
END_TEST

int main(void)
{
    dInitODE2(0);
    Suite *suite = suite_create("joints");
    TCase *rows = tcase_create("rows");
    tcase_set_timeout(rows, 120);
    tcase_add_loop_test(rows, test_rows_are_odes, 0, KINDS);
    suite_add_tcase(suite, rows);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    dCloseODE();
    return failed != 0;
}
