/* Rows and pieces that the families of joints share, in ODE's signs: velocities are those of A
 * relative to B, errors those of B relative to A. */
#include "ode_glue/joints/joint_build.h"

static peg_joint_row *new_row(peg_joint_build *build, double rhs)
{
    peg_joint_row *row = &build->row[build->n++];
    *row = (peg_joint_row){
        .body_b = build->b.id ? 1 : -1, .rhs = rhs, .correction = rhs, .c = build->cfm / build->h};
    row->lo = -INFINITY, row->hi = INFINITY;
    return row;
}

/* J of a velocity along u; turn_a, turn_b: its angular parts. */
static void set_linear(peg_joint_row *row, const double u[3], const double turn_a[3],
                       const double turn_b[3])
{
    peg_copy3(u, row->Ja);
    peg_copy3(turn_a, row->Ja + 3);
    if (row->body_b < 0) return;
    for (int k = 0; k < 3; k++) row->Jb[k] = -u[k];
    peg_copy3(turn_b, row->Jb + 3);
}

peg_joint_row *peg_row_turn(peg_joint_build *build, const double u[3], double rhs)
{
    peg_joint_row *row = new_row(build, rhs);
    peg_copy3(u, row->Ja + 3);
    for (int k = 0; k < 3 && build->b.id; k++) row->Jb[3 + k] = -u[k];
    return row;
}

peg_joint_row *peg_row_point(peg_joint_build *build, const double u[3], const double arm_a[3],
                             const double arm_b[3], double rhs)
{
    double turn_a[3], turn_b[3];
    peg_cross(arm_a, u, turn_a);
    peg_cross(u, arm_b, turn_b);
    peg_joint_row *row = new_row(build, rhs);
    set_linear(row, u, turn_a, turn_b);
    return row;
}

peg_joint_row *peg_row_slide(peg_joint_build *build, const double u[3], double rhs)
{
    double turn[3] = {0};
    if (build->b.id) {
        peg_sub(build->b.x, build->a.x, turn);
        peg_cross(turn, u, turn);
        for (int k = 0; k < 3; k++) turn[k] /= 2;
    }
    peg_joint_row *row = new_row(build, rhs);
    set_linear(row, u, turn, turn);
    return row;
}

void peg_rows_ball(peg_joint_build *build, const double arm_a[3], const double arm_b[3])
{
    for (int k = 0; k < 3; k++) {
        double u[3] = {k == 0, k == 1, k == 2};
        double error = build->b.x[k] + arm_b[k] - (build->a.x[k] + arm_a[k]);
        peg_row_point(build, u, arm_a, arm_b, peg_gain(build) * error);
    }
}

void peg_rows_align(peg_joint_build *build, const double axis_a[3], const double axis_b[3])
{
    double u[2][3], error[3];
    peg_normals(axis_a, u[0], u[1]);
    peg_cross(axis_a, axis_b, error);
    for (int k = 0; k < 2; k++) peg_row_turn(build, u[k], peg_gain(build) * peg_dot(error, u[k]));
}

static void conjugate(const double q[4], double out[4])
{
    out[0] = q[0], out[1] = -q[1], out[2] = -q[2], out[3] = -q[3];
}

void peg_rows_orient(peg_joint_build *build)
{
    double to_a[4], from_reference[4], turn[4], error[4];
    conjugate(build->a.q, to_a);
    conjugate(build->reference->turn, from_reference);
    peg_quat_mul(to_a, build->b.q, turn);
    peg_quat_mul(turn, from_reference, error);
    double side = error[0] < 0 ? -2 : 2; /* the shorter way; twice the vector part is the angle */
    peg_rotate(build->a.R, error + 1, error + 1);
    for (int k = 0; k < 3; k++) {
        double u[3] = {k == 0, k == 1, k == 2};
        peg_row_turn(build, u, peg_gain(build) * side * error[1 + k]);
    }
}

