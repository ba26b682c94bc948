/* Joints that slide, and the fixed joint. */
#include "ode_glue/joints/joint_build.h"

/* Axis of the limit along `axis`: a reversed joint (its B is the world) measures the other way. */
static void limit_axis(const peg_joint_build *build, const double axis[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = build->reversed ? -axis[k] : axis[k];
}

/* The joint's first limit or motor, along `axis`. */
static void limit_slide(peg_joint_build *build, peg_param_getter *get, double position,
                        const double axis[3])
{
    double along[3];
    peg_limot limot = peg_limot_read(build, get, 0);
    peg_limot_position(&limot, position);
    limit_axis(build, axis, along);
    peg_limot_slide(build, &limot, along);
}

/* Its second one, about `axis`; test: how what is told of the turn is compared with the stops. */
static void limit_turn(peg_joint_build *build, peg_param_getter *get,
                       void (*test)(peg_limot *limot, double x), double told, const double axis[3])
{
    peg_limot limot = peg_limot_read(build, get, 1);
    test(&limot, build->reversed ? -told : told);
    peg_limot_turn(build, &limot, axis);
}

void peg_joint_slider(peg_joint_build *build)
{
    dVector3 axis;
    double u[2][3], error[3];
    peg_rows_orient(build);
    dJointGetSliderAxis(build->joint, axis);
    /* From A's centre to the place in B that it keeps but for the axis. What the position getter
     * tells of that place is not taken from the reference: the joint may have been set with a
     * distance. */
    double axis_b[3], position = dJointGetSliderPosition(build->joint);
    if (build->reversed) position = -position;
    peg_place_of_a(build->reference, error);
    peg_rotate(build->b.R, error, error);
    for (int k = 0; k < 3; k++) error[k] += build->b.x[k] - build->a.x[k];
    peg_axis_in_b(build, axis, axis_b);
    double cosine = peg_dot(axis, axis_b);
    if (cosine > .5) /* else it is so far off that its position means nothing */
        peg_add_scaled(error, -(position + peg_dot(axis, error)) / cosine, axis_b, error);
    peg_normals(axis, u[0], u[1]);
    for (int i = 0; i < 2; i++) peg_row_slide(build, u[i], peg_gain(build) * peg_dot(u[i], error));

    limit_slide(build, dJointGetSliderParam, dJointGetSliderPosition(build->joint), axis);
}

void peg_joint_fixed(peg_joint_build *build)
{
    static const double none[3];
    double world_erp = build->erp, world_cfm = build->cfm, arm_a[3] = {0}, error[3];
    build->erp = dJointGetFixedParam(build->joint, dParamERP);
    build->cfm = dJointGetFixedParam(build->joint, dParamCFM);
    if (build->b.id) { /* B's centre stays where it was in A */
        peg_rotate(build->a.R, build->reference->place, arm_a);
        for (int k = 0; k < 3; k++) error[k] = build->b.x[k] - (build->a.x[k] + arm_a[k]);
    } else {
        peg_place_of_a(build->reference, error);
        peg_sub(error, build->a.x, error);
    }
    for (int k = 0; k < 3; k++) {
        double u[3] = {k == 0, k == 1, k == 2};
        peg_row_point(build, u, arm_a, none, peg_gain(build) * error[k]);
    }
    build->erp = world_erp;
    build->cfm = world_cfm;
    peg_rows_orient(build);
}

/* From A's and B's centre to the anchor that B keeps; for A turned round in a reversed joint, as
 * ODE has it. */
static void arms_to_anchor(const peg_joint_build *build, const double anchor[3], double arm_a[3],
                           double arm_b[3])
{
    peg_sub(anchor, build->a.x, arm_a);
    peg_sub(anchor, build->b.x, arm_b);
    for (int k = 0; k < 3 && build->reversed; k++) arm_a[k] = -arm_a[k];
}

/* The anchor that A keeps, relative to its centre, where only B's is known. */
static void anchor_of_a(const peg_joint_build *build, const double anchor[3], double out[3])
{
    peg_sub(anchor, build->b.x, out);
    peg_rotate_back(build->b.R, out, out);
    peg_to_a(build->reference, out, out);
    peg_add_scaled(out, 1, build->reference->place, out);
    peg_rotate(build->a.R, out, out);
}

void peg_joint_pr(peg_joint_build *build)
{
    dJointID j = build->joint;
    dVector3 slide, axis, anchor;
    double axis_b[3], u[3], turn[3], arm_a[3], arm_b[3], error[3];
    double gain = peg_gain(build);
    dJointGetPRAxis1(j, slide);
    dJointGetPRAxis2(j, axis);
    dJointGetPRAnchor(j, anchor);
    peg_axis_in_b(build, axis, axis_b);
    peg_cross(axis, slide, u);
    peg_cross(axis, axis_b, turn);
    peg_row_turn(build, slide, gain * peg_dot(turn, slide));
    peg_row_turn(build, u, gain * peg_dot(turn, u));

    arms_to_anchor(build, anchor, arm_a, arm_b);
    anchor_of_a(build, anchor, error);
    peg_sub(arm_a, error, error);
    peg_joint_row *first = peg_row_point(build, axis, arm_a, arm_b, gain * peg_dot(axis, error));
    if (build->b.id) peg_cross(axis_b, arm_b, first->Jb + 3); /* B turns with its own axis */
    peg_row_point(build, u, arm_a, arm_b, gain * peg_dot(u, error));

    limit_slide(build, dJointGetPRParam, dJointGetPRPosition(j), slide);
    limit_turn(build, dJointGetPRParam, peg_limot_angle, dJointGetPRAngle(j), axis);
}

void peg_joint_piston(peg_joint_build *build)
{
    dJointID j = build->joint;
    dVector3 axis, anchor[2];
    double axis_b[3], u[2][3], arm_a[3], arm_b[3], error[3];
    dJointGetPistonAxis(j, axis);
    peg_axis_in_b(build, axis, axis_b);
    peg_rows_align(build, axis, axis_b);

    dJointGetPistonAnchor(j, anchor[build->reversed]);
    dJointGetPistonAnchor2(j, anchor[!build->reversed]);
    arms_to_anchor(build, anchor[1], arm_a, arm_b);
    for (int k = 0; k < 3; k++) error[k] = arm_a[k] - (anchor[0][k] - build->a.x[k]);
    peg_normals(axis, u[0], u[1]);
    for (int i = 0; i < 2; i++)
        peg_row_point(build, u[i], arm_a, arm_b, peg_gain(build) * peg_dot(u[i], error));

    limit_slide(build, dJointGetPistonParam, dJointGetPistonPosition(j), axis);
    limit_turn(build, dJointGetPistonParam, peg_limot_position, dJointGetPistonAngle(j), axis);
}

void peg_joint_pu(peg_joint_build *build)
{
    dJointID j = build->joint;
    dVector3 axis[2], slide;
    double normal[3], u[2][3], arm_a[3], arm_b[3], error[3], along[3];
    double gain = peg_gain(build);
    dJointGetPUAxis1(j, axis[build->reversed]);
    dJointGetPUAxis2(j, axis[!build->reversed]);
    dJointGetPUAxis3(j, slide);
    peg_cross(axis[0], axis[1], normal);
    peg_normalise(normal);
    peg_row_turn(build, normal, -gain * peg_dot(axis[0], axis[1]));

    /* arms of a PU joint's anchors; what the position getter tells of A's is not taken from the
     * reference */
    dVector3 anchor;
    dJointGetPUAnchor(build->joint, anchor);
    peg_sub(anchor, build->b.x, arm_b);
    anchor_of_a(build, anchor, arm_a);
    double position = dJointGetPUPosition(build->joint), apart[3];
    if (build->reversed) position = -position;
    for (int k = 0; k < 3; k++) apart[k] = build->a.x[k] + arm_a[k] - anchor[k];
    peg_add_scaled(arm_a, position - peg_dot(slide, apart), slide, arm_a);
    for (int k = 0; k < 3; k++) error[k] = build->b.x[k] + arm_b[k] - (build->a.x[k] + arm_a[k]);
    /* ODE takes the sliding axis of a reversed joint for one of the world's, without turning it. */
    if (build->reversed) peg_rotate_back(build->a.R, slide, slide);
    peg_normals(slide, u[0], u[1]);
    for (int i = 0; i < 2; i++)
        peg_row_point(build, u[i], arm_a, arm_b, gain * peg_dot(u[i], error));

    double angle[2] = {dJointGetPUAngle1(j), dJointGetPUAngle2(j)};
    for (int i = 0; i < 2; i++) {
        peg_limot limot = peg_limot_read(build, dJointGetPUParam, i);
        peg_limot_angle(&limot, angle[build->reversed ? 1 - i : i]);
        peg_limot_turn(build, &limot, axis[i]);
    }
    peg_limot sliding = peg_limot_read(build, dJointGetPUParam, 2);
    peg_limot_position(&sliding, dJointGetPUPosition(j));
    limit_axis(build, slide, along);
    peg_limot_point(build, &sliding, along, arm_a, arm_b);
}
