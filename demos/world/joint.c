/* Joints of scenes: thin wrappers of ODE's, and their errors measured from the bodies' poses alone.
 */
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

/* ---- building -------------------------------------------------------------------------------- */

static void to_world(const lab_world *w, const double *a, double factor, double out[3])
{
    static const double none[3];
    double scaled[3];
    for (int k = 0; k < 3; k++) scaled[k] = factor * (a ? a : none)[k];
    peg_rotate(w->turn, scaled, out);
}

lab_joint *lab_join(lab_world *w, lab_joint_kind kind, lab_body *a, lab_body *b,
                    const double anchor[3], const double axis1[3], const double axis2[3])
{
    if (w->failed || !a) return NULL;
    if (kind == LAB_PLANE2D && w->turn_q[0] != 1)
        lab_fail(w, "plane-2d joints know one plane only: this scene cannot be turned");
    lab_joint **list = realloc(w->joint, ((size_t)w->joints + 1) * sizeof *list);
    if (list) w->joint = list;
    lab_joint *j = list ? calloc(1, sizeof *j) : NULL;
    if (!j) {
        lab_fail(w, "out of memory");
        return NULL;
    }
    *j = (lab_joint){.world = w, .kind = kind, .a = a, .b = b};
    to_world(w, anchor, w->scale, j->anchor);
    to_world(w, axis1, 1, j->axis1);
    to_world(w, axis2, 1, j->axis2);
    w->joint[w->joints++] = j;
    return j;
}

lab_joint *lab_joint_at(const lab_world *w, int i)
{
    return w->joint[i];
}

