/* The types of joints, and the reference that each joint needs. */
#include "ode_glue/joints/joint_build.h"

typedef struct family {
    peg_joint_family *rows;
    int needs_pose, needs_telling;
    /* Told by getters and kept by a body: an axis in A's frame, one in B's, a point in B's. */
    peg_vector_getter *axis_a, *axis_b, *point_b;
} family;

static const family FAMILY[] = {
    [dJointTypeBall] = {.rows = peg_joint_ball},
    [dJointTypeHinge] = {peg_joint_hinge, 1, .axis_a = dJointGetHingeAxis},
    [dJointTypeSlider] = {peg_joint_slider, 1, .axis_a = dJointGetSliderAxis},
    [dJointTypeUniversal] = {.rows = peg_joint_universal},
    [dJointTypeHinge2] = {peg_joint_hinge2, 1, .axis_a = dJointGetHinge2Axis1,
                          .axis_b = dJointGetHinge2Axis2},
    [dJointTypeFixed] = {peg_joint_fixed, .needs_pose = 1},
    [dJointTypeAMotor] = {peg_joint_amotor, .needs_pose = 1},
    [dJointTypeLMotor] = {peg_joint_lmotor, .needs_telling = 1},
    [dJointTypePlane2D] = {peg_joint_plane2d, .needs_telling = 1},
    [dJointTypePR] = {peg_joint_pr, 1, .axis_a = dJointGetPRAxis2, .point_b = dJointGetPRAnchor},
    [dJointTypePU] = {peg_joint_pu, 1, .axis_a = dJointGetPUAxis3, .point_b = dJointGetPUAnchor},
    [dJointTypePiston] = {peg_joint_piston, 1, .axis_a = dJointGetPistonAxis},
    [dJointTypeDBall] = {.rows = peg_joint_dball},
    [dJointTypeDHinge] = {peg_joint_dhinge, 1, .axis_a = dJointGetDHingeAxis},
    [dJointTypeTransmission] = {peg_joint_transmission, 1, .axis_b = dJointGetTransmissionAxis2,
                                .point_b = dJointGetTransmissionAnchor2},
};

static const family *family_of(dJointType type)
{
    static const family unknown;
    int known = type >= 0 && (size_t)type < sizeof FAMILY / sizeof *FAMILY;
    return known ? &FAMILY[type] : &unknown;
}

int peg_joint_is_supported(dJointType type)
{
    return family_of(type)->rows != NULL;
}

int peg_joint_needs_pose(dJointID joint)
{
    dJointType type = dJointGetType(joint);
    if (type == dJointTypeAMotor) return dJointGetAMotorMode(joint) == dAMotorEuler;
    return family_of(type)->needs_pose;
}

int peg_joint_needs_telling(dJointID joint)
{
    return family_of(dJointGetType(joint))->needs_telling;
}

void peg_joint_bodies(dJointID joint, dBodyID body[2])
{
    body[0] = dJointGetBody(joint, 0);
    body[1] = dJointGetBody(joint, 1);
    if (body[0]) return;
    body[0] = body[1];
    body[1] = NULL;
}

