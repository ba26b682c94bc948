/* Joints that hold one point of both bodies together: ball, hinge, universal, hinge 2. */
#include "ode_glue/joints/joint_build.h"

void peg_joint_ball(peg_joint_build *build)
{
    double arm_a[3], arm_b[3];
    peg_anchor_arms(build, dJointGetBallAnchor, dJointGetBallAnchor2, arm_a, arm_b);
    build->erp = dJointGetBallParam(build->joint, dParamERP);
    build->cfm = dJointGetBallParam(build->joint, dParamCFM);
    peg_rows_ball(build, arm_a, arm_b);
}

void peg_joint_hinge(peg_joint_build *build)
{
    double arm_a[3], arm_b[3], axis_b[3];
    dVector3 axis;
    peg_anchor_arms(build, dJointGetHingeAnchor, dJointGetHingeAnchor2, arm_a, arm_b);
    peg_rows_ball(build, arm_a, arm_b);

    dJointGetHingeAxis(build->joint, axis);
    peg_axis_in_b(build, axis, axis_b);
    peg_rows_align(build, axis, axis_b);

    peg_limot limot = peg_limot_read(build, dJointGetHingeParam, 0);
    double angle = dJointGetHingeAngle(build->joint);
    peg_limot_angle(&limot, build->reversed ? -angle : angle);
    peg_limot_turn(build, &limot, axis);
}

void peg_joint_universal(peg_joint_build *build)
{
    double arm_a[3], arm_b[3], normal[3];
    dVector3 axis[2];
    dJointID j = build->joint;
    peg_anchor_arms(build, dJointGetUniversalAnchor, dJointGetUniversalAnchor2, arm_a, arm_b);
    peg_rows_ball(build, arm_a, arm_b);

    /* A keeps axis 1 and B axis 2: neither may turn about their common normal. */
    dJointGetUniversalAxis1(j, axis[build->reversed]);
    dJointGetUniversalAxis2(j, axis[!build->reversed]);
    peg_cross(axis[0], axis[1], normal);
    peg_normalise(normal);
    peg_row_turn(build, normal, -peg_gain(build) * peg_dot(axis[0], axis[1]));

    /* In a reversed joint getters call ODE's first angle the second and turn its sign. */
    double angle[2] = {dJointGetUniversalAngle1(j), dJointGetUniversalAngle2(j)};
    for (int i = 0; i < 2; i++) {
        peg_limot limot = peg_limot_read(build, dJointGetUniversalParam, i);
        double own = build->reversed ? angle[1 - i] : angle[i];
        peg_limot_angle(&limot, build->reversed && i == 0 ? -own : own);
        peg_limot_turn(build, &limot, axis[i]);
    }
}

/* Three rows of a ball joint, the first along the suspension's axis with its own ERP and CFM. */
static void suspend(peg_joint_build *build, const double axis[3])
{
    double arm_a[3], arm_b[3], u[3][3], error[3];
    dJointID j = build->joint;
    peg_anchor_arms(build, dJointGetHinge2Anchor, dJointGetHinge2Anchor2, arm_a, arm_b);
    for (int k = 0; k < 3; k++) error[k] = build->b.x[k] + arm_b[k] - (build->a.x[k] + arm_a[k]);
    peg_copy3(axis, u[0]);
    peg_normals(axis, u[1], u[2]);
    for (int i = 0; i < 3; i++) {
        double erp = i == 0 ? dJointGetHinge2Param(j, dParamSuspensionERP) : build->erp;
        peg_joint_row *row =
            peg_row_point(build, u[i], arm_a, arm_b, erp / build->h * peg_dot(u[i], error));
        if (i == 0) row->c = dJointGetHinge2Param(j, dParamSuspensionCFM) / build->h;
    }
}

void peg_joint_hinge2(peg_joint_build *build)
{
    dJointID j = build->joint;
    dVector3 axis1, axis2;
    double normal[3], normal_then[3], in_a[3], then[3];
    dJointGetHinge2Axis1(j, axis1);
    dJointGetHinge2Axis2(j, axis2);
    suspend(build, axis1);

    /* The angle between the axes stays what it was when they were set: its error in the small is
     * the sine of the difference. */
    peg_cross(axis1, axis2, normal);
    double sine = peg_normalise(normal), cosine = peg_dot(axis1, axis2);
    peg_rotate_back(build->a.R, axis1, in_a);
    peg_rotate_back(build->b.R, axis2, then);
    peg_to_a(build->reference, then, then);
    peg_cross(in_a, then, normal_then);
    double error = peg_dot(in_a, then) * sine - peg_norm(normal_then) * cosine;
    peg_row_turn(build, normal, peg_gain(build) * error);

    peg_limot steering = peg_limot_read(build, dJointGetHinge2Param, 0);
    peg_limot_angle(&steering, dJointGetHinge2Angle1(j));
    peg_limot_turn(build, &steering, axis1);
    peg_limot wheel = peg_limot_read(build, dJointGetHinge2Param, 1); /* ODE never limits it */
    peg_limot_turn(build, &wheel, axis2);
}