int lab_joint_count(const lab_world *w)
{
    return w->joints;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Whether a group of parameters is about a length, not an angle. */
static int is_linear(lab_joint_kind kind, int group)
{
    switch (kind) {
    case LAB_SLIDER:
        return 1;
    case LAB_PISTON:
        return group == 0;
    case LAB_PU:
        return group == 2;
    case LAB_PLANE2D:
        return group < 2;
    default:
        return 0;
    }
}

/* Mass grows with the cube of the scale, accelerations with the scale. */
static double param_unit(const lab_world *w, int parameter, int linear)
{
    double s = w->scale, force = linear ? pow(s, 4) : pow(s, 5);
    switch (parameter % dParamGroup) {
    case dParamLoStop:
    case dParamHiStop:
    case dParamVel:
        return linear ? s : 1;
    case dParamFMax:
        return force;
    case dParamCFM:
    case dParamStopCFM:
        return linear ? pow(s, -3) : pow(s, -5);
    case dParamSuspensionCFM:
        return pow(s, -3);
    default:
        return 1;
    }
}

static void set_plane2d(lab_joint *j, int parameter, double value)
{
    typedef void setter(dJointID, int, dReal);
    static setter *const set[] = {dJointSetPlane2DXParam, dJointSetPlane2DYParam,
                                  dJointSetPlane2DAngleParam};
    int axis = parameter / dParamGroup, base = parameter % dParamGroup;
    set[axis](j->id, base, value);
    if (j->world->peg) pegJointSetPlane2DParam(j->world->peg, j->id, axis, base, value);
}

static void set_param(lab_joint *j, int parameter, double value)
{
    switch (j->kind) {
    case LAB_HINGE:
        dJointSetHingeParam(j->id, parameter, value);
        break;
    case LAB_SLIDER:
        dJointSetSliderParam(j->id, parameter, value);
        break;
    case LAB_UNIVERSAL:
        dJointSetUniversalParam(j->id, parameter, value);
        break;
    case LAB_HINGE2:
        dJointSetHinge2Param(j->id, parameter, value);
        break;
    case LAB_PISTON:
        dJointSetPistonParam(j->id, parameter, value);
        break;
    case LAB_PU:
        dJointSetPUParam(j->id, parameter, value);
        break;
    case LAB_PLANE2D:
        set_plane2d(j, parameter, value);
        break;
    case LAB_BALL:
    case LAB_FIXED:
        break;
    }
}

void lab_joint_param(lab_joint *j, int parameter, double value)
{
    if (!j || j->world->failed) return;
    value *= param_unit(j->world, parameter, is_linear(j->kind, parameter / dParamGroup));
    if (j->id) {
        set_param(j, parameter, value);
        return;
    }
    if (j->params == (int)(sizeof j->param / sizeof *j->param))
        lab_fail(j->world, "a joint has too many parameters");
    else
        j->param[j->params++] = (struct lab_param){parameter, value};
}

/* ---- making ---------------------------------------------------------------------------------- */

static dJointID create(dWorldID world, lab_joint_kind kind)
{
    typedef dJointID creator(dWorldID, dJointGroupID);
    static creator *const of[] = {dJointCreateBall,      dJointCreateHinge,  dJointCreateSlider,
                                  dJointCreateUniversal, dJointCreateHinge2, dJointCreateFixed,
                                  dJointCreatePiston,    dJointCreatePU,     dJointCreatePlane2D};
    return of[kind](world, NULL);
}

static void set_place(lab_joint *j)
{
    const double *x = j->anchor, *u = j->axis1, *v = j->axis2;
    dJointID id = j->id;
    double along[3];
    switch (j->kind) {
    case LAB_BALL:
        dJointSetBallAnchor(id, x[0], x[1], x[2]);
        break;
    case LAB_HINGE:
        dJointSetHingeAnchor(id, x[0], x[1], x[2]);
        dJointSetHingeAxis(id, u[0], u[1], u[2]);
        break;
    case LAB_SLIDER:
        dJointSetSliderAxis(id, u[0], u[1], u[2]);
        break;
    case LAB_UNIVERSAL:
        dJointSetUniversalAnchor(id, x[0], x[1], x[2]);
        dJointSetUniversalAxis1(id, u[0], u[1], u[2]);
        dJointSetUniversalAxis2(id, v[0], v[1], v[2]);
        break;
    case LAB_HINGE2:
        dJointSetHinge2Anchor(id, x[0], x[1], x[2]);
        dJointSetHinge2Axes(id, u, v);
        break;
    case LAB_FIXED:
        dJointSetFixed(id);
        break;
    case LAB_PISTON:
        dJointSetPistonAnchor(id, x[0], x[1], x[2]);
        dJointSetPistonAxis(id, u[0], u[1], u[2]);
        break;
    case LAB_PU:
        peg_cross(u, v, along);
        dJointSetPUAnchor(id, x[0], x[1], x[2]);
        dJointSetPUAxis1(id, u[0], u[1], u[2]);
        dJointSetPUAxis2(id, v[0], v[1], v[2]);
        dJointSetPUAxis3(id, along[0], along[1], along[2]);
        break;
    case LAB_PLANE2D:
        break;
    }
}

/* The world is a body at 0. */
static lab_state state_of(const lab_body *b)
{
    return b ? b->now : (lab_state){.q = {1, 0, 0, 0}};
}

static void relative_turn(const lab_state *a, const lab_state *b, double turn[4])
{
    double back[4] = {a->q[0], -a->q[1], -a->q[2], -a->q[3]};
    peg_quat_mul(back, b->q, turn);
}

void lab_make_joint(lab_joint *j)
{
    lab_world *w = j->world;
    if (!w->ode || !j->a->id || (j->b && j->b->kind != LAB_STATIC && !j->b->id)) {
        lab_fail(w, "a joint's bodies must be there from the start");
        return;
    }
    j->id = create(w->ode, j->kind);
    dJointAttach(j->id, j->a->id, j->b ? j->b->id : NULL);
    dJointSetFeedback(j->id, &j->feedback);
    set_place(j);
    lab_state s[2] = {state_of(j->a), state_of(j->b)};
    for (int side = 0; side < 2; side++) {
        double R[9], d[3];
        peg_quat_to_mat(s[side].q, R);
        peg_sub(j->anchor, s[side].x, d);
        peg_rotate_back(R, d, j->point[side]);
        int second =
            side && (j->kind == LAB_UNIVERSAL || j->kind == LAB_HINGE2 || j->kind == LAB_PU);
        peg_rotate_back(R, second ? j->axis2 : j->axis1, j->axis[side]);
    }
    relative_turn(&s[0], &s[1], j->turn);
    if (w->peg) pegJointSetReferencePose(w->peg, j->id);
    for (int i = 0; i < j->params; i++) set_param(j, j->param[i].parameter, j->param[i].value);
}

/* ---- while the scene runs ----------------------------------------------------------------------
 */

double lab_joint_angle(const lab_joint *j)
{
    return j->id ? dJointGetHingeAngle(j->id) : 0;
}

double lab_joint_steering(const lab_joint *j)
{
    return dJointGetHinge2Angle1(j->id);
}

double lab_joint_force(const lab_joint *j)
{
    return fmax(peg_norm(j->feedback.f1), peg_norm(j->feedback.f2)) / pow(j->world->scale, 4);
}

void lab_joint_break(lab_joint *j)
{
    j->broken = 1;
    dJointAttach(j->id, NULL, NULL);
}

int lab_joint_is_broken(const lab_joint *j)
{
    return j->broken;
}

int *lab_joint_counter(lab_joint *j)
{
    return &j->counter;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Part of the distance d that the joint forbids; axis[k]: as each body has it now. */
static double forbidden(const lab_joint *j, const double d[3], const double axis[2][3])
{
    double along[3];
    switch (j->kind) {
    case LAB_SLIDER:
    case LAB_PISTON:
        peg_copy3(axis[0], along);
        break;
    case LAB_HINGE2:
        peg_copy3(axis[0], along);
        break; /* the suspension */
    case LAB_PU:
        peg_cross(axis[0], axis[1], along);
        break;
    case LAB_PLANE2D:
        return fabs(d[2]);
    default:
        return peg_norm(d);
    }
    double l = peg_norm(along), side[3];
    if (l == 0) return peg_norm(d);
    peg_add_scaled(d, -peg_dot(d, along) / (l * l), along, side);
    return peg_norm(side);
}

static double skew(const lab_joint *j, const double axis[2][3], const lab_state s[2])
{
    double c[3], turn[4], R[9];
    switch (j->kind) {
    case LAB_BALL:
        return 0;
    case LAB_HINGE:
    case LAB_PISTON:
        peg_cross(axis[0], axis[1], c);
        return asin(fmin(1, peg_norm(c) / (peg_norm(axis[0]) * peg_norm(axis[1]))));
    case LAB_UNIVERSAL:
    case LAB_HINGE2:
    case LAB_PU:
        return asin(
            fmin(1, fabs(peg_dot(axis[0], axis[1])) / (peg_norm(axis[0]) * peg_norm(axis[1]))));
    case LAB_PLANE2D:
        peg_quat_to_mat(s[0].q, R);
        return hypot(R[2], R[5]);
    case LAB_SLIDER:
    case LAB_FIXED:
        break;
    }
    relative_turn(&s[0], &s[1], turn);
    double back[4] = {j->turn[0], -j->turn[1], -j->turn[2], -j->turn[3]}, off[4];
    peg_quat_mul(turn, back, off);
    return 2 * asin(fmin(1, peg_norm(off + 1)));
}

void lab_joint_error(const lab_joint *j, double *apart, double *askew)
{
    lab_state s[2] = {state_of(j->a), state_of(j->b)};
    double point[2][3], axis[2][3], d[3];
    for (int side = 0; side < 2; side++) {
        double R[9];
        peg_quat_to_mat(s[side].q, R);
        peg_rotate(R, j->point[side], point[side]);
        peg_add_scaled(point[side], 1, s[side].x, point[side]);
        peg_rotate(R, j->axis[side], axis[side]);
    }
    peg_sub(point[0], point[1], d);
    if (apart) *apart = forbidden(j, d, (const double(*)[3])axis) / j->world->scale;
    if (askew) *askew = skew(j, (const double(*)[3])axis, s);
}