static void read_side(dBodyID id, peg_side *side)
{
    *side = (peg_side){.id = id, .q = {1}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (!id) return;
    const dReal *R = dBodyGetRotation(id);
    for (int k = 0; k < 9; k++) side->R[k] = R[k / 3 * 4 + k % 3];
    peg_copy3(dBodyGetPosition(id), side->x);
    memcpy(side->q, dBodyGetQuaternion(id), sizeof side->q);
    peg_copy3(dBodyGetLinearVel(id), side->v);
    peg_copy3(dBodyGetAngularVel(id), side->v + 3);
}

/* 0: no body. */
static int read_joint(dJointID joint, peg_joint_build *build)
{
    dBodyID body[2];
    peg_joint_bodies(joint, body);
    *build = (peg_joint_build){.joint = joint};
    if (!body[0]) return 0;
    build->reversed = !dJointGetBody(joint, 0);
    read_side(body[0], &build->a);
    read_side(body[1], &build->b);
    dWorldID world = dBodyGetWorld(body[0]);
    build->erp = dWorldGetERP(world);
    build->cfm = dWorldGetCFM(world);
    return 1;
}

static void get_marks(const peg_joint_build *build, const family *f, double mark[3][3])
{
    dVector3 v;
    memset(mark, 0, 9 * sizeof(double));
    if (f->axis_a) {
        f->axis_a(build->joint, v);
        peg_rotate_back(build->a.R, v, mark[0]);
    }
    if (f->axis_b) {
        f->axis_b(build->joint, v);
        peg_rotate_back(build->b.R, v, mark[1]);
    }
    if (f->point_b) {
        f->point_b(build->joint, v);
        peg_sub(v, build->b.x, v);
        peg_rotate_back(build->b.R, v, mark[2]);
    }
}

/* Whether the reference was measured for the joint as it is. Getters give marks in the world frame,
 * so that they come back with the rounding of positions. */
static int fits(const peg_joint_build *build, const family *f, const peg_joint_reference *r)
{
    const double TOLERANCE = 1e-9; /* relative: 1e7 times rounding, far below any setting */
    double mark[3][3], d[3];
    if (!r->known || r->type != dJointGetType(build->joint)) return 0;
    if (r->body[0] != build->a.id || r->body[1] != build->b.id) return 0;
    get_marks(build, f, mark);
    for (int i = 0; i < 3; i++) {
        peg_sub(mark[i], r->mark[i], d);
        double size = i < 2 ? 1 : peg_norm(mark[i]) + peg_norm(build->b.x);
        if (peg_norm(d) > TOLERANCE * size) return 0;
    }
    return 1;
}

static void measure(const peg_joint_build *build, const family *f, peg_joint_reference *r)
{
    double to_a[4] = {build->a.q[0], -build->a.q[1], -build->a.q[2], -build->a.q[3]};
    r->known = 1;
    r->inferred = 0;
    r->type = dJointGetType(build->joint);
    r->body[0] = build->a.id;
    r->body[1] = build->b.id;
    peg_quat_mul(to_a, build->b.q, r->turn);
    peg_sub(build->b.x, build->a.x, r->place);
    peg_rotate_back(build->a.R, r->place, r->place);
    get_marks(build, f, r->mark);
    memset(r->wheel, 0, sizeof r->wheel);
}

void peg_joint_capture(dJointID joint, peg_joint_reference *reference)
{
    peg_joint_build build;
    if (read_joint(joint, &build))
        measure(&build, family_of(dJointGetType(joint)), reference);
    else
        reference->known = 0;
}

void peg_joint_tell_relative(peg_joint_reference *reference, int axis, int rel)
{
    reference->relative[axis] = rel;
    reference->told[axis] = 1;
}

void peg_joint_tell_plane(peg_joint_reference *reference, int axis, int parameter, double value)
{
    peg_limot *motor = &reference->motor[axis];
    reference->told[axis] = 1;
    if (parameter == dParamVel) motor->speed = value;
    if (parameter == dParamFMax && value >= 0) motor->force = value;
    if (parameter != dParamCFM) return;
    motor->cfm = value;
    reference->told_cfm[axis] = 1;
}

int peg_joint_rows(dJointID joint, peg_joint_reference *reference, double h,
                   peg_joint_row row[PEG_JOINT_ROWS])
{
    peg_joint_build build;
    const family *f = family_of(dJointGetType(joint));
    if (!f->rows || !read_joint(joint, &build)) return 0;
    build.reference = reference;
    build.h = h;
    build.row = row;
    if (!fits(&build, f, reference)) {
        measure(&build, f, reference);
        reference->inferred = 1;
    }
    f->rows(&build);
    return build.n;
}
