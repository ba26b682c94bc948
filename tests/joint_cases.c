#include "tests/joint_cases.h"

#include "peg/base/math.h"

/* --- random --------------------------------------------------------------------------------- */

static unsigned long long seed;

void seed_random(unsigned long long value)
{
    seed = value;
}

double uniform(double lo, double hi)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return lo + (hi - lo) * (double)(seed >> 11) / 9007199254740992.0;
}

int chance(double p)
{
    return uniform(0, 1) < p;
}

void random_vector(double size, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = uniform(-size, size);
}

void random_unit(double u[3])
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

dBodyID random_body(dWorldID world)
{
    dBodyID body = dBodyCreate(world);
    dQuaternion q;
    dMass mass;
    double x[3];
    for (int k = 0; k < 4; k++) q[k] = uniform(-1, 1);
    random_vector(2, x);
    double side[3]; /* one after the other: the order of a call's arguments is the compiler's */
    for (int k = 2; k >= 0; k--) side[k] = uniform(.3, 2);
    dMassSetBoxTotal(&mass, uniform(.2, 5), side[0], side[1], side[2]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x[0], x[1], x[2]);
    dBodySetQuaternion(body, q);
    return body;
}

/* A motion away from where the joint was set, velocities and forces. */
void disturb(dBodyID body, double error)
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
    if (chance(.3)) { /* ODE takes this one as it is: in the body's frame */
        double x[3];
        random_vector(1, x);
        dJointSetBallAnchor2(j, x[0], x[1], x[2]);
    }
    own_softness(j, dJointSetBallParam);
}

static void set_hinge(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetHingeAnchor);
    if (chance(.5)) {
        give_axis(j, dJointSetHingeAxis);
    } else {
        double u[3];
        random_unit(u);
        dJointSetHingeAxisOffset(j, u[0], u[1], u[2], uniform(-1, 1));
    }
}

static void set_slider(dJointID j, peg_joint_reference *r)
{
    (void)r;
    double u[3], d = chance(.5) ? uniform(-.3, .3) : 0;
    random_unit(u);
    dJointSetSliderAxisDelta(j, u[0], u[1], u[2], d * u[0], d * u[1], d * u[2]);
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
    double x[3], u[3], d = chance(.5) ? uniform(-.3, .3) : 0;
    random_vector(2, x);
    random_unit(u);
    give_axes(j, dJointSetPUAxis1, dJointSetPUAxis2);
    give(j, dJointSetPUAxis3, u);
    dJointSetPUAnchorOffset(j, x[0], x[1], x[2], d * u[0], d * u[1], d * u[2]);
}

static void set_piston(dJointID j, peg_joint_reference *r)
{
    (void)r;
    double x[3], d[3];
    random_vector(2, x);
    random_vector(chance(.5) ? .3 : 0, d);
    give_axis(j, dJointSetPistonAxis);
    dJointSetPistonAnchorOffset(j, x[0], x[1], x[2], d[0], d[1], d[2]);
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
            peg_joint_tell_plane(r, i, parameter[k], value[k]);
        }
    }
}

static void set_dball(dJointID j, peg_joint_reference *r)
{
    (void)r;
    give_point(j, dJointSetDBallAnchor1);
    give_point(j, dJointSetDBallAnchor2);
    if (chance(.5)) dJointSetDBallDistance(j, uniform(0, 2));
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

const kind KIND[KINDS] = {
    {"ball", dJointCreateBall, set_ball, NULL, 0, 0, 0, 0},
    {"hinge", dJointCreateHinge, set_hinge, dJointSetHingeParam, 1, 1, 0, 0},
    {"slider", dJointCreateSlider, set_slider, dJointSetSliderParam, 1, 1, 0, 0},
    {"universal", dJointCreateUniversal, set_universal, dJointSetUniversalParam, 2, 1, 0, 0},
    {"hinge2", dJointCreateHinge2, set_hinge2, dJointSetHinge2Param, 2, 1, 1, 0},
    {"fixed", dJointCreateFixed, set_fixed, NULL, 0, 0, 0, 0},
    {"PR", dJointCreatePR, set_pr, dJointSetPRParam, 2, 1, 0, 0},
    {"PU", dJointCreatePU, set_pu, dJointSetPUParam, 3, 1, 0, 0},
    {"piston", dJointCreatePiston, set_piston, dJointSetPistonParam, 2, 1, 0, 0},
    {"amotor", dJointCreateAMotor, set_amotor, dJointSetAMotorParam, 3, 1, 0, 0},
    {"amotor-euler", dJointCreateAMotor, set_euler, dJointSetAMotorParam, 3, 1, 0, 0},
    {"lmotor", dJointCreateLMotor, set_lmotor, dJointSetLMotorParam, 3, 0, 0, 0},
    {"plane2d", dJointCreatePlane2D, set_plane2d, NULL, 0, 0, 0, 0},
    {"dball", dJointCreateDBall, set_dball, NULL, 0, 0, 0, 0},
    {"dhinge", dJointCreateDHinge, set_dhinge, NULL, 0, 0, 0, 0},
    {"gears-parallel", dJointCreateTransmission, set_parallel, NULL, 0, 0, 1, 1},
    {"gears-intersecting", dJointCreateTransmission, set_intersecting, NULL, 0, 0, 1, 1},
    {"gears-chain", dJointCreateTransmission, set_chain, NULL, 0, 0, 1, 2},
};

/* --- limits and motors ---------------------------------------------------------------------- */

void set_limits(const kind *k, dJointID j, int what)
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
