/* Joints that are motors, and plane 2d. */
#include "ode_glue/joints/joint_build.h"

/* Where a vector of one body would be if it had gone with the other since the motor was set. */
static void carry(const peg_joint_build *build, int from_b, const double v[3], double out[3])
{
    const peg_side *p = from_b ? &build->b : &build->a, *q = from_b ? &build->a : &build->b;
    peg_rotate_back(p->R, v, out);
    (from_b ? peg_to_a : peg_to_b)(build->reference, out, out);
    peg_rotate(q->R, out, out);
}

/* Angles of an angular motor in Euler mode: ax0 belongs to the program's first body, ax2 to its
 * second. The getters tell u0 = ax1 x ax2, ax1 and u2 = ax0 x ax1, the angles only as they were in
 * the last step. Their zero is where ax2 was in the first body when the motor was set, and ax0 in
 * the second. */
static void euler_angles(const peg_joint_build *build, dVector3 u[3], double angle[3])
{
    double ax0[3], ax2[3], then2[3], then0[3], q[3];
    peg_cross(u[1], u[2], ax0);
    peg_cross(u[0], u[1], ax2);
    carry(build, !build->reversed, ax2, then2);
    carry(build, build->reversed, ax0, then0);

    peg_cross(ax0, then2, q);
    angle[0] = -atan2(peg_dot(ax2, q), peg_dot(ax2, then2));
    peg_cross(ax0, u[1], q);
    angle[1] = -atan2(peg_dot(ax2, ax0), peg_dot(ax2, q));
    peg_cross(u[1], ax2, q);
    angle[2] = -atan2(peg_dot(then0, u[1]), peg_dot(then0, q));
}

void peg_joint_amotor(peg_joint_build *build)
{
    dJointID j = build->joint;
    dVector3 axis[3];
    double angle[3];
    int n = dJointGetAMotorNumAxes(j);
    for (int i = 0; i < n; i++) {
        dJointGetAMotorAxis(j, i, axis[i]);
        angle[i] = dJointGetAMotorAngle(j, i);
    }
    if (dJointGetAMotorMode(j) == dAMotorEuler) euler_angles(build, axis, angle);
    for (int i = 0; i < n; i++) {
        peg_limot limot = peg_limot_read(build, dJointGetAMotorParam, i);
        peg_limot_test(&limot, angle[i]);
        peg_limot_turn(build, &limot, axis[i]);
    }
}

void peg_joint_lmotor(peg_joint_build *build)
{
    dJointID j = build->joint;
    for (int i = 0; i < dJointGetLMotorNumAxes(j); i++) {
        dVector3 axis;
        int relative = build->reference->relative[i];
        dJointGetLMotorAxis(j, i, axis);
        if (relative == 2 && !build->b.id) relative = 1; /* as ODE sets it */
        if (relative) peg_rotate(relative == 1 ? build->a.R : build->b.R, axis, axis);
        peg_limot limot = peg_limot_read(build, dJointGetLMotorParam, i); /* ODE never limits it */
        peg_limot_slide(build, &limot, axis);
    }
}

void peg_joint_plane2d(peg_joint_build *build)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3];
    peg_row_point(build, axis[2], none, none, -peg_gain(build) * build->a.x[2]);
    peg_row_turn(build, axis[0], 0);
    peg_row_turn(build, axis[1], 0);
    for (int i = 0; i < 3; i++) { /* the plane is the world's, also for two bodies */
        memset(build->row[i].Jb, 0, sizeof build->row[i].Jb);
        peg_limot motor = build->reference->motor[i];
        if (!build->reference->told_cfm[i]) motor.cfm = build->cfm;
        (i < 2 ? peg_limot_slide : peg_limot_turn)(build, &motor, axis[i]);
    }
}