void peg_normals(const double u[3], double p[3], double q[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double e[3] = {least == 0, least == 1, least == 2};
    peg_cross(u, e, p);
    peg_normalise(p);
    peg_cross(u, p, q);
}

void peg_anchor_arms(const peg_joint_build *build, peg_vector_getter *first,
                     peg_vector_getter *second, double arm_a[3], double arm_b[3])
{
    dVector3 anchor[2];
    first(build->joint, anchor[build->reversed]);
    second(build->joint, anchor[!build->reversed]);
    peg_sub(anchor[0], build->a.x, arm_a);
    peg_sub(anchor[1], build->b.x, arm_b);
}

void peg_to_a(const peg_joint_reference *reference, const double v[3], double out[3])
{
    double R[9];
    peg_quat_to_mat(reference->turn, R);
    peg_rotate(R, v, out);
}

void peg_to_b(const peg_joint_reference *reference, const double v[3], double out[3])
{
    double R[9];
    peg_quat_to_mat(reference->turn, R);
    peg_rotate_back(R, v, out);
}

void peg_place_of_a(const peg_joint_reference *reference, double out[3])
{
    peg_to_b(reference, reference->place, out);
    for (int k = 0; k < 3; k++) out[k] = -out[k];
}

void peg_axis_in_b(const peg_joint_build *build, const double axis_a[3], double axis_b[3])
{
    peg_rotate_back(build->a.R, axis_a, axis_b);
    peg_to_b(build->reference, axis_b, axis_b);
    peg_rotate(build->b.R, axis_b, axis_b);
}

peg_limot peg_limot_read(const peg_joint_build *build, peg_param_getter *get, int group)
{
    dJointID j = build->joint;
    int first = group * dParamGroup;
    return (peg_limot){.lo = get(j, first + dParamLoStop),
                       .hi = get(j, first + dParamHiStop),
                       .speed = get(j, first + dParamVel),
                       .force = get(j, first + dParamFMax),
                       .fudge = get(j, first + dParamFudgeFactor),
                       .bounce = get(j, first + dParamBounce),
                       .cfm = get(j, first + dParamCFM),
                       .stop_erp = get(j, first + dParamStopERP),
                       .stop_cfm = get(j, first + dParamStopCFM)};
}

void peg_limot_test(peg_limot *limot, double x)
{
    limot->stop = x <= limot->lo ? -1 : x >= limot->hi ? 1 : 0;
    limot->excess = x - (limot->stop < 0 ? limot->lo : limot->hi);
}

void peg_limot_angle(peg_limot *limot, double angle)
{
    int limits = limot->lo >= -M_PI || limot->hi <= M_PI;
    if (limits && limot->lo <= limot->hi) peg_limot_test(limot, angle);
}

void peg_limot_position(peg_limot *limot, double position)
{
    int limits = limot->lo > -INFINITY || limot->hi < INFINITY;
    if (limits && limot->lo <= limot->hi) peg_limot_test(limot, position);
}

/* At a stop. speed: of A relative to B along the row, at the start of the step. */
static void set_stop(const peg_joint_build *build, const peg_limot *limot, double speed,
                     peg_joint_row *row)
{
    row->c = limot->stop_cfm / build->h;
    row->rhs = row->correction = -limot->stop_erp / build->h * limot->excess;
    if (limot->lo == limot->hi) return; /* no way out: bilateral, motor and bounce do nothing */

    int out = -limot->stop; /* the way off the stop */
    if (out > 0)
        row->lo = 0;
    else
        row->hi = 0;
    if (limot->bounce > 0 && out * speed < 0 && -limot->bounce * out * speed > out * row->rhs) {
        row->rhs = -limot->bounce * speed;
        row->correction = 0;
    }
    if (limot->force > 0) { /* a motor that is to stand still pushes into the stop */
        int way = limot->speed > 0 ? 1 : limot->speed < 0 ? -1 : limot->stop;
        row->push = way * limot->force * build->h * (way == out ? limot->fudge : 1);
    }
}

/* first: of the velocity's components that count for the bounce. */
static void set_limot(const peg_joint_build *build, const peg_limot *limot, int first, int count,
                      peg_joint_row *row)
{
    if (!limot->stop) {
        row->c = limot->cfm / build->h;
        row->rhs = limot->speed;
        row->hi = limot->force * build->h;
        row->lo = -row->hi;
        return;
    }
    double speed = 0;
    for (int k = first; k < first + count; k++)
        speed += row->Ja[k] * build->a.v[k] + row->Jb[k] * build->b.v[k];
    set_stop(build, limot, speed, row);
}

static int acts(const peg_limot *limot)
{
    return limot->stop || limot->force > 0;
}

void peg_limot_turn(peg_joint_build *build, const peg_limot *limot, const double u[3])
{
    if (acts(limot)) set_limot(build, limot, 3, 3, peg_row_turn(build, u, 0));
}

void peg_limot_slide(peg_joint_build *build, const peg_limot *limot, const double u[3])
{
    if (acts(limot)) set_limot(build, limot, 0, 3, peg_row_slide(build, u, 0));
}

void peg_limot_point(peg_joint_build *build, const peg_limot *limot, const double u[3],
                     const double arm_a[3], const double arm_b[3])
{
    if (acts(limot)) set_limot(build, limot, 0, 6, peg_row_point(build, u, arm_a, arm_b, 0));
}
