/* ODE's free step, as measured and read in ODE 0.16:
 *
 *   v_free = v + h (g + f / m)
 *   w_free = y + h I^-1 tau
 *
 * y is the angular velocity after the implicit gyroscopic torque alone (without gyroscopic mode y =
 * w), I is taken at the start pose. */
#include "ode_glue/read/unconstrained_velocity.h"

/* A x = b, det A != 0. */
static void solve3(const double A[9], const double b[3], double x[3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++) peg_cross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), c[i]);
    double det = peg_dot(A, c[0]);
    for (int k = 0; k < 3; k++) x[k] = (b[0] * c[0][k] + b[1] * c[1][k] + b[2] * c[2][k]) / det;
}

/* (kg m^2)^3: ODE inverts inertias, beside joints those of a gyroscopic torque as well, and aborts
 * where 1 / det overflows, which it does from 1e-308 on. */
static const double LEAST_DETERMINANT = 1e-280;

static int is_positive(const double I[9])
{
    double minor = I[0] * I[4] - I[1] * I[1];
    double det = I[0] * (I[4] * I[8] - I[5] * I[5]) - I[1] * (I[1] * I[8] - I[5] * I[2]) +
                 I[2] * (I[1] * I[5] - I[4] * I[2]);
    return I[0] > 0 && minor > 0 && det > LEAST_DETERMINANT;
}

/* m, m/s, N ..: the fourth power, of which ODE's and our solves are made, stays in range. */
static const double LARGEST = 1e60;

/* Whether numbers can be computed with. */
static int is_finite(const double *a, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i]) < LARGEST)) return 0;
    return 1;
}

void peg_world_inertia(const peg_body *body, const double R[9], double out[9])
{
    double RI[9], T[9];
    peg_mat_mul(R, body->inertia, RI);
    for (int i = 0; i < 9; i++) T[i] = R[3 * (i % 3) + i / 3];
    peg_mat_mul(RI, T, out);
}

static void free_velocity(dWorldID world, dBodyID id, double h, peg_body *b)
{
    const dReal *f = dBodyGetForce(id), *torque = dBodyGetTorque(id);
    double R[9], y[3], t[3], a[3];
    dVector3 g = {0};
    if (dBodyGetGravityMode(id)) dWorldGetGravity(world, g);
    for (int k = 0; k < 3; k++) b->v_free[k] = b->v[k] + h * (g[k] + f[k] / b->mass);

    peg_copy3(b->v + 3, y);
    if (b->gyroscopic) peg_gyroscopic_velocity(b, h, b->v + 3, y);
    peg_copy3(y, b->v_free + 3);
    if (torque[0] == 0 && torque[1] == 0 && torque[2] == 0) return;
    peg_quat_to_mat(b->q, R);
    peg_rotate_back(R, torque, t);
    solve3(b->inertia, t, a);
    peg_rotate(R, a, a);
    peg_add_scaled(y, h, a, b->v_free + 3);
}

static int settings_are_finite(dBodyID id)
{
    double damping = dBodyGetLinearDamping(id) + dBodyGetAngularDamping(id) +
                     dBodyGetLinearDampingThreshold(id) + dBodyGetAngularDampingThreshold(id);
    return isfinite(damping) && !isnan(dBodyGetMaxAngularSpeed(id)) &&
           is_finite(dBodyGetForce(id), 3) && is_finite(dBodyGetTorque(id), 3);
}

/* Whether ODE's step could pose the body: it aborts where a quaternion overflows. */
static int can_be_posed(const peg_body *b, double h)
{
    double x[3], q[4];
    peg_body_pose(b, b->v_free, h, x, q);
    return is_finite(b->v_free, 6) && is_finite(x, 3) && is_finite(q, 4) &&
           isfinite(peg_dot(b->v_free + 3, b->v_free + 3));
}

pegStatus peg_read_body(dWorldID world, dBodyID id, double h, peg_body *b)
{
    *b = (peg_body){0};
    peg_copy3(dBodyGetPosition(id), b->x);
    memcpy(b->q, dBodyGetQuaternion(id), sizeof b->q);
    peg_copy3(dBodyGetLinearVel(id), b->v);
    peg_copy3(dBodyGetAngularVel(id), b->v + 3);
    dVector3 axis;
    dBodyGetFiniteRotationAxis(id, axis);
    peg_copy3(axis, b->finite_axis);
    int has_axis = axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
    b->finite_rotation = dBodyGetFiniteRotationMode(id) ? 1 + has_axis : 0;
    b->gyroscopic = dBodyGetGyroscopicMode(id);
    b->max_angular_speed = dBodyGetMaxAngularSpeed(id);
    if (!is_finite(b->x, 3) || !is_finite(b->q, 4) || !is_finite(b->v, 6) ||
        !is_finite(dBodyGetRotation(id), 12))
        return PEG_ERROR_NOT_FINITE;

    int moves = dBodyIsEnabled(id) && dBodyGetWorld(id) == world;
    if (moves && !settings_are_finite(id)) return PEG_ERROR_NOT_FINITE;
    if (dBodyIsKinematic(id) || dBodyGetWorld(id) != world) {
        b->kind = moves ? PEG_KINEMATIC : PEG_STATIC;
        if (!moves) memset(b->v, 0, sizeof b->v);
        memcpy(b->v_free, b->v, sizeof b->v);
        return can_be_posed(b, h) ? PEG_OK : PEG_ERROR_NOT_FINITE;
    }
    b->kind = PEG_DYNAMIC;
    b->asleep = !moves;
    dMass mass;
    dBodyGetMass(id, &mass);
    b->mass = mass.mass;
    for (int i = 0; i < 9; i++) b->inertia[i] = mass.I[4 * (i / 3) + i % 3];
    if (!(b->mass > 0) || !isfinite(b->mass) || !is_finite(b->inertia, 9) ||
        !is_positive(b->inertia))
        return PEG_ERROR_MASS;
    free_velocity(world, id, h, b);
    return can_be_posed(b, h) ? PEG_OK : PEG_ERROR_NOT_FINITE;
}

void peg_stop_body(dWorldID world, dBodyID id, double h, peg_body *b)
{
    b->asleep = 1;
    memset(b->v, 0, sizeof b->v);
    free_velocity(world, id, h, b);
}

/* Share of v that ODE's damping leaves. */
static double kept(double scale, double threshold, const double *v)
{
    return scale != 0 && peg_dot(v, v) > threshold * threshold ? 1 - scale : 1;
}

static void cap(const peg_body *b, double w[3])
{
    double speed = peg_norm(w);
    if (speed > b->max_angular_speed)
        for (int k = 0; k < 3; k++) w[k] *= b->max_angular_speed / speed;
}

void peg_end_velocity(dBodyID id, const peg_body *b, double v[6])
{
    double stepped[3];
    peg_copy3(b->v_pose + 3, stepped);
    cap(b, stepped);
    memcpy(v, b->v_end, sizeof b->v_end);
    cap(b, v + 3);
    double linear = kept(dBodyGetLinearDamping(id), dBodyGetLinearDampingThreshold(id), b->v_pose);
    double angular = kept(dBodyGetAngularDamping(id), dBodyGetAngularDampingThreshold(id), stepped);
    for (int k = 0; k < 6; k++) v[k] *= k < 3 ? linear : angular;
}
