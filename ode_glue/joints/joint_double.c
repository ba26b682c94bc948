/* Joints that keep a distance: double ball, double hinge. */
#include "ode_glue/joints/joint_build.h"

/* Below this ODE calls the anchors the same point, m. */
#define COINCIDENT 1e-12

static void point_velocity(const peg_side *side, const double arm[3], double v[3])
{
    peg_cross(side->v + 3, arm, v);
    peg_add_scaled(v, 1, side->v, v);
}

/* Direction from B's anchor to A's; if they coincide, of their relative velocity; else x. */
static double direction(const peg_joint_build *build, const double arm_a[3], const double arm_b[3],
                        double u[3])
{
    double v_b[3];
    for (int k = 0; k < 3; k++) u[k] = build->a.x[k] + arm_a[k] - (build->b.x[k] + arm_b[k]);
    double distance = peg_norm(u);
    if (distance < COINCIDENT) {
        point_velocity(&build->a, arm_a, u);
        point_velocity(&build->b, arm_b, v_b);
        peg_sub(u, v_b, u);
        if (peg_norm(u) < COINCIDENT) u[0] = 1, u[1] = u[2] = 0;
    }
    peg_normalise(u);
    return distance;
}

void peg_joint_dball(peg_joint_build *build)
{
    double arm_a[3], arm_b[3], u[3];
    double world_cfm = build->cfm;
    build->erp = dJointGetDBallParam(build->joint, dParamERP);
    build->cfm = dJointGetDBallParam(build->joint, dParamCFM);
    peg_anchor_arms(build, dJointGetDBallAnchor1, dJointGetDBallAnchor2, arm_a, arm_b);
    double error = dJointGetDBallDistance(build->joint) - direction(build, arm_a, arm_b, u);
    peg_row_point(build, u, arm_a, arm_b, peg_gain(build) * error);
    build->cfm = world_cfm;
}

void peg_joint_dhinge(peg_joint_build *build)
{
    dVector3 axis;
    double axis_b[3], arm_a[3], arm_b[3], error[3];
    peg_joint_dball(build); /* its ERP holds for the other rows, too */
    dJointGetDHingeAxis(build->joint, axis);
    peg_axis_in_b(build, axis, axis_b);
    peg_rows_align(build, axis, axis_b);

    /* The anchors stay in one plane normal to the axis. */
    peg_anchor_arms(build, dJointGetDHingeAnchor1, dJointGetDHingeAnchor2, arm_a, arm_b);
    for (int k = 0; k < 3; k++) error[k] = build->b.x[k] + arm_b[k] - (build->a.x[k] + arm_a[k]);
    peg_row_slide(build, axis, peg_gain(build) * peg_dot(axis, error));
}
